"""Two sources, one work; and two works that only look alike."""

import random
from datetime import date

import orjson
import pytest

from data.records import Deletion
from data.sources.files import PaperFile
from data.sources.forms import from_seed
from tests.helpers import slices
from tests.helpers.records import record

AUTHORS = ["ChonLam Lao", "Minlan Yu", "Aditya Akella", "Jiamin Cao"]
SEED = {
    "title": "TrainMover: An Interruption-Resilient and Reliable ML Training Runtime",
    "category": "cs.DC",
    "date": "2024-12-17",
    "authors": AUTHORS[:3],
    "authors_complete": False,
    "authors_also": ["Jiamin Cao"],
    "abstract": "Large-scale jobs are interrupted. We present TrainMover.",
}
LISTED = record(
    1,
    ids={"arxiv": "2412.12636"},
    title="TrainMover: Efficient ML Training Live Migration with No Memory Overhead",
    abstract="Machine learning training is prominent. We present TrainMover, a live migration system.",
    authors=AUTHORS,
    announced=date(2024, 12, 18),
    listings=[("cs.AI", date(2024, 12, 18))],
    categories=["cs.AI"],
)


async def _papers(store, author="chonlam lao"):
    return await store.papers(await store.papers_of(author))


async def test_a_revised_title_is_still_one_work_in_either_order(store, tmp_path):
    for order in ([from_seed(SEED), LISTED], [LISTED, from_seed(SEED)]):
        for item in order:
            await store.upsert([item])
        [paper] = await _papers(store)
        assert paper.arxiv_id == "2412.12636"
        assert paper.title == SEED["title"]  # the listing shows the first version's title
        assert paper.former_titles == (LISTED.title,)
        assert [a.name for a in paper.authors] == AUTHORS
        assert all(a.listed for a in paper.authors)
        assert paper.primary_category == "cs.DC"
        assert set(paper.categories) == {"cs.DC", "cs.AI"}
        assert paper.announced == date(2024, 12, 18)
        assert await store.find_title(LISTED.title) == await store.find_title(SEED["title"]) == [paper.id]


async def test_both_sources_in_one_batch_are_one_work(store):
    changes = await store.upsert([LISTED, from_seed(SEED)])
    assert changes.added == 1
    assert len(set(changes.ids)) == 1


async def test_a_dated_revision_from_arxiv_wins_over_the_sample(store):
    await store.upsert([from_seed(SEED)])
    newer = LISTED.model_copy(update={"source": "arxiv", "version": 3, "title": "TrainMover: Third Title"})
    await store.upsert([newer])
    [paper] = await _papers(store)
    assert (paper.title, paper.version) == ("TrainMover: Third Title", 3)


async def test_two_papers_by_the_same_people_on_one_day_stay_two(store):
    other = LISTED.model_copy(update={"ids": {"arxiv": "2412.12637"}, "title": "TrainMover: Something Else"})
    seeds = [from_seed(SEED), from_seed(SEED | {"title": "Unrelated Words About Congestion Control"})]
    await store.upsert([LISTED, other])
    await store.upsert(seeds)
    assert len(await _papers(store)) == 3


async def test_same_people_same_day_other_title_stays_apart_across_sources(store):
    await store.upsert([LISTED])
    await store.upsert([from_seed(SEED | {"title": "Gradient Compression on Programmable Switches"})])
    assert len(await _papers(store)) == 2


async def test_a_similar_title_by_other_people_stays_apart(store):
    await store.upsert([LISTED])
    stranger = SEED | {"title": LISTED.title, "authors": ["Somebody Else"], "authors_also": []}
    await store.upsert([from_seed(stranger)])
    assert await store.count() == 2


async def test_an_unlisted_author_counts_and_is_found(store):
    await store.upsert([from_seed(SEED)])
    [paper] = await _papers(store, "jiamin cao")
    assert [(a.name, a.listed) for a in paper.authors][-1] == ("Jiamin Cao", False)


