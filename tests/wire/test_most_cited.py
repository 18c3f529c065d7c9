"""The most cited papers on a subject, where citations of some are known, over real sockets."""

import json
import re

from tests.helpers.lab import fill
from tests.helpers.records import record

SONGS = "Hymns of Bandicoots"


async def test_papers_whose_citations_are_known_come_first_and_the_reply_counts_them(place):
    _, bot, user = place
    papers = [
        record(800 + n, title=f"{SONGS}, Part {n}", abstract=f"We study hymns of bandicoots, part {n}.")
        for n in range(8)
    ]
    await fill(bot, [*papers, record(899, title="Cables under Oceans", abstract="We lay cables.")])
    store = bot.services.store
    known = {"2601.00806": 40, "2601.00803": 7, "2601.00899": 900}
    facts = {
        str(await store.find_id("arxiv", arxiv)): json.dumps({"id": "W1", "cited_by": count})
        for arxiv, count in known.items()
    }
    await store.facts.put("paper", "openalex", facts)
    reply = await user.slash(f"/search most cited papers on {SONGS.lower()}")
    told = "I know how often 2 of the 8 papers that fit are cited: these come first, most cited first."
    assert told in reply.text.split("1. **")[0]
    assert re.findall(r"Part (\d)\]", reply.text)[:2] == ["6", "3"]
    assert "Cables" not in reply.text, "however often it is cited"
    every = {
        str(await store.find_id("arxiv", f"2601.008{n:02}")): json.dumps({"id": "W1", "cited_by": n})
        for n in range(8)
    }
    await store.facts.put("paper", "openalex", every)
    ranked = await user.slash(f"/search most cited papers on {SONGS.lower()}")
    assert "Most cited first, by OpenAlex." in ranked.text
    assert re.findall(r"Part (\d)\]", ranked.text) == ["7", "6", "5", "4", "3"]
