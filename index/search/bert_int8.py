"""Many texts through the packaged model in 8 bits, on CPUs with VNNI.

What goes into a product and its weights are rounded to 8 bits; the rest stays in 32. Four things keep the
vectors close to the exact ones (``python -m benchmarks.embedding_ladder``):

- A column of inputs with a large range is divided, and its weights are multiplied, so that rounding loses
  about as much in each (SmoothQuant: Xiao et al. 2023, arXiv:2211.10438).
- Weights are rounded column by column, and those still to come make up for the error
  (GPTQ: Frantar et al. 2023, arXiv:2210.17323).
- Inputs of the last product of a layer, of which a few are very large, have 15 bits: it is done twice.
- The first word piece of a text, whose inputs are many times as large as all others, stays in 32 bits.

Ranges and weights are fitted to some of the texts that are to be embedded. Texts that are too unlike them are
named, to be embedded in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor
from torch.nn import functional

from index.search.bert_short import LayerWeights

SMOOTHING = 0.7
"""How much of a column's range its weights take: 0 is nothing, 1 all of it."""
DAMPING = 0.01
"""Of the inputs' mean square; added to each column's, so that rarely used weights stay as they are."""
BLOCK = 128
"""Columns after which GPTQ passes their error on to all others."""
MOST_INPUT, MOST_WEIGHT = 255, 127
"""In 8 bits: inputs have no sign, weights do."""
FINER_BITS = 7
FINER = 1 << FINER_BITS
"""How many steps of 15 bits make one step of 8 bits."""
ROWS = 256
"""Word pieces at a time in the wide part of a layer: their numbers stay in the second cache."""
FAR = 0.05
"""A text whose attention leaves the ranges by more than this many times their width, on average, is embedded
badly: an empty one does; abstracts of another field don't."""
TINY = 1e-5


class Int8Layers:
    """All layers, fitted to some texts.

    Parameters
    ----------
    layers, heads, epsilon
        Of the model, in 32 bits.
    hidden
        The word pieces of the texts to fit to, one text after the other: float32, shape (pieces, dimension).
    lengths
        How many pieces each text has.

    Raises
    ------
    RuntimeError, AttributeError
        If torch can't multiply in 8 bits here.
    """

    def __init__(
        self,
        layers: Sequence[LayerWeights],
        heads: int,
        epsilon: float,
        hidden: Tensor,
        lengths: Sequence[int],
    ) -> None:
        self._layers: list[_Int8Layer] = []
        for layer in layers:
            made = _Int8Layer(layer, heads, epsilon)
            hidden = made.fit(hidden, lengths)
            self._layers.append(made)

    def __call__(self, hidden: Tensor, lengths: Sequence[int]) -> tuple[Tensor, list[bool]]:
        """Send word pieces through the layers.

        Returns
        -------
        tuple
            What the layers make of them, packed as they are, of the same shape; and for each text, whether it
            is too unlike the texts that all is fitted to.
        """
        firsts, outside = _firsts(lengths), torch.zeros(len(hidden))
        for layer in self._layers:
            hidden, beyond = layer(hidden, lengths, firsts)
            outside += beyond / len(self._layers)
        outside[firsts] = 0  # is exact
        texts = zip(outside.split(list(lengths)), lengths, strict=True)
        return hidden, [float(text.sum()) > FAR * max(1, length - 1) for text, length in texts]


