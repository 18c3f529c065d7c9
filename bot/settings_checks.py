"""Settings that can be read but can't work: each gets one line that names it and says what to do."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from bot.settings import Settings
from data.calendar import clock
from index.search.milvus_address import FORMS, address_of
from index.search.vector_index import SERVED, engine
from index.search.vector_manifest import VectorsError

FOLDERS, FILES = (
    ("vectors", "word-index", "identity", "files"),
    ("labmate.log", "labmate.log.lock", "labmate.run.lock", "write.lock", "arxiv.turn", "history"),
)
"""The contents of LABMATE_DATA; the database is checked separately."""
_MORE_FILES = (
    *("local-discord.json", "made-from.json", "word-index.lock"),
    *(f"labmate.db{end}" for end in ("-wal", "-shm", "-journal", ".lock")),
)
"""What is there, too, and must belong to the user who runs Labmate."""
_DRIVERS = {"sqlite": "aiosqlite", "postgresql": "asyncpg"}
EMPTY = "leave it empty for labmate.db in LABMATE_DATA"
"""The other advice for DATABASE_URL."""
_ADVICE = {
    errno.EROFS: "Mount its disk for writing (in a container, as a volume), or name another folder.",
    errno.ENOSPC: "Make room on its disk, or name a folder on another one.",
    errno.EDQUOT: "Make room on its disk, or name a folder on another one.",
}
_OPENAI = "3"
"""The release of the package that Labmate was tested with."""


class SettingError(ValueError):
    """A setting can't be used; the message begins with its name."""


def check(settings: Settings) -> None:
    """Check the folders, files and addresses in the settings.

    Raises
    ------
    SettingError
        For the first that can't be used.
    """
    _data(settings.labmate_data)
    if settings.database_url:
        check_database(settings.database_url)
    else:
        _sqlite("LABMATE_DATA", settings.labmate_data / "labmate.db")
    if settings.vector_url:
        _server(settings.vector_url.get_secret_value())
    else:
        _engine("VECTOR_ENGINE", settings.vector_engine)
    if settings.labmate_files.startswith("s3://"):
        _s3()
    elif settings.labmate_files:
        check_folder("LABMATE_FILES", Path(settings.labmate_files))
    if settings.llm_url:
        _llm()
    if settings.labmate_clock is not None:
        _clock(settings.labmate_clock)


def _engine(setting: str, name: str) -> None:
    if name in SERVED:
        raise SettingError(f"{setting}: {name} is on a server. Write the server's address into VECTOR_URL.")
    try:
        engine(name)
    except VectorsError as error:
        raise SettingError(f"{setting}: {error} See docs/extend.md; faiss is always there.") from error


def _server(url: str) -> None:
    try:
        if make_url(url).drivername.startswith("milvus"):
            address_of(url)
    except VectorsError as error:
        raise SettingError(f"VECTOR_URL: {error}") from None
    except (ArgumentError, ValueError):  # drop the cause, which may show the password
        raise SettingError(
            "VECTOR_URL: it is not the address of a server. "
            f"Write postgresql://user:password@host/name or {FORMS}."
        ) from None
    _engine("VECTOR_URL", url)


def _s3() -> None:
    if find_spec("s3fs") is None:
        raise SettingError(
            "LABMATE_FILES: a bucket needs the package s3fs. Install it: "
            'python -m pip install -c constraints.txt -e ".[s3]". '
            "Or leave LABMATE_FILES empty."
        )


def _llm() -> None:
    try:
        release = version("openai")
    except PackageNotFoundError:
        release = "none"
    if release.partition(".")[0] != _OPENAI:
        raise SettingError(
            f"LLM_URL: this needs the package openai, release {_OPENAI} (found: {release}). "
            f"Install it: python -m pip install 'openai~={_OPENAI}.0'. Or leave LLM_URL empty."
        )


def _data(folder: Path) -> None:
    check_folder("LABMATE_DATA", folder)
    for name in FOLDERS:
        if _exists("LABMATE_DATA", folder / name) and not (folder / name).is_dir():
            raise SettingError(
                f"LABMATE_DATA: {folder / name} is a file, but should be a folder. Move it away."
            )
    for name in FILES:
        if (folder / name).is_dir():
            raise SettingError(
                f"LABMATE_DATA: {folder / name} is a folder, but should be a file. Move it away."
            )
    for path in _used_in(folder):
        if not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
            raise SettingError(
                f"LABMATE_DATA: this user can't read and write {path}{_owner(path)}. Perhaps a command was "
                f"run as another user. Make the user who runs Labmate own all of it: chown -R USER {folder}"
            )


