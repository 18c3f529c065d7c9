"""Starts `python -m bot` quickly: a process that has imported everything once, and forks one bot a request.

What it forks is a process as any other: its own pid, files, sockets and signals, `bot/__main__.py` run from
its first line, and an exit status that the interpreter itself gives it. Only the imports (torch, discord,
scikit-learn, every command) and the checksum of the model's weights are already there. On a system without
pidfd, `tests.helpers.process` starts a new interpreter instead.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from tests.helpers import one_model

IMPORTED = (
    "bot.cli.main", "bot.cli.ask", "bot.run", "bot.terminal.prompt", "bot.doctor", "sentence_transformers",
    "transformers.models.bert.modeling_bert", "transformers.models.bert.tokenization_bert",
    "sklearn.feature_extraction.text", "xgboost", "faiss", "tantivy", "alembic.command", "aiosqlite",
)  # fmt: skip
LONGEST = 1 << 20


def serve(listening: socket.socket) -> list[str] | None:
    """Fork on request until the parent is gone; returns the arguments in each forked child."""
    waiting = selectors.DefaultSelector()
    waiting.register(listening, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                return None
            if key.fileobj is listening:
                asked, _ = listening.accept()
                request, files, _, _ = socket.recv_fds(asked, LONGEST, 3)
                pid = os.fork()
                if pid == 0:
                    waiting.close()
                    listening.close()
                    asked.close()
                    return become(json.loads(request), files)
                for file in files:
                    os.close(file)
                asked.sendall(f"{pid}\n".encode())
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, asked))
            else:
                _ended(key)
                waiting.unregister(key.fileobj)
                os.close(key.fd)


def _ended(key: selectors.SelectorKey) -> None:
    """Tell how a child ended, and what it cost."""
    pid, asked = key.data
    _, status, used = os.wait4(pid, 0)
    told = {"status": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime}
    with suppress(OSError):  # nobody may wait for it any more
        asked.sendall(json.dumps(told).encode() + b"\n")
    asked.close()


def become(request: dict[str, Any], files: list[int]) -> list[str]:
    """Turn the forked process into what was asked for."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if request["umask"] >= 0:
        os.umask(request["umask"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(0, encoding="utf-8")
    sys.stdout = open(1, "w", encoding="utf-8")
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, errors="backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    return request["arguments"]


def main() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(sys.argv[1])
        listening.listen(64)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for module in IMPORTED:
            importlib.import_module(module)
        importlib.import_module("bot.client").command_modules()
        one_model.remember_checksums()
        if len(os.listdir("/proc/self/task")) > 1:
            raise RuntimeError("an import has started a thread; a process with threads must not fork")
        gc.collect()
        gc.freeze()
        print("ready", flush=True)
        arguments = serve(listening)
    if arguments is not None:
        sys.argv = ["bot", *arguments]
        runpy.run_module("bot", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
