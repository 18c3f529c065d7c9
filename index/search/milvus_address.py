"""How VECTOR_URL names a Milvus: a server, a server over TLS, or a file of Milvus Lite; needs no pymilvus."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TypedDict

from sqlalchemy import make_url

from index.search.vector_manifest import VectorsError

FORMS = "milvus://user:password@host:19530/database or milvus+https://token@host"
_FILE = "milvus:///folder/vectors.db"


class Address(TypedDict):
    """What pymilvus calls the parts of an address.

    Attributes
    ----------
    uri
        Where it is, without a secret.
    token
        ``user:password`` or a token; empty for none.
    db_name
        The database; empty for Milvus's own default.
    """

    uri: str
    token: str
    db_name: str


def address_of(url: str) -> Address:
    """Read an address. A user without a password is a token; without a host, the path is a file's.

    Raises
    ------
    VectorsError
        If it names neither a server nor a file that this installation can open. It shows no secret.
    """
    parsed = make_url(url)
    if parsed.query:
        raise VectorsError(f"An address of Milvus has no options after a question mark. Write {FORMS}.")
    if not parsed.host:
        return _file(f"/{(parsed.database or '').lstrip('/')}")
    scheme = "https" if parsed.drivername.endswith("+https") else "http"
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    port = f":{parsed.port}" if parsed.port else ""
    token = f"{parsed.username}:{parsed.password}" if parsed.password else parsed.username
    return Address(uri=f"{scheme}://{host}{port}", token=token or "", db_name=parsed.database or "")


def _file(path: str) -> Address:
    if not path.endswith(".db"):
        raise VectorsError(
            f"It names neither a server nor a file. Write {FORMS}, or {_FILE} (it ends in .db) to try Milvus."
        )
    if find_spec("milvus_lite") is None:
        raise VectorsError(
            "A file needs the package milvus-lite. Install it: python -m pip install milvus-lite. "
            f"Or name a server: {FORMS}."
        )
    return Address(uri=path, token="", db_name="")
