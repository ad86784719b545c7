import copy
import dataclasses
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
import pytest

import textkin as tk
from tests.public_names import NAMES, public
from textkin.base.errors import MissingExtraError, UsageError
from textkin.base.results import Result, ResultRow, Summary, counted, with_interval
from textkin.data.records import LabelKind
from textkin.measures.intervals.bootstrap import Interval


@final
@dataclass(frozen=True, slots=True, repr=False)
class Found(Result):
    words: tuple[str, ...]

    def _rows(self) -> Iterator[ResultRow]:
        for place, word in enumerate(self.words):
            yield {"place": place, "word": word, "share": 1 / 3, "none": None}

    def _said(self) -> tuple[str, ...]:
        return (f"{len(self.words)} <words>",)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Done(Summary):
    written: int
    dropped: dict[str, int]

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields()


def test_a_result_prints_as_a_table():
    lines = str(Found(("one", "a\tb\n" + "c" * 99))).splitlines()
    assert lines[0].split() == ["place", "word", "share", "none"]
    assert lines[2].split() == ["0", "one", "0.3333"]
    assert "a b cc" in lines[3]
    assert lines[3].split()[-2].endswith("c...")
    assert lines[-1] == "2 <words>"


def test_a_long_result_prints_its_beginning():
    found = Found(tuple(map(str, range(30))))
    assert "... and 10 more rows" in str(found)
    assert len(str(found).splitlines()) == 24
    assert len(found.rows()) == 30
    assert repr(found) == "<Found: 30 rows>"
    assert str(Found(())).splitlines()[0] == "no rows"


def test_ids_are_printed_as_they_are():
    class Numbered(Result):
        def _rows(self) -> Iterator[ResultRow]:
            yield {"id": 1168, "kept_id": 2200, "id_a": 3000, "count": 4000}

    assert str(Numbered()).splitlines()[2].split() == ["1168", "2200", "3000", "4,000"]


def test_an_account_prints_downwards():
    done = Done(12345, {"too short": 3, "empty": 0})
    assert [line.split(maxsplit=1) for line in str(done).splitlines()[2:]] == [
        ["written", "12,345"],
        ["dropped", "3 too short"],
    ]
    assert done.rows() == [{"written": 12345, "dropped": "3 too short"}]


def test_a_notebook_gets_escaped_html():
    html = Found(("<script>alert(1)</script>",))._repr_html_()
    assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in html
    assert "<script>" not in html
    assert "<p>1 &lt;words&gt;</p>" in html


def test_what_steers_a_terminal_is_shown_as_an_escape():
    shown = str(Found(("red \x1b[31m", "back \u202e wards")))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"red \x1b[31m" in shown


def test_rows_become_a_data_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = Found(("one", "two")).to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["place", "word", "share", "none"]
    assert list(table["word"]) == ["one", "two"]


@pytest.mark.parametrize(
    ("call", "some", "none"),
    [
        (tk.mine, {"threshold": 0.1}, {"threshold": 1}),
        (tk.dedupe, {"threshold": 0.1}, {"threshold": 1}),
        (tk.search, {"queries": "when", "mode": "words"}, {"queries": "elsewhere", "mode": "words"}),
        (tk.match, {"new": ["when"]}, {"new": []}),
        (lambda texts, some: tk.score(texts[:some], texts[:some]), {"some": 2}, {"some": 0}),
    ],
    ids=lambda call: getattr(call, "__name__", None),
)
def test_a_frame_without_rows_has_the_same_columns(call, some, none):
    texts = ["When do you open?", "When do you close?"]
    some, none = call(texts, **some).to_pandas(), call(texts, **none).to_pandas()
    assert len(some) > 0 == len(none) and list(none) == list(some)


def test_pandas_makes_a_frame_of_any_result_and_a_column_of_none_but_columns():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    found, pairs = Found(("one", "two")), tk.score(["one", "two"], ["one", "three"])
    assert pandas.DataFrame(found).equals(found.to_pandas())
    frame = pandas.DataFrame({"s": pairs})
    assert (frame.s.dtype, frame.s.tolist()) == ("float32", pairs.scores.tolist())
    with pytest.raises(UsageError):
        frame["found"] = found


