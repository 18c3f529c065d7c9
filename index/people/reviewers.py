"""Matching reviewers: submissions against archives of people's papers, in OpenReview's format."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from sklearn.feature_extraction.text import TfidfVectorizer

from data.sources.http import SourceError
from index.search.embedding import Embedder, paper_text

WORDS = 0.25
"""How much words count beside meaning, set by researchers' ratings of themselves (docs/evaluation.md)."""
TOP = 3
MIDDLE, STEEP = 1.0, 4.0
"""The closeness that maps to a score of one half, and the slope there; the order is unaffected."""
LONGEST = 50_000
"""The most characters of a title and abstract that are used."""
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Note:
    """A paper or a submission."""

    id: str
    text: str


def read_notes(path: Path) -> list[Note]:
    """Notes of ``{id, content: {title, abstract}}``: JSON lines, an array, or an object by id.

    Raises
    ------
    SourceError
        If the file can't be read, or a note has no id or neither title nor abstract; names the line.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}") from error
    return [_note(value, f"{path}, {where}") for where, value in _values(raw, path)]


def _values(raw: bytes, path: Path) -> Iterator[tuple[str, Any]]:
    try:
        whole = orjson.loads(raw)
    except orjson.JSONDecodeError:
        whole = None
    if isinstance(whole, list):
        yield from ((f"entry {place + 1}", value) for place, value in enumerate(whole))
    elif isinstance(whole, dict) and "content" not in whole:
        yield from (
            (f"entry {key!r}", {"id": key, **value} if isinstance(value, dict) else value)
            for key, value in whole.items()
        )
    else:
        for number, line in enumerate(raw.splitlines(), 1):
            if not line.strip():
                continue
            try:
                yield f"line {number}", orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise SourceError(f"{path}, line {number} is not JSON: {error}") from error


def _note(value: Any, where: str) -> Note:
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, dict) or not value.get("id"):
        raise SourceError(f"{where}: expected {{id, content: {{title, abstract}}}}")
    title, abstract = (_text(content.get(name)) for name in ("title", "abstract"))
    if not title and not abstract:
        raise SourceError(f"{where}: neither title nor abstract")
    return Note(str(value["id"]), paper_text(title, abstract)[:LONGEST])


def _text(value: Any) -> str:
    """A field, plain or in the newer format (``{"value": ...}``)."""
    if isinstance(value, dict):
        value = value.get("value")
    return " ".join(value.split()) if isinstance(value, str) else ""


def read_archives(folder: Path) -> dict[str, list[Note]]:
    """The papers of each reviewer, by file name; reviewers without papers are left out.

    Raises
    ------
    SourceError
        If there is no such folder, or no ``.jsonl`` file in it has a paper.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder; it should hold one NAME.jsonl per reviewer")
    archives = {path.stem: read_notes(path) for path in sorted(folder.glob("*.jsonl"))}
    archives = {name: notes for name, notes in archives.items() if notes}
    if not archives:
        raise SourceError(f"{folder} has no .jsonl file with a paper")
    return archives


@dataclass(frozen=True)
class ReviewerScores:
    """How well each reviewer knows each submission: float64, shape (submissions, reviewers), 0 to 1."""

    submissions: list[str]
    reviewers: list[str]
    values: np.ndarray

    def write(self, path: Path) -> None:
        """Write ``submission,reviewer,score`` lines; the file is written whole or not at all.

        Raises
        ------
        SourceError
            If it can't be written.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for submission, row in zip(self.submissions, self.values, strict=True):
            for reviewer, value in zip(self.reviewers, row.tolist(), strict=True):
                writer.writerow((submission, reviewer, f"{value:.6f}"))
        beside = path.with_name(path.name + ".part")
        try:
            beside.write_text(out.getvalue(), encoding="utf-8")
            os.replace(beside, path)
        except OSError as error:
            raise SourceError(f"{path} can't be written: {error.strerror}") from error


def match(
    archives: dict[str, list[Note]], submissions: list[Note], embedder: Embedder, report: Report | None = None
) -> ReviewerScores:
    """Score every reviewer for every submission.

    A reviewer's closeness to a submission combines the closest papers and all papers together, by meaning
    and, with less weight, by words.
    """
    if not submissions:
        raise SourceError("there are no submissions to match")
    papers = list({note.text: None for notes in archives.values() for note in notes})
    place = {text: at for at, text in enumerate(papers)}
    texts = papers + [note.text for note in submissions]
    rows = embedder.encode(texts, (lambda done: report("embedding", done, len(texts))) if report else None)
    rows = np.asarray(rows, np.float32)
    vectors, asked = rows[: len(papers)], rows[len(papers) :]
    words = TfidfVectorizer(
        sublinear_tf=True,
        min_df=1,
        max_df=0.2 if len(texts) > 50 else 1.0,
        dtype=np.float32,
        token_pattern=r"(?u)\b[^\W\d_][\w-]+\b",
    )
    try:
        terms = words.fit_transform(texts)
    except ValueError:  # no text has a word
        terms = None
    meaning = asked @ vectors.T
    lexical = (
        (terms[len(papers) :] @ terms[: len(papers)].T).toarray()
        if terms is not None
        else np.zeros_like(meaning)
    )
    values = np.empty((len(submissions), len(archives)))
    for at, notes in enumerate(archives.values()):
        own = np.array(sorted({place[note.text] for note in notes}))
        near, alike = meaning[:, own], lexical[:, own]
        words_there = centre_words(alike, terms[own]) if terms is not None else 0.0
        by_meaning = near.max(axis=1) + centre(near, vectors[own])
        values[:, at] = by_meaning + WORDS * (top(alike, TOP) + words_there)
    scores = 1 / (1 + np.exp(-STEEP * (values - MIDDLE)))
    return ReviewerScores([note.id for note in submissions], list(archives), scores)


def top(values: np.ndarray, most: int) -> np.ndarray:
    """The mean of each row's highest values."""
    count = min(most, values.shape[1])
    return np.asarray(-np.partition(-values, count - 1, axis=1)[:, :count].mean(axis=1))


def centre(near: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The cosine with the direction of all papers together."""
    length = float(np.linalg.norm(vectors.mean(axis=0)))
    return np.asarray(near.mean(axis=1) / max(length, 1e-6))


def centre_words(alike: np.ndarray, terms: Any) -> np.ndarray:
    """The same by words; ``terms`` are the papers' tf-idf rows."""
    length = float(np.linalg.norm(np.asarray(terms.mean(axis=0)).ravel()))
    return np.asarray(alike.mean(axis=1) / max(length, 1e-6))
