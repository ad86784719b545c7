"""Recompute what a study recorded: hashes, everything that follows from the scores, scores from the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.decision.threshold import Goal
from textkin.errors import DataError, VerifyError
from textkin.files import sha256_of_file
from textkin.records import PairSet
from textkin.report.content import StudyReport
from textkin.tasks.findings import Choice, Scores, choose, with_findings
from textkin.tasks.judges import PairJudge
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.provenance import code_hash
from textkin.tasks.resolve import load
from textkin.tasks.score_table import read_scores
from textkin.tasks.study_folder import HASHES, MODEL, REPORT, SCORES, STUDY, read_json, read_sides

_SAME_FIGURE = 1e-9
_SAME_SCORE = 1e-5  # another CPU or thread count sums in another order
_COSTS = frozenset({"seconds", "parameters"})
_AGAIN = "run the study again"


@final
@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked and found equal.

    Attributes:
        folder: the run directory.
        files: files whose hash is as recorded.
        figures: numbers of the report that were computed again from the scores: figures, intervals, tests,
            threshold, plots.
        scores: scores that the saved model gave again.
        largest_change: of a score.
        same_code: textkin's code is the one that made the study.
    """

    folder: Path
    files: int
    figures: int
    scores: int
    largest_change: float
    same_code: bool


def verify(folder: Path | str) -> Verified:
    """Check a study's run directory.

    Raises:
        DataError: it is no finished study.
        VerifyError: a hash, a figure or a score differs from what was recorded; the message names the first.
    """
    root = Path(folder)
    files = _check_hashes(root)
    report = StudyReport.from_dict(read_json(root / REPORT))
    settings = read_json(root / STUDY)
    try:
        sides = read_sides(root, settings["reading"])
        scores = _scores(root, settings, sides)
        choice = choose(scores.dev, scores.recipes, goal=Goal.parse(settings["goal"]))
        figures = _check_figures(report, scores, choice)
        checked, change = _check_scores(root, sides["test"], scores.test.scores[choice.name][choice.seed])
    except (KeyError, TypeError) as error:
        raise DataError(f"does not describe a study: {error!r}", path=root / STUDY, fix=_AGAIN) from error
    recorded = report.reproduction.hashes.get("code") if report.reproduction else None
    return Verified(root, files, figures, checked, change, recorded == code_hash())


def _check_hashes(root: Path) -> int:
    recorded = read_json(root / HASHES)
    for name, digest in recorded.items():
        path = root / name
        if not path.is_file():
            raise VerifyError(f"{path} is missing", fix=_AGAIN)
        if sha256_of_file(path) != digest:
            raise VerifyError(f"{path} is not the file that the study wrote", fix=_AGAIN)
    for name in (STUDY, REPORT):
        if name not in recorded:
            raise VerifyError(f"{root / HASHES} has no hash of {name}", fix=_AGAIN)
    return len(recorded)


def _scores(root: Path, settings: Mapping[str, Any], sides: Mapping[str, PairSet]) -> Scores:
    sampling = Sampling(**settings["sampling"])
    judges = []
    for name in ("dev", "test"):
        judge = PairJudge(sides[name], sampling=sampling)
        path = root / SCORES / f"{name}.tsv"
        labels, systems = read_scores(path)
        if not np.array_equal(labels, judge.test.labels):
            raise VerifyError(f"{path} has other labels than the split", fix=_AGAIN)
        for system, rows in systems.items():
            judge.take_scores(system, rows)
        judges.append(judge)
    curve = read_scores(root / SCORES / "curve.tsv")[1] if settings["curve"] else {}
    by_share = {float(share): rows for share, rows in curve.items()}
    recipes = tuple(name for name in judges[0].names if name in settings["models"])
    return Scores(judges[0], judges[1], recipes, by_share)


def _check_figures(report: StudyReport, scores: Scores, choice: Choice) -> int:
    """Compare the report with one in which everything that follows from the scores is made again."""
    labels = [point.labels for point in report.label_curve.points] if report.label_curve else []
    again = with_findings(report, scores, choice, labels=labels).to_dict()
    checked = 0
    for where, found, recorded in _leaves(again, report.to_dict(), "report"):
        if isinstance(found, float) and isinstance(recorded, float):
            checked += 1
            if abs(found - recorded) <= _SAME_FIGURE:
                continue
        elif found == recorded:
            continue
        raise VerifyError(f"{where} comes out as {found!r}, recorded is {recorded!r}", fix=_AGAIN)
    return checked


def _leaves(found: Any, recorded: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """The single values of two like structures, with their place; costs can't be computed again."""
    if isinstance(found, dict) and isinstance(recorded, dict) and found.keys() == recorded.keys():
        for key in found.keys() - _COSTS:
            yield from _leaves(found[key], recorded[key], f"{where}.{key}")
    elif isinstance(found, list) and isinstance(recorded, list) and len(found) == len(recorded):
        for place, (one, other) in enumerate(zip(found, recorded, strict=True)):
            name = one.get("name", place) if isinstance(one, dict) else place
            yield from _leaves(one, other, f"{where}[{name}]")
    else:
        yield where, found, recorded


def _check_scores(root: Path, test: PairSet, recorded: NDArray[np.float64]) -> tuple[int, float]:
    again = load(root / MODEL).score(test.texts).astype(np.float64)
    change = float(np.abs(recorded - again).max())
    if not change <= _SAME_SCORE:
        raise VerifyError(
            f"{root / MODEL} scores a test pair {change:.2g} away from what is recorded, expected at most "
            f"{_SAME_SCORE:g}",
            fix=_AGAIN,
        )
    return len(again), change
