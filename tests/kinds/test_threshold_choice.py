"""Thresholds of the systems of a judge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.kinds.threshold_choice import Thresholds
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal

_LABELS = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
_SEEDS = (np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]), np.array([0.9, 0.2, 0.5, 0.15, 0.4, 0.3, 0.05]))


def fitted() -> Thresholds:
    made = Thresholds(Aim.F1, Aim.ACCURACY)
    made.fit("static", [(_LABELS, scores) for scores in _SEEDS])
    return made


def test_each_seed_and_aim_has_its_own() -> None:
    made = fitted()
    for aim in made.aims:
        expected = [fit_threshold(_LABELS, scores, Goal(aim)).value for scores in _SEEDS]
        assert made.of("static", aim) == expected
    assert made.of("static", Aim.F1)[1] != made.of("static", Aim.ACCURACY)[1]
    assert "static" in made and "bm25" not in made


def test_they_come_back_from_their_file(tmp_path: Path) -> None:
    made = fitted()
    made.fit("bm25", [(_LABELS, _SEEDS[0])])
    made.write(tmp_path)
    again = Thresholds(Aim.F1, Aim.ACCURACY)
    again.read(tmp_path, ["bm25"])
    assert "bm25" in again and "static" not in again
    assert again.of("bm25", Aim.F1) == made.of("bm25", Aim.F1)
    again.read(tmp_path, ["static", "bm25"])
    assert again.of("static", Aim.ACCURACY) == made.of("static", Aim.ACCURACY)


def test_without_thresholds_there_is_no_file(tmp_path: Path) -> None:
    none = Thresholds(Aim.F1)
    none.write(tmp_path)
    assert list(tmp_path.iterdir()) == []
    none.read(tmp_path, ["static"])
    assert "static" not in none


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values.pop("static"),
        lambda values: values["static"].pop("f1"),
        lambda values: values["static"].update(f1=["much"]),
        lambda values: values["static"].update(f1=0.5),
        lambda values: values.update(static=[0.5]),
    ],
)
def test_a_file_that_lacks_some_is_refused(spoil, tmp_path: Path) -> None:
    fitted().write(tmp_path)
    path = tmp_path / "thresholds.json"
    values = json.loads(path.read_text())
    spoil(values)
    path.write_text(json.dumps(values))
    with pytest.raises(DataError) as caught:
        Thresholds(Aim.F1, Aim.ACCURACY).read(tmp_path, ["static"])
    assert str(caught.value.path).endswith("thresholds.json")
    assert str(path) in str(caught.value)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thresholds.json").write_text("{")
    with pytest.raises(DataError) as error:
        Thresholds(Aim.F1).read(tmp_path, [])
    assert str(error.value.path).endswith("thresholds.json")
