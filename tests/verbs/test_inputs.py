from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.base.frames import Records
from textkin.data.readers import TextReading
from textkin.verbs.inputs import given_vectors, text_reading, texts_from

TEXTS = ["one text", "two texts", "three texts"]
ROWS = Records({"key": key, "subject": text, "votes": 1} for key, text in zip("abc", TEXTS, strict=True))


def frame(library):
    module = pytest.importorskip(library)
    if library == "pyarrow":
        return module.Table.from_pylist(ROWS)
    return module.DataFrame(ROWS)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_a_frame_are_chosen_by_name(library):
    found = texts_from(frame(library), TextReading(text="subject", id="key"))
    assert (list(found.texts), list(found.ids)) == (TEXTS, ["a", "b", "c"])


def test_columns_of_a_frame_may_have_numbers_for_names():
    numbered = frame("pandas").set_axis([0, 1, 2], axis="columns")
    found = texts_from(numbered, text_reading(1, 0, "auto", None))
    assert (list(found.texts), list(found.ids)) == (TEXTS, ["a", "b", "c"])


def test_rows_as_dictionaries_have_columns():
    found = texts_from(ROWS, TextReading(text="subject", id="key"))
    assert (list(found.texts), list(found.ids)) == (TEXTS, ["a", "b", "c"])


def test_without_a_column_of_ids_pandas_index_counts():
    table = frame("pandas").set_index("key")
    for data, column in ((table, "subject"), (table["subject"], None), (table[["subject"]], None)):
        found = texts_from(data, TextReading(text=column))
        assert (list(found.texts), list(found.ids)) == (TEXTS, ["a", "b", "c"])
        assert found.index is data.index


def test_texts_without_names_are_known_by_their_places():
    for data in (TEXTS, tuple(TEXTS), iter(TEXTS)):
        found = texts_from(data, TextReading())
        assert (list(found.texts), list(found.ids), found.index) == (TEXTS, [0, 1, 2], None)


@pytest.mark.parametrize(
    ("data", "options", "param"),
    [
        (ROWS, {"text": "subjct"}, "text"),
        (ROWS, {"text": "subject,vote"}, "text"),
        (ROWS, {"text": "subject", "id": "kee"}, "id"),
        (TEXTS, {"text": "subject"}, "text"),
        (TEXTS, {"id": "key"}, "id"),
    ],
)
def test_a_column_that_cannot_be_meant_is_refused(data, options, param):
    with pytest.raises(UsageError) as error:
        texts_from(data, TextReading(**options))
    assert error.value.params == (param,)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", None])
def test_the_column_is_the_one_that_a_file_would_have(library, capsys):
    data = ROWS if library is None else frame(library)
    assert list(texts_from(data, TextReading()).texts) == TEXTS
    assert "column 2 'subject'" in capsys.readouterr().err


def test_a_column_called_text_needs_no_note(capsys):
    rows = Records({"title": "x", "text": text} for text in TEXTS)
    assert list(texts_from(rows, TextReading()).texts) == TEXTS
    assert capsys.readouterr().err == ""


def test_of_two_unknown_columns_none_is_taken():
    rows = Records({"one": "a b", "other": "c d"} for _ in TEXTS)
    with pytest.raises(DataError):
        texts_from(rows, TextReading())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", None])
@pytest.mark.parametrize("columns", [["key", "subject"], ("key", "subject"), "key,subject"])
def test_several_columns_are_joined_as_in_a_file(library, columns):
    data = ROWS if library is None else frame(library)
    found = texts_from(data, text_reading(columns, None, "auto", None))
    assert list(found.texts) == ["a one text", "b two texts", "c three texts"]


