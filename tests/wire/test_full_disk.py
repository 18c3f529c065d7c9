"""A full disk is told in one line, whatever is being written when it is full."""

from __future__ import annotations

import resource
import signal

import numpy as np
import pytest

from bot.cli.command_line import perform
from tests.helpers.process import run

REST = " is full. What was done so far is kept; make room, then run the command again.\n"


@pytest.mark.sqlite("the database is on the small disk")
@pytest.mark.parametrize(
    ("command", "size", "which"),
    [
        (("identify",), 300, "the database"),
        (("ask", "/about"), 800, "the database"),
        (("ask", "/about"), 2_400, "LABMATE_DATA"),
        (("run",), 2_400, "LABMATE_DATA"),
    ],
)
def test_a_command_on_a_full_disk_says_so_in_a_line(disk, command, size, which):
    done = run(*command, folder=disk(size), fresh=True)
    assert done.returncode == 1
    assert done.stderr == f"The disk of {which}{REST}"


def test_a_file_of_numbers_that_is_written_in_part_tells_of_a_full_disk(tmp_path, capsys):
    """numpy's error has no number."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    async def work() -> None:
        np.save(tmp_path / "numbers.npy", np.zeros(100_000))

    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(SystemExit) as left:
            perform(work())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert left.value.code == 1
    assert capsys.readouterr().err == f"The disk of LABMATE_DATA{REST}"
