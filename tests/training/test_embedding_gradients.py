import numpy as np
import pytest
import torch

from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.table import build
from textkin.networks.architectures.tower import Tower
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.batches.padded import TextBatch
from textkin.training.device import Device
from textkin.training.embedding_gradients import TableGradients

pytestmark = pytest.mark.torch


def batches(count):
    draw = np.random.default_rng(0)
    for _ in range(count):
        yield [
            TextBatch.from_ids(
                [draw.integers(0, 60, size).astype(np.int32) for size in draw.integers(0, 12, 9)], pad_id=0
            )
            for _ in "ab"
        ]


BERT = {
    "model_type": "bert",
    "vocab_size": 2500,
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}
JOINT = {"start": [1, 0], "middle": [2, 0], "end": [2, 1], "types": [0, 1]}


def made(name, **options):
    torch.manual_seed(0)
    if name == "transformer":
        return TransformerEncoder(backbone=BERT)
    if name == "cross-encoder":
        return CrossEncoder(backbone=BERT, joint=JOINT)
    return build(name, size=60, pad_id=0, zero_ids=[1], dim=8, **options)


def trained(name, *, kept, steps=6, **options):
    model = made(name, **options).eval()
    # Adam would make as much of gradients that are zero but for rounding as of all others.
    optimiser = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, weight_decay=0.1)
    gradients = TableGradients(model, Device("cpu")) if kept else None
    for a, b in batches(steps):
        if gradients is None:
            optimiser.zero_grad(set_to_none=True)
        else:
            gradients.clear(optimiser)
        outputs = model(a) * model(b) if isinstance(model, Tower) else model(a, b)
        outputs.sum().backward()
        optimiser.step()
    if gradients is not None:
        gradients.release()
    return model.state_dict()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("knrm", {"unit_size": 0}),
        ("siamese", {"cell": "mean", "token_weights": True}),
        ("siamese", {}),
        ("transformer", {}),
        ("cross-encoder", {}),
    ],
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


@pytest.mark.parametrize("name", ["knrm", "transformer"])
def test_the_module_is_left_as_it_was_found(name):
    model = made(name)
    table = max(model.parameters(), key=len)
    gradients = TableGradients(model, Device("cpu"))
    lasting = table.grad  # held, so that no other takes its place in memory
    a, b = next(batches(1))
    for again in (False, True):
        if again:
            gradients.release()
        outputs = model(a) * model(b) if isinstance(model, Tower) else model(a, b)
        outputs.sum().backward()
        assert not table.grad.is_sparse
        assert (table.grad is lasting) is not again
    assert not any(getattr(part, "sparse", False) for part in model.modules())


def test_what_a_network_reads_in_another_way_is_cleared_too():
    """Here the table is also the matrix of a product, as with tied outputs."""
    table = torch.nn.Embedding(2048, 4)
    gradients = TableGradients(table, Device("cpu"))
    (table(torch.tensor([3])).sum() + table.weight.square().sum()).backward()
    assert (table.weight.grad != 0).any(dim=1).all()
    gradients.clear(torch.optim.SGD(table.parameters()))
    assert not table.weight.grad.any()
