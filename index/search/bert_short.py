"""Short texts through the packaged model: in one call into torch, with weights of 16 bits.

A query is a few rows: it takes longer to read and lay out matrices of 42 MB than to multiply by them. FBGEMM
lays the matrices out once, in 16 bits, and adds in 32; oneDNN does so in bfloat16, for CPUs that multiply it
faster (``python -m benchmarks.embedding``).

A thread waits for Python's lock after each call into torch, and also whenever a tensor that Python has held
is freed. So numbers go in and come out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

CompiledText = Callable[[list[int], bool], tuple[list[float], Tensor | None]]
"""Takes a text's word pieces. Gives the mean of what the model makes of them, float32, a number for each
dimension; and, where it is wanted, that itself, float32, shape (1, pieces, dimension)."""
_ROWS = 16
"""Word pieces for which oneDNN lays out matrices; others may be more or fewer."""


class EmbeddingWeights(Protocol):
    """What word pieces and their places mean, as :class:`index.search.bert.PieceEmbeddings` holds it."""

    words: Tensor
    places: Tensor
    scale: Tensor
    shift: Tensor


class LayerWeights(Protocol):
    """What a layer of BERT has learned, as :class:`index.search.bert.Layer` holds it."""

    asked: Tensor
    asked_bias: Tensor
    told: Tensor
    told_bias: Tensor
    told_scale: Tensor
    told_shift: Tensor
    wide: Tensor
    wide_bias: Tensor
    narrow: Tensor
    narrow_bias: Tensor
    scale: Tensor
    shift: Tensor


def compiled_text(
    embeddings: EmbeddingWeights,
    layers: Sequence[LayerWeights],
    heads: int,
    epsilon: float,
    *,
    in_bfloat16: bool,
) -> CompiledText | None:
    """The model for one short text.

    ``in_bfloat16`` where torch can; None where it has no FBGEMM, or its TorchScript is gone or switched off.
    """
    if torch.backends.quantized.engine not in ("x86", "fbgemm"):
        return None
    with warnings.catch_warnings():
        # Deprecated in favour of compilers that need one of C++ where Labmate runs.
        warnings.simplefilter("ignore", DeprecationWarning)
        for kind in (_ShortLayerInBfloat16, _ShortLayer) if in_bfloat16 else (_ShortLayer,):
            with suppress(AttributeError, RuntimeError):
                parts = [kind(layer, heads, epsilon) for layer in layers]
                whole = _ShortText(embeddings, parts, epsilon).eval()
                compiled: CompiledText = torch.jit.freeze(torch.jit.script(whole))
                compiled([0, 0], True)
                return compiled
    return None


class _ShortText(nn.Module):  # type: ignore[misc]
    """:class:`index.search.bert.Bert` for one text, in one call, after which Python's lock is waited for."""

    def __init__(self, embeddings: EmbeddingWeights, layers: Sequence[nn.Module], epsilon: float) -> None:
        super().__init__()
        self.epsilon, self.layers = epsilon, nn.Sequential(*layers)
        for name in ("words", "places", "scale", "shift"):
            self.register_buffer(name, getattr(embeddings, name))

    def forward(self, pieces: list[int], with_pieces: bool) -> tuple[list[float], Tensor | None]:
        """Compiled by TorchScript, which reads the types here."""
        ids = torch.tensor([pieces])
        whole = functional.embedding(ids, self.words).float() + self.places[: ids.shape[1]].float()
        size = whole.shape[2]
        hidden = functional.layer_norm(whole, [size], self.scale.float(), self.shift.float(), self.epsilon)
        hidden = self.layers(hidden)
        mean: list[float] = hidden.mean(dim=1)[0].tolist()
        return mean, hidden if with_pieces else None


class _ShortLayer(nn.Module):  # type: ignore[misc]
    """:class:`index.search.bert.Layer` for one text."""

    def __init__(self, layer: LayerWeights, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads, self.epsilon = heads, epsilon
        self.asked = _packed(layer.asked, layer.asked_bias)
        self.told = _packed(layer.told, layer.told_bias)
        self.wide = _packed(layer.wide, layer.wide_bias)
        self.narrow = _packed(layer.narrow, layer.narrow_bias)
        for name in ("told_scale", "told_shift", "scale", "shift"):
            self.register_buffer(name, getattr(layer, name))

    def forward(self, hidden: Tensor) -> Tensor:
        """Compiled by TorchScript, which reads the types here."""
        pieces, size = hidden.shape[1], hidden.shape[2]
        asked = torch.ops.quantized.linear_dynamic_fp16(hidden, self.asked)
        heads = asked.view(1, pieces, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2])
        mixed = mixed.transpose(1, 2).reshape(1, pieces, size)
        told = torch.ops.quantized.linear_dynamic_fp16(mixed, self.told)
        hidden = functional.layer_norm(told + hidden, [size], self.told_scale, self.told_shift, self.epsilon)
        wide = functional.gelu(torch.ops.quantized.linear_dynamic_fp16(hidden, self.wide))
        narrow = torch.ops.quantized.linear_dynamic_fp16(wide, self.narrow)
        return functional.layer_norm(narrow + hidden, [size], self.scale, self.shift, self.epsilon)


class _ShortLayerInBfloat16(nn.Module):  # type: ignore[misc]
    """The same by products in bfloat16; sums and norms stay in float32."""

    def __init__(self, layer: LayerWeights, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads, self.epsilon = heads, epsilon
        for name in ("asked", "told", "wide", "narrow"):
            weight = getattr(layer, name).to(torch.bfloat16)
            setattr(self, name, torch.ops.mkldnn._reorder_linear_weight(weight, _ROWS))
            setattr(self, f"{name}_bias", getattr(layer, f"{name}_bias").to(torch.bfloat16))
        for name in ("told_scale", "told_shift", "scale", "shift"):
            self.register_buffer(name, getattr(layer, name).float())

    def forward(self, hidden: Tensor) -> Tensor:
        """Compiled by TorchScript, which reads the types here."""
        pieces, size = hidden.shape[1], hidden.shape[2]
        whole = hidden.to(torch.bfloat16)
        asked = torch.ops.mkldnn._linear_pointwise(whole, self.asked, self.asked_bias, "none", [], "")
        heads = asked.view(1, pieces, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2])
        mixed = mixed.transpose(1, 2).reshape(1, pieces, size)
        told = torch.ops.mkldnn._linear_pointwise(mixed, self.told, self.told_bias, "none", [], "")
        hidden = functional.layer_norm(told + hidden, [size], self.told_scale, self.told_shift, self.epsilon)
        whole = hidden.to(torch.bfloat16)
        wide = torch.ops.mkldnn._linear_pointwise(whole, self.wide, self.wide_bias, "gelu", [], "none")
        narrow = torch.ops.mkldnn._linear_pointwise(wide, self.narrow, self.narrow_bias, "none", [], "")
        return functional.layer_norm(narrow + hidden, [size], self.scale, self.shift, self.epsilon)


def _packed(weight: Tensor, bias: Tensor) -> Any:
    return torch.ops.quantized.linear_prepack_fp16(weight, bias)
