"""Approximate searches: cells searched, stated recall, and their file."""

from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.collection.store.conftest import Engine
from tests.collection.store.making import vector_of, vectors_of
from textkin.base.errors import UsageError
from textkin.collection.store.check_and_repair import check_collection, repair_collection
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry

DIM = 16


def entries(count, start=0):
    return [Entry(f"e{number:04}", f"text {number}", {"n": number}) for number in range(start, start + count)]


def clustered(texts):
    """Vectors around few centres."""
    homes = np.random.default_rng(7).normal(size=(12, DIM))
    found = []
    for text in texts:
        draws = np.random.default_rng(int(text.split()[1]))
        found.append(homes[draws.integers(12)] + 0.3 * draws.normal(size=DIM))
    return np.array(found, dtype=np.float32)


def filled(folder, count=600):
    store = open_store(folder, create={})
    add(store, entries(count))
    return store


def add(store, some):
    for _ in store.add(some, clustered):
        pass


def names(hits):
    return [[hit.doc_id for hit in one] for one in hits]


@pytest.fixture(params=["sqlite", "memory", "own"])
def place(request, tmp_path):
    """Where cells are in files, and where they are in memory."""
    return Engine(request.param).place(tmp_path / "c")


QUERIES = clustered([f"query {number}" for number in range(1000, 1040)])


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=8, max_size=60),
    st.lists(st.integers(0, 30), max_size=10),
    st.lists(st.integers(0, 30), max_size=10),
    st.integers(1, 4),
    st.integers(1, 12),
    st.sampled_from([None, "n < 12", "n >= 29"]),
)
def test_all_cells_are_an_exact_search_whatever_comes_after(first, removed, later, cells, k, where):
    """With every cell searched; and with one, k hits still come if there are k, by their exact scores."""
    made = [Entry(f"e{place}", f"text {n}", {"n": n}) for place, n in enumerate(first)]
    more = [Entry(f"l{place}", f"text {n}", {"n": n}) for place, n in enumerate(later)]
    with TemporaryDirectory() as folder, open_store(folder, create={}) as store:
        sum(len(vectors_of(["a"])) for _ in store.add(made, vectors_of))
        cells = min(cells, max(len(made) // 8, 1))
        store.cells.make(cells)
        store.cells.prepare()
        store.remove([f"e{place}" for place in removed])
        sum(1 for _ in store.add(more, vectors_of))
        there = {one.entry_id for one in store.entries()}
        queries = np.stack([vector_of(f"query {n}") for n in range(6)])
        exact = store.nearest(queries, k, where=where)
        assert store.nearest(queries, k, where=where, probe=cells) == exact
        every = store.nearest(queries, len(there) + 1, where=where)
        few = store.nearest(queries, k, where=where, probe=1)
        for found, wanted, scores in zip(few, exact, every, strict=True):
            assert len(found) == len(wanted)
            assert {hit.doc_id for hit in found} <= there
            assert set(found) <= set(scores)


@pytest.mark.slow
def test_recall_is_what_searches_find(place):
    with filled(place) as store:
        made = store.cells.make(20)
        assert (len(made), len(made.ranks), store.cells.prepare() is made) == (20, 200, True)
        drawn = np.random.default_rng(3).permutation(600)[:150]
        asked = clustered([f"text {number}" for number in drawn])
        exact = names(store.nearest(asked, 11))
        for probe in (1, 3, 20):
            found = names(store.nearest(asked, 11, probe=probe))
            pairs = zip(exact, found, drawn, strict=True)
            shares = [len((set(one) & set(other)) - {f"e{own:04}"}) / 10 for one, other, own in pairs]
            told = made.recall(probe)
            assert told.share.low - 0.05 < np.mean(shares) < told.share.high + 0.05
            assert "on 200 stored texts" in told.sentence()
        assert made.recall(1).share.value < made.recall(3).share.value < 1 == made.recall(20).share.value


def test_newer_rows_are_searched_and_removed_ones_are_not(place):
    with filled(place) as store:
        store.cells.make(20)
        add(store, [Entry("new", "text 5000", {"n": -1})])
        vector = clustered(["text 5000"])
        assert names(store.nearest(vector, 1, probe=1)) == [["new"]]
        assert "1 newer rows are searched exactly" in store.cells.in_words(1)
        store.remove(["new", "e0007"])
        found = names(store.nearest(clustered(["text 7"]), 30, probe=2))
        assert {"new", "e0007"}.isdisjoint(found[0])
        add(store, [Entry("e0001", "text 5001", {"n": 1})])  # another text: another row
        assert names(store.nearest(clustered(["text 5001"]), 1, probe=1)) == [["e0001"]]


def test_filters_give_as_many_hits_as_there_are(place):
    with filled(place) as store:
        store.cells.make(20)
        for where, count in (("n < 7", 7), ("n >= 590", 10), ("n < 300", 10), ("n > 9999", 0)):
            found = store.nearest(QUERIES, 10, where=where, probe=1)
            assert [len(one) for one in found] == [count] * len(QUERIES)
        # With so few entries all are searched, like those of one cell without a filter.
        rare = names(store.nearest(QUERIES, 10, where="n < 25", probe=1))
        assert rare == names(store.nearest(QUERIES, 10, where="n < 25"))


@pytest.mark.slow
def test_the_file_is_a_cache(tmp_path):
    with filled(tmp_path / "c") as store:
        store.cells.make(20)
        wanted = names(store.nearest(QUERIES, 10, probe=3))
    [file] = (tmp_path / "c" / "cache").glob("*.cells")
    whole = file.read_bytes()
    for damaged in (None, whole[:-7], whole[:500] + bytes([whole[500] ^ 1]) + whole[501:], b""):
        file.unlink() if damaged is None else file.write_bytes(damaged)
        assert len(check_collection(tmp_path / "c").cache) == 1
        with open_store(tmp_path / "c") as store:
            store.cells.prepare()
            assert names(store.nearest(QUERIES, 10, probe=3)) == wanted
        [file] = (tmp_path / "c" / "cache").glob("*.cells")
        assert file.read_bytes() == whole
        assert not check_collection(tmp_path / "c").cache
    repair_collection(tmp_path / "c")
    assert not check_collection(tmp_path / "c").cache
    with open_store(tmp_path / "c") as store:
        store.cells.prepare()
        assert names(store.nearest(QUERIES, 10, probe=3)) == wanted


@pytest.mark.slow
def test_cells_without_a_file_are_made_again_elsewhere():
    with filled("memory://cells") as store, open_store("memory://cells") as other:
        made = store.cells.make(20)
        again = other.cells.prepare()
        assert np.array_equal(again.cells, made.cells) and np.array_equal(again.ranks, made.ranks)
        assert names(other.nearest(QUERIES, 5, probe=2)) == names(store.nearest(QUERIES, 5, probe=2))
        store.cells.drop()
        with pytest.raises(UsageError) as error:
            other.cells.prepare()
    assert error.value.params == ("probe",)


def test_cells_of_another_process_are_taken_over(tmp_path):
    with filled(tmp_path) as store, open_store(tmp_path) as other:
        with pytest.raises(UsageError) as error:
            other.cells.prepare()
        assert error.value.params == ("probe",)
        with pytest.raises(UsageError) as error:
            other.nearest(QUERIES, 3, probe=1)
        assert error.value.params == ("probe",)
        store.cells.make(20)
        assert len(other.cells.prepare()) == 20
        store.cells.make(10)
        assert len(other.cells.prepare()) == 10
        assert len(list((tmp_path / "cache").glob("*.cells"))) == 1
        assert names(other.nearest(QUERIES, 5, probe=2)) == names(store.nearest(QUERIES, 5, probe=2))
        store.cells.drop()
        assert not list((tmp_path / "cache").glob("*.cells"))
        with pytest.raises(UsageError) as error:
            other.cells.prepare()
        assert error.value.params == ("probe",)


def test_what_is_left_of_many_rows_can_still_be_searched(tmp_path):
    with filled(tmp_path / "c") as store:
        store.cells.make(20)
        store.remove(where="n >= 5")
        next((tmp_path / "c" / "cache").glob("*.cells")).unlink()
    with open_store(tmp_path / "c") as store:
        assert len(store.cells.prepare()) == 1
        assert len(store.nearest(QUERIES, 10, probe=3)[0]) == 5
        store.remove(where="n >= 0")
        assert store.nearest(QUERIES[:1], 10, probe=1) == [[]]


def test_wrong_numbers(tmp_path):
    with open_store("memory://", create={}) as store, pytest.raises(UsageError) as error:
        store.cells.make(3)
    assert error.value.params == ()
    with filled(tmp_path / "c", 20) as store, pytest.raises(UsageError) as error:
        store.cells.make(3)
    assert (error.value.params, error.value.value) == (("cells",), 3)


def test_windows_are_in_cells_of_their_own(place):
    """A text in two windows is found by either, though they are in different cells."""
    long = [Entry(f"w{number}", f"text {number} text {number + 500}") for number in range(300)]

    def halves(texts):
        return [((0, text.index(" text")), (text.index(" text") + 1, len(text))) for text in texts]

    with open_store(place, create={"windows": 8}) as store:
        for _ in store.add(long, clustered, windows_of=halves):
            pass
        store.cells.make(12)
        store.cells.prepare()
        for number in (3, 120, 299):
            for vector in clustered([f"text {number}", f"text {number + 500}"]):
                hits = store.nearest(vector[None], 5, probe=1)[0]
                assert hits[0].doc_id == f"w{number}"
                assert len({hit.doc_id for hit in hits}) == 5
        exact = store.nearest(QUERIES, 5)
        assert store.nearest(QUERIES, 5, probe=12) == exact
        store.remove(["w3"])
        assert "w3" not in {hit.doc_id for row in store.nearest(QUERIES, 50, probe=6) for hit in row}
