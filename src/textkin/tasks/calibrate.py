"""Fit a model's threshold and calibration on labelled pairs, and save both with the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.decision.calibration import Calibration, Method, fit_calibration
from textkin.decision.threshold import Goal, Threshold, fit_threshold
from textkin.errors import LeakError
from textkin.files import sha256_of_file
from textkin.metrics.calibration import brier, expected_calibration_error
from textkin.readers import load_pairs
from textkin.records import PairSet
from textkin.report import content as say
from textkin.splits.proof import leaks
from textkin.tasks.decided import Decision, threshold_on
from textkin.tasks.judges import PairJudge
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.resolve import load, model_folder

_ISOTONIC_FROM = 1000  # fewer pairs don't fix a free curve; a sigmoid has two parameters


@final
@dataclass(frozen=True, slots=True)
class Calibrated:
    """What was fitted, and how it does on other pairs.

    Attributes:
        model: the model directory that now holds threshold and calibration.
        fitted_on: the file they were fitted on.
        threshold: with its figures on that file.
        calibration: scores to probabilities.
        test: the threshold on a test file, unchanged, with intervals; None without one.
        test_ece: expected calibration error of the probabilities on the test file.
        test_brier: their Brier score.
    """

    model: Path
    fitted_on: str
    threshold: Threshold
    calibration: Calibration
    test: say.Threshold | None = None
    test_ece: float | None = None
    test_brier: float | None = None


def calibrate(
    model: str,
    data: Path | str,
    *,
    goal: Goal,
    test: Path | str | None = None,
    method: Method | None = None,
    sampling: Sampling | None = None,
    **reading: Any,
) -> Calibrated:
    """Fit on ``data``, save with the model, and judge on ``test`` if it is given.

    Args:
        model: a textkin model directory.
        data: labelled pairs that the model was not trained on.
        goal: of the threshold.
        test: labelled pairs that share no text with ``data``.
        method: of the calibration; None for isotonic from 1,000 pairs on, else Platt's.
        sampling: of the intervals on ``test``.
        **reading: ``columns``, ``format``, ``quoting``, ``labels`` for ``readers.load_pairs``.

    Raises:
        ModelError: ``model`` is no textkin model.
        DataError: the pairs are not of both kinds.
        LeakError: ``data`` and ``test`` share texts.
    """
    from textkin.model_dir import SavedThreshold, save_decision

    folder = model_folder(model)
    scorer = load(folder)
    pairs = load_pairs(data, **reading).data
    held_out = None if test is None else load_pairs(test, **reading).data
    if held_out is not None:
        _refuse_leaks(pairs, held_out)
    labels, scores = pairs.labels, scorer.score(pairs.texts)
    threshold, calibration = fit_decision(labels, scores, goal=goal, method=method)
    saved = SavedThreshold(threshold, Path(data).name, sha256_of_file(data))
    save_decision(folder, threshold=saved, calibration=calibration)
    if held_out is None:
        return Calibrated(folder, Path(data).name, threshold, calibration)
    judge = PairJudge(held_out, sampling=sampling or Sampling())
    there = scorer.score(held_out.texts).astype(np.float64)
    probabilities = calibration.probability(there)
    return Calibrated(
        model=folder,
        fitted_on=Path(data).name,
        threshold=threshold,
        calibration=calibration,
        test=threshold_on(judge, Decision(scorer.name, threshold, calibration, goal), there),
        test_ece=expected_calibration_error(judge.test.labels, probabilities),
        test_brier=brier(judge.test.labels, probabilities),
    )


def fit_decision(
    labels: NDArray[np.float64],
    scores: NDArray[np.floating[Any]],
    *,
    goal: Goal,
    method: Method | None = None,
) -> tuple[Threshold, Calibration]:
    """Threshold and calibration on the same pairs, both arrays of shape [pairs]."""
    if method is None:
        method = Method.ISOTONIC if len(labels) >= _ISOTONIC_FROM else Method.PLATT
    return fit_threshold(labels, scores, goal), fit_calibration(labels, scores, method=method)


def _refuse_leaks(pairs: PairSet, held_out: PairSet) -> None:
    report = leaks(pairs, held_out)
    shared = sum(overlap.keys for overlap in report.overlaps)
    if shared:
        example = next(text for overlap in report.overlaps for text in overlap.examples)
        raise LeakError(
            f"{pairs.name} and {held_out.name} share {shared} texts, for example {example!r}: "
            "figures on such a test would be too good",
            fix="split them with: textkin split",
        )
