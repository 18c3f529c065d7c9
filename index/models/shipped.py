"""The models in ``index/models``, checked against the recipe beside them."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Sequence
from importlib import resources
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xgboost


class ModelDamagedError(RuntimeError):
    """A shipped model can't be used; the message says what to do."""


def _folder() -> Any:
    return resources.files("index").joinpath("models")


def shipped(
    name: str, pattern: str, features: Sequence[str] | None = None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A recipe, and the files that it names.

    Parameters
    ----------
    name
        Of the recipe, without ``.json``.
    pattern
        The pattern of a file's name, with ``{}`` for its name in the recipe.
    features
        The features that the models were trained on, if the recipe lists them.

    Raises
    ------
    ModelDamagedError
        If a file is missing, its checksum differs, or it has other features.
    """
    recipe = shipped_json(f"{name}.json")
    files = {}
    try:
        if features is not None and recipe["features"] != list(features):
            raise ModelDamagedError(f"index/models/{name}.json is of another version; reinstall Labmate")
        for part, digest in recipe["sha256"].items():
            file = pattern.format(part)
            files[part] = _folder().joinpath(file).read_bytes()
            if hashlib.sha256(files[part]).hexdigest() != digest:
                raise ModelDamagedError(f"index/models/{file} is damaged; reinstall Labmate")
    except (OSError, KeyError, AttributeError) as error:
        raise ModelDamagedError(f"the models of index/models can't be read: {error}") from error
    return recipe, files


def shipped_json(file: str) -> dict[str, Any]:
    """A JSON object in ``index/models``.

    Raises
    ------
    ModelDamagedError
        If it is missing or not an object.
    """
    try:
        parsed = json.loads(_folder().joinpath(file).read_text())
        if not isinstance(parsed, dict):
            raise ValueError(f"{file} holds no object")
    except (OSError, ValueError) as error:
        raise ModelDamagedError(f"the models of index/models can't be read: {error}") from error
    return parsed


class _WithoutScikitLearn(MetaPathFinder):
    """Lets one thread import xgboost as if scikit-learn were not installed.

    Only xgboost's classes for scikit-learn need it, and importing it takes four times as long as xgboost.
    """

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        """Refuse scikit-learn to this thread; all else is looked for elsewhere."""
        if name == "sklearn" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("No module named 'sklearn'", name=name)

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)


def booster(data: bytes) -> xgboost.Booster:
    """A boosted model from its bytes, which computes in the calling thread.

    For the hundred rows of a reply, several threads take twenty times as long where another program has a
    core, since all wait for the last.
    """
    with _WithoutScikitLearn():
        import xgboost  # lazy: takes half a second

    return xgboost.Booster({"nthread": 1}, model_file=bytearray(data))


def margins(model: xgboost.Booster, features: np.ndarray) -> np.ndarray:
    """The log-odds that a model gives each row."""
    if not len(features):
        return np.zeros(0, np.float32)
    log_odds: np.ndarray = model.inplace_predict(features, predict_type="margin")
    return log_odds