def test_cells_of_other_types_are_joined_as_a_file_has_them(tmp_path):
    columns = {
        "subject": ["one", "two"],
        "day": pd.to_datetime(["2024-01-01", "2024-02-01"]),
        "share": np.array([0.1, 0.2], dtype=np.float32),
        "votes": [3, 4],
    }
    data = pd.DataFrame(columns)
    reading = text_reading("subject,day,share,votes", None, "auto", None)
    data.to_csv(tmp_path / "texts.csv", index=False)
    data.to_parquet(tmp_path / "texts.parquet")
    for given in (data, tmp_path / "texts.csv", tmp_path / "texts.parquet"):
        found = texts_from(given, reading).texts
        assert list(found) == ["one 2024-01-01 0.1 3", "two 2024-02-01 0.2 4"]
    for odd in (b"raw", ["p", "q"]):
        with pytest.raises(
            UsageError, match=r"^texts\['odd'\]\[0\] is .* expected a text, a number or a date"
        ):
            texts_from(pd.DataFrame({"a": ["x"], "odd": [odd]}), text_reading("a,odd", None, "auto", None))


def test_missing_and_blank_cells_are_left_out_of_joined_texts():
    rows = Records([{"title": None, "body": "one"}, {"title": " ", "body": "two"}])
    assert list(texts_from(rows, text_reading(["title", "body"], None, "auto", None)).texts) == ["one", "two"]
    with pytest.raises(UsageError):
        texts_from(Records([{"title": None, "body": None}]), text_reading("title,body", None, "auto", None))


def test_rows_without_an_index_have_the_ids_of_their_column():
    rows = Records({"id": key, "text": text} for key, text in zip("abc", TEXTS, strict=True))
    assert list(texts_from(rows, TextReading()).ids) == ["a", "b", "c"]
    assert list(texts_from(pytest.importorskip("pandas").DataFrame(rows), TextReading()).ids) == [0, 1, 2]


@pytest.mark.parametrize("cells", [TEXTS, tuple(TEXTS), np.array(TEXTS), pd.Series(TEXTS)])
def test_a_mapping_of_columns_is_none_of_ids(cells):
    with pytest.raises(UsageError) as error:
        texts_from({"nr": [1, 2, 3], "subject": cells}, TextReading(), name="texts")
    assert (error.value.params, "texts['nr']" in str(error.value)) == (("texts",), True)
    with pytest.raises(UsageError):
        texts_from({"subject": cells}, TextReading())


def test_a_mapping_gives_texts_by_their_ids():
    texts = {"x": "How do I park?", "y": "Where can I park?", 7: "When do you open?"}
    found = texts_from(texts, TextReading())
    assert list(found.texts) == list(texts.values()) and list(found.ids) == ["x", "y", 7]
    assert tk.mine(texts, top=1)[0].id_b == "y"
    assert tk.search(texts, "open", k=1)[0].id == 7
    with pytest.raises(UsageError) as error:
        tk.dedupe(texts, id="x")
    assert error.value.params == ("id",)


@pytest.mark.parametrize("name", ["tfidf", "bm25(k1=0.9)"])
def test_a_baseline_is_no_model_to_load(name):
    with pytest.raises(tk.TextkinError) as error:
        tk.load(name)
    assert error.value.value == name and "score" in (error.value.fix or "")


def test_verbs_of_texts_take_the_dictionary_of_beir(tmp_path):
    corpus = {
        "d1": {"title": "Parking", "text": "where to park"},
        "d2": {"title": "", "text": "opening hours"},
    }
    rows = [{"_id": key, **row} for key, row in corpus.items()]
    assert tk.search(corpus, "park", k=1)[0].id == "d1"
    assert (tk.encode(corpus) == tk.encode(rows)).all() and len(tk.encode(corpus)) == 2
    assert tk.add(tmp_path / "notes", corpus).rows()[0]["new"] == 2
    assert tk.search(tmp_path / "notes", "hours", k=1)[0].id == "d2"
    found = tk.classify(corpus, [("park", "a"), ("hours", "b")])
    assert [row.id for row in found.rows()] == ["d1", "d2"]


