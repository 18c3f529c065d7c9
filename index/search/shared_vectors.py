"""Vectors that one Labmate computed, for others: written to files, and read in where the texts are the same.

``x.npy`` has the rows (float16), ``x.papers.npy`` the arXiv id and text hash of each (:data:`KEY`), and
``x.json`` the manifest: the model's fingerprint, the number of rows, and the checksums of both.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from data.database.unavailable import is_full_disk
from data.sources.http import SourceError
from index.search.corpus import Corpus
from index.search.intake import ReadyVectors, are_whole, one_array

KEY = np.dtype([("arxiv", "S40"), ("hash", "<i8")])
_AT_ONCE = 4_000

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Taken:
    """What became of the rows of a file."""

    read: int = 0
    taken: int = 0
    unchanged: int = 0
    unknown: int = 0
    """Papers that the store does not have."""
    other_text: int = 0
    """Papers whose title or abstract differs from the one that was embedded."""
    broken: int = 0
    """Rows that are not numbers, or not of length 1."""


def _keys_file(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".npy") + ".papers.npy")


def _manifest_file(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".npy") + ".json")


def _checksum(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


async def export_vectors(corpus: Corpus, path: Path, progress: Progress | None = None) -> int:
    """Write all vectors of papers with an arXiv id; returns how many.

    Raises
    ------
    SourceError
        If there are none, or the files can't be written, or would replace files that are no export.
    """
    vectors = corpus.vectors
    assert vectors is not None
    if not path.name.endswith(".npy"):
        raise SourceError(f"{path} must end in .npy")
    if not path.parent.is_dir():
        raise SourceError(f"The folder {path.parent} does not exist. Create it first, or choose another one.")
    await asyncio.to_thread(_refuse_others, path)
    papers, hashes = vectors.known()
    parts = []
    for start in range(0, len(papers), _AT_ONCE):
        part = papers[start : start + _AT_ONCE]
        ids = await corpus.store.paper_keys.arxiv_ids(part.tolist())
        keys = np.zeros(len(part), KEY)
        keys["arxiv"] = [ids.get(paper, "").encode() for paper in part.tolist()]
        keys["hash"] = hashes[start : start + _AT_ONCE]
        parts.append(keys)
    keys = np.concatenate([np.zeros(0, KEY), *parts])
    with_id = keys["arxiv"] != b""
    papers, keys = papers[with_id], keys[with_id]
    if not len(papers):
        raise SourceError("There are no vectors of arXiv papers to export yet. Run: python -m bot index")

    names = path, _keys_file(path), _manifest_file(path)
    drafts = {file: file.with_name(file.name + ".new") for file in names}

    def write() -> None:
        with drafts[_keys_file(path)].open("wb") as out:
            np.save(out, keys)
        with drafts[path].open("wb") as out:
            shape = (len(papers), vectors.dimension)
            np.lib.format.write_array_header_1_0(
                out, {"descr": "<f2", "fortran_order": False, "shape": shape}
            )
            for start in range(0, len(papers), _AT_ONCE):
                out.write(vectors.rows(papers[start : start + _AT_ONCE]).tobytes())
                if progress:
                    progress(min(start + _AT_ONCE, len(papers)), len(papers))
        said = vectors.fingerprint | {
            "rows": len(papers),
            "rows_sha256": _checksum(drafts[path]),
            "papers_sha256": _checksum(drafts[_keys_file(path)]),
        }
        drafts[_manifest_file(path)].write_bytes(orjson.dumps(said, option=orjson.OPT_INDENT_2))
        for file, draft in drafts.items():
            os.replace(draft, file)

    try:
        await asyncio.to_thread(write)
    except OSError as error:
        for draft in drafts.values():  # on a full disk, they take the room that others need
            draft.unlink(missing_ok=True)
        if is_full_disk(error):
            raise SourceError(
                f"{path} can't be written. The disk is full. Make room, or name a file on another disk."
            ) from error
        raise SourceError(f"{path} can't be written: {error.strerror or error}") from error
    return len(papers)


def _refuse_others(path: Path) -> None:
    """An export replaces an earlier one, and nothing else: ``x.json`` may be the papers themselves."""
    files = [file for file in (path, _keys_file(path), _manifest_file(path)) if file.exists()]
    if not files:
        return
    try:
        earlier = "rows_sha256" in orjson.loads(_manifest_file(path).read_bytes())
    except (OSError, ValueError, TypeError):
        earlier = False
    if not earlier:
        raise SourceError(
            f"{files[-1]} is not part of an earlier export, so it is not replaced. Name another file."
        )


class SharedVectors:
    """The files of an export, checked.

    Raises
    ------
    SourceError
        If a file is missing, damaged, or not what its manifest says.
    index.search.vector_manifest.ForeignVectorsError
        If another model made them.
    """

    def __init__(self, path: Path, fingerprint: dict[str, object]) -> None:
        ready = ReadyVectors(path, fingerprint, exported=True)
        try:
            self.keys: np.ndarray = one_array(_keys_file(path))
            said = orjson.loads(_manifest_file(path).read_bytes())
            files = {"rows_sha256": path, "papers_sha256": _keys_file(path)}
            sums = {name: _checksum(file) for name, file in files.items()}
        except FileNotFoundError as error:
            raise SourceError(
                f"{path} is not a whole export of vectors: {error.filename} is missing. Copy all three files."
            ) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SourceError(f"{path} is not a whole export of vectors: {reason}. Copy it again.") from error
        self.rows: np.ndarray = ready.rows
        if self.keys.dtype != KEY or self.keys.shape != (len(self.rows),) or self.rows.dtype != np.float16:
            raise SourceError(f"{_keys_file(path)} does not fit {path.name}. Export the vectors again.")
        for name, found in sums.items():
            if said.get(name) != found:
                raise SourceError(
                    f"{files[name]} is damaged, or its manifest is: they differ in {name}. "
                    "Copy or export the files again."
                )


async def take_vectors(corpus: Corpus, path: Path, progress: Progress | None = None) -> Taken:
    """Take in the rows whose papers are here with the same text; stopped and run again, it goes on.

    Raises
    ------
    SourceError, index.search.vector_manifest.ForeignVectorsError
        As :class:`SharedVectors`.
    """
    vectors = corpus.vectors
    assert vectors is not None
    shared = await asyncio.to_thread(SharedVectors, path, vectors.fingerprint)
    taken = Taken()
    for start in range(0, len(shared.rows), _AT_ONCE):
        keys = shared.keys[start : start + _AT_ONCE]
        names = [name.decode("ascii", "replace") for name in keys["arxiv"].tolist()]
        known = await corpus.store.paper_keys.by_arxiv_id(list(dict.fromkeys(names)))
        rows = np.asarray(shared.rows[start : start + _AT_ONCE])
        whole = are_whole(rows)
        chosen: dict[int, tuple[int, int]] = {}
        for place, (name, text_hash) in enumerate(zip(names, keys["hash"].tolist(), strict=True)):
            paper, own = known.get(name, (-1, 0))
            if not whole[place]:
                taken.broken += 1
            elif paper < 0:
                taken.unknown += 1
            elif own != text_hash:
                taken.other_text += 1
            elif paper in chosen or vectors.hash_of(paper) == text_hash:
                taken.unchanged += 1
            else:
                chosen[paper] = place, text_hash
        if chosen:
            places = [place for place, _ in chosen.values()]
            hashes = [text_hash for _, text_hash in chosen.values()]
            await asyncio.to_thread(vectors.append, list(chosen), hashes, rows[places])
        taken.taken += len(chosen)
        taken.read += len(keys)
        if progress:
            progress(taken.read, len(shared.rows))
    await asyncio.to_thread(vectors.tend)
    return taken
