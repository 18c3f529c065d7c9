"""Processes forked by the fork server, and the lease that keeps it alive (`tests.helpers.fork_server`)."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

from tests.helpers.paths import ROOT
from tests.helpers.sample import kept_in

CAN_FORK = hasattr(os, "pidfd_open") and sys.platform == "linux" and not os.environ.get("LABMATE_EXEC")
FORKED = [0.0]
"""Seconds of CPU that forked processes have used; they are not this process's children."""
LEASE = b"lease"


def _connected(address: str) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.connect(address)
    except OSError:
        line.close()
        raise
    return line


def _lease(address: str) -> socket.socket:
    """A connection that keeps the server alive."""
    line = _connected(address)
    try:
        line.sendall(LEASE)
        if line.recv(16) != b"yours\n":
            raise ConnectionResetError("the fork server is about to end")
    except OSError:
        line.close()
        raise
    return line


@cache
def _server() -> str:
    """The socket of the fork server of this run, which the first who asks starts."""
    if _within:
        return _within[0]
    told = kept_in() / "fork-server"
    with FileLock(kept_in() / "fork-server.lock"):
        try:
            address = told.read_text()
            _LEASES.append(_lease(address))
        except OSError:
            address = _start()
            _LEASES.append(_lease(address))
            told.write_text(address)
    return address


_LEASES: list[socket.socket] = []
_within: list[str] = []


def forked_by(address: str) -> None:
    """Know, in a forked process, the server that forked it; the lease of whoever asked is enough for both."""
    _within.append(address)


def _start() -> str:
    folder = tempfile.mkdtemp(prefix="labmate-fork-")  # the server removes it
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.helpers.fork_server", f"{folder}/s"],
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    with process.stdout:
        assert process.stdout.readline() == b"ready\n"
    return f"{folder}/s"


class Forked:
    """A process forked by the fork server, with the parts of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        arguments: list[str],
        *,
        env: Mapping[str, str],
        stdin: Any,
        stdout: Any,
        stderr: Any,
        umask: int = -1,
        folder: Path = ROOT,
        nice: int = 0,
        module: str = "bot",
    ):
        self.args, self.returncode = arguments, None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._lock, self._told = threading.Lock(), b""
        theirs: list[int] = []
        with open(os.devnull, "r+b", buffering=0) as null:
            for name, wished in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
                if wished == subprocess.PIPE:
                    reading, writing = os.pipe()
                    if name == "stdin":
                        reading, writing = writing, reading  # the end that is ours comes first
                    setattr(self, name, open(reading, "wb" if name == "stdin" else "rb"))
                    theirs.append(writing)
                elif wished == subprocess.STDOUT:
                    theirs.append(os.dup(theirs[1]))
                else:
                    assert wished == subprocess.DEVNULL
                    theirs.append(os.dup(null.fileno()))
        asked = {
            "module": module,
            "arguments": arguments,
            "environment": dict(env),
            "folder": str(folder),
            "umask": umask,
            "nice": nice,
        }
        self._line = _connected(_server())
        socket.send_fds(self._line, [json.dumps(asked).encode()], theirs)
        for file in theirs:
            os.close(file)
        self.pid = int(self._read_line(None))

    def fileno(self) -> int:
        """Readable when the process has ended."""
        return self._line.fileno()

    def _read_line(self, timeout: float | None) -> bytes:
        readable = select.poll()  # select() takes no file numbered over 1,023
        readable.register(self._line, select.POLLIN)
        while b"\n" not in self._told:
            if not readable.poll(None if timeout is None else 1_000 * timeout):
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            more = self._line.recv(1024)
            assert more, "the fork server has ended"
            self._told += more
        line, _, self._told = self._told.partition(b"\n")
        return line

    def wait(self, timeout: float | None = None) -> int:
        with self._lock:
            if self.returncode is None:
                ended = json.loads(self._read_line(timeout))
                self._line.close()
                FORKED[0] += ended["seconds"]
                self.returncode = ended["status"]
            return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def communicate(
        self, stdin: bytes = b"", timeout: float | None = None
    ) -> tuple[bytes | None, bytes | None]:
        """Write, read to the end, wait; after a timeout the process still runs."""
        read: dict[str, bytes] = {}

        def reading(name: str, stream: IO[bytes]) -> None:
            read[name] = stream.read()

        threads = [
            threading.Thread(target=reading, args=(name, stream), daemon=True)
            for name in ("stdout", "stderr")
            if (stream := getattr(self, name)) and not stream.closed
        ]
        for thread in threads:
            thread.start()
        if self.stdin and not self.stdin.closed:
            with suppress(BrokenPipeError):
                self.stdin.write(stdin)
                self.stdin.close()
        self.wait(timeout)
        for thread in threads:
            thread.join(timeout)
        for stream in (self.stdout, self.stderr):
            if stream:
                stream.close()
        return read.get("stdout"), read.get("stderr")
