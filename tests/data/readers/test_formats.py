import inspect
from pathlib import Path

import pytest

from tests.data.readers.making import write_beir, write_quora
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import (
    FORMATS,
    Reading,
    TextReading,
    detect,
    load,
    load_candidates,
    load_pairs,
    load_texts,
)
from textkin.data.readers.datasets import wikiqa
from textkin.data.readers.formats import TABLE
from textkin.data.records import CandidateSet

WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def _wikiqa(file: Path) -> Path:
    rows = [
        ("Q1", "who?", "D1-0", 'a "b', "1"),
        ("Q1", "who?", "D1-1", "c", "0"),
        ("Q2", "what?", "D1-0", "d", "0"),
        ("Q3", "why?", "D2-0", "e", "1"),
    ]
    lines = [f"{qid}\t{question}\tD\tt\t{sid}\t{text}\t{label}" for qid, question, sid, text, label in rows]
    file.write_text(WIKIQA + "\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize(
    ("questions", "ids"), [("answered", ["Q1", "Q3"]), ("all", ["Q1", "Q2", "Q3"]), ("mixed", ["Q1"])]
)
def test_wikiqa_question_sets(file: Path, questions: str, ids: list[str]) -> None:
    data = wikiqa.read_wikiqa(_wikiqa(file), questions=questions).data  # type: ignore[arg-type]
    assert [item.query_id for item in data] == ids
    assert data.queries[0].docs == ('a "b', "c")
    assert data.queries[0].doc_ids == ("D1-0", "D1-1")
    assert data.queries[0].labels == (1, 0)
    assert data.name.startswith("data.tsv, ")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("Q1\twho?\tD\tt\tD9\tz\t0\n", 6),
        ("Q3\twhy?\tD\tt\tD2-0\tz\t0\n", 6),
        ("Q3\twhy?\tD\tt\tD2-1\tz\t2\n", 6),
    ],
)
def test_broken_wikiqa_names_the_line(file: Path, extra: str, words: str) -> None:
    _wikiqa(file).write_text(file.read_text() + extra)
    with pytest.raises(DataError) as caught:
        wikiqa.read_wikiqa(file, questions="all")
    assert caught.value.line == words
    assert caught.value.line == 6


def test_unknown_question_set(file: Path) -> None:
    with pytest.raises(UsageError) as error:
        wikiqa.read_wikiqa(_wikiqa(file), questions="clean")  # type: ignore[arg-type]
    assert error.value.params == ("questions",)


def test_candidates_from_plain_pairs(file: Path) -> None:
    file.write_text("question\tanswer\tlabel\nq1\tx\t1\nq2\ty\t0\nq1\tz\t0\n")
    data = load_candidates(file).data
    assert [(item.query, item.docs, item.doc_ids, item.labels) for item in data] == [
        ("q1", ("x", "z"), ("0", "2"), (1, 0))
    ]
    file.write_text("question\tanswer\nq1\tx\n")
    with pytest.raises(DataError) as error:
        load_candidates(file)
    assert str(error.value.path).endswith("data.tsv")
    assert load_candidates(_wikiqa(file)).format == "wikiqa"


def test_texts_from_lines_and_tables(tmp_path: Path) -> None:
    plain = tmp_path / "inbox.txt"
    plain.write_text('first, "one"\n\nthird\n')
    loaded = load_texts(plain)
    assert (loaded.data.ids, loaded.data.texts) == (("1", "3"), ('first, "one"', "third"))
    assert loaded.report.skipped == {"empty text": 1}
    table = tmp_path / "inbox.csv"
    table.write_text("id,question,other\nx,one,3\ny,two,4\n")
    assert load_texts(table).data.ids == ("x", "y")
    assert load_texts(table, reading=TextReading(text="other")).data.texts == ("3", "4")
    table.write_text("id,question\nx,one\nx,two\n")
    with pytest.raises(DataError) as error:
        load_texts(table)
    assert error.value.line == 3


def test_load_detects_every_format(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    assert detect(write_beir(folder)) == "beir"
    assert detect(write_quora(tmp_path / "q.tsv")) == "quora"
    wiki = _wikiqa(tmp_path / "w.tsv")
    assert detect(wiki) == "wikiqa"
    assert isinstance(load(wiki).data, CandidateSet)
    samples = {
        "nli": '{"gold_label": "-", "sentence1": "a", "sentence2": "b"}\n',
        "sick": "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_label\n1\ta\tb\t3\tNEUTRAL\n",
        "sts": "g\tf\t2012\t1\t4.5\tA dog.\tA cat.\n",
        "pairs": "a\tb\nhow\twhy\n",
        "ranking": "question\tanswer\tlabel\nhow\twhy\t1\nhow\twho\t0\n",
    }
    for name, content in samples.items():
        file = tmp_path / name
        file.write_text(content)
        assert detect(file) == name
        assert load(file).format == name
    own_tests = {"trecqa", "insuranceqa", "semeval", "movieqa", "triplets", "quora-ir", "duplicates"}
    assert set(samples) | own_tests | {"beir", "quora", "wikiqa"} == set(FORMATS)
    with pytest.raises(DataError) as error:
        load(tmp_path)
    assert str(error.value.path).endswith("test_load_detects_every_format0")


def test_arguments_that_do_not_fit(tmp_path: Path) -> None:
    file = _wikiqa(tmp_path / "w.tsv")
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(format="xml"))
    assert error.value.params == ("format",)
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(format="wikiqa", columns={"a": "1"}))
    assert error.value.params == ("columns",)
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(split="test"))
    assert error.value.params == ("split",)
    with pytest.raises(UsageError) as error:
        load(file, reading=Reading(labels="relatedness"))
    assert error.value.params == ("labels",)
    asked_for_nothing = Reading(columns={}, quoting="auto", questions="answered", labels="entailment")
    assert load(file, reading=asked_for_nothing).data == load(file).data
    with pytest.raises(DataError) as error:
        load_pairs(file)
    assert str(error.value.path).endswith("w.tsv")
    with pytest.raises(UsageError) as error:
        load_candidates(file, reading=Reading(format="sts"))
    assert error.value.params == ("format",)


def test_candidates_of_a_file_that_is_known_as_pairs(tmp_path: Path) -> None:
    data = load_candidates(write_quora(tmp_path / "q.tsv"), reading=Reading(questions="all")).data
    assert [(item.query_id, item.doc_ids, item.labels) for item in data] == [
        ("1", ("2",), (1,)),
        ("5", ("6",), (0,)),
    ]


def test_every_format_of_the_table_can_be_imported() -> None:
    for name, format in TABLE.items():
        assert callable(format.reader)
        assert name == "pairs" or callable(format.test)
        known = inspect.signature(format.reader).parameters
        assert set(format.options) <= set(known), name
        assert set(known) - {"path", "folder"} <= set(format.options), name
        assert set(format.options) <= set(Reading.__annotations__)
