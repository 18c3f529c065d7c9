"""Which database a folder's files were made from. Those that were made from another one are removed.

Papers and people are known by numbers, which mean something else in another database: a restored backup, or
one that was put in the place of this one by hand.
"""

from __future__ import annotations

import json
import logging
import shutil
from contextlib import suppress
from pathlib import Path

FILE = "made-from.json"
DERIVED = ("*.map", "*.faiss", ".*.new", "topics.npz", "novelty.npz", "words", "identity")
"""All but the vectors: each of those carries a checksum of its text."""
log = logging.getLogger("labmate")


def made_from(folder: Path) -> int | None:
    """The number of the database that the files are of; None where nobody noted it, 0 where that is torn."""
    try:
        number = json.loads((folder / FILE).read_bytes())["database"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError):
        return 0
    return number if isinstance(number, int) else 0


def note(folder: Path, database: int) -> None:
    """Note which database the files are of."""
    with suppress(OSError):  # a full disk: it is noted the next time
        draft = folder / f".{FILE}.new"
        draft.write_text(json.dumps({"database": database}))
        draft.replace(folder / FILE)


def remove_derived(folder: Path) -> None:
    """Remove every file that can be made again from the database, but for vectors."""
    log.warning("the files in %s were made from another database; they are made again", folder)
    for pattern in DERIVED:
        for path in folder.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
