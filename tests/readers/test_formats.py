import gzip
import inspect
import json
from pathlib import Path

import pytest

from textkin.errors import DataError, UsageError
from textkin.readers import (
    FORMATS,
    Reading,
    TextReading,
    detect,
    load,
    load_candidates,
    load_pairs,
    load_texts,
    nli,
    pairs,
    quora,
    sick,
    sts,
    wikiqa,
)
from textkin.readers.formats import TABLE
from textkin.records import CandidateSet, Collection, LabelKind, Pair, PairSet

WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def _quora(file: Path) -> Path:
    file.write_text(
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
        '0\t1\t2\tWhat is "x"?\tWhat\'s x?\t1\n1\t3\t4\t\tempty\t0\n2\t5\t6\tOne?\tTwo?\t0\n'
    )
    return file


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


def _beir(folder: Path) -> Path:
    (folder / "qrels").mkdir()
    (folder / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Sun", "text": "It is hot."}\n{"_id": "d2", "title": "", "text": ""}\n'
    )
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "q1", "text": "hot?"}\n'))
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq9\td1\t1\nq1\td9\t1\n"
    )
    return folder


def test_pairs_with_named_columns_and_skips(file: Path) -> None:
    file.write_text("x\tleft\tright\tverdict\n1\ta\tb\tyes\n2\t\tb\tno\n3\tc\td\t\n4\te\tf\tno\n")
    loaded = pairs.read_pairs(file, columns={"a": "left", "b": "right", "label": "verdict", "id_a": "1"})
    assert loaded.data == PairSet(
        (Pair("a", "b", 1.0, "1", "", 0), Pair("e", "f", 0.0, "4", "", 3)), LabelKind.BINARY, name="data.tsv"
    )
    assert loaded.report.skipped == {"empty text": 1, "no label": 1}


def test_unlabelled_pairs(file: Path) -> None:
    file.write_text("question1\tquestion2\nHow?\tHow so?\n")
    data = load_pairs(file).data
    assert (data.kind, data.pairs) == (LabelKind.NONE, (Pair("How?", "How so?", row=0),))


def test_quora(file: Path) -> None:
    loaded = quora.read_quora(_quora(file))
    assert loaded.data.kind is LabelKind.BINARY
    assert loaded.data.pairs[0] == Pair('What is "x"?', "What's x?", 1.0, "1", "2", 0)
    assert loaded.data.pairs[1].row == 2
    assert loaded.report.sentence() == "3 rows, 2 kept; skipped 1: 1 empty text (line 3)"
    file.write_text("a\tb\nc\td\n")
    with pytest.raises(DataError, match="--format pairs"):
        quora.read_quora(file)


def test_sick_in_both_layouts(file: Path) -> None:
    file.write_text(
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
        "1\tA dog\tA cat\t3.5\tNEUTRAL\n2\tIt runs\tIt moves\t4.5\tENTAILMENT\n"
    )
    assert sick.read_sick(file).data.labels.tolist() == [2.0, 1.0]
    assert sick.read_sick(file, labels="relatedness").data.labels.tolist() == [3.5, 4.5]
    with pytest.raises(UsageError, match=r"only SICK\.txt"):
        sick.read_sick(file, split="TRAIN")
    file.write_text(
        "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
        "1\tA dog\tA cat\tNEUTRAL\t3.5\tTRAIN\n2\tIt runs\tIt moves\tENTAILMENT\t4.5\tTEST\n"
    )
    loaded = sick.read_sick(file, split="test")
    assert [pair.a for pair in loaded.data] == ["It runs"]
    assert loaded.report.skipped == {"row of another split": 1}
    with pytest.raises(UsageError, match="no split 'DEV'"):
        sick.read_sick(file, split="DEV")
    with pytest.raises(UsageError, match="unknown SICK labels"):
        sick.read_sick(file, labels="both")  # type: ignore[arg-type]


def test_nli_drops_undecided_pairs(tmp_path: Path) -> None:
    file = tmp_path / "snli.jsonl"
    rows = [("neutral", "a", "b"), ("-", "c", "d"), ("contradiction", "e", "f")]
    file.write_text(
        "".join(
            json.dumps(dict(zip(("gold_label", "sentence1", "sentence2"), row, strict=True))) + "\n"
            for row in rows
        )
    )
    loaded = nli.read_nli(file)
    assert loaded.data.classes == ("contradiction", "entailment", "neutral")
    assert loaded.data.labels.tolist() == [2.0, 0.0]
    assert loaded.report.skipped == {"without gold label": 1}