async def test_a_newer_version_replaces_and_an_older_never_does(store):
    def version(number, title, day):
        return record(7, source="arxiv", version=number, title=title, updated=day)

    await store.upsert([version(2, "Second title", date(2026, 2, 1))])
    changes = await store.upsert([version(1, "First title", date(2026, 1, 1))])
    [paper] = await store.papers(changes.ids)
    assert (paper.title, paper.version) == ("Second title", 2)
    await store.upsert([version(3, "Third title", date(2026, 3, 1))])
    [paper] = await store.papers([paper.id])
    assert (paper.title, paper.version) == ("Third title", 3)
    assert set(paper.former_titles) == {"First title", "Second title"}


async def test_the_same_batch_twice_changes_nothing(store):
    batch = [record(number) for number in range(50)] + [from_seed(SEED), LISTED]
    first = await store.upsert(batch)
    stamp = await store.last_change()
    again = await store.upsert(batch)
    assert (first.added, again.added, again.updated) == (51, 0, 0)
    assert again.ids == first.ids
    assert await store.last_change() == stamp


async def test_a_record_that_bridges_two_rows_joins_them_and_old_ids_lead_on(store):
    with_doi = record(1, ids={"doi": "10.1/x"}, source="openalex", title="Something with other words")
    with_arxiv = record(2)
    first = await store.upsert([with_doi, with_arxiv])
    bridge = record(2, source="arxiv", version=2, ids={"arxiv": "2601.00002", "doi": "10.1/x"})
    changes = await store.upsert([bridge])
    assert await store.count() == 1
    assert len(changes.gone) == 1
    through_old, through_new = await store.papers(first.ids)
    assert through_old.id == through_new.id


async def test_a_deleted_record_is_marked_withdrawn(store):
    await store.upsert([record(3)])
    await store.upsert([Deletion("arxiv", "2601.00003"), Deletion("arxiv", "9999.00001")])
    [paper] = await store.papers([await store.find_id("arxiv", "2601.00003")])
    assert paper.withdrawn


async def test_an_estimated_announcement_gives_way_to_a_listing(store):
    await store.upsert([record(4, source="arxiv", announced=date(2026, 1, 9), provisional=True, listings=[])])
    await store.upsert([record(4, announced=date(2026, 2, 3))])
    [paper] = await store.papers([await store.find_id("arxiv", "2601.00004")])
    assert paper.announced == date(2026, 2, 3)


@pytest.fixture(scope="module")
def related(shared, sample):
    """The records that could matter: those with an author of the sample."""
    names = {n for r in orjson.loads(sample.read_bytes()) for n in r["authors"] + r["authors_also"]}
    names.add("Chon Lam Lao")
    return [r for _, r in slices.records(shared, lambda _, item: not names.isdisjoint(item["authors"]))]


@pytest.mark.parametrize("sample_first", [True, False])
async def test_the_sample_and_all_of_the_data_are_each_work_once(store, sample, related, sample_first):
    records, wanted = [r for _, r in PaperFile(sample)], related
    assert len(wanted) > 100
    for batch in (records, wanted) if sample_first else (wanted, records):
        await store.upsert(batch)
    ids = {r.ids["arxiv"] for r in [*records, *wanted]}
    assert await store.count() == len(ids)
    papers = await _papers(store)
    assert {p.arxiv_id for p in papers} == {
        "2201.06398",
        "2302.08545",
        "2412.12636",
        "2504.20854",
        "2605.15617",
    }
    trained = await store.papers([await store.find_id("arxiv", "2412.12636")])
    assert trained[0].title.startswith("TrainMover: An Interruption-Resilient"), "a later version's title"
    assert trained[0].former_titles, "the listing's title leads to it, too"
    assert len(await _papers(store, "chon lam lao")) == 1
    stamp = await store.last_change()
    await store.upsert(records)
    await store.upsert(wanted)
    assert await store.last_change() == stamp, "reading both again changes nothing"


