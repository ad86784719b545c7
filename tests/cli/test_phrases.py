import io
import json
import sys

import pytest

from tests.making_phrases import tiny_phrases
from textkin.models.model_folder import load_model, save_model

pytestmark = pytest.mark.torch

PASSAGES = [
    "The Normans gave their name to Normandy, a region in France.",
    "Emma of Normandy married King Æthelred in 1002.",
]
ASKED = [
    ("q1", "Who gave their name to Normandy?", "The Normans", 0),
    ("q2", "Who married King Æthelred?", "Emma", 1),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paragraphs = [
        {
            "context": text,
            "qas": [
                {"id": name, "question": asked, "answers": [{"text": answer, "answer_start": 0}]}
                for name, asked, answer, place in ASKED
                if place == number
            ],
        }
        for number, text in enumerate(PASSAGES)
    ]
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"version": "1.1", "data": [{"title": "A/B", "paragraphs": paragraphs}]}))
    return path


def test_from_data_to_figures(textkin, data):
    found = textkin("phrases", "split", data, "c.json", "q.json", "--json").json
    assert (found["articles"], found["paragraphs"], found["asked"]) == (1, 2, 2)
    found = textkin(
        "phrases", "embed", "c.json", "--model", "tfidf", "--out", "c.zip", "--dtype", "float16", "--json"
    ).json
    assert (found["items"], found["empty"], found["already"]) == (2, 0, False)
    assert found["bytes_per_word"] == found["bytes"] / 19
    again = textkin("phrases", "embed", "c.json", "--model", "tfidf", "--out", "c.zip", "--dtype", "float16")
    assert "were there already" in again.out
    asked = textkin("phrases", "embed", "q.json", "--model", "tfidf", "--out", "q", "--json").json
    assert asked["bytes_per_word"] > 0
    found = textkin("phrases", "merge", "c.zip", "q", "--out", "p.json", "--json").json
    assert (found["questions"], found["answers"], found["metric"]) == (2, 2, "ip")
    answers = json.loads((data.parent / "p.json").read_text())
    assert set(answers) == {"q1", "q2"} and all(text in " ".join(PASSAGES) for text in answers.values())
    assert textkin("compare", data, "--predictions", "p.json", "--json").json["questions"] == 2


def test_what_is_missing_is_told(textkin, data):
    textkin("phrases", "split", data, "c.json", "q.json")
    textkin("phrases", "embed", "c.json", "--model", "tfidf", "--out", "c")
    textkin("phrases", "embed", "q.json", "--model", "tfidf", "--out", "q")
    (data.parent / "q" / "q2.npz").unlink()
    found = textkin("phrases", "merge", "c", "q", "--question-file", "q.json", "--out", "p.json")
    assert "1 of 2 questions answered" in found.out and "1 question without a file" in found.out


def test_one_of_a_kind_is_told_as_one(textkin, data):
    paragraphs = [{"context": PASSAGES[1], "qas": []}]
    data.write_text(json.dumps({"version": "1.1", "data": [{"title": "", "paragraphs": paragraphs}]}))
    textkin("phrases", "split", data, "c.json", "q.json")
    found = textkin("phrases", "embed", "c.json", "--model", "tfidf", "--out", "c").out
    assert found.startswith("1 context, ")
    found = textkin("phrases", "embed", "q.json", "--model", "tfidf", "--out", "q").out
    assert found.startswith("0 questions, 0 vectors of ") and "nan" not in found


@pytest.mark.parametrize("arguments", [["embed", "c.json"], ["index", "c.json"]])
def test_a_wrong_option_leaves_nothing_to_go_on_with(textkin, data, arguments):
    textkin("phrases", "split", data, "c.json", "q.json")
    before = sorted(data.parent.iterdir())
    found = textkin("phrases", *arguments, "--model", "tfidf", "--out", "x", "--per-passage", "4")
    assert found.code == 2 and "goes on from there" not in found.err
    assert sorted(data.parent.iterdir()) == before


