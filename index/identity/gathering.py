"""Reading a library's authorships into arrays on disk, a few thousand papers at a time."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from data.keys import hash64
from data.stores.store import Store
from index.identity.arrays import Growing, GrowingRows, mapped, mapped_rows, save_rows
from index.identity.collection import FORMAT, AuthorshipFiles, MappedAuthorships, Printed
from index.identity.person_names import parse_name
from index.identity.statistics import backgrounds, by_paper, meetings, rarities, sampled, tfidf, word_weights
from index.search.corpus import Corpus

_IDS_AT_ONCE = 10_000
_TEXTS_AT_ONCE = 2_000
Tell = Callable[[int, int], None]


async def gather(corpus: Corpus, folder: Path, tell: Tell | None = None) -> AuthorshipFiles:
    """Write the arrays of all current papers into a folder; it appears when it is complete."""
    assert corpus.vectors is not None
    store, new = corpus.store, folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    upto, corrections = await store.last_change(), await store.corrections.newest_change()
    await _read_authorships(store, new)
    papers = np.asarray(mapped(new, "papers"))
    np.save(new / "days.npy", corpus.facets.days_of(papers))
    await _read_texts(store, new, papers, tell)
    about = await asyncio.to_thread(_derive, new, corpus)
    about |= {"format": FORMAT, "upto": upto, "corrections": corrections}
    (new / "about.json").write_text(json.dumps(about))
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    collection = AuthorshipFiles.open(folder, corpus.vectors)
    assert collection is not None
    return collection


async def _read_authorships(store: Store, folder: Path) -> None:
    last = await store.people.last_authored()
    with (
        Growing(folder, "papers", np.int64) as papers,
        Growing(folder, "sizes", np.int32) as sizes,
        Growing(folder, "positions", np.int32) as positions,
        Growing(folder, "authors", np.int32) as authors,
        Growing(folder, "printed", np.int64) as hashes,
        Growing(folder, "names-ends", np.int64) as ends,
        (folder / "names.bin").open("wb") as names,
    ):
        for first in range(0, last + 1, _IDS_AT_ONCE):
            rows = await store.people.authorships(first, first + _IDS_AT_ONCE)
            if not rows:
                continue
            ids, counts = np.unique(np.array([row[0] for row in rows], np.int64), return_counts=True)
            papers.append(ids)
            sizes.append(counts)
            positions.append(np.array([row[1] for row in rows]))
            authors.append(np.array([row[2] for row in rows]))
            known = {name: hash64(name) for name in {row[3] for row in rows}}
            hashes.append(np.array([known[row[3]] for row in rows], np.int64))
            encoded = [row[3].encode() for row in rows]
            ends.append(names.tell() + np.cumsum([len(name) for name in encoded]))
            names.write(b"".join(encoded))


async def _read_texts(store: Store, folder: Path, papers: np.ndarray, tell: Tell | None) -> None:
    """Write whether each paper has an abstract, and its weighed words."""
    sample = papers[sampled(len(papers))].tolist()
    texts = await store.texts(sample)
    some = [" ".join(texts[paper][:2]) if paper in texts else "" for paper in sample]
    words = await asyncio.to_thread(word_weights, some, range(len(some)), len(papers))
    _save_words(folder, words)
    with GrowingRows(folder, "terms") as terms, Growing(folder, "described", bool) as described:
        for start in range(0, len(papers), _TEXTS_AT_ONCE):
            part = papers[start : start + _TEXTS_AT_ONCE].tolist()
            texts = await store.texts(part)
            described.append(np.array([bool(texts.get(paper, ("", ""))[1]) for paper in part], bool))
            some = [" ".join(texts[paper][:2]) if paper in texts else "" for paper in part]
            terms.append(await asyncio.to_thread(tfidf, words, some))
            if tell:
                tell(start + len(part), len(papers))


def _save_words(folder: Path, words: TfidfVectorizer | None) -> None:
    vocabulary = sorted(words.vocabulary_, key=words.vocabulary_.get) if words else []
    (folder / "words.txt").write_text("\n".join(vocabulary))
    np.save(folder / "words-idf.npy", words.idf_ if words else np.zeros(0))


def _derive(folder: Path, corpus: Corpus) -> dict[str, Any]:
    """Everything that follows from names, papers and words; returns the numbers beside the arrays."""
    assert corpus.vectors is not None
    sizes = np.asarray(mapped(folder, "sizes"))
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    np.save(folder / "offsets.npy", offsets)
    np.save(folder / "paper-of.npy", np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))
    _number_names(folder)
    authorships = MappedAuthorships(folder, corpus.vectors)
    ids = authorships.name_ids[0]
    _save_order(folder, "name", ids)
    incidence = by_paper(offsets, ids)
    save_rows(folder, "incidence", incidence)
    np.save(folder / "weights.npy", rarities(incidence))
    with GrowingRows(folder, "meetings") as rows:
        for part in meetings(incidence):
            rows.append(part)
    names = incidence.shape[1]
    incidence = by_paper(offsets, authorships.short_ids[ids])
    save_rows(folder, "short-names", incidence)
    np.save(folder / "short-weights.npy", rarities(incidence))
    words = max(len(mapped(folder, "words-idf")), 1)
    far_meaning, far_words, usual = backgrounds(authorships, mapped_rows(folder, "terms", words))
    for kind in range(3):
        np.save(folder / f"far-meaning-{kind}.npy", far_meaning.some[kind])
        np.save(folder / f"far-words-{kind}.npy", far_words.some[kind])
    for gone in ("names.bin", "names-ends.npy", "printed.npy", "sizes.npy"):
        (folder / gone).unlink()
    return {
        "names": names,
        "shorts": incidence.shape[1],
        "words": words,
        "usual_years": usual,
        "slowness": authorships.slowness,
    }


def _number_names(folder: Path) -> None:
    """Number printed forms, and names, in the order in which they first occur."""
    _, first, inverse = np.unique(mapped(folder, "printed"), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    form_of = number[inverse]
    del inverse
    np.save(folder / "form-of.npy", form_of)
    printed = Printed(folder, "names")
    count = len(order)
    keys, families, shorts = (np.empty(count, np.int64) for _ in range(3))
    spelled = np.empty(count, bool)
    with (folder / "forms.bin").open("wb") as forms, Growing(folder, "forms-ends", np.int64) as ends:
        for form, place in enumerate(first[order].tolist()):
            text = printed[place]
            name = parse_name.__wrapped__(text)
            keys[form], families[form] = hash64(name.key), hash64(name.family)
            shorts[form], spelled[form] = hash64(f"{name.initial} {name.family}"), name.spelled
            forms.write(text.encode())
            ends.append(np.array([forms.tell()]))
    names, name_form, name_of_form = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(name_form)
    number = np.empty(len(names), np.int32)
    number[order] = np.arange(len(names), dtype=np.int32)
    often = np.argsort(-np.bincount(form_of, minlength=count), kind="stable")
    _, most = np.unique(name_of_form[often], return_index=True)
    name_form = often[most][order]  # a name is read as most papers print it
    np.save(folder / "name-of.npy", number[name_of_form][form_of])
    np.save(folder / "name-form.npy", name_form.astype(np.int32))
    np.save(folder / "spelled.npy", spelled[name_form])
    for kind, hashes in (("name", keys), ("family", families), ("short", shorts)):
        mine = hashes[name_form]
        numbers = _as_first_seen(mine)
        some, first, counts = np.unique(mine, return_index=True, return_counts=True)
        np.save(folder / f"{kind}.npy", numbers)
        np.save(folder / f"{kind}-keys.npy", some)
        np.save(folder / f"{kind}-numbers.npy", numbers[first])
        np.save(folder / f"{kind}-counts.npy", counts.astype(np.int32))
    (folder / "name.npy").unlink()  # each name's number is its place
    _save_order(folder, "short", np.load(folder / "short.npy"))


def _as_first_seen(values: np.ndarray) -> np.ndarray:
    """Values numbered in the order in which they first occur, int32."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    numbered: np.ndarray = rank[inverse]
    return numbered


def _save_order(folder: Path, kind: str, ids: np.ndarray) -> None:
    """Places by the number that each has, and where each number begins."""
    begins = np.zeros(int(ids.max(initial=-1)) + 2, np.int64)
    np.cumsum(np.bincount(ids), out=begins[1:])
    np.save(folder / f"by-{kind}.npy", np.argsort(ids, kind="stable").astype(np.int32))
    np.save(folder / f"{kind}-begins.npy", begins)
