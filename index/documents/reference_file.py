"""Reading a file of references in the confined process, and matching the entries with known papers."""

from __future__ import annotations

from typing import Any

from data.calendar.arxiv_ids import find_arxiv_id, find_doi
from data.keys import name_key, title_words
from data.records import Paper
from data.stores.store import Store
from index.documents.cv_file import UnreadableError, in_sandbox
from index.documents.references import KINDS, NoReferences, kind_of
from index.identity.person_names import in_two_letters, parse_name
from index.search.named_papers import TITLE_WORDS

MOST_BYTES = 10_000_000
SECONDS = 25.0
_ARTICLES = ("article", "article-journal", "paper-conference")


async def read_file(data: bytes, name: str = "") -> tuple[list[dict[str, Any]], list[str]]:
    """(CSL-JSON items, entries that could not be parsed) of a file.

    Raises
    ------
    UnreadableError
        If it is refused, damaged, or takes too much time or memory.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableError(
            f"The file has {len(data) / 1e6:.1f} MB; up to {MOST_BYTES // 1_000_000} are read."
        )
    try:
        kind = kind_of(data[:40_000].decode("utf-8-sig", "replace"), name)
    except NoReferences as error:
        raise UnreadableError(str(error)) from error
    assert kind in KINDS
    answer = await in_sandbox(f"references-{kind}", data, SECONDS)
    return list(answer["items"]), [str(line) for line in answer["unread"]]


async def match(store: Store, item: dict[str, Any]) -> Paper | None:
    """The known paper that an item matches: by arXiv id, by DOI, or by title with a shared author."""
    for text in (
        item.get("number", ""),
        item.get("URL", ""),
        item.get("DOI", ""),
    ):
        if (found := find_arxiv_id(str(text))) and (paper := await store.find_id("arxiv", found[0])):
            return await _paper(store, paper)
    for text in (item.get("DOI", ""), item.get("URL", "")):
        if (doi := find_doi(str(text))) and (paper := await store.find_id("doi", doi[:300])):
            return await _paper(store, paper)
    for titled in await store.papers((await store.find_title(item["title"]))[:5]):
        if _is_meant(item, titled):
            return titled
    return None


async def _paper(store: Store, number: int) -> Paper | None:
    found = await store.papers([number])
    return found[0] if found else None


def _is_meant(item: dict[str, Any], paper: Paper) -> bool:
    """Whether an item means the paper with its title.

    A short title may be many works': then an author has to agree in the first initial, too, and without
    authors only an article can be meant.
    """
    is_long = len(title_words(item["title"])) >= TITLE_WORDS
    people = item.get("author") or []
    if not people:
        return is_long or item.get("type", "article") in _ARTICLES
    forms: set[str] = set()
    for author in paper.authors:
        forms |= _full_forms(author.name) | _last_words(author.name)
    return any(_forms(person, is_long=is_long) & forms for person in people)


def _forms(person: dict[str, str], *, is_long: bool) -> set[str]:
    """The forms of an author in an item that a paper's author may share."""
    family, given = person.get("family", ""), person.get("given", "")
    if not family:
        return {name_key(person.get("literal", "")).removeprefix("the ")} - {""}
    full = _full_forms(f"{given} {family}".replace(",", " ")) if given else set()  # "Smith", "John, Jr."
    return full if given and not is_long else {*full, name_key(family)} - {""}


def _full_forms(printed: str) -> set[str]:
    """A name's family name with the first initial before it, also with umlauts in two letters."""
    names = [parse_name(printed)]
    names += [parse_name(name.in_two) for name in names if name.in_two]
    return {f"{name.initial}. {name.family}" for name in names if name.initial}


def _last_words(printed: str) -> set[str]:
    """What a family name alone may be: of "Jan van der Berg", "berg", "der berg" and so on."""
    words = [name_key(name).split() for name in (printed, in_two_letters(printed))]
    return {parse_name(printed).family, *(" ".join(key[n:]) for key in words for n in range(len(key)))}
