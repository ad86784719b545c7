"""``textkin match``, from texts to verdicts."""

import io
import json
import shutil

import pytest

import textkin as tk
from textkin.cli import main

STORED = ["Where can I park my car?", "When do you open on Sunday?", "Do you sell bread?"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    (folder / "texts.txt").write_text("\n".join(STORED) + "\n")
    assert main(["collection", "add", str(folder / "c"), str(folder / "texts.txt")]) == 0
    return folder / "c"


@pytest.fixture
def collection(stored, tmp_path):
    return shutil.copytree(stored, tmp_path / "c")


@pytest.mark.slow
def test_a_text(textkin, collection):
    found = textkin("match", collection, "where can I park the car", "--threshold", "0.7")
    assert "duplicate" in found.out and STORED[0] in found.out
    assert "not fitted" in found.err
    assert textkin("match", collection, "where", "--threshold", "0.7", "--json").json["fitted"] is False
    found = textkin("match", collection, "where can I park the car")
    assert "the default threshold, not fitted" in found.err and "cosine of at least 0.9000" in found.err
    row = textkin("match", collection, "Is it cold?", "--threshold", "0.9", "--json").json
    assert (row["verdict"], row["probability"]) == ("new", None)


def test_a_text_is_explained(textkin, collection):
    asked = ("match", collection, "where can I park the car", "--threshold", "0.7", "--explain")
    found = textkin(*asked)
    assert "duplicate" in found.out and "shares of all pairs of tokens sum" in found.out
    told = textkin(*asked, "--json").json
    assert abs(sum(map(sum, told["explained"]["shares"])) - told["score"]) < 1e-6


def test_nothing_near_is_no_reason(textkin, tmp_path):
    with tk.open_collection(tmp_path / "empty", create=True):
        pass
    found = textkin("match", tmp_path / "empty", "Where?", "--threshold", "0.7", "--explain")
    assert found.code == 0 and "new" in found.out and "shares" not in found.out


def test_a_file(textkin, collection, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("key,said,lang\n1,when do you open on Sunday,en\n2,Is it cold?,en\n3,is it cold,de\n")
    columns = ("--text", "said", "--id", "key", "--metadata", "lang", "--threshold", "0.8")
    out = tmp_path / "matches.tsv"
    assert textkin("match", collection, table, "--out", out, *columns).code == 0
    assert [line.split("\t")[2] for line in out.read_text().splitlines()] == [
        *("verdict", "duplicate", "new", "new")
    ]
    found = textkin("match", collection, table, "--out", out, *columns, "--add")
    assert "3 texts: 2 duplicate, 1 new" in found.out and "holds 6 entries" in found.out
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert lines[0] == [
        "id",
        "text",
        "verdict",
        "nearest_id",
        "nearest_text",
        "score",
        "probability",
        "guards",
    ]
    assert [line[2] for line in lines[1:]] == ["duplicate", "new", "duplicate"]
    assert lines[3][3] == "2"
    exported = textkin("collection", "export", collection, "--out", tmp_path / "all.jsonl")
    assert exported.code == 0
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {row["id"]: row["metadata"] for row in rows}["3"] == {"duplicate_of": "2", "lang": "de"}


def test_a_stream(textkin, collection, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Is it cold?\n\nis it cold\n"))
    found = textkin("match", collection, "-", "--add", "--threshold", "0.8", "--json")
    assert [json.loads(line)["verdict"] for line in found.out.splitlines()] == ["new", "duplicate"]


@pytest.mark.slow
def test_a_fitted_collection_tells_its_rule(textkin, tmp_path):
    with tk.open_collection(tmp_path / "c", create=True) as notes:
        texts = [f"{word} number {n}" for n in range(40) for word in ("apple", "bicycle")]
        notes.add(texts, metadata=[{"group": text.split()[0]} for text in texts])
        notes.add(
            [f"a thing called {name}" for name in ("moon", "sea", "hill")],
            metadata=[{"group": n} for n in range(3)],
        )
        notes.fit_matching(groups="group", guards=())
    found = textkin("match", tmp_path / "c", "apple number 7", "--base-rate", "0.2")
    fit = ("calibrate", tmp_path / "c", "--groups", "group", "--guards", "none", "--precision", "0.5")
    again = textkin(*fit)
    assert "83 entries, 83 of them sampled" in again.out
    assert "no cosine is shown to reach precision 0.5" in again.out  # two groups of duplicates prove nothing
    assert "base rate given" in found.err and "where 0.2 of the texts have a duplicate" in found.err
    assert "83 entries, 83 of them sampled" in textkin(*fit, "--json").json["labels"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["x.txt", "--out", "y.tsv", "--explain"], "--explain and --out"),
        (["text", "--threshold", "2"], "--threshold is 2.0"),
        (["text", "--threshold", "0.5", "--guards", "word"], "--guards is 'word'"),
        (["text", "--base-rate", "0"], "--base-rate is 0.0"),
    ],
)
def test_wrong_arguments(textkin, collection, arguments, told):
    found = textkin("match", collection, *arguments)
    assert found.code == 2
    assert told in found.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "a collection needs"),
        (["--groups", "topic"], "no entries have the field 'topic'"),
        (["--groups", "topic", "-k", "3"], "-k doesn't apply to pairs and groups"),
        (["--groups", "topic", "--f1"], "--f1 is True, expected --precision, the only goal of matches"),
        (["--groups", "topic", "--recall", "0.9"], "the only goal of matches"),
        (["--groups", "topic", "--test", "x.tsv"], "--test doesn't apply to"),
    ],
)
def test_wrong_arguments_of_calibrate(textkin, collection, arguments, told):
    found = textkin("calibrate", collection, *arguments)
    assert found.code in (2, 3)
    assert told in found.err
