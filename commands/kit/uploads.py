"""Files that fit: too large ones are compressed and split into parts that can each be read alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

import discord
from discord import ui

from commands.cards.lists import note
from commands.kit.replies import UserError
from commands.kit.reply import Reply

MOST_FILES, MOST_BYTES = 10, 25 * 1024 * 1024
"""Files of one message, and bytes of them all."""
_CHUNK = 64 * 1024
_TAIL = 64
_SLACK = 192 * 1024
"""Bytes that a compressor can hold back, and those of a zip file's directory."""

Record = tuple[str, str]
"""The section that an entry belongs to, and its text."""


class ExportFormat(Protocol):
    """How entries become the text of a file; every part begins a new one."""

    def begin(self) -> str: ...

    def add(self, record: Record) -> str: ...

    def end(self) -> str: ...


class Flat:
    """Entries one after the other.

    Parameters
    ----------
    head, between, tail
        What stands before, between and after them.
    """

    def __init__(self, head: str, between: str, tail: str) -> None:
        self._head, self._between, self._tail = head, between, tail
        self._first = True

    def begin(self) -> str:
        self._first = True
        return self._head

    def add(self, record: Record) -> str:
        text = record[1] if self._first else self._between + record[1]
        self._first = False
        return text

    def end(self) -> str:
        return self._tail


class Sections:
    """A JSON object: an entry of one of its lists follows that list's others; a whole pair stands alone."""

    def __init__(self) -> None:
        self._section, self._first = "", True

    def begin(self) -> str:
        self._section, self._first = "", True
        return "{"

    def add(self, record: Record) -> str:
        section, text = record
        if section and section == self._section:
            return ",\n  " + text
        before = ("\n ]" if self._section else "") + ("\n " if self._first else ",\n ")
        self._section, self._first = section, False
        return f"{before}{json.dumps(section)}: [\n  {text}" if section else before + text

    def end(self) -> str:
        return "\n ]\n}\n" if self._section else "\n}\n"


def sections_of(held: dict[str, Any]) -> Iterator[Record]:
    """The pairs of a JSON object; those that are lists, entry by entry."""
    for section, value in held.items():
        if isinstance(value, list) and value:
            for entry in value:
                yield section, json.dumps(entry)
        else:
            yield "", f"{json.dumps(section)}: {json.dumps(value)}"


def packed(name: str, records: Iterable[Record], form: ExportFormat, limit: int) -> list[tuple[str, bytes]]:
    """Files of at most ``limit`` bytes with all records: one plain file, else zip files of whole parts.

    Raises
    ------
    UserError
        Where a single record does not fit.
    """
    left = iter(records)
    begun: list[Record] = []
    text = [form.begin().encode()]
    size = len(text[0])
    for record in left:
        begun.append(record)
        text.append(form.add(record).encode())
        size += len(text[-1])
        if size + _TAIL > limit:
            break
    else:
        return [(name, b"".join([*text, form.end().encode()]))]
    del text
    stem, _, ending = name.rpartition(".")
    parts = list(_zipped(stem, ending, chain(begun, left), form, limit))
    if len(parts) == 1:
        return [(f"{stem}.zip", parts[0])]
    return [(f"{stem}-{place}.zip", part) for place, part in enumerate(parts, 1)]


def _zipped(
    stem: str, ending: str, records: Iterable[Record], form: ExportFormat, limit: int
) -> Iterator[bytes]:
    """Zip files, each filled as far as it surely fits."""
    left, place = iter(records), 0
    record = next(left, None)
    slack = min(_SLACK, limit // 4)
    while record is not None:
        place += 1
        made, added = io.BytesIO(), 0
        with (
            zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open(f"{stem}-{place}.{ending}", "w", force_zip64=True) as out,
        ):
            waiting = form.begin().encode()
            while record is not None:
                text = form.add(record).encode()
                if made.tell() + len(waiting) + len(text) + slack > limit:
                    out.write(waiting)
                    waiting = b""
                    if made.tell() + len(text) + slack > limit:
                        break
                waiting += text
                added += 1
                record = next(left, None)
                if len(waiting) >= _CHUNK:
                    out.write(waiting)
                    waiting = b""
            out.write(waiting + form.end().encode())
        if not added:
            raise UserError("One entry is too large for Discord, so I can't send this.")
        yield made.getvalue()


def with_files(
    text: str, files: Sequence[tuple[str, bytes]], rows: Sequence[Sequence[ui.Item[Any]]] = ()
) -> Reply:
    """A reply with files below a line of text; files that do not fit into one message follow in others."""
    messages: list[list[tuple[str, bytes]]] = [[]]
    for entry in files:
        size = sum(len(data) for _, data in messages[-1]) + len(entry[1])
        if messages[-1] and (len(messages[-1]) >= MOST_FILES or size > MOST_BYTES):
            messages.append([])
        messages[-1].append(entry)
    if len(files) > 1:
        text += (
            f"\nThis is too large for one file on Discord, so it comes in {len(files)} parts. "
            "Each can be read alone."
        )
    first, *more = [
        _message(
            text if not place else f"-# continued ({place + 1} of {len(messages)})",
            part,
            () if place else rows,
        )
        for place, part in enumerate(messages)
    ]
    return Reply(first.view, first.files, tuple(more))


def _message(text: str, files: Sequence[tuple[str, bytes]], rows: Sequence[Sequence[ui.Item[Any]]]) -> Reply:
    view = note(text, [list(row) for row in rows])
    for name, _ in files:
        view.add_item(ui.File(f"attachment://{name}"))
    return Reply(view, [discord.File(io.BytesIO(data), name) for name, data in files])
