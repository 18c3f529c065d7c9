"""A claim proven by a mailed code, over a real SMTP server on loopback; and contested claims."""

import re

import pytest

from commands.kit.replies import UserError
from commands.members.proof import mail_code, settle_mail
from data.sources.http import SourceError
from data.sources.mail import Mailer
from data.stores.mail_codes import MOST_MAILS, MOST_TRIES
from index.claims.claim_domains import address_in
from tests.helpers.members import hold, of_institution

pytestmark = pytest.mark.hostile


async def test_a_code_to_an_address_of_the_institution_makes_the_claim(mailing):
    bot, user, _, post, _ = mailing
    await of_institution(bot.services, "ChonLam Lao", "https://www.harvard.edu/")
    assert "no open claim" in (await user.slash("/claim mail:lao@g.harvard.edu")).text
    begun = await user.slash("/claim person:ChonLam Lao")
    assert "/claim mail:" in begun.text
    assert "can't send mail to this address" in (await user.slash("/claim mail:not an address")).text
    assert (
        "nor one printed in an address in them" in (await user.slash("/claim mail:lao@notharvard.edu")).text
    )
    assert "refuses this address" in (await user.slash("/claim mail:nobody@harvard.edu")).text
    assert not post.mails
    sent = await user.slash("/claim mail:ChonLam.Lao@g.harvard.edu")
    assert "a code is on its way" in sent.text.lower()
    assert sent.is_private
    [(to, mail, encrypted)] = post.mails
    assert to == ["chonlam.lao@g.harvard.edu"]
    assert encrypted
    assert "From: Labmate <bot@labmate.test>" in mail
    code = re.search(r"/claim code:(\w{8})", mail)[1]
    assert "not the code" in (await user.slash("/claim code:AAAAAAAA")).text
    said = (await user.slash(f"/claim code:{code.lower()}")).text
    assert (
        "(L2: has a mailbox at g.harvard.edu whose name is theirs; the domain is their institution's" in said
    )
    assert "L2 claimed" in (await user.slash("/author name:ChonLam Lao")).text
    again = (await user.slash(f"/claim code:{code}")).text
    assert "no valid code. /claim mail:<address> sends another." in again, "a code holds once"
    held = await bot.services.store.claims.held(int(user.user["id"]))
    assert "lao@" not in str(held).lower(), "the address is not kept"
    assert held["claims"][0]["where"] == "g.harvard.edu of the institution"


async def test_an_address_without_the_name_proves_less(mailing):
    bot, user, _, post, _ = mailing
    await of_institution(bot.services, "ChonLam Lao", "https://harvard.edu")
    await user.slash("/claim person:ChonLam Lao")
    await user.slash("/claim mail:student17@harvard.edu")
    code = re.search(r"/claim code:(\w{8})", post.mails[0][1])[1]
    said = (await user.slash(f"/claim code:{code}")).text
    assert "(L1: reads mail at harvard.edu" in said
    assert "at a mailbox that does not have their name" in said


async def test_guesses_and_mails_are_limited_and_only_one_s_own_code_holds(mailing):
    bot, user, second, post, _ = mailing
    services, member = bot.services, int(user.user["id"])
    person = await of_institution(services, "ChonLam Lao", "https://harvard.edu")
    await user.slash("/claim person:ChonLam Lao")
    for _ in range(MOST_MAILS):
        await mail_code(services, member, "lao@harvard.edu")
    with pytest.raises(UserError, match="today"):
        await mail_code(services, member, "lao@harvard.edu")
    assert len(post.mails) == MOST_MAILS
    codes = [re.search(r"/claim code:(\w{8})", mail)[1] for _, mail, _ in post.mails]
    await services.store.claims.begin(int(second.user["id"]), person, 1, "labmate-s")
    with pytest.raises(UserError, match="no valid code"):
        await settle_mail(services, int(second.user["id"]), codes[-1])
    with pytest.raises(UserError, match="not the code"):
        await settle_mail(services, member, codes[0])  # an earlier one
    for _ in range(MOST_TRIES - 1):
        with pytest.raises(UserError, match="not the code"):
            await settle_mail(services, member, "WRONG234")
    with pytest.raises(UserError, match="no valid code"):
        await settle_mail(services, member, codes[-1])


async def test_a_mail_server_that_is_away_or_refuses_us_loses_nothing(mailing, monkeypatch):
    monkeypatch.setattr("data.sources.mail.SECONDS", 3.0)  # aiosmtpd does not answer a second wrong password
    bot, user, _, post, _ = mailing
    await of_institution(bot.services, "ChonLam Lao", "https://harvard.edu")
    await user.slash("/claim person:ChonLam Lao")
    port = post.mailer.port
    for broken in (
        Mailer("127.0.0.1", 1, "bot@labmate.test"),
        Mailer("localhost", port, "bot@labmate.test", "labmate", "wrong", context=post.mailer.context),
        Mailer("localhost", port, "bot@labmate.test", security="none"),
        Mailer(
            "localhost", port, "bot@labmate.test", "labmate", "secret"
        ),  # a certificate nobody vouches for
    ):
        with pytest.raises(SourceError, match="could not be sent"):
            await broken.send("lao@harvard.edu", "x", "y")
    assert not post.mails
    bot.services.mailer = None
    assert "No mail server" in (await user.slash("/claim mail:lao@harvard.edu")).text
    assert "mail:" not in (await user.slash("/claim person:ChonLam Lao")).text
    refused = (await user.slash("/claim code:123")).text
    assert "You have no valid code. No mail server is set up here." in refused
    assert "sends another" not in refused


@pytest.mark.parametrize(
    "text",
    ["", "a", "a@b", "a b@c.de", "a@c.de\nBcc: x@y.de", "<a@c.de>", "a@c.de,b@c.de", "a..b@c.de",
     "a@" + "c." * 200 + "de", '"a"@c.de', "a@[127.0.0.1]"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text):
    assert address_in(text) is None


# -- contests --------------------------------------------------------------------------------------


async def test_a_contested_claim_says_so_until_a_manager_settles_it(mailing):
    bot, user, second, _, discord = mailing
    store = bot.services.store
    nobody = await second.slash("/contest person:ChonLam Lao reason:that is not them")
    assert "Nobody has claimed" in nobody.text
    person = await hold(store, 4711, "ChonLam Lao", discord.guild["id"])
    said = await second.slash("/contest person:ChonLam Lao reason:that is @everyone, **not** them")
    assert "is contested" in said.text
    assert "already contested this" in (await second.slash("/contest person:ChonLam Lao reason:again")).text
    card = await user.slash("/author name:ChonLam Lao")
    assert "contested by 1 member" in (await card.press("Why these figures?")).text
    assert "Those who manage a server settle" in (await second.slash("/contests")).text
    listed = await user.slash("/contests")
    assert "@everyone" not in listed.text
    looked = await listed.press("Look")
    assert "The claim of ChonLam Lao" in looked.text
    assert "The claim has ended" in (await looked.press("End the claim")).text
    assert "already been settled" in (await looked.press("The claim stays")).text
    assert await store.claims.of_person(person) is None
    assert "No contested claims are waiting" in (await user.slash("/contests")).text
