"""When digests are due, what is kept of their posting, and who may post."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from data.calendar import clock
from data.calendar.announcements import announced_at, ask_at, is_listing_day, last_listing
from data.calendar.slots import due_at, slots
from data.reasons import KnownWriter, Reason
from data.sources.files import PaperFile
from data.stores.delivery_record import Chosen
from data.stores.digest_record import Digest, DigestRefused
from data.stores.digests import MOST_IN_GUILD
from tests.helpers.records import record

ALWAYS = "1111111"


@pytest.mark.parametrize(
    ("zone", "year"),
    [
        ("America/New_York", 2026),
        ("Europe/Berlin", 2026),
        ("Australia/Lord_Howe", 2026),
        ("America/Sao_Paulo", 2018),
        ("Africa/Casablanca", 2026),
        ("Asia/Kathmandu", 2026),
    ],
)
@pytest.mark.parametrize("at", ["00:00", "00:30", "01:30", "02:00", "02:30", "03:15", "09:00", "23:59"])
def test_every_local_day_has_one_slot_over_a_year_of_changing_clocks(zone, year, at):
    begin = datetime(year, 1, 1, tzinfo=ZoneInfo(zone))
    end = datetime(year, 12, 31, 23, 59, 59, tzinfo=ZoneInfo(zone))
    found = list(slots(ALWAYS, at, zone, begin - timedelta(seconds=1), end))
    days = [day for day, _ in found]
    first = date(year, 1, 1)
    assert days == [first + timedelta(days=n) for n in range(len(days))], "neither twice nor never"
    assert len(days) == 365
    dues = [due for _, due in found]
    assert dues == sorted(dues)
    assert len(set(dues)) == 365
    for day, due in found:
        local = due.astimezone(ZoneInfo(zone))
        assert local.date() == day
        wanted = datetime.combine(day, datetime.strptime(at, "%H:%M").time(), ZoneInfo(zone))
        assert local.replace(tzinfo=None) - wanted.replace(tzinfo=None) in (
            timedelta(0), timedelta(hours=1), timedelta(minutes=30),
        )  # fmt: skip


def test_slots_asked_for_piece_by_piece_are_the_same():
    begin, end = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 15, tzinfo=UTC)
    whole = list(slots(ALWAYS, "02:30", "Europe/Berlin", begin, end))
    parts, now = [], begin
    while now < end:
        later = min(now + timedelta(minutes=47), end)
        parts += slots(ALWAYS, "02:30", "Europe/Berlin", now, later)
        now = later
    assert parts == whole


def test_only_wanted_weekdays():
    begin, end = datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)
    days = [day for day, _ in slots("1000100", "09:00", "UTC", begin, end)]
    assert days == [date(2026, 11, 16), date(2026, 11, 20), date(2026, 11, 23), date(2026, 11, 27)]


def test_a_time_that_comes_twice_is_its_first():
    assert due_at(date(2026, 10, 25), "02:30", "Europe/Berlin") == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert due_at(date(2026, 3, 29), "02:30", "Europe/Berlin") == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_arxiv_announces_sunday_to_thursday_at_eight_eastern():
    monday = date(2026, 11, 23)
    assert announced_at(monday) == datetime(2026, 11, 23, 1, 0, tzinfo=UTC)
    assert announced_at(date(2026, 7, 20)) == datetime(2026, 7, 20, 0, 0, tzinfo=UTC), "summer time"
    assert [is_listing_day(monday + timedelta(days=n)) for n in range(7)] == [True] * 5 + [False] * 2
    assert last_listing(datetime(2026, 11, 23, 0, 59, tzinfo=UTC)) == date(2026, 11, 20)
    assert last_listing(datetime(2026, 11, 23, 1, 0, tzinfo=UTC)) == monday
    assert last_listing(datetime(2026, 11, 22, 12, 0, tzinfo=UTC)) == date(2026, 11, 20), "a Sunday noon"


# -- in the store ----------------------------------------------------------------------------------


async def made(store, **more):
    digest = await store.digests.make(Digest(**({"guild": 1, "channel": 10, "owner": 5} | more)))
    return await store.digests.change(digest.id, state="active")


DUE = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
SLOT = date(2026, 11, 23)


async def test_a_slot_has_one_delivery_whoever_writes_it(store):
    digest = await made(store)
    written = await asyncio.gather(
        *(store.digests.write(digest, SLOT, DUE, state="written", upto=SLOT, read=n) for n in range(6))
    )
    assert sum(delivery is not None for delivery in written) == 1
    assert len(await store.digests.unposted()) == 1
    assert (await store.digests.find(digest.id)).upto == SLOT
    assert await store.digests.last_slots(DUE) == {digest.id: SLOT}
    assert await store.digests.last_slots(DUE - timedelta(days=2)) == {}, "a clock was ahead"


async def test_nothing_is_written_without_the_lease(store):
    digest = await made(store)
    assert await store.leases.take("digests", "one", 60)
    assert not await store.leases.take("digests", "two", 60)
    kept = {"state": "written", "upto": SLOT}
    assert await store.digests.write(digest, SLOT, DUE, **kept, lease=("digests", "two")) is None
    assert (await store.digests.find(digest.id)).upto != SLOT
    assert await store.digests.write(digest, SLOT, DUE, **kept, lease=("digests", "one"))
    await store.leases.release("digests", "one")
    assert await store.leases.take("digests", "two", 0.0)
    assert await store.leases.take("digests", "one", 60), "one that ran out is free"


async def test_what_was_posted_is_shown_and_marked_once(store, sample):
    await store.upsert([record for _, record in PaperFile(sample)])
    digest = await made(store)
    papers = [
        Chosen(1, Reason(query="programmable switches"), 0.61, 11, cross_listed=True, first=SLOT),
        Chosen(2, Reason(by=(KnownWriter("Minlan Yu", is_member=True),)), None, 22, ("minlan yu",)),
    ]
    delivery = await store.digests.write(digest, SLOT, DUE, state="written", upto=SLOT, papers=papers)
    assert delivery.papers == tuple(papers)
    assert await store.digests.shown(10, [1, 2, 3]) == {}
    await store.digests.posted(delivery, 10, 777)
    await store.digests.posted(delivery, 10, 778)
    assert await store.digests.shown(10, [1, 2, 3]) == {1: 11, 2: 22}
    assert await store.digests.shown(11, [1]) == {}
    assert (await store.digests.delivery(delivery.id)).message == 777
    assert await store.digests.unposted() == []


async def test_digests_are_limited_and_drafts_replace_one_another(store):
    for _ in range(3):
        await store.digests.make(Digest(1, 10, 5))
    assert await store.digests.of_guild(1) == []
    for _ in range(MOST_IN_GUILD):
        await made(store)
    with pytest.raises(DigestRefused, match="delete"):
        await store.digests.make(Digest(1, 10, 5))
    await store.digests.make(Digest(2, 10, 5))


async def test_a_server_that_is_left_and_joined_again_loses_no_digest(store):
    kept, paused = await made(store), await made(store)
    await store.digests.change(paused.id, state="paused")
    await store.digests.break_all(1, "removed from the server")
    assert await store.digests.active() == []
    await store.digests.mend_all(1, "removed from the server")
    assert [digest.id for digest in await store.digests.active()] == [kept.id]


async def test_a_digest_that_stopped_is_given_another_reason_unless_it_changed_meanwhile(store):
    stopped = await made(store)
    await made(store)
    before = clock.utc_now() - timedelta(minutes=1)
    await store.digests.change(stopped.id, state="broken", why="unseen")
    [read] = await store.digests.stopped(before)
    assert (read.id, read.why) == (stopped.id, "unseen")
    assert await store.digests.stopped(clock.utc_now() + timedelta(minutes=1)) == []
    await store.digests.change(stopped.id, why="something else")
    await store.digests.restate(read, "active", "")
    assert (await store.digests.find(stopped.id)).state == "broken"
    [read] = await store.digests.stopped(before)
    await store.digests.restate(read, "active", "")
    assert (await store.digests.find(stopped.id)).state == "active"


async def test_opinions_replace_one_another_and_can_be_taken_back(store, sample):
    await store.upsert([record for _, record in PaperFile(sample)])
    await store.digests.think(1, 5, 1, "like", 10)
    await store.digests.think(1, 5, 1, "dislike", 10)
    await store.digests.think(1, 6, 1, "save", 10)
    assert [(m, p, k) for m, p, k, _ in await store.digests.opinions(guild=1)] == [
        (5, 1, "dislike"),
        (6, 1, "save"),
    ]
    await store.digests.think(1, 5, 1, None)
    assert await store.digests.opinions(member=5) == []


async def test_a_member_s_opinions_and_own_digests_are_shown_and_forgotten(store, sample):
    await store.upsert([record for _, record in PaperFile(sample)])
    await store.digests.think(1, 5, 1, "like", 10)
    await store.digests.think(1, 6, 1, "like", 10)
    own = await made(store, guild=0, channel=5, owner=5, query="switches")
    await made(store)  # the server's, set up by the same member
    await store.digests.posted(
        await store.digests.write(own, SLOT, DUE, state="written", upto=SLOT, papers=[Chosen(1)]), 5, 1
    )
    held = await store.digests.held(5)
    assert [entry["opinion"] for entry in held["opinions"]] == ["like"]
    assert held["own_digests"][0]["query"] == "switches"
    assert len(held["server_digests"]) == 1
    await store.digests.make(Digest(guild=1, channel=10, owner=5, query="never started"))
    assert await store.digests.forget(5) == 6
    nothing = {"opinions": [], "own_digests": [], "server_digests": [], "untold": []}
    assert await store.digests.held(5) == nothing
    assert len(await store.digests.opinions(guild=1)) == 1
    assert len(await store.digests.of_guild(1, drafts=True)) == 1, "the draft is gone, the digest stays"


def test_arxiv_is_asked_after_its_hour_until_the_listing_is_there():
    evening = datetime(2026, 11, 23, 1, 0, tzinfo=UTC)  # a Sunday's announcement, 20:00 Eastern
    monday, friday = date(2026, 11, 23), date(2026, 11, 20)
    minute = timedelta(minutes=1)
    assert ask_at(evening - 60 * minute, friday, reached=True) == evening + 2 * minute
    assert ask_at(evening + 2 * minute, friday, reached=True) == evening + 17 * minute, "not there yet"
    assert ask_at(evening + 17 * minute, monday, reached=True) == evening + 197 * minute, "there"
    assert ask_at(evening + 17 * minute, monday, reached=False) == evening + 32 * minute
    assert ask_at(evening + 13 * 60 * minute, friday, reached=True) == evening + 16 * 60 * minute, "a holiday"
    assert ask_at(evening, None, reached=True) == evening + 15 * minute


async def test_the_clock_follows_a_file_and_waits_by_it(tmp_path):
    file = tmp_path / "clock"
    file.write_text("2026-07-20T10:00:00+02:00")
    clock.follow(file)
    try:
        assert clock.now() == datetime(2026, 7, 20, 8, tzinfo=UTC)
        waiting = asyncio.create_task(clock.wait_until(datetime(2026, 7, 20, 9, tzinfo=UTC)))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        file.write_text("2026-07-20T09:00:00+00:00")
        await asyncio.wait_for(waiting, 5)
    finally:
        clock.follow(None)
    assert abs((clock.now() - datetime.now(UTC)).total_seconds()) < 5


async def test_what_is_thought_of_a_paper_that_was_merged_holds_for_what_it_is_now(store):
    await store.upsert([record(1, ids={"doi": "10.1/x"}, source="openalex", title="Other"), record(2)])
    gone, present = await store.find_id("doi", "10.1/x"), await store.find_id("arxiv", "2601.00002")
    await store.digests.think(1, 5, gone, "like")
    await store.digests.think(1, 6, gone, "dislike")
    await store.upsert([record(2, source="arxiv", version=2, ids={"arxiv": "2601.00002", "doi": "10.1/x"})])
    assert await store.find_id("doi", "10.1/x") == present != gone
    said = await store.digests.opinions(guild=1)
    assert [entry[:3] for entry in said] == [(5, present, "like"), (6, present, "dislike")]
    liked, _ = await store.digests.think(1, 5, present, None)
    disliked, _ = await store.digests.think(1, 6, present, "save")
    assert (liked.kind, disliked.kind) == ("like", "dislike")
    assert [entry[:3] for entry in await store.digests.opinions(guild=1)] == [(6, present, "save")]


async def test_a_given_paper_that_was_merged_is_learned_from_under_its_present_number(store):
    await store.upsert([record(1, ids={"doi": "10.1/x"}, source="openalex", title="Other"), record(2)])
    digest = await store.digests.make(Digest(1, 2, 3))
    given = [await store.find_id("doi", "10.1/x"), await store.find_id("arxiv", "2601.00002")]
    await store.digests.plant(digest.id, "text", given)
    await store.upsert([record(2, source="arxiv", version=2, ids={"arxiv": "2601.00002", "doi": "10.1/x"})])
    present = await store.find_id("doi", "10.1/x")
    assert [seed.paper for seed in await store.digests.seeds(digest.id)] == [present]
    assert present in given


async def test_what_was_thought_and_given_holds_where_the_merged_paper_is_merged_again(store):
    first = {"doi": "10.1/x", "openalex": "W1"}
    second = {"s2": "9"}
    await store.upsert(
        [
            record(1, ids=first, source="openalex", title="Other"),
            record(2, ids=second, source="s2", title="Another"),
            record(3),
        ]
    )
    once, twice = await store.find_id("doi", "10.1/x"), await store.find_id("s2", "9")
    digest = await store.digests.make(Digest(1, 2, 3))
    await store.digests.plant(digest.id, "text", [once, twice])
    for member, paper in ((5, once), (6, twice)):
        await store.digests.think(1, member, paper, "like")
        await store.library.keep(member, paper)
    await store.upsert([record(1, ids=first | second, source="openalex", title="Other")])
    assert await store.find_id("doi", "10.1/x") == await store.find_id("s2", "9")
    await store.upsert([record(3, source="arxiv", version=2, ids={"arxiv": "2601.00003", "doi": "10.1/x"})])
    present = await store.find_id("s2", "9")
    assert present == await store.find_id("arxiv", "2601.00003") not in (once, twice)
    said = await store.digests.opinions(guild=1)
    assert [entry[:3] for entry in said] == [(5, present, "like"), (6, present, "like")]
    assert [seed.paper for seed in await store.digests.seeds(digest.id)] == [present]
    assert [kept.paper_id for member in (5, 6) for kept in await store.library.of(member)] == [present] * 2


async def test_of_a_deleted_digest_no_words_stay_nor_what_it_has_not_posted(store):
    await store.upsert([record(1)])
    digest = await made(store, guild=0, owner=7, query="my secret subject")
    await store.digests.plant(digest.id, "text", [1])
    assert await store.digests.write(digest, SLOT, DUE, state="written", upto=SLOT)
    await store.digests.change(digest.id, state="deleted")
    assert (await store.digests.held(7))["own_digests"] == []
    assert await store.digests.history(digest.id, 5) == []
    assert await store.digests.seeds(digest.id) == []
    async with store._writer.begin() as connection:
        kept = (await connection.execute(text("SELECT name, query, people FROM digests"))).all()
    assert [tuple(row) for row in kept] == [("", "", "")]


async def test_what_is_given_up_is_looked_through_again_unless_something_later_was(store):
    digest = await store.digests.change((await made(store)).id, upto=SLOT - timedelta(days=3), seen=4)
    begun = digest.upto, digest.seen

    async def written(day):
        now = await store.digests.find(digest.id)
        kept = {"state": "written", "upto": SLOT + timedelta(days=day), "seen": 10 + day}
        return await store.digests.write(
            now, SLOT + timedelta(days=day), DUE + timedelta(days=day), papers=[Chosen(1)], **kept
        )

    async def looked_through():
        now = await store.digests.find(digest.id)
        return now.upto, now.seen

    first = await written(0)
    assert await store.digests.give_up(first, "Discord is away")
    assert await looked_through() == begun
    assert not await store.digests.give_up(first, "again"), "it has ended"
    second, third = await written(1), await written(2)
    assert not await store.digests.give_up(second, "Discord is away"), "the third covers what came later"
    assert await looked_through() == (SLOT + timedelta(days=2), 12)
    assert await store.digests.give_up(third, "Discord is away")
    assert await looked_through() == begun, "if that fails as well, it goes back as far"
    refused = await written(3)
    assert not await store.digests.give_up(refused, "moderated", back=False)
    assert await looked_through() == (SLOT + timedelta(days=3), 13)


async def test_an_ended_delivery_without_a_post_gives_way_to_one_that_is_asked_for(store):
    digest = await made(store)
    kept = {"state": "written", "upto": SLOT}
    assert await store.digests.write(digest, SLOT, DUE, state="missed", upto=None)
    assert await store.digests.write(digest, SLOT, DUE, **kept) is None
    delivery = await store.digests.write(digest, SLOT, DUE, **kept, instead=True)
    assert delivery is not None
    assert await store.digests.write(digest, SLOT, DUE, **kept, instead=True) is None, "it is on its way"
    await store.digests.posted(delivery, 10, 777)
    assert await store.digests.write(digest, SLOT, DUE, **kept, instead=True) is None


async def test_a_digest_that_was_deleted_meanwhile_writes_nothing(store):
    digest = await made(store)
    await store.digests.change(digest.id, state="deleted")
    assert await store.digests.write(digest, SLOT, DUE, state="written", upto=SLOT) is None
    assert await store.digests.unposted() == []
