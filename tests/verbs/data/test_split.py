"""``split``."""

import json

import pandas as pd
import pyarrow as pa
import pytest

import textkin as tk
from tests.verbs.public.making import TRAIN
from textkin.base.errors import UsageError
from textkin.data.readers.datasets.squad import read_squad

FRAME = pd.DataFrame(TRAIN, columns=["one", "other", "same"], index=range(100, 100 + len(TRAIN)))
COLUMNS = {"a": "one", "b": "other", "label": "same"}


def test_sides_share_nothing(tmp_path):
    report = tk.split(TRAIN, out=tmp_path / "split")
    assert (report.shared.texts, report.shared.keys, report.shared.components) == (0, 0, 0)


def test_sides_have_the_form_of_the_pairs():
    frame = tk.split(FRAME.assign(more=1), columns=COLUMNS, test_size=0.2)
    rows = tk.split(TRAIN, test_size=0.2)
    assert len(frame) == 3
    for side, of in zip(frame, rows, strict=True):
        assert list(side.columns) == ["one", "other", "same", "more"]
        assert [TRAIN[place - 100] for place in side.index] == of
    assert sum(map(len, frame)) == len(TRAIN)
    assert abs(len(frame.test) / len(TRAIN) - 0.2) < 0.05
    arrow = tk.split(pa.Table.from_pandas(FRAME, preserve_index=False), columns=COLUMNS, test_size=0.2)
    assert arrow.test.to_pandas().to_numpy().tolist() == list(map(list, rows.test))


def test_texts_of_a_split_in_memory_are_on_one_side():
    found = tk.split(TRAIN)
    sides = [{text for a, b, _ in side for text in (a, b)} for side in found]
    assert not (sides[0] & sides[1] or sides[0] & sides[2] or sides[1] & sides[2])
    assert list(found.as_dict()["sides"]) == ["train", "dev", "test"]


@pytest.mark.parametrize("form", ["frame", "list"])
def test_rows_that_are_skipped_stand_on_no_side_and_move_no_other(form):
    rows = [*TRAIN[:3], (" ", TRAIN[3][1], 1), *TRAIN[3:9], (TRAIN[9][0], "", 0), *TRAIN[9:]]
    frame = pd.DataFrame(rows, columns=["a", "b", "label"], index=range(100, 100 + len(rows)))
    found = tk.split(frame if form == "frame" else rows)
    sides = [list(side.itertuples(index=False, name=None)) if form == "frame" else side for side in found]
    assert sorted(row for side in sides for row in side) == sorted(TRAIN)
    assert [[*side] for side in sides] == [[*side] for side in tk.split(TRAIN)]


def test_candidates_that_lie_scattered_go_with_their_question():
    rows = [
        (f"q{n}", f"question {n}", f"d{n}-{k}", f"answer {n} {k}", k) for n in range(20) for k in (1, 0, 0)
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "query", "doc_id", "candidate", "label"])
    frame["doc_id"] = [f"d{place}" for place in frame.index]
    frame["candidate"] = [f"answer {place}" for place in frame.index]
    frame.loc[4, "candidate"] = " "
    sides = tk.split(frame.sample(frac=1, random_state=3))
    assert sorted(place for side in sides for place in side.index) == [*range(4), *range(5, 60)]
    asked = [set(side["query"]) for side in sides]
    assert not (asked[0] & asked[1] or asked[0] & asked[2] or asked[1] & asked[2])


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"test_size": 1.0}, ("test_size",)),
        ({"test_size": 0.9, "dev_size": 0.1}, ("dev_size", "test_size")),
        ({"scheme": "quora-ir"}, ("out",)),
        ({"scheme": "quora-ir", "out": "split", "near": 0.9, "rule": "cut"}, ("near", "rule")),
        ({"scheme": "articles", "out": "split", "equal": "case"}, ("equal",)),
        (
            {"scheme": "articles", "out": "split", "format": "tsv", "encoding": "cp1252"},
            ("encoding", "format"),
        ),
        ({"like": "split"}, ("like",)),
        ({"columns": {"a": "one"}}, ("columns",)),
        ({"encoding": "cp1252"}, ("encoding",)),
    ],
)
def test_options_that_do_not_fit(options, params):
    with pytest.raises(tk.TextkinError) as error:
        tk.split(TRAIN, **options)
    assert error.value.params == params


def test_names_of_other_libraries_are_answered():
    with pytest.raises(TypeError, match="'seed'"):
        tk.split(TRAIN, random_state=1)


@pytest.mark.parametrize(
    ("pairs", "sizes"),
    [
        ([("a", "b", 1), ("b", "c", 0)], (2, 0, 0)),
        ([("a", "b", 1), ("b", "c", 0), ("x", "y", 1)], (2, 0, 1)),
    ],
)
def test_too_few_groups_leave_sides_empty_in_memory(pairs, sizes):
    found = tk.split(pairs)
    assert tuple(map(len, found)) == sizes
    assert [row.pairs for row in found.rows()] == list(sizes) and str(found)


