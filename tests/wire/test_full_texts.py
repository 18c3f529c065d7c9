"""Full texts over real sockets: fetched at arXiv's pace, once, and the abstract with a reason otherwise."""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import replace
from itertools import pairwise

import pytest
from aiohttp import web
from yarl import URL

from data.shared_files import SharedFiles, s3_options
from data.sources.full_text import MOST_BYTES, ArxivFullText, NoFullTextError
from data.sources.http import PoliteClient, SourceError
from index.documents.full_texts import FullTexts
from index.documents.shared_texts import READ_PAPERS
from index.search.embedding import Embedder
from tests.helpers.paper_pdfs import encrypted_pdf, loss_spikes, loss_spikes_html, scanned_pdf
from tests.helpers.paper_server import PaperServer
from tests.helpers.records import record
from tests.helpers.s3 import KEY, SECRET, new_bucket

ID = "2601.00001"
PDF, HTML = f"/pdf/{ID}", f"/html/{ID}"


@pytest.fixture
async def arxiv():
    async with PaperServer() as server:
        yield server


def source(server, **more):
    return ArxivFullText(PoliteClient(**({"interval": 0, "attempts": 2} | more)), server.url)


@pytest.fixture(autouse=True)
def _vectors_are_waited_for(monkeypatch):
    """However busy the machine is."""
    monkeypatch.setattr("index.documents.full_texts.PATIENCE", 60.0)


@pytest.fixture
async def texts(store, arxiv):
    made = FullTexts(store, Embedder(), "a model", source(arxiv), most=2)
    yield made
    await made.close()


async def paper_in(store, number=1, **more):
    [paper_id] = (await store.upsert([record(number, **more)])).ids
    [paper] = await store.papers([paper_id])
    return paper


# -- fetching ----------------------------------------------------------------------------------------


async def test_a_paper_is_fetched_once_and_then_kept(store, texts, arxiv):
    arxiv.pages[PDF] = loss_spikes()
    paper = await paper_in(store)
    text = await texts.of(paper)
    assert text.whole
    assert text.reason == ""
    assert text.pages == 3
    assert text.vectors.shape == (len(text.passages), 384)
    assert {(one.paper, one.title) for one in text.passages} == {(paper.id, paper.title)}
    assert ("4 Limitations", 2) in {(one.section, one.page) for one in text.passages}
    again = await texts.of(paper)
    assert again.passages == text.passages
    assert arxiv.asked == [PDF]
    for number, passage in enumerate(text.passages):
        kept = await texts.passage(paper.id, number)
        assert (kept.text, kept.page, kept.section) == (passage.text, passage.page, passage.section)
    assert await texts.passage(paper.id, 99) is None


@pytest.fixture
async def shared(store, arxiv, tmp_path):
    """Makes processes that share files in a bucket."""
    bucket, made = new_bucket(), []

    def start():
        files = SharedFiles(bucket.place, **s3_options(bucket.url, KEY, SECRET))
        made.append((FullTexts(store, Embedder(), "a model", source(arxiv), most=1, files=files), files))
        return made[-1]

    yield start
    for texts, files in made:
        await texts.close()
        files.close()
    bucket.stop()


async def test_what_one_process_read_another_does_not_fetch(store, shared, arxiv):
    """Also after the database has let it go, and not for another version."""
    arxiv.pages |= {f"{PDF}v1": loss_spikes(), f"{PDF}v2": loss_spikes(), "/pdf/2601.00002v1": loss_spikes()}
    paper, other = await paper_in(store, version=1), await paper_in(store, 2, version=1)
    one, two = shared()[0], shared()[0]
    text = await one.of(paper)
    await one.of(other)
    assert await store.full_texts.find(paper.id) is None
    again = await two.of(paper)
    assert (again.whole, again.passages, again.pages) == (True, text.passages, text.pages)
    assert arxiv.asked == [f"{PDF}v1", "/pdf/2601.00002v1"]
    assert (await two.of(replace(paper, version=2))).whole
    assert arxiv.asked[2:] == [f"{PDF}v2"]


