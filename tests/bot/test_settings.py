"""One line names a wrong setting and says what to do; nothing shows a traceback or a secret."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from bot import settings_checks
from bot.cli.main import app
from bot.doctor import services
from bot.settings import Settings
from index.search import vector_index
from tests.helpers.paths import ROOT
from tests.helpers.process import run
from tests.helpers.s3 import KEY, new_bucket
from tests.helpers.s3 import SECRET as S3_SECRET

SECRET = "hunter2-is-my-password"


def _file(path: Path) -> str:
    path.write_text("text\n")
    return str(path)


def _folder(path: Path) -> str:
    path.mkdir(parents=True)
    return str(path)


def _with(name: str, make: Callable[[Path], str]) -> Callable[[Path], str]:
    """A data folder in which something has a wrong shape."""

    def made(path: Path) -> str:
        path.mkdir()
        make(path / name)
        return str(path)

    return made


def _text(text: str) -> Callable[[Path], str]:
    def made(path: Path) -> str:
        path.write_text(text)
        return str(path)

    return made


NOWHERE = "/proc/labmate"
"""A folder that nobody can make, not even root."""
HOSTILE: list[tuple[str, str | Callable[[Path], str], str]] = [
    ("LABMATE_SHARDS", "0-3", "belong together"),
    ("LABMATE_SHARDS_OF", "4", "belong together"),
    ("LABMATE_SHARDS_OF", "-1", "must be a whole number of 0 or more, such as 16"),
    ("LABMATE_SHARDS_OF", "four", "must be a whole number"),
    ("VECTOR_ENGINE", "nope", "no vector engine"),
    ("VECTOR_ENGINE", "../x", "no vector engine"),
    ("VECTOR_ENGINE", "x" * 20_000, f"no vector engine called '{'x' * 40}'. See"),
    ("VECTOR_ENGINE", "os", "no vector engine"),
    ("VECTOR_ENGINE", "pgvector", "into VECTOR_URL"),
    ("VECTOR_ENGINE", "milvus", "into VECTOR_URL"),
    ("VECTOR_URL", "nonsense", "is not the address of a server"),
    ("VECTOR_URL", f"postgresql://me:{SECRET}@host:port/x", "is not the address of a server"),
    ("VECTOR_URL", f"redis://me:{SECRET}@host/x", "No vector engine has addresses like redis://"),
    ("VECTOR_URL", "../x://y", "is not the address of a server"),
    ("VECTOR_URL", f"milvus://me:{SECRET}@host:port", "is not the address of a server"),
    ("VECTOR_URL", f"milvus://host?token={SECRET}", "no options after a question mark"),
    ("VECTOR_URL", f"milvus+http://{SECRET}@host", "No vector engine has addresses like milvus+http://"),
    ("VECTOR_URL", "milvus://", "neither a server nor a file"),
    ("VECTOR_URL", "milvus:///var/vectors", "neither a server nor a file"),
    ("RAY_ADDRESS", "nonsense", "must be auto, host:port"),
    ("RAY_ADDRESS", "http://host:6379", "must be auto, host:port"),
    ("RAY_ADDRESS", "ray://host", "must be auto, host:port"),
    ("RAY_ADDRESS", f"ray://me:{SECRET}@host:10001", "must be auto, host:port"),
    ("LABMATE_FILES", "nonsense://bucket", "must be a folder, or a bucket"),
    ("LABMATE_FILES", "s3://", "must be a folder, or a bucket"),
    ("LABMATE_FILES", f"s3://me:{SECRET}@bucket", "must be a folder, or a bucket"),
    ("LABMATE_FILES", "/dev/null", "a file. Name a folder"),
    ("LABMATE_FILES", NOWHERE, "nothing can be written"),
    ("S3_URL", "minio:9000", "a web address"),
    ("S3_ACCESS_KEY", "alone", "belong together"),
    ("S3_SECRET_KEY", SECRET, "belong together"),
    ("S3_SECRET_KEY", f"two {SECRET}", "one word"),
    ("EMBEDDING_DEVICE", "gpu", "must be auto, cpu"),
    ("EMBEDDING_DEVICE", "meta", "must be auto, cpu"),
    ("EMBEDDING_DEVICE", "cuda:999", "must be auto, cpu"),
    ("EMBEDDING_DEVICE", "cpu; true", "must be auto, cpu"),
    ("DATABASE_URL", "nonsense", "is not the address of a database"),
    ("DATABASE_URL", "://", "is not the address of a database"),
    ("DATABASE_URL", f"postgresql+asyncpg://me:{SECRET}@host:port/x", "is not the address of a database"),
    ("DATABASE_URL", f"mysql+pymysql://me:{SECRET}@host/x", "Labmate does not support"),
    ("DATABASE_URL", "sqlite:////tmp/labmate.db", "Labmate does not support"),
    ("DATABASE_URL", "delphi://x", "does not know"),
    ("DATABASE_URL", "sqlite+aiosqlite://", "names no file"),
    ("DATABASE_URL", "sqlite+aiosqlite:///:memory:", "names no file"),
    ("DATABASE_URL", "sqlite+aiosqlite:///file:/tmp/labmate.db?uri=true", "not a file"),
    ("DATABASE_URL", "sqlite+aiosqlite:///file:labmate.db", "not a file"),
    ("DATABASE_URL", f"sqlite+aiosqlite:///{NOWHERE}/labmate.db", "nothing can be written"),
    ("DATABASE_URL", "sqlite+aiosqlite:////dev/null/labmate.db", "a file. Name a folder"),
    ("DATABASE_URL", lambda path: f"sqlite+aiosqlite:///{_folder(path)}", "is not a file"),
    ("DATABASE_URL", lambda path: f"sqlite+aiosqlite:///{_file(path)}/labmate.db", "a file. Name a folder"),
    ("LABMATE_DATA", NOWHERE, "nothing can be written"),
    ("LABMATE_DATA", "lab\udcff", "can't be a path (it is not text in UTF-8)"),
    ("LABMATE_DATA", "/dev/null", "a file. Name a folder"),
    ("LABMATE_DATA", "~nobody-here/lab", "names the folder of a user that this machine doesn't have"),
    ("LABMATE_DATA", _file, "a file. Name a folder"),
    ("LABMATE_DATA", lambda path: f"{_file(path)}/deep/er", "a file. Name a folder"),
    ("LABMATE_DATA", "x" * 5_000, "can't be a path"),
    ("LABMATE_DATA", _with("labmate.db", _folder), "can't be the database"),
    ("LABMATE_DATA", _with("labmate.log", _folder), "is a folder, but should be a file"),
    ("LABMATE_DATA", _with("write.lock", _folder), "is a folder, but should be a file"),
    ("LABMATE_DATA", _with("vectors", _file), "is a file, but should be a folder"),
    ("LABMATE_DATA", _with("word-index", _file), "is a file, but should be a folder"),
    ("LABMATE_CLOCK", "/nowhere/clock", "can't be read (No such file"),
    ("LABMATE_CLOCK", _folder, "can't be read (Is a directory"),
    ("LABMATE_CLOCK", _text("noon"), "holds no time"),
    ("LABMATE_CLOCK", _text(""), "holds no time"),
    ("LABMATE_CLOCK", _text("2026-05-18T20:00:00"), "holds no time"),
    ("DISCORD_TOKEN", f"Bot {SECRET}", "without the word Bot"),
    ("DISCORD_TOKEN", f"{SECRET}\nand more", "one word"),
    ("DISCORD_TOKEN", f"{SECRET}é", "one word"),
    ("DISCORD_API_URL", "discord.com", "a web address"),
    ("DISCORD_GATEWAY_URL", "https://discord.com", "a gateway"),
    ("DISCORD_GATEWAY_URL", "wss://", "a gateway"),
    ("ARXIV_API_URL", "http://host:99999/", "a web address"),
    ("ARXIV_OAI_URL", "file:///etc/passwd", "a web address"),
    ("ARXIV_URL", "ftp://arxiv.org", "a web address"),
    ("LABMATE_FULL_TEXTS", "-1", "must be a whole number from 0 to 100,000, such as 500"),
    ("LABMATE_FULL_TEXTS", "all", "whole number"),
    ("OPENALEX_URL", "http://[::1", "a web address"),
    ("HTTP_URL", "labmate.example.org", "a web address"),
    ("EXPLORE", "everybody", "must be 'private' or 'public', or off"),
    ("EXPLORE", "public", "HTTP_LISTEN is needed"),
    ("HTTP_LISTEN", "8090", "a host and a port"),
    ("HTTP_LISTEN", "localhost:http", "a host and a port"),
    ("HTTP_LISTEN", "localhost:70000", "a host and a port"),
    ("METRICS_TOKEN", f"two {SECRET}", "one word"),
    ("ARXIV_INTERVAL_SECONDS", "nan", "must be a number of 0 or more, such as 3"),
    ("ARXIV_INTERVAL_SECONDS", "soon", "number"),
    ("OPENALEX_DAILY_BUDGET", "inf", "must be a number from 0 to 1,000, such as 0.5"),
    ("OPENALEX_API_KEY", f"two {SECRET}", "one word"),
    ("LLM_URL", "127.0.0.1:8000/v1", "a web address"),
    ("LLM_URL", "file:///etc/passwd", "a web address"),
    ("LLM_URL", f"https://me:{SECRET}@host/v1", "put the key into LLM_API_KEY"),
    ("LLM_URL", f"https://host/v1?key={SECRET}", "put the key into LLM_API_KEY"),
    ("LLM_URL", "http://127.0.0.1:9/v1", "LLM_MODEL is needed"),
    ("LLM_API_KEY", f"two {SECRET}", "one word"),
    ("LLM_SECONDS", "0", "must be a"),
    ("LLM_PRICE_IN", "-1", "must be a"),
    ("LLM_PRICE_OUT", "cheap", "number"),
    ("LLM_MEMBER_TOKENS", "-1", "must be a"),
    ("LLM_MEMBER_SECONDS", "1.5", "must be a whole number"),
    ("LLM_MEMBER_DOLLARS", "nan", "must be a number"),
    ("LLM_DAY_TOKENS", "many", "must be a whole number"),
    ("LLM_DAY_SECONDS", "-1", "must be a"),
    ("LLM_DAY_DOLLARS", "inf", "must be a number"),
    ("SMTP_PORT", "0", "must be a"),
    ("SMTP_PORT", "smtp", "must be a whole number"),
    ("SMTP_SECURITY", "ssl", "starttls"),
    ("SMTP_HOST", "mail.example.org", "so SMTP_FROM is needed"),
    ("SMTP_FROM", "nonsense", "must be the sender's address, such as labmate@example.org"),
    ("LABMATE_CATEGORIES", "cs.CL physics!", "is not an arXiv category"),
    ("LABMATE_CATEGORIES", "cs.CL bogus", "'bogus' is not an arXiv category"),
    ("LABMATE_FETCH", "maybe", "must be true or false"),
    ("LABMATE_LIMITS", "some", "must be true or false"),
    ("BACKUP_EVERY", "daily", "must be a number from 0 to 8,760, such as 24"),
    ("BACKUP_EVERY", "-1", "must be a"),
    ("BACKUP_EVERY", "nan", "BACKUP_EVERY"),
    ("BACKUP_EVERY", "1e-9", "must be 0 for none, or from 0.25 to 8,760 hours"),
    ("BACKUP_KEEP", "0", "must be a"),
    ("BACKUP_KEEP", "1.5", "must be a whole number"),
    ("LABMATE_PICTURES", "2", "must be true or false"),
    ("TOP_EVERYWHERE", "some", "must be true or false"),
    ("LINK_CARDS", "some", "must be true or false"),
    ("LOG_LEVEL", "LOUD", "DEBUG, INFO"),
    ("LOG_FORMAT", "xml", "'text' or 'json'"),
]


@pytest.fixture(scope="module", autouse=True)
def _parsers_are_made_once() -> Iterator[None]:
    """The runner makes the parsers of all commands for each that it runs."""
    patched, parsers = pytest.MonkeyPatch(), typer.main.get_command(app)
    patched.setattr(typer.testing, "_get_command", lambda _: parsers)
    yield
    patched.undo()


def _told(arguments: list[str], path: Path, **environment: str) -> str:
    """What a command says on its way out, run in this process: it must not come as far as its work."""
    clean = {name.upper(): None for name in Settings.model_fields}
    before = os.getcwd()
    os.chdir(path)  # without a .env
    try:
        done = CliRunner().invoke(
            app, arguments, env=clean | {"LABMATE_DATA": str(path / "data")} | environment
        )
    finally:
        os.chdir(before)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert done.output.count("\n") == 1, done.output
    assert "Traceback" not in done.output
    assert SECRET not in done.output
    return done.output


@pytest.mark.parametrize(
    ("name", "value", "said"), HOSTILE, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(HOSTILE)]
)
def test_a_value_that_cannot_be_used_is_told_in_one_line(tmp_path, name, value, said):
    given = value if isinstance(value, str) else value(tmp_path / "given")
    line = _told(["doctor"], tmp_path, **{name: given})
    assert name in line
    assert said in line


@pytest.mark.parametrize(
    ("url", "package", "extra"),
    [("postgresql://host/x", "psycopg", "postgres"), ("milvus+https://host", "pymilvus", "milvus")],
)
def test_a_server_of_vectors_without_its_package_is_told_what_to_install(
    tmp_path, monkeypatch, url, package, extra
):
    for name in vector_index.SERVED:
        monkeypatch.delitem(vector_index._ENGINES, name, raising=False)
        monkeypatch.delitem(sys.modules, f"index.search.{name}_index", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    line = _told(["doctor"], tmp_path, VECTOR_URL=url)
    assert f'python -m pip install -c constraints.txt -e ".[{extra}]"' in line


def test_a_file_of_milvus_without_its_package_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("index.search.milvus_address.find_spec", lambda name: None)
    line = _told(["doctor"], tmp_path, VECTOR_URL="milvus:///var/vectors.db")
    assert "python -m pip install milvus-lite" in line


@pytest.mark.parametrize("release", [None, "1.109.0", "4.0.0"])
def test_a_model_without_its_package_is_told_what_to_install(tmp_path, monkeypatch, release):
    def found(name):
        if release is None:
            raise PackageNotFoundError(name)
        return release

    monkeypatch.setattr("bot.settings_checks.version", found)
    line = _told(["doctor"], tmp_path, LLM_URL="http://127.0.0.1:9/v1", LLM_MODEL="small")
    assert "LLM_URL" in line
    assert "python -m pip install 'openai~=3.0'" in line


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as another user")
def test_a_copy_that_root_put_in_the_data_folder_hinders_nothing(tmp_path):
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o011)
    data = tmp_path / "data"
    data.mkdir()
    for name in ("labmate.db.bak", "labmate.log.1", "labmate.env"):
        (data / name).touch(0o600)
    (data / "labmate.old").symlink_to("nowhere")
    os.chown(data, 65_534, 65_534)
    os.seteuid(65_534)
    try:
        settings_checks._data(data)
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as another user")
@pytest.mark.parametrize(
    "name", ["write.lock", "labmate.log", "local-discord.json", "vectors", "vectors/ids"]
)
def test_what_another_user_left_in_the_data_folder_is_named(tmp_path, name):
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o011)
    data = tmp_path / "data"
    path = data / name
    path.parent.mkdir(parents=True)
    path.mkdir() if name == "vectors" else path.touch()
    path.chmod(0o700)
    for mine in (data, path.parent):
        os.chown(mine, 65_534, 65_534)
    os.seteuid(65_534)
    try:
        line = _told(["run"], tmp_path)
    finally:
        os.seteuid(0)
    assert f"LABMATE_DATA: this user can't read and write {path}, which belongs to root." in line
    assert f"chown -R USER {data}" in line


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.EROFS, "Mount its disk for writing"), (errno.ENOSPC, "Make room"), (errno.EACCES, "chown")],
)
def test_a_folder_that_takes_nothing_is_told_with_its_own_remedy(tmp_path, monkeypatch, number, advice):
    def refuses(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("bot.settings_checks.tempfile.TemporaryFile", refuses)
    (tmp_path / "data").mkdir()
    line = _told(["doctor"], tmp_path)
    assert f"nothing can be written to {tmp_path / 'data'} ({os.strerror(number)})." in line
    assert advice in line


def test_a_folder_of_the_user_is_meant_by_its_sign(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    config = Settings(_env_file=None, labmate_data="~/lab", labmate_files="~/files", labmate_clock="~/clock")
    assert config.labmate_data == tmp_path / "lab"
    assert config.labmate_files == str(tmp_path / "files")
    assert config.labmate_clock == tmp_path / "clock"


def _in_the_docs() -> list[tuple[str, str]]:
    """Each setting in the table of docs/configure.md with its default there, where that is a value."""
    found = []
    for line in (ROOT / "docs" / "configure.md").read_text().splitlines():
        if not line.startswith("| `"):
            continue
        names, default = (cell.strip() for cell in line.split("|")[1:3])
        named = [name.strip("` ") for name in names.split(",")]
        values = default.split(", ") if ", " in default else [default] * len(named)
        found += [(name, value.strip("`")) for name, value in zip(named, values, strict=True)]
    return found


def test_every_setting_is_in_the_docs():
    assert {name for name, _ in _in_the_docs()} == {name.upper() for name in Settings.model_fields}


WORDS = {
    *("DISCORD_API_URL", "DISCORD_GATEWAY_URL", "DATABASE_URL", "LABMATE_FILES", "S3_URL", "S3_ACCESS_KEY"),
    *("S3_SECRET_KEY", "ARXIV_API_URL", "ARXIV_OAI_URL", "OPENALEX_URL", "HTTP_URL"),
}
"""Settings whose default is described there."""


@pytest.mark.parametrize(("name", "value"), [pair for pair in _in_the_docs() if pair[0] not in WORDS])
def test_a_default_as_the_docs_write_it_is_the_default(name, value):
    field = name.lower()
    usual = Settings.model_fields[field].get_default(call_default_factory=True)
    given = getattr(Settings(_env_file=None, **({field: value} if value else {})), field)
    assert (given or None) == (usual or None)


def test_every_setting_is_in_the_table():
    free = {"EMBEDDING_MODEL", "LLM_MODEL", "SMTP_USER", "SMTP_PASSWORD"}
    """Any text may be right: the model is looked for when it is loaded."""
    assert {name for name, _, _ in HOSTILE} | free >= {name.upper() for name in Settings.model_fields}


def _some(parameter: Any) -> str:
    """A value that the parser takes."""
    if parameter.name in ("since", "from_"):
        return "2026-05-18"
    if parameter.name in ("target", "server"):
        return "123456789012345678"
    kind = parameter.type_descriptor.annotation
    choices = get_args(kind)
    return str(choices[0]) if choices else "7" if kind is int else __file__


def _commands() -> list[list[str]]:
    """Every command but `local-discord`, which has no settings, with arguments that its parser takes."""

    def arguments(command: Any) -> list[str]:
        made: list[str] = []
        for parameter in command.params:
            if not parameter.required:
                continue
            value = _some(parameter)
            if getattr(parameter, "is_flag", False):
                made.append(parameter.opts[0])
                continue
            made += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
        return made

    def walk(group: Any, path: list[str]) -> list[list[str]]:
        if hasattr(group, "commands"):
            return [found for name, one in group.commands.items() for found in walk(one, [*path, name])]
        return [[*path, *arguments(group)]]

    return [made for made in walk(typer.main.get_command(app), []) if made[0] != "local-discord"]


@pytest.mark.parametrize("arguments", _commands(), ids=lambda arguments: " ".join(arguments[:2]))
def test_every_command_that_opens_the_settings_names_the_wrong_one(tmp_path, arguments):
    assert "LABMATE_DATA" in _told(arguments, tmp_path, LABMATE_DATA="/dev/null")


def test_an_env_file_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / ".env").write_bytes(b"DISCORD_TOKEN=\xff\xfe\n")
    done = _run("doctor", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(".env can't be read")
    assert done.stderr.count("\n") == 1


def _model(modules: str) -> Callable[[Path], str]:
    """A folder that is no model."""

    def made(path: Path) -> str:
        path.mkdir()
        (path / "modules.json").write_text(modules)
        (path / "model.safetensors").write_text("x")
        return str(path)

    return made


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("DATABASE_URL", f"sqlite+aiosqlite:///{ROOT}/README.md", 1),
        ("EMBEDDING_MODEL", "/nowhere/model", 2),
        ("EMBEDDING_MODEL", "m" * 5_000, 2),
        ("EMBEDDING_MODEL", _folder, 2),
        ("EMBEDDING_MODEL", _model("{"), 2),
        ("EMBEDDING_MODEL", _model('[{"x": 1}]'), 2),
        ("EMBEDDING_MODEL", _model("[]"), 2),
    ],
)
def test_what_shows_only_when_it_is_opened_is_told_in_one_line_too(tmp_path, name, value, status):
    given = value if isinstance(value, str) else value(tmp_path / "given")
    done = _run("index", tmp_path, **{name: given})
    assert done.returncode == status, done.stderr
    assert name in done.stderr or status == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def _run(command: str, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    more = {"ARXIV_OAI_URL": "http://127.0.0.1:9/"} | environment
    return run(command, folder=path / "data", fresh=True, cwd=path, **more)


def test_a_bucket_without_its_package_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.settings_checks.find_spec", lambda name: None)
    line = _told(["doctor"], tmp_path, LABMATE_FILES="s3://labmate/files")
    assert 'python -m pip install -c constraints.txt -e ".[s3]"' in line


def test_a_server_of_databases_without_its_package_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.settings_checks.find_spec", lambda name: None)
    line = _told(["doctor"], tmp_path, DATABASE_URL="postgresql+asyncpg://host/x")
    assert 'python -m pip install -c constraints.txt -e ".[postgres]"' in line


async def test_the_doctor_tries_the_bucket():
    bucket = new_bucket()
    config = {
        "labmate_files": bucket.place,
        "s3_url": bucket.url,
        "s3_access_key": KEY,
        "s3_secret_key": S3_SECRET,
    }
    [found] = await services.bucket(Settings(_env_file=None, **config))
    assert (found.state, found.text) == ("good", f"{bucket.place} takes and gives back files")
    [missing] = await services.bucket(
        Settings(_env_file=None, **config | {"labmate_files": "s3://none/files"})
    )
    assert missing.state == "bad"
    assert "The specified bucket does not exist" in missing.text
    bucket.stop()
    [gone] = await services.bucket(Settings(_env_file=None, **config))
    assert gone.state == "bad"
    assert S3_SECRET not in gone.text + gone.advice
    assert await services.bucket(Settings(_env_file=None)) == []
