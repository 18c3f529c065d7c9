"""The page of the local Discord as files for browsers: compressed, tagged, under a strict policy."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aiohttp import web

FOLDER = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""The files that are served; others in the folder, such as a licence, are not."""
_NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
ATTACHMENT_HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'unsafe-inline'; sandbox; {_NOTHING_ELSE}",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""A file that somebody sent, such as an HTML page, runs nothing here."""


@dataclass(frozen=True)
class PageFile:
    """A file of the page, ready to be sent."""

    kind: str
    tag: str
    packed: bytes
    whole: bytes


@cache
def page_files() -> dict[str, PageFile]:
    """Every file of the page by its path in the folder, such as ``vendor/markdown.js``."""
    found = {}
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in _TYPES:
            whole = path.read_bytes()
            tag = f'"{hashlib.sha256(whole).hexdigest()[:20]}"'
            packed = gzip.compress(whole, mtime=0)
            found[path.relative_to(FOLDER).as_posix()] = PageFile(_TYPES[path.suffix], tag, packed, whole)
    return found


def serve(request: web.Request, name: str) -> web.Response:
    """One of the files; 404 for any other name, 304 if the browser has it."""
    file = page_files().get(name)
    if file is None:
        return web.Response(status=404, text="There is no such page.", headers=_headers(request))
    headers = {**_headers(request), "ETag": file.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if file.tag in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=headers)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return web.Response(body=file.packed, content_type=file.kind, charset="utf-8", headers=headers)
    return web.Response(body=file.whole, content_type=file.kind, charset="utf-8", headers=headers)


def _headers(request: web.Request) -> dict[str, str]:
    """The page's policy: its own files, images and sockets, nothing inline and nothing from elsewhere."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{request.host}; {_NOTHING_ELSE}"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def weight() -> str:
    """The page's size, plain and compressed."""
    files = page_files().values()
    whole, packed = (sum(map(len, sizes)) for sizes in ([f.whole for f in files], [f.packed for f in files]))
    return f"{len(files)} files, {whole:,} bytes, {packed:,} compressed"


if __name__ == "__main__":
    print(weight())
