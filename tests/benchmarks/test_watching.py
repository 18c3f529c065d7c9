"""What a benchmark's long run costs is known although it was stopped."""

import time

import pytest

from benchmarks.scale.place import Place
from benchmarks.scale.watching import Phases, Use


def work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def begin(path):
    """A run that is stopped in its second step; what it has cost."""
    with Phases(path) as phases:
        work(0.02)
        phases("one", 0, 1)
        work(0.08)
        phases("two", 0, 2)
        yield phases.uses
        raise KeyboardInterrupt


def test_a_run_that_goes_on_adds_to_what_it_had_cost(tmp_path):
    place = Place(tmp_path, 1)
    stopped = begin(place.so_far("step"))
    before = next(stopped)
    with pytest.raises(KeyboardInterrupt):
        next(stopped)
    with Phases(place.so_far("step")) as resumed:
        resumed("two", 1, 2)
        work(0.08)
    assert list(resumed.uses) == ["", "one", "two"]
    assert resumed.uses["one"] == before["one"]
    assert resumed.uses["two"].cpu >= before["two"].cpu + 0.04
    place.save("step", sum(resumed.uses.values(), Use()).named("step"))
    assert not place.so_far("step").exists()
    assert place.figures("step")["step cpu"] >= 0.12
