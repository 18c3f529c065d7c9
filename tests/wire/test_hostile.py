"""Text from outside is data: it never pings, never formats, never breaks anything."""

from datetime import datetime
from xml.etree.ElementTree import fromstring

import pytest

from bot.feed_server import atom
from bot.local_discord.client import UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from data.stores.feeds import Feed
from index.documents.references import read_references
from tests.helpers.lab import fill, settings_for
from tests.helpers.records import record

pytestmark = pytest.mark.hostile

TITLES = [
    "@everyone @here <@1> <@&2> <#3> <t:0:R> </papers:1> urgent",
    "**bold** __under__ ~~gone~~ ||hidden|| `code` ```block``` [x](https://evil.example) # head",
    "\u202eesreveR \u200bzero\u200dwidth\u2066 isolate",
    "'; DROP TABLE papers; -- \" OR 1=1",
    "$\\frac{1}{2}$ \\emph{open {braces} $unbalanced \\input{/etc/passwd} \\def\\x{\\x}\\x",
    "> quote\n# heading\n- item\n1. one",
    "x" * 4_000,
    "word " * 800,
    "😀" * 300,
    "]( [nested](https://evil.example) )",
]
AUTHORS = [
    "@everyone",
    "**Bob**",
    "<@1>",
    "A" * 300,
    "`x`",
    "[a](https://evil.example)",
    "Ḿ̴̢͇͕͎̓" * 20,
    "null",
    "0",
]


