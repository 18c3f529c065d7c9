"""Discord's own API description, if it is at hand: what it says is wrong with a request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from bot.local_discord.limits import Problems
from bot.local_discord.state import Json

_SCHEMAS = "#/components/schemas/"


def _snowflakes(value: Any) -> Any:
    """Turn ids sent as numbers, which Discord accepts, into the strings of its description."""
    if isinstance(value, dict):
        return {key: _snowflakes(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_snowflakes(entry) for entry in value]
    return str(value) if type(value) is int and value > 1 << 53 else value


@cache
def description_in(path: Path) -> Description:
    """The description in a file, read once."""
    return Description(path)


class Description:
    """Discord's OpenAPI description, used to check the body of a request."""

    def __init__(self, path: Path) -> None:
        self._spec = json.loads(path.read_text())
        self._routes = [
            (re.compile("^" + re.sub(r"\{[^}]+\}", "[^/]+", route) + "$"), route)
            for route in self._spec["paths"]
        ]
        # Fixed parts such as @original and @me win over parameters.
        self._routes.sort(key=lambda pair: pair[1].count("{"))
        self._validator = cache(self._make_validator)
        self._kind = extend(Draft202012Validator, {"oneOf": self._one_of, "anyOf": self._any_of})

    def check(self, method: str, path: str, body: Any) -> Problems:
        """What is wrong with a JSON body; nothing if the description does not have the route."""
        problems = Problems()
        route = next((route for pattern, route in self._routes if pattern.match(path)), None)
        validator = self._validator(method.lower(), route) if route else None
        if validator is not None:
            errors = sorted(validator.iter_errors(_snowflakes(body)), key=lambda e: len(e.absolute_path))
            for error in errors[:5]:
                deepest = min(error.context or [error], key=lambda e: -len(e.absolute_path))
                where = ".".join(map(str, deepest.absolute_path))
                problems.add(where, "OPENAPI", f"{route}: {deepest.message[:300]}")
        return problems

    def _make_validator(self, method: str, route: str) -> Any:
        operation = self._spec["paths"][route].get(method) or {}
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if not content:
            return None
        return self._kind({**content["schema"], "components": self._spec["components"]})

    # A component may be of any of twenty kinds, with parts of many kinds. jsonschema tries them all to the
    # bottom, which was two thirds of a test's time. For a right request, the kind that it names is enough.

    def _one_of(
        self, validator: Any, kinds: list[Json], instance: Any, schema: Json
    ) -> Iterator[ValidationError]:
        if sum(self._fits(validator, kind, instance) for kind in kinds) != 1:
            yield from Draft202012Validator.VALIDATORS["oneOf"](validator, kinds, instance, schema)

    def _any_of(
        self, validator: Any, kinds: list[Json], instance: Any, schema: Json
    ) -> Iterator[ValidationError]:
        if not any(self._fits(validator, kind, instance) for kind in kinds):
            yield from Draft202012Validator.VALIDATORS["anyOf"](validator, kinds, instance, schema)

    def _fits(self, validator: Any, kind: Json, instance: Any) -> bool:
        return not self._rules_out(kind, instance) and next(validator.descend(instance, kind), None) is None

    def _rules_out(self, kind: Json, instance: Any) -> bool:
        """Whether a glance shows that a kind is not meant: another constant, or another ``type``."""
        if reference := kind.get("$ref"):
            kind = self._spec["components"]["schemas"][reference.removeprefix(_SCHEMAS)]
        if "const" in kind:
            return bool(instance != kind["const"])
        if not isinstance(instance, dict):
            return kind.get("type") == "object"
        if kind.get("type") == "null":
            return True
        named = kind.get("properties", {}).get("type", {}).get("enum")
        return named is not None and "type" in instance and instance["type"] not in named
