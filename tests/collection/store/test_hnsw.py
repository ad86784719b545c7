"""Approximate searches in PostgreSQL: exact scores, stated recall, and later changes."""

import numpy as np
import pytest

from tests.collection.store.conftest import Engine
from tests.collection.store.making import vector_of, vectors_of
from tests.collection.store.test_approximate_search import QUERIES, add, clustered, entries, names
from textkin.base.errors import OutputError, UsageError
from textkin.data.entry_records import Entry

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(postgres):
    return Engine("postgres", postgres)


@pytest.fixture(scope="module")
def filled(engine, tmp_path_factory):
    """600 entries with an index of few links, which misses some."""
    with engine.open(tmp_path_factory.mktemp("hnsw"), create={}) as store:
        add(store, entries(600))
        store.cells.make(4)
        yield store


def test_recall_is_what_searches_find(filled):
    measured = filled.cells.prepare()
    assert measured.probes() == [10, 20, 40, 80, 160, 320, 640]
    drawn = np.random.default_rng(3).permutation(600)[:150]
    asked = clustered([f"text {number}" for number in drawn])
    exact = filled.nearest(asked, 11)
    for probe in (20, 160):
        found = filled.nearest(asked, 11, probe=probe)
        pairs = zip(names(exact), names(found), drawn, strict=True)
        shares = [len((set(one) & set(other)) - {f"e{own:04}"}) / 10 for one, other, own in pairs]
        told = measured.recall(probe)
        assert told.share.low - 0.05 < np.mean(shares) < told.share.high + 0.05
        assert told.sentence() in filled.cells.in_words(probe) and "on 200 stored texts" in told.sentence()
        scores = {hit for row in filled.nearest(asked, 600) for hit in row}
        assert {hit for row in found for hit in row} <= scores  # to the last bit
    assert measured.recall(10).share.value < measured.recall(320).share.value
    assert measured.recall(200) == measured.recall(160)
    assert filled.nearest(QUERIES, 10, probe=600) == filled.nearest(QUERIES, 10)


def test_an_index_searches_without_reading_the_collection(engine, filled):
    filled.cells.prepare()
    with engine_of(filled) as other:
        other.cells.prepare()
        assert names(other.nearest(QUERIES, 5, probe=100)) == names(filled.nearest(QUERIES, 5, probe=100))
        assert other._session.view.parts() == []


def engine_of(store):
    from textkin.collection.store.open_store import open_store

    return open_store(store.place)


def test_filters_give_as_many_hits_as_there_are(filled):
    filled.cells.prepare()
    for where, count in (("n < 7", 7), ("n >= 590", 10), ("n < 300", 10), ("n > 9999", 0)):
        found = filled.nearest(QUERIES, 10, where=where, probe=20)
        assert [len(one) for one in found] == [count] * len(QUERIES)
    rare = filled.nearest(QUERIES, 10, where="n < 20", probe=20)
    assert rare == filled.nearest(QUERIES, 10, where="n < 20")
    assert filled.nearest(np.zeros((1, 16), np.float32), 3, probe=20) == [[]]


def test_what_changes_is_in_the_index(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        with pytest.raises(UsageError, match="is empty"):
            store.cells.make(16)
        add(store, entries(300))
        with pytest.raises(UsageError) as error:
            other.cells.prepare()
        assert error.value.params == ("probe",)
        with pytest.raises(UsageError) as error:
            other.nearest(QUERIES, 3, probe=10)
        assert error.value.params == ("probe",)
        store.cells.make(16)
        other.cells.prepare()
        add(other, [Entry("new", "text 5000", {"n": -1}), Entry("e0001", "text 5001")])
        assert names(store.nearest(clustered(["text 5000"]), 1, probe=20)) == [["new"]]
        assert names(other.nearest(clustered(["text 5001"]), 1, probe=20)) == [["e0001"]]
        assert "2 rows have come since" in store.cells.in_words(20)
        store.remove(["new", "e0007"])
        found = names(store.nearest(clustered(["text 7"]), 30, probe=60))
        assert {"new", "e0007"}.isdisjoint(found[0])
        assert [one.fetchone() for one in engine.execute(tmp_path, "SELECT count(*) FROM points")] == [(299,)]
        with pytest.raises(UsageError) as error:
            store.cells.make(1)
        assert error.value.params == ("approximate",)
        with pytest.raises(UsageError) as error:
            add(store, entries(900, 1000))
            store.nearest(QUERIES, 3, probe=1001)
        assert error.value.params == ("probe",)
        store.cells.drop()
        assert store.cells.in_words() == "" and engine.check(tmp_path).database == ()
        with pytest.raises(UsageError) as error:
            other.nearest(QUERIES, 3, probe=10)
        assert error.value.params == ("probe",)


def test_windows_are_points_of_their_own(engine, tmp_path):
    long = [Entry(f"w{number}", f"text {number} text {number + 500}") for number in range(300)]

    def halves(texts):
        return [((0, text.index(" text")), (text.index(" text") + 1, len(text))) for text in texts]

    with engine.open(tmp_path, create={"windows": 8}) as store:
        list(store.add(long[:200], clustered, windows_of=halves))
        store.cells.make(16)
        list(store.add(long[200:], clustered, windows_of=halves))
        store.cells.prepare()
        for number in (3, 120, 299):
            for vector in clustered([f"text {number}", f"text {number + 500}"]):
                hits = store.nearest(vector[None], 5, probe=50)[0]
                assert hits[0].doc_id == f"w{number}"
                assert len({hit.doc_id for hit in hits}) == 5


def test_vectors_of_zeros_and_ties_are_found_as_exactly(engine, tmp_path):
    texts = [Entry(f"e{number}", f"t{number}") for number in range(60)]
    with engine.open(tmp_path, create={}) as store:
        list(store.add(texts, vectors_of))
        store.cells.make(16)
        store.cells.prepare()
        queries = np.stack([vector_of(f"query {number}") for number in range(5)])
        there = store.nearest(queries, 60)
        for found, all_of_it in zip(store.nearest(queries, 30, probe=50), there, strict=True):
            assert len(found) == (30 if all_of_it else 0) and set(found) <= set(all_of_it)


def test_an_index_made_anew_has_no_recall_of_the_earlier_one(engine, tmp_path, monkeypatch):
    """As after a kill between the creation of the index and its measurement."""
    with engine.open(tmp_path, create={}) as store:
        add(store, entries(60))
        store.cells.make(16)

        def killed(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr(type(store.cells), "_measure", killed)
        with pytest.raises(KeyboardInterrupt):
            store.cells.make(2)
        assert store.cells.in_words() == ""
        with pytest.raises(UsageError) as error:
            store.cells.prepare()
        assert error.value.params == ("probe",)


def test_long_vectors_and_a_server_without_pgvector(engine, tmp_path, monkeypatch):
    with engine.open(tmp_path, create={}) as store:
        list(store.add([Entry("a", "ice")], lambda texts: np.ones((len(texts), 2001), np.float32)))
        with pytest.raises(UsageError) as error:
            store.cells.make(16)
        assert error.value.params == ("approximate",)
        execute = store._session.back_end.execute

        def without(statement, values=()):
            return execute(statement.replace("'vector'", "'none'").replace(" vector ", " none "), values)

        monkeypatch.setattr(store._session.back_end, "execute", without)
        with pytest.raises(OutputError):
            store.cells.make(16)
