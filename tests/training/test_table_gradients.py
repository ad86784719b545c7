import numpy as np
import pytest
import torch

from textkin.batches.padded import TextBatch
from textkin.models.table import build
from textkin.training.device import Device
from textkin.training.table_gradients import TableGradients


def batches(count):
    draw = np.random.default_rng(0)
    for _ in range(count):
        yield [
            TextBatch.from_ids(
                [draw.integers(0, 60, size).astype(np.int32) for size in draw.integers(0, 12, 9)], pad_id=0
            )
            for _ in "ab"
        ]


def trained(name, *, kept, steps=6, **options):
    torch.manual_seed(0)
    model = build(name, size=60, pad_id=0, zero_ids=[1], dim=8, **options)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
    gradients = TableGradients(model, Device("cpu")) if kept else None
    for a, b in batches(steps):
        if gradients is None:
            optimiser.zero_grad(set_to_none=True)
        else:
            gradients.clear(optimiser)
        outputs = model(a, b) if name != "siamese" else model(a) * model(b)
        outputs.sum().backward()
        optimiser.step()
    if gradients is not None:
        gradients.release()
    return model.state_dict()


@pytest.mark.parametrize(
    ("name", "options"),
    [("knrm", {"unit_size": 0}), ("siamese", {"cell": "mean", "token_weights": True}), ("siamese", {})],
)
def test_training_is_that_with_new_gradients_every_step(name, options):
    expected = trained(name, kept=False, **options)
    for key, found in trained(name, kept=True, **options).items():
        torch.testing.assert_close(found, expected[key], atol=1e-4, rtol=1e-4)


def test_with_several_threads_it_is_the_same_every_time():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        first = trained("knrm", kept=True)
        for _ in range(5):
            assert all(torch.equal(found, first[key]) for key, found in trained("knrm", kept=True).items())
    finally:
        torch.set_num_threads(threads)


def test_the_module_is_left_as_it_was_found():
    model = build("knrm", size=60, pad_id=0, dim=8)
    gradients = TableGradients(model, Device("cpu"))
    assert model.words.embedding.sparse_gradient
    gradients.release()
    a, b = next(batches(1))
    model(a, b).sum().backward()
    assert not model.words.embedding.table.grad.is_sparse
    assert not model.words.embedding.sparse_gradient
