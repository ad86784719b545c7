"""The network without torch: loops and arrays agree, and the faster ones are taken for few tokens."""

from functools import cache

import numpy as np
import pytest

from textkin.base.hub import MINILM, located
from textkin.base.numba_cache import compiling
from textkin.models.light_network import LightNetwork
from textkin.models.packed_weights import PACKED, unpacked

pytestmark = pytest.mark.slow

IDS = [np.array(one, dtype=np.int32) for one in ([101, 2129, 2214, 102], [101, 7, 9, 102], [101, 102])]


@cache
def minilm():
    return LightNetwork(located(MINILM))


def test_loops_and_arrays_agree():
    by_loop, by_arrays = (minilm()._states(IDS, by_loop=by_loop) for by_loop in (True, False))
    assert by_loop.shape == (10, 384)
    np.testing.assert_allclose(by_loop, by_arrays, atol=1e-5)
    means = minilm().means(IDS)
    for text, found in zip(IDS, means, strict=True):
        np.testing.assert_allclose(found, minilm().means([text])[0], atol=1e-5)


def test_what_arrays_multiply_with_is_the_stored_table():
    stored = unpacked(located(MINILM) / PACKED)["encoder.layer.2.output.dense.weight"]
    np.testing.assert_array_equal(minilm()._layers[2].narrows._matrix, stored.T)


def test_loops_are_for_few_tokens_and_only_where_they_are_faster(monkeypatch):
    calls = []
    monkeypatch.setattr(
        LightNetwork,
        "_states",
        lambda self, ids, types=None, *, by_loop: calls.append(by_loop) or np.zeros((1, 1)),
    )
    network = object.__new__(LightNetwork)
    few, many = [np.zeros(24, np.int32)], [np.zeros(20, np.int32), np.zeros(5, np.int32)]
    network.__dict__ |= {"_weights": 1, "_loops_pay": True}
    with compiling():  # arrays don't stand in
        for ids in (few, many):
            network.states(ids)
        network.__dict__["_loops_pay"] = False
        network.states(few)
    assert calls == [True, False, False]
    network.load_loops()
    assert calls[3:] == [True]


def test_the_faster_way_is_measured():
    assert minilm().loops_beat(lambda ids: [minilm().means(ids) for _ in range(20)])
    assert not minilm().loops_beat(lambda ids: None)
