"""What the shipped models import: only what they need, since a start waits for it."""

from __future__ import annotations

import subprocess
import sys

LOADING = """
import sys
from index.search.phrases import PhraseFinder
found = PhraseFinder.shipped().of([("Graph networks", "We study graph neural networks.")])
assert found[0], "the model works"
assert "xgboost" in sys.modules
assert "sklearn" not in sys.modules
import sklearn.base
"""


def test_boosted_models_load_without_scikit_learn_which_can_still_be_imported():
    subprocess.run([sys.executable, "-c", LOADING], check=True)