@pytest.mark.parametrize(
    "found",
    [
        b"",
        b"null",
        b"[1]",
        b'[1, "pdf", 3, []]',
        b'[1, "pdf", -3, [["", 1, "text"]]]',
        b'[2, "pdf", 3, [["", 1, "text"]]]',
        b'[1, "exe", 3, [["", 1, "text"]]]',
        b'[1, "pdf", 3, [["", 1, "%s"]]]' % (b"x" * 3_000),
        b"[" * 100_000,
    ],
)
async def test_a_damaged_shared_text_is_fetched_again(store, shared, arxiv, found):
    arxiv.pages[f"{PDF}v1"] = loss_spikes()
    texts, files = shared()
    await files.write(READ_PAPERS, f"{ID}v1.json.zst", found)
    assert (await texts.of(await paper_in(store, version=1))).whole
    assert arxiv.asked == [f"{PDF}v1"]


async def test_those_who_ask_at_once_share_one_fetching(store, texts, arxiv):
    arxiv.pages[PDF] = loss_spikes()
    paper = await paper_in(store)
    found = await asyncio.gather(*(texts.of(paper) for _ in range(5)))
    assert all(one.whole for one in found)
    assert arxiv.asked == [PDF]


async def test_who_stops_waiting_does_not_stop_it_for_the_others(store, texts, arxiv):
    arrived, go = asyncio.Event(), asyncio.Event()

    async def slow(_request):
        arrived.set()
        await go.wait()
        return web.Response(body=loss_spikes(), content_type="application/pdf")

    arxiv.pages[PDF] = slow
    paper = await paper_in(store)
    first, second = asyncio.create_task(texts.of(paper)), asyncio.create_task(texts.of(paper))
    await arrived.wait()
    first.cancel()
    go.set()
    assert (await second).whole
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_it_asks_one_file_after_the_other_at_arxiv_s_pace(store, arxiv, tmp_path):
    """A second process, such as one that reads listings in, shares the pace by a file."""
    turn = tmp_path / "arxiv.turn"
    one, other = (source(arxiv, interval=0.3, turn=turn) for _ in range(2))
    taken = []

    async def page(_request):
        taken.append(float(turn.read_text()))  # when it was asked may be late on a busy machine
        return web.Response(body=loss_spikes(), content_type="application/pdf")

    arxiv.pages[PDF] = page
    await asyncio.gather(one.pdf(ID), other.pdf(ID), one.pdf(ID))
    await one.close()
    await other.close()
    gaps = [after - before for before, after in pairwise(taken)]
    assert len(gaps) == 2
    assert min(gaps) > 0.28
    quick = source(arxiv, interval=0)
    arxiv.pages[PDF], arxiv.most_at_once = loss_spikes(), 0
    await asyncio.gather(quick.pdf(ID), quick.pdf(ID), quick.pdf(ID))
    await quick.close()
    assert arxiv.most_at_once == 1


async def test_a_known_version_is_asked_for_and_a_newer_one_replaces_the_text(store, texts, arxiv):
    arxiv.pages[f"{PDF}v1"] = loss_spikes()
    paper = await paper_in(store, version=1)
    assert (await texts.of(paper)).whole
    newer = replace(paper, version=2)
    held = await texts.of(newer)
    assert held.whole
    assert held.reason == "arXiv has no PDF of this paper, so this is from version 1."
    assert arxiv.asked == [f"{PDF}v1", f"{PDF}v2", f"{HTML}v2"]


# -- what arXiv may answer -----------------------------------------------------------------------------


