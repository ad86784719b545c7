from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError, ModelError
from textkin.measures.decisions.calibration import Isotonic, Platt
from textkin.measures.decisions.fit_threshold import Goal, fit_threshold
from textkin.measures.decisions.saved_thresholds import SavedDecision, SavedThreshold

LABELS, SCORES = np.array([1.0, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.1], dtype=np.float32)
THRESHOLD = fit_threshold(LABELS, SCORES, Goal.parse("f1"))


def decision(*, precision: tuple[float, float] | None = (0.5, 0.9)) -> SavedDecision:
    saved = SavedThreshold(THRESHOLD, "dev.tsv", "ab" * 32, precision)
    return SavedDecision("tfidf-char", "cd" * 32, saved, Platt(2.0, -1.0))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for calibration in (Platt(2.0, -1.0), Isotonic((0.1, 0.5), (0.2, 0.9))):
        for precision in (None, (0.5, 0.9)):
            kept = decision(precision=precision)
            kept = SavedDecision(kept.model, kept.model_sha256, kept.threshold, calibration)
            kept.write(tmp_path / "decision.json")
            assert SavedDecision.read(tmp_path / "decision.json") == kept


def test_another_model_is_refused() -> None:
    decision().require("cd" * 32, path="d.json", name="tfidf-char")
    with pytest.raises(ModelError) as error:
        decision().require("ef" * 32, path="d.json", name="bm25")
    assert error.value.value == "bm25"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "no decision of tk.calibrate"),
        ('{"format": 1}', "no decision of tk.calibrate"),
        ('{"kind": "decision", "format": 2}', "has format 2, this textkin reads format 1"),
        ('{"kind": "decision", "format": 1}', "is damaged"),
    ],
)
def test_what_is_no_decision_is_refused(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "decision.json"
    path.write_text(content)
    with pytest.raises(DataError, match=f"decision.json: .*{words}"):
        SavedDecision.read(path)
    with pytest.raises(DataError) as error:
        SavedDecision.read(tmp_path / "none.json")
    assert str(error.value.path).endswith("none.json")


def test_numbers_that_no_float_holds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "decision.json"
    decision().write(path)
    values = json.loads(path.read_text())
    values["threshold"]["threshold"]["value"] = 10**400
    path.write_text(json.dumps(values))
    with pytest.raises(DataError) as error:
        SavedDecision.read(path)
    assert str(error.value.path).endswith("decision.json")


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=150)
def test_a_damaged_decision_is_refused_or_read(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "decision.json"
    decision().write(path)
    values = json.loads(path.read_text())
    place = data.draw(st.sampled_from([(), ("threshold",), ("threshold", "threshold"), ("calibration",)]))
    part = values
    for key in place:
        part = part[key]
    key = data.draw(st.sampled_from(sorted(part)))
    part[key] = data.draw(st.none() | st.integers() | st.text(max_size=3) | st.just([]) | st.just({}))
    path.write_text(json.dumps(values))
    try:
        SavedDecision.read(path)
    except DataError as error:
        assert "decision.json" in str(error)
