"""The likely phrases of all papers in a file: found once in the background, not for every reply."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from data.stores.store import Store
from index.models.distinct import is_in
from index.models.mapped import Draft, MappedArrays, are_ends, parts
from index.models.shipped import shipped_json
from index.search.corpus import Corpus
from index.search.likely_phrases import ENTRY, LikelyPhrases, likely_entries
from index.search.phrase_text import clean
from index.search.phrase_vocabulary import batched
from index.search.phrases import PhraseFinder, ScoredPhrases
from index.search.printed_words import text_hash

FILE = "phrases.map"
FORMAT = "phrases-1"
"""Change it whenever texts are cleaned, phrases found or chances weighed differently."""
_ARRAYS = ("texts", "ends", "entries")
PAPERS_AT_ONCE = 250_000
"""The file is written each time this many changed papers have been read; a stop loses no more."""
_FEW = 1_000
"""The file is written again only when more than one paper in this many has changed."""
_STALE = 1.2
"""The file is rebuilt when it holds this many times as many texts as there are papers."""
_CHANGES_AT_ONCE, _TEXTS_AT_ONCE, _WRITTEN_AT_ONCE = 5_000, 2_000, 50_000
Report = Callable[[str, int, int], None]
Told = Callable[[int], None]


class KeptPhrases:
    """The likely phrases of texts, keyed by a hash of each: a revised paper has none until it is read again.

    Parameters
    ----------
    texts
        uint64, ascending: hashes of cleaned texts.
    ends
        int64, shape (texts + 1,): where the entries of each end.
    entries
        :data:`index.search.likely_phrases.ENTRY`, by text.
    upto
        The last change of the store that was read.
    """

    def __init__(self, texts: np.ndarray, ends: np.ndarray, entries: np.ndarray, upto: int) -> None:
        self.texts, self._ends, self._entries, self.upto = texts, ends, entries, upto

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def none(cls) -> KeptPhrases:
        """Without any texts."""
        return cls(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, ENTRY), 0)

    @classmethod
    def open(cls, path: Path) -> KeptPhrases | None:
        """Map a file; None if it is missing or torn, or was made with other models."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None or "upto" not in held.stamp or held.stamp.get("models") != _models():
            return None
        texts, ends, packed = (held[name] for name in _ARRAYS)
        if [array.dtype.str for array in (texts, ends, packed)] != ["<u8", "<i8", "|u1"]:
            return None
        if (texts.ndim, ends.ndim) != (1, 1) or packed.shape[1:] != (ENTRY.itemsize,):
            return None
        if not are_ends(ends, len(texts), len(packed)):
            return None
        return cls(texts, ends, packed.reshape(-1).view(ENTRY), held.stamp["upto"])

    def of(self, papers: Sequence[tuple[str, str]]) -> list[LikelyPhrases | None]:
        """The phrases of each (title, abstract); None for those that aren't kept."""
        cleaned = [clean(title, abstract) for title, abstract in papers]
        hashes = np.fromiter(map(text_hash, cleaned), np.uint64, len(cleaned))
        places = np.searchsorted(self.texts, hashes).tolist()
        found: list[LikelyPhrases | None] = []
        for text, hashed, place in zip(cleaned, hashes, places, strict=True):
            if place < len(self) and self.texts[place] == hashed:
                start, end = self._ends[place : place + 2].tolist()
                found.append(LikelyPhrases(self._entries[start:end], text))
            else:
                found.append(None)
        return found

    def lacking(self, papers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Those (title, abstract) whose phrases aren't kept."""
        for several in batched(papers):
            for paper, kept in zip(several, self.of(several), strict=True):
                if kept is None:
                    yield paper

    def save_with(self, found: FoundPhrases, upto: int, path: Path) -> None:
        """Write these phrases and new ones to a file, whole or not at all."""
        hashed, first = np.unique(np.concatenate(found.hashes), return_index=True)
        new = ~is_in(hashed, self.texts)
        ends = np.concatenate([[0], np.cumsum(np.concatenate(found.counts))])
        self._merged(hashed[new], first[new], ends, np.concatenate(found.entries), Draft(path, FORMAT), upto)

    def _merged(
        self,
        hashed: np.ndarray,
        rows: np.ndarray,
        ends: np.ndarray,
        further: np.ndarray,
        draft: Draft,
        upto: int,
    ) -> None:
        """Write both; ``rows`` are the places of the new texts within ``ends``, by their hashes."""
        order = np.argsort(np.concatenate([self.texts, hashed]), kind="stable")
        own = len(self)
        count = np.concatenate([np.diff(self._ends), np.diff(ends)[rows]])[order]
        with draft:
            draft.add("texts", np.concatenate([self.texts, hashed])[order])
            draft.add("ends", np.concatenate([[0], np.cumsum(count)]).astype(np.int64))
            with draft.growing("entries", np.uint8, (ENTRY.itemsize,)) as written:
                for start in range(0, len(order), _WRITTEN_AT_ONCE):
                    part = order[start : start + _WRITTEN_AT_ONCE]
                    mine = np.repeat(part < own, count[start : start + _WRITTEN_AT_ONCE])
                    merged = np.zeros(len(mine), ENTRY)
                    merged[mine] = self._entries[parts(self._ends, part[part < own])[0]]
                    merged[~mine] = further[parts(ends, rows[part[part >= own] - own])[0]]
                    written.add(merged.view(np.uint8).reshape(-1, ENTRY.itemsize))
            draft.publish(upto=upto, models=_models())


class FoundPhrases:
    """The likely phrases of texts that no file has yet, in memory: about 550 bytes a text."""

    def __init__(self) -> None:
        self.hashes, self.counts, self.entries = (
            [np.zeros(0, kind)] for kind in (np.uint64, np.int64, ENTRY)
        )
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, scored: ScoredPhrases) -> None:
        """Add the phrases of some texts."""
        texts = scored.texts.cleaned
        self._count += len(texts)
        found, text = likely_entries(PhraseFinder.shipped(), scored)
        self.entries.append(found)
        self.counts.append(np.bincount(text, minlength=len(texts)))
        self.hashes.append(np.fromiter(map(text_hash, texts), np.uint64, len(texts)))

    def add_some(self, scored: ScoredPhrases) -> None:
        """Add the phrases of texts read for another purpose, up to :data:`PAPERS_AT_ONCE` of them."""
        if len(self) < PAPERS_AT_ONCE:
            self.add(scored)

    def add_to(self, path: Path) -> None:
        """Add them to what a file has, if any of them is new."""
        kept = KeptPhrases.open(path)
        if kept is None:
            kept = KeptPhrases.none()
        if not is_in(np.concatenate(self.hashes), kept.texts).all():
            kept.save_with(self, kept.upto, path)


