"""Pairs and other rows from Python, and as a temporary file."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.base.frames import Records
from textkin.data.readers import Reading, load, load_pairs
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.verbs.pair_inputs import (
    given_pairs,
    in_memory,
    pair_reading,
    pairs_and_model,
    pairs_file,
    pairs_from,
    roles_of,
)

ROWS = [("one", "two", 1.0), ("three", "four", 0.0)]
COLUMNS = {"left": ["one", "three"], "right": ["two", "four"], "same": [1, 0], "votes": [5, 6]}
ROLES = {"a": "left", "b": "right", "label": "same"}


def triples(pairs):
    return [(pair.a, pair.b, pair.label) for pair in pairs.pairs]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", None, "records"])
def test_pairs_come_from_all_tables(library):
    if library is None:
        data = COLUMNS
    elif library == "records":
        data = Records(pd.DataFrame(COLUMNS).to_dict("records"))
    else:
        module = pytest.importorskip(library)
        data = module.table(COLUMNS) if library == "pyarrow" else module.DataFrame(COLUMNS)
    found = given_pairs(data, ROLES, "dev")
    assert (triples(found), found.name) == (ROWS, "dev")


def test_columns_in_order_are_two_texts_and_a_label():
    assert triples(given_pairs(pd.DataFrame(ROWS), [0, 1, 2])) == ROWS
    assert roles_of(("q1", "q2")) == {"a": "q1", "b": "q2"}
    with pytest.raises(UsageError):
        roles_of(["q1"])


def test_columns_may_have_numbers_for_names():
    assert triples(given_pairs(pd.DataFrame(ROWS), {"a": 0, "b": "1", "label": 2})) == ROWS


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("question1", "question2", "is_duplicate"),
        ("text_1", "text_2", "label"),
        ("Sentence A", "Sentence B", "score"),
        ("title_x", "title_y", "same"),
        ("text", "text_pair", "label"),
        ("#1 String", "#2 String", "Quality"),
    ],
)
def test_columns_with_known_names_may_stand_among_others(tmp_path, a, b, label):
    table = pd.DataFrame(ROWS, columns=[a, b, label])
    table.insert(0, "id", [7, 8])
    table["note"] = ["x y", "z"]
    table.to_csv(tmp_path / "pairs.csv", index=False)
    found = given_pairs(table, None)
    assert triples(found) == triples(load_pairs(tmp_path / "pairs.csv").data) == ROWS
    assert pairs_from(table, None, Reading()).pairs == [row[:2] for row in ROWS]


def test_known_names_count_before_the_order():
    table = pd.DataFrame({"label": [1, 0], "text2": ["two", "four"], "text1": ["one", "three"]})
    assert triples(given_pairs(table, None)) == ROWS


def test_four_unknown_columns_are_told_apart_by_their_cells():
    table = pd.DataFrame(COLUMNS).rename(columns={"left": "first"})
    assert triples(given_pairs(table, None)) == ROWS
    table["right"] = ["no", "yes"]
    for read in (given_pairs, lambda data, _: pairs_from(data, None, Reading())):
        with pytest.raises(DataError):
            read(table, None)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", None])
@pytest.mark.parametrize(
    ("cells", "labels"),
    [([True, False], [1, 0]), ([1.0, 0.0], [1, 0]), (["no", "yes"], [0, 1]), ([3, 5], [None, None])],
)
def test_a_column_of_yes_and_no_is_the_label_beside_named_texts(library, cells, labels, capsys):
    data = {"nr": [7, 9], "q1": ["one", "three"], "q2": ["two", "four"], "is_dup": cells}
    if library is not None:
        make = pytest.importorskip(library)
        data = make.table(data) if library == "pyarrow" else make.DataFrame(data)
    assert [label for _, _, label in triples(given_pairs(data, None))] == labels
    assert ("label: column 4 'is_dup' (by its cells)" in capsys.readouterr().err) is (labels[0] is not None)


def test_two_columns_of_yes_and_no_are_no_label():
    data = pd.DataFrame({"q1": ["one", "three"], "q2": ["two", "four"], "x": [True, False], "y": [1, 1]})
    assert [label for _, _, label in triples(given_pairs(data, None))] == [None, None]
    assert triples(given_pairs(data, "label=x")) == ROWS


def test_lists_of_pairs_have_the_name_of_their_argument():
    found = given_pairs(ROWS, None, "test")
    assert (triples(found), found.name) == (ROWS, "test")


def test_paths_and_objects_stay_as_they_are():
    for data in ("pairs.tsv", None, object()):
        assert given_pairs(data, None) is data


@pytest.mark.parametrize(
    ("data", "options", "params"),
    [
        ([ROWS], {"columns": ROLES}, ("columns",)),
        ([COLUMNS, None], {"format": "csv", "encoding": "utf-8"}, ("format", "encoding")),
        ([ROWS], {"labels": "good", "split": "test"}, ("labels", "split")),
    ],
)
def test_reading_options_are_of_files_and_columns_of_tables(data, options, params):
    with pytest.raises(UsageError) as error:
        pair_reading(*data, **options)
    assert error.value.params == params


def test_one_file_is_enough_for_reading_options():
    reading = Reading(columns=ROLES, format="csv")
    assert pair_reading(COLUMNS, "dev.tsv", columns=ROLES, format="csv") == reading
    assert pair_reading(COLUMNS, None, columns=ROLES) == Reading()


def test_one_table_is_one_of_several():
    several = ROWS, COLUMNS, [ROWS, COLUMNS], "a.tsv", None
    assert [len(in_memory(one, "more")) for one in several] == [1, 1, 2, 1, 0]


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text.strip())


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(st.tuples(_TEXT, _TEXT, st.sampled_from([0, 1])), min_size=1))
def test_the_file_of_pairs_reads_back_the_same(rows):
    pairs = as_pairs(rows, name="mine")
    with pairs_file(pairs, None) as path:
        assert path.name == "mine.jsonl"
        read = load_pairs(path).data
    assert not path.exists()
    assert (read.texts, read.labels.tolist(), read.kind) == (pairs.texts, pairs.labels.tolist(), pairs.kind)


def test_ids_and_classes_are_kept():
    pairs = (Pair("a", "b", 0.0, "1", "2", 0), Pair("c", "d", 1.0, "3", "4", 1))
    given_ = PairSet(pairs, LabelKind.CLASSES, ("contradiction", "entailment"), "a/b")
    with pairs_file(given_, None) as path:
        read = load_pairs(path).data
        assert path.name == "a-b.jsonl"
    assert [(pair.id_a, pair.id_b) for pair in read] == [("1", "2"), ("3", "4")]
    assert [read.classes[int(pair.label)] for pair in read] == ["contradiction", "entailment"]


def test_a_frame_beside_a_file_is_read_by_the_same_columns(tmp_path):
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    reading = pair_reading(frame, tmp_path / "pairs.csv", columns=ROLES)
    for data in (frame, tmp_path / "pairs.csv"):
        with pairs_file(data, ROLES, reading=reading) as path:
            assert triples(load_pairs(path, reading=reading).data) == ROWS


def test_a_path_is_taken_as_it_is(tmp_path):
    with pairs_file(str(tmp_path / "x.tsv"), None) as path:
        assert path == tmp_path / "x.tsv"


CANDIDATES = pd.DataFrame(
    [
        ("q1", "one", "d1", "one here", 1),
        ("q1", "one", "d2", "two there", 0),
        ("q2", "two", "d1", "one here", 0),
        ("q2", "two", "d2", "two there", 0),
        ("q3", "three", "d1", "one here", 1),
        ("q3", "three", "d2", "two there", 1),
    ],
    columns=["qid", "query", "pid", "passage", "label"],
)


@pytest.mark.parametrize("questions", ["answered", "mixed", "all"])
def test_rows_of_candidates_keep_the_questions_that_their_file_keeps(questions, tmp_path):
    CANDIDATES.to_csv(tmp_path / "candidates.csv", index=False)
    read = load(tmp_path / "candidates.csv", reading=Reading(questions=questions)).data
    found = given_pairs(CANDIDATES, None, questions=questions)
    assert found.content() == read.content()
    assert [one.query_id for one in found] == [one.query_id for one in read]


def test_verbs_measure_a_frame_of_candidates_as_its_file(tmp_path):
    CANDIDATES.to_csv(tmp_path / "candidates.csv", index=False)
    options = {"baselines": ["order"], "resamples": 20, "rounds": 20}
    for questions in ("answered", "all"):
        frame, file = (
            tk.compare(data, "bm25", questions=questions, **options).rows()
            for data in (CANDIDATES, tmp_path / "candidates.csv")
        )
        assert [row["MAP"] for row in frame] == [row["MAP"] for row in file]


def test_records_of_candidates_stay_as_they_are_and_take_no_question_set():
    records = given_pairs(CANDIDATES, None)
    whole = tk.CandidateSet(records.queries, "candidates")
    assert given_pairs(whole, None, questions="answered") is whole
    for data in (whole, ROWS):
        with pytest.raises(UsageError) as error:
            given_pairs(data, None, questions="mixed")
        assert error.value.params == ("questions",)


@pytest.mark.parametrize(
    ("a", "b", "model"),
    [
        ([("a b", "a c")], "bm25", "bm25"),
        (("a b", "a c"), "bm25", "bm25"),
        (pd.DataFrame({"x": ["a b"], "y": ["a c"]}), "bm25", "bm25"),
        ("missing.tsv", "bm25", "bm25"),
    ],
)
def test_a_model_may_stand_right_after_pairs(a, b, model):
    one, other, chosen = pairs_and_model(a, b, "default")
    assert one is a and other is None and chosen == model


@pytest.mark.parametrize(
    ("a", "b"), [("a b", "bm25"), ("and/or", "either"), (("a", "b", "c"), "b"), (["a"], ["b"])]
)
def test_a_text_beside_texts_is_no_model(a, b, capsys):
    assert pairs_and_model(a, b, "default") == (a, b, "default") and capsys.readouterr().err == ""


def test_a_text_called_like_a_model_is_remarked_upon(capsys):
    assert pairs_and_model(["a", "b"], "bm25", "default") == (["a", "b"], "bm25", "default")
    assert "bm25" in capsys.readouterr().err


def test_nothing_but_a_model_stands_beside_pairs(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("a b\ta c\n")
    for pairs, b, model in [(str(file), "a text", "default"), ([("a", "b")], "bm25", "tfidf")]:
        with pytest.raises(UsageError) as error:
            pairs_and_model(pairs, b, model)
        assert error.value.params == ("b",)
    assert pairs_and_model(str(file), "bm25", "default") == (str(file), None, "bm25")
    assert pairs_and_model(str(file), "deflt", "default") == (str(file), None, "deflt")  # refused later


def test_candidates_are_scored_in_the_order_of_their_rows(tmp_path):
    """They are grouped by question; a column of scores belongs to the rows of the frame."""
    rows = [("q x", "q x", 1), ("b c", "q", 1), ("q x", " ", 0), ("q x", "z", 0), ("b c", "b", 0)]
    frame = pd.DataFrame(rows, columns=["query", "candidate", "label"], index=[7, 8, 9, 10, 11])
    texts = [(query, candidate) for query, candidate, _ in rows if candidate.strip()]
    found = pairs_from(frame, None, Reading())
    assert (found.pairs, found.rows, list(found.index)) == (texts, [1, 2, 4, 5], [7, 8, 10, 11])
    path = tmp_path / "candidates.csv"
    frame.to_csv(path, index=False)
    found = pairs_from(path, None, Reading())
    assert (found.pairs, found.rows, found.index) == (texts, [1, 2, 4, 5], None)


def test_candidates_of_a_question_without_a_right_one_are_scored(tmp_path):
    path = tmp_path / "candidates.csv"
    path.write_text("query,candidate,label\nq x,a,0\nq x,b,0\nb c,d,1\n")
    found = pairs_from(path, None, Reading())
    assert (found.pairs, found.rows) == ([("q x", "a"), ("q x", "b"), ("b c", "d")], [1, 2, 3])


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["label", "x", "y"], None),
        (["x", "is_duplicate", "y"], None),
        (["x", "y", "flag"], {"a": "x", "b": "y"}),
        (["flag", "x", "y"], {"label": "flag"}),
        (["label", "x", "y", "other"], {"a": "x", "b": "y"}),
    ],
)
def test_labels_of_a_frame_stay_labels_wherever_they_stand(names, columns):
    cells = {"x": ["one", "three"], "y": ["two", "four"], "other": ["five", "six"]}
    table = pd.DataFrame({name: cells.get(name, ["yes", "no"]) for name in names})
    assert triples(given_pairs(table, columns)) == ROWS
    assert pairs_from(table, None, Reading(columns=columns)).pairs == [row[:2] for row in ROWS]


@pytest.mark.parametrize(
    "names", [("_id", "text"), ("text", "label"), ("sentence", "score"), ("label", "id")]
)
@pytest.mark.parametrize("kind", ["frame", "file"])
def test_ids_or_labels_beside_one_text_are_no_text(names, kind, tmp_path):
    table = pd.DataFrame([("one", "yes"), ("three", "no")], columns=names)
    table.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(DataError, match="can't tell which columns are the two texts"):
        pairs_from(table if kind == "frame" else tmp_path / "table.csv", None, Reading())
    named = Reading(columns=dict(zip("ab", names, strict=True)))
    found = pairs_from(table if kind == "frame" else tmp_path / "table.csv", None, named)
    assert found.pairs == [("one", "yes"), ("three", "no")]


def test_known_ids_are_no_text_of_a_frame_with_three_columns():
    table = pd.DataFrame({"id": ["i7", "i8"], "x": ["one", "three"], "y": ["two", "four"]})
    assert [(pair.a, pair.b) for pair in given_pairs(table, None)] == [row[:2] for row in ROWS]


@pytest.mark.parametrize("columns", [{"query": "q"}, {"query": "q", "candidate": "c", "label": "good"}])
def test_columns_of_candidates_in_a_frame_are_those_of_its_file(tmp_path, columns):
    names = {"q": "q", "c": columns.get("candidate", "passage"), "good": columns.get("label", "label")}
    rows = {"q": ["one", "one", "two", "two"], "c": ["a b", "c d", "e f", "g h"], "good": [1, 0, 0, 1]}
    table = pd.DataFrame(rows).rename(columns=names)
    table.insert(0, "qid", [None, None, "7", "7"])
    table.to_csv(tmp_path / "rows.csv", index=False)
    reading = Reading(columns=columns, format="ranking")
    expected = load(tmp_path / "rows.csv", reading=reading).data
    assert [one.query_id for one in expected.queries] == ["one", "7"]
    assert given_pairs(table, columns).queries == expected.queries
    assert pairs_from(table, None, Reading(columns=columns)).pairs == [
        (one.query, text) for one in expected.queries for text in one.docs
    ]


def test_candidates_without_a_column_of_labels_are_refused():
    table = pd.DataFrame({"q": ["one", "one"], "c": ["a b", "c d"]})
    for read in (given_pairs, lambda data, columns: pairs_from(data, None, Reading(columns=columns))):
        with pytest.raises(DataError):
            read(table, {"query": "q", "candidate": "c"})


@pytest.mark.parametrize(
    ("a", "b", "options", "params"),
    [
        (ROWS, None, {"columns": {"a": "x"}}, ("columns",)),
        (ROWS, None, {"quoting": "csv", "encoding": "cp1252"}, ("quoting", "encoding")),
        (pd.DataFrame(COLUMNS), None, {"format": "quora"}, ("format",)),
        ("one", "two", {"columns": {"a": "x"}}, ("columns",)),
        (["one"], ["two"], {"encoding": "cp1252"}, ("encoding",)),
    ],
)
def test_options_of_files_are_refused_for_texts_to_score(a, b, options, params):
    with pytest.raises(UsageError) as raised:
        pairs_from(a, b, Reading(**options))
    assert raised.value.params == params


def test_judgements_are_no_columns_of_pairs():
    with pytest.raises(UsageError) as error:
        tk.compare({"q1": {"d1": 1}, "q2": {"d2": 1}}, "default")
    assert error.value.params == ("pairs",) and "qrels" in str(error.value)


def test_a_list_of_pairs_without_labels_is_told_where_they_stand():
    with pytest.raises(DataError) as error:
        tk.compare([("a", "b"), ("c", "d")], "default")
    assert "(text, text, label)" in str(error.value)


def test_labels_beside_pairs_of_a_list_are_left_alone_by_a_score():
    assert tk.score(ROWS).scores.tolist() == tk.score([row[:2] for row in ROWS]).scores.tolist()


@pytest.mark.parametrize("model", ["default", Path("default"), "bm25"])
def test_a_model_in_the_place_of_data_is_told(model):
    with pytest.raises(UsageError) as error:
        tk.compare(model, ROWS)
    assert error.value.params == ("data",)