class _Int8Layer:
    """:class:`index.search.bert.Layer` for packed word pieces; to be fitted first."""

    def __init__(self, layer: LayerWeights, heads: int, epsilon: float) -> None:
        self._layer, self._heads, self._epsilon = layer, heads, epsilon
        self._linears: list[_Int8Linear] = []

    def fit(self, hidden: Tensor, lengths: Sequence[int]) -> Tensor:
        """Fit the products to what goes into them; returns what the layer makes of it in 32 bits."""
        usual = torch.ones(len(hidden), dtype=torch.bool)
        usual[_firsts(lengths)] = False
        layer = self._layer
        mixed = self._mixed(functional.linear(hidden, layer.asked, layer.asked_bias), lengths)
        told = self._normal(functional.linear(mixed, layer.told, layer.told_bias) + hidden)
        wide = functional.gelu(functional.linear(told, layer.wide, layer.wide_bias))
        self._linears = [
            _Int8Linear(layer.asked, layer.asked_bias, hidden[usual]),
            _Int8Linear(layer.told, layer.told_bias, mixed[usual]),
            _Int8Linear(layer.wide, layer.wide_bias, told[usual]),
            _Int8Linear(layer.narrow, layer.narrow_bias, wide[usual]),
        ]
        return self._last(functional.linear(wide, layer.narrow, layer.narrow_bias) + told)

    def __call__(self, hidden: Tensor, lengths: Sequence[int], firsts: Tensor) -> tuple[Tensor, Tensor]:
        """What the layer makes of word pieces, and how far attention leaves its range for each."""
        layer, (asked, told, wide, narrow) = self._layer, self._linears
        heads = asked(hidden)
        heads[firsts] = functional.linear(hidden[firsts], layer.asked, layer.asked_bias)
        mixed = self._mixed(heads, lengths)
        summed = told(mixed, other=hidden)
        summed[firsts] = functional.linear(mixed[firsts], layer.told, layer.told_bias) + hidden[firsts]
        hidden = self._normal(summed)
        summed = torch.cat(
            [narrow.finely(wide(part, activation="gelu"), part) for part in hidden.split(ROWS)]
        )
        first = hidden[firsts]
        expanded = functional.gelu(functional.linear(first, layer.wide, layer.wide_bias))
        summed[firsts] = functional.linear(expanded, layer.narrow, layer.narrow_bias) + first
        return self._last(summed), told.beyond(mixed)

    def _mixed(self, asked: Tensor, lengths: Sequence[int]) -> Tensor:
        """Attention, text by text."""
        return torch.cat([self._attention(text) for text in asked.split(list(lengths))])

    def _attention(self, asked: Tensor) -> Tensor:
        query, key, value = asked.view(1, len(asked), 3, self._heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return mixed.transpose(1, 2).reshape(len(asked), -1)

    def _normal(self, summed: Tensor) -> Tensor:
        layer = self._layer
        return functional.layer_norm(
            summed, summed.shape[1:], layer.told_scale, layer.told_shift, self._epsilon
        )

    def _last(self, summed: Tensor) -> Tensor:
        return functional.layer_norm(
            summed, summed.shape[1:], self._layer.scale, self._layer.shift, self._epsilon
        )


def _firsts(lengths: Sequence[int]) -> Tensor:
    """Where each text begins."""
    return torch.tensor([0, *accumulate(lengths[:-1])])


class _Int8Linear:
    """A linear layer in 8 bits.

    An input is rounded to a whole number from 0 to 255, which stands for ``unit * whole + zero``; each column
    has its own unit and zero.
    """

    def __init__(self, weight: Tensor, bias: Tensor, inputs: Tensor) -> None:
        mean = inputs.mean(dim=0)
        spread = (inputs - mean).abs().amax(dim=0).clamp(min=TINY)
        unit = spread**SMOOTHING / weight.abs().amax(dim=0).clamp(min=TINY) ** (1 - SMOOTHING)
        low, high = torch.aminmax((inputs - mean) / unit)
        zero, unit = mean + low * unit, unit * (high - low) / MOST_INPUT
        self._inverse, self._offset = 1 / unit, -zero / unit
        whole = self._rounded(inputs).float()
        middle = whole.mean(dim=0)
        weights, self._scales = gptq(weight * unit, whole - middle)
        # The mean result stays what it was.
        self._bias = bias + weight @ mean - (weights * self._scales[:, None]) @ middle
        self._weights = torch.ops.onednn.qlinear_prepack(weights.to(torch.int8), None)
        self._zeros = torch.zeros(len(weights), dtype=torch.int32)

    def __call__(self, inputs: Tensor, *, activation: str = "none", other: Tensor | None = None) -> Tensor:
        """The results after an activation (none or gelu), or added to others."""
        whole = self._rounded(inputs)
        if other is not None:
            return self._added(whole, self._scales, self._bias, other)
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            *(whole, 1.0, 0, self._weights, self._scales, self._zeros, self._bias),
            *(1.0, 0, torch.float32, activation, [], "none"),
        )
        return found

    def finely(self, inputs: Tensor, other: Tensor) -> Tensor:
        """The results with inputs in 15 bits, added to others; writes into the inputs."""
        steps = inputs.mul_(self._inverse * FINER).add_(self._offset * FINER + 0.5)
        whole = steps.clamp_(0, (MOST_INPUT + 1) * FINER - 1).to(torch.int16)
        high, low = (whole >> FINER_BITS).to(torch.uint8), (whole & FINER - 1).to(torch.uint8)
        found = self._added(high, self._scales, self._bias, other)
        return self._added(low, self._scales / FINER, None, found)

    def beyond(self, inputs: Tensor) -> Tensor:
        """How far each row's inputs leave the range, in its widths: float32, shape (rows,)."""
        steps = torch.addcmul(self._offset, inputs, self._inverse)
        beyond = torch.maximum(steps.amax(dim=1) - MOST_INPUT, -steps.amin(dim=1))
        return beyond.clamp_(min=0) / MOST_INPUT

    def _rounded(self, inputs: Tensor) -> Tensor:
        steps = torch.addcmul(self._offset + 0.5, inputs, self._inverse).clamp_(0, MOST_INPUT)
        return steps.to(torch.int16).to(torch.uint8)  # by way of 16 bits, torch is twice as fast

    def _added(self, whole: Tensor, scales: Tensor, bias: Tensor | None, other: Tensor) -> Tensor:
        found: Tensor = torch.ops.onednn.qlinear_pointwise.binary(
            *(whole, 1.0, 0, self._weights, scales, self._zeros, other, bias),
            *(1.0, 0, torch.float32, 1.0, 0, "add", 1.0, "none", [], ""),
        )
        return found


def gptq(weights: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
    """Round weights so that the products with such inputs change little (Frantar et al. 2023).

    Parameters
    ----------
    weights
        float32, shape (outputs, inputs).
    inputs
        float32, shape (rows, inputs).

    Returns
    -------
    tuple
        Whole numbers from -127 to 127, float32, of the shape of the weights; and what each of its rows is
        multiplied by, float32, shape (outputs,).
    """
    scales = weights.abs().amax(dim=1).clamp(min=TINY) / MOST_WEIGHT
    squares = inputs.T @ inputs / len(inputs)
    squares.diagonal().add_(DAMPING * squares.diagonal().mean() + TINY)
    order = squares.diagonal().argsort(descending=True)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(squares[order][:, order]))
    upper = torch.linalg.cholesky(inverse, upper=True)
    left = (weights / scales[:, None])[:, order].T.contiguous()
    rounded = torch.empty_like(left)
    for start in range(0, len(left), BLOCK):
        end = min(start + BLOCK, len(left))
        errors = torch.empty_like(left[start:end])
        for column in range(start, end):
            rounded[column] = left[column].round().clamp(-MOST_WEIGHT, MOST_WEIGHT)
            errors[column - start] = (left[column] - rounded[column]) / upper[column, column]
            left[column + 1 : end] -= upper[column, column + 1 : end, None] * errors[column - start]
        left[end:] -= upper[start:end, end:].T @ errors
    return rounded[order.argsort()].T.contiguous(), scales