def _used_in(folder: Path) -> Iterator[Path]:
    """What Labmate needs to read and write there; not its backups and copies, nor what others put there."""
    yield from (path for name in (*FILES, *_MORE_FILES) if (path := folder / name).exists())
    for place in (folder / name for name in FOLDERS if (folder / name).is_dir()):
        yield place
        if place.name != "files":  # many, and each process can do without
            yield from (path for path in place.iterdir() if path.is_file())


def _owner(path: Path) -> str:
    """Whose a file is."""
    try:
        return f", which belongs to {path.owner()}"
    except (KeyError, OSError):  # a user of another machine or container
        return ""


def check_folder(setting: str, folder: Path) -> None:
    """Refuse what is not a folder that can be written to; where there is none, it is made.

    Raises
    ------
    SettingError
        It names the setting.
    """
    existing = folder.absolute()
    while not _exists(setting, existing):
        existing = existing.parent
    if not existing.is_dir():
        what = "is" if existing == folder.absolute() else f"is in {existing}, which is"
        raise SettingError(f"{setting}: {folder} {what} a file. Name a folder.")
    try:
        if existing == folder.absolute():
            tempfile.TemporaryFile(dir=existing).close()
        else:
            folder.mkdir(parents=True)
    except OSError as error:
        advice = _ADVICE.get(
            error.errno or 0,
            "Name a folder that belongs to the user who runs Labmate, or change its owner (chown).",
        )
        raise SettingError(
            f"{setting}: nothing can be written to {folder} ({error.strerror}). {advice}"
        ) from error


def _exists(setting: str, path: Path) -> bool:
    try:
        str(path).encode()  # libraries take no other
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise SettingError(f"{setting}: {str(path)[:200]!r} can't be a path ({_why(error)}).") from error
    return True


def check_database(url: str) -> None:
    """Refuse an address that can't be a database's.

    Raises
    ------
    SettingError
        It says which forms an address has.
    """
    try:
        parsed = make_url(url)
        name, driver = parsed.get_backend_name(), parsed.get_driver_name()
    except NoSuchModuleError:
        raise SettingError(_forms("it names a database that Labmate does not know")) from None
    except (ArgumentError, ValueError):  # drop the cause, which may show the password
        raise SettingError(_forms("it is not the address of a database")) from None
    if _DRIVERS.get(name) != driver:
        given = url.partition(":")[0]
        raise SettingError(_forms(f"it begins with {given}:, which Labmate does not support"))
    if find_spec(driver) is None:
        raise SettingError(
            f"DATABASE_URL: this needs the package {driver}. Install it: "
            'python -m pip install -c constraints.txt -e ".[postgres]"'
        )
    if name == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise SettingError(_forms("it names no file"))
        if "uri" in parsed.query or str(parsed.database).startswith("file:"):
            raise SettingError(_forms("it names a URI of SQLite's, not a file"))
        _sqlite("DATABASE_URL", Path(str(parsed.database)))


def _forms(what: str) -> str:
    return (
        f"DATABASE_URL: {what}. Write sqlite+aiosqlite:////folder/labmate.db or "
        f"postgresql+asyncpg://user:password@host/name, or {EMPTY}."
    )


def _sqlite(setting: str, path: Path) -> None:
    if _exists(setting, path) and not path.is_file():
        raise SettingError(f"{setting}: {path} is not a file, so it can't be the database. Move it away.")
    check_folder(setting, path.parent)
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        raise SettingError(
            f"{setting}: this user can't read and write {path}. "
            "Make the user who runs Labmate its owner (chown)."
        )


def _clock(path: Path) -> None:
    try:
        clock.read(path)
    except OSError as error:
        raise SettingError(
            f"LABMATE_CLOCK: {path} can't be read ({error.strerror}). "
            "This setting is for simulations; leave it empty otherwise."
        ) from error
    except ValueError as error:
        raise SettingError(
            f"LABMATE_CLOCK: {path} holds no time such as 2026-05-18T20:00:00+00:00. This setting is for "
            "simulations; leave it empty otherwise."
        ) from error


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "it is not text in UTF-8"
    return getattr(error, "strerror", None) or str(error)
