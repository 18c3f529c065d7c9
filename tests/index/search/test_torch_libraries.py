"""torch's libraries are linked without the interpreter's lock: a slow disk must not hold up replies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from index.search.torch_libraries import link

_WHILE_LINKED = """
import os, sys, threading
from pathlib import Path
from index.search.torch_libraries import link
folder = Path(sys.argv[1])
linking = threading.Thread(target=link, args=[folder])
linking.start()
with open(folder / "libtorch_cpu.so", "wb", buffering=0) as library:  # once it is read
    print("another thread goes on", flush=True)
    library.write(b"not a library")
linking.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux links torch's libraries ahead")
def test_other_threads_go_on_while_a_library_is_read_and_a_broken_one_is_left(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "libtorch_cpu.so")

    done = subprocess.run(
        [sys.executable, "-c", _WHILE_LINKED, tmp_path], capture_output=True, timeout=240, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"another thread goes on\n", b"")


def test_a_folder_without_libraries_is_left_to_torch(tmp_path: Path) -> None:
    link(tmp_path / "gone")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux links torch's libraries ahead")
def test_torchs_own_library_is_found_and_stays_linked() -> None:
    linked = "from index.search.torch_libraries import link; link(); print(open('/proc/self/maps').read())"

    maps = subprocess.run([sys.executable, "-c", linked], capture_output=True, timeout=240, check=True).stdout

    assert b"libtorch_cpu.so" in maps
