"""A CV taken over, as a member meets it: read, looked at, left out, kept, shown, removed."""

import json

import pytest

from bot.local_discord.typed import TypingError
from commands.members.cv import keep
from data.stores.claims import Profile
from data.stores.own_works import KINDS, OwnEntry
from tests.helpers.members import claimed
from tests.helpers.site import TITLE

pytestmark = pytest.mark.hostile

CV = f"""# ChonLam Lao
lao@example.edu, +1 617 555 0000
My research interests include switches, **@everyone** and in-network computing.
## Education
Harvard University, PhD of Computer Science, 2021 - Present
## Publications
"{TITLE}", Hao Wang, ChonLam Lao, ICNP 2023.

"TrainMover: An Interruption-Resilient and Reliable ML Training Runtime", in submission

"A Work That Nobody Knows <@1>", ChonLam Lao, in submission

Something that can not be understood at all, 2019
## Awards
Best Paper, "ATP"
"""


async def holds(own):
    services, user = own
    await claimed(services, int(user.user["id"]), "ChonLam Lao", int(user.guild_id))
    return services, user


async def test_a_cv_is_taken_over_only_as_its_member_says(own, tmp_path):
    services, user = own
    (tmp_path / "cv.md").write_text(CV)
    asked = f"/profile import file:{tmp_path / 'cv.md'}"
    assert "Claim your papers first" in (await user.slash(asked)).text
    await holds(own)
    read = await user.slash(asked)
    assert read.is_private
    assert "Read: 3 publications" in read.text
    known, _, rest = read.text.partition("Works that I don't know (1)")
    assert "Papers that I know (2)" in known
    assert "Efficient Data-Plane Memory" in known
    assert "TrainMover" in known
    assert "A Work That Nobody Knows" in rest
    assert "*in submission*" in rest
    assert "Lines that I could not read (1)" in rest
    assert "PhD of Computer Science" in rest
    for outside in ("@everyone", "<@1>", "lao@example", "617 555"):
        assert outside not in read.text
    member = int(user.user["id"])
    assert await services.store.own_works.of(member) == [], "nothing is kept before the member says so"
    assert "self-reported" not in (await user.slash("/author name:ChonLam Lao")).text
    fewer = await read.choose("A Work That Nobody Knows")
    assert "Read: 2 publications" in fewer.text
    read = await user.slash(asked)
    kept = await read.press("Keep all of it")
    assert "Kept: 7 entries" in kept.text
    card = await user.slash("/author name:ChonLam Lao")
    assert "1 self-reported work, 1 in submission" in card.text
    assert "**Interests** switches" in card.text
    assert "<@1>" not in card.text
    works = await user.slash("/profile works")
    assert "3 publications" in works.text
    await works.choose("A Work That Nobody Knows")
    assert "self-reported" not in (await user.slash("/author name:ChonLam Lao")).text
    again = await (await user.slash(asked)).press("Publications only")
    assert "Kept: 3 entries" in again.text
    assert len(await services.store.own_works.of(member)) == 7, "publications once, the rest as it was"
    held = await services.store.own_works.held(member)
    assert "lao@example" not in json.dumps(held)
    await (await (await user.slash("/me forget")).press("Delete it")).user.slash("/me data")
    assert await services.store.own_works.of(member) == []


async def test_nothing_is_kept_when_the_member_says_so(own, tmp_path):
    services, user = await holds(own)
    (tmp_path / "cv.md").write_text(CV)
    read = await user.slash(f"/profile import file:{tmp_path / 'cv.md'}")
    assert "I have kept none of it" in (await read.press("Keep nothing")).text
    member = int(user.user["id"])
    assert (
        "nothing to keep"
        in (await keep(services, member, KINDS)).to_components()[0]["components"][0]["content"]
    )
    assert await services.store.own_works.of(int(user.user["id"])) == []
    assert "kept nothing from a CV yet" in (await user.slash("/profile works")).text


async def test_a_profile_for_claimed_members_hides_it_from_others(own, tmp_path):
    services, user = own
    await claimed(services, 9, "ChonLam Lao")
    await services.store.own_works.put(9, [OwnEntry(0, "work", "read", "A Hidden Work of Mine")])
    await services.store.own_works.keep(9, ("work",))
    assert "A Hidden Work" in (await user.slash("/author name:ChonLam Lao")).text
    await services.store.claims.save_profile(Profile(9, public=False))
    assert "A Hidden Work" not in (await user.slash("/author name:ChonLam Lao")).text
    assert not await services.store.own_works.remove(10, (await services.store.own_works.of(9))[0].id)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("cv.pdf", b"%PDF-1.7 /JavaScript", "scripts or attached"),
        ("cv.docx", b"PK\x03\x04....", "I read PDF, Markdown"),
        ("cv.txt", b"", "empty"),
        ("cv.txt", b"hello", "I found no publications"),
        ("@everyone.pdf", b"%PDF-1.7 @everyone", "damaged"),
    ],
)
async def test_a_file_that_can_not_be_read_gets_a_kind_word(own, tmp_path, name, data, said):
    _, user = await holds(own)
    (tmp_path / name).write_bytes(data)
    reply = await user.slash(f"/profile import file:{tmp_path / name}")
    assert said in reply.text
    assert "went wrong" not in reply.text
    assert "@everyone" not in reply.text


async def test_an_orcid_record_is_taken_over(own, site):
    _, user = await holds(own)
    assert "either a file" in (await user.slash("/profile import")).text
    assert "not an ORCID" in (await user.slash("/profile import orcid:12")).text
    path = "/orcid/v3.0/0000-0002-1825-0097/record"
    ask = "/profile import orcid:0000-0002-1825-0097"
    works = '"activities-summary": {"works": {"group": []}}'
    for page in ("[]", f'{{{works}, "person": [1]}}', f'{{{works}, "person": {{"keywords": 5}}}}'):
        site.pages[path] = page
        assert "not a record" in (await user.slash(ask)).text, page
    group = {"work-summary": [{"title": {"title": {"value": TITLE}}}]}
    site.pages[path] = json.dumps({"activities-summary": {"works": {"group": [group]}}})
    assert "Papers that I know (1)" in (await user.slash(ask)).text


async def test_a_path_that_is_none_is_said_by_the_client(own):
    _, user = own
    with pytest.raises(TypingError, match="does not exist"):
        await user.slash("/profile import file:/no/such/file.pdf")
