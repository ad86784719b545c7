"""An encoder whose texts are encoded elsewhere: same vectors, in order, by the same model."""

import numpy as np
import pytest

from tests.vectors.on_ray.deeds import Letters
from tests.vectors.on_ray.fake_workers import FakeWorkers
from textkin.base.errors import MissingExtraError, ModelError, UsageError
from textkin.data.protocols import Encoder, Side
from textkin.vectors.batched_encoding import Streams, vectors_of
from textkin.vectors.compute_engine import THIS_MACHINE
from textkin.vectors.on_ray import encoding
from textkin.vectors.on_ray.encoding import RemoteEncoder, encoded
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
    known = Letters(factor=1.01).encode(encoding._CANARIES)
    with pytest.raises(ModelError, match=r"letters on .* gives other vectors than here"):
        encoded(workers.keep(Letters()), known, TEXTS, Side.DOCUMENT)
    nearly = Letters(factor=1.0001).encode(encoding._CANARIES)  # as other software rounds
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
