"""Routes of polls: vote, list who voted, end."""

from __future__ import annotations

from bot.local_discord import errors
from bot.local_discord.polls import poll_seen_by
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import Json

_POLL_RESULT = 46


class PollRoutes(Routes):
    """Routes under ``/channels/{channel}/polls``."""

    def poll_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        poll = "/channels/{channel}/polls/{message}"
        return [
            ("POST", poll + "/expire", self.end_poll, True),
            # What Discord's own client sends; bots can't vote.
            ("PUT", poll + "/answers/@me", self.vote, True),
            ("GET", poll + "/answers/{answer}", self.list_voters, True),
        ]

    def _poll(self, call: Call) -> tuple[Json, Json]:
        channel = self._channel(call)
        message = self._messages.get(channel["id"], call["message"])
        if "poll" not in message:
            raise errors.ApiError(400, 520002, "Cannot use a message without a poll")
        return channel, message

    async def vote(self, call: Call) -> None:
        """Vote for answers; an empty list takes the votes back."""
        channel, message = self._poll(call)
        shown = poll_seen_by(self._state, call.user_id, message)
        if shown["results"]["is_finalized"]:
            raise errors.ApiError(400, 520001, "Poll expired")
        known = {answer["answer_id"] for answer in shown["answers"]}
        try:
            chosen = {int(answer) for answer in call.body.get("answer_ids") or []}
        except (TypeError, ValueError):
            chosen = {-1}
        if not chosen <= known or (len(chosen) > 1 and not shown["allow_multiselect"]):
            raise errors.ApiError(400, 50035, "Invalid Form Body")
        votes = self._state.votes.setdefault(message["id"], {})
        for answer in sorted(known):
            users = votes.setdefault(answer, [])
            if (answer in chosen) == (call.user_id in users):
                continue
            (users.append if answer in chosen else users.remove)(call.user_id)
            event = "MESSAGE_POLL_VOTE_ADD" if answer in chosen else "MESSAGE_POLL_VOTE_REMOVE"
            data = {"user_id": call.user_id, "channel_id": channel["id"], "message_id": message["id"]}
            guild = {"guild_id": channel["guild_id"]} if channel.get("guild_id") else {}
            await self._gateway.to_channel(channel, event, {**data, **guild, "answer_id": answer})

    async def list_voters(self, call: Call) -> Json:
        """Who voted for an answer."""
        _, message = self._poll(call)
        limit, after = self._limit(call, 100, 25), self._snowflake(call, "after")
        voters = self._state.votes.get(message["id"], {})
        users = voters.get(int(call["answer"]), []) if call["answer"].isdecimal() else []
        there = sorted((user for user in users if int(user) > after), key=int)
        return {"users": [self._state.users[user] for user in there[:limit]]}

    async def end_poll(self, call: Call) -> Json:
        """End one's own poll now; the channel is told the result."""
        channel, message = self._poll(call)
        if message["author"]["id"] != call.user_id:
            raise errors.ApiError(403, 50005, "Cannot edit a message authored by another user")
        shown = poll_seen_by(self._state, call.user_id, message)
        if shown["results"]["is_finalized"]:
            raise errors.ApiError(400, 520001, "Poll expired")
        message["poll"]["expiry"] = self._state.timestamp()
        ended = self._messages.seen_by(call.user_id, message)
        await self._messages.tell(channel, "MESSAGE_UPDATE", message)
        where = {"message_id": message["id"], "channel_id": channel["id"], "type": 0}
        await self._messages.announce(
            channel, call.user_id, _POLL_RESULT, message_reference=where, embeds=[_result(shown)]
        )
        return ended


def _result(poll: Json) -> Json:
    """The embed of a poll's result (https://docs.discord.com/developers/resources/message#embed-object)."""
    counts = {entry["id"]: entry["count"] for entry in poll["results"]["answer_counts"]}
    most = max(counts.values(), default=0)
    winners = [answer for answer in poll["answers"] if counts.get(answer["answer_id"]) == most and most]
    fields = {
        "poll_question_text": poll["question"]["text"],
        "victor_answer_votes": str(most),
        "total_votes": str(sum(counts.values())),
    }
    if len(winners) == 1:
        fields["victor_answer_id"] = str(winners[0]["answer_id"])
        fields["victor_answer_text"] = winners[0]["poll_media"]["text"]
    shown = [{"name": name, "value": value, "inline": False} for name, value in fields.items()]
    return {"type": "poll_result", "fields": shown}
