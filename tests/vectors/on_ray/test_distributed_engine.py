"""An encoder whose texts are encoded elsewhere: same vectors, in order, by the same model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vectors.on_ray.deeds import Letters
from tests.vectors.on_ray.fake_workers import FakeWorkers, crew, vectors
from textkin.base.errors import DataError, MissingExtraError, ModelError, UsageError
from textkin.data.protocols import Encoder, Side
from textkin.vectors.batched_encoding import Streams, vectors_of
from textkin.vectors.compute_engine import THIS_MACHINE
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.on_ray import distributed_engine
from textkin.vectors.on_ray.distributed_engine import RemoteEncoder, encoded, nearest
from textkin.vectors.on_ray.location import check_where, engine_of

TEXTS = [f"text number {number} of many" + "x" * (number % 7) for number in range(50)]


def test_the_vectors_are_those_of_the_encoder():
    remote = RemoteEncoder(FakeWorkers(), Letters(), piece=7)
    assert isinstance(remote, Encoder) and isinstance(remote, Streams)
    for side in Side:
        np.testing.assert_array_equal(remote.encode(TEXTS, side=side), Letters().encode(TEXTS, side=side))
    assert remote.encode([]).shape == (0, 26)
    assert (remote.name, remote.dim) == ("letters", 26)


def test_a_stream_is_cut_into_pieces_that_keep_their_order():
    workers = FakeWorkers(slots=2)
    found = list(vectors_of(RemoteEncoder(workers, Letters(), piece=8), TEXTS, count=50))
    np.testing.assert_array_equal(np.concatenate(found), Letters().encode(TEXTS))
    assert workers.begun == 7 and max(map(len, found)) == 8


def test_a_worker_with_another_model_says_so():
    workers = FakeWorkers()
    known = Letters(factor=1.01).encode(distributed_engine._CANARIES)
    with pytest.raises(ModelError, match=r"letters on .* gives other vectors than here"):
        encoded(workers.keep(Letters()), known, TEXTS, Side.DOCUMENT)
    nearly = Letters(factor=1.0001).encode(distributed_engine._CANARIES)  # as other software rounds
    assert len(encoded(workers.keep(Letters()), nearly, TEXTS, Side.DOCUMENT)) == 50


def test_without_a_word_work_is_done_here():
    with engine_of() as engine, engine_of(on=None, address=None) as other:
        assert engine is THIS_MACHINE is other


def test_what_is_no_engine_is_refused(monkeypatch):
    with pytest.raises(UsageError) as error:
        check_where(on="rey")
    assert error.value.params == ("on",)
    with pytest.raises(UsageError) as error:
        check_where(address="auto")
    assert error.value.params == ("on",)
    monkeypatch.setattr("textkin.base.extras.find_spec", lambda package: None)
    with pytest.raises(MissingExtraError) as refused:
        check_where(on="ray")
    assert "pip install 'textkin[ray]'" in str(refused.value)


@settings(max_examples=15)
@given(st.integers(1, 50), st.integers(9, 60), st.integers(1, 9), st.integers(0, 5), st.booleans())
def test_the_nearest_of_one_machine_to_the_byte(count, block, depth, seed, apart):
    documents = vectors(count, seed=seed)
    queries = documents if apart else vectors(17, seed=seed + 1)
    floor = np.where(np.arange(len(queries)) % 5 == 0, 0.3, -np.inf).astype(np.float32)
    expected = Searcher(documents, cosine=True).nearest(queries, depth, floor=floor, apart=apart)
    found = nearest(crew(block, seed=seed), queries, documents, depth, floor=floor, apart=apart)
    assert found.documents.tolist() == expected.documents.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_of_equals_the_first_one_is_found():
    documents, queries = np.ones((12, 3), dtype=np.float32), np.ones((2, 3), dtype=np.float32)
    floor = np.full(2, -np.inf, dtype=np.float32)
    found = nearest(crew(5, seed=3), queries, documents, 4, floor=floor)
    assert found.documents.tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_vectors_of_two_models_are_refused():
    floor = np.full(4, -np.inf, dtype=np.float32)
    with pytest.raises(DataError) as error:
        nearest(crew(5), vectors(4), vectors(4, dim=3), 2, floor=floor)
    assert error.value.value == (16, 3)
