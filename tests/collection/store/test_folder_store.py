"""A store equals a dict, however it was changed, opened, compacted and deprived of its cache."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.collection.store.conftest import Engine
from tests.collection.store.making import DIM, check_ranking, exact, folder_for_commits, vector_of, vectors_of
from tests.reference.remembering import Remembered
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.collection.store import segment_file as caches
from textkin.collection.store import view
from textkin.data.entry_records import Added, Entry
from textkin.text.baselines.bm25 import Bm25

IDS = [f"t{number}" for number in range(30)] + ["ä", "z z"]
WORDS = ["ice", "ice melts", "fire", "burns", "the fire burns", "über", "melts ice melts", "sun and moon"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
metadata = st.one_of(st.just({}), st.fixed_dictionaries({"n": st.integers(0, 3)}))
entries = st.builds(Entry, st.sampled_from(IDS), texts, metadata)
steps = st.one_of(
    st.tuples(st.just("add"), st.lists(entries, min_size=1, max_size=12)),
    st.tuples(st.just("remove"), st.lists(st.sampled_from(IDS), min_size=1, max_size=6)),
    st.tuples(st.sampled_from(["remove where", "compact", "reopen", "lose cache", "look"]), st.none()),
)
QUERIES = ["ice fire", "burns burns the", "unknown", "melts"]


def deep(levels):
    """Nested lists."""
    found = []
    for _ in range(levels - 1):
        found = [found]
    return found


@pytest.fixture(autouse=True)
def _small_files(monkeypatch):
    monkeypatch.setattr(caches, "WORTH_A_FILE", 5)
    monkeypatch.setattr(view, "_MOST_PARTS", 2)
    monkeypatch.setattr(view, "_MOST_ROWS", 20)


def stored(store, given, **options):
    return sum(store.add(given, vectors_of, **options), Added())


def searched(store, k, where=None):
    """All results of a store's searches."""
    vectors = np.array([[1, 0, 0, 1], [0, 1, -1, 0], [0, 0, 0, 0]], dtype=np.float32)
    found = [*store.nearest(vectors, k, where=where), *store.words(QUERIES, k, where=where)]
    return [[(hit.doc_id, hit.score) for hit in hits] for hits in found]


def compare(store, known, k, where=None):
    """Check that a store's results equal a full scan."""

    def allowed(metadata):
        return where is None or metadata.get("n", -1) >= 2

    vectors = np.array([[1, 0, 0, 1], [0, 1, -1, 0], [0, 0, 0, 0]], dtype=np.float32)
    for vector, hits in zip(vectors, store.nearest(vectors, k, where=where), strict=True):
        expected = exact(known.nearest(vector, vector_of, allowed), k)
        assert [(hit.doc_id, hit.score) for hit in hits] == expected
    for query, hits in zip(QUERIES, store.words(QUERIES, k, where=where), strict=True):
        check_ranking(hits, known.words(query, allowed), k)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sqlite", "memory", "own"])
@given(steps=st.lists(steps, max_size=12))
def test_a_store_is_what_a_dict_would_be(name, steps):
    check_steps(Engine(name), steps)


@pytest.mark.slow
@settings(max_examples=12)  # a commit takes a server longer
@given(steps=st.lists(steps, max_size=12))
def test_a_store_is_what_a_dict_would_be_in_postgres(postgres, steps):
    check_steps(Engine("postgres", postgres), steps)


def check_steps(engine, steps):
    with folder_for_commits() as folder:
        go_through(engine, folder, steps)


def go_through(engine, folder, steps):
    known = Remembered()
    store, reader = engine.open(folder, create={}), engine.open(folder)
    for step, given_ in steps:
        if step == "add":
            known.add(given_)
            stored(store, given_, batch=5)
        elif step == "remove":
            gone = store.remove(given_)
            assert gone == len(known.entries.keys() & set(given_))
            known.remove(given_)
        elif step == "remove where":
            store.remove(where="n = 1")
            known.remove([name for name, one in known.entries.items() if one.metadata.get("n") == 1])
        elif step == "compact":
            store.compact()
        elif step == "reopen":
            store.close()
            store = engine.open(folder)
        elif step == "lose cache":
            shutil.rmtree(folder / "cache", ignore_errors=True)
        else:
            compare(reader, known, 3)
        assert len(store) == len(known.entries)
        compare(store, known, 3, where="n >= 2")
    compare(reader, known, 50)
    store.catch_up()
    compare(store, known, 7)
    assert {one.entry_id: one for one in store.entries()} == known.entries
    with engine.open(folder / "fresh", create={}) as fresh:
        stored(fresh, list(known.entries.values()))
        assert searched(fresh, 5, "n >= 2") == searched(reader, 5, "n >= 2")
        assert searched(fresh, 40) == searched(store, 40)
    store.close(), reader.close()


