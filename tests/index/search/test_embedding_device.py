"""Papers are embedded on the device that the operator names, or on the best there is."""

import numpy as np
import pytest
import torch

from index.search.embedding import Embedder, ModelError, device_called

TEXTS = [f"A few words about gossip, part {number}. {'More of them. ' * number}" for number in range(40)]
LACKING = [
    name
    for name, there in (
        ("cuda", torch.cuda.is_available()),
        ("cuda:7", torch.cuda.device_count() > 7),
        ("mps", torch.backends.mps.is_available()),
        ("xpu", torch.xpu.is_available()),
    )
    if not there
]


@pytest.mark.parametrize("name", LACKING)
def test_a_device_that_torch_cannot_use_is_named_with_what_to_do(name):
    with pytest.raises(ModelError, match=f"EMBEDDING_DEVICE={name}: .*leave EMBEDDING_DEVICE empty"):
        device_called(name)


def test_the_best_device_embeds_like_the_cpu():
    best, cpu = Embedder(device="auto").encode(TEXTS), Embedder(device="cpu").encode(TEXTS)
    if device_called("auto") == "cpu":
        assert np.array_equal(best, cpu)
    assert np.sum(best * cpu, axis=1).min() > 0.999
    assert np.linalg.norm(best, axis=1) == pytest.approx(1.0, abs=1e-5)
