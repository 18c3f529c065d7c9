"""A file read in a process of its own gives what it gives here, torn or whole."""

import multiprocessing
import os
import struct
from functools import partial

import pytest

from data.sources.elsewhere import ReadElsewhere, _receive
from data.sources.http import SourceError
from data.sources.snapshot import SnapshotChoice, SnapshotFile
from tests.helpers.snapshots import write_snapshot

PAPERS = 1_300
"""More than are sent at once."""


@pytest.fixture
def snapshot(tmp_path):
    path = tmp_path / "snapshot.json.zst"
    write_snapshot(path, PAPERS)
    return path


def readers():
    return [child for child in multiprocessing.active_children() if child.name == "reading"]


def opened(path):
    return partial(SnapshotFile, path, SnapshotChoice(), 3)


def test_it_gives_what_the_file_gives(snapshot):
    here, elsewhere = opened(snapshot)(), ReadElsewhere(opened(snapshot))
    assert list(elsewhere) == list(here)
    assert (elsewhere.lines, elsewhere.position) == (here.lines, snapshot.stat().st_size)


def test_what_comes_before_a_tear_is_good(snapshot):
    snapshot.write_bytes(snapshot.read_bytes()[:-500])
    here, elsewhere = (
        records_until_torn(opened(snapshot)()),
        records_until_torn(ReadElsewhere(opened(snapshot))),
    )
    assert elsewhere == here
    assert here


def records_until_torn(file):
    records = []
    with pytest.raises(SourceError, match="torn"):  # noqa: PT012 - those before the error count
        for record in file:
            records.append(record)
    return records


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        list(ReadElsewhere(opened(tmp_path / "absent.json")))


def test_a_reader_that_is_killed_is_an_error_and_not_the_end_of_the_file(snapshot):
    reading = iter(ReadElsewhere(opened(snapshot)))
    next(reading)
    [child] = readers()
    child.kill()
    child.join()
    with pytest.raises(SourceError, match="ended early"):
        list(reading)


def test_a_reader_that_is_killed_in_the_middle_of_a_message_is_the_same_error():
    here, there = multiprocessing.Pipe(duplex=False)
    os.write(there.fileno(), struct.pack("!i", 1_000) + b"the beginning")
    there.close()
    with pytest.raises(SourceError, match="ended early"):
        _receive(here)
    here.close()


def test_nobody_reads_on_when_the_records_are_no_longer_wanted(snapshot):
    reading = iter(ReadElsewhere(opened(snapshot)))
    next(reading)
    reading.close()
    assert not readers()