async def test_the_sample_read_after_arxiv_itself_takes_nothing_over(store, sample):
    prism = next(r for _, r in PaperFile(sample) if r.ids["arxiv"] == "2605.15617")
    there = prism.model_copy(
        update={
            "source": "arxiv-oai",
            "ids": {"arxiv": "2605.15617"},
            "abstract": "What arXiv says.",
            "updated": date(2026, 6, 1),
        }
    )
    await store.upsert([there])
    await store.upsert([prism])
    [paper] = await store.papers([await store.find_id("arxiv", "2605.15617")])
    assert paper.abstract == "What arXiv says."


async def test_a_work_of_the_sample_as_it_was_gets_its_identifier(store, sample):
    records = [r for _, r in PaperFile(sample)]
    await store.upsert([r.model_copy(update={"ids": {"sample": r.ids["sample"]}}) for r in records])
    changes = await store.upsert(records)
    assert (changes.added, changes.updated) == (0, 7)
    assert await store.count() == 7
    assert await store.find_id("arxiv", "2605.15617") == await store.find_id(
        "sample", records[1].ids["sample"]
    )


async def test_two_arxiv_papers_with_one_doi_stay_two_works(store):
    """Parts of one journal article are two papers on arXiv; the DOI leads to the first that had it."""
    shared = {"doi": "10.1/x"}
    one, other = (
        record(1, ids={"arxiv": "2601.00001"} | shared),
        record(2, ids={"arxiv": "2601.00002"} | shared),
    )
    changes = await store.upsert([one, other])
    assert len(set(changes.ids)) == 2
    assert [paper.arxiv_id for paper in await store.papers(changes.ids)] == ["2601.00001", "2601.00002"]
    assert await store.find_id("doi", "10.1/x") == changes.ids[0]


async def test_a_known_paper_does_not_take_the_doi_of_another(store):
    shared = {"doi": "10.1/x"}
    before = await store.upsert([record(1, ids={"arxiv": "2601.00001"} | shared), record(2)])
    newer = record(2, ids={"arxiv": "2601.00002"} | shared, version=2, title="A newer title")
    after = await store.upsert([newer])
    assert after.ids == before.ids[1:]
    assert [paper.title for paper in await store.papers(after.ids)] == ["A newer title"]
    assert await store.find_id("doi", "10.1/x") == before.ids[0]


async def test_new_works_that_a_later_record_of_the_batch_joins_have_one_id(store):
    changes = await store.upsert(
        [
            record(5, ids={"doi": "10.1/z"}, title="Of one thing"),
            record(6),
            record(6, ids={"arxiv": "2601.00006", "doi": "10.1/z"}),
            record(7, ids={"acl": "x-7"}, title="Of one thing"),
        ]
    )
    assert len(set(changes.ids)) == 1
    [paper] = await store.papers(changes.ids[:1])
    assert paper.arxiv_id == "2601.00006"
    assert paper.former_titles


@pytest.mark.parametrize("seed", range(40))
async def test_no_identifier_is_lost_whatever_records_share(store, seed):
    """Every record finds a work; two arXiv ids are two works; whatever other ids lead where."""
    chance = random.Random(seed)
    records = []
    for _ in range(30):
        arxiv, doi, acl, subject = (chance.randrange(8) for _ in range(4))
        ids = {"arxiv": f"2601.{arxiv:05d}", "doi": f"10.1/{doi}", "acl": f"a-{acl}"}
        kept = chance.sample(sorted(ids), chance.randint(1, 3))
        records.append(
            record(
                ids={name: ids[name] for name in kept},
                title=f"Something about subject{subject} in the world",
                authors=["Ada Lovelace"],
                version=chance.randint(1, 4),
                source=chance.choice(["arxiv", "acl", "sample"]),
            )
        )
    for start in range(0, len(records), 6):
        batch = records[start : start + 6]
        changes = await store.upsert(batch)
        assert all(changes.ids)
    found = {}
    for one in records:
        for scheme, value in one.ids.items():
            paper = await store.find_id(scheme, value)
            assert paper, (scheme, value)
            if scheme == "arxiv":
                found.setdefault(paper, set()).add(value)
    assert all(len(values) == 1 for values in found.values()), found


