"""Reasons that were kept as sentences in Discord's markdown become facts; none is lost."""

import json
from datetime import date
from importlib import import_module

import pytest
from sqlalchemy import text

from commands.cards import reasons
from commands.cards.text import safe
from data.database.engine import open_database
from data.reasons import TYPICAL, KnownWriter, Reason
from data.stores.delivery_record import PAPERS
from tests.helpers import older_databases as older

migration = import_module("data.migrations.versions.0012_reasons")
ODD = r"A*B* [algebra] <@1> @everyone \alpha :x: _y_ “quoted”, 1. and “two”"
SENTENCES = [
    ("central among the day's papers; Save and Like teach what is wanted", TYPICAL),
    ("", TYPICAL),
    (f"close to “{safe(ODD)}”, saved or liked here", Reason(near=ODD, near_count=1)),
    (
        f"close to 3 papers that you saved or liked, first “{safe(ODD)}” · close to “{safe('in `code`')}”",
        Reason(near=ODD, near_count=3, own=True, query="in `code`"),
    ),
    (
        f"by {safe('Jean-Luc *P*')}, followed and Ann, a member here · close to “T”, saved or liked here",
        Reason((KnownWriter("Jean-Luc *P*"), KnownWriter("Ann", is_member=True)), "T", 1),
    ),
    (f"by Ann, who knows {safe('*this*')}", Reason(text="by Ann, who knows *this*")),
    ("near", Reason(text="near")),
]


@pytest.mark.parametrize(("sentence", "reason"), SENTENCES)
async def test_a_sentence_becomes_facts_or_stays_as_plain_text(tmp_path, sentence, reason):
    database = older.place(tmp_path / "labmate.db")
    older.make(database, "0010")
    entry = {"paper": 71, "why": sentence, "closeness": 0.6, "text_hash": -5, "marked": ["a"],
             "state": "cross-listed, first 8 May 2026"}  # fmt: skip
    engine = older.engine_of(database)
    with engine.begin() as connection:
        update = text("UPDATE deliveries SET papers = :papers WHERE id = :id")
        connection.execute(update, {"papers": json.dumps([entry]), "id": 71})
        connection.execute(update, {"papers": "no JSON", "id": 72})
    engine.dispose()
    await (await open_database(older.url_of(database))).dispose()
    kept = {row["id"]: row["papers"] for row in older.read(database)["deliveries"]}
    [chosen] = PAPERS.validate_json(kept[71])
    assert chosen.why == reason
    assert (chosen.paper, chosen.closeness, chosen.text_hash, chosen.marked) == (71, 0.6, -5, ("a",))
    assert (chosen.cross_listed, chosen.first) == (True, date(2026, 5, 8))
    assert kept[72] == "no JSON"
    before = migration._as_sentence(json.loads(kept[71])[0])
    assert migration._as_facts(before) == json.loads(kept[71])[0], "there and back"


def test_a_state_that_says_nothing_known_is_kept_in_the_reason():
    kept = migration._as_facts({"paper": 1, "why": "close to “x”", "state": "held \\*back\\*"})
    assert kept == {"paper": 1, "why": {"text": "held *back* · close to “x”"}}


def test_a_reason_is_escaped_for_discord_and_plain_in_feeds():
    reason = Reason((KnownWriter("*Ann*"),), "A `title`", 2, query="q_1")
    assert reasons.markdown(reason) == (
        r"by \*Ann\*, followed · similar to 2 papers saved or liked here, such as “A \`title\`” · matches "
        r"“q\_1”"
    )
    assert reasons.plain(reason) == reasons.markdown(reason).replace("\\", "")
    assert reasons.plain(Reason(text="<b> & *x*")) == "<b> & *x*"


def test_people_whom_a_digest_watches_are_not_said_to_be_followed():
    ann, bea = KnownWriter("Ann", is_watched=True), KnownWriter("Bea", is_watched=True)
    assert reasons.plain(Reason((ann,))) == "by Ann, watched by this digest"
    assert reasons.plain(Reason((ann, bea))) == "by Ann and Bea, watched by this digest"
    both = Reason((ann, KnownWriter("Cy", is_member=True)))
    assert reasons.plain(both) == "by Ann, watched by this digest, and Cy, a member here"
