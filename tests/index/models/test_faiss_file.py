"""FAISS's structures are written whole, or the system's own error is raised."""

import subprocess
import sys

import faiss
import numpy as np
import pytest

from index.models.faiss_file import write_structure

LIMITED = """
import pathlib, resource, signal, sys
import faiss
from index.models.faiss_file import write_structure
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
structure = faiss.read_index(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    write_structure(structure, pathlib.Path(sys.argv[1] + ".cut"))
except OSError as error:
    print("told:", error)
"""


@pytest.fixture
def written(tmp_path):
    """A structure of some lists, and its file."""
    rows = np.random.default_rng(0).normal(size=(5_000, 32)).astype(np.float32)
    structure = faiss.index_factory(32, "IVF8,SQfp16")
    structure.train(rows)
    structure.add(rows)
    write_structure(structure, tmp_path / "x.faiss")
    return structure, tmp_path / "x.faiss"


def test_the_file_is_what_faiss_writes(written):
    structure, file = written
    assert file.read_bytes() == faiss.serialize_index(structure).tobytes()


@pytest.mark.parametrize("short", [1, 100_000])
def test_a_file_that_may_not_grow_is_told_as_what_it_is(written, short):
    _, file = written
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(file), str(file.stat().st_size - short)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("told: [Errno 27]"), ran.stderr