SPANS = pd.DataFrame(
    [
        {
            "title": f"t{number % 9}",
            "context": f"It is {number}.",
            "question": f"Is it {number}?",
            "answer": word,
        }
        for number in range(45)
        for word in (str(number), "")[: 1 + number % 2]
    ]
)


def test_questions_about_passages_are_split_by_articles(tmp_path):
    sides = [one.reset_index(drop=True) for one in tk.split(SPANS)]
    assert sum(map(len, sides)) == len(SPANS) and all(map(len, sides))
    titles = [set(one["title"]) for one in sides]
    assert sum(map(len, titles)) == len(set().union(*titles)) == 9
    made = tk.split(SPANS, out=tmp_path / "sides")
    for side, name in zip(sides, ("train", "dev", "test"), strict=True):
        read = read_squad(tmp_path / "sides" / f"{name}.tsv").data
        told = [(one.question, one.answers[0].text if one.answers else "") for one in read]
        assert told == list(zip(side["question"], side["answer"], strict=True))
        assert made.sides[name].pairs == len(side)


def test_untitled_passages_are_apart():
    sides = [set(one["context"]) for one in tk.split(SPANS.drop(columns="title"))]
    assert sum(map(len, sides)) == len(set().union(*sides)) == 45


def test_documents_of_squad_have_no_rows(tmp_path):
    path = tmp_path / "squad.json"
    articles = [
        {
            "title": f"t{number}",
            "paragraphs": [
                {
                    "context": f"It is {number}.",
                    "qas": [{"id": f"{number}", "question": f"{number}?", "answers": []}],
                }
            ],
        }
        for number in range(3)
    ]
    path.write_text(json.dumps({"data": articles}))
    with pytest.raises(UsageError) as caught:
        tk.split(path, out=tmp_path / "sides")
    assert caught.value.value == "squad" and "articles" in caught.value.fix


def test_candidates_on_several_sides_are_counted(tmp_path):
    rows = [
        (f"q{number}", f"question {number}", text, label)
        for number in range(12)
        for text, label in ((f"answer {number}", 1), ("a filler", 0), (f"answer {(number + 1) % 12}", 0))
    ]
    frame = pd.DataFrame(rows, columns=["qid", "question", "candidate", "label"])
    found = tk.split(frame, dev_size=0.25, test_size=0.25)
    sides = [set(side["candidate"]) for side in found]
    several = sum(len(one & other) for one, other in ((sides[0], sides[1]), (sides[0], sides[2]), sides[1:]))
    assert found.shared.texts == several > 0
    questions = [set(side["question"]) for side in found]
    assert sum(map(len, questions)) == len(set.union(*questions)) == 12
    right = [set(side["candidate"][side["label"] == 1]) for side in found]
    assert sum(map(len, right)) == len(set.union(*right))
    frame.to_csv(tmp_path / "own.csv", index=False)
    report = tk.split(tmp_path / "own.csv", out=tmp_path / "sides", dev_size=0.25, test_size=0.25)
    assert report.shared.texts == several


def test_a_label_that_a_side_lacks_has_a_share_of_none_there(tmp_path):
    rows = [(f"a{n}", f"b{n}", int(n == 0)) for n in range(40)]
    in_memory = tk.split(rows)
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    written = tk.split(path, out=tmp_path / "split")
    for found in (in_memory, written):
        table = found.to_pandas().set_index("side")
        assert sorted(table["label 1"]) == [0, 0, 1 / max(table["pairs"])]
        assert list(table["label 0"] + table["label 1"]) == [1, 1, 1]
        assert "label 1" in str(found) and "label 1" in found._repr_html_()
    alone = tk.split([("a", "b", 1), ("b", "c", 0)])
    assert alone.rows()[1]["label 1"] is None  # of no pair


@pytest.mark.parametrize("encoding", ["cp1252", "iso2022_jp", "utf-16-le"])
def test_the_rows_of_a_file_are_copied_in_its_encoding(encoding, tmp_path):
    word = "質問" if encoding == "iso2022_jp" else "Öl"
    path, rows = tmp_path / "pairs.csv", [(f"{word} {row}", f"{word}, {row}", row % 2) for row in range(20)]
    lines = ["text_a,text_b,label", *(f'{a},"{b}",{same}' for a, b, same in rows)]
    path.write_bytes("\n".join(lines).encode(encoding))
    report = tk.split(path, out=tmp_path / "split", encoding=encoding)
    sides = [tk.load_pairs(tmp_path / "split" / name).data for name in report.files]
    assert sorted(pair for side in sides for pair in side.texts) == sorted((a, b) for a, b, _ in rows)


def test_a_document_of_squad_in_memory_is_split_as_its_file_is():
    paragraphs = [
        {
            "context": f"Ada number {n} met Bob.",
            "qas": [
                {
                    "id": str(n),
                    "question": f"Who met Bob {n}?",
                    "answers": [{"text": "Ada", "answer_start": 0}],
                }
            ],
        }
        for n in range(30)
    ]
    found = tk.split({"version": "1.1", "data": [{"title": "Ada", "paragraphs": paragraphs}]})
    assert sum(map(len, found)) == 30 and isinstance(found.test, tk.SpanSet)
