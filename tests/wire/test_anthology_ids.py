"""Papers of the ACL Anthology are found by their ids and links, and titles in a row are each looked up."""

import pytest

from tests.helpers.digests import active
from tests.helpers.lab import fill
from tests.helpers.records import record

ABC = "A, B and C: Three Letters of Great Promise"


def filed(number, file, title):
    return record(number, source="file", ids={"file": file}, title=title)


ANTHOLOGY = [
    filed(901, "2021.acl-short.116", "ConRPG: Paraphrase Generation using Contexts as Regularizer"),
    filed(902, "P18-1.207", "Signed Coreference Resolution"),
    filed(903, "W15-59.32", "Workshops of Two Digits"),
    filed(904, "P19-1531", "Ids as They Came"),
    filed(905, "own-17", ABC),
]


@pytest.fixture
async def anthology(scene):
    await fill(scene.bot, ANTHOLOGY)
    return scene


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("2021.acl-short.116", "ConRPG"),
        ("https://aclanthology.org/2021.acl-short.116/", "ConRPG"),
        ("https://www.aclanthology.org/2021.ACL-short.116.pdf", "ConRPG"),
        ("10.18653/v1/2021.acl-short.116", "ConRPG"),
        ("P18-1207", "Signed Coreference"),
        ("P18-1.207", "Signed Coreference"),
        ("https://aclanthology.org/P18-1207", "Signed Coreference"),
        ("https://www.aclweb.org/anthology/W15-5932/", "Workshops of Two Digits"),
        ("p19-1531", "Ids as They Came"),
        ("P19-1.531", "Ids as They Came"),
    ],
)
async def test_a_paper_is_found_by_its_id_in_every_form(anthology, typed, title):
    assert title in (await anthology.user.slash(f"/paper {typed}")).text


async def test_ids_serve_every_command(anthology):
    link = "https://aclanthology.org/2021.acl-short.116/"
    assert "You follow **ConRPG" in (await anthology.user.slash(f"/follow paper:{link}")).text
    assert "ConRPG" in (await anthology.user.slash(f"/save paper:{link}")).text
    unknown = await anthology.user.slash("/paper 2021.acl-short.117")
    assert "“2021.acl-short.117” is not among the" in unknown.text
    assert unknown.selects == [], "a search for the id would find nothing like it"


@pytest.mark.parametrize(
    ("papers", "learned", "unknown"),
    [
        ("ConRPG, Signed Coreference Resolution", 2, ""),
        ("ConRPG; Signed Coreference Resolution; Ids as They Came", 3, ""),
        ("ConRPG, Paper That Nobody Wrote, Signed Coreference Resolution", 2, "Paper That Nobody Wrote"),
        (ABC, 1, ""),
        (f"ConRPG, {ABC}, Ids as They Came", 3, ""),
        ("2021.acl-short.116, https://aclanthology.org/P18-1207/ P19-1531", 3, ""),
        ("P18-1207, 2021.acl-short.117", 1, "2021.acl-short.117"),
    ],
)
async def test_a_digest_learns_from_every_paper_that_it_is_given(anthology, papers, learned, unknown):
    await active(anthology)
    told = (await anthology.user.slash(f"/digest learn papers:{papers}")).text
    assert f"now learns from {learned} more paper" in told
    if unknown:
        assert f"I don't know “{unknown}”" in told
    else:
        assert "I don't know" not in told
