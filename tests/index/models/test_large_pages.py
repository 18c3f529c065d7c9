"""Memory in large pages, as the system that runs the tests holds it."""

import platform
import re
from pathlib import Path

import numpy as np
import pytest

from index.models import large_pages
from index.models.large_pages import moved_into_large_pages

LARGE = 2 << 20
_SETTING = large_pages.SETTINGS / "enabled"


def _held() -> int:
    """Bytes of this process that are in large pages."""
    rollup = Path("/proc/self/smaps_rollup").read_text()
    return 1024 * int(re.search(r"AnonHugePages: +(\d+)", rollup)[1])


def _moves_at_once() -> bool:
    """Whether this system can and may; Linux before 6.1 moves memory when it finds the time."""
    release = re.match(r"(\d+)\.(\d+)", platform.release())
    can = platform.system() == "Linux" and release and tuple(map(int, release.groups())) >= (6, 1)
    return bool(can) and _SETTING.exists() and "[never]" not in _SETTING.read_text()


def test_memory_keeps_what_it_holds_and_lies_in_large_pages_where_the_system_does_that():
    numbers = np.arange(8 * LARGE, dtype=np.float32)
    held = sum(moved_into_large_pages())
    assert np.array_equal(numbers, np.arange(8 * LARGE, dtype=np.float32))
    if not _moves_at_once():
        pytest.skip("this needs Linux 6.1 or later, with large pages allowed")
    assert held >= 16 * LARGE
    assert _held() >= 16 * LARGE


@pytest.mark.parametrize("missing", ["read_text", "CDLL"])
def test_a_system_that_does_not_do_this_is_left_alone(monkeypatch, missing):
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(
        f"index.models.large_pages.{'Path.read_text' if missing != 'CDLL' else 'ctypes.CDLL'}", refuse
    )
    assert not [*moved_into_large_pages()]


@pytest.mark.parametrize(
    ("enabled", "size", "moves"),
    [
        ("always [madvise] never", LARGE, True),
        ("always madvise [never]", LARGE, False),
        ("always [madvise] never", 1 << 40, False),
        ("always [madvise] never", "?", False),
    ],
)
def test_the_system_s_setting_and_size_hold(monkeypatch, tmp_path, enabled, size, moves):
    (tmp_path / "enabled").write_text(f"{enabled}\n")
    (tmp_path / "hpage_pmd_size").write_text(f"{size}\n")
    monkeypatch.setattr(large_pages, "SETTINGS", tmp_path)
    numbers = np.ones(4 * LARGE, np.float32)
    assert bool([*moved_into_large_pages()]) == (moves and platform.system() == "Linux")
    assert numbers.all()
