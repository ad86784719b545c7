"""One's own table of queries with candidates: how it is known, read and refused."""

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load
from textkin.kinds.registry import load_data

ROWS = [
    ("7", "what melts", "ice", 1),
    ("8", "what burns", "stone", 0),
    ("7", "what melts", "stone", 0),
    ("8", "what burns", "wood", 1),
    ("9", "what sings", "stone", 0),
    ("9", "what sings", "ice", 0),
]
NAMES = ["qid", "query", "passage", "label"]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
FOUND = [
    ("7", "what melts", ("0", "2"), ("ice", "stone"), (1, 0)),
    ("8", "what burns", ("1", "3"), ("stone", "wood"), (0, 1)),
]


def parts(data):
    return [(one.query_id, one.query, one.doc_ids, one.docs, one.labels) for one in data]


@pytest.fixture(params=["tsv", "csv", "jsonl", "parquet"])
def table(request, tmp_path):
    path = tmp_path / f"own.{request.param}"
    if request.param in ("tsv", "csv"):
        FRAME.to_csv(path, index=False, sep="\t" if request.param == "tsv" else ",")
    elif request.param == "jsonl":
        FRAME.to_json(path, orient="records", lines=True)
    else:
        FRAME.to_parquet(path)
    return path


def test_every_layout_of_the_table(table):
    loaded = load(table)
    assert loaded.format == "ranking" and loaded.report.columns
    assert parts(loaded.data) == FOUND
    assert [one.rows for one in loaded.data] == [(0, 2), (1, 3)]
    assert len(load(table, reading=Reading(questions="all")).data) == 3


def test_frames_and_dictionaries():
    for given in (FRAME, FRAME.to_dict("records")):
        kind, loaded = load_data(given)
        assert kind.words == "queries with candidates"
        assert parts(loaded.data)[:2] == FOUND and len(loaded.data) == 3  # all questions


def test_without_ids_queries_are_known_by_their_texts(tmp_path):
    path = tmp_path / "own.tsv"
    FRAME[["query", "passage", "label"]].rename(columns={"query": "question", "passage": "candidate"}).to_csv(
        path, index=False, sep="\t"
    )
    assert [(one.query_id, one.docs) for one in load(path).data] == [(one[1], one[3]) for one in FOUND]


@pytest.mark.parametrize(
    ("names", "rows", "format"),
    [
        (["question", "answer", "label"], [("a", "b", 1), ("c", "d", 0)], "pairs"),
        (["question", "answer", "label"], [("a", "b", 1), ("a", "d", 0)], "ranking"),
        (["question", "candidate", "label"], [("a", "b", 1), ("c", "d", 0)], "ranking"),
        (["question1", "question2", "label"], [("a", "b", 1), ("a", "d", 0)], "pairs"),
        (["query", "passage"], [("a", "b"), ("a", "d")], "pairs"),
    ],
)
def test_what_is_a_ranking(tmp_path, names, rows, format):
    path = tmp_path / "own.tsv"
    pd.DataFrame(rows, columns=names).to_csv(path, index=False, sep="\t")
    assert detect(path) == format


def test_columns_of_any_name(tmp_path):
    path = tmp_path / "own.csv"
    frame = FRAME.set_axis(["nr", "frage", "absatz", "urteil"], axis=1)
    frame.to_csv(path, index=False)
    columns = {"query_id": "nr", "query": "frage", "candidate": "absatz", "label": "urteil"}
    assert parts(load(path, reading=Reading(columns=columns)).data) == FOUND
    few = {"baselines": "random", "resamples": 20, "rounds": 20}
    by_option = tk.compare(
        path, "tfidf", columns="query_id=nr,query=frage,candidate=absatz,label=urteil", **few
    )
    assert by_option.kind == tk.compare(frame, "tfidf", columns=columns, **few).kind == "candidates"
    for wrong in ({**columns, "a": "frage"}, {**columns, "query": "none"}):
        with pytest.raises(UsageError) as error:
            load(path, reading=Reading(columns=wrong))
        assert error.value.params == ("columns",)
    with pytest.raises(DataError) as error:
        load(path, reading=Reading(columns={"query": "frage", "candidate": "absatz"}))
    assert error.value.path == path


@pytest.mark.parametrize(
    "rows",
    [
        [*ROWS, ("7", "what else", "ice", 0)],
        [*ROWS, ("7", "what melts", "wood", -1)],
        [*ROWS, ("7", "what melts", "wood", 0.5)],
    ],
)
def test_a_wrong_row_is_refused(tmp_path, rows):
    path = tmp_path / "own.csv"
    pd.DataFrame(rows, columns=NAMES).to_csv(path, index=False)
    with pytest.raises(DataError) as error:
        load(path)
    assert error.value.path == path


def test_a_candidate_that_comes_twice_is_refused(tmp_path):
    path = tmp_path / "own.csv"
    FRAME.assign(doc_id=["1", "2", "1", "3", "4", "5"]).to_csv(path, index=False)
    with pytest.raises(DataError) as error:
        load(path)
    assert error.value.path == path


def test_a_split_keeps_queries_whole(tmp_path):
    """A right candidate binds queries, a wrong one does not; each row of the file is on one side."""
    rows = [
        (str(n), f"what is {n}", text, int(text == f"thing {n // 2}"))
        for n in range(40)
        for text in (f"thing {n // 2}", "stone", f"other {n}")
    ]
    frame = pd.DataFrame(rows, columns=NAMES)
    path = tmp_path / "own.tsv"
    frame.to_csv(path, index=False, sep="\t")
    report = tk.split(path, out=tmp_path / "sides")
    sides = {
        side: pd.read_csv(tmp_path / "sides" / f"{side}.tsv", sep="\t", dtype=str) for side in report.sides
    }
    assert sum(map(len, sides.values())) == len(rows) and not report.dropped
    for column, keys in (("query", "query"), ("right", "passage")):
        found = [
            set(side[keys] if column == "query" else side.loc[side["label"] == "1", keys])
            for side in sides.values()
        ]
        assert not (found[0] & found[1] or found[0] & found[2] or found[1] & found[2])
    by_frame = tk.split(frame)
    assert [len(side) for side in by_frame] == [len(side) for side in sides.values()]
    _, loaded = load_data(path)
    by_record = tk.split(loaded.data)
    assert [sum(len(one.docs) for one in side) for side in by_record] == [len(side) for side in by_frame]


def test_the_linter_reads_it(table):
    assert tk.lint(table).pairs[0][1] == 6
