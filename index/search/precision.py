"""In which precision this CPU embeds: bfloat16 where it is faster, else float32."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

_SHAPE = (256, 384, 1_536)
"""A matrix product of the packaged model's size: word pieces, and the sizes of two layers."""
_PAIRS = 11
_AGREEING = 9
"""So many of the pairs must say so: one alone may have shared its core with another program."""
_WORTH = 1.2
"""bfloat16 is only worth its rounding if it is this many times as fast."""


def has_bfloat16() -> bool:
    """Whether this CPU has instructions for bfloat16; elsewhere it takes many times as long as float32."""
    try:
        flags = Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0].split()
    except OSError:
        return False
    return bool({"avx512_bf16", "amx_bf16"} & set(flags))


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

    torch.set_num_threads(1)
    tokens, size, wide = _SHAPE
    chance = torch.Generator().manual_seed(0)
    given = torch.randn(tokens, size, generator=chance)
    weights = torch.randn(wide, size, generator=chance)
    pairs = {kind: (given.to(kind), weights.to(kind)) for kind in (torch.float32, torch.bfloat16)}

    def seconds(kind: torch.dtype) -> float:
        """This thread's own CPU time, which another program's doesn't count towards."""
        begun = time.thread_time()
        torch.nn.functional.linear(*pairs[kind])
        return time.thread_time() - begun

    with torch.inference_mode():
        for kind in pairs:
            seconds(kind)  # the first product of a kind also prepares it
        faster = [seconds(torch.float32) > _WORTH * seconds(torch.bfloat16) for _ in range(_PAIRS)]
    return sum(faster) >= _AGREEING