@pytest.fixture(scope="module")
async def lab(tmp_path_factory):
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path_factory.mktemp("hostile"))
        async with running_bot(settings) as (bot, _), UserClient(discord.url, discord.user_token) as user:
            records = [
                record(
                    n,
                    title=title,
                    abstract=title * (40_000 // len(title)),
                    authors=[*AUTHORS, "Common Author"],
                    comment=title[:500],
                    journal_ref=title[:500],
                    venue=title[:300],
                    doi=title[:200],
                )
                for n, title in enumerate(TITLES, 1)
            ]
            bot.services.model_settled.set()
            await fill(bot, records)
            yield discord, bot, user


def harmless(discord, reply):
    message = discord.state.messages[discord.channel["id"]][reply.message["id"]]
    assert message["mentions"] == []
    assert message["mention_roles"] == []
    assert message["mention_everyone"] is False
    for piece in (
        "@everyone",
        "@here",
        "<@1>",
        "<@&2>",
        "<#3>",
        "<t:0",
        "</papers:1>",
        "](https://evil",
        "**bold**",
        "||hidden||",
    ):
        assert piece not in reply.text.replace("\\" + piece, ""), piece
    assert "\n# heading" not in reply.text
    assert not set("\u202e\u200d\u2066") & set(reply.text) - {"\u200d"}
    # An answer that came after Discord's three seconds says something of the machine, not of what was shown.
    requests = [r for r in discord.requests if (r["answer"] or {}).get("code") != 10062]
    for request in requests:
        body = request["body"]
        data = body.get("data") or body if isinstance(body, dict) else {}
        if data.get("components") and not data.get("title"):  # forms have a title, and no mentions
            assert data.get("allowed_mentions") == {"parse": []} or request["status"] >= 400, request["path"]
    assert all(request["status"] < 400 for request in requests), [r for r in requests if r["status"] >= 400]


async def test_hostile_records_are_listed_harmlessly(lab):
    discord, _, user = lab
    reply = await user.slash("/papers Common Author")
    assert "10 papers" in reply.text
    harmless(discord, reply)
    harmless(discord, await reply.press("Next"))
    harmless(discord, await user.slash("/new"))


@pytest.mark.parametrize("number", range(1, len(TITLES) + 1))
async def test_hostile_cards_are_shown_cited_and_compared_harmlessly(lab, number):
    discord, _, user = lab
    card = await user.slash(f"/paper 2601.{number:05d}")
    assert "2601." in card.text
    harmless(discord, card)
    assert (await card.press("Cite")).is_private
    harmless(discord, await card.press("Similar"))


@pytest.mark.parametrize("author", AUTHORS)
async def test_hostile_names_are_found_and_offered_harmlessly(lab, author):
    discord, _, user = lab
    harmless(discord, await user.slash(f"/papers author:{author[:200]}"))
    for choice in await user.complete(f"/papers author:{author[:90]}"):
        assert 1 <= len(choice["name"]) <= 100


@pytest.mark.parametrize(
    "text",
    [
        *(title[:5_000] for title in TITLES),
        '"',
        '""',
        "author:",
        'author:"',
        "((((",
        "a AND NOT (b OR c)^2 ~1 /x/",
        "category:cs.CL category:cs.AI year:2026 since:2020",
        "-" * 100,
        "% _ ' \" ; \\",
        "\x00\x01\x02",
        "．．／",
    ],
)
async def test_hostile_queries_are_answered(lab, text):
    discord, _, user = lab
    harmless(discord, await user.slash(f"/search query:{text}"))
    harmless(discord, await user.slash(f"/similar paper:{text}"))
    harmless(discord, await user.slash(f"/paper paper:{text}"))


async def test_a_paste_of_a_hundred_thousand_characters_is_answered(lab):
    """Discord's own client stops at 6,000; a tampered one does not."""
    discord, _, user = lab
    commands = {command["name"]: command for command in await user.commands()}
    for name, option in (("search", "query"), ("similar", "paper"), ("paper", "paper"), ("papers", "author")):
        data = {"id": commands[name]["id"], "name": name, "type": 1}
        options = [{"name": option, "type": 3, "value": "long text " * 10_000}]
        reply = await user.raw_command(data | {"options": options})
        assert reply.text
        harmless(discord, reply)


async def test_values_of_the_wrong_type_are_answered(lab):
    _, _, user = lab
    commands = {command["name"]: command for command in await user.commands()}
    data = {"id": commands["papers"]["id"], "name": "papers", "type": 1}
    for options in (
        [{"name": "author", "type": 3, "value": ""}],
        [{"name": "author", "type": 4, "value": 5}],
        [{"name": "nonsense", "type": 3, "value": "x"}],
        [],
        [{"name": "author", "type": 3, "value": "A"}, {"name": "sort", "type": 3, "value": "sideways"}],
    ):
        assert (await user.raw_command(data | {"options": options})).text


async def test_hostile_papers_are_posted_kept_listed_and_exported_harmlessly(lab):
    discord, bot, user = lab
    panel = await user.slash("/digest create")
    shown = await panel.press("Preview")
    assert "5 of 10 new papers" in shown.text
    harmless(discord, shown)
    form = await panel.press("Name, time, zone")
    named = {"name": "@everyone **x** <@1>", "at": "09:00", "zone": "UTC"}
    harmless(discord, await user.submit(form.message["modal"], named))
    harmless(discord, await user.slash("/digest taste"))
    for number in range(1, len(TITLES) + 1):
        kept = await user.slash(
            f"/save paper:2601.{number:05d} tags:@everyone, **bold** note:@here <@1> ||hidden||"
        )
        harmless(discord, kept)
        harmless(discord, await user.slash(f"/list add paper:2601.{number:05d} list:@everyone **x**"))
    harmless(discord, await user.slash("/library show"))
    harmless(discord, await user.slash("/library show search:@everyone tag:@everyone"))
    harmless(discord, await user.slash("/list show"))
    harmless(discord, await user.slash("/list show list:@everyone **x**"))
    harmless(discord, await user.slash("/top"))
    for kind, format_ in (("bib", "bibtex"), ("ris", "ris"), ("json", "csl-json")):
        reply = await user.slash(f"/library export format:{format_}")
        [attachment] = files_of(reply.message)
        items, unread = read_references(kind, discord.state.files[attachment["id"]][2].decode())
        assert (len(items), unread) == (len(TITLES), []), format_
    papers = await bot.services.store.papers(range(1, len(TITLES) + 1))
    feed = Feed("t" * 32, "list", 1, 1, datetime(2026, 11, 21))
    root = fromstring(
        atom(
            "http://x/feeds/t.xml",
            feed,
            "@everyone <b> \uffff\ufffe\x00",
            [(p, feed.made, "a") for p in papers],
        )
    )
    assert len(root.findall("{http://www.w3.org/2005/Atom}entry")) == len(papers)
