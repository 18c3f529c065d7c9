"""A posting of a digest as the program sees it, and its papers as JSON."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from pydantic import TypeAdapter

from data.reasons import TYPICAL, Reason
from data.stores.digest_record import Digest
from data.stores.listings import Listed


@dataclass(frozen=True, slots=True)
class Chosen:
    """A paper of a delivery, with the reason for it and its closeness (None where nothing is known).

    ``marked`` are the keys of the authors' names to print bold. A paper that is cross-listed was ``first``
    announced on an earlier day, if that is known.
    """

    paper: int
    why: Reason = TYPICAL
    closeness: float | None = None
    text_hash: int = 0
    marked: tuple[str, ...] = ()
    cross_listed: bool = False
    first: date | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One posting of a digest; see :class:`data.tables.digests.DeliveryRow`."""

    id: int
    digest_id: int
    slot: date
    due: datetime
    state: str
    upto: date | None
    read: int
    papers: tuple[Chosen, ...]
    late: bool
    channel: int
    message: int | None
    tries: int
    why: str
    made: datetime
    posted: datetime | None
    known: int = 0
    passed: int = 0
    tried: datetime | None = None
    not_before: datetime | None = None


UNKNOWN = 0
"""The message of a delivery of which it isn't known whether Discord took it."""
PAPERS = TypeAdapter(tuple[Chosen, ...])
"""The papers of a delivery as JSON."""
_LEFT = TypeAdapter(tuple[Listed, ...])
"""The papers that a digest left out for another, as JSON."""


def left_out_by(digest: Digest) -> tuple[Listed, ...]:
    """What a digest left out for another one, and may show yet; papers may have been merged since."""
    return left_out_in(digest.left_out)


def left_out_in(kept: str) -> tuple[Listed, ...]:
    """The same from its JSON."""
    return _LEFT.validate_json(kept) if kept else ()


def kept_left_out(papers: Collection[Listed]) -> str:
    """The same as it is kept."""
    return _LEFT.dump_json(tuple(papers)).decode() if papers else ""
