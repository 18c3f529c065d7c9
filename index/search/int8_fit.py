"""Whether many texts are embedded in 8 bits: the model is fitted to some, and compared with itself."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from index.search.precision import embeds_faster_in_int8, embeds_in_bfloat16

if TYPE_CHECKING:
    from index.search.bert import Bert

log = logging.getLogger("labmate")
FITTED, CHECKED = 32, 16
"""Texts that 8 bits are fitted to, and others that show how close the vectors are."""
ALIKE, MOST_FAR = 0.999, 0.25
"""8 bits are not used if the mean cosine of their vectors and the exact ones is below this, or if more texts
than this have to be embedded exactly."""
MANY = 1_000
"""From this many texts a core on, 8 bits save time, although one core alone prepares them."""
Item = TypeVar("Item")


def sample(items: Sequence[Item]) -> Sequence[Item]:
    """FITTED + CHECKED of at least as many items, from all over them."""
    taken = FITTED + CHECKED
    return items[:: len(items) // taken][:taken]


def fits_int8(model: Bert, texts: Sequence[str], exactly: Callable[[list[str]], np.ndarray]) -> bool:
    """Fit a model on the CPU to texts, in seconds.

    Parameters
    ----------
    texts
        As :func:`sample` gives them; with fewer, nothing is done.
    exactly
        Embeds texts in full precision: float32, shape (texts, dimension), rows of unit length.

    Returns
    -------
    bool
        Whether 8 bits can be used: not where the CPU is not faster so, or the vectors are not close.
    """
    if len(texts) < FITTED + CHECKED or embeds_in_bfloat16() or not embeds_faster_in_int8():
        return False
    import torch  # lazy: takes seconds

    every = (FITTED + CHECKED) // CHECKED
    others = [text or " " for text in texts[::every]]
    fitted = [text or " " for place, text in enumerate(texts) if place % every]
    try:
        with torch.inference_mode():
            model.fit_int8(model.read(fitted))
            means, are_far = model.embed_in_int8(model.read(others))
            rows = torch.nn.functional.normalize(means, dim=1).numpy()
    except (AttributeError, RuntimeError) as error:
        log.debug("8 bits can't be used: %s", error)
        return False
    alike, far = float((rows * exactly(others)).sum(axis=1).mean()), float(np.mean(are_far))
    log.debug("8 bits: the mean cosine with exact vectors is %.5f; %.0f %% are far", alike, 100 * far)
    return alike >= ALIKE and far <= MOST_FAR
