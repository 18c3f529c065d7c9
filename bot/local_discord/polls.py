"""Polls: a message's poll as Discord keeps it, and its counts."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.local_discord import errors
from bot.local_discord.limits import Problems
from bot.local_discord.state import Json, State

_DEFAULT_HOURS, _MOST_HOURS = 24, 768


def poll_made(body: Json, now: float) -> Json:
    """A new poll from a message's ``poll``, without votes.

    Raises
    ------
    ApiError
        50035 for a poll beyond Discord's limits.
    """
    problems = Problems()
    question, answers = body.get("question") or {}, body.get("answers") or []
    hours = body.get("duration") or _DEFAULT_HOURS
    problems.too_long("poll.question.text", question.get("text") or "", 300, 1)
    problems.too_long("poll.answers", answers, 10, 1)
    for place, answer in enumerate(answers):
        text = (answer.get("poll_media") or {}).get("text") or ""
        problems.too_long(f"poll.answers.{place}.poll_media.text", text, 55, 1)
    if type(hours) is not int or not 1 <= hours <= _MOST_HOURS:
        message = f"int value should be between 1 and {_MOST_HOURS}."
        problems.add("poll.duration", "NUMBER_TYPE_MAX", message)
    if problems.tree:
        raise errors.invalid_form(problems)
    return {
        "question": {"text": question["text"]},
        "answers": [
            {"answer_id": place, "poll_media": _media(answer["poll_media"])}
            for place, answer in enumerate(answers, 1)
        ],
        "expiry": datetime.fromtimestamp(now + hours * 3600, UTC).isoformat(),
        "allow_multiselect": bool(body.get("allow_multiselect")),
        "layout_type": body.get("layout_type") or 1,
        "results": {"is_finalized": False, "answer_counts": []},
    }


def _media(media: Json) -> Json:
    emoji = media.get("emoji")
    shown = {"emoji": {"id": emoji.get("id"), "name": emoji.get("name")}} if emoji else {}
    return {"text": media["text"], **shown}


def poll_seen_by(state: State, viewer: str, message: Json) -> Json:
    """A message's poll with the votes so far."""
    poll, votes = message["poll"], state.votes.get(message["id"], {})
    counts = [
        {"id": answer, "count": len(users), "me_voted": viewer in users}
        for answer, users in sorted(votes.items())
        if users
    ]
    over = datetime.fromisoformat(poll["expiry"]).timestamp() <= state.now()
    return {**poll, "results": {"is_finalized": over, "answer_counts": counts}}
