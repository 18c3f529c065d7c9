"""The authority behind a correction, and so where it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

LOCAL = ("server", "before")
"""Authorities whose word holds in one server."""
GLOBAL = ("holder", "operator")
"""Authorities whose word holds everywhere."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The authority behind a statement, and so where it holds.

    Attributes
    ----------
    authority
        ``server`` (a manager of ``guild``; it holds there), ``holder`` (a proven person about their own
        papers; it holds everywhere) or ``operator`` (of this Labmate; it holds everywhere).
    by
        The speaker's Discord id and name; 0 for the command line.
    guild
        The server where it is said; None in direct messages and on the command line.
    claim
        The holder's claim.
    """

    authority: str
    by: tuple[int, str]
    guild: int | None = None
    claim: int | None = None

    @classmethod
    def server(cls, guild: int, by: tuple[int, str]) -> Self:
        """The scope of somebody who manages a server."""
        return cls("server", by, guild)

    @classmethod
    def holder(cls, claim: int, by: tuple[int, str], guild: int | None = None) -> Self:
        """The scope of a proven person about themselves."""
        return cls("holder", by, guild, claim)

    @classmethod
    def operator(cls, by: tuple[int, str], guild: int | None = None) -> Self:
        """The scope of the person who runs this Labmate."""
        return cls("operator", by, guild)

    @property
    def is_local(self) -> bool:
        """Whether it holds in one server only."""
        return self.authority in LOCAL