def test_what_add_tells(engine, tmp_path):
    asked = []

    def noted(texts):
        asked.extend(texts)
        return vectors_of(texts)

    with engine.open(tmp_path, create={}) as store:
        first = [Entry("a", "ice"), Entry("b", "ice"), Entry("c", "fire"), Entry("a", "sun")]
        assert list(store.add(first, noted)) == [Added(4, 3, 1, 0, 3)]
        again = [Entry("a", "sun"), Entry("b", "ice", {"n": 1}), Entry("c", "sun"), Entry("d", "moon")]
        assert list(store.add(again, noted)) == [Added(4, 1, 2, 1, 1)]
        assert asked == ["sun", "ice", "fire", "moon"]
        assert store.rows(["d", "none", "b"]) == [Entry("d", "moon"), Entry("b", "ice", {"n": 1})]
        assert list(store.add([], noted)) == []


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_what_add_tells_does_not_depend_on_parts(engine, tmp_path, batch):
    rows = [("a", "ice"), ("a", "ice"), ("b", "sun"), ("a", "sun"), ("b", "sun"), ("a", "ice"), ("c", "c")]
    with engine.open(tmp_path, create={}) as store:
        for counts in ((7, 3, 2, 2), (7, 0, 2, 5)):
            told = sum(store.add([Entry(*row) for row in rows], vectors_of, batch=batch), Added())
            assert (told.given, told.new, told.changed, told.unchanged) == counts


def test_words_are_scored_as_by_bm25(engine, tmp_path):
    given_ = ["ice melts", "the fire burns", "melts ice melts in the sun", "moon"]
    with engine.open(tmp_path, create={}) as store:
        stored(store, [Entry(str(place), text) for place, text in enumerate(given_)])
        scorer = Bm25.fit(given_)
        for hit in store.words(["ice melts the ice"], 10)[0]:
            [score] = scorer.score([("ice melts the ice", given_[int(hit.doc_id)])])
            assert hit.score == pytest.approx(score, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_queries_by_words_in_threads_find_what_single_ones_do(engine, tmp_path, monkeypatch, threads):
    monkeypatch.setattr(view, "cores", lambda: threads)
    draws = np.random.default_rng(0)
    texts = [" ".join(f"w{number}" for number in draws.integers(0, 40, size=6)) for _ in range(400)]
    with engine.open(tmp_path / "c", create={}) as store:
        stored(store, [Entry(f"e{number}", text) for number, text in enumerate(texts[:300])])
        store.remove(["e7"])
        stored(store, [Entry(f"l{number}", text) for number, text in enumerate(texts[300:])])
        queries = [*texts[:130], "", "nowhere"]
        assert store.words(queries, 10) == [store.words([query], 10)[0] for query in queries]


def test_an_analyser_stays_with_its_store(engine, tmp_path):
    with engine.open(tmp_path, create={"analyser": "english"}) as store:
        stored(store, [Entry("a", "melting ice"), Entry("b", "the sun")])
    with engine.open(tmp_path) as store:
        assert [hit.doc_id for hit in store.words(["it melts"], 5)[0]] == ["a"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (Entry("", "text"), "the id '' of an entry"),
        (Entry("a", " "), "the text ' ' of an entry"),
        (Entry("a", "half \ud800"), "half a character in the text"),
        (Entry("a", "text", {"x": {1}}), "the metadata of 'a' are no JSON object"),
        (Entry("a", "text", {"x": float("nan")}), "the metadata of 'a' hold nan"),
        (Entry("a", "text", {"x": [{"y": float("-inf")}]}), "the metadata of 'a' hold -inf"),
        (Entry("a", "text", {"x": 2**63}), "an integer of more than 64 bits"),
        (Entry("a", "text", {"x": {"y": [-(2**63) - 1]}}), "an integer of more than 64 bits"),
        (Entry("a", "text", {"x": 10**5000}), "an integer of more than 64 bits"),
        (Entry("a", "text", {3: 1}), "the name '3', which is not a text"),
        (Entry("a", "text", {"x": {1: 2, "1": 3}}), "the name '1', which is not a text"),
        (Entry("a", "text", {'x"': 1}), "have the name"),
        (Entry("a", "text", 3), "are no mapping"),
    ],
)
def test_entries_that_can_not_be_stored(engine, tmp_path, entry, told):
    with engine.open(tmp_path, create={}) as store:
        with pytest.raises(DataError, match=told):
            stored(store, [Entry("b", "ice"), entry])
        assert len(store) == 0


