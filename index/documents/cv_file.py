"""A CV as a file: its kind, and reading it in a separate process (:mod:`index.documents.sandbox`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from typing import Any

from data.sources.http import SourceError
from index.documents.confinement import memory_kept
from index.documents.cv import CV
from index.documents.cv_publications import Publication
from index.documents.sandboxes import SANDBOXES, LineFullError

MOST_BYTES = 5_000_000
SECONDS = 4.5
_MOST_ANSWER = 40_000_000


class UnreadableError(Exception):
    """The file was not read; the message says why, and which files can be.

    ``why`` is the reason alone, such as ``it is damaged``. ``busy`` says that the file is not to blame: too
    many are waiting, or the confined process got too little of the machine.
    """

    def __init__(self, message: str, why: str = "", *, busy: bool = False) -> None:
        super().__init__(message)
        self.why = why
        self.busy = busy


def kind_of(data: bytes, name: str) -> str:
    """``pdf``, ``bib``, ``tex`` or ``text``, judged by the content of the file.

    Raises
    ------
    UnreadableError
        If it is none of these, is empty, or too large.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableError(
            f"The file has {len(data) / 1e6:.1f} MB; I read files of up to {MOST_BYTES // 1_000_000} MB."
        )
    head = data[:4_096]
    if b"%PDF-" in head[:1_024]:
        return "pdf"
    if not data.strip():
        raise UnreadableError("The file is empty.")
    if b"\x00" in head or head.startswith(
        (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8")
    ):
        raise UnreadableError("I read PDF, Markdown, plain text, LaTeX and BibTeX; save it as one of these.")
    ending = os.path.splitext(name.lower())[1]
    text = data[:200_000].decode("utf-8", "replace")
    if ending == ".bib" or re.match(r"\s*(?:%[^\n]*\n\s*)*@\w+\s*\{", text):
        return "bib"
    if ending == ".tex" or "\\documentclass" in text or "\\begin{document}" in text:
        return "tex"
    return "text"


async def read_cv(data: bytes, name: str = "") -> CV:
    """Read a CV from a file.

    Raises
    ------
    UnreadableError
        If it is refused, damaged, or takes too much time or memory.
    """
    answer = await in_sandbox(kind_of(data, name), data, SECONDS)
    try:
        return CV.of(answer["cv"])
    except (KeyError, TypeError) as error:
        raise UnreadableError("The file can't be read: it is damaged.") from error


async def in_sandbox(kind: str, data: bytes, seconds: float) -> dict[str, Any]:
    """The confined process's answer about a file; few such processes run at once.

    Raises
    ------
    UnreadableError
        If the process refuses the file, takes too much time or memory, or too many files are waiting.
    """
    try:
        async with SANDBOXES.taken():
            return await _confined(kind, data, seconds)
    except LineFullError as error:
        raise UnreadableError(
            "Too many files are being read. Try again in a minute; nothing was kept.", busy=True
        ) from error


async def _confined(kind: str, data: bytes, seconds: float) -> dict[str, Any]:
    with memory_kept():
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "index.documents.sandbox", kind),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        try:
            async with asyncio.timeout(seconds):
                out = await output_of(process, data)
        except TimeoutError as error:
            raise UnreadableError(
                "The file can't be read: it takes too long.", "it takes too long", busy=True
            ) from error
        finally:
            if process.returncode is None:
                await end(process)
    try:
        answer: dict[str, Any] = json.loads(out)
        if "refused" not in answer:
            return answer
        why = str(answer["refused"])
    except (ValueError, TypeError):
        slow = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        why = "it takes too long" if slow else "it is damaged or needs too much memory"
    raise UnreadableError(f"The file can't be read: {why}.", why)


async def output_of(process: asyncio.subprocess.Process, data: bytes) -> bytes:
    """All that a process writes that is given the data.

    Raises
    ------
    UnreadableError
        If it is more than any file's answer: whoever took the process over would fill this one's memory.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    giving = asyncio.create_task(_give(process.stdin, data))
    try:
        await process.stdout.readexactly(_MOST_ANSWER)
    except asyncio.IncompleteReadError as whole:
        await process.wait()
        return whole.partial
    finally:
        giving.cancel()
        await asyncio.gather(giving, return_exceptions=True)
    raise UnreadableError("The file can't be read: it holds too much text.", "it holds too much text")


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill a process, and read away what it left, since its end is seen only behind that."""
    assert process.stdout is not None
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    while await process.stdout.read(1 << 16):
        pass
    await process.wait()


async def _give(pipe: asyncio.StreamWriter, data: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # it ended before it had read all
        pipe.write(data)
        await pipe.drain()
        pipe.close()


def read_orcid(record: Any) -> CV:
    """The content of a public ORCID record (v3.0, JSON) as a CV.

    Raises
    ------
    SourceError
        If it is not one.
    """
    try:
        activities = record["activities-summary"]
        works = [_orcid_work(group["work-summary"][0]) for group in activities["works"]["group"]]
        education = [
            _orcid_place(entry) for entry in _summaries(activities, "educations", "education-summary")
        ]
        positions = [
            _orcid_place(entry) for entry in _summaries(activities, "employments", "employment-summary")
        ]
        keywords = ((record.get("person") or {}).get("keywords") or {}).get("keyword") or []
        interests = [str(entry.get("content", ""))[:60] for entry in keywords if isinstance(entry, dict)]
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise SourceError("ORCID's answer is not a record; try again later") from error
    return CV([work for work in works if work], education, positions, [i for i in interests if i][:12])


def _orcid_work(summary: Any) -> Publication | None:
    title = ((summary.get("title") or {}).get("title") or {}).get("value")
    year = ((summary.get("publication-date") or {}).get("year") or {}).get("value")
    venue = (summary.get("journal-title") or {}).get("value")
    if not isinstance(title, str) or len(title) < 8:
        return None
    number = int(year) if isinstance(year, str) and year.isdigit() and len(year) == 4 else None
    return Publication(" ".join(title.split())[:400], str(venue or "")[:160], number)


def _summaries(activities: Any, section: str, name: str) -> list[Any]:
    groups = (activities.get(section) or {}).get("affiliation-group") or []
    return [summary[name] for group in groups for summary in group["summaries"]]


def _orcid_place(summary: Any) -> str:
    years = [
        ((summary.get(f"{end}-date") or {}).get("year") or {}).get("value") or "" for end in ("start", "end")
    ]
    span = "–".join(years) if years[1] else f"{years[0]}–present" if years[0] else ""
    place = (summary.get("organization") or {}).get("name") or ""
    return " · ".join(str(part)[:160] for part in (summary.get("role-title") or "", place, span) if part)
