"""What Discord refuses: its documented limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bot.local_discord.state import COMPONENTS_V2, Json

MAX_CONTENT = 2_000
MAX_TEXT_V2 = 4_000
MAX_COMPONENTS = 40
MAX_CUSTOM_ID = 100
MAX_FILES = 10
MAX_INPUT = 4_000
ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL = 9, 10, 11, 12, 13, 14, 17, 18
FILE_UPLOAD = 19
_SELECTS = {3, 5, 6, 7, 8}
_V2_ONLY = {SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER}
_LINK = 5
_COMMAND_NAME = re.compile(r"^[-_'\w]{1,32}$")


class Problems:
    """Errors in a request, as Discord's tree."""

    def __init__(self) -> None:
        self.tree: Json = {}

    def add(self, path: str, code: str, message: str) -> None:
        """Add an error at a dotted path; as with Discord, a part has errors or parts with errors."""
        node = self.tree
        for part in filter(None, path.split(".")):
            if part == "_errors" or "_errors" in node:
                return
            node = node.setdefault(part, {})
        if not node.keys() - {"_errors"}:
            node.setdefault("_errors", []).append({"code": code, "message": message})

    def permissions(self, path: str, value: Any) -> str:
        """Permissions as the text that Discord keeps, "0" for none; adds an error for other text."""
        given = "0" if value in (None, "") else str(value)
        if not (given.isascii() and given.isdecimal() and len(given) <= 20):
            self.add(path, "NUMBER_TYPE_COERCE", f'Value "{given[:40]}" is not int.')
        return given

    def too_long(self, path: str, value: Any, most: int, least: int = 0) -> None:
        """Add an error if a text or list is too long or too short."""
        if value is None:
            return
        if not least <= len(value) <= most:
            what = "" if isinstance(value, str) else " items"
            message = (
                f"Must be between {least} and {most} in length."
                if least
                else (f"Must be {most} or fewer{what or ' characters'} in length.")
            )
            self.add(path, "BASE_TYPE_BAD_LENGTH" if least else "BASE_TYPE_MAX_LENGTH", message)


