import gzip
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load, load_candidates, load_pairs
from textkin.data.readers.triplets import read_triplets, triplets_of_rows

HEADER = "anchor\tpositive\tnegative_1\tnegative_2"


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows(loaded):
    """Each row as its anchor, its right text and its wrong ones."""
    for one in loaded.data:
        right = [doc for doc, label in zip(one.docs, one.labels, strict=True) if label]
        wrong = [doc for doc, label in zip(one.docs, one.labels, strict=True) if not label]
        yield one.query, *right, wrong


def test_rows_are_queries_with_one_right_candidate(tmp_path):
    path = write(tmp_path / "t.tsv", HEADER, "q\tzebra\tant\tbee", "r\tcat\tdog\t")
    loaded = load(path)
    assert loaded.format == detect(path) == "triplets"
    assert list(rows(loaded)) == [("q", "zebra", ["ant", "bee"]), ("r", "cat", ["dog"])]
    first = loaded.data.queries[0]
    assert (first.query_id, first.doc_ids, first.docs, first.labels) == (
        *("1", ("1", "2", "3")),
        *(("ant", "bee", "zebra"), (0, 0, 1)),
    )
    assert first.scores == ()
    assert load_candidates(path).data == loaded.data


def test_negatives_that_begin_after_many_lines_of_json_are_read(tmp_path):
    made = [{"anchor": f"a{n}", "positive": f"p{n}", "negative_1": f"n{n}"} for n in range(400)]
    for n, one in enumerate(made[250:], 250):
        one["negative_2"] = f"m{n}"
    found = load(write(tmp_path / "t.jsonl", *map(json.dumps, made)))
    assert list(rows(found))[250] == ("a250", "p250", ["m250", "n250"])
    assert sum(len(one.docs) for one in found.data) == 400 * 3 + 150 - 400


@pytest.mark.parametrize(
    "header", ["Query,Positive,Negative", "question,positive,negative1", "negative-1,anchor,positive"]
)
def test_names_of_columns(tmp_path, header):
    cells = dict(zip(header.split(","), "abc", strict=True))
    path = write(tmp_path / "t.csv", header, ",".join(cells.values()))
    anchor = next(cell for name, cell in cells.items() if name.casefold() in ("anchor", "query", "question"))
    positive = next(cell for name, cell in cells.items() if name.casefold() == "positive")
    (found,) = rows(load(path))
    assert found[:2] == (anchor, positive)


def test_a_teacher_speaks_in_scores_or_in_margins(tmp_path):
    lines = [
        {"anchor": "q", "positive": "b", "negative_1": "c", "negative_2": "a"}
        | {"positive_score": 9.5, "negative_1_score": -1, "negative_2_score": 3},
        {"anchor": "q", "positive": "b", "negative_1": "", "negative_2": "a"}
        | {"positive_score": 9.5, "negative_1_score": None, "negative_2_score": 3},
    ]
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    first, second = load(path).data
    assert (first.docs, first.scores) == (("a", "b", "c"), (3.0, 9.5, -1.0))
    assert (second.docs, second.scores) == (("a", "b"), (3.0, 9.5))
    path = write(tmp_path / "m.csv", "query,positive,negative,margin", "q,b,a,2.5")
    (one,) = load(path).data
    assert (one.docs, one.scores) == (("a", "b"), (-2.5, 0.0))


@pytest.mark.parametrize(
    ("header", "missing"),
    [
        ("positive_score\tnegative_1_score", "negative_2_score"),
        ("negative_2_score", "positive_score, negative_1_score"),
        ("margin_2", "margin_1"),
        ("positive_score\tmargin_1\tmargin_2", ""),
        ("judge_score", ""),
    ],
)
def test_scores_that_lack_a_column_are_told(tmp_path, capsys, header, missing):
    numbers = "\t1" * len(header.split("\t"))
    path = write(tmp_path / "t.tsv", f"{HEADER}\t{header}", f"q\ta\tb\tc{numbers}")
    (one,) = read_triplets(path).data
    found = capsys.readouterr().err
    assert (missing in found) if missing else not found
    assert bool(one.scores) == ("margin_1\tmargin_2" in header)
    names = f"{HEADER}\t{header}".split("\t")
    triplets_of_rows(names, [["q", "a", "b", "c", *[1] * len(header.split("\t"))]])
    assert bool(capsys.readouterr().err) is bool(missing)


@pytest.mark.parametrize(
    "header",
    [
        "anchor\tpositive\tNegative\tnegative",
        "anchor\tpositive\tpositive\tnegative",
        "anchor\tAnchor\tpositive\tnegative",
        "anchor\tpositive\tnegative\tmargin\tmargin",
    ],
)
def test_two_columns_of_one_name_are_refused(tmp_path, header):
    cells = [*"abcd", "1"][: len(header.split("\t"))]
    path = write(tmp_path / "t.tsv", header, "\t".join(cells))
    with pytest.raises(DataError) as error:
        load(path)
    assert str(error.value.path).endswith("t.tsv")
    with pytest.raises(DataError):
        triplets_of_rows(header.split("\t"), [cells])


