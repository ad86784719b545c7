import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading
from textkin.data.readers.from_python import loaded_pairs
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.records import CandidateSet, LabelKind, Pair


def test_rows_mean_what_they_mean_in_a_file():
    for labels, kind in (
        ((1, 0), LabelKind.BINARY),
        ((True, False), LabelKind.BINARY),
        (("same", "different"), LabelKind.BINARY),
        ((0.5, 4), LabelKind.GRADED),
        (("neutral", "entailment"), LabelKind.CLASSES),
    ):
        data = as_pairs([("a", "b", labels[0]), ("c", "d", labels[1])])
        assert data.kind is kind, labels
        assert data.texts == [("a", "b"), ("c", "d")]
    assert as_pairs([("a", "b", 1), ("c", "d", 0)]).labels.tolist() == [1, 0]
    assert as_pairs([("a", "b")]).kind is LabelKind.NONE
    assert as_pairs(data) == data


def test_a_table_has_two_or_three_columns():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.DataFrame([("a", "b", 1), ("c", "d", 0)], columns=["q1", "q2", "same"], index=[5, 2])
    assert as_pairs(table).labels.tolist() == [1, 0]
    assert as_pairs(table[["q1", "q2"]]).kind is LabelKind.NONE


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow", "records"])
def test_columns_of_any_table_are_found_by_their_names(kind):
    made = {"label": ["yes", "no"], "text_b": ["b", "d"], "text_a": ["a", "c"], "id": [1, 2]}
    if kind == "records":
        data = [dict(zip(made, row, strict=True)) for row in zip(*made.values(), strict=True)]
    else:
        frames = pytest.importorskip("polars" if kind == "lazy" else kind)
        data = frames.table(made) if kind == "pyarrow" else frames.DataFrame(made)
    found = as_pairs(data.lazy() if kind == "lazy" else data)
    assert (found.texts, found.labels.tolist()) == ([("a", "b"), ("c", "d")], [1, 0])


def test_labels_of_128_bits_are_numbers_as_others():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    grades = polars.Series([3, 5], dtype=polars.Int128)
    found = as_pairs(polars.DataFrame({"a": ["a", "c"], "b": ["b", "d"], "label": grades}))
    assert (found.kind, found.labels.tolist()) == (LabelKind.GRADED, [3, 5])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", "b", 1), ("c", "d")], ("pairs",)),
        ([("a", "b"), ("c", "d", 1)], ("pairs",)),
        ([("a", "b", None)], ("pairs",)),
        ([("a", "b", float("nan"))], ("pairs",)),
        ([("a", None, 1)], ("pairs",)),
        ("abc", ("pairs",)),
        ({"a": 1}, ("pairs",)),
    ],
)
def test_what_are_no_rows_is_refused(rows, words):
    with pytest.raises(UsageError) as error:
        as_pairs(rows)
    assert error.value.params == words


def test_labels_that_make_no_sense_are_refused():
    with pytest.raises(DataError) as error:
        as_pairs([("a", "b", 1), ("c", "d", "maybe"), ("e", "f", 0)])
    assert error.value.line == 1


def test_records_come_as_they_are(tmp_path):
    pairs = as_pairs([("a", "b", 1)])
    assert loaded_pairs(pairs).data == pairs
    with pytest.raises(UsageError) as error:
        loaded_pairs(CandidateSet((), "questions"))
    assert error.value.params == ("pairs",)
    assert loaded_pairs(pairs, reading=Reading(format="sts")).data == pairs
    with pytest.raises(DataError) as error:
        loaded_pairs(str(tmp_path / "none.tsv"))
    assert str(error.value.path).endswith("none.tsv")


def test_a_file_of_which_nothing_is_left_is_refused_with_the_reasons(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("question1\tquestion2\tis_duplicate\n\tb\t1\n")
    with pytest.raises(DataError, match=r"pairs\.tsv: 1 row, 0 kept; skipped 1: 1 empty .*\(line 2\)"):
        loaded_pairs(pairs)


def test_pairs_in_a_list_keep_labels_and_ids():
    data = as_pairs([Pair("a", "b", 1.0, "1", "2"), Pair("c", "d", 0.0, "3", "4")])
    assert (data.kind, data.labels.tolist()) == (LabelKind.BINARY, [1, 0])
    assert [(pair.id_a, pair.id_b, pair.row) for pair in data] == [("1", "2", 0), ("3", "4", 1)]
    assert as_pairs([Pair("a", "b")]).kind is LabelKind.NONE
    with pytest.raises(UsageError) as error:
        as_pairs([Pair("a", "b", 1.0), Pair("c", "d")])
    assert error.value.params == ("pairs",)


def test_views_and_iterators_are_sequences():
    assert as_pairs({"a": "b", "c": "d"}.items()).texts == [("a", "b"), ("c", "d")]
    assert as_pairs(zip("ac", "bd", [1, 0], strict=True)).labels.tolist() == [1, 0]


def test_columns_that_miss_a_label_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    labels = pandas.array([1, None], dtype="Int64")
    with pytest.raises(UsageError) as error:
        as_pairs(pandas.DataFrame({"a": ["x", "y"], "b": ["z", "w"], "label": labels}))
    assert error.value.params == ("pairs",)
    named = pandas.DataFrame({"a": ["x", "y"], "b": ["z", "w"], "label": pandas.Categorical(["p", "q"])})
    assert as_pairs(named).classes == ("p", "q")