def check_message(body: Json, *, edits: Json | None = None, uploads: int = 0) -> Problems:
    """Check a new message, or an edit of an older one."""
    problems = Problems()
    flags = (body.get("flags") or 0) | ((edits or {}).get("flags") or 0)
    content, components = body.get("content"), body.get("components")
    if flags & COMPONENTS_V2:
        for name in ("content", "embeds", "poll", "stickers"):
            if body.get(name):
                problems.add(
                    name,
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    if isinstance(content, str):
        problems.too_long("content", content, MAX_CONTENT)
    problems.too_long("embeds", body.get("embeds"), 10)
    for place, embed in enumerate(body.get("embeds") or []):
        problems.too_long(f"embeds.{place}.title", embed.get("title"), 256)
        problems.too_long(f"embeds.{place}.description", embed.get("description"), 4096)
        problems.too_long(f"embeds.{place}.fields", embed.get("fields"), 25)
    if components is not None:
        _check_components(problems, components, v2=bool(flags & COMPONENTS_V2))
    empty = not any(
        (content, body.get("embeds"), components, uploads, body.get("attachments"), body.get("poll"))
    )
    if edits is None and empty:
        problems.tree = {"_empty": True}
    return problems


def _check_components(problems: Problems, components: list[Json], *, v2: bool) -> None:
    count, text, custom_ids = 0, 0, set()
    if not v2:
        problems.too_long("components", components, 5)
    for path, component in walk(components):
        count += 1
        kind = component.get("type")
        if kind in _V2_ONLY and not v2:
            problems.add(path, "COMPONENT_TYPE_INVALID", "Components V2 need the flag IS_COMPONENTS_V2")
        if kind == TEXT_DISPLAY:
            problems.too_long(f"{path}.content", component.get("content", ""), MAX_TEXT_V2, 1)
            text += len(component.get("content", ""))
        custom_id = component.get("custom_id")
        if custom_id is not None:
            problems.too_long(f"{path}.custom_id", custom_id, MAX_CUSTOM_ID, 1)
            if custom_id in custom_ids:
                problems.add(
                    f"{path}.custom_id",
                    "COMPONENT_CUSTOM_ID_DUPLICATED",
                    "Component custom id cannot be duplicated",
                )
            custom_ids.add(custom_id)
        _check_one(problems, path, component)
    if count > MAX_COMPONENTS:
        problems.add(
            "components",
            "COMPONENT_MAX_TOTAL_COMPONENTS",
            f"The total number of components is {count}; the maximum is {MAX_COMPONENTS}",
        )
    if text > MAX_TEXT_V2:
        problems.add(
            "components",
            "COMPONENT_MAX_TOTAL_TEXT",
            f"The text of all components is {text} characters; the maximum is {MAX_TEXT_V2}",
        )


def _check_one(problems: Problems, path: str, component: Json) -> None:
    kind = component.get("type")
    if kind == ROW:
        children = component.get("components", [])
        problems.too_long(f"{path}.components", children, 5, 1)
        if any(child.get("type") in _SELECTS for child in children) and len(children) > 1:
            problems.add(f"{path}.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "A select fills its row")
    elif kind == BUTTON:
        problems.too_long(f"{path}.label", component.get("label"), 80)
        if component.get("style") == _LINK:
            problems.too_long(f"{path}.url", component.get("url", ""), 512, 1)
            if not str(component.get("url", "")).startswith(("http://", "https://", "discord://")):
                problems.add(f"{path}.url", "URL_TYPE_INVALID_URL", "Not a well formed URL.")
        elif not component.get("custom_id"):
            problems.add(f"{path}.custom_id", "BASE_TYPE_REQUIRED", "A custom id or url is required")
        if not component.get("label") and not component.get("emoji"):
            problems.add(path, "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji")
    elif kind == STRING_SELECT:
        options = component.get("options", [])
        problems.too_long(f"{path}.options", options, 25, 1)
        problems.too_long(f"{path}.placeholder", component.get("placeholder"), 150)
        values = [option.get("value") for option in options]
        if len(set(values)) != len(values):
            problems.add(
                f"{path}.options", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Option values must be unique"
            )
        for place, option in enumerate(options):
            for name in ("label", "value"):
                problems.too_long(f"{path}.options.{place}.{name}", option.get(name, ""), 100, 1)
            problems.too_long(f"{path}.options.{place}.description", option.get("description"), 100)
    elif kind == SECTION:
        problems.too_long(f"{path}.components", component.get("components", []), 3, 1)
        if not component.get("accessory"):
            problems.add(f"{path}.accessory", "BASE_TYPE_REQUIRED", "This field is required")
    elif kind == GALLERY:
        problems.too_long(f"{path}.items", component.get("items", []), 10, 1)


def walk(components: list[Json], path: str = "components") -> Iterator[tuple[str, Json]]:
    """Every component with its path, including accessories."""
    for place, component in enumerate(components):
        here = f"{path}.{place}"
        yield here, component
        yield from walk(component.get("components") or [], f"{here}.components")
        for name in ("accessory", "component"):
            if component.get(name):
                yield from walk([component[name]], f"{here}.{name}")


def check_choices(choices: list[Json]) -> Problems:
    """Check autocomplete choices."""
    problems = Problems()
    problems.too_long("data.choices", choices, 25)
    for place, choice in enumerate(choices):
        problems.too_long(f"data.choices.{place}.name", choice.get("name", ""), 100, 1)
        if isinstance(choice.get("value"), str):
            problems.too_long(f"data.choices.{place}.value", choice["value"], 100, 1)
    return problems


def check_modal(modal: Json) -> Problems:
    """Check a modal."""
    problems = Problems()
    problems.too_long("data.title", modal.get("title", ""), 45, 1)
    problems.too_long("data.custom_id", modal.get("custom_id", ""), MAX_CUSTOM_ID, 1)
    problems.too_long("data.components", modal.get("components", []), 5, 1)
    for path, component in walk(modal.get("components") or []):
        if component.get("type") == TEXT_INPUT:
            most = int(component.get("max_length") or MAX_INPUT)
            problems.too_long(f"data.{path}.value", component.get("value") or "", most)
        elif component.get("type") == LABEL:
            problems.too_long(f"data.{path}.label", component.get("label", ""), 45, 1)
            problems.too_long(f"data.{path}.description", component.get("description"), 100, 1)
        elif component.get("type") == FILE_UPLOAD:
            if not path.endswith(".component.0"):
                problems.add(f"data.{path}", "COMPONENT_TYPE_INVALID", "A file upload stands in a label")
            for name, least in (("min_values", 0), ("max_values", 1)):
                if not least <= int(component.get(name) or least) <= MAX_FILES:
                    message = f"Must be between {least} and {MAX_FILES}."
                    problems.add(f"data.{path}.{name}", "NUMBER_TYPE_RANGE", message)
    return problems


def check_commands(commands: list[Json]) -> Problems:
    """Check the application commands of a bulk overwrite."""
    problems, names = Problems(), set()
    for place, command in enumerate(commands):
        kind, name = command.get("type", 1) or 1, command.get("name", "")
        if kind == 1 and (not _COMMAND_NAME.match(name) or name != name.lower()):
            problems.add(f"{place}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        if kind == 1:
            problems.too_long(f"{place}.description", command.get("description", ""), 100, 1)
            _check_options(problems, f"{place}.options", command.get("options") or [])
        if (kind, name) in names:
            problems.add(
                "", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique"
            )
        names.add((kind, name))
    return problems


def _check_options(problems: Problems, path: str, options: list[Json]) -> None:
    problems.too_long(path, options, 25)
    optional_seen = False
    for place, option in enumerate(options):
        here = f"{path}.{place}"
        if not _COMMAND_NAME.match(option.get("name", "")):
            problems.add(f"{here}.name", "APPLICATION_COMMAND_INVALID_NAME", "Option name is invalid")
        problems.too_long(f"{here}.description", option.get("description", ""), 100, 1)
        problems.too_long(f"{here}.choices", option.get("choices"), 25)
        if option.get("required") and optional_seen:
            problems.add(
                here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must come first"
            )
        optional_seen |= not option.get("required") and option.get("type") not in (1, 2)
        _check_options(problems, f"{here}.options", option.get("options") or [])
