"""SQuAD in rows: as the datasets hub has it, and in flat tables."""

import json

import pandas as pd
import pytest

from textkin.base.errors import DataError
from textkin.data.readers.datasets.squad import is_squad, read_squad
from textkin.data.readers.datasets.squad_rows import spans_of_rows
from textkin.data.span_records import Span
from textkin.kinds.registry import load_data, records_of

MILL = "Tom built the mill. Tomas burnt it; Tom was sad."
ROWS = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "title": ["mill", "mill", "inn", "mill"],
        "context": [MILL, "It is red.", "It opens at nine.", MILL],
        "question": ["Who was sad?", "What colour is it?", "When does it open?", "Who owns it?"],
        "answers": [
            {"text": ["Tom", "Tom"], "answer_start": [36, 0]},
            {"text": ["red"], "answer_start": [6]},
            {"text": ["at nine", "nine"], "answer_start": [9, 12]},
            {"text": [], "answer_start": []},
        ],
    }
)
SPANS = [
    ("a", "0-0", (Span(36, "Tom"), Span(0, "Tom")), False),
    ("b", "0-1", (Span(6, "red"),), False),
    ("c", "1-0", (Span(9, "at nine"), Span(12, "nine")), False),
    ("d", "0-0", (), True),
]


def told(data):
    return [(one.question_id, one.passage_id, one.answers, one.is_impossible) for one in data]


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "frame"])
def test_the_hubs_rows_are_questions_about_passages(tmp_path, ending):
    path = tmp_path / f"squad.{ending}"
    if ending == "frame":
        data = records_of(ROWS, {name: name for name in ROWS})
    elif ending == "jsonl":
        ROWS.to_json(path, orient="records", lines=True)
        data = load_data(path)[1].data
    else:
        pytest.importorskip("pyarrow")
        ROWS.to_parquet(path)
        data = load_data(path)[1].data
    assert told(data) == SPANS
    assert [(one.title, one.text) for one in data.passages.values()] == [
        ("mill", MILL),
        ("mill", "It is red."),
        ("inn", "It opens at nine."),
    ]


@pytest.mark.parametrize("written", ["normalised", "JSON", "Python"])
def test_lists_of_answers_are_read_from_cells_of_texts(tmp_path, written):
    path = tmp_path / "squad.csv"
    if written == "normalised":
        rows = pd.json_normalize(ROWS.to_dict("records"))
    else:
        rows = ROWS.assign(answers=ROWS["answers"].map(json.dumps if written == "JSON" else str))
    rows.to_csv(path, index=False)
    assert told(read_squad(path).data) == SPANS


@pytest.mark.parametrize("answer", ["[1 and {b}", "[1]", "{2}"])
def test_an_answer_in_brackets_is_a_text(answer):
    data = spans_of_rows(["context", "question", "answer"], [["See [1 and {b}, [1], {2}.", "Where?", answer]])
    assert [one.text for one in data.questions[0].answers] == [answer]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_in_a_flat_table_an_answer_is_where_it_first_stands(tmp_path, ending):
    rows = pd.DataFrame(
        {"question": ["Who?", "What?", "Where?"], "context": [MILL] * 3, "answer": ["Tomas", "mill", ""]}
    )
    path = tmp_path / f"flat.{ending}"
    if ending == "jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        rows.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
    assert is_squad(path)
    found = read_squad(path).data
    assert told(found) == [
        ("1", "0-0", (Span(20, "Tomas"),), False),
        ("2", "0-0", (Span(14, "mill"),), False),
        ("3", "0-0", (), True),
    ]


def test_an_offset_goes_before_the_first_place():
    names = ["context", "question", "answer", "answer_start"]
    data = spans_of_rows(names, [[MILL, "Who was sad?", "Tom", 36.0], [MILL, "Who?", "Tom", float("nan")]])
    assert [one.answers for one in data] == [(Span(36, "Tom"),), (Span(0, "Tom"),)]


def test_without_titles_each_passage_is_an_article():
    data = spans_of_rows(
        ["context", "question", "answer"], [["A b.", "?", "A"], ["C.", "?", "C"], ["A b.", "!", "b"]]
    )
    assert [one.passage_id for one in data] == ["0-0", "1-0", "0-0"]


@pytest.mark.parametrize(
    "row",
    [
        {"context": "It is red.", "question": "What?", "answer": "blue"},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": [5]}},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": [60]}},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": [-4]}},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": [6.5]}},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": ["x"]}},
        {"context": "It is red.", "question": "What?", "answers": {"text": ["red"], "answer_start": [6, 6]}},
        {"context": ["It is red."], "question": "What?", "answer": "red"},
        {"context": "It is red.", "question": " ", "answer": "red"},
        {"context": "", "question": "What?", "answer": ""},
    ],
)
def test_rows_that_are_no_question_are_skipped_or_refused(tmp_path, row):
    path = tmp_path / "rows.jsonl"
    good = {"context": "It is red.", "question": "What?", list(row)[-1]: "red"}
    pd.DataFrame([good, row]).to_json(path, orient="records", lines=True)
    found = read_squad(path)
    assert (found.report.rows, found.report.kept, len(found.data)) == (2, 1, 1)
    with pytest.raises(DataError):
        spans_of_rows(list(row), [list(row.values())])


@pytest.mark.parametrize("missing", ["context", "question"])
def test_a_row_without_a_key_is_skipped(tmp_path, missing):
    path = tmp_path / "rows.jsonl"
    row = {"context": "It is red.", "question": "What?", "answer": "red"}
    lines = [row, {name: value for name, value in row.items() if name != missing}]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    assert (read_squad(path).report.rows, len(read_squad(path).data)) == (2, 1)


def test_an_id_stands_once():
    with pytest.raises(DataError):
        spans_of_rows(["id", "context", "question", "answer"], [["a", "A b.", "?", "A"]] * 2)


@pytest.mark.parametrize(
    "names",
    [
        ["question", "context", "choices", "answer"],
        ["question", "answer"],
        ["context", "question", "label"],
    ],
)
def test_other_columns_are_not_of_passages(names):
    assert spans_of_rows(names, []) is None


def test_a_table_that_speaks_of_it_is_none(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\nthe context of a question\tits answer\n")
    assert not is_squad(path)
