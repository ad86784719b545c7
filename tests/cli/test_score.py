"""textkin score."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin, write_pairs
from textkin.models.inference import load_scorer

pytestmark = pytest.mark.torch


def test_score_two_texts(textkin: Textkin, trained: Path) -> None:
    a, b = "how do I repair printer 1", "ways of repairing printer 1"
    told = textkin("score", trained / "model", a, b, "--json").json
    (score,) = load_scorer(trained / "model").score([(a, b)]).tolist()
    assert set(told) == {
        *("model", "threshold", "threshold_fitted", "truncation", "coverage"),
        *("score", "probability", "same"),
    }
    assert told["threshold_fitted"] is True
    assert told["score"] == score
    assert told["probability"] == pytest.approx(1 / (1 + np.exp(1 - 4 * score)))
    assert told["same"] is (score >= told["threshold"])
    header, _, row = textkin("score", trained / "model", a, b).out.splitlines()
    assert header.split() == ["model", "score", "probability", "threshold", "decision"]
    assert row.split()[:2] == ["tiny", f"{score:.4f}"] and row.split()[-1] in ("same", "different")


def test_score_a_file_of_pairs(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.tsv", stop=3)
    with path.open("a") as stream:
        stream.write("\tno first text\t1\nlast\ttexts\t0\n")
    shown = textkin("score", trained / "model", "--pairs", path)
    rows = list(csv.DictReader(shown.out.splitlines(), delimiter="\t"))
    assert "skipped 1: 1 empty text (line 8)" in shown.err
    assert [row["row"] for row in rows] == ["1", "2", "3", "4", "5", "6", "8"]
    assert rows[-1]["text_a"] == "last" and {row["decision"] for row in rows} <= {"same", "different"}
    told = textkin("score", trained / "model", "--pairs", path, "--json").json["pairs"]
    assert [row["row"] for row in told] == [1, 2, 3, 4, 5, 6, 8]
    assert [float(row["score"]) for row in rows] == pytest.approx([row["score"] for row in told], abs=1e-6)
    out = tmp_path / "scored.tsv"
    assert textkin("score", trained / "model", "--pairs", path, "--out", out).code == 0
    assert out.read_text() == shown.out
    saved = textkin("score", trained / "model", "--pairs", path, "--out", out, "--json").json
    assert (saved["count"], saved["out"]) == (7, str(out))


def test_score_with_a_baseline(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("score", "tfidf", "green apple", "green pear", "--json")
    assert 0 < found.json["score"] < 1 and found.json["same"] is None
    assert (
        found.err
        == "textkin: tfidf takes its word frequencies from these two texts; give more of them with --fit\n"
    )
    texts = tmp_path / "texts.txt"
    texts.write_text("green apple\ngreen pear\ngreen\ngreen\n")
    fitted = textkin("score", "tfidf", "green apple", "green pear", "--fit", texts, "--json")
    assert fitted.err == "" and fitted.json["score"] < found.json["score"]
    constant = textkin("score", "constant", "a", "b").out.splitlines()
    assert constant[0].split() == ["model", "score"]


def test_a_threshold_of_the_user_is_marked_as_not_fitted(
    textkin: Textkin, trained: Path, tmp_path: Path
) -> None:
    a, b = "how do I repair printer 1", "ways of repairing printer 1"
    (score,) = load_scorer(trained / "model").score([(a, b)]).tolist()
    shown = textkin("score", trained / "model", a, b, "--threshold", score + 0.01)
    assert "(not fitted)   different" in shown.out
    assert "was given and is not fitted; the model's own, " in shown.err
    assert textkin("score", trained / "model", a, b, "--threshold", score - 0.01).out.endswith("same\n")
    told = textkin("score", "constant", a, b, "--threshold", "0.7", "--json").json
    assert (told["threshold"], told["threshold_fitted"], told["same"]) == (0.7, False, False)
    path = write_pairs(tmp_path / "pairs.tsv", stop=3)
    header, *rows = textkin("score", "tfidf", "--pairs", path, "--threshold", "0.2").out.splitlines()
    assert header.split("\t") == ["row", "text_a", "text_b", "score", "decision (not fitted)"]
    for row in rows:
        *_, found, decision = row.split("\t")
        assert decision == ("same" if float(found) >= 0.2 else "different")


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["tfidf", "a", "b", "--threshold", "nan"], 2, "expected a finite number"),
        (["tfidf", "a", "b", "--threshold", "-inf"], 2, "expected a finite number"),
        (["tfidf", "a", "b", "--threshold", "0.5", "--decision", "x.json"], 2, "at once"),
        (["nosuch", "a", "b"], 5, "no model directory 'nosuch'"),
        (["tfidf"], 2, "give two texts, or --pairs FILE"),
        (["tfidf", "a"], 2, "give two texts, or --pairs FILE"),
        (["tfidf", "a", "b", "--pairs", "x.tsv"], 2, "both a text and --pairs"),
        (["constant", "a", "b", "--out", "x.tsv"], 2, "--out goes with --pairs"),
        (["mean-vectors", "a", "b"], 2, "needs --vectors"),
        ([".", "a", "b"], 5, "is not a textkin model"),
    ],
)
def test_score_refuses(
    textkin: Textkin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = textkin("score", *arguments)
    assert found.code == code and expected in found.error


def test_the_pairs_are_never_written_over(textkin: Textkin, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\nx\ty\n")
    done = textkin("score", "default", "--pairs", pairs, "--out", pairs)
    assert done.code == 2 and "is the file of pairs; choose another file for the scores" in done.err
    assert pairs.read_text() == "a\tb\nx\ty\n"