@pytest.mark.parametrize("wrong", [np.ones((1, 3)), np.ones((2, DIM)), np.full((1, DIM), np.inf)])
def test_vectors_that_can_not_be_stored(engine, tmp_path, wrong):
    with engine.open(tmp_path, create={}) as store:
        stored(store, [Entry("a", "ice")])
        with pytest.raises(DataError, match="vector"):
            list(store.add([Entry("b", "fire")], lambda texts: wrong))
        with pytest.raises(DataError) as error:
            store.nearest(np.ones((1, 3), dtype=np.float32), 1)
        assert error.value.value == (1, 3)
        assert len(store) == 1


def test_what_was_added_before_an_error_stays(engine, tmp_path):
    def entries():
        for number in range(10):
            yield Entry(str(number), f"text {number}")
        raise KeyboardInterrupt

    with engine.open(tmp_path, create={}) as store:
        with pytest.raises(KeyboardInterrupt):
            list(store.add(entries(), vectors_of, batch=4))
        assert len(store) == 8
        assert stored(store, (Entry(str(n), f"text {n}") for n in range(10))).new == 2


def test_batches_grow_where_vectors_come_fast(engine, tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("textkin.collection.store.writing.time.monotonic", lambda: clock[0])

    def slower(texts):
        clock[0] += len(texts) / 300  # seconds
        return vectors_of(texts)

    with engine.open(tmp_path, create={}) as store:
        given = (Entry(str(number), f"text {number}") for number in range(2000))
        assert [done.given for done in store.add(given, slower)] == [256, 512, 512, 512, 208]


def test_one_writer_at_a_time(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        adding = store.add([Entry("a", "ice"), Entry("b", "fire")], vectors_of, batch=1)
        next(adding)
        assert len(other) == 1
        if not engine.many_write:
            with pytest.raises(OutputError):
                other.remove(["a"], wait=0)
        else:  # each batch is whole, and others may come between
            assert (other.remove(["a"], wait=0), stored(other, [Entry("a", "ice")]).encoded) == (1, 1)
        assert list(adding) == [Added(1, 1, 0, 0, 1)]
        assert other.remove(["a"]) == 1
        assert len(store) == 1


def test_reading_is_of_one_moment(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as reader:
        stored(store, [Entry("a", "ice"), Entry("b", "ice")])
        with reader.reading():
            before = reader.words(["ice"], 5)
            store.remove(["a"])
            store.compact()
            assert reader.words(["ice"], 5) == before
            assert len(reader.rows(["a", "b"])) == 2
        assert [hit.doc_id for hit in reader.words(["ice"], 5)[0]] == ["b"]


def test_no_collection(engine, tmp_path):
    with pytest.raises(UsageError) as error:
        engine.open(tmp_path / "none")
    assert error.value.params == ("collection",)
    with pytest.raises(UsageError) as error:
        engine.open(tmp_path / "new", create={"analyser": "klingon"})
    assert error.value.params == ("analyser",)
    if engine.in_folders:
        (tmp_path / "collection.sqlite").write_bytes(b"no database" * 100)
        with pytest.raises(DataError, match="no collection"):
            engine.open(tmp_path)


def test_nothing_is_found_in_an_empty_store(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        assert store.words(["ice"], 3) == store.nearest(np.ones((1, 3), dtype=np.float32), 3) == [[]]
        stored(store, [Entry("a", "ice")])
        store.remove(["a"])
        assert store.words(["ice"], 3) == store.nearest(np.ones((1, 4), dtype=np.float32), 3) == [[]]
        store.compact()
        assert store.words(["ice"], 3) == [[]]


def test_texts_that_are_compared_with_numbers(engine, tmp_path):
    values = [9.99, "19.90", "5.00", "n/a", "19,90", True]
    with engine.open(tmp_path, create={}) as store:
        entries = [Entry(str(number), "ice", {"price": value}) for number, value in enumerate(values)]
        stored(store, [*entries, Entry("x", "ice")])
        [found] = store.filter_notes("price < 20 or price in (1) or price = 'n/a'")
        assert (found.name, found.values, found.texts) == ("price", 6, 2)
        assert found.example in ("n/a", "19,90")
        assert store.filter_notes("price = 'n/a' or price = true") == ()
        assert [one.entry_id for one in store.entries(where="price < 20")] == ["0", "1", "2"]
        assert store.remove(where="price < 20") == 3
        assert len(store) == 4 and store.filter_notes("price < 7")[0].values == 3


def test_names_that_no_entry_has(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        stored(store, [Entry("a", "ice", {"year": 2020, "lang": "en"}), Entry("b", "fire", {"year": 2021})])
        found = store.filter_notes('yaer > 3 and lang = "en" and not (x in (1) or z exists)')
        assert [(one.name, one.values, one.texts) for one in found] == [("x", 0, 0), ("yaer", 0, 0)]
        for asked in (
            "yaer != 2020",
            "not yaer = 2020",
            "yaer not in (1, 2)",
            'lang = "en" or not yaer < 3',
        ):
            with pytest.raises(UsageError) as error:
                store.remove(where=asked)
            assert error.value.params == ("where",)
        assert store.remove(where="yaer = 2020") == 0  # it takes out nothing
        assert store.remove(where='lang != "en"') == 1  # some have it
        assert store.remove(where="not yaer exists") == 1  # it reports that


def test_writing_in_writing(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        with store.writing():
            stored(store, [Entry("a", "ice")])
            store.note_fact("x", 1)
            with pytest.raises(OutputError):
                other.remove(["a"], wait=0)
        assert other.remove(["a"], wait=0) == 1


def test_a_closed_store_says_so(engine, tmp_path):
    store = engine.open(tmp_path, create={})
    store.close()
    for use in (store.__len__, lambda: store.remove(["a"]), lambda: store.words(["ice"], 1)):
        with pytest.raises(UsageError, match="is closed"):
            use()
    store.close()


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (Entry("a\0", "ice"), "a NUL character in the id"),
        (Entry("x" * 5000, "ice"), "an id of 5,000 bytes"),
        (Entry("a", "ice", {"x": "b\0"}), "hold a NUL character"),
        (Entry("a", "ice", {"x": deep(101)}), "more than 100 lists and objects"),
        (Entry("a", "ice", {"x": deep(5000)}), "more than 100 lists and objects"),
        (Entry("a", "ice", {"x": "\ud800"}), "half a character"),
        (Entry("a", "ice", {"\ud800": 1}), "half a character"),
    ],
)
def test_entries_that_would_break_searches(engine, tmp_path, entry, told):
    with engine.open(tmp_path, create={}) as store:
        with pytest.raises(DataError, match=told):
            stored(store, [Entry("b", "fire"), entry])
        assert len(store) == 0
        stored(store, [Entry("c", "ice", {"x": "\\u0000", "y": deep(99), "z": [2**63 - 1, -(2**63)]})])
        assert [one.metadata["z"] for one in store.entries()] == [[2**63 - 1, -(2**63)]]
        assert [one.metadata["x"] for one in store.entries(where="x exists")] == ["\\u0000"]
        with pytest.raises(UsageError) as error:
            store.remove([b"c"])
        assert error.value.params == ("ids",)
        with pytest.raises(UsageError) as error:
            store.remove(["\ud800"])
        assert (error.value.params, error.value.value) == (("ids",), "\ud800")
