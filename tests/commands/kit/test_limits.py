"""Limits and turns: how much is refused, what is said, and who is next."""

import asyncio
import contextlib
import inspect
import re
import time

import pytest

from commands.kit.limits import Cost, Counters, RateLimits, TooMuch, Turns, aside

pytestmark = pytest.mark.hostile

SEARCH = Cost("searches", member=3, server=5, period=60, at_once=2, each=1, waiting=2)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_member_gets_so_many_in_a_while_and_is_told_when_there_are_more():
    clock = Clock()
    limits = RateLimits(now=clock)
    for second in range(3):
        clock.now = float(second)
        limits.take(SEARCH, 1, None)
    clock.now = 48.0
    with pytest.raises(TooMuch, match=r"You've asked for 3 searches in the last minute; try again") as told:
        limits.take(SEARCH, 1, None)
    [moment] = re.findall(r"<t:(\d+):R>", str(told.value))
    assert 11 < int(moment) - time.time() < 14, "Discord counts down to it"
    limits.take(SEARCH, 2, None)
    clock.now = 60.0
    limits.take(SEARCH, 1, None)
    with pytest.raises(TooMuch, match="try again <t:"):
        limits.take(SEARCH, 1, None)


def test_a_server_gets_so_many_and_no_other_server_pays_for_it():
    limits = RateLimits(now=Clock())
    for member in (1, 1, 1, 2, 2):
        limits.take(SEARCH, member, 10)
    with pytest.raises(TooMuch, match="The members of this server have asked for 5 searches"):
        limits.take(SEARCH, 3, 10)
    limits.take(SEARCH, 3, 11)


def test_what_is_refused_is_not_counted():
    clock = Clock()
    limits = RateLimits(now=clock)
    for _ in range(3):
        limits.take(SEARCH, 1, 10)
    for _ in range(50):
        with pytest.raises(TooMuch):
            limits.take(SEARCH, 1, 10)
    limits.take(SEARCH, 2, 10)
    clock.now = 60.0
    limits.take(SEARCH, 1, 10)


def test_nothing_is_refused_where_limits_are_off():
    limits = RateLimits(counted=False)
    for _ in range(100):
        limits.take(SEARCH, 1, 10)


def test_counters_of_long_ago_are_dropped():
    clock = Clock()
    counters = Counters(clock)
    for member in range(5_000):
        clock.now += 1.0
        counters.count(("m", member), 60.0)
    assert len(counters._times) <= 2_100


def test_a_flood_of_new_addresses_is_not_looked_through_for_each_of_them():
    asked = []

    def now() -> float:
        asked.append(1)
        return 0.0

    counters = Counters(now)
    for address in range(20_000):
        counters.count(("pages", address), 60.0)
    assert len(asked) < 20_010, "one look at the clock for each, and one for each sweep"


async def finished(tasks):
    await asyncio.gather(*tasks)


async def test_members_take_turns_and_one_s_sixty_do_not_keep_another_waiting():
    turns, order, gates = Turns(2, 1), [], {}

    async def work(name, member):
        await turns.enter(member)
        order.append(name)
        gates[name] = asyncio.Event()
        await gates[name].wait()
        turns.leave(member)

    tasks = [asyncio.create_task(work(f"a{n}", 1)) for n in range(60)]
    await asyncio.sleep(0)
    assert order == ["a0"], "one member has one turn at a time"
    tasks += [asyncio.create_task(work(f"b{n}", 2)) for n in range(2)]
    tasks += [asyncio.create_task(work(f"c{n}", 3)) for n in range(2)]
    await asyncio.sleep(0)
    assert order == ["a0", "b0"], "another comes at once, whatever waits"
    while len(order) < 64:
        for name in [name for name, gate in gates.items() if not gate.is_set()]:
            gates[name].set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
    assert order.index("c0") == 2
    assert order.index("b1") < 8
    assert order.index("c1") < 8
    for gate in gates.values():
        gate.set()
    await finished(tasks)
    assert not turns._lines
    assert not turns._working


async def test_who_gives_up_waiting_leaves_no_gap():
    turns = Turns(1, 1)
    await turns.enter(1)
    given_up = asyncio.create_task(turns.enter(2))
    after = asyncio.create_task(turns.enter(3))
    await asyncio.sleep(0)
    given_up.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await given_up
    turns.leave(1)
    await after
    late = asyncio.create_task(turns.enter(4))
    await asyncio.sleep(0)
    turns.leave(3)  # gives the turn to what is cancelled in the same moment
    late.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await late
    await turns.enter(5)


async def test_who_waits_for_something_else_lets_others_go_on():
    limits, gate, order = RateLimits(), asyncio.Event(), []
    one = Cost("x", at_once=1, each=1)

    async def patient():
        async with aside():
            await gate.wait()
        order.append("patient")

    async def other():
        order.append("other")
        gate.set()

    await asyncio.gather(limits.carry(one, 1, patient()), limits.carry(one, 2, other()))
    assert order == ["other", "patient"]


async def test_only_so_many_of_a_member_s_wait():
    limits, gate = RateLimits(), asyncio.Event()
    tasks = []
    for _ in range(3):
        limits.take(SEARCH, 1, None)
        tasks.append(asyncio.create_task(limits.carry(SEARCH, 1, gate.wait())))
        await asyncio.sleep(0)
    with pytest.raises(TooMuch, match="2 of your searches are waiting already"):
        limits.take(SEARCH, 1, None)
    gate.set()
    await finished(tasks)


async def test_work_that_nobody_waits_for_any_more_is_never_begun():
    limits, gate = RateLimits(), asyncio.Event()
    begun = asyncio.create_task(limits.carry(SEARCH, 1, gate.wait()))
    await asyncio.sleep(0)
    work = gate.wait()
    waiting = asyncio.create_task(limits.carry(SEARCH, 1, work))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
    gate.set()
    await begun