@pytest.mark.parametrize(
    ("quoting", "encoding", "params"),
    [
        ("none", None, ("quoting",)),
        ("auto", "cp1252", ("encoding",)),
        ("csv", "utf-16", ("quoting", "encoding")),
    ],
)
def test_options_of_files_need_one(quoting, encoding, params):
    with pytest.raises(UsageError, match="data in memory") as error:
        text_reading(None, None, quoting, encoding, ["a text"], None)
    assert error.value.params == params
    for one in ("texts.csv", Path("texts.csv")):
        assert text_reading(None, None, quoting, encoding, ["a text"], one).encoding == encoding


@pytest.mark.parametrize("form", ["frame", "series"])
def test_vectors_with_an_index_are_in_the_order_of_the_texts(form):
    texts = pd.Series(TEXTS, index=[7, 8, 9])
    vectors = pd.DataFrame(np.eye(3, dtype=np.float32), index=texts.index)
    given = vectors if form == "frame" else pd.Series(list(vectors.to_numpy()), index=texts.index)
    assert given_vectors(given, texts).tolist() == np.eye(3).tolist()
    assert given_vectors(given.reset_index(drop=True), texts).shape == (3, 3)
    with pytest.raises(UsageError, match="another order") as error:
        given_vectors(given.iloc[[1, 0, 2]], texts)
    assert error.value.params == ("embeddings",)
    with pytest.raises(UsageError) as error:
        tk.mine(texts, against=texts, embeddings=given, against_embeddings=given.iloc[[1, 0, 2]], top=1)
    assert error.value.params == ("against_embeddings",)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_vectors_may_be_a_column_of_lists(library):
    rows = [[1.0, 0.5], [0.0, 1.0]]
    module = pytest.importorskip(library)
    column = module.chunked_array([rows[:1], rows[1:]]) if library == "pyarrow" else module.Series(rows)
    assert given_vectors(column, TEXTS[:2]).tolist() == rows


TWICE = pd.DataFrame({"text": ["a red car", "a red car", "snow"]}, index=[1, 1, 2])
"""As after ``pd.concat``: no label names a row."""


@pytest.mark.parametrize("texts", [TWICE, TWICE["text"]])
@pytest.mark.parametrize(
    "call",
    [
        lambda texts, _: tk.mine(texts, model="tfidf", threshold=0.7),
        lambda texts, out: tk.mine(texts, model="tfidf", threshold=0.7, out=out / "pairs.csv"),
        lambda texts, _: tk.mine(["a red car"], against=texts, model="tfidf", threshold=0.7),
        lambda texts, _: tk.dedupe(texts, model="tfidf", threshold=0.7),
        lambda texts, out: tk.dedupe(texts, model="tfidf", threshold=0.7, out=out / "run"),
        lambda texts, _: tk.cluster(texts, model="tfidf", threshold=0.7),
        lambda texts, _: tk.search(texts, "red car", mode="words"),
        lambda texts, _: tk.match(texts, "red car", threshold=0.7),
        lambda texts, _: tk.answer("red?", texts, "tfidf"),
    ],
)
def test_ids_that_name_several_texts_are_refused(call, texts, tmp_path):
    with pytest.raises(UsageError, match="names one text alone") as error:
        call(texts, tmp_path)
    assert error.value.value == "1" and error.value.fix is not None and "reset_index" in error.value.fix
    assert not list(tmp_path.iterdir())


def test_ids_that_a_result_does_not_name_may_come_twice():
    assert len(tk.search(["a red car", "snow"], TWICE["text"], mode="words").hits) == 3


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_an_id_that_is_missing_is_refused(missing):
    texts = pd.DataFrame({"id": ["a", missing, "c"], "text": ["a red car", "a blue car", "snow"]})
    for verb in (tk.mine, tk.dedupe, tk.cluster):
        with pytest.raises(UsageError) as error:
            verb(texts, model="tfidf", threshold=0.7, id="id")
        assert error.value.params == ("id",)
