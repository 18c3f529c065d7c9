"""kill -9 while vectors come in and the inverted file is built, trained again or swapped: nothing is lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal

import numpy as np

from tests.helpers.vector_crash_child import row_of, small, tend

KILLS = int(os.environ.get("LABMATE_CRASHES", "12"))


def check(folder, states, unsure):
    """Every confirmed change is there, and each search answers with the rows as they are now.

    A change that was under way may be there, whole or in part; what is left of it counts as confirmed then.
    """
    for writable in (False, True):
        vectors = small(folder, writable=writable)
        papers, hashes = vectors.known()
        held = dict(zip(papers.tolist(), hashes.tolist(), strict=True))
        for paper, state in states.items():
            assert held.get(paper) in {state, *unsure.get(paper, ())}, paper
        for paper in random.Random(1).sample(papers.tolist(), min(60, len(papers))):
            row = row_of(paper, held[paper])
            assert np.allclose(vectors.row(paper), row, atol=1e-3)
            found, scores = vectors.search(row, 3)
            assert found[0] == paper
            assert scores[0] > 0.99
    states.update({paper: held.get(paper) for paper in unsure})


def test_nothing_is_lost_whenever_it_is_killed(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.helpers.vector_crash_child"])
    chance = random.Random(3)
    folder, states, step, killed = tmp_path / "v", {}, 0, 0
    seen = {"trained": set(), "number": set(), "drafts": 0, "generation": set()}
    while killed < KILLS:
        theirs, ours = context.Pipe()
        process = context.Process(target=tend, args=(folder, step, ours))
        process.start()
        ours.close()
        assert theirs.recv() == "opened"
        done, before = step, step
        wait = chance.uniform(0, 0.8)
        process.join(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        killed += 1
        said = []
        try:
            while True:
                said.append(theirs.recv())
        except (EOFError, OSError):
            pass
        for kind, number, papers in said:
            done = number
            if kind != "tended":
                states.update(dict.fromkeys(papers, number if kind == "in" else None))
        unsure = {}
        # The next change may be on disk without a word of it.
        for number in (done, done + 1) if said else (before,):
            under_way = np.random.default_rng(number).choice(3_000, 150, replace=False).tolist()
            for place, paper in enumerate(under_way):
                unsure.setdefault(paper, set()).update({number, None} if place < 5 else {number})
        step = done + 2
        seen["drafts"] += len(list(folder.glob("*.new")))
        check(folder, states, unsure)
        try:
            about = json.loads((folder / "inverted.json").read_text())
        except FileNotFoundError:
            continue
        seen["trained"].add(about["trained"])
        seen["number"].add(about["number"])
        seen["generation"].add(about["generation"])
    assert len(seen["number"]) > 2, seen
    print(
        f"\nkilled {killed} times; files {max(seen['number'])}, trained {len(seen['trained'])} times, "
        f"{max(seen['generation'])} compactions, {seen['drafts']} drafts left behind"
    )
