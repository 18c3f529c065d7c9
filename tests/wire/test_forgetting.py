"""What is limited stays limited when a member has everything about them forgotten."""

import asyncio
import re
from datetime import timedelta

import pytest
from sqlalchemy import text

from commands.kit.replies import UserError
from commands.members.claim import begin
from commands.members.me import forget
from commands.members.proof import mail_code, settle_mail
from data.calendar.clock import utc_now
from data.stores.claims import ClaimRefused
from data.stores.invitation_limits import InvitationRefused
from data.stores.limits import CLAIMS_BEGUN, MAILS_OF_MEMBER, MAILS_TO_ADDRESS, Limit
from data.stores.mail_codes import MOST_TRIES
from data.tables.papers import Base
from index.trust.operator import Operator, OperatorError
from tests.helpers.members import claimed, of_institution

pytestmark = pytest.mark.hostile


async def forgets(services, member):
    """All that `/me forget` does."""
    await forget(services, member, member)


async def mailed_until_refused(services, member, person, address):
    """Codes that one member gets mailed, forgotten after each."""
    for count in range(30):
        await begin(services, person, member, 1)
        try:
            await mail_code(services, member, address)
        except UserError as error:
            return count, str(error)
        await forgets(services, member)
    return 30, ""


async def test_a_member_who_is_forgotten_after_each_mail_gets_as_many_as_one_who_is_not(mailing):
    bot, _, _, post, _ = mailing
    services = bot.services
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    sent, said = await mailed_until_refused(services, 1, person, "lao@harvard.edu")
    assert (sent, "to this address" in said) == (MAILS_TO_ADDRESS.most, True)
    assert len(post.mails) == sent
    for other in ("lao+1@harvard.edu", "LAO@Harvard.EDU"):
        with pytest.raises(UserError, match="to this address"):
            await mail_code(services, 1, other)
    # Another member, too: the address is what is spared.
    await forgets(services, 1)
    count, said = await mailed_until_refused(services, 2, person, "lao@harvard.edu")
    assert (count, "to this address" in said) == (0, True)


async def test_many_addresses_of_one_member_and_many_members_are_limited(mailing, monkeypatch):
    bot, _, _, post, _ = mailing
    services = bot.services
    monkeypatch.setattr("data.stores.claims.CLAIMS_BEGUN", Limit("claim", 1_000, timedelta(days=7)))
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    for number in range(MAILS_OF_MEMBER.most):
        await begin(services, person, 1, 1)
        await mail_code(services, 1, f"a{number}@harvard.edu")
        await forgets(services, 1)
    await begin(services, person, 1, 1)
    with pytest.raises(UserError, match="mailed you many codes today"):
        await mail_code(services, 1, "another@harvard.edu")
    monkeypatch.setattr(
        "data.stores.mail_codes.MAILS_OF_ALL", Limit("mail-all", len(post.mails) + 1, timedelta(days=1))
    )
    for member in (3, 4):
        await begin(services, person, member, 1)
    await mail_code(services, 3, "b3@harvard.edu")
    with pytest.raises(UserError, match="as many codes as I may today"):
        await mail_code(services, 4, "b4@harvard.edu")


async def test_claims_are_begun_five_times_a_week_forgotten_or_not(mailing):
    bot, user, _, _, _ = mailing
    services, member = bot.services, int(user.user["id"])
    for _ in range(CLAIMS_BEGUN.most):
        assert "Are you ChonLam Lao" in (await user.slash("/claim person:ChonLam Lao")).text
        assert "Forgotten" in (await (await user.slash("/me forget")).press("Delete it")).text
    assert "try again later" in (await user.slash("/claim person:ChonLam Lao")).text
    assert (await services.store.claims.held(member))["claims"] == []


