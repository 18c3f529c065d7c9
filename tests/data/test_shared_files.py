"""Files that processes share, in a folder and in a bucket of a real server that speaks S3."""

import os
from datetime import timedelta

import fsspec
import pytest
import zstandard

from data import shared_files
from data.shared_files import SharedFiles, Shelf, s3_options
from tests.helpers.s3 import KEY, SECRET, new_bucket

SHELF = Shelf("pictures", largest=10_000, most=3, life=timedelta(days=1))


@pytest.fixture(scope="module")
def bucket():
    made = new_bucket()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine takes seconds to answer for the first time."""
    monkeypatch.setattr(shared_files, "PATIENCE", 120.0)


@pytest.fixture(params=["folder", "s3"])
def made(request, tmp_path):
    """Makes what one more process has of the same place."""
    opened = []

    def make():
        if request.param == "folder":
            files = SharedFiles(str(tmp_path / "files"), auto_mkdir=True)
        else:
            bucket = request.getfixturevalue("bucket")
            place = f"{bucket.place}/{tmp_path.name}"
            files = SharedFiles(place, **s3_options(bucket.url, KEY, SECRET))
        opened.append(files)
        return files

    yield make
    for files in opened:
        files.close()


def _stored(files):
    """fsspec's own view of a place, to damage what lies there."""
    return files._files()


async def test_what_one_process_leaves_another_finds(made):
    one, other = made(), made()
    assert await other.read(SHELF, "a") is None
    await one.write(SHELF, "a", b"first")
    await one.write(SHELF, "a", b"second")
    assert await other.read(SHELF, "a") == b"second"
    await other.write(SHELF, "empty", b"")
    assert await one.read(SHELF, "empty") == b""
    made().probe()


@pytest.mark.parametrize("damage", ["cut", "other", "nothing", "bomb"])
async def test_a_damaged_file_is_as_if_it_were_not_there(made, damage):
    files = made()
    await files.write(SHELF, "a", os.urandom(1_000))
    system, root = _stored(files)
    whole = system.cat_file(f"{root}/pictures/a")
    packed = zstandard.ZstdCompressor().compress(b"\0" * 50_000_000)
    damaged = {"cut": whole[:-5], "other": b"<html>", "nothing": b"", "bomb": packed}[damage]
    system.pipe_file(f"{root}/pictures/a", damaged)
    assert await files.read(SHELF, "a") is None
    await files.write(SHELF, "a", b"again")
    assert await files.read(SHELF, "a") == b"again"


async def test_a_file_larger_than_its_shelf_takes_is_not_kept(made):
    files = made()
    await files.write(SHELF, "large", os.urandom(10_001))
    assert await files.read(SHELF, "large") is None


async def test_the_oldest_go_where_there_are_too_many_and_the_old_go_always(made):
    files = made()
    await files.tidy(SHELF)  # where there is nothing yet
    for name in "abcde":
        await files.write(SHELF, name, name.encode())
    other = Shelf("full-texts", largest=10, most=9, life=timedelta(days=1))
    await files.write(other, "kept", b"kept")
    await files.tidy(SHELF)
    system, root = _stored(files)
    system.invalidate_cache()
    assert len(system.ls(f"{root}/pictures", detail=False)) == 3
    await files.tidy(Shelf("pictures", largest=10_000, most=3, life=timedelta(seconds=-1)))
    for name in "abcde":
        assert await files.read(SHELF, name) is None
    assert await files.read(other, "kept") == b"kept"


async def test_a_bucket_that_goes_away_costs_its_files_alone_and_is_asked_again_later(monkeypatch, caplog):
    bucket = new_bucket()
    files = SharedFiles(bucket.place, **s3_options(bucket.url, KEY, SECRET))
    await files.write(SHELF, "a", b"there")
    bucket.stop()
    assert await files.read(SHELF, "a") is None
    await files.write(SHELF, "b", b"lost")
    assert [record.message for record in caplog.records if "shared files" in record.message] == [
        f"shared files can't be used for 60 s ({bucket.place}): EndpointConnectionError"
    ]
    assert SECRET not in caplog.text
    back = new_bucket()
    files._options = s3_options(back.url, KEY, SECRET)
    assert await files.read(SHELF, "b") is None
    monkeypatch.setattr(shared_files.time, "monotonic", lambda: 10.0**9)
    await files.write(SHELF, "b", b"again")
    assert await files.read(SHELF, "b") == b"again"
    files.close()
    back.stop()


async def test_a_place_that_cannot_be_written_costs_nothing_but_a_line(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    files = SharedFiles(str(tmp_path / "file" / "deep"), auto_mkdir=True)
    await files.write(SHELF, "a", b"x")
    assert await files.read(SHELF, "a") is None
    assert "can't be used" in caplog.text
    files.close()


def test_the_file_system_of_a_bucket_is_made_once(bucket):
    files = SharedFiles(bucket.place, **s3_options(bucket.url, KEY, SECRET))
    assert files._files()[0] is files._files()[0]
    assert isinstance(files._files()[0], fsspec.AbstractFileSystem)
    files.close()
