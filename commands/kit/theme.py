"""Pictures in the theme that the asker has chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from commands.kit.services import Services


async def painted(services: Services, draw: Callable[..., bytes], key: Any, *args: Any) -> bytes | None:
    """The PNG that ``draw(*args, theme)`` makes in the asker's theme; None if that takes too long."""
    if not services.painter.draws:
        return None
    member = services.place.member
    return await in_theme(services, await services.store.member_settings.theme(member), draw, key, *args)


async def in_theme(
    services: Services, theme: str, draw: Callable[..., bytes], key: Any, *args: Any
) -> bytes | None:
    """The PNG that ``draw(*args, theme)`` makes."""
    return await services.painter.paint(draw, (key, theme), *args, theme)