def test_an_index_is_asked(textkin, data, monkeypatch):
    found = textkin("phrases", "index", data, "--model", "tfidf", "--out", "i", "--json").json
    assert (found["passages"], found["recall"], found["model"]) == (2, [], "tfidf")
    assert found["bytes_per_phrase"] == found["bytes"] / found["phrases"]
    shown = textkin("phrases", "search", "i", "Who married King Æthelred?", "-k", "1").out
    assert "[[" in shown and "Emma" in shown and "exact search" in shown
    assert "no phrase found" in textkin("phrases", "search", "i", "unheard").out
    monkeypatch.setattr(sys, "stdin", io.StringIO("Who married?\n\n  Who gave?\n"))
    lines = [json.loads(line) for line in textkin("phrases", "search", "i", "--json").out.splitlines()]
    assert [line["question"] for line in lines] == ["Who married?", "Who gave?"]
    hit = lines[0]["hits"][0]
    assert hit["passage"] == PASSAGES[1] and PASSAGES[1][hit["start"] : hit["end"]] == hit["phrase"]
    (data.parent / "more.txt").write_text("Rollo married Poppa.\n")
    grown = textkin("phrases", "add", "i", "more.txt", "--json").json
    assert (grown["passages"], grown["out"]) == (3, "i")
    assert "Poppa" in textkin("phrases", "search", "i", "Who married Poppa?").out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["embed", "data.json", "--model", "tfidf", "--out", "c"], 3, "questions beside the context"),
        (["embed", "none.json", "--model", "tfidf", "--out", "q"], 3, "no such file"),
        (["index", "data.json", "--out", "i", "--model", "runs/x"], 5, "no model or baseline"),
        (["index", "data.json", "--model", "tfidf", "--out", "i", "--cells", "4"], 2, "--cells"),
        (
            ["index", "data.json", "--model", "tfidf", "--out", "i", "--per-passage", "4"],
            2,
            "--per-passage doesn't apply",
        ),
        (["search", "none", "Who?"], 3, "no index of phrases"),
        (["search", "none", " "], 2, "the question is blank"),
        (["split", "data.json", "data.json", "q.json"], 2, "given twice"),
    ],
)
def test_errors_are_one_line(textkin, data, arguments, code, told):
    found = textkin("phrases", *arguments)
    assert found.code == code and told in found.err.splitlines()[-1]
    assert found.err.splitlines()[-1].startswith("textkin: error: ") and not found.out


def test_contexts_without_questions_are_passages(textkin, data):
    textkin("phrases", "split", data, "c.json", "q.json")
    found = textkin("phrases", "index", "c.json", "--model", "tfidf", "--out", "i", "--json").json
    assert (found["passages"], found["phrases"]) == (
        2,
        textkin("phrases", "index", data, "--model", "tfidf", "--out", "j", "--json").json["phrases"],
    )


def test_what_is_read_is_not_overwritten(textkin, data):
    textkin("phrases", "split", data, "c.json", "q.json")
    textkin("phrases", "embed", "c.json", "--model", "tfidf", "--out", "c")
    textkin("phrases", "embed", "q.json", "--model", "tfidf", "--out", "q.zip")
    before = (data.parent / "q.json").read_bytes()
    for name in ("q.json", "c", "q.zip"):
        found = textkin("phrases", "merge", "c", "q.zip", "--question-file", "q.json", "--out", name)
        assert found.code == 2 and "would overwrite" in found.error
    assert (data.parent / "q.json").read_bytes() == before


def test_an_index_finds_its_model(textkin, data, monkeypatch):
    tiny_phrases(data.parent / "runs" / "tiny")
    textkin("phrases", "index", data, "--out", "i", "--model", "runs/tiny")
    (data.parent / "elsewhere").mkdir()
    monkeypatch.chdir(data.parent / "elsewhere")
    hits = textkin("phrases", "search", "../i", "Who married?", "--json").json["hits"]
    assert len(hits) == 5
    (data.parent / "runs").rename(data.parent / "moved")
    found = textkin("phrases", "search", "../i", "Who married?")
    assert found.code == 5 and "give its folder with --model" in found.error
    again = textkin("phrases", "search", "../i", "Who married?", "--model", "../moved/tiny", "--json").json
    assert again["hits"] == hits
    found = textkin("phrases", "search", "../i", "Who married?", "--model", "tfidf")
    assert found.code == 3 and "made by tiny, not by tfidf" in found.error


