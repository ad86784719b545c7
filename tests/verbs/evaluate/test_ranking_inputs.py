"""A corpus, queries, judgements and runs in every form in which libraries hand them out."""

import json
from typing import NamedTuple

import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.kinds.foreign_runs import run_of
from textkin.verbs.evaluate.ranking_inputs import qrels_of, retrieval_of

DOCUMENTS = {
    "d1": {"title": "Hours", "text": "We open at nine."},
    "d2": {"title": "", "text": "The bus stops here."},
    "d3": {"title": "Parking", "text": ""},
}
TEXTS = {"d1": "Hours We open at nine.", "d2": "The bus stops here.", "d3": "Parking"}
QUERIES = {"q1": "when do you open", "q2": "where can I park"}
JUDGED = {"q1": {"d1": 1}, "q2": {"d3": 1}}
SCORES = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}}


class Doc(NamedTuple):
    """A document as ir_datasets has it."""

    doc_id: str
    title: str
    text: str


class Query(NamedTuple):
    """A query as ir_datasets has it."""

    query_id: str
    text: str


class Judgement(NamedTuple):
    """A judgement as ir_datasets has it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Scored(NamedTuple):
    """A document of a run as ir_measures has it."""

    query_id: str
    doc_id: str
    score: float


def frame_of(rows):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.DataFrame(rows)


def file_of(folder):
    path = folder / "corpus.jsonl"
    path.write_text("".join(f"{json.dumps({'_id': key, **row})}\n" for key, row in DOCUMENTS.items()))
    return path


@pytest.mark.parametrize(
    "corpus",
    [
        lambda _: DOCUMENTS,
        lambda _: iter([Doc(key, **row) for key, row in DOCUMENTS.items()]),
        lambda _: frame_of([{"_id": key, **row} for key, row in DOCUMENTS.items()]),
        file_of,
        lambda folder: [file_of(folder)],
    ],
    ids=["beir", "ir_datasets", "frame", "file", "files"],
)
def test_a_document_is_its_title_and_its_text(corpus, tmp_path):
    queries = [Query(*one) for one in QUERIES.items()]
    data = retrieval_of(corpus(tmp_path), queries, JUDGED)
    assert data.corpus == TEXTS
    assert data.queries == QUERIES


def test_a_title_that_is_missing_is_left_out():
    rows = [{"id": "d1", "title": None, "text": "We open."}, {"id": "d3", "title": "", "text": ""}]
    found = retrieval_of(frame_of(rows), QUERIES, JUDGED).corpus
    assert found == {"d1": "We open.", "d3": ""}


@pytest.mark.parametrize(
    "judged",
    [
        {"q1": {"d1"}, "q2": frozenset({"d3"})},
        {"q1": ["d1"], "q2": ("d3",)},
        [("q1", "d1", 1), ("q2", "d3", 1)],
        (Judgement(query, doc, 1, "0") for query, doc in (("q1", "d1"), ("q2", "d3"))),
        [
            {"query_id": "q1", "doc_id": "d1", "relevance": 1},
            {"query_id": "q2", "doc_id": "d3", "relevance": 1},
        ],
    ],
    ids=["sets", "lists", "rows", "ir_datasets", "records"],
)
def test_judgements_of_other_libraries(judged):
    assert qrels_of(judged).to_dict() == JUDGED


@pytest.mark.parametrize(
    "run",
    [
        {"q1": [("d1", 2.0), ("d2", 1.0)], "q2": [("d2", 1.0)]},
        [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d2", 1.0)],
        (Scored(query, doc, score) for query, of in SCORES.items() for doc, score in of.items()),
    ],
    ids=["hits", "rows", "ir_measures"],
)
def test_runs_of_other_libraries(run):
    assert run_of(run).to_dict() == SCORES


def test_rows_are_one_run_beside_others():
    rows = [Scored(query, doc, score) for query, of in SCORES.items() for doc, score in of.items()]
    found = tk.compare(
        {"rows": rows, "same": SCORES}, qrels=JUDGED, measures=["MAP"], resamples=20, rounds=20
    )
    assert {row["system"]: row["MAP"] for row in found.rows()} == {"rows": 0.5, "same": 0.5}
    assert tk.measure(rows, JUDGED, measures=["MAP"])["MAP"] == 0.5


@pytest.mark.parametrize("wrong", [["d1", "d2"], [("q1", "d1")], 3])
def test_what_is_no_judgements_is_refused(wrong):
    with pytest.raises(UsageError) as caught:
        qrels_of(wrong)
    assert caught.value.params == ("qrels",)


def test_a_document_that_comes_twice_in_a_list_is_refused():
    with pytest.raises(UsageError):
        run_of({"q1": [("d1", 2.0), ("d1", 1.0)]})


@pytest.mark.parametrize("ids", [["d1", "d2", "d1"], [1.0, 2.0, 3.0], [None, "d2", "d3"]])
def test_ids_are_ids_and_come_once(ids):
    """A document under another's id would be lost, and 1.0 is no id that judgements have."""
    rows = [{"_id": name, "text": text} for name, text in zip(ids, ("a", "b", "c"), strict=True)]
    run = [{"query_id": "q1", "doc_id": name, "score": 1.0} for name in ids]
    for call in (lambda: retrieval_of(frame_of(rows), QUERIES, JUDGED), lambda: run_of(frame_of(run))):
        with pytest.raises(UsageError):
            call()


def test_the_first_model_may_stand_where_data_would():
    """As on the command line, where all words without an option are in one row."""
    options = {"corpus": DOCUMENTS, "queries": QUERIES, "qrels": JUDGED, "resamples": 20, "rounds": 20}
    found = tk.compare("tfidf", ["bm25:english"], baselines=["bm25"], **options)
    assert {row["system"] for row in found.rows()} == {"tfidf", "bm25:english", "bm25"}
    with pytest.raises(UsageError) as caught:
        tk.compare([("a", "b", 1)], "tfidf", **options)
    assert caught.value.params == ("queries",)
