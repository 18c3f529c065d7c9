"""What Discord adds to the components and embeds that a bot sends: numbers, defaults, where the media are."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable

from bot.local_discord import errors
from bot.local_discord.limits import (
    CONTAINER,
    FILE,
    GALLERY,
    SEPARATOR,
    THUMBNAIL,
    Problems,
    walk,
)
from bot.local_discord.state import Json

_ATTACHMENT = "attachment://"
_SELECT: Json = {"min_values": 1, "max_values": 1, "disabled": False}
_MEDIA: Json = {"description": None, "spoiler": False}
_DEFAULTS: dict[int, Json] = {
    **dict.fromkeys((3, 5, 6, 7, 8), _SELECT),
    THUMBNAIL: _MEDIA,
    FILE: {"spoiler": False},
    SEPARATOR: {"spacing": 1, "divider": True},
    CONTAINER: {"accent_color": None, "spoiler": False},
}


class Completion:
    """Completes one message's components and embeds.

    Parameters
    ----------
    attachments
        The message's files, as Discord describes them.
    fresh_id
        Makes an id for each of the media.
    """

    def __init__(self, attachments: list[Json], fresh_id: Callable[[], str]) -> None:
        self._attachments = {attachment["filename"]: attachment for attachment in attachments}
        self._by_url = {attachment["url"]: attachment for attachment in attachments}
        self._fresh_id = fresh_id
        self._problems = Problems()
        self.shown: set[str] = set()
        """Ids of the attachments that components or embeds show; the message does not list them."""

    def components(self, components: list[Json]) -> list[Json]:
        """The components as the message has them.

        Raises
        ------
        ApiError
            50035 if a component shows a file that the message does not have.
        """
        made = number([self._component(f"components.{i}", one) for i, one in enumerate(components)])
        self._refuse_problems()
        return made

    def embeds(self, embeds: list[Json]) -> list[Json]:
        """The embeds as the message has them; raises as :meth:`components` does."""
        made = [self._embed(f"embeds.{i}", one) for i, one in enumerate(embeds)]
        self._refuse_problems()
        return made

    def _refuse_problems(self) -> None:
        if self._problems.tree:
            raise errors.invalid_form(self._problems)

    def _component(self, path: str, given: Json) -> Json:
        component = {**_DEFAULTS.get(given["type"], {}), **_told(given)}
        if "components" in component:
            component["components"] = [
                self._component(f"{path}.components.{i}", one)
                for i, one in enumerate(component["components"])
            ]
        if "accessory" in component:
            component["accessory"] = self._component(f"{path}.accessory", component["accessory"])
        if "emoji" in component:
            component["emoji"] = _told(component["emoji"])
        if "options" in component:
            component["options"] = [_told(option) for option in component["options"]]
        if component["type"] == THUMBNAIL:
            component["media"] = self._media(f"{path}.media", component["media"])
        elif component["type"] == GALLERY:
            component["items"] = [
                {**_MEDIA, **_told(item), "media": self._media(f"{path}.items.{i}.media", item["media"])}
                for i, item in enumerate(component["items"])
            ]
        elif component["type"] == FILE:
            component["file"] = self._media(f"{path}.file", component["file"])
            attachment = self._by_url.get(component["file"]["url"], {})
            component |= {"name": attachment.get("filename"), "size": attachment.get("size")}
        return component

    def _media(self, path: str, given: Json) -> Json:
        url = str(given.get("url", ""))
        attachment = self._attached(path, url)
        if attachment is None:
            kind = mimetypes.guess_type(url.partition("?")[0])[0]
            return {"id": self._fresh_id(), "url": url, "proxy_url": url, "content_type": kind}
        return {
            "id": self._fresh_id(),
            "attachment_id": attachment["id"],
            **{name: attachment[name] for name in ("url", "proxy_url", "content_type")},
        }

    def _attached(self, path: str, url: str) -> Json | None:
        """The attachment that a URL means, and None for a URL of elsewhere."""
        if not url.startswith(_ATTACHMENT):
            attachment = self._by_url.get(url)
        else:
            attachment = self._attachments.get(url.removeprefix(_ATTACHMENT))
            if attachment is None:
                code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
                self._problems.add(f"{path}.url", code, f'The referenced attachment ("{url}") was not found')
        if attachment is not None:
            self.shown.add(attachment["id"])
        return attachment

    def _embed(self, path: str, given: Json) -> Json:
        embed = {"type": "rich", **_told(given)}
        if "fields" in embed:
            embed["fields"] = [{"inline": False, **_told(one)} for one in embed["fields"]]
        for name, key in (
            ("image", "url"),
            ("thumbnail", "url"),
            ("author", "icon_url"),
            ("footer", "icon_url"),
        ):
            part = embed[name] = _told(embed.get(name) or {})
            if key in part:
                attachment = self._attached(f"{path}.{name}", str(part[key]))
                part[key] = attachment["url"] if attachment else part[key]
                part["proxy_" + key] = part[key]
            if not part:
                del embed[name]
        return embed


def _told(given: Json) -> Json:
    """Without what is null: Discord leaves such fields out."""
    return {name: value for name, value in given.items() if value is not None}


def number(components: list[Json]) -> list[Json]:
    """Number components that have no id, as Discord does: 1, 2, 3 in order."""
    taken = {c["id"] for _, c in walk(components) if c.get("id")}
    fresh = (i for i in range(1, 1_000) if i not in taken)
    for _, component in walk(components):
        if not component.get("id"):
            component["id"] = next(fresh)
    return components


def files_of(message: Json) -> list[Json]:
    """The files that a message lists or shows in components: each with ``id``, ``filename``, ``url``."""
    shown = [
        media
        for _, component in walk(message.get("components") or [])
        for media in [
            component.get("media"),
            component.get("file"),
            *(item["media"] for item in component.get("items") or []),
        ]
        if media and "attachment_id" in media
    ]
    return [
        *message.get("attachments", []),
        *(
            {**media, "id": media["attachment_id"], "filename": media["url"].rpartition("/")[2]}
            for media in shown
        ),
    ]