async def test_the_html_is_read_where_there_is_no_pdf_that_can_be(store, texts, arxiv):
    arxiv.pages |= {PDF: encrypted_pdf(), HTML: loss_spikes_html()}
    text = await texts.of(await paper_in(store))
    assert text.whole
    assert {one.page for one in text.passages} == {None}
    assert arxiv.asked == [PDF, HTML]


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (404, "arXiv has no PDF of this paper"),
        ("<html>Are you a robot?</html>", "arXiv has no PDF of this paper"),
        (encrypted_pdf(), "I can't read this paper's PDF (it is encrypted and asks for a password)"),
        (
            scanned_pdf(),
            "I can't read this paper's PDF (it has only pictures of its pages (a scan), and no text)",
        ),
        (loss_spikes()[:3_000], "I can't read this paper's PDF (it is cut off)"),
        (b"%PDF-1.7" + b"x" * (MOST_BYTES + 1), "Its PDF has more than 30 MB, the most that I read"),
    ],
    ids=["none", "another page", "encrypted", "scanned", "cut off", "too large"],
)
async def test_what_can_not_be_read_is_told_and_not_asked_for_again(store, texts, arxiv, page, says):
    arxiv.pages[PDF] = page
    paper = await paper_in(store)
    for _ in range(2):
        text = await texts.of(paper)
        assert not text.whole
        assert text.reason == f"{says}, so I only have the abstract."
        assert [one.text for one in text.passages] == [paper.abstract]
        assert (text.passages[0].section, text.passages[0].page) == ("", None)
    assert arxiv.asked == [PDF, HTML]


@pytest.mark.parametrize("status", [403, 429, 500, 503])
async def test_an_arxiv_that_refuses_is_told_and_left_alone_for_a_while(store, texts, arxiv, status):
    arxiv.pages[PDF] = status
    paper = await paper_in(store)
    text = await texts.of(paper)
    assert text.reason == "I can't reach arXiv right now, so I only have the abstract."
    asked = len(arxiv.asked)
    assert asked == (1 if status == 403 else 2)
    assert await texts.of(paper) == text
    assert len(arxiv.asked) == asked
    assert await store.full_texts.find(paper.id) is None, "it may work later"


async def test_an_arxiv_that_is_not_there_is_told(store):
    texts = FullTexts(store, Embedder(), "a model", source(PaperServerAt("http://127.0.0.1:9")), most=2)
    text = await texts.of(await paper_in(store))
    await texts.close()
    assert text.reason == "I can't reach arXiv right now, so I only have the abstract."


class PaperServerAt:
    """An address where nobody may be."""

    def __init__(self, url):
        self.url = url


async def test_a_slow_arxiv_is_not_waited_for_longer_than_a_minute(arxiv, monkeypatch):
    monkeypatch.setattr("data.sources.full_text.SECONDS", 0.2)
    never = asyncio.Event()

    async def stalls(_request):
        await never.wait()

    arxiv.pages[PDF] = stalls
    fetching = source(arxiv)
    with pytest.raises(SourceError, match="did not answer in time"):
        await fetching.pdf(ID)
    never.set()
    await fetching.close()


async def test_a_torn_answer_is_asked_for_again(arxiv):
    async def torn(request):
        if len(arxiv.asked) > 1:
            return web.Response(body=loss_spikes(), content_type="application/pdf")
        answer = web.StreamResponse(headers={"Content-Length": "90000", "Content-Type": "application/pdf"})
        await answer.prepare(request)
        await answer.write(loss_spikes()[:1_000])
        request.transport.close()
        return answer

    arxiv.pages[PDF] = torn
    fetching = source(arxiv)
    assert await fetching.pdf(ID) == loss_spikes()
    await fetching.close()


@pytest.mark.hostile
async def test_nothing_that_unpacks_on_arrival_is_taken(arxiv):
    async def packed(_request):
        body = gzip.compress(b"%PDF-" + b"\x00" * 50_000_000)
        return web.Response(body=body, headers={"Content-Encoding": "gzip"}, content_type="application/pdf")

    arxiv.pages[PDF] = packed
    fetching = source(arxiv)
    with pytest.raises(SourceError, match="compressed"):
        await fetching.pdf(ID)
    await fetching.close()


