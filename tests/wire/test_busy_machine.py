"""Replies on a machine whose other cores are busy: nothing in them waits for a second thread."""

from __future__ import annotations

import json

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from index.identity.models import Models
from index.search.phrases import PhraseFinder


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


async def test_linear_algebra_computes_in_the_thread_that_asks(lab) -> None:
    await lab.user.slash("/similar PrismLLM")  # its libraries are loaded
    threadpool_limits(2, user_api="blas")
    assert blas_threads() == {2}
    await lab.scheduler.load_model()
    assert blas_threads() == {1}


@pytest.mark.parametrize("model", ["phrases", "pairs", "groups", "variants"])
def test_boosted_trees_compute_in_the_thread_that_asks(model: str) -> None:
    trees = PhraseFinder.shipped()._ranker if model == "phrases" else getattr(Models.shipped(), model)
    assert json.loads(trees.save_config())["learner"]["generic_param"]["nthread"] == "1"
