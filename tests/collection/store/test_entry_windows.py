"""A store of texts in windows equals a dict, with each entry scored by its best window."""

import shutil
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.collection.store.conftest import Engine
from tests.collection.store.making import exact, folder_for_commits, vector_of, vectors_of
from tests.reference.remembering import Remembered
from textkin.base.errors import DataError, UsageError
from textkin.collection.store import segment_file as caches
from textkin.collection.store import view
from textkin.collection.store.check_and_repair import check_collection, repair_collection
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Added, Entry

IDS = [f"t{number}" for number in range(20)]
WORDS = ["ice", "melts", "fire", "burns", "über", "sun", "moon", "salt"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
entries = st.builds(Entry, st.sampled_from(IDS), texts, st.fixed_dictionaries({"n": st.integers(0, 3)}))
steps = st.one_of(
    st.tuples(st.just("add"), st.lists(entries, min_size=1, max_size=12)),
    st.tuples(st.just("remove"), st.lists(st.sampled_from(IDS), min_size=1, max_size=6)),
    st.tuples(st.sampled_from(["remove where", "compact", "reopen", "lose cache", "look"]), st.none()),
)
QUERIES = np.array([[1, 0, 0, 1], [0, 1, -1, 0], [1, 1, 1, -1], [0, 0, 0, 0]], dtype=np.float32)
LONG = {f"t{number}": f"number {number} " + "ice fire sun " * (number % 5) for number in range(120)}


@pytest.fixture(autouse=True)
def _small_files(monkeypatch):
    monkeypatch.setattr(caches, "WORTH_A_FILE", 12)
    monkeypatch.setattr(view, "_MOST_PARTS", 2)
    monkeypatch.setattr(view, "_MOST_ROWS", 40)


def spans_of(text):
    """Windows of three words, each overlapping the next by one."""
    words, ends, at = text.split(" "), [], 0
    for word in words:
        ends.append((at, at + len(word)))
        at += len(word) + 1
    starts = range(0, max(len(words) - 1, 1), 2)
    return [(ends[first][0], ends[min(first + 2, len(words) - 1)][1]) for first in starts]


def windows_of(given_):
    return [spans_of(text) for text in given_]


def stored(store, given_, **options):
    return sum(store.add(given_, vectors_of, windows_of=windows_of, **options), Added())


def compare(store, known, k, where=None):
    """Check that a store finds the entries with the best windows, against a full scan."""

    def allowed(metadata):
        return where is None or metadata.get("n", -1) >= 2

    for query, hits in zip(QUERIES, store.nearest(QUERIES, k, where=where), strict=True):
        scores = {}
        for name, one in known.entries.items():
            parts = Remembered()
            parts.add(
                Entry(str(place), one.text[start:end], one.metadata)
                for place, (start, end) in enumerate(spans_of(one.text))
            )
            if found := parts.nearest(query, vector_of, allowed):
                scores[name] = max(found.values())
        assert [(hit.doc_id, hit.score) for hit in hits] == exact(scores, k)
    there = store.windows(list(known.entries))
    assert there.keys() == known.entries.keys()
    for name, one in known.entries.items():
        spans = spans_of(one.text)
        assert there[name].spans == (tuple(spans) if len(spans) > 1 else ())
        pieces = [one.text[start:end] for start, end in spans]
        assert np.array_equal(there[name].vectors, vectors_of(pieces))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sqlite", "memory", "own"])
@given(steps=st.lists(steps, max_size=12))
def test_a_store_with_windows_is_what_a_dict_would_be(name, steps):
    check_steps(Engine(name), steps)


@pytest.mark.slow
@settings(max_examples=12)  # a commit takes a server longer
@given(steps=st.lists(steps, max_size=12))
def test_a_store_with_windows_is_what_a_dict_would_be_in_postgres(postgres, steps):
    check_steps(Engine("postgres", postgres), steps)


def check_steps(engine, steps):
    with folder_for_commits() as folder:
        go_through(engine, folder, steps)


def go_through(engine, folder, steps):
    known = Remembered()
    store, reader = engine.open(folder, create={"windows": 3}), engine.open(folder)
    for step, given_ in steps:
        if step == "add":
            known.add(given_)
            stored(store, given_, batch=5)
        elif step == "remove":
            store.remove(given_)
            known.remove(given_)
        elif step == "remove where":
            store.remove(where="n = 1")
            known.remove([name for name, one in known.entries.items() if one.metadata["n"] == 1])
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
        compare(store, known, 4, where="n >= 2")
    compare(reader, known, 50)
    store.catch_up()
    compare(store, known, 7)
    assert {one.entry_id: one for one in store.entries()} == known.entries
    assert store.in_windows() == sum(len(spans_of(one.text)) > 1 for one in known.entries.values())
    health = engine.check(folder)
    assert not health.database and (not health.cache or not (folder / "cache").exists())
    store.close(), reader.close()


def long_collection(engine, folder):
    with engine.open(folder, create={"windows": 3, "model": {"name": "m"}}) as store:
        return stored(store, [Entry(*item) for item in LONG.items()], batch=32)


def found(engine, folder):
    with engine.open(folder) as store:
        return [[(hit.doc_id, hit.score) for hit in hits] for hits in store.nearest(QUERIES, 40)]


def test_what_add_tells_of_windows(engine, tmp_path):
    done = long_collection(engine, tmp_path)
    several = [len(spans_of(text)) for text in LONG.values() if len(spans_of(text)) > 1]
    assert (done.new, done.encoded, done.windows) == (120, 120, sum(several))
    with engine.open(tmp_path) as store:
        asked = []

        def noted(pieces):
            asked.extend(pieces)
            return vectors_of(pieces)

        again = [Entry("copy", LONG["t7"]), Entry("t7", LONG["t7"], {"n": 1}), Entry("t8", "new")]
        list(store.add(again, noted, windows_of=windows_of))
        assert asked == ["new"]
        there = store.windows(["copy", "t7", "t8", "none"])
        assert there.keys() == {"copy", "t7", "t8"} and there["copy"].spans == tuple(spans_of(LONG["t7"]))
        assert np.array_equal(there["copy"].vectors, there["t7"].vectors)
        assert (store.window, store.in_windows()) == (3, len(several))  # one more, and one fewer


def test_texts_come_in_the_way_that_was_chosen(engine, tmp_path):
    with (
        engine.open(tmp_path / "a", create={"windows": 3}) as store,
        pytest.raises(UsageError, match="has windows, and texts come in another way"),
    ):
        list(store.add([Entry("a", "ice")], vectors_of))
    with engine.open(tmp_path / "b", create={}) as store:
        with pytest.raises(UsageError, match="one vector for each text"):
            stored(store, [Entry("a", "ice")])
        assert (store.window, store.in_windows()) == (0, 0)


def test_what_is_damaged_of_windows_is_told_and_made_again(tmp_path):
    folder = tmp_path / "c"
    long_collection(Engine("sqlite"), folder)
    expected = found(Engine("sqlite"), folder)
    with sqlite3.connect(folder / "collection.sqlite") as other:
        other.execute("UPDATE windows SET spans = zeroblob(32) WHERE number = 5")
        other.execute("UPDATE vectors SET vector = substr(vector, 1, 16) WHERE number = 10")
        other.execute("DELETE FROM windows WHERE number = 15")
        other.execute("UPDATE vectors SET vector = zeroblob(16) WHERE number = 20")
    other.close()
    problems = " ".join(check_collection(folder).database)
    for number, what in ((5, "windows of row 5 are"), (10, "vector of row 10 is"), (15, "windows of row 15")):
        assert what in problems, number
    assert "the vector of row 20 is" in problems
    with open_store(folder) as store, pytest.raises(DataError, match="the windows of row 5 are"):
        store.windows(["t4"])
    with pytest.raises(DataError) as error:
        repair_collection(folder)
    assert error.value.value == 4
    saved = repair_collection(folder, vectors_of, windows_of=windows_of)
    assert (saved.count, saved.lost, saved.encoded) == (120, 0, 4)
    assert not check_collection(folder).database and found(Engine("sqlite"), folder) == expected
    with open_store(folder) as store:
        assert store.window == 3 and store.windows(["t4"])["t4"].spans == tuple(spans_of(LONG["t4"]))


def test_flipped_bits_of_the_cache_of_windows_cost_time_only(tmp_path):
    long_collection(Engine("sqlite"), tmp_path)
    expected = found(Engine("sqlite"), tmp_path)
    for path in (tmp_path / "cache").glob("*.segment"):
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 4
        path.write_bytes(content)
    assert check_collection(tmp_path).cache
    assert found(Engine("sqlite"), tmp_path) == expected
    repair_collection(tmp_path)
    assert not check_collection(tmp_path).cache and found(Engine("sqlite"), tmp_path) == expected


def add(store, *given_):
    return sum(store.add(given_, vectors_of), Added())


@pytest.mark.parametrize(("other", "fix"), [(1, "add the texts to a new one"), (3, "use a newer textkin")])
def test_another_format_is_refused(engine, other, fix, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        store.note_fact("format", other)
    with pytest.raises(DataError, match=f"format {other}, expected 2; {fix}"):
        engine.open(tmp_path)
