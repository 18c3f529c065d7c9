"""Short texts through the packaged model: in one call into torch, with weights of 16 bits.

A query is a few rows: it takes longer to read and lay out matrices of 42 MB than to multiply by them, and
between the layers it waits for Python's lock. FBGEMM lays the matrices out once, in 16 bits, and adds in 32
(``python -m benchmarks.embedding``).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

CompiledLayers = Callable[[Tensor], Tensor]
"""What layers make of a text's word pieces; both float32, shape (1, pieces, dimension)."""


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


def compiled_layers(layers: Sequence[LayerWeights], heads: int, epsilon: float) -> CompiledLayers | None:
    """All layers, for one text.

    None where torch has no FBGEMM, or its TorchScript is gone or switched off.
    """
    if torch.backends.quantized.engine not in ("x86", "fbgemm"):
        return None
    with warnings.catch_warnings():
        # Deprecated in favour of compilers that need one of C++ where Labmate runs.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            parts = nn.Sequential(*(_ShortLayer(layer, heads, epsilon) for layer in layers)).eval()
            compiled: CompiledLayers = torch.jit.freeze(torch.jit.script(parts))
        except (AttributeError, RuntimeError):
            return None
    return compiled


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


def _packed(weight: Tensor, bias: Tensor) -> Any:
    return torch.ops.quantized.linear_prepack_fp16(weight, bias)
