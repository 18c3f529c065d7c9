"""Where the repository is, and the real data beside it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("LABMATE_SHARED", ROOT.parent / "shared"))
