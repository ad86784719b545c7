"""Batches, precisions and threads change the speed of vectors, not their values."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.models.interop.tiny import backbone
from textkin.base.errors import UsageError
from textkin.models.inference.engine import Engine, _Packed, by_tokens, encode_ids
from textkin.networks.architectures.table import build
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch


def transformer(family="bert", **options):
    return TransformerEncoder(backbone=backbone(family, tokens=60), **options).train()


def texts(count=200, longest=30):
    draw = np.random.default_rng(4)
    lengths = draw.integers(0, longest, count)
    return [draw.integers(5, 60, length).astype(np.int32) for length in lengths]


def one_by_one(module, ids):
    module.eval()
    with torch.inference_mode():
        rows = [module(TextBatch.from_ids([row], pad_id=0)).float().numpy() for row in ids]
    module.train()
    return np.concatenate(rows)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_are_those_of_each_text_alone(family, threads, monkeypatch):
    monkeypatch.setattr(_Packed, "tokens", 64)
    module, ids = transformer(family, pooling=("mean", "first"), dense=[{"width": 8}]), texts()
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        vectors = Engine(module, pad_id=0).vectors(ids)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert module.training
    np.testing.assert_allclose(vectors, one_by_one(module, ids), atol=5e-6)
    assert not vectors[[len(row) == 0 for row in ids]].any()


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_bf16_is_close_and_keeps_the_neighbours(family):
    module, ids = transformer(family), texts(60)
    exact = Engine(module, pad_id=0).vectors(ids)
    engine = Engine(module, pad_id=0, computes="bf16")
    rough = engine.vectors(ids)
    known = exact.any(axis=1)
    assert np.vecdot(exact, rough)[known].min() > 0.995
    assert not np.array_equal(exact, rough)
    alone = np.concatenate([engine.vectors([row]) for row in ids])
    # These weights are ten times as large as any trained ones, and so is the effect of rounding.
    assert np.abs(alone - rough).max() < 2e-2


def test_bf16_is_for_transformers():
    lstm = build("siamese", size=20, pad_id=0, zero_ids=[], dim=4, hidden=4)
    with pytest.raises(UsageError) as error:
        Engine(lstm, pad_id=0, computes="bf16")
    assert error.value.params == ("precision",)


def test_what_cant_be_computed_in_bf16_is_said_at_once(monkeypatch):
    def fail(self, *inputs):
        raise RuntimeError("no such primitive")

    monkeypatch.setattr(_Packed, "__call__", fail)
    with pytest.raises(UsageError) as error:
        Engine(transformer(), pad_id=0, computes="bf16")
    assert error.value.params == ("precision",)
    Engine(transformer(), pad_id=0)


def test_an_error_in_a_thread_comes_out_and_leaves_the_threads_as_they_were(monkeypatch):
    monkeypatch.setattr(_Packed, "tokens", 8)
    module = transformer()
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(IndexError):
            encode_ids(module, [np.full(5, 1000, dtype=np.int32)] * 9, pad_id=0)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert module.training


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 50), st.booleans())
def test_batches_hold_so_many_tokens_padding_included(lengths, most, falling):
    sizes = np.array(lengths, dtype=np.int64)
    order = np.argsort(-sizes if falling else sizes, kind="stable")
    batches = by_tokens(order, sizes, most=most)
    assert [row for batch in batches for row in batch] == list(order)
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(1, sizes[batch].max()) <= most
    for batch, after in pairwise(batches):
        assert (len(batch) + 1) * max(1, *sizes[[*batch, after[0]]]) > most


def test_a_gpu_without_memory_is_an_error_with_a_remedy(monkeypatch):
    module = build("siamese", size=60, pad_id=0, zero_ids=[], dim=4, hidden=4)

    def forward(batch):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB.")

    monkeypatch.setattr(module, "forward", forward)
    with pytest.raises(UsageError) as error:
        Engine(module, pad_id=0).vectors(texts(3))
    assert str(error.value).startswith("the GPU has no memory left: CUDA out of memory; ")
