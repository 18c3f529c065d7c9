"""Run the bots of other libraries through one list and print the table of what works.

``python -m tests.clients [LIBRARY ...] [--check NAME ...]``; exit 1 if something does not work.
`make clients` makes the environments first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import traceback

from tests.clients import interaction_checks as interactions
from tests.clients import resource_checks as resources
from tests.clients.world import ENVIRONMENTS, HERE, LIBRARIES, Check, Library, LibraryLacksIt, running, world

CHECKS: dict[str, Check] = {
    "log in": interactions.log_in,
    "register commands": interactions.register,
    "slash command, every type of option": interactions.every_option,
    "autocomplete": interactions.autocomplete,
    "buttons": interactions.buttons,
    "the five selects": interactions.selects,
    "modal from a command": interactions.modal_from_command,
    "modal from a button": interactions.modal_from_button,
    "ephemeral reply": interactions.ephemeral,
    "defer, edit, file": interactions.defer_edit_file,
    "follow-ups": interactions.follow_ups,
    "Components V2": interactions.components_v2,
    "user menu": interactions.user_menu,
    "message menu": interactions.message_menu,
    "direct message": resources.direct_message,
    "public threads": resources.public_thread,
    "private thread": resources.private_thread,
    "archived threads": resources.archived_threads,
    "forum post with tags": resources.forum_post,
    "channel with topic and overwrites": resources.channels,
    "roles": resources.roles,
    "member search": resources.members,
    "pins (the new route)": resources.pins,
    "reactions": resources.reactions,
    "polls": resources.polls,
    "webhooks": resources.webhooks,
    "history before, after, around": resources.history,
    "own guilds": resources.own_guilds,
}
_NEEDED = ("log in", "register commands")
"""Without these, nothing else is tried."""
REQUIREMENTS = HERE / "requirements"
YES, LACKS = "yes", "library lacks it"


async def tried(library: Library, wanted: list[str]) -> dict[str, str]:
    """What each check of a library's bot came to."""
    results: dict[str, str] = {}
    log = ENVIRONMENTS / f"{library.folder}.log"
    async with world() as place, running(library, place, log):
        for name, check in CHECKS.items():
            if name not in _NEEDED and wanted and name not in wanted:
                continue
            try:
                await check(place)
                results[name] = YES
            except LibraryLacksIt as missing:
                results[name] = LACKS
                _tell(library, name, f"{LACKS}: {missing}")
            except Exception as error:
                results[name] = "no"
                detail = "".join(traceback.format_exception_only(error)).strip()
                refused = [
                    f"{e['method']} {e['path']} {e['status']} {str(e['answer'])[:400]}"
                    for e in list(place.server.requests)[-12:]
                    if e["status"] >= 400
                ]
                _tell(library, name, f"no: {detail[:1500]} {refused} (more in {log})")
                if name in _NEEDED:
                    return results
    return results


def _tell(library: Library, name: str, what: str) -> None:
    print(f"{library.name}: {name}: {what}", file=sys.stderr, flush=True)


def version(library: Library) -> str:
    """The library with its version, as its requirements pin it; a head of the table."""
    pinned = (REQUIREMENTS / f"{library.folder}.txt").read_text().split()
    named = [line.replace("==", " ").replace("@", " ") for line in pinned if not line.startswith("aiohttp")]
    return " + ".join(named).replace("discord-py-interactions", "interactions.py").replace("hikari-", "")


def table(results: dict[str, dict[str, str]], heads: list[str]) -> str:
    """The results as a table in Markdown."""
    names = [name for name in CHECKS if any(name in column for column in results.values())]
    lines = ["| " + " | ".join(["", *heads]) + " |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        lines.append(
            "| " + " | ".join([name, *(column.get(name, "–") for column in results.values())]) + " |"
        )
    return "\n".join(lines)


async def main() -> int:
    """Try all libraries, or those named, one after another."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("library", nargs="*", help=", ".join(lib.name for lib in LIBRARIES))
    parser.add_argument("--check", action="append", default=[], choices=list(CHECKS))
    arguments = parser.parse_args()
    if unknown := set(arguments.library) - {library.name for library in LIBRARIES}:
        parser.error(f"no such library: {', '.join(sorted(unknown))}")
    chosen = [lib for lib in LIBRARIES if not arguments.library or lib.name in arguments.library]
    results = {library.name: await tried(library, arguments.check) for library in chosen}
    print(table(results, [version(library) for library in chosen]))
    return int(any(result == "no" for column in results.values() for result in column.values()))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
