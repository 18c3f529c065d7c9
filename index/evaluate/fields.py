"""Files of papers, or of questions with the abstracts that answer them, read as one field's texts."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import zstandard

from data.sources.http import SourceError
from index.evaluate.fits import Collection
from index.search.passages import sentences


def read_field(path: Path) -> Collection:
    """A field's questions, or the titles of its papers, and the abstracts.

    Raises
    ------
    SourceError
        If the file can't be read.
    """
    questions, abstracts = [], []
    for item in items(path):
        questions.append(str(item.get("question") or item.get("title") or ""))
        abstracts.append(abstract_of(item))
    return Collection([text for text in questions if text], [text for text in abstracts if text])


def write_collection(path: Path, out: Path, most: int | None, seed: int) -> list[str]:
    """Write up to ``most`` of a file's papers, drawn at random, as a file of papers; returns their questions.

    A paper that came with a question gets its abstract's first sentence as a title, since its own is the
    question.

    Raises
    ------
    SourceError
        If the file can't be read.
    """
    described = [item for item in items(path) if abstract_of(item)]
    if most is not None and most < len(described):
        described = random.Random(seed).sample(described, most)
    with out.open("wb") as stream:
        for item in described:
            stream.write(orjson.dumps(_paper(item)) + b"\n")
    return [str(item["question"]) for item in described if item.get("question")]


def has_questions(path: Path) -> bool:
    """Whether the file's records are questions with abstracts."""
    return "question" in next(items(path), {})


def _paper(item: dict[str, Any]) -> dict[str, Any]:
    abstract = abstract_of(item)
    title = str(item.get("title") or (sentences(abstract) or [abstract])[0])[:300]
    return {"id": str(item["id"]), "title": title, "abstract": abstract, "authors": item.get("authors") or []}


def abstract_of(item: dict[str, Any]) -> str:
    if "sections" in item:
        parts = [section["text"] for section in item["sections"]]
        return " ".join([*parts, item.get("conclusion") or ""]).strip()
    return str(item.get("abstract") or "")


def items(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, plain or zstd.

    Raises
    ------
    SourceError
        If the file can't be read.
    """
    try:
        with path.open("rb") as disk:
            packed = path.suffix == ".zst"
            stream = (
                zstandard.ZstdDecompressor().stream_reader(disk, read_across_frames=True) if packed else disk
            )
            for line in io.BufferedReader(stream):
                yield orjson.loads(line)
    except (OSError, ValueError, zstandard.ZstdError) as error:
        raise SourceError(f"{path} can't be read as JSON lines: {error}") from error