def test_a_column_is_an_array_in_all_but_its_rows():
    pairs = tk.score(["one", "two"], ["one", "three"])
    assert (pairs.mean(), pairs.argmax(), pairs.dtype) == (pairs.scores.mean(), 0, np.float32)
    assert pairs[:1].mean() == pairs[0] == pairs.scores[0]
    assert pairs.round(1).tolist() == pairs.scores.round(1).tolist() == np.round(pairs, 1).tolist()
    assert pickle.loads(pickle.dumps(pairs)).tolist() == copy.deepcopy(pairs).tolist() == list(pairs)
    for strange, name in ((pairs, "no_such_name"), (Found(()), "to_csv"), (Found(()), "mean")):
        with pytest.raises(AttributeError, match=name):
            getattr(strange, name)


def test_mined_pairs_are_triples():
    mined = tk.mine(["b", "a", "b"], embeddings=np.eye(3, dtype=np.float32)[[0, 1, 0]])
    assert next(iter(mined.pairs)) == (0, 2, 1.0)
    assert [score for _, _, score in mined.pairs] == [row.score for row in mined]


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError):
        Found(()).to_pandas()


def test_a_figure_becomes_three_columns():
    assert with_interval("AP", Interval(0.5, 0.4, 0.6, 9)) == {"AP": 0.5, "AP low": 0.4, "AP high": 0.6}
    assert with_interval("AP", None) == {"AP": None, "AP low": None, "AP high": None}
    assert counted({"empty": 2, "long": 0}) == "2 empty"


def test_the_records_and_mined_pairs_are_results():
    pairs = tk.PairSet((tk.Pair("a", "b", 1.0),), LabelKind.CLASSES, classes=("no", "yes"))
    assert pairs.rows() == [{"a": "a", "b": "b", "label": "yes"}]
    assert repr(pairs) == "<PairSet: 1 row>"
    mined = tk.mine(["b", "a", "b"], embeddings=np.eye(3, dtype=np.float32)[[0, 1, 0]])
    assert mined.rows()[0] == {"score": 1.0, "id_a": 0, "id_b": 2, "text_a": "b", "text_b": "b"}
    assert repr(mined) == "<MinedPairs: 3 texts, 2 pairs, threshold -1>"


def _results() -> list[type]:
    tried = [public(name) for name in NAMES]
    return [one for one in tried if isinstance(one, type) and issubclass(one, Result) and one is not Result]


@pytest.mark.torch
def test_every_result_of_a_verb_is_one():
    names = {one.__name__ for one in _results()}
    assert names >= {
        *("Calibrated", "Certificate", "Codes", "Deduped", "Diagnosis", "Distilled"),
        *("Measured", "MeasuredSuite", "MinedPairs", "Negatives", "StudyResult", "Verified"),
    }
    for one in _results():
        assert dataclasses.is_dataclass(one)
        assert one.__repr__ is Result.__repr__, one


def test_rows_become_a_frame_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["one", "two"], "b": ["two", "two"]})
    scores = tk.score(frame["a"], frame["b"])
    assert scores.to_polars().columns == ["text_a", "text_b", "score"]
    assert frame.with_columns(score=scores.to_numpy())["score"][1] == 1
    assert tk.score(frame.lazy()).rows() == scores.rows()
    assert polars.Series(scores).to_list() == scores.tolist()
    assert polars.DataFrame(Found(("one", "two")))["word"].to_list() == ["one", "two"]
    folders = tk.list_models().to_polars()["folder"]
    assert folders.dtype == polars.String and Path(folders[0]).name == "default"
    with pytest.raises(UsageError):
        tk.mine(["one", "two"], threshold=0).to_numpy()


@pytest.mark.parametrize("place", ["score", [True], np.array([True, False])], ids=["name", "list", "mask"])
def test_rows_have_numbers(place):
    with pytest.raises(TypeError, match="rows have numbers"):
        tk.mine(["When do you open?", "When do you close?"], top=1)[place]
