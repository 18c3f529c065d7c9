"""Starts `python -m bot` quickly: a process that has imported everything once, and forks one bot a request.

What it forks is a process as any other: its own pid, files, sockets and signals, `bot/__main__.py` (or a
module that a test names) run from its first line, and the exit status that an interpreter would give it.
Only the imports (torch, discord, scikit-learn, every command), the model and the sample's vectors are already
there. The workers that a forked bot starts are forked, too. On a system without pidfd, and where the
environment has ``LABMATE_EXEC=1``, new interpreters are started instead (`tests.helpers.process`).

All processes of one test run share a server. Each holds a lease, a connection without a request; the server
ends with the last of them, however they end.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from tests.helpers import forked_worker, forking, one_model
from tests.helpers.forking import LEASE

IMPORTED = (
    "bot.cli.main", "bot.cli.ask", "bot.run", "bot.terminal.prompt", "bot.doctor", "index.search.bert",
    "sklearn.feature_extraction.text", "xgboost", "faiss", "tantivy", "alembic.command", "aiosqlite",
)  # fmt: skip
LONGEST = 1 << 20
PATIENCE = 240
"""Seconds until the first lease."""


def serve(listening: socket.socket) -> dict[str, Any] | None:
    """Fork on request until the last lease is gone; returns the request in each forked child."""
    waiting = selectors.DefaultSelector()
    waiting.register(listening, selectors.EVENT_READ)
    leases = 0
    while True:
        events = waiting.select(None if leases else PATIENCE)
        if not events:
            return None  # whoever started it has gone before they asked
        for key, _ in events:
            if key.data is LEASE:
                waiting.unregister(key.fileobj)
                key.fileobj.close()
                leases -= 1
                if not leases:
                    return None
            elif key.fileobj is listening:
                asked, _ = listening.accept()
                request, files, _, _ = socket.recv_fds(asked, LONGEST, 3)
                if request == LEASE:
                    leases += 1
                    waiting.register(asked, selectors.EVENT_READ, LEASE)
                    asked.sendall(b"yours\n")
                    continue
                pid = os.fork()
                if pid == 0:
                    for held in waiting.get_map().values():
                        if isinstance(held.fileobj, socket.socket):
                            held.fileobj.close()  # a lease that a child held would outlive its holder
                    waiting.close()
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


def become(request: dict[str, Any], files: list[int]) -> dict[str, Any]:
    """Turn the forked process into what was asked for."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # loading the model sets it
    if "LABMATE_OWN_MODEL" in os.environ:
        one_model.forget()
    os.chdir(request["folder"])
    os.nice(request["nice"])
    if request["umask"] >= 0:
        os.umask(request["umask"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(0, encoding="utf-8")
    sys.stdout = open(1, "w", encoding="utf-8")
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, errors="backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    return request


def leave(status: int) -> NoReturn:
    """End as an interpreter does, but let the system free the memory, which is quicker by half a second."""
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()  # what nobody awaited or closed says so
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(status)  # the interpreter has words and a status of its own for this
    os._exit(status & 0xFF)


def run(request: dict[str, Any]) -> None:
    """Be `python -m bot`, or another module, with the arguments of a request."""
    sys.argv = [request["module"], *request["arguments"]]
    status: Any = 0
    try:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    except SystemExit as left:
        if not isinstance(left.code, int | None):
            raise
        status = left.code or 0
    # Here and not before: the exception's traceback keeps what its frames hold, such as a connection to a
    # database, whose thread ends only when the connection is freed; the interpreter would wait for it.
    leave(status)


def prepare() -> None:
    """Import, load and embed what every forked process would, and leave no thread behind."""
    for module in IMPORTED:
        importlib.import_module(module)
    importlib.import_module("bot.client").command_modules()
    torch, embedding = importlib.import_module("torch"), importlib.import_module("index.search.embedding")
    app, files = importlib.import_module("bot.app"), importlib.import_module("data.sources.files")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    one_model.share()
    papers = [record for _, record in files.PaperFile(app.sample_file())]
    embedding.Embedder().encode([embedding.paper_text(paper.title, paper.abstract) for paper in papers])
    torch.set_num_threads(threads)
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a thread has been started; a process with threads must not fork")
    for finalizer in [*weakref.finalize._registry]:
        finalizer.atexit = False  # what is made here is not for the children to clear up
    gc.collect()
    gc.freeze()


def main() -> None:
    address = Path(sys.argv[1])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(address))
        listening.listen(64)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        prepare()
        print("ready", flush=True)
        request = serve(listening)
    if request is None:
        shutil.rmtree(address.parent)
    else:
        forking.forked_by(str(address))
        forked_worker.fork_workers()
        run(request)


if __name__ == "__main__":
    main()
