"""A library of real papers for the docs' pictures, read in place from LABMATE_SHARED; kept in var/docs."""

from __future__ import annotations

import os
import sys
from datetime import date, datetime
from pathlib import Path

from bot.app import load_sample, open_corpus
from bot.settings import Settings
from data.calendar import clock
from index.identity.passes import identify
from index.people.insight import derive
from index.search.intake import Intake, ReadyVectors
from tests.helpers.slices import records

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("LABMATE_SHARED", ROOT.parent / "shared"))
FOLDER = ROOT / "var" / "docs"
FIRST, DAY = date(2026, 5, 20), date(2026, 8, 21)
"""The first listing to read, and the day of the pictures, a Friday."""
NAMED = frozenset(
    "ChonLam Lao|Minlan Yu|Ran Ben Basat|Shay Vargaftik|Aditya Akella|Michael Mitzenmacher".split("|")
)
"""Labmate reads all papers by these people, because the pictures show them."""


async def real_library(**more: object) -> Settings:
    """Settings of a Labmate with three months of listings, whose clock shows the day of the pictures."""
    if not (SHARED / "data").is_dir():
        sys.exit(
            f"The pictures need the real data; it is not at {SHARED} (LABMATE_SHARED names another place)."
        )
    settings = Settings(
        _env_file=None,
        labmate_data=FOLDER,
        labmate_fetch=False,
        labmate_limits=False,
        labmate_clock=FOLDER / "clock",
        **more,
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    clock.show(FOLDER / "clock", datetime.fromisoformat(f"{DAY}T07:00:00+00:00"))
    if not (FOLDER / "done").exists():
        print("reading three months of listings once...", flush=True)
        await load_sample(settings)
        async with open_corpus(settings, writable=True) as corpus:
            with corpus.writing():
                assert corpus.vectors is not None
                data = SHARED / "data"
                ready = ReadyVectors(data / "arxiv-daily.minilm.f16.npy", corpus.vectors.fingerprint)
                wanted = records(SHARED, _is_wanted)
                await Intake(corpus, "file", "arxiv-daily.jsonl.zst", vectors=ready).run(wanted)
                await corpus.embed_backlog()
                await corpus.refresh()
                await identify(corpus)
                await derive(corpus)
        (FOLDER / "done").touch()
    return settings


def _is_wanted(_: int, item: dict[str, object]) -> bool:
    recent = FIRST.isoformat() <= str(item["announced"]) <= DAY.isoformat()
    return recent or not NAMED.isdisjoint(item["authors"])  # type: ignore[arg-type]
