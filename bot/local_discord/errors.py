"""Discord's errors, with their documented codes."""

from __future__ import annotations

from typing import Any

from bot.local_discord.limits import Problems


class ApiError(Exception):
    """An error that Discord would answer with."""

    def __init__(self, status: int, code: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"message": message, "code": code, **more}


def unauthorized() -> ApiError:
    return ApiError(401, 0, "401: Unauthorized")


def unknown(what: str, code: int) -> ApiError:
    return ApiError(404, code, f"Unknown {what}")


def missing_access() -> ApiError:
    return ApiError(403, 50001, "Missing Access")


def missing_permissions() -> ApiError:
    return ApiError(403, 50013, "Missing Permissions")


def invalid_form(problems: Problems) -> ApiError:
    """400 with the tree of errors."""
    if problems.tree.get("_empty"):
        return ApiError(400, 50006, "Cannot send an empty message")
    return ApiError(400, 50035, "Invalid Form Body", errors=problems.tree)
