"""What the tests of killed passes kill: a full pass in small steps, which says each of them.

`python -m tests.helpers.killed_pass_child FOLDER PROCESSES [STEP TIMES]`: before it takes a step for the nth
time, it waits to be killed.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from data.stores import people_drafts
from data.stores.store import Store
from index.identity import full_pass, identity, statistics, writing
from index.identity.judgement import JudgingError
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases


def small_steps() -> None:
    """Let a pass over a small library take as many steps as one over a large one."""
    people_drafts.AT_ONCE = 3
    identity.AT_ONCE = 1
    full_pass.SAVED_EVERY = 0.0
    full_pass.WORTH = 0
    statistics._BACKGROUND = 6_000
    writing.IDS_AT_ONCE = 6
    writing._SHORT = 0


taken = Counter[str]()


def told(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """The same, which is said before it is done."""

    def saying(*given: Any, **more: Any) -> Any:
        print(name, flush=True)
        taken[name] += 1
        if sys.argv[3:] == [name, str(taken[name])]:
            signal.pause()
        return real(*given, **more)

    return saying


async def judge(folder: Path, processes: int) -> None:
    """Judge everybody, and print each step before it is taken and how it ended."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder / "index", Embedder())

    def tell(step: str, done: int, _whole: int) -> None:
        print(step, done, flush=True)

    full_pass.shutil = SimpleNamespace(rmtree=told("clearing", shutil.rmtree))  # type: ignore[assignment]
    for name in ("draft_people", "redraft", "publish", "settle"):
        setattr(store.people, name, told(name, getattr(store.people, name)))
    try:
        outcome = await identify(corpus, full=True, report=tell, processes=processes)
        print("done", outcome.people, flush=True)
    except JudgingError as error:
        print("failed", error, flush=True)
    await store.close()


if __name__ == "__main__":
    small_steps()
    asyncio.run(judge(Path(sys.argv[1]), int(sys.argv[2])))
