"""Answers as Discord's API gives them: JSON, errors of faults, headers of rate limits."""

from __future__ import annotations

import hashlib
import json
from http import HTTPStatus
from typing import Any

from aiohttp import web

from bot.local_discord.faults import Fault


def json_answer(data: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """An answer in JSON."""
    # Discord's content type has no charset, and some clients compare the whole string.
    body = json.dumps(data).encode()
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")


def faulty(fault: Fault) -> web.Response:
    """The answer of a fault, as Discord words it."""
    if fault.status == 429:
        scope = "global" if fault.everywhere else "user"
        body = {
            "message": "You are being rate limited.",
            "retry_after": fault.retry_after,
            "global": fault.everywhere,
        }
        headers = {"Via": "1.1 local", "Retry-After": str(fault.retry_after), "X-RateLimit-Scope": scope}
        if fault.everywhere:
            headers["X-RateLimit-Global"] = "true"
        return json_answer(body, status=429, headers=headers)
    status = HTTPStatus(fault.status or 500)
    return json_answer({"message": fault.message or status.phrase, "code": fault.code}, status=status)


def limit_headers(path: str) -> dict[str, str]:
    """Headers that tell clients about generous rate limits; answers to interactions have none."""
    if path.endswith("/callback"):
        return {}
    bucket = "-".join(part for part in path.split("/") if part and not part.isdigit())[:60]
    # Discord's buckets are hashes, too; a path may hold an emoji, which no header can.
    bucket = hashlib.sha256(bucket.encode()).hexdigest()[:32]
    return {
        "X-RateLimit-Limit": "1000",
        "X-RateLimit-Remaining": "999",
        "X-RateLimit-Reset-After": "1.0",
        "X-RateLimit-Bucket": bucket,
    }