@pytest.mark.hostile
async def test_a_stream_without_an_end_is_cut(arxiv):
    async def endless(request):
        answer = web.StreamResponse(headers={"Content-Type": "application/pdf"})
        await answer.prepare(request)
        for _ in range(40):
            await answer.write(b"%PDF-" + b"x" * 1_000_000)
        return answer

    arxiv.pages[PDF] = endless
    fetching = source(arxiv)
    with pytest.raises(NoFullTextError, match="more than 30 MB"):
        await fetching.pdf(ID)
    await fetching.close()


@pytest.mark.hostile
async def test_redirects_stay_at_arxiv(arxiv):
    async with PaperServer() as elsewhere:
        elsewhere.pages["/secret"] = loss_spikes()

        def leads_to(address):
            async def redirect(_request):
                return web.Response(status=302, headers={"Location": address})

            return redirect

        fetching = source(arxiv)
        for address in (
            f"{elsewhere.url}/secret",
            "http://169.254.169.254/latest",
            "file:///etc/passwd",
            "//[::1]/",
        ):
            arxiv.pages[PDF] = leads_to(address)
            with pytest.raises(SourceError):
                await fetching.pdf(ID)
        assert elsewhere.asked == []
        arxiv.pages |= {PDF: leads_to(f"/pdf/{ID}v3"), f"{PDF}v3": loss_spikes()}
        assert (await fetching.pdf(ID)).startswith(b"%PDF")
        arxiv.pages[PDF] = leads_to(PDF)
        with pytest.raises(SourceError, match="redirects"):
            await fetching.pdf(ID)
        await fetching.close()


def test_arxiv_s_own_hosts_may_lead_to_each_other_and_to_nobody_else():
    export = ArxivFullText(PoliteClient(interval=0), "https://export.arxiv.org")
    for address in ("https://arxiv.org/pdf/1", "https://export.arxiv.org/pdf/1", "https://www.arxiv.org/x"):
        assert export._may_lead_to(URL(address)), address
    for address in (
        "http://arxiv.org/pdf/1",
        "https://arxiv.org:8443/pdf/1",
        "https://arxiv.org.evil.test/",
        "https://evilarxiv.org/",
        "https://me:x@arxiv.org/",
        "https://127.0.0.1/",
    ):
        assert not export._may_lead_to(URL(address)), address


@pytest.mark.parametrize(
    "arxiv_id", ["../../etc/passwd", "2601.00001v2", "", "2601.00001?x=1", "http://x/2601.00001"]
)
async def test_only_an_arxiv_id_becomes_an_address(arxiv, arxiv_id):
    fetching = source(arxiv)
    with pytest.raises(NoFullTextError):
        await fetching.pdf(arxiv_id)
    assert arxiv.asked == []
    await fetching.close()


# -- what is not fetched ---------------------------------------------------------------------------------


async def test_papers_that_arxiv_does_not_have_and_a_labmate_that_may_not_ask_are_told_apart(
    store, texts, arxiv
):
    elsewhere = await paper_in(store, 7, ids={"doi": "10.1/x"}, title="A paper of a journal")
    assert (await texts.of(elsewhere)).reason == (
        "I read full texts from arXiv alone and this paper has no arXiv id, so I only have the abstract."
    )
    withdrawn = replace(await paper_in(store), withdrawn=True)
    assert (await texts.of(withdrawn)).reason == "This paper was withdrawn, so I only have the abstract."
    closed = FullTexts(store, Embedder(), "a model", None, most=2)
    reason = (await closed.of(await paper_in(store))).reason
    assert (
        reason == "This Labmate doesn't fetch papers from arXiv (LABMATE_FETCH), so I only have the abstract."
    )
    nothing = await texts.of(
        await paper_in(store, 8, ids={"doi": "10.1/y"}, title="Nothing at all", abstract="")
    )
    assert nothing.passages == ()
    assert arxiv.asked == []


