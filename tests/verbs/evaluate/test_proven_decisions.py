"""calibrate with a proof: the record of the draws decides, and data without one are rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.errors import DataError, PromiseError, UsageError
from textkin.data import samples
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.measures.labels.answer_file import LabelAnswer
from textkin.measures.labels.labelled_file import record_of
from textkin.verbs.evaluate.calibrate_model import Calibrated, CalibrateOptions, calibrate_model


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mined pairs, labelled by their scores, until a precision and a recall are bounded."""
    return labelled_in(tmp_path_factory.mktemp("proven"), recall=True)


def labelled_in(place: Path, *, recall: bool) -> Path:
    tk.mine(samples.path("inbox.txt"), top=150, out=place / "mined.tsv")
    lines = [line.split("\t") for line in (place / "mined.tsv").read_text().splitlines()]
    head = lines[0]
    score_of = {
        frozenset((one[head.index("text_a")], one[head.index("text_b")])): float(one[head.index("score")])
        for one in lines[1:]
    }
    scores = sorted(score_of.values(), reverse=True)
    session = tk.label(place / "mined.tsv", precision=0.7, threshold=scores[60], recall=recall)
    for _ in range(70):
        question = session.next()
        if question is None:
            break
        score = score_of[frozenset((question.first, question.second))]
        same = score >= scores[75 if recall else 45]
        session.answer(question, LabelAnswer.SAME if same else LabelAnswer.DIFFERENT)
    state = session.state()
    assert state.proven is not None and session.export(place / "labelled.tsv") == state.answered
    return place / "labelled.tsv"


def calibrated(path: Path, goal: str = "precision=0.7", **options: object) -> Calibrated:
    chosen = CalibrateOptions(out=path.parent / "decision.json", proof=True, **options)  # type: ignore[arg-type]
    return calibrate_model("default", path, goal=Goal.parse(goal), options=chosen)


@pytest.mark.slow
def test_what_is_proven_is_kept_with_the_threshold(labelled: Path) -> None:
    found = calibrated(labelled)
    saved = SavedDecision.read(found.saved_in).threshold
    assert saved.proof == found.proof and saved.proof is not None
    assert saved.proof.precision >= 0.7 and saved.proof.pairs == 150 and 0 < (saved.proof.recall or 0) < 1
    assert saved.precision == (saved.proof.precision, 1.0)
    assert "however often anybody looked: a precision of at least 0." in str(found)
    shown = tk.verify("default", decision=found.saved_in).passport.rows()[0]
    assert shown["proven precision"] == saved.proof.precision and shown["proven recall"] == saved.proof.recall
    assert tk.score([("one", "one")], decision=found.saved_in).same.tolist() == [True]


@pytest.mark.slow
def test_without_a_recall_the_pairs_are_those_that_were_drawn_from(tmp_path: Path) -> None:
    proof = calibrated(labelled_in(tmp_path, recall=False)).proof
    assert proof is not None and proof.recall is None and proof.pairs == 61


@pytest.mark.slow
def test_a_precision_that_is_not_proven_is_refused(labelled: Path) -> None:
    with pytest.raises(PromiseError):
        calibrated(labelled, "precision=0.99")


@pytest.mark.parametrize("goal", ["f1", "recall=0.5", "precision=0.9:estimate", "precision=1"])
def test_goals_that_labels_do_not_prove(labelled: Path, goal: str) -> None:
    with pytest.raises(UsageError) as error:
        calibrated(labelled, goal)
    assert error.value.params == ("proof",)


def test_a_file_without_a_record_proves_nothing(labelled: Path, tmp_path: Path) -> None:
    bare = tmp_path / "labelled.tsv"
    bare.write_bytes(labelled.read_bytes())
    with pytest.raises(DataError) as error:
        calibrated(bare)
    assert str(error.value.path).endswith("labelled.tsv")
    with pytest.raises(DataError) as error:
        calibrated(other_pairs(tmp_path))
    assert str(error.value.path).endswith("pairs.tsv")
    record_of(bare).write_bytes(record_of(labelled).read_bytes())
    bare.write_text(bare.read_text().replace("\n0\t", "\n1\t", 1))
    with pytest.raises(DataError) as error:
        calibrated(bare)
    assert str(error.value.path).endswith("labelled.tsv")


def other_pairs(place: Path) -> Path:
    path = place / "pairs.tsv"
    path.write_text("text_a\ttext_b\tlabel\nred apples\tred apple\t1\ngreen pears\tcold rain\t0\n")
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "other"}, "not a record"),
        ({"format": 2}, "not a record"),
        ({"rows": [1]}, "is damaged"),
        ({"draws": [[1, 2]]}, "is damaged"),
        ({"draws": [[900, 901, 0]]}, "is damaged"),
        ({"draws": [[True, 2, 0]]}, "is damaged"),
        ({"draws": []}, "is damaged"),
        ({"thresholds": []}, "is damaged"),
        ({"thresholds": [[0.5, 99999]]}, "is damaged"),
        ({"error": 2}, "is damaged"),
        ({"scores": ["x"]}, "is damaged"),
        ({"count": None}, "is damaged"),
    ],
)
def test_a_broken_record(labelled: Path, tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = tmp_path / "labelled.tsv"
    path.write_bytes(labelled.read_bytes())
    values = json.loads(record_of(labelled).read_text())
    record_of(path).write_text(json.dumps({**values, **change}))
    with pytest.raises(DataError, match=said):
        calibrated(path)
    record_of(path).write_text("{")
    with pytest.raises(DataError) as error:
        calibrated(path)
    assert str(error.value.path).endswith("labelled.tsv.drawn.json")


def test_pairs_that_were_drawn_by_another_model(labelled: Path, tmp_path: Path) -> None:
    out, fit = tmp_path / "decision.json", samples.path("inbox.txt")
    with pytest.raises(DataError) as error:
        tk.calibrate(labelled, "tfidf", precision=0.7, proof=True, out=out, fit=fit)
    assert str(error.value.path).endswith("labelled.tsv")
