"""Writing a batch of records into the store: one transaction, the same result however often it runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.records import Changes, Deletion, PaperRecord, WorkText
from data.stores import sequences
from data.stores.bulk import among
from data.stores.slices import slices
from data.stores.work_rows import NameKeys, Snapshot, insert_works, load_works, snapshot, update_works
from data.stores.works import Work, apply, new_work, revised_title, same_title
from data.tables.papers import FormerTitleRow, PaperIdRow, PaperRow


class Batch:
    """The works that a batch of records touches: loaded once, changed in memory, written once."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._db = connection
        self._works: dict[int, Work] = {}
        self._new: list[Work] = []
        self._by_id: dict[tuple[str, str], Work] = {}
        self._by_title: dict[int, list[Work]] = {}
        self._by_first: dict[int, list[Work]] = {}
        self._before: dict[int, Snapshot] = {}
        self._taken_by: dict[int, Work] = {}
        self._keys = NameKeys()

    async def apply(self, items: Sequence[PaperRecord | Deletion]) -> Changes:
        """Put records and deletions into the store.

        Returns
        -------
        Changes
            Counts, and the store ids whose row changed.
        """
        await sequences.take(self._db, "changes", 0)  # one batch at a time, each sees the last one's works
        records = [item for item in items if isinstance(item, PaperRecord)]
        for record in records:
            self._keys.update(zip(record.authors, record.author_keys, strict=True))
        await self._load_matches(records)
        unmatched = [record for record in records if not self._take_known(record)]
        for record in unmatched:
            self._take_unknown(record)
        await self._withdraw([item for item in items if isinstance(item, Deletion)])
        changes = await self._write(len(items))
        changes.ids = [self._store_id(item) for item in items]
        return changes

    def _store_id(self, item: PaperRecord | Deletion) -> int:
        """The store id of an item's work; 0 where it has none."""
        work = self._taken_by.get(id(item))
        return int(_present(work).row["id"]) if work is not None else 0

    # -- matching -----------------------------------------------------------------------------

    async def _load_matches(self, records: list[PaperRecord]) -> None:
        wanted: dict[str, set[str]] = {}
        for record in records:
            for scheme, value in record.ids.items():
                wanted.setdefault(scheme, set()).add(value)
        matches: set[int] = set()
        for scheme, values in wanted.items():
            for part in slices(sorted(values)):
                same = among(self._db, PaperIdRow.value, part)
                query = select(PaperIdRow.paper_id).where(PaperIdRow.scheme == scheme, same)
                matches.update((await self._db.scalars(query)).all())
        await self._load(matches)
        unknown = [record for record in records if not self._same_id(record)]
        await self._load(await self._similar(unknown))

    async def _similar(self, records: list[PaperRecord]) -> set[int]:
        """Store ids of works that share a title or first author with records of unknown id."""
        similar: set[int] = set()
        for with_arxiv in (True, False):
            group = [record for record in records if ("arxiv" in record.ids) is with_arxiv]
            # Two arXiv ids are always two works, so a record with one can only match a work without.
            free = [PaperRow.arxiv_id.is_(None)] if with_arxiv else []
            titles = {record.title_key for record in group}
            firsts = {record.first_author for record in group}
            for column, keys in ((PaperRow.title_key, titles), (PaperRow.first_author, firsts)):
                for part in slices(keys):
                    alike = among(self._db, column, part)
                    query = select(PaperRow.id).where(alike, PaperRow.merged_into.is_(None), *free)
                    similar.update((await self._db.scalars(query)).all())
            for part in slices(titles):
                alike = among(self._db, FormerTitleRow.title_key, part)
                former = select(FormerTitleRow.paper_id).where(alike)
                similar.update((await self._db.scalars(former)).all())
        return similar

    async def _load(self, ids: set[int]) -> None:
        for part in slices(sorted(ids - self._works.keys())):
            works = await load_works(self._db, part)
            for paper_id, work in works.items():
                self._works[paper_id] = work
                self._before[paper_id] = snapshot(work)
                self._register(work)

    def _register(self, work: Work) -> None:
        for name in work.ids:
            self._by_id[name] = work
        for key in (work.row["title_key"], *work.former):
            _add(self._by_title, key, work)
        _add(self._by_first, work.row["first_author"], work)

    def _take_known(self, record: PaperRecord) -> bool:
        """Apply a record to the work with the same id or title; False where there is none."""
        matches = self._same_id(record)
        if not matches:
            titled = self._still_apart(self._by_title, record.title_key)
            matches = [work for work in titled if same_title(work, record)][:1]
        if not matches:
            return False
        # What the others know besides is dropped, so arXiv's own comes first.
        matches.sort(key=lambda match: (match.is_new, match.row["arxiv_id"] is None))
        work = matches[0]
        for other in matches[1:]:
            if not (work.row["arxiv_id"] and other.row["arxiv_id"]):
                self._merge(other, work)
        apply(work, self._without_others_ids(record, work))
        self._taken_by[id(record)] = work
        self._register(work)
        return True

    def _same_id(self, record: PaperRecord) -> list[Work]:
        """The works with an identifier of the record, but for those with another arXiv id."""
        works: list[Work] = []
        for name in record.ids.items():
            work = self._by_id.get(name)
            if work and _has_no_other_arxiv_id(work, record) and work not in works:
                works.append(work)
        return works

    def _without_others_ids(self, record: PaperRecord, work: Work | None = None) -> PaperRecord:
        """The record without identifiers of works that it is not a record of.

        Some papers of arXiv share a DOI, such as the parts of one article. Each shows it, and it leads to the
        first.
        """
        ids = {
            scheme: value
            for scheme, value in record.ids.items()
            if self._by_id.get((scheme, value)) in (None, work)
        }
        return record if ids == record.ids else record.model_copy(update={"ids": ids})

    def _still_apart(self, index: dict[int, list[Work]], key: int) -> list[Work]:
        return [work for work in index.get(key, []) if work.joined is None]

    def _take_unknown(self, record: PaperRecord) -> None:
        if self._take_known(record):  # an earlier record of this batch was the same work
            return
        revised = (
            w for w in self._still_apart(self._by_first, record.first_author) if revised_title(w, record)
        )
        work = next(revised, None)
        if work:
            apply(work, self._without_others_ids(record, work))
        else:
            work = new_work(self._without_others_ids(record))
            self._new.append(work)
        self._taken_by[id(record)] = work
        self._register(work)

    def _merge(self, gone: Work, into: Work) -> None:
        """Merge two rows of one work; the second keeps its number only to point to the first."""
        into.ids.update(gone.ids)
        into.listings.update(gone.listings)
        into.former.update(gone.former)
        if gone.row["title_key"] != into.row["title_key"]:
            into.former[gone.row["title_key"]] = gone.row["title"]
        into.row["arxiv_id"] = into.row["arxiv_id"] or gone.row["arxiv_id"]
        for name in gone.ids:
            self._by_id[name] = into
        gone.joined = into
        if gone.is_new:
            self._new = [work for work in self._new if work is not gone]
            return
        gone.row["arxiv_id"] = None
        gone.ids, gone.listings, gone.former = {}, {}, {}

    async def _withdraw(self, deletions: list[Deletion]) -> None:
        for deletion in deletions:
            name = (deletion.scheme, deletion.value)
            if name not in self._by_id:
                paper_id = await self._db.scalar(
                    select(PaperIdRow.paper_id).where(
                        PaperIdRow.scheme == deletion.scheme, PaperIdRow.value == deletion.value
                    )
                )
                await self._load({paper_id} if paper_id else set())
            if work := self._by_id.get(name):
                work.row["withdrawn"] = True

    # -- writing ------------------------------------------------------------------------------

    async def _write(self, read: int) -> Changes:
        for work in self._works.values():
            if work.joined is not None:
                work.row["merged_into"] = _present(work).row["id"]
        changed = [
            (paper_id, work)
            for paper_id, work in self._works.items()
            if snapshot(work) != self._before[paper_id]
        ]
        changes = Changes(added=len(self._new), updated=len(changed))
        changes.unchanged = max(0, read - changes.added - changes.updated)
        if not changed and not self._new:
            return changes
        stamp = await sequences.take(self._db, "changes")
        next_id = await sequences.take(self._db, "papers", len(self._new))
        for offset, work in enumerate(self._new):
            work.row["id"] = next_id + offset
        await insert_works(self._db, self._new, self._keys, stamp)
        await update_works(self._db, changed, self._before, self._keys, stamp)
        for work in [*self._new, *(work for _, work in changed)]:
            if work.row["merged_into"]:
                changes.gone.append(work.row["id"])
            else:
                changes.touched.append(_text(work))
        changes.stamp = stamp
        return changes


def _present(work: Work) -> Work:
    """What a work is after the batch: itself, or the one that it was merged into in the end."""
    while work.joined is not None:
        work = work.joined
    return work


def _has_no_other_arxiv_id(work: Work, record: PaperRecord) -> bool:
    """False for a work with another arXiv id: two of them are always two works."""
    return "arxiv" not in record.ids or work.row["arxiv_id"] in (None, record.ids["arxiv"])


def _text(work: Work) -> WorkText:
    row, names = work.row, tuple(name for name, _ in work.authors)
    return WorkText(row["id"], row["title"], row["abstract"], tuple(work.former.values()), names)


def _add(index: dict[int, list[Work]], key: int, work: Work) -> None:
    entries = index.setdefault(key, [])
    if all(entry is not work for entry in entries):
        entries.append(work)