FIRST = record(1, ids={"arxiv": "2601.00001", "doi": "10.1/d"})
SAMPLED = record(2, ids={"sample": "x"}, source="sample")
SECOND = record(2, ids={"arxiv": "2601.00002", "doi": "10.1/d"})


@pytest.mark.parametrize(
    "batches",
    [
        [[FIRST, SAMPLED, SECOND]],
        [[FIRST, SAMPLED], [SECOND]],
        [[FIRST], [SAMPLED], [SECOND]],
        [[SECOND], [SAMPLED], [FIRST]],
        [[SAMPLED], [SECOND, FIRST]],
    ],
)
async def test_a_paper_with_anothers_doi_is_still_found_by_its_title(store, batches):
    found = {}
    for batch in batches:
        for one, paper in zip(batch, (await store.upsert(batch)).ids, strict=True):
            found[id(one)] = paper
    assert found[id(SAMPLED)] == found[id(SECOND)] != found[id(FIRST)]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2)])
async def test_what_arxiv_says_of_a_paper_survives_that_a_work_joins_it(store, order):
    bare = record(9, source="sample", ids={"sample": "a"}, title="A few tales", authors=["Ada Lovelace"])
    theirs = record(
        8,
        source="arxiv-snapshot",
        ids={"arxiv": "2601.00009"},
        title="Many wholly other stories",
        authors=["Ada Lovelace", "Zed Zulu"],
        version=3,
        comment="12 pages",
        submitted=date(2026, 1, 1),
    )
    both = bare.model_copy(update={"ids": {"sample": "a", "arxiv": "2601.00009"}})
    for place in order:
        await store.upsert([[bare, theirs, both][place]])
    [paper] = await store.papers([await store.find_id("arxiv", "2601.00009")])
    assert (paper.version, paper.comment, len(paper.authors)) == (3, "12 pages", 2)


async def test_a_paper_is_found_behind_any_number_of_merges(store):
    authors = {"authors": ["Ada Lovelace"]}
    first = await store.upsert([record(1, ids={"sample": "a"}, title="Alpha beta", **authors)])
    await store.upsert([record(2, ids={"acl": "b"}, title="Gamma delta", authors=["Bo Ba"])])
    await store.upsert([record(3, ids={"openalex": "c"}, title="Epsilon zeta", authors=["Zed Zulu"])])
    await store.upsert([record(2, ids={"acl": "b", "sample": "a"}, title="Gamma delta", **authors)])
    await store.upsert([record(3, ids={"openalex": "c", "acl": "b"}, title="Epsilon zeta")])
    last = await store.find_id("openalex", "c")
    for paper in range(first.ids[0], first.ids[0] + 3):
        assert [found.id for found in await store.papers([paper])] == [last]
        assert [(number, found.id) for number, found in (await store.papers_by_number([paper])).items()] == [
            (paper, last)
        ]


async def test_papers_that_share_one_author_and_a_common_name_stay_two(store):
    arxiv = {"source": "arxiv-snapshot", "announced": None, "listings": []}
    one = record(
        1, title="Attacks on ChatGPT", authors=["Wei Wang", "Li Li"], submitted=date(2026, 1, 1), **arxiv
    )
    sample = {"source": "sample", "ids": {"sample": "x"}, "authors": ["Wei Wang"], "authors_complete": False}
    other = {"title": "ChatGPT helps nurses write reports", "submitted": date(2026, 1, 4)}
    await store.upsert([one])
    await store.upsert([record(2, **sample, **other, announced=None, listings=[])])
    assert await store.count() == 2
    own = {"source": "file", "ids": {"file": "A-1"}, "authors": ["Wei Wang", "Li Li"]}
    await store.upsert([record(3, **own, **other, announced=None, listings=[])])
    assert await store.count() == 3, "with an id of its own, each is a paper of its own"
