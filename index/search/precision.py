"""In which precision this CPU embeds: bfloat16 or 8 bits where they are faster, else float32."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_SHAPE = (256, 384, 1_536)
"""A matrix product of the packaged model's size: word pieces, and the sizes of two layers."""
_PAIRS = 11
_AGREEING = 9
"""So many of the pairs must say so: one alone may have shared its core with another program."""
_WORTH = 1.2
"""bfloat16 is only worth its rounding if it is this many times as fast."""
_WORTH_IN_INT8 = 2.5
"""So are 8 bits, around whose products more is done."""


def has_bfloat16() -> bool:
    """Whether this CPU has instructions for bfloat16; elsewhere it takes many times as long as float32."""
    return bool({"avx512_bf16", "amx_bf16"} & _flags())


def _flags() -> set[str]:
    try:
        return set(Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0].split())
    except OSError:
        return set()


@cache
def embeds_in_bfloat16() -> bool:
    """Whether this CPU multiplies bfloat16 clearly faster than float32; measured once, in some 70 ms.

    Its flags don't tell: with avx512_bf16, AMD's Zen 4 takes half the time, and an Intel Xeon whose AMX is
    unavailable takes 1.6 times as long (`python -m benchmarks.embedding_ladder`). Where the two are close,
    another process may choose otherwise; their vectors differ by rounding only. From here on, torch keeps to
    one thread, as embedding does.
    """
    if not has_bfloat16():
        return False
    import torch  # lazy: takes seconds

    given, weights = _matrices()
    rounded = given.to(torch.bfloat16), weights.to(torch.bfloat16)
    linear = torch.nn.functional.linear
    return _is_worth(_WORTH, lambda: linear(given, weights), lambda: linear(*rounded))


@cache
def embeds_faster_in_int8() -> bool:
    """Whether this CPU multiplies 8 bits so much faster than float32 that rounding many texts pays off.

    Measured once, as above: one without VNNI, such as most before 2019, would also lose digits.
    """
    if not {"avx512_vnni", "avx_vnni"} & _flags():
        return False
    import torch  # lazy: takes seconds

    given, weights = _matrices()
    whole, scales = (given * 20 + 128).clamp(0, 255).to(torch.uint8), torch.ones(len(weights))
    zeros, small = torch.zeros(len(weights), dtype=torch.int32), (weights * 20).to(torch.int8)

    def product() -> Tensor:
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            *(whole, 1.0, 0, packed, scales, zeros, None, 1.0, 0, torch.float32, "none", [], "")
        )
        return found

    try:
        packed = torch.ops.onednn.qlinear_prepack(small, None)
        product()
    except (AttributeError, RuntimeError):  # this torch has none
        return False
    return _is_worth(_WORTH_IN_INT8, lambda: torch.nn.functional.linear(given, weights), product)


def _matrices() -> tuple[Tensor, Tensor]:
    """What is multiplied to find out, in float32: as many word pieces as a text has, and weights."""
    import torch  # lazy: takes seconds

    tokens, size, wide = _SHAPE
    chance = torch.Generator().manual_seed(0)
    return torch.randn(tokens, size, generator=chance), torch.randn(wide, size, generator=chance)


def _is_worth(times: float, usual: Callable[[], object], quick: Callable[[], object]) -> bool:
    """Whether one product clearly is that many times as fast as another."""
    import torch  # lazy: takes seconds

    torch.set_num_threads(1)

    def seconds(product: Callable[[], object]) -> float:
        """This thread's own CPU time, which another program's doesn't count towards."""
        begun = time.thread_time()
        product()
        return time.thread_time() - begun

    with torch.inference_mode():
        for product in (usual, quick):
            seconds(product)  # the first of a kind also prepares it
        faster = [seconds(usual) > times * seconds(quick) for _ in range(_PAIRS)]
    return sum(faster) >= _AGREEING