def _models() -> int:
    return zlib.crc32(json.dumps(shipped_json("phrases.json"), sort_keys=True).encode())


async def keep_phrases(corpus: Corpus, report: Report | None = None) -> None:
    """Bring the file up to date with the store, if more than a few papers have changed.

    Raises
    ------
    OSError
        Where it can't be written; the earlier one stays.
    """
    path, store = corpus.folder / FILE, corpus.store
    seen = corpus.facets.codes[: corpus.facets.top() + 1]
    gone = np.flatnonzero(seen < 0)  # merged into others, or no papers at all
    current = len(seen) - len(gone)
    kept = await asyncio.to_thread(KeptPhrases.open, path)
    if kept is None or len(kept) > _STALE * current + _FEW:
        kept = KeptPhrases.none()
    if kept.upto > await store.last_change():  # as after a failover to a standby that lagged behind
        kept.upto = 0
    few = len(kept) // _FEW
    if await store.changed_count(kept.upto, few + 1) <= few:
        return
    waiting, done = await store.changed_count(kept.upto, 2 * current + _CHANGES_AT_ONCE), 0
    changed, last = await _changed(store, kept.upto)
    while len(changed):
        papers = changed[~is_in(changed, gone)]  # with those that another machine has just read in
        tell = partial(_tell, report, done, waiting) if report else None
        await _add(store, papers.tolist(), kept, last, path, tell)
        kept = await asyncio.to_thread(KeptPhrases.open, path)
        if kept is None:
            return  # somebody else has put another file there
        done += len(changed)
        changed, last = await _changed(store, last)


def _tell(report: Report, before: int, waiting: int, done: int) -> None:
    report("finding phrases", before + done, waiting)


async def _changed(store: Store, last: int) -> tuple[np.ndarray, int]:
    """Ids (ascending) of some :data:`PAPERS_AT_ONCE` that changed after a batch, and the last one's batch."""
    changed = set[int]()
    while len(changed) < PAPERS_AT_ONCE:
        part, last = await store.changed_ids(last, _CHANGES_AT_ONCE)
        if not part:
            break
        changed.update(part)
    return np.array(sorted(changed), np.int64), last


async def _add(
    store: Store, ids: list[int], kept: KeptPhrases, upto: int, path: Path, report: Told | None
) -> None:
    """Write the file again, with the phrases of these papers."""
    loop = asyncio.get_running_loop()

    def texts() -> Iterator[tuple[str, str]]:
        """Titles and abstracts, read as they are needed; for another thread."""
        for start in range(0, len(ids), _TEXTS_AT_ONCE):
            part = ids[start : start + _TEXTS_AT_ONCE]
            read = asyncio.run_coroutine_threadsafe(store.texts(part), loop).result()
            yield from (read[paper][:2] for paper in part if paper in read)
            if report:
                report(start + len(part))

    def add() -> None:
        finder, found = PhraseFinder.shipped(), FoundPhrases()
        for several in batched(kept.lacking(texts())):
            found.add(finder.score(several))
        kept.save_with(found, upto, path)

    await asyncio.to_thread(add)
