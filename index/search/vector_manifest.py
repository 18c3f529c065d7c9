"""The manifest beside vectors on disk: which model made them, and which files are in use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
FORMAT = 1
_REQUIRED = ("weights_sha256", "dimension", "pooling", "normalised", "text")


class VectorsError(RuntimeError):
    """The vectors can't be used; the message says why and what to do."""


class UnreadableVectorsError(VectorsError):
    """A file of the vectors is missing or damaged; papers can still be found by words."""


class ForeignVectorsError(VectorsError):
    """The vectors were made by another model."""


def check_fingerprint(theirs: dict[str, Any], ours: dict[str, Any], what: str, mend: str) -> None:
    """Refuse vectors whose model, pooling or text recipe differ from the model in use.

    Raises
    ------
    ForeignVectorsError
        With the first difference and ``mend``, a sentence that says what to do.
    """
    for key in _REQUIRED:
        if theirs.get(key) != ours[key]:
            raise ForeignVectorsError(
                f"{what} was made by another model: its {key} is {theirs.get(key)!r}, the model in use has "
                f"{ours[key]!r}. {mend}"
            )


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder; None where there are no vectors yet.

    Raises
    ------
    UnreadableVectorsError
        If it is missing beside vectors, or can't be read.
    VectorsError
        If a newer Labmate wrote it.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text())
        manifest["fingerprint"]["dimension"], int(manifest["generation"])
    except FileNotFoundError:
        if any(rows.stat().st_size for rows in folder.glob("rows-*.f16")):
            raise UnreadableVectorsError(
                f"{path} is missing, so the vectors beside it can't be read. Put it back, or embed all "
                "papers again with: python -m bot index --rebuild"
            ) from None
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableVectorsError(
            f"{path} can't be read ({error}). Rebuild the index with: python -m bot index --rebuild"
        ) from error
    if manifest.get("format") != FORMAT:
        raise VectorsError(
            f"{path} was written by a newer Labmate. Update, or run: python -m bot index --rebuild"
        )
    return dict(manifest)


def write_manifest(
    folder: Path, fingerprint: dict[str, Any], generation: int, kept: dict[str, list[int]]
) -> None:
    """Replace the manifest, whole or not at all."""
    manifest = {"format": FORMAT, "generation": generation, "fingerprint": fingerprint, "kept": kept}
    draft = folder / f"{MANIFEST}.new"
    with draft.open("w") as stream:
        stream.write(json.dumps(manifest) + "\n")
        stream.flush()
        os.fsync(stream.fileno())  # else a power cut may leave an empty one, and all vectors unreadable
    os.replace(draft, folder / MANIFEST)