async def test_one_invitation_a_month_between_two_forgotten_or_not(mailing):
    bot, *_ = mailing
    store = bot.services.store
    people = [person async for person, _ in store.people.all_names()]

    async def invite(sender, recipient, guild=1):
        people_ = {"sender_person": people[0], "recipient_person": people[1]}
        return await store.invitations.send(
            {"sender": sender, "recipient": recipient, "guild": guild, "channel": 1, "about": "", **people_}
        )

    await invite(1, 2)
    for forgotten in (1, 2):
        await forgets(bot.services, forgotten)
        with pytest.raises(InvitationRefused, match="within the last month"):
            await invite(1, 2)
    await invite(2, 1)  # the other way was not asked
    for number in range(9):
        await invite(1, 100 + number)
        await forgets(bot.services, 1)
    with pytest.raises(InvitationRefused, match="10 invitations within a day"):
        await invite(1, 200)
    for number in range(9):
        await invite(500 + number, 600 + number)
        await forgets(bot.services, 500 + number)
    with pytest.raises(InvitationRefused, match="in this server within a day"):
        await invite(700, 701)


async def test_contests_are_limited_forgotten_or_not(mailing):
    bot, *_ = mailing
    services = bot.services
    claim = await claimed(services, 1, "ChonLam Lao")
    await services.store.contests.contest(claim.id, 2, "not them")
    await forgets(services, 2)
    with pytest.raises(ClaimRefused, match="within the last month"):
        await services.store.contests.contest(claim.id, 2, "not them")


async def test_counters_name_nobody_and_expire(mailing, monkeypatch):
    bot, *_ = mailing
    services = bot.services
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    member = 123456789012345678
    await begin(services, person, member, 1)
    await mail_code(services, member, "student17@harvard.edu")
    await forgets(services, member)

    async def rows():
        async with services.store._read() as connection:
            return [tuple(row) for row in await connection.execute(text("SELECT key, until FROM counters"))]

    kept = await rows()
    assert len(kept) == 5, "the claim, and the mail by member, address, month and Labmate"
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key, _ in kept)
    assert str(member) not in str(kept)
    assert "student17" not in str(kept)
    later = utc_now() + timedelta(days=31)
    monkeypatch.setattr("data.stores.limits.utc_now", lambda: later)
    assert await services.store.limits.spend(Limit("x", 1, timedelta(days=1)), 1)
    assert len(await rows()) == 1, "what expired is gone"


async def test_a_code_can_not_be_guessed_at_once_nor_after_forgetting(mailing):
    bot, _, _, post, _ = mailing
    services = bot.services
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    await begin(services, person, 1, 1)
    await mail_code(services, 1, "lao@harvard.edu")
    code = re.search(r"/claim code:(\w{8})", post.mails[-1][1])[1]
    tries = [settle_mail(services, 1, f"WRONG{n:03}") for n in range(20)]
    said = [str(error) for error in await asyncio.gather(*tries, return_exceptions=True)]
    assert sum("not the code" in words for words in said) == MOST_TRIES
    with pytest.raises(UserError, match="no valid code"):
        await settle_mail(services, 1, code)
    for _ in range(2):
        await forgets(services, 1)
        await begin(services, person, 1, 1)
        await mail_code(services, 1, f"lao{_}@harvard.edu")
        for number in range(MOST_TRIES):
            with pytest.raises(UserError):
                await settle_mail(services, 1, f"WRONG{number:03}")
    with pytest.raises(UserError, match="typed many codes today"):
        await settle_mail(services, 1, "WRONG999")


async def test_one_code_typed_twice_at_once_holds_once(mailing):
    bot, _, _, post, _ = mailing
    services = bot.services
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    claim = await services.store.claims.begin(1, person, 1, "labmate-x")
    await mail_code(services, 1, "lao@harvard.edu")
    code = re.search(r"/claim code:(\w{8})", post.mails[-1][1])[1]
    keep = services.store.mail_codes
    done = await asyncio.gather(*(keep.settle(claim.id, 1, code) for _ in range(6)), return_exceptions=True)
    assert sum(not isinstance(result, ClaimRefused) for result in done) == 1


