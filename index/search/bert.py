"""The packaged model in torch alone: a BERT whose word pieces are averaged.

It gives the vectors that sentence-transformers gives. Importing that library takes seconds and some 170 MB.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from torch.nn import functional

from index.search.bert_int8 import Int8Layers
from index.search.bert_short import CompiledText, compiled_text

Read = tuple[Tensor, Tensor]
"""Word pieces, int64, shape (texts, longest), and whether each is one, int64, the same shape; on the CPU."""
SHORT = 64
"""Word pieces, with the two at the ends, up to which :mod:`index.search.bert_short` is faster for a
single text, such as a query."""
_WORDY = 20
"""Letters a word piece; a longer text isn't short, and isn't split into pieces to see it."""


class Bert:
    """The model of a folder, ready to embed.

    Parameters
    ----------
    folder
        With ``config.json``, ``model.safetensors``, ``tokenizer.json`` and ``sentence_bert_config.json``.
    device
        A torch device.
    most_tokens
        Cut longer texts there; None: where the model cuts them.

    Raises
    ------
    OSError, ValueError, KeyError, RuntimeError
        If a file is missing or not as expected.
    """

    has_words = True

    def __init__(self, folder: Path, device: str, most_tokens: int | None = None) -> None:
        config = json.loads((folder / "config.json").read_text())
        limits = json.loads((folder / "sentence_bert_config.json").read_text())
        most = min(most_tokens or limits["max_seq_length"], limits["max_seq_length"])
        self._device, self._padding = torch.device(device), config["pad_token_id"]
        # Its settings stay as they are: a change would wait until no thread splits texts.
        self._tokenizer = _tokenizer_in(folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most)
        self._heads, self._epsilon = config["num_attention_heads"], config["layer_norm_eps"]
        try:
            weights = load_file(folder / "model.safetensors", device=str(self._device))
        except SafetensorError as error:
            raise ValueError(str(error)) from error
        self._embeddings = PieceEmbeddings(weights)
        self._short: CompiledText | None = None
        self._has_tried_short, self._trying_short = False, Lock()
        self._layers = [Layer(weights, f"encoder.layer.{n}") for n in range(config["num_hidden_layers"])]
        self._int8: Int8Layers | None = None

    def to(self, kind: torch.dtype) -> None:
        """Compute in another precision; short texts by the exact weights, which are gone afterwards."""
        self._embeddings.to(kind)
        if self._device.type == "cpu":
            self._short_text(in_bfloat16=kind == torch.bfloat16)
        for layer in self._layers:
            layer.to(kind)

    def read(self, texts: Sequence[str]) -> Read:
        """Split texts into word pieces; safe to call from several threads."""
        found = [text.ids for text in self._encoded(texts)]
        lengths = np.array([len(pieces) for pieces in found])
        ids = np.full((len(found), lengths.max()), self._padding, np.int64)
        for row, pieces in zip(ids, found, strict=True):
            row[: len(pieces)] = pieces
        mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
        return torch.from_numpy(ids), torch.from_numpy(mask)

    def pieces(self, text: str) -> list[tuple[int, int]]:
        """Where each word piece begins and ends in the text."""
        (found,) = self._encoded([text])
        marks = zip(found.offsets, found.special_tokens_mask, strict=True)
        before = len(text) - len(text.lstrip())
        return [(start + before, end + before) for (start, end), special in marks if not special]

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        # A lone surrogate, which no encoding has, would fail the whole batch.
        known = [text.strip().encode("utf-8", "replace").decode() for text in texts]
        if len(known) == 1:  # a call for several lets go of Python's lock, and waits for it again
            return [self._tokenizer.encode(known[0])]
        return list(self._tokenizer.encode_batch(known))

    def _short_text(self, *, in_bfloat16: bool = False) -> CompiledText | None:
        """Made at the first call."""
        with self._trying_short:
            if not self._has_tried_short:
                self._short = compiled_text(
                    *(self._embeddings, self._layers, self._heads, self._epsilon), in_bfloat16=in_bfloat16
                )
                self._has_tried_short = True
        return self._short

    def embed_short(self, text: str) -> np.ndarray | None:
        """The embedding of one text, float32, shape (dimension,), not yet of unit length.

        None where the text isn't short, or is no faster by itself.
        """
        if self._device.type != "cpu" or len(text) > _WORDY * SHORT:
            return None
        (found,) = self._encoded([text])
        pieces: list[int] = found.ids
        short = self._short_text() if len(pieces) <= SHORT else None
        return None if short is None else np.array(short(pieces, False)[0], np.float32)

    def embed(self, read: Read) -> tuple[Tensor, Tensor, Tensor]:
        """Embed texts.

        Returns
        -------
        tuple
            Their embeddings, shape (texts, dimension), not yet of unit length; those of their word pieces,
            (texts, longest, dimension); and how many pieces each has, with the two that mark its ends.
        """
        texts, longest = read[0].shape
        if texts == 1 and longest <= SHORT and self._device.type == "cpu":
            short = self._short_text()
            if short is not None:
                mean, hidden = short(read[0][0].tolist(), True)
                assert hidden is not None
                return torch.tensor([mean]), hidden, torch.tensor([longest])
        padded = not bool(read[1].all())  # asked before it goes to a GPU, which need not be waited for
        ids, mask = (part.to(self._device) for part in read)
        hidden = self._embeddings(ids, self._epsilon)
        if texts == 1 and hidden.is_cpu:
            for layer in self._layers:
                hidden = layer.of_one(hidden, self._heads, self._epsilon)
            return hidden.mean(dim=1), hidden, mask.sum(dim=1)
        # Without padding there is nothing to hide, and attention is faster.
        seen = mask.bool()[:, None, None, :] if padded else None
        for layer in self._layers:
            hidden = layer(hidden, seen, self._heads, self._epsilon)
        counted = mask[:, :, None].to(hidden.dtype)
        lengths = mask.sum(dim=1)
        mean = (hidden * counted).sum(dim=1) / lengths[:, None].to(hidden.dtype).clamp(min=1e-9)
        return mean, hidden.view(texts, longest, -1), lengths

    def fit_int8(self, read: Read) -> None:
        """Prepare :meth:`embed_in_int8` with some texts; float32 on the CPU only, and a matter of seconds.

        Raises
        ------
        RuntimeError, AttributeError
            If torch can't multiply in 8 bits here.
        """
        self._int8 = Int8Layers(self._layers, self._heads, self._epsilon, *self._packed(read))

    def embed_in_int8(self, read: Read) -> tuple[Tensor, list[bool]]:
        """Embed texts in 8 bits.

        Returns
        -------
        tuple
            Their embeddings, float32, shape (texts, dimension), not yet of unit length; and for each text,
            whether it is too unlike those of :meth:`fit_int8`, so that its embedding is wrong.
        """
        assert self._int8 is not None
        hidden, lengths = self._packed(read)
        hidden, are_far = self._int8(hidden, lengths)
        return torch.stack([text.mean(dim=0) for text in hidden.split(lengths)]), are_far

    def _packed(self, read: Read) -> tuple[Tensor, list[int]]:
        """What goes into the layers, one text after the other without padding, and how long each is."""
        ids, mask = read
        return self._embeddings(ids, self._epsilon)[mask.bool()], mask.sum(dim=1).tolist()


class _Part:
    """Tensors that change their precision together."""

    def to(self, kind: torch.dtype) -> None:
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                setattr(self, name, value.to(kind))


class PieceEmbeddings(_Part):
    """Words, their places and the type of their text, which is always the first."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.words = weights["embeddings.word_embeddings.weight"]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self.places = weights["embeddings.position_embeddings.weight"] + kind
        self.scale = weights["embeddings.LayerNorm.weight"]
        self.shift = weights["embeddings.LayerNorm.bias"]

    def __call__(self, ids: Tensor, epsilon: float) -> Tensor:
        whole = functional.embedding(ids, self.words) + self.places[: ids.shape[1]]
        return functional.layer_norm(whole, (whole.shape[-1],), self.scale, self.shift, epsilon)


