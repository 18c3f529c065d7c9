"""Pictures that another process drew, or this one before it was started again, are not drawn again."""

import os

import pytest

from commands.cards.pictures import activity_png
from commands.kit.painter import PICTURES, Painter, _file_name
from data.shared_files import SharedFiles

YEARS = {2023: 2, 2024: 3, 2025: 9, 2026: 4}


@pytest.fixture
def files(tmp_path):
    made = SharedFiles(str(tmp_path), auto_mkdir=True)
    yield made
    made.close()


async def test_a_picture_is_drawn_once_for_all_processes(files, monkeypatch):
    drawn = await Painter(files=files).paint(activity_png, "key", YEARS, "dark")
    assert drawn is not None
    other = Painter(files=files)
    monkeypatch.setattr(other, "_process", None)  # it would have to start a process
    assert await other.paint(activity_png, "key", YEARS, "dark") == drawn


async def test_another_release_and_other_content_draw_anew(monkeypatch):
    names = {_file_name("activity_png", (YEARS, theme)) for theme in ("dark", "light")}
    names.add(_file_name("trends_png", (YEARS, "dark")))
    monkeypatch.setattr("commands.kit.painter.version", lambda _: "999")
    names.add(_file_name("activity_png", (YEARS, "dark")))
    assert len(names) == 4
    assert _file_name("activity_png", (YEARS, "dark")) in names


@pytest.mark.parametrize("bytes_there", [b"", b"<svg onload=alert(1)>", os.urandom(2_000)])
async def test_what_is_no_picture_is_drawn_again(files, bytes_there):
    await files.write(PICTURES, _file_name("activity_png", (YEARS, "dark")), bytes_there)
    drawn = await Painter(files=files).paint(activity_png, "key", YEARS, "dark")
    assert drawn is not None
    assert drawn.startswith(b"\x89PNG")
    assert await files.read(PICTURES, _file_name("activity_png", (YEARS, "dark"))) == drawn
