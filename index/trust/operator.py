"""The operator's view of all servers, and their power to undo and forbid; all of it is audited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.stores.audit import AuditEntry
from data.stores.claim_lookup import FORGOTTEN
from data.stores.claims import Claim, ClaimRefused
from data.stores.contests import Contest
from data.stores.corrections import Correction
from data.stores.scopes import Scope
from data.stores.store import Store
from index.trust.corrections import Refused, promote, retract, take_back

SUBJECTS = ("correction", "claim", "contest")
MOST_REASON = 300


class OperatorError(ValueError):
    """The operator's request can't be carried out; the message says why, and what is possible."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One correction, claim or contest to look at.

    Attributes
    ----------
    number
        The number by which the operator names it.
    made
        When it was made, in UTC.
    state
        For example ``in force``, ``taken back``, ``held``, ``ended``, ``open``.
    text
        Its content in plain words.
    """

    number: int
    made: datetime
    state: str
    text: str
    guild: int | None = None


def _needs(reason: str) -> None:
    if not reason.strip():
        raise OperatorError('The reason is empty. Say why, such as --reason "posts other people\'s names".')


class Operator:
    """One operator at work.

    Parameters
    ----------
    actor, name
        The operator's Discord id and name; 0 from the command line.
    """

    def __init__(self, store: Store, actor: int, name: str) -> None:
        self._store = store
        self._actor = actor
        self._name = name

    # -- looking ---------------------------------------------------------------------------------

    async def look(self, subject: str, most: int = 50) -> list[AuditLine]:
        """The newest corrections, claims or contests of all servers, newest first."""
        if subject == "correction":
            corrections = await self._store.corrections.all()
            return [_correction_line(entry) for entry in corrections[: -most - 1 : -1]]
        if subject == "claim":
            claims = await self._store.claims.newest(most)
            names = await self._names([claim.person_id for claim in claims])
            return [_claim_line(claim, names.get(claim.person_id, "?")) for claim in claims]
        if subject == "contest":
            return [_contest_line(entry) for entry in await self._store.contests.newest(most)]
        raise OperatorError(f"There is nothing called {subject!r} to look at; try {', '.join(SUBJECTS)}.")

    async def log(self, most: int = 50) -> list[AuditEntry]:
        """The audit log, newest first."""
        return await self._store.audit.newest(most)

    async def _names(self, people: list[int]) -> dict[int, str]:
        return {
            number: person.name
            for number in dict.fromkeys(people)
            if (person := await self._store.people.find(number)) is not None
        }

    # -- undoing ---------------------------------------------------------------------------------

    async def undo(self, subject: str, number: int) -> str:
        """Undo a correction, a claim or the settling of a contest; returns a sentence about it.

        A correction is taken back. A claim that is open or held ends; one that ended holds again. A contest
        that was settled is open again, and if it had ended a claim, that claim holds again.

        Raises
        ------
        OperatorError
            If there is nothing to undo.
        """
        undo = {"correction": self._undo_correction, "claim": self._undo_claim, "contest": self._undo_contest}
        if subject not in undo:
            raise OperatorError(f"Only these can be undone: {', '.join(SUBJECTS)}.")
        try:
            return await undo[subject](number)
        except ClaimRefused as error:
            raise OperatorError(str(error)) from error

    async def _undo_correction(self, number: int) -> str:
        correction = await self._store.corrections.find(number)
        if correction is None:
            raise OperatorError(f"There is no correction {number}.")
        if correction.undone is not None or not await take_back(
            self._store, correction, by=(self._actor, self._name)
        ):
            raise OperatorError(f"Correction {number} was taken back already.")
        return f"Taken back: {correction.note}"

    async def _undo_claim(self, number: int) -> str:
        claim = await self._claim(number)
        if claim.state == "ended":
            await self._store.claims.restore(number, by=self._actor)
            return f"Claim {number} holds again."
        await self._store.claims.end(number, "ended by the person who runs this Labmate", by=self._actor)
        return f"Claim {number} has ended.{await self._retracted(number)}"

    async def _retracted(self, claim: int) -> str:
        """Take back the corrections that the holder of an ended claim made about themselves."""
        count = await retract(self._store, claim, by=(self._actor, self._name))
        return f" Its holder's corrections ({count}) are taken back." if count else ""

    async def _undo_contest(self, number: int) -> str:
        contest = await self._contest(number)
        if contest.state == "open":
            raise OperatorError(f"Contest {number} is still open; settle it instead.")
        if contest.state == "dropped" or (await self._claim(contest.claim_id)).member == FORGOTTEN:
            raise OperatorError(f"Contest {number} can't be reopened: a party to it asked to be forgotten.")
        restores = contest.state == "upheld" and (await self._claim(contest.claim_id)).state == "ended"
        if restores:
            await self._store.claims.restore(contest.claim_id, by=self._actor)
        await self._store.contests.reopen(number, by=self._actor)
        return f"Contest {number} is open again" + (", and the claim holds again." if restores else ".")

    # -- deciding --------------------------------------------------------------------------------

    async def end_claim(self, number: int, reason: str) -> str:
        """End a claim, and say why.

        Raises
        ------
        OperatorError
            If it has ended, or there is none.
        """
        await self._claim(number)
        _needs(reason)
        why = f"by the person who runs this Labmate: {reason}"
        if not await self._store.claims.end(number, why, by=self._actor):
            raise OperatorError(f"Claim {number} has ended already.")
        return f"Claim {number} has ended.{await self._retracted(number)}"

    async def promote(self, number: int) -> str:
        """Let a server's correction hold for everybody.

        Raises
        ------
        OperatorError
            If there is none, or it can't hold for everybody.
        """
        correction = await self._store.corrections.find(number)
        if correction is None:
            raise OperatorError(f"There is no correction {number}.")
        try:
            await promote(self._store, correction, Scope.operator((self._actor, self._name)))
        except Refused as error:
            raise OperatorError(str(error)) from error
        return f"This holds for everybody now: {correction.note}"

    async def settle(self, number: int, *, upheld: bool) -> str:
        """Settle a contest: if it is upheld the claim ends, else the claim stays.

        Raises
        ------
        OperatorError
            If it was settled, or there is none.
        """
        contest = await self._contest(number)
        claim = await self._claim(contest.claim_id)
        against = await self._store.contests.open_of(claim.id)
        if self._actor in {claim.member, *(entry.member for entry in against)}:
            raise OperatorError("You are a party to this contest; another operator has to settle it.")
        await self._store.contests.to_operator(number)
        try:
            await self._store.contests.settle(number, self._actor, upheld=upheld)
        except ClaimRefused as error:
            raise OperatorError(str(error)) from error
        return (
            f"The claim has ended.{await self._retracted(contest.claim_id)}" if upheld else "The claim stays."
        )

    async def ban(self, kind: str, target: int, reason: str) -> str:
        """Ban a member or a server: commands, buttons and digests by direct message stop at once.

        Raises
        ------
        OperatorError
            If they are banned already.
        """
        _needs(reason)
        if not await self._store.bans.ban(kind, target, by=self._actor, reason=reason[:MOST_REASON]):
            raise OperatorError(f"The {kind} {target} is banned already.")
        await self._record(f"ban.{kind}", f"{kind} {target}", reason)
        return f"The {kind} {target} is banned."

    async def unban(self, kind: str, target: int) -> str:
        """Lift a ban on a member or a server.

        Raises
        ------
        OperatorError
            If they are not banned.
        """
        if not await self._store.bans.lift(kind, target):
            raise OperatorError(f"The {kind} {target} is not banned.")
        await self._record(f"unban.{kind}", f"{kind} {target}")
        return f"The {kind} {target} may use this Labmate again."

    async def allow(self, guild: int) -> str:
        """Add a server to the list; once there is one, only listed servers may use this Labmate.

        Raises
        ------
        OperatorError
            If it is on the list.
        """
        if not await self._store.bans.allow(guild, by=self._actor):
            raise OperatorError(f"The server {guild} is on the list already.")
        await self._record("server.allow", f"server {guild}")
        return f"The server {guild} may use this Labmate; servers that are not on the list may not."

    async def disallow(self, guild: int) -> str:
        """Take a server off the list.

        Raises
        ------
        OperatorError
            If it is not on the list.
        """
        if not await self._store.bans.disallow(guild):
            raise OperatorError(f"The server {guild} is not on the list.")
        await self._record("server.disallow", f"server {guild}")
        if await self._store.bans.allowed():
            return f"The server {guild} is off the list, and may no longer use this Labmate."
        return "The list is empty now, so every server may use this Labmate."

    async def _record(self, action: str, subject: str, detail: str = "") -> None:
        await self._store.audit.record(self._actor, action, subject, detail)

    async def _claim(self, number: int) -> Claim:
        claim = await self._store.claims.find(number)
        if claim is None:
            raise OperatorError(f"There is no claim {number}.")
        return claim

    async def _contest(self, number: int) -> Contest:
        contest = await self._store.contests.find(number)
        if contest is None:
            raise OperatorError(f"There is no contest {number}.")
        return contest


def _correction_line(entry: Correction) -> AuditLine:
    where = "in its server" if entry.is_local else "for everybody"
    state = f"in force {where}" if entry.undone is None else f"taken back by {entry.undone_by_name or '?'}"
    text = f"{entry.note} (said by {entry.made_by_name}, {entry.made_by})"
    return AuditLine(entry.id, entry.made, state, text, entry.guild)


def _claim_line(claim: Claim, name: str) -> AuditLine:
    proof = f"L{claim.level}" + (f" by {claim.proof}" if claim.proof else "")
    proof = proof if claim.level else "not proven yet"
    where = f", {claim.where}" if claim.where else ""
    ended = f"; {claim.why_ended}" if claim.why_ended else ""
    text = f"{name} by {_member(claim.member)} ({proof}{where}{ended})"
    return AuditLine(claim.id, claim.made, claim.state, text, claim.guild)


def _contest_line(contest: Contest) -> AuditLine:
    said = f": {contest.reason}" if contest.reason else ""
    text = f"claim {contest.claim_id}, contested by {_member(contest.member)}{said}"
    return AuditLine(contest.id, contest.made, contest.state, text, contest.guild or None)


def _member(number: int) -> str:
    return "a forgotten account" if number == FORGOTTEN else f"member {number}"
