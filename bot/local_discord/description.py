"""Discord's own API description, if it is at hand: what is wrong with a request, an answer or an event."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError

from bot.local_discord.limits import Problems
from bot.local_discord.state import Json

_SCHEMAS = "#/components/schemas/"
_CHANNEL = ("GuildChannelResponse", "PrivateChannelResponse", "ThreadResponse")
_THREAD, _THREAD_MEMBER = "ThreadResponse", "ThreadMemberResponse"
_MEMBER, _MESSAGE = "GuildMemberResponse", "MessageResponse"
_ROLE, _USER = "GuildRoleResponse", "UserResponse"
_EVENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "READY": {"user": (_USER,)},
    "GUILD_CREATE": {
        "": ("GuildResponse",),
        "channels.*": _CHANNEL,
        "threads.*": (_THREAD,),
        "members.*": (_MEMBER,),
    },
    "GUILD_UPDATE": {"": ("GuildResponse",)},
    "CHANNEL_CREATE": {"": _CHANNEL},
    "CHANNEL_UPDATE": {"": _CHANNEL},
    "CHANNEL_DELETE": {"": _CHANNEL},
    "THREAD_CREATE": {"": (_THREAD,)},
    "THREAD_UPDATE": {"": (_THREAD,)},
    "THREAD_LIST_SYNC": {"threads.*": (_THREAD,), "members.*": (_THREAD_MEMBER,)},
    "THREAD_MEMBERS_UPDATE": {"added_members.*": (_THREAD_MEMBER,)},
    "GUILD_MEMBER_ADD": {"": (_MEMBER,)},
    "GUILD_MEMBER_UPDATE": {"": (_MEMBER,)},
    "GUILD_MEMBER_REMOVE": {"user": (_USER,)},
    "GUILD_MEMBERS_CHUNK": {"members.*": (_MEMBER,)},
    "GUILD_ROLE_CREATE": {"role": (_ROLE,)},
    "GUILD_ROLE_UPDATE": {"role": (_ROLE,)},
    "MESSAGE_CREATE": {"": (_MESSAGE,)},
    "MESSAGE_UPDATE": {"": (_MESSAGE,)},
    "MESSAGE_REACTION_ADD": {"member": (_MEMBER,)},
    "INTERACTION_CREATE": {
        "member": ("PrivateGuildMemberResponse",),
        "user": (_USER,),
        "channel": _CHANNEL,
        "message": (_MESSAGE,),
        "data.resolved.users.*": (_USER,),
        "data.resolved.roles.*": (_ROLE,),
        "data.resolved.messages.*": (_MESSAGE,),
        "data.resolved.attachments.*": ("MessageAttachmentResponse",),
    },
}
"""Gateway events, which the description lacks, and their parts that it has: where, and as what."""


def _snowflakes(value: Any) -> Any:
    """Turn ids sent as numbers, which Discord accepts, into the strings of its description."""
    if isinstance(value, dict):
        return {key: _snowflakes(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_snowflakes(entry) for entry in value]
    return str(value) if type(value) is int and value > 1 << 53 else value


def _objects(value: Any) -> Iterator[Json]:
    """Every object within."""
    if isinstance(value, dict):
        yield value
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(entry)


def amended(description: Json) -> Json:
    """The description, changed where Discord's documentation differs and clients rely on that.

    The codes of a form's errors are words (``"code": "BASE_TYPE_REQUIRED"``), and permissions are
    texts (https://docs.discord.com/developers/reference and .../resources/channel).
    """
    for part in _objects(description):
        for name in ("allow", "deny", "permissions"):
            given = part.get(name)
            if isinstance(given, dict) and given.get("type") == ["integer", "null"]:
                given["type"] = ["integer", "string", "null"]
    inner = description["components"]["schemas"]["InnerErrors"]["properties"]["_errors"]["items"]
    inner.clear()
    inner |= {
        "type": "object",
        "properties": {"code": {"type": ["integer", "string"]}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    return description


@cache
def description_in(path: Path) -> Description:
    """The description in a file, read once."""
    return Description(path)


class Description:
    """Discord's OpenAPI description. Each operation's schemas are compiled once, when first needed."""

    def __init__(self, path: Path) -> None:
        self._spec = amended(json.loads(path.read_text()))
        self._routes = [
            (re.compile("^" + re.sub(r"\{[^}]+\}", "[^/]+", route) + "$"), route)
            for route in self._spec["paths"]
        ]
        # Fixed parts such as @original and @me win over parameters.
        self._routes.sort(key=lambda pair: pair[1].count("{"))
        self._of_request = cache(self._request_validator)
        self._of_answer = cache(self._answer_validator)
        self._of_schemas = cache(self._schemas_validator)
        self.violations: list[str] = []
        """What was wrong with answers and events of every local Discord in this process."""

    def check(self, method: str, path: str, body: Any) -> Problems:
        """What is wrong with a request's JSON body; nothing if the description does not have the route."""
        problems, route = Problems(), self._route(method, path)
        validator = self._of_request(method.lower(), route) if route else None
        if validator is not None:
            for where, message in _errors(validator, _snowflakes(body)):
                problems.add(where, "OPENAPI", f"{route}: {message}")
        return problems

    def check_answer(self, method: str, path: str, status: int, body: Any) -> list[str]:
        """What is wrong with an answer; a status that the description does not have is wrong, too.

        Answers of 500 and more are faults that somebody asked for, and are not described.
        """
        route = self._route(method, path)
        if route is None or status >= 500:
            return []
        known, validator = self._of_answer(method.lower(), route, status)
        wrong = [] if known else [f"{status} is not an answer of this route"]
        if validator is not None:
            wrong += [f"{where}: {message}" for where, message in _errors(validator, body)]
        return [f"{method} {route} {status}: {one}" for one in wrong]

    def check_event(self, event: str, data: Json) -> list[str]:
        """What is wrong with a gateway event, as far as the description has its parts."""
        return [
            f"{event} {place}: {where}: {message}"
            for place, names in _EVENTS.get(event, {}).items()
            for part in _parts(data, place.split(".") if place else [])
            for where, message in _errors(self._of_schemas(names), part)
        ]

    def _route(self, method: str, path: str) -> str | None:
        """The most specific route that has the method."""
        return next(
            (
                route
                for pattern, route in self._routes
                if method.lower() in self._spec["paths"][route] and pattern.match(path)
            ),
            None,
        )

    def _request_validator(self, method: str, route: str) -> Draft202012Validator | None:
        body = self._spec["paths"][route][method].get("requestBody", {})
        content = body.get("content", {}).get("application/json")
        return self._compiled(content["schema"]) if content else None

    def _answer_validator(
        self, method: str, route: str, status: int
    ) -> tuple[bool, Draft202012Validator | None]:
        answers = self._spec["paths"][route][method]["responses"]
        answer = answers.get(str(status)) or answers.get(f"{status // 100}XX")
        if answer is None:
            return False, None
        if "$ref" in answer:
            answer = self._spec["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        content = answer.get("content", {}).get("application/json")
        return True, self._compiled(content["schema"]) if content else None

    def _schemas_validator(self, names: tuple[str, ...]) -> Draft202012Validator:
        return self._compiled({"oneOf": [{"$ref": _SCHEMAS + name} for name in names]})

    def _compiled(self, schema: Json) -> Draft202012Validator:
        """A validator of a schema and those that it refers to; with all of them it takes ten times longer."""
        needed: Json = {}
        waiting = [schema]
        while waiting:
            for part in _objects(waiting.pop()):
                name = str(part.get("$ref", "")).removeprefix(_SCHEMAS)
                if name in self._spec["components"]["schemas"] and name not in needed:
                    needed[name] = self._spec["components"]["schemas"][name]
                    waiting.append(needed[name])
        return Draft202012Validator({**schema, "components": {"schemas": needed}}, validate_formats=True)


def _parts(data: Any, place: list[str]) -> Iterator[Any]:
    """The parts at a place, without missing ones; ``*`` stands for every entry."""
    if not place:
        yield data
    elif place[0] == "*":
        for entry in data.values() if isinstance(data, dict) else data or []:
            yield from _parts(entry, place[1:])
    elif isinstance(data, dict) and data.get(place[0]) is not None:
        yield from _parts(data[place[0]], place[1:])


def _errors(validator: Draft202012Validator, value: Any) -> list[tuple[str, str]]:
    """The first errors: where, and what. Of a choice among kinds, what went wrong deepest is told."""
    if validator.is_valid(value):
        return []
    errors = sorted(validator.iter_errors(value), key=lambda error: len(error.instance_path))
    return [
        (".".join(map(str, deepest.instance_path)), deepest.message[:300])
        for deepest in map(_deepest, errors[:5])
    ]


def _deepest(error: ValidationError) -> ValidationError:
    """Of a choice among kinds, what is most deeply wrong with the kind that the value's ``type`` names."""
    kinds = getattr(error.kind, "context", [])
    named = [*error.instance_path, "type"]
    meant = [kind for kind in kinds if all(one.instance_path != named for one in kind)] or kinds
    within = [_deepest(one) for kind in meant for one in kind]
    return max(within, key=lambda one: len(one.instance_path), default=error)