def test_an_index_may_say_that_there_is_no_answer(textkin, data):
    folder = data.parent / "runs" / "tiny"
    tiny_phrases(folder, answers_none=True)
    for prior, is_none in ((1e3, True), (-1e3, False)):
        model = load_model(folder)
        model.module.nothing.prior.data.fill_(prior)
        save_model(model, folder.with_name(f"tiny{is_none}"))
        name = f"i{is_none}"
        textkin("phrases", "index", data, "--out", name, "--model", f"runs/tiny{is_none}")
        found = textkin("phrases", "search", name, "Who married?", "--json").json
        assert (found["is_none"], found["no_answer"]) == (is_none, pytest.approx(2 * prior, abs=10))
        shown = textkin("phrases", "search", name, "Who married?").out
        assert shown.startswith("no answer   score 200") == is_none
        assert "phrase" in shown


def test_the_recall_stands_beside_what_was_stated(textkin, data):
    pytest.importorskip("faiss")
    tiny_phrases(data.parent / "tiny")
    (data.parent / "asked.txt").write_text("Who gave?\nWho married?\nWhere is Normandy?\n")
    made = textkin("phrases", "index", data, "--model", "tiny", "--out", "i", "--cells", "2", "--probe", "2")
    assert made.code == 0, made.err
    found = textkin("phrases", "evaluate", "i", "asked.txt", "--json").json
    stated, measured = found["stated"], found["measured"]
    assert [one["depth"] for one in stated] == [one["depth"] for one in measured] == [1, 10]
    assert [(one["of"], one["value"], one["n"]) for one in measured] == [
        ("questions", 1, 3),
        ("questions", 1, 3),
    ]
    assert found["sides"] == ["within" if one["high"] == 1 else "above" for one in stated]
    shown = textkin("phrases", "evaluate", "i", "asked.txt").out.splitlines()
    assert shown[0].startswith("stated    recall@1") and shown[1].startswith("measured  recall@1 1.000")
    assert "the stated interval" in shown[1] and len(shown) == 4
    textkin("phrases", "index", data, "--model", "tiny", "--out", "exact")
    refused = textkin("phrases", "evaluate", "exact", "asked.txt")
    assert refused.code == 2 and "searched exactly" in refused.error


def test_another_encoder_of_the_same_name(textkin, data):
    textkin("phrases", "index", data, "--model", "tfidf", "--out", "i")
    path = data.parent / "i" / "textkin.json"
    manifest = json.loads(path.read_text())
    manifest["made_of"]["model_hash"] = "0"
    path.write_text(json.dumps(manifest))
    assert "made by another tfidf" in textkin("phrases", "search", "i", "Who?").error


def test_dense_and_sparse_vectors_in_one_score(textkin, data, monkeypatch):
    tiny_phrases(data.parent / "runs" / "tiny")
    textkin("phrases", "split", data, "c.json", "q.json")
    answers = {}
    for model in ("runs/tiny", "runs/tiny+tfidf:1e-9", "runs/tiny+tfidf:1e6"):
        textkin("phrases", "embed", "c.json", "--model", model, "--out", f"c-{model[-4:]}")
        textkin("phrases", "embed", "q.json", "--model", model, "--out", f"q-{model[-4:]}")
        name = f"{model[-4:]}.json"
        found = textkin("phrases", "merge", f"c-{model[-4:]}", f"q-{model[-4:]}", "--out", name)
        assert found.code == 0, found.err
        answers[model] = json.loads((data.parent / name).read_text())
    plain, little, much = answers.values()
    assert plain == little != much
    textkin("phrases", "index", data, "--out", "i", "--model", "runs/tiny+tfidf:2.5")
    monkeypatch.chdir(data.parent / "runs")
    hits = textkin("phrases", "search", "../i", "Who married?", "--json").json["hits"]
    assert len(hits) == 5 and hits[0]["score"] >= hits[4]["score"]
    monkeypatch.chdir(data.parent)
    found = textkin("phrases", "merge", "c-tiny", "q-1e-9", "--out", "x.json")
    assert found.code == 3 and "encode both sides with one model" in found.error
    for model, told in (
        ("runs/tiny+tfidf:x", "--model is 'runs/tiny+tfidf:x'"),
        ("runs/tiny+tfidf:-1", "--weight is -1.0"),
        ("tfidf+tfidf:1", "added to itself"),
        ("runs/none+tfidf:1", "no model or baseline"),
    ):
        found = textkin("phrases", "embed", "q.json", "--model", model, "--out", "z")
        assert found.code == (5 if "runs/none" in model else 2) and told in found.error, found.err
