"""Where only a paper's month or year is known, no reply says more."""

from datetime import date

import bibtexparser
import pytest

from data.sources.forms import record_of
from tests.helpers.lab import fill
from tests.helpers.process import run
from tests.helpers.records import record


def filed(identifier, title, announced):
    item = {"id": identifier, "title": title, "abstract": "We parse. It works well.", "announced": announced}
    return record_of(item | {"authors": ["Ada Lovelace"], "lists": ["acl"]}, "line 1", "", own_ids=True)


@pytest.fixture
async def months(scene):
    papers = [filed(f"2030.acl-long.{n}", f"Parsing the Tree {n}", "2030-08-15") for n in range(1, 8)]
    papers += [filed("2030.wmt-1.5", "Translating the Tree", "2030-06-15")]
    papers += [
        filed("report-7", "Climbing the Tree", "2027"),
        filed("report-8", "The Tree by Day", "2027-03-05"),
    ]
    await fill(scene.bot, papers)
    return scene


async def test_the_listing_of_a_month_names_no_day(months):
    listed = await months.user.slash("/new")
    assert "New in Aug 2030\n7 papers" in listed.text
    assert "Aug 2030 · acl" in listed.text
    assert "15 Aug" not in listed.text
    assert "Page 2 of 2" in (await listed.press("Next")).text
    before = await listed.press("◀◀ Jun 2030")
    assert "New in Jun 2030\n1 paper" in before.text
    assert "New in 2027\n1 paper" in (await before.press("◀◀ 2027")).text


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("2030-08", "New in Aug 2030"),
        ("June 2030", "New in Jun 2030"),
        ("2027", "New in 2027"),
        ("2027-03-05", "New on Friday, 5 Mar 2027"),
        ("2027-03", "New on Friday, 5 Mar 2027"),
        ("May 2030", "no paper announced from 1 May 2030 to 31 May 2030"),
    ],
)
async def test_a_month_or_a_year_can_be_asked_for(months, typed, told):
    assert told in (await months.user.slash(f"/new day:{typed}")).text


@pytest.mark.parametrize(
    "command",
    ["/search parsing the tree", "/paper 2030.acl-long.1", "/papers Ada Lovelace", "/about", "/trending"],
)
async def test_no_reply_names_a_day(months, command):
    reply = await months.user.slash(command)
    assert "Aug 2030" in reply.text
    assert "15 Aug 2030" not in reply.text


async def test_a_citation_says_what_is_known(months):
    card = await months.user.slash("/paper 2030.acl-long.1")
    assert "Aug 2030 · acl · ACL 2030" in card.text
    [link] = [button for button in card.links if button["label"] == "ACL Anthology"]
    assert link["url"] == "https://aclanthology.org/2030.acl-long.1/"
    cited = (await card.press("Cite")).text
    [entry] = bibtexparser.parse_string(cited[cited.index("@") : cited.rindex("}") + 1]).entries
    assert entry.entry_type == "inproceedings"
    assert entry["booktitle"] == "Proceedings of ACL 2030"
    assert (entry["year"], entry["month"]) == ("2030", "aug")
    assert entry["url"] == "https://aclanthology.org/2030.acl-long.1/"


async def test_a_day_that_another_source_knows_replaces_the_month(scene):
    title = "A Tree of Two Sources"
    of_journal = {"ids": {"doi": "10.1/2"}, "title": title, "source": "journal", "dated_by": "month"}
    await fill(scene.bot, [record(4_001, **of_journal, announced=date(2030, 8, 15), listings=[])])
    assert "Aug 2030" in (await scene.user.slash(f"/paper {title}")).text
    await fill(scene.bot, [record(4_001, title=title, announced=date(2030, 8, 20), listings=[])])
    assert "20 Aug 2030" in (await scene.user.slash(f"/paper {title}")).text
    await fill(scene.bot, [record(4_001, **of_journal, announced=date(2030, 7, 15), listings=[])])
    assert "20 Aug 2030" in (await scene.user.slash(f"/paper {title}")).text


def test_a_file_with_ids_of_its_own_is_read_in(tmp_path):
    file = tmp_path / "papers.jsonl"
    file.write_text(
        '{"id": "2030.acl-long.1", "title": "Parsing the Tree", "abstract": "We parse.", '
        '"authors": ["Grace Hopper"], "lists": ["acl"], "announced": "2030-08-15"}\n'
    )
    refused = run("ingest", "file", str(file), folder=tmp_path)
    assert refused.returncode == 1
    assert "If its ids are not arXiv's, add --own-ids." in " ".join(refused.stderr.split())
    done = run("ingest", "file", str(file), "--own-ids", folder=tmp_path)
    assert "1 added" in done.stderr
    assert "Aug 2030" in run("ask", "/paper 2030.acl-long.1", folder=tmp_path).stdout
