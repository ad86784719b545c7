import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import OutputError
from textkin.base.row_cache import RowCache


class Counting:
    """Rows that depend on the texts alone, with a count of the rows made."""

    def __init__(self, *, stop_after=None):
        self.made, self.stop_after = [], stop_after

    def __call__(self, asked):
        if self.stop_after is not None and len(self.made) >= self.stop_after:
            raise KeyboardInterrupt
        self.made += asked
        return np.array([[len(one), sum(map(len, one)), hash(one) % 97] for one in asked], dtype=np.float32)


def cache(path, model="m"):
    return RowCache(path, made_by={"model": model}, name=model)


def test_what_was_made_is_taken(tmp_path, capsys):
    make, path = Counting(), tmp_path / "new" / "rows.cache"
    first = cache(path).rows([("a",), ("b",)], make, width=3)
    known = cache(path)
    again = known.rows([("b",), ("c", "d"), ("a",)], make, width=3)
    assert make.made == [("a",), ("b",), ("c", "d")]
    np.testing.assert_array_equal(again[[2, 0]], first)
    np.testing.assert_array_equal(again, Counting()([("b",), ("c", "d"), ("a",)]))
    known.rows([("a",), ("e",)], make, width=3)
    assert capsys.readouterr().err.count(f"m: rows that were computed before are taken from {path}") == 1
    assert cache(path).rows([], make, width=3).shape == (0, 3)


def test_each_model_has_rows_of_its_own(tmp_path):
    path, make = tmp_path / "rows.cache", Counting()
    for model in ("m", "n"):
        cache(path, model).rows([("a",)], make, width=3)
    assert make.made == [("a",)] * 2
    cache(path).rows([("a",)], lambda asked: np.ones((1, 2), dtype=np.float32), width=2)  # of another width
    assert cache(path).rows([("a",)], make, width=2).tolist() == [[1, 1]]


def test_a_stop_costs_one_part(tmp_path, monkeypatch):
    monkeypatch.setattr("textkin.base.row_cache._PART", 3)
    asked = [(str(number),) for number in range(10)]
    stopped = Counting(stop_after=6)
    with pytest.raises(KeyboardInterrupt):
        cache(tmp_path / "c").rows(asked, stopped, width=3)
    make = Counting()
    found = cache(tmp_path / "c").rows(asked, make, width=3)
    assert make.made == asked[6:]
    np.testing.assert_array_equal(found, Counting()(asked))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple), unique=True))
def test_any_texts_are_told_apart(tmp_path_factory, asked):
    path, make = tmp_path_factory.mktemp("any") / "c", Counting()
    half = cache(path).rows(asked[::2], make, width=3)
    found = cache(path).rows(asked, make, width=3)
    np.testing.assert_array_equal(found[::2], half)
    np.testing.assert_array_equal(
        found, np.concatenate([np.empty((0, 3)), *(Counting()([one]) for one in asked)])
    )


def test_files_of_another_kind_stay_as_they_are(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and no database\n" * 99)
    with pytest.raises(OutputError):
        cache(path)
    assert path.read_text().startswith("these are notes")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE mine (a)")
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(OutputError):
        cache(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before
    with pytest.raises(OutputError):
        cache(tmp_path)


def test_a_full_disk_is_said(tmp_path, monkeypatch):
    class Small(sqlite3.Connection):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            self.execute("PRAGMA max_page_count = 4")

    kept = cache(tmp_path / "c")
    monkeypatch.setattr("textkin.base.row_cache.sqlite3.connect", Small)
    with pytest.raises(OutputError):
        kept.rows([(str(number),) for number in range(2000)], Counting(), width=3)