async def test_too_many_at_once_are_told_to_come_back(store, texts, arxiv, monkeypatch):
    monkeypatch.setattr("index.documents.fetching.MOST_AT_ONCE", 1)
    arrived, go = asyncio.Event(), asyncio.Event()

    async def slow(_request):
        arrived.set()
        await go.wait()
        return web.Response(body=loss_spikes(), content_type="application/pdf")

    arxiv.pages[PDF] = slow
    one, other = await paper_in(store, 1), await paper_in(store, 2)
    first = asyncio.create_task(texts.of(one))
    await arrived.wait()
    assert (await texts.of(other)).reason.startswith("Many papers are being fetched right now")
    go.set()
    assert (await first).whole


@pytest.mark.parametrize("pause", [0.0, 120.0])
async def test_a_busy_machine_is_held_against_a_paper_for_a_moment_only(
    store, texts, arxiv, monkeypatch, pause
):
    monkeypatch.setattr("index.documents.paper_file.SECONDS", 0.01)
    monkeypatch.setattr("index.documents.fetching.BUSY_PAUSE", pause)
    arxiv.pages |= {PDF: loss_spikes(), HTML: loss_spikes_html()}
    paper = await paper_in(store)
    busy = (await texts.of(paper)).reason
    assert busy.startswith("Too much is being read right now")
    monkeypatch.setattr("index.documents.paper_file.SECONDS", 60.0)
    again = await texts.of(paper)
    assert again.whole == (not pause)
    assert again.reason == (busy if pause else "")
    assert arxiv.asked == [PDF] * (1 if pause else 2)


# -- searching -------------------------------------------------------------------------------------------


async def test_passages_are_found_by_words_and_by_meaning(store, texts, arxiv):
    arxiv.pages[PDF] = loss_spikes()
    text = await texts.of(await paper_in(store))
    [(number, best), *_] = await texts.nearest(text, "Which optimizers is it untested with?", most=3)
    assert best.section == "4 Limitations"
    assert text.passages[number].text == best.text
    assert 0 < best.closeness <= 1
    [(_, spikes), *_] = await texts.nearest(text, "What causes loss spikes?")
    assert "spike" in spikes.text
    abstract = await texts.of(await paper_in(store, 9, ids={"doi": "10.1/z"}, title="Elsewhere"))
    assert (await texts.nearest(abstract, "anything at all"))[0][0] == 0


async def test_a_busy_machine_answers_by_words_and_makes_the_vectors_meanwhile(
    store, texts, arxiv, monkeypatch
):
    monkeypatch.setattr("index.documents.full_texts.PATIENCE", 0.0)
    arxiv.pages[PDF] = loss_spikes()
    paper = await paper_in(store)
    text = await texts.of(paper)
    assert text.whole
    assert text.vectors is None
    [(_, best), *_] = await texts.nearest(text, "Which optimizers is it untested with?")
    assert best.section == "4 Limitations"
    assert best.closeness is None
    await asyncio.gather(*texts._embedding.values())
    assert (await texts.of(paper)).vectors is not None


async def test_another_model_s_vectors_are_made_again(store, texts, arxiv):
    arxiv.pages[PDF] = loss_spikes()
    paper = await paper_in(store)
    await texts.of(paper)
    other = FullTexts(store, Embedder(), "another model", None, most=2)
    again = await other.of(paper)
    assert again.whole
    assert again.vectors is not None
    assert (await store.full_texts.find(paper.id)).model == "another model"
    assert json.dumps(arxiv.asked) == json.dumps([PDF])


async def test_only_so_many_are_kept(store, texts, arxiv):
    for number in (1, 2, 3):
        arxiv.pages[f"/pdf/2601.{number:05d}"] = loss_spikes()
        assert (await texts.of(await paper_in(store, number))).whole
    assert await store.full_texts.count() == 2