async def rows_with(store, number):
    """The tables that have a number in any field, as a number or within a text."""
    found = set()
    async with store._read() as connection:
        for table in Base.metadata.sorted_tables:
            for row in await connection.execute(table.select()):
                if str(number) in str(tuple(row)):
                    found.add(table.name)
    return found


async def test_a_forgotten_holder_leaves_that_a_claim_was_made_and_contested_and_nothing_of_the_account(
    mailing,
):
    bot, operator, holder, _, discord = mailing
    store, guild, member = bot.services.store, int(discord.guild["id"]), int(holder.user["id"])
    claim = await claimed(bot.services, member, "ChonLam Lao", guild)
    contest = await store.contests.contest(claim.id, 70, f"<@{member}> is somebody else")
    await store.contests.settle(contest.id, int(operator.user["id"]), upheld=False)
    await store.contests.contest(claim.id, 71, f"not them, ask {member}")
    asked = await holder.slash("/me forget")
    assert "that a claim was made, contested and ended" in asked.text
    assert "Forgotten" in (await asked.press("Delete it")).text
    history = (await operator.slash("/person history name:ChonLam Lao")).text
    assert "- L2, " in history
    assert "by a forgotten account" in history
    assert "forgotten with its holder" in history
    assert await rows_with(store, member) == {"audit"}
    [left] = await store.claims.history(claim.person_id)
    assert "harvard" not in str(left)
    assert str(guild) not in str(left)
    contests = await store.contests.newest(5)
    assert {(one.member, one.state, one.reason) for one in contests} == {
        (70, "dismissed", ""),
        (71, "dropped", ""),
    }
    audit = str(await store.audit.newest())
    numbers = [left.id, *(one.id for one in contests)]
    assert not [number for number in numbers if str(number) in audit], "the log leads to none of it"
    for what, number in (("claim", left.id), *(("contest", one.id) for one in contests)):
        with pytest.raises(OperatorError, match="forgotten"):
            await Operator(store, 1, "me").undo(what, number)
    assert await store.claims.of_person(claim.person_id) is None
    assert "I kept nothing about you" in (await (await holder.slash("/me forget")).press("Delete it")).text


async def test_a_claim_that_was_never_proven_is_forgotten_whole(mailing):
    bot, *_ = mailing
    person = await of_institution(bot.services, "ChonLam Lao", "https://harvard.edu")
    await begin(bot.services, person, 1, 1)
    await forgets(bot.services, 1)
    assert await bot.services.store.claims.history(person) == []


async def test_a_forgotten_challenger_takes_no_decision_along(mailing):
    """The server let the claim stand; a second contest is the operator's, whoever made the first."""
    bot, *_ = mailing
    store, challenger = bot.services.store, 123456789012345678
    claim = await claimed(bot.services, 1, "ChonLam Lao")
    first = await store.contests.contest(claim.id, challenger, "I am the real one")
    await store.contests.settle(first.id, 9, upheld=False)
    await forgets(bot.services, challenger)
    assert await store.contests.dismissed_before(claim.id)
    assert await rows_with(store, challenger) == {"audit"}
    assert (await store.contests.find(first.id)).reason == ""


async def test_a_forgotten_challenger_s_open_contest_is_dropped_and_an_upheld_one_keeps_no_words(mailing):
    bot, *_ = mailing
    store = bot.services.store
    claim = await claimed(bot.services, 1, "ChonLam Lao")
    waiting = await store.contests.contest(claim.id, 2, "not them")
    await forgets(bot.services, 2)
    assert await store.contests.open_of(claim.id) == []
    assert (await store.contests.find(waiting.id)).state == "dropped"
    upheld = await store.contests.contest(claim.id, 3, "I am the real one")
    await store.contests.settle(upheld.id, 9, upheld=True)
    await forgets(bot.services, 3)
    ended = await store.claims.find(claim.id)
    assert (ended.state, ended.why_ended) == ("ended", "contested, and found wrong")
