"""The time to tell people apart: a full pass over all papers, then a day's 500 papers."""

from __future__ import annotations

import argparse
import asyncio
import resource
import shutil
import tempfile
import time
from pathlib import Path

from sqlalchemy import delete, func, select, update

from benchmarks.data import FOLDER, full_corpus, need_data, url
from data.database.engine import BULK
from data.stores.store import Store
from data.tables.papers import MembershipRow, PaperRow
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder

DAY = 500


async def main() -> None:
    """Print times, memory and the share of changes by a second pass."""
    corpus = await full_corpus()
    started, worked = time.monotonic(), time.process_time()
    outcome = await identify(corpus, full=True)
    spent, worked = time.monotonic() - started, time.process_time() - worked
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"full pass: {outcome.authorships:,} authorships, {outcome.people:,} people in {spent:.0f} s "
        f"({worked:.0f} s of CPU), {memory:.1f} GB at most (targets 900 s, 4 GB)",
        flush=True,
    )
    started = time.monotonic()
    again = await identify(corpus, full=True)
    print(f"once more: {again.changed:,} authorships changed, {time.monotonic() - started:.0f} s", flush=True)
    await corpus.store.close()
    await _day()


async def _day() -> None:
    """Forget the judgements of the newest papers in a copy, and place their authorships again."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        shutil.copytree(FOLDER, copy, dirs_exist_ok=True)
        store = await Store.open(url(copy), paging=BULK)
        async with store._writer.begin() as connection:
            newest = select(PaperRow.id).order_by(PaperRow.announced.desc(), PaperRow.id.desc()).limit(DAY)
            ids = (await connection.scalars(newest)).all()
            before = {
                (row.paper_id, row.position): row.person_id
                for row in await connection.execute(
                    select(MembershipRow.__table__).where(MembershipRow.paper_id.in_(ids))
                )
            }
            await connection.execute(delete(MembershipRow).where(MembershipRow.paper_id.in_(ids)))
            now = select(func.max(PaperRow.changed)).scalar_subquery()
            await connection.execute(update(PaperRow).where(PaperRow.id.in_(ids)).values(changed=now + 1))
        corpus = await Corpus.open(store, copy, Embedder())
        started = time.monotonic()
        outcome = await identify(corpus)
        spent = time.monotonic() - started
        after = {(row.paper_id, row.position): row.person_id for row in await store.people.all_memberships()}
        elsewhere = {person for place, person in after.items() if place not in before}
        # People with papers of that day only are new, and must be found as new people.
        same = sum(
            after[place] == person if person in elsewhere else after[place] not in elsewhere
            for place, person in before.items()
        )
        print(
            f"a day of {DAY} papers: {outcome.changed:,} authorships placed in {spent:.1f} s (target 30 s); "
            f"{same / len(before):.1%} as the full pass has them (known people met again, new ones as new)",
            flush=True,
        )
        await store.close()


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    need_data()
    asyncio.run(main())
