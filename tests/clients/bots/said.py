"""What the Python bots share: a result as the text that the checks read."""

import json
import traceback
from collections.abc import Awaitable
from typing import Any


class Lacks(Exception):
    """The library has no such feature."""


async def said(what: str, work: Awaitable[Any]) -> str:
    """``what: ok JSON``, ``what: lacks REASON`` or ``what: failed`` with the end of the trace."""
    try:
        return f"{what}: ok {json.dumps(await work)}"
    except Lacks as missing:
        return f"{what}: lacks {missing}"
    except Exception:  # whatever a library raises, its table says so
        return f"{what}: failed {traceback.format_exc()[-1500:]}"
