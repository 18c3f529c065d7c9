"""Writing a batch of records into the store: one transaction, the same result however often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Table, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.keys import author_hash, name_key, title_key
from data.records import Author, Changes, Deletion, PaperRecord, paper_of
from data.stores import sequences
from data.stores.slices import slices
from data.stores.works import Work, apply, new_work, revised_title, same_title
from data.tables.papers import AuthorRow, AuthorshipRow, FormerTitleRow, ListingRow, PaperIdRow, PaperRow

_PAPERS = cast(Table, PaperRow.__table__)
_PAPER_COLUMNS = [column.name for column in _PAPERS.columns if column.name not in ("id", "changed")]


class Batch:
    """Works that a batch of records touches, loaded once, changed in memory, written once."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._db = connection
        self._works: dict[int, Work] = {}
        self._new: list[Work] = []
        self._by_id: dict[tuple[str, str], Work] = {}
        self._by_title: dict[int, list[Work]] = {}
        self._by_first: dict[int, list[Work]] = {}
        self._before: dict[int, tuple[Any, ...]] = {}
        self._taken_by: dict[int, Work] = {}

    async def apply(self, items: Sequence[PaperRecord | Deletion]) -> Changes:
        """Put records and deletions into the store.

        Returns
        -------
        Changes
            Counts, and the store ids whose row changed.
        """
        await sequences.take(
            self._db, "changes", 0
        )  # batches come one after another: none misses the last one's works
        records = [item for item in items if isinstance(item, PaperRecord)]
        await self._load_matches(records)
        unmatched = [record for record in records if not self._take_known(record)]
        for record in unmatched:
            self._take_unknown(record)
        await self._withdraw([item for item in items if isinstance(item, Deletion)])
        changes = await self._write(len(items))
        changes.ids = [
            self._taken_by[id(item)].row["id"] if id(item) in self._taken_by else 0 for item in items
        ]
        return changes

    # -- matching -----------------------------------------------------------------------------

    async def _load_matches(self, records: list[PaperRecord]) -> None:
        wanted: dict[str, list[str]] = {}
        for record in records:
            for scheme, value in record.ids.items():
                wanted.setdefault(scheme, []).append(value)
        found: set[int] = set()
        for scheme, values in wanted.items():
            for part in slices(values):
                rows = await self._db.execute(
                    select(PaperIdRow.paper_id, PaperIdRow.value).where(
                        PaperIdRow.scheme == scheme, PaperIdRow.value.in_(part)
                    )
                )
                known = rows.all()
                found.update(paper_id for paper_id, _ in known)
                wanted[scheme] = [v for v in wanted[scheme] if v not in {value for _, value in known}]
        unknown = [r for r in records if all(v in wanted[s] for s, v in r.ids.items())]
        found |= await self._similar(unknown)
        await self._load(found)

    async def _similar(self, records: list[PaperRecord]) -> set[int]:
        """Store ids of works that share a title or first author with records of unknown id."""
        found: set[int] = set()
        for with_arxiv in (True, False):
            group = [record for record in records if ("arxiv" in record.ids) is with_arxiv]
            # Two arXiv ids are always two works, so such records only meet works without one.
            free = [PaperRow.arxiv_id.is_(None)] if with_arxiv else []
            titles = {title_key(record.title) for record in group}
            firsts = {author_hash(*record.authors[:1]) for record in group}
            for column, keys in ((PaperRow.title_key, titles), (PaperRow.first_author, firsts)):
                for part in slices(keys):
                    query = select(PaperRow.id).where(column.in_(part), PaperRow.merged_into.is_(None), *free)
                    found.update((await self._db.scalars(query)).all())
            for part in slices(titles):
                former = select(FormerTitleRow.paper_id).where(FormerTitleRow.title_key.in_(part))
                found.update((await self._db.scalars(former)).all())
        return found

    async def _load(self, ids: set[int]) -> None:
        for part in slices(sorted(ids - self._works.keys())):
            rows = (await self._db.execute(select(_PAPERS).where(_PAPERS.c.id.in_(part)))).mappings().all()
            works = {row["id"]: Work(dict(row)) for row in rows}
            names = await self._db.execute(
                select(AuthorshipRow.paper_id, AuthorshipRow.name, AuthorshipRow.listed)
                .where(AuthorshipRow.paper_id.in_(part))
                .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
            )
            for paper_id, name, listed in names:
                works[paper_id].authors.append((name, listed))
            for id_row in await self._db.execute(
                select(PaperIdRow.__table__).where(PaperIdRow.paper_id.in_(part))
            ):
                works[id_row.paper_id].ids[id_row.scheme, id_row.value] = None
            for listed_row in await self._db.execute(
                select(ListingRow.__table__).where(ListingRow.paper_id.in_(part))
            ):
                works[listed_row.paper_id].listings[listed_row.list, listed_row.day] = None
            titles = select(FormerTitleRow.__table__).where(FormerTitleRow.paper_id.in_(part))
            for title_row in await self._db.execute(titles):
                works[title_row.paper_id].former[title_row.title_key] = title_row.title
            for paper_id, work in works.items():
                self._works[paper_id] = work
                self._before[paper_id] = _snapshot(work)
                self._register(work)

    def _register(self, work: Work) -> None:
        for name in work.ids:
            self._by_id[name] = work
        for key in (work.row["title_key"], *work.former):
            _add(self._by_title, key, work)
        _add(self._by_first, work.row["first_author"], work)

    def _take_known(self, record: PaperRecord) -> bool:
        """Apply a record to the work that shares an id or the title with it."""
        matches: list[Work] = []
        for name in record.ids.items():
            work = self._by_id.get(name)
            if work and all(work is not other for other in matches):
                matches.append(work)
        if not matches:
            matches = [w for w in self._by_title.get(title_key(record.title), []) if same_title(w, record)][
                :1
            ]
        if not matches:
            return False
        matches.sort(key=lambda match: match.is_new)
        work = matches[0]
        for other in matches[1:]:
            if not (work.row["arxiv_id"] and other.row["arxiv_id"]):
                self._merge(other, work)
        apply(work, record)
        self._taken_by[id(record)] = work
        self._register(work)
        return True

    def _take_unknown(self, record: PaperRecord) -> None:
        if self._take_known(record):  # a record before it in this batch was the same work
            return
        revised = (
            w for w in self._by_first.get(author_hash(*record.authors[:1]), []) if revised_title(w, record)
        )
        work = next(revised, None)
        if work:
            apply(work, record)
        else:
            work = new_work(record)
            self._new.append(work)
        self._taken_by[id(record)] = work
        self._register(work)

    def _merge(self, gone: Work, into: Work) -> None:
        """Two rows were one work: the second keeps its number only to lead to the first."""
        into.ids.update(gone.ids)
        into.listings.update(gone.listings)
        into.former.update(gone.former)
        if gone.row["title_key"] != into.row["title_key"]:
            into.former[gone.row["title_key"]] = gone.row["title"]
        into.row["arxiv_id"] = into.row["arxiv_id"] or gone.row["arxiv_id"]
        for name in gone.ids:
            self._by_id[name] = into
        if gone.is_new:
            self._new.remove(gone)
            return
        gone.row["merged_into"], gone.row["arxiv_id"] = into.row.get("id"), None
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
        changed = [
            (paper_id, work)
            for paper_id, work in self._works.items()
            if _snapshot(work) != self._before[paper_id]
        ]
        changes = Changes(added=len(self._new), updated=len(changed))
        changes.unchanged = max(0, read - changes.added - changes.updated)
        if not changed and not self._new:
            return changes
        stamp = await sequences.take(self._db, "changes")
        next_id = await sequences.take(self._db, "papers", len(self._new))
        for offset, work in enumerate(self._new):
            work.row["id"] = next_id + offset
        await self._insert_papers(stamp)
        await self._update_papers(changed, stamp)
        for work in [*self._new, *(work for _, work in changed)]:
            if work.row["merged_into"]:
                changes.gone.append(work.row["id"])
            else:
                authors = (Author(name_key(name), name, listed) for name, listed in work.authors)
                changes.touched.append(paper_of(work.row, authors, work.former.values()))
        changes.stamp = stamp
        return changes

    async def _insert_papers(self, stamp: int) -> None:
        if not self._new:
            return
        await self._db.execute(
            insert(_PAPERS),
            [
                {**{c: w.row[c] for c in _PAPER_COLUMNS}, "id": w.row["id"], "changed": stamp}
                for w in self._new
            ],
        )
        await self._insert_parts((w, w.ids, w.listings, w.former) for w in self._new)
        await self._insert_authorships(self._new)

    async def _update_papers(self, changed: list[tuple[int, Work]], stamp: int) -> None:
        gone = [paper_id for paper_id, work in changed if work.row["merged_into"]]
        for paper_id in gone:
            for table in (PaperIdRow, ListingRow, FormerTitleRow, AuthorshipRow):
                await self._db.execute(delete(table).where(table.paper_id == paper_id))
        # Freed ids first: arxiv_id is unique.
        for paper_id, work in sorted(changed, key=lambda pair: pair[1].row["merged_into"] is None):
            values = {column: work.row[column] for column in _PAPER_COLUMNS}
            await self._db.execute(
                update(_PAPERS).where(_PAPERS.c.id == paper_id).values(**values, changed=stamp)
            )
        parts, rewritten = [], []
        for paper_id, work in changed:
            if paper_id in gone:
                continue
            _, ids, authors, listings, former = self._before[paper_id]
            parts.append(
                (
                    work,
                    [name for name in work.ids if name not in ids],
                    [listing for listing in work.listings if listing not in listings],
                    {key: title for key, title in work.former.items() if (key, title) not in former},
                )
            )
            if tuple(work.authors) != authors:
                rewritten.append(work)
                await self._db.execute(delete(AuthorshipRow).where(AuthorshipRow.paper_id == paper_id))
            dropped = [key for key, _ in former if key not in work.former]
            if dropped:
                await self._db.execute(
                    delete(FormerTitleRow).where(
                        FormerTitleRow.paper_id == paper_id, FormerTitleRow.title_key.in_(dropped)
                    )
                )
        await self._insert_parts(parts)
        await self._insert_authorships(rewritten)

    async def _insert_parts(self, parts: Iterable[tuple[Work, Any, Any, Any]]) -> None:
        ids, listings, former = [], [], []
        for work, new_ids, new_listings, new_former in parts:
            paper_id = work.row["id"]
            ids += [{"scheme": s, "value": v, "paper_id": paper_id} for s, v in new_ids]
            listings += [{"paper_id": paper_id, "list": name, "day": day} for name, day in new_listings]
            former += [
                {"paper_id": paper_id, "title_key": key, "title": title} for key, title in new_former.items()
            ]
        for table, rows in ((PaperIdRow, ids), (ListingRow, listings), (FormerTitleRow, former)):
            if rows:
                await self._db.execute(insert(table), rows)

    async def _insert_authorships(self, works: list[Work]) -> None:
        names = {name_key(name): name for work in works for name, _ in work.authors}
        known: dict[str, int] = {}
        for part in slices(names):
            rows = await self._db.execute(select(AuthorRow.key, AuthorRow.id).where(AuthorRow.key.in_(part)))
            known.update((key, author_id) for key, author_id in rows)
        missing = [key for key in names if key not in known]
        if missing:
            next_id = await sequences.take(self._db, "authors", len(missing))
            known.update((key, next_id + offset) for offset, key in enumerate(missing))
            await self._db.execute(
                insert(AuthorRow),
                [{"id": known[key], "key": key, "name": names[key]} for key in missing],
            )
        rows_ = [
            {
                "paper_id": work.row["id"],
                "position": position,
                "author_id": known[name_key(name)],
                "name": name,
                "listed": listed,
            }
            for work in works
            for position, (name, listed) in enumerate(work.authors)
        ]
        if rows_:
            await self._db.execute(insert(AuthorshipRow), rows_)


def _snapshot(work: Work) -> tuple[Any, ...]:
    """What to compare after the batch: row, ids, authors, listings, former titles."""
    return (
        {column: work.row[column] for column in _PAPER_COLUMNS},
        tuple(work.ids),
        tuple(work.authors),
        tuple(work.listings),
        tuple(work.former.items()),
    )


def _add(index: dict[int, list[Work]], key: int, work: Work) -> None:
    entries = index.setdefault(key, [])
    if all(entry is not work for entry in entries):
        entries.append(work)
