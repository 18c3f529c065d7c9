"""Listening on HTTP_LISTEN: why it can't be done, and what helps."""

from __future__ import annotations

import asyncio
import errno
import os
import socket

NOTHING_SERVED = "Until then, feeds, web pages, /healthz and /metrics are off."


def split(listen: str) -> tuple[str, int]:
    """The host and the port."""
    host, _, port = listen.rpartition(":")
    return host.strip("[]"), int(port)


def trouble(listen: str, error: OSError | UnicodeError) -> str:
    """Why Labmate can't listen there, in words that say what helps."""
    host, port = split(listen)
    number = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror | UnicodeError):
        why = f"this machine can't resolve {host}. Use one of its own addresses, such as 127.0.0.1:{port}."
    elif number == errno.EADDRINUSE:
        why = (
            f"another program listens there already. Stop it (ss -ltnp 'sport = {port}' names it), or choose "
            "another port."
        )
    elif number == errno.EADDRNOTAVAIL:
        why = (
            f"this machine has no address {host}. Write 127.0.0.1:{port}, 0.0.0.0:{port} for all of its "
            "addresses, or one that `ip address` lists."
        )
    elif number in (errno.EACCES, errno.EPERM):
        why = "this user may not listen there. Choose port 1024 or higher; a proxy can forward 443 to it."
    else:
        why = f"{os.strerror(number) if number else error}."
    return f"HTTP_LISTEN={listen} can't be used: {why}"


async def tried(listen: str) -> str:
    """Why Labmate could not listen there now; empty where it could."""
    host, port = split(listen)
    try:
        server = await asyncio.start_server(lambda *_: None, host, port)
    except (OSError, UnicodeError) as error:
        return trouble(listen, error)
    server.close()
    await server.wait_closed()
    return ""
