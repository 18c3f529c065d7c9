"""Other systems, run in separate environments through files so that they are not dependencies."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from data.sources.http import SourceError
from index.identity.authorships import Authorships

ROOT = Path(__file__).parent.parent.parent
PYTHON = ROOT / ".peers" / "bin" / "python"
SCRIPT = ROOT / "benchmarks" / "peers" / "s2and_clusters.py"


def s2and_installed() -> bool:
    """Whether `make peers` was run."""
    return PYTHON.exists()


def s2and(authorships: Authorships, truth: np.ndarray) -> np.ndarray:
    """The clusters that S2AND's production model gives to authorships of known people; -1 elsewhere.

    It sees the same papers, names, titles and abstracts; SPECTER2 vectors can't be had offline.

    Raises
    ------
    SourceError
        If its process fails.
    """
    known = np.flatnonzero(truth >= 0)
    papers = np.unique(authorships.paper[known])
    mentions = {
        "papers": [
            {
                "id": int(paper),
                "text": authorships.texts[int(paper)],
                "authors": list(
                    authorships.names[authorships.offsets[paper] : authorships.offsets[paper + 1]]
                ),
            }
            for paper in papers
        ],
        "mentions": [
            {
                "id": int(place),
                "paper": int(authorships.paper[place]),
                "position": int(place - authorships.offsets[authorships.paper[place]]),
            }
            for place in known
        ],
    }
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        asked, answered = Path(name, "asked.json"), Path(name, "answered.json")
        asked.write_text(json.dumps(mentions))
        run = subprocess.run(
            [str(PYTHON), str(SCRIPT), str(asked), str(answered)], capture_output=True, text=True, check=False
        )
        if run.returncode or not answered.exists():
            raise SourceError(f"S2AND failed: {run.stderr[-400:]}")
        clusters = json.loads(answered.read_text())
    person = np.full(len(truth), -1, np.int64)
    for number, members in enumerate(clusters):
        person[members] = number
    return person