def test_the_official_fields_of_multinli(tmp_path: Path) -> None:
    row = {
        "annotator_labels": ["neutral", "entailment"],
        "genre": "oup",
        "gold_label": "-",
        "pairID": "82890e",
        "sentence1": 'He said "no".',
        "sentence1_binary_parse": "( He ( said no ) )",
        "sentence2": "He refused.",
    }
    file = tmp_path / "multinli_1.0_dev_matched.jsonl"
    file.write_text("".join(json.dumps(row | {"gold_label": label}) + "\n" for label in ("-", "entailment")))
    text = tmp_path / "multinli_1.0_dev_matched.txt"
    names = ["gold_label", "sentence1_binary_parse", "sentence1", "sentence2", "label1"]
    lines = [[label, "( x )", row["sentence1"], row["sentence2"], "neutral"] for label in ("-", "entailment")]
    text.write_text("".join("\t".join(map(str, cells)) + "\n" for cells in (names, *lines)))
    for path in (file, text):
        loaded = load(path)
        assert loaded.format == "nli"
        assert loaded.data.pairs == (Pair('He said "no".', "He refused.", 1.0, row=1),)  # type: ignore[union-attr]
        assert loaded.report.skipped == {"without gold label": 1}


def test_sts_with_seven_or_nine_columns(tmp_path: Path) -> None:
    file = tmp_path / "sts.csv"
    start = "main\tMSR\t2012\t1\t"
    file.write_text(f'{start}5.000\tA "plane", off.\tA plane\n{start}0.5\tx\ty\tl1\tl2\n{start}1\tshort\n')
    loaded = sts.read_sts(file)
    assert [(pair.a, pair.label) for pair in loaded.data] == [('A "plane", off.', 5.0), ("x", 0.5)]
    assert loaded.data.kind is LabelKind.GRADED
    assert loaded.report.skipped == {"wrong number of columns": 1}


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
        ("Q1\twho?\tD\tt\tD9\tz\t0\n", "'Q1' comes back"),
        ("Q3\twhy?\tD\tt\tD2-0\tz\t0\n", "'D2-0' comes twice"),
        ("Q3\twhy?\tD\tt\tD2-1\tz\t2\n", "label '2', expected 0 or 1"),
    ],
)
def test_broken_wikiqa_names_the_line(file: Path, extra: str, words: str) -> None:
    _wikiqa(file).write_text(file.read_text() + extra)
    with pytest.raises(DataError, match=words) as caught:
        wikiqa.read_wikiqa(file, questions="all")
    assert caught.value.line == 6


def test_unknown_question_set(file: Path) -> None:
    with pytest.raises(UsageError, match="answered, all, mixed"):
        wikiqa.read_wikiqa(file, questions="clean")  # type: ignore[arg-type]


def test_candidates_from_plain_pairs(file: Path) -> None:
    file.write_text("question\tanswer\tlabel\nq1\tx\t1\nq2\ty\t0\nq1\tz\t0\n")
    data = load_candidates(file).data
    assert [(item.query, item.docs, item.doc_ids, item.labels) for item in data] == [
        ("q1", ("x", "z"), ("0", "2"), (1, 0))
    ]
    file.write_text("question\tanswer\nq1\tx\n")
    with pytest.raises(DataError, match="label column"):
        load_candidates(file)
    assert load_candidates(_wikiqa(file)).format == "wikiqa"


def test_beir(tmp_path: Path) -> None:
    loaded = load(_beir(tmp_path))
    assert isinstance(loaded.data, Collection)
    assert loaded.data.corpus == {"d1": "Sun It is hot.", "d2": ""}
    assert loaded.data.queries == {"q1": "hot?"}
    assert loaded.data.qrels.to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert loaded.report.skipped == {
        "judgement of an unknown query": 1,
        "judgement of an unknown document": 1,
    }
    with pytest.raises(UsageError, match="no split 'dev'; choose from: test"):
        load(tmp_path, reading=Reading(split="dev"))


