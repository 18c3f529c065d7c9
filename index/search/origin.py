"""Which database a folder's files were made from. Those that were made from another one are removed.

Papers and people are known by numbers, which mean something else in another database: a restored backup, or
one that was put in the place of this one by hand. A plain copy of the live file has the same number as that
file, so it can't be told from it.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path

from data.database.engine import StoreError
from index.search.vector_log import VectorLog

FILE = "made-from.json"
DERIVED = ("*.map", "*.faiss", ".*.new", "topics.npz", "novelty.npz")
WORDS, FORMER_WORDS = "word-index", "words"
"""The folder of the word index, and the one that it had before it had a forward index."""
FOLDERS = (WORDS, FORMER_WORDS, "identity")
NONE = 0
"""No database has this number: files with this note are of no database any more, as after a restore."""
_MUCH = 0.5
"""With less than this share of the papers whose vectors are here, a database is probably a mistake."""
log = logging.getLogger("labmate")


def made_from(folder: Path) -> int | None:
    """The number of the database that the files are of (:data:`NONE` for a torn note); None without a note.

    Raises
    ------
    StoreError
        Where the note can't be read.
    """
    path = folder / FILE
    try:
        number = json.loads(path.read_bytes())["database"]
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, LookupError):
        return NONE
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}.") from error
    return number if isinstance(number, int) else NONE


def note(folder: Path, database: int) -> None:
    """Note which database the files are of.

    Raises
    ------
    StoreError
        Where it can't be written.
    """
    draft, path = folder / f".{FILE}.new", folder / FILE
    try:
        with draft.open("w") as file:
            file.write(json.dumps({"database": database}))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror}.") from error


def refuse_mistakes(folder: Path, papers: int, *, may_remove: bool) -> None:
    """Refuse to remove files of another database where it may have been named by mistake.

    Parameters
    ----------
    papers
        How many the database has.
    may_remove
        Whether the command is one that may remove files.

    Raises
    ------
    StoreError
        Where it is refused.
    """
    if made_from(folder) in (None, NONE) or (
        may_remove and papers >= _MUCH * VectorLog.rows_in(folder / "vectors")
    ):
        return
    raise StoreError(
        f"The files in {folder} were made from another database. Check DATABASE_URL and LABMATE_DATA. If "
        f"they are right, write {{}} into {folder / FILE}: the files are then made again."
    )


def remove_derived(folder: Path) -> None:
    """Remove what can be made again from the database in minutes: all but the vectors."""
    expected = made_from(folder) == NONE  # after a restore
    level = logging.INFO if expected else logging.WARNING
    log.log(level, "the files in %s were made from another database; they are made again", folder)
    for pattern in DERIVED:
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
    for name in FOLDERS:
        if (folder / name).is_dir():
            empty(folder / name)


def empty(folder: Path) -> None:
    """Remove all that is in a folder, which may be a link to another place."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder, or what is in the one that a link leads to, and the link."""
    empty(folder)
    if folder.is_symlink():
        folder.unlink()
    else:
        folder.rmdir()
