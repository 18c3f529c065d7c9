"""Answers of the explorer: compressed, with an ETag, and with headers that keep pages harmless."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass, field

import zstandard
from aiohttp import web

PAGE, JSON = "text/html", "application/json"
MINUTES = 300
"""Seconds for which a browser need not ask again."""
_SMALL = 600
"""Bytes that are not worth compressing."""
_TEXT = ("text/", "application/json", "application/xml", "application/graphml+xml", "image/svg+xml")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "cross-origin",  # pictures may stand in a link's preview
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class PageAnswer:
    """A page's answer before compression."""

    body: bytes
    kind: str = PAGE
    status: int = 200
    age: int = MINUTES
    """Seconds for which it may be kept; 0: never."""
    unlisted: bool = False
    """Whether search engines must leave it out."""
    headers: dict[str, str] = field(default_factory=dict)


def respond(request: web.Request, answer: PageAnswer, *, private: bool) -> web.Response:
    """The answer as this browser takes it, or 304 where it has it.

    Parameters
    ----------
    private
        Whether the address is a secret, so that nothing between may keep a copy.
    """
    headers = _ALWAYS | answer.headers
    if private or answer.unlisted:
        headers["X-Robots-Tag"] = "noindex"
    scope = "private" if private or answer.unlisted else "public"
    kept = answer.age and answer.status == 200
    headers["Cache-Control"] = f"{scope}, max-age={answer.age}" if kept else "no-store"
    headers["Vary"] = "Accept-Encoding"
    if kept:
        tag = f'W/"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
        headers["ETag"] = tag
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
    body, coding = packed(request.headers.get("Accept-Encoding", ""), answer)
    if coding:
        headers["Content-Encoding"] = coding
    charset = "; charset=utf-8" if answer.kind.startswith("text/") else ""
    headers["Content-Type"] = answer.kind + charset
    return web.Response(body=body, status=answer.status, headers=headers)


def packed(accepted: str, answer: PageAnswer) -> tuple[bytes, str]:
    """The body, compressed as the browser accepts it, and the name of the coding."""
    if len(answer.body) < _SMALL or not answer.kind.startswith(_TEXT):
        return answer.body, ""
    codings = _accepted(accepted)
    if "zstd" in codings:
        return zstandard.ZstdCompressor(level=6).compress(answer.body), "zstd"
    if "gzip" in codings:
        return gzip.compress(answer.body, 6, mtime=0), "gzip"
    return answer.body, ""


def _accepted(header: str) -> set[str]:
    """The codings that a header accepts (``gzip;q=0`` refuses one)."""
    codings = set()
    for part in header.split(","):
        name, _, quality = part.partition(";")
        if quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            codings.add(name.strip().lower())
    return codings
