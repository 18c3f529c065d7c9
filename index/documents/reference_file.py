"""Reading a file of references in the confined process, and matching the entries with known papers."""

from __future__ import annotations

from typing import Any

from data.calendar.arxiv_ids import find_arxiv_id, find_doi
from data.keys import fold
from data.records import Paper
from data.stores.store import Store
from index.documents.cv_file import UnreadableError, in_sandbox
from index.documents.references import KINDS, NoReferences, kind_of

MOST_BYTES = 10_000_000
SECONDS = 25.0


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
    """The known paper that an item matches: by arXiv id, DOI, or title with a shared author."""
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
        if _shares_author(item, titled):
            return titled
    return None


async def _paper(store: Store, number: int) -> Paper | None:
    found = await store.papers([number])
    return found[0] if found else None


def _shares_author(item: dict[str, Any], paper: Paper) -> bool:
    people = item.get("author") or []
    if not people:
        return True
    families = {fold(person.get("family") or person.get("literal", "")) for person in people}
    names = " ".join(fold(author.name) for author in paper.authors)
    return any(family and family in names for family in families)