class Layer(_Part):
    """Attention and a perceptron, each added to what came in (Devlin et al. 2019, arXiv:1810.04805)."""

    def __init__(self, weights: dict[str, Tensor], name: str) -> None:
        inner = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self.asked = torch.cat([weights[f"{part}.weight"] for part in inner])
        self.asked_bias = torch.cat([weights[f"{part}.bias"] for part in inner])
        self.told, self.told_bias = _pair(weights, f"{name}.attention.output.dense")
        self.told_scale, self.told_shift = _pair(weights, f"{name}.attention.output.LayerNorm")
        self.wide, self.wide_bias = _pair(weights, f"{name}.intermediate.dense")
        self.narrow, self.narrow_bias = _pair(weights, f"{name}.output.dense")
        self.scale, self.shift = _pair(weights, f"{name}.output.LayerNorm")

    def __call__(self, hidden: Tensor, seen: Tensor | None, heads: int, epsilon: float) -> Tensor:
        texts, longest, size = hidden.shape
        asked = functional.linear(hidden, self.asked, self.asked_bias)
        query, key, value = asked.view(texts, longest, 3, heads, size // heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        told = functional.linear(
            mixed.transpose(1, 2).reshape(texts, longest, size), self.told, self.told_bias
        )
        hidden = functional.layer_norm(told + hidden, (size,), self.told_scale, self.told_shift, epsilon)
        wide = functional.gelu(functional.linear(hidden, self.wide, self.wide_bias))
        narrow = functional.linear(wide, self.narrow, self.narrow_bias)
        return functional.layer_norm(narrow + hidden, (size,), self.scale, self.shift, epsilon)

    def of_one(self, hidden: Tensor, heads: int, epsilon: float) -> Tensor:
        """The same for one text on the CPU, in the one call that ``torch.nn.TransformerEncoderLayer`` makes.

        Each call waits for Python's lock when it ends, so the many calls above are slow beside a busy thread.
        For batches, their attention is faster.
        """
        whole: Tensor = torch._transformer_encoder_layer_fwd(
            *(hidden, hidden.shape[-1], heads, self.asked, self.asked_bias, self.told, self.told_bias),
            *(True, False, epsilon),  # GELU, and normalised after each part
            *(self.told_scale, self.told_shift, self.scale, self.shift),
            *(self.wide, self.wide_bias, self.narrow, self.narrow_bias),
        )
        return whole


def _pair(weights: dict[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _tokenizer_in(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more special
        raise ValueError(f"{path.name}: {error}") from error
