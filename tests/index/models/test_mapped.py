"""Files of arrays: whole or not there, whatever a crash or a stranger did to them."""

import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.models.mapped import Draft, MappedArrays, are_ends, forget_drafts, parts, within


def written(path, number=1, size=1000):
    with Draft(path, "test-1") as draft:
        draft.add("plain", np.arange(size, dtype=np.int32) + number)
        with draft.growing("rows", np.float16, (3,)) as rows:
            rows.add(np.ones((2, 3)))
            rows.add(np.full((1, 3), 2.0))
        draft.add("nothing", np.zeros(0, np.int64))
        draft.publish(number=number)
    return path


def opened(path):
    return MappedArrays.open(path, "test-1", ("plain", "rows", "nothing"))


def test_arrays_come_back_as_they_were_and_cannot_be_changed(tmp_path):
    held = opened(written(tmp_path / "a.map"))
    assert held.stamp == {"number": 1}
    assert held["plain"].tolist() == list(range(1, 1001))
    assert held["rows"].tolist() == [[1, 1, 1], [1, 1, 1], [2, 2, 2]]
    assert len(held["nothing"]) == 0
    assert held.sizes["plain"] == 4000
    with pytest.raises(ValueError, match="read-only"):
        held["plain"][0] = 5


def test_a_newer_file_takes_the_place_of_one_that_is_still_in_use(tmp_path):
    held = opened(written(tmp_path / "a.map"))
    written(tmp_path / "a.map", 7)
    assert held["plain"][0] == 1, "a reader keeps what it opened"
    assert opened(tmp_path / "a.map")["plain"][0] == 7


def test_every_torn_file_is_refused(tmp_path):
    whole = written(tmp_path / "a.map", size=50).read_bytes()
    for cut in range(len(whole)):
        (tmp_path / "b.map").write_bytes(whole[:cut])
        assert opened(tmp_path / "b.map") is None, cut
    assert opened(tmp_path / "missing.map") is None
    assert opened(tmp_path) is None
    assert MappedArrays.open(tmp_path / "a.map", "test-2", ("plain",)) is None
    assert MappedArrays.open(tmp_path / "a.map", "test-1", ("other",)) is None


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "|O", "shape": [1], "at": 0},
        {"dtype": "<i4", "shape": [10**12], "at": 0},
        {"dtype": "<i4", "shape": [-1], "at": 0},
        {"dtype": "<i4", "shape": [1], "at": -64},
        {"dtype": "<i4", "shape": [1], "at": 3},
        {"dtype": "<i4", "shape": [1], "at": 1 << 40},
        {"dtype": "no such type", "shape": [1], "at": 0},
        {"dtype": "<i4", "shape": "many", "at": 0},
        {},
        None,
        7,
    ],
)
def test_a_hostile_table_of_contents_is_refused(tmp_path, entry):
    for table in (
        {"format": "test-1", "stamp": {}, "arrays": {"plain": entry}},
        [entry],
        {"format": "test-1"},
    ):
        text = json.dumps(table).encode()
        (tmp_path / "a.map").write_bytes(
            b"\0" * 64 + text + struct.pack("<QQ8s", len(text), zlib.crc32(text), b"labmap01")
        )
        assert MappedArrays.open(tmp_path / "a.map", "test-1", ("plain",)) is None


def test_a_kill_while_writing_leaves_the_earlier_file_in_use(tmp_path):
    path = written(tmp_path / "a.map")
    code = f"""
        import os, signal, pathlib, numpy as np
        from index.models import mapped
        with mapped.Draft(pathlib.Path({str(path)!r}), "test-1") as draft:
            draft.add("plain", np.zeros(100_000, np.int64))
            draft._stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert opened(path).stamp == {"number": 1}
    assert len(list(tmp_path.iterdir())) == 2, "the draft is left behind"
    forget_drafts(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2, "it could be another writer's, who is alive"
    forget_drafts(tmp_path, older=0)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_while_writing_leaves_no_draft_behind(tmp_path):
    path = written(tmp_path / "a.map")
    with Draft(path, "test-1") as draft:
        draft.add("plain", np.zeros(10))  # and is not published
    assert os.listdir(tmp_path) == ["a.map"]
    assert opened(path).stamp == {"number": 1}


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_parts_of_rows_are_the_rows(sizes, data):
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    rows = np.array(data.draw(st.lists(st.integers(0, len(sizes) - 1))), np.int64)
    places, starts = parts(ends, rows)
    expected = [list(range(ends[row], ends[row + 1])) for row in rows]
    assert places.tolist() == [place for row in expected for place in row]
    assert [places[a:b].tolist() for a, b in pairwise(starts)] == expected


def test_checks_of_pointers():
    assert are_ends(np.array([0, 2, 2, 5]), 3, 5)
    assert not are_ends(np.array([0, 3, 2, 5]), 3, 5)
    assert not are_ends(np.array([1, 2, 2, 5]), 3, 5)
    assert not are_ends(np.array([0, 2, 2, 5]), 3, 6)
    assert not are_ends(np.array([0]), 3, 0)
    assert within(np.array([0, 4]), 5)
    assert not within(np.array([0, 5]), 5)
    assert not within(np.array([-1]), 5)