def test_another_column_that_comes_twice_is_not_read(tmp_path):
    path = write(tmp_path / "t.tsv", "id\tid\tanchor\tpositive\tnegative", "1\t2\tq\ta\tb")
    assert list(rows(load(path))) == [("q", "a", ["b"])]


def test_what_makes_no_triplet_is_counted(tmp_path):
    path = write(
        tmp_path / "t.tsv",
        HEADER,
        "q\tb\t\t ",
        "\tb\tc\t",
        "q\t\tc\t",
        "q\tb\tb\t",
        "q\tb\tc\tc",
        "q\tb\tc\t",
    )
    loaded = load(path)
    assert loaded.report.skipped == {
        "empty text": 2,
        "a text that stands twice in its row": 2,
        "no negative": 1,
    }
    assert list(rows(loaded)) == [("q", "b", ["c"])]
    assert loaded.data.queries[0].query_id == "6"


def test_mistakes_are_explained(tmp_path):
    path = write(tmp_path / "t.csv", "query,positive,negative,margin", "q,b,a,1", "q,b,a,wide")
    with pytest.raises(DataError) as error:
        load(path)
    assert error.value.line == 3
    pairs = write(tmp_path / "p.tsv", "anchor\tpositive", "a\tb")
    assert detect(pairs) == "pairs"
    with pytest.raises(DataError) as error:
        read_triplets(pairs)
    assert str(error.value.path).endswith("p.tsv")
    with pytest.raises(DataError) as error:
        load_pairs(path)
    assert str(error.value.path).endswith("t.csv")
    assert len(load_pairs(path, reading=Reading(format="pairs")).data) == 2
    with pytest.raises(UsageError) as error:
        load_candidates(path, reading=Reading(questions="mixed"))
    assert error.value.params == ("questions",)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT), min_size=1, max_size=5))
def test_any_texts_come_back(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("any") / "t.jsonl"
    names = HEADER.split("\t")
    write(path, *(json.dumps(dict(zip(names, row, strict=True))) for row in made))
    expected = [
        (anchor, positive, sorted(filter(str.strip, wrong)))
        for anchor, positive, *wrong in made
        if anchor.strip() and positive.strip() and any(map(str.strip, wrong))
        if len({positive, *filter(str.strip, wrong)}) == 1 + len([*filter(str.strip, wrong)])
    ]
    loaded = read_triplets(path)
    assert list(rows(loaded)) == expected
    assert loaded.report.rows == len(made)
    assert loaded.report.kept == len(expected)


def test_a_frame_has_the_triplets_of_its_file(tmp_path):
    names = ["id", "anchor", "positive", "negative", "margin"]
    cells = [[7, "q", "zebra", "ant", 2.5], [8, "r", "cat", "dog", 1]]
    path = write(tmp_path / "t.tsv", "\t".join(names), *("\t".join(map(str, row)) for row in cells))
    assert triplets_of_rows(names, cells).queries == read_triplets(path).data.queries
    assert triplets_of_rows(["anchor", "positive", "label"], cells) is None
    assert [one.rows for one in triplets_of_rows(names, cells).queries] == [(0, 0), (1, 1)]


def test_scores_of_a_frame_of_triplets_have_its_index():
    frame = pd.DataFrame(
        {"anchor": ["a red car", "x"], "positive": ["my red car", "x y"], "negative": ["rain", "z"]},
        index=["p", "q"],
    )
    found = tk.score(frame, model="tfidf").to_pandas()
    assert found.index.tolist() == ["p", "p", "q", "q"]
    assert found["text_b"].tolist() == ["my red car", "rain", "x y", "z"]


def test_a_frame_of_triplets_is_not_split():
    frame = pd.DataFrame([["a", "b", "c"], ["d", "e", "f"]], columns=["anchor", "positive", "negative"])
    with pytest.raises(UsageError) as error:
        tk.split(frame)
    assert error.value.params == ("pairs",)


@pytest.mark.parametrize(
    "row", [["q", "a", None, 1.0], ["q", "a", "a", 1.0], [None, "a", "b", 1.0], ["q", "a", "b", "much"]]
)
def test_a_row_of_a_frame_that_is_no_triplet_is_refused(row):
    with pytest.raises(DataError) as error:
        triplets_of_rows(["anchor", "positive", "negative", "margin"], [["q", "a", "b", 2.0], row])
    assert error.value.path == "pairs[1]"