@pytest.mark.parametrize(
    ("name", "extra", "line", "words"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": ""}\n', 3, "'d1' comes twice"),
        ("corpus.jsonl", "{broken\n", 3, "no readable JSON object"),
        ("corpus.jsonl", '{"text": "x"}\n', 3, "expected strings _id and text"),
        ("qrels/test.tsv", "q1\td1\t1\n", 6, "judged twice"),
        ("qrels/test.tsv", "q1\td1\tx\n", 6, "whole number"),
        ("qrels/test.tsv", "q1\td1\n", 6, "2 columns"),
    ],
)
def test_broken_beir_names_file_and_line(
    tmp_path: Path, name: str, extra: str, line: int, words: str
) -> None:
    path = _beir(tmp_path) / name
    path.write_text(path.read_text() + extra)
    with pytest.raises(DataError, match=words) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_texts_from_lines_and_tables(tmp_path: Path) -> None:
    plain = tmp_path / "inbox.txt"
    plain.write_text('first, "one"\n\nthird\n')
    loaded = load_texts(plain)
    assert (loaded.data.ids, loaded.data.texts) == (("1", "3"), ('first, "one"', "third"))
    assert loaded.report.skipped == {"empty text": 1}
    table = tmp_path / "inbox.csv"
    table.write_text("id,question,other\nx,one,3\ny,two,4\n")
    assert load_texts(table).data.ids == ("x", "y")
    assert load_texts(table, reading=TextReading(column="other")).data.texts == ("3", "4")
    table.write_text("id,question\nx,one\nx,two\n")
    with pytest.raises(DataError, match="'x' comes twice"):
        load_texts(table)


def test_load_detects_every_format(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    assert detect(_beir(folder)) == "beir"
    assert detect(_quora(tmp_path / "q.tsv")) == "quora"
    wiki = _wikiqa(tmp_path / "w.tsv")
    assert detect(wiki) == "wikiqa"
    assert isinstance(load(wiki).data, CandidateSet)
    samples = {
        "nli": '{"gold_label": "-", "sentence1": "a", "sentence2": "b"}\n',
        "sick": "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_label\n1\ta\tb\t3\tNEUTRAL\n",
        "sts": "g\tf\t2012\t1\t4.5\tA dog.\tA cat.\n",
        "pairs": "a\tb\nhow\twhy\n",
    }
    for name, content in samples.items():
        file = tmp_path / name
        file.write_text(content)
        assert detect(file) == name
        assert load(file).format == name
    own_tests = {"trecqa", "insuranceqa", "semeval", "movieqa", "triplets", "quora-ir"}
    assert set(samples) | own_tests | {"beir", "quora", "wikiqa"} == set(FORMATS)
    with pytest.raises(DataError, match=r"folder of no known format.*BEIR \(corpus"):
        load(tmp_path)


def test_arguments_that_do_not_fit(tmp_path: Path) -> None:
    file = _wikiqa(tmp_path / "w.tsv")
    with pytest.raises(UsageError, match="choose from: auto, pairs"):
        load(file, reading=Reading(format="xml"))
    with pytest.raises(
        UsageError, match=r"--columns does not go with the format 'wikiqa'.*it goes with: pairs"
    ):
        load(file, reading=Reading(format="wikiqa", columns={"a": "1"}))
    with pytest.raises(UsageError, match=r"--split does not go with .*: sick, insuranceqa, movieqa, beir"):
        load(file, reading=Reading(split="test"))
    with pytest.raises(UsageError, match="--labels does not go with the format 'wikiqa'"):
        load(file, reading=Reading(labels="relatedness"))
    asked_for_nothing = Reading(columns={}, quoting="auto", questions="answered", labels="entailment")
    assert load(file, reading=asked_for_nothing).data == load(file).data
    with pytest.raises(DataError, match="holds wikiqa data, expected pairs"):
        load_pairs(file)
    with pytest.raises(UsageError, match="no candidates; choose from: auto, triplets, wikiqa, trecqa"):
        load_candidates(file, reading=Reading(format="sts"))


def test_candidates_of_a_file_that_is_known_as_pairs(tmp_path: Path) -> None:
    data = load_candidates(_quora(tmp_path / "q.tsv"), reading=Reading(questions="all")).data
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


def test_a_named_column_tells_that_the_first_row_is_a_header(tmp_path):
    table = tmp_path / "t.tsv"
    table.write_text("topic\tgroup\tBody Text\ncars\tx\tone\nbikes\ty\ttwo\n")
    assert load_texts(table, reading=TextReading(column="body_text")).data.texts == ("one", "two")
    assert load_texts(table, reading=TextReading(column="3")).data.texts == ("Body Text", "one", "two")
    pairs = load_pairs(table, reading=Reading(columns={"a": "topic", "b": "3"}))
    assert pairs.data.texts == [("cars", "one"), ("bikes", "two")]
    with pytest.raises(UsageError, match="no header"):
        load_texts(table, reading=TextReading(column="nosuch"))
