"""The seconds that the local Discord gives an answer: whole on a quiet machine, longer on a busy one."""

import pytest

from bot.local_discord import patience
from bot.local_discord.patience import Patience


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine of two processors; its clock and what there is to run are set."""
    file, time = tmp_path / "loadavg", [100.0]
    monkeypatch.setattr(patience, "_RUNNABLE", file)
    monkeypatch.setattr(patience.time, "monotonic", lambda: time[0])
    monkeypatch.setattr(patience.os, "cpu_count", lambda: 2)

    def passes(seconds, runnable=None):
        time[0] += seconds
        file.write_text(f"0.10 0.20 0.30 {runnable}/345 6789\n" if runnable else "")

    return passes


@pytest.mark.parametrize("runnable", [None, 1, 2])
def test_a_quiet_machine_has_three_seconds(machine, runnable):
    kept = Patience(3.0)
    machine(2.9, runnable)
    assert kept.left() == pytest.approx(0.1)
    machine(0.2, runnable)
    assert kept.left() < 0


def test_a_machine_four_times_as_busy_has_four_times_as_long_and_no_longer(machine):
    kept = Patience(3.0)
    for _ in range(11):
        machine(1.0, 8)
        assert kept.left() > 0
    machine(1.1, 8)
    assert kept.left() < 0
