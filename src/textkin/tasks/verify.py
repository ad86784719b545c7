"""Recompute what a study recorded: hashes, figures from the scores, scores from the model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, VerifyError
from textkin.files import sha256_of_file
from textkin.readers import load_pairs
from textkin.records import PairSet
from textkin.report.content import StudyReport
from textkin.tasks.judges import PairJudge
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.provenance import code_hash
from textkin.tasks.resolve import load
from textkin.tasks.study import HASHES, MODEL, SCORES, SPLIT, STUDY

_SAME_FIGURE = 1e-9
_SAME_SCORE = 1e-5  # another CPU or thread count sums in another order


@final
@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked and found equal.

    Attributes:
        folder: the run directory.
        files: files whose hash is as recorded.
        figures: figures and interval ends that were recomputed from the scores.
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
    report = StudyReport.from_dict(_json(root / "report.json"))
    settings = _json(root / STUDY)["options"]
    reading = settings["reading"]
    test = load_pairs(root / SPLIT / "test.tsv", **reading).data
    columns = _read_scores(root / SCORES / "test.tsv")
    figures = _check_figures(report, test, columns, Sampling(**settings["sampling"]))
    scores, change = _check_scores(root, test, columns)
    recorded = report.reproduction.hashes.get("code") if report.reproduction else None
    return Verified(root, files, figures, scores, change, recorded == code_hash())


def _check_hashes(root: Path) -> int:
    recorded = _json(root / HASHES)
    for name, digest in recorded.items():
        path = root / name
        if not path.is_file():
            raise VerifyError(f"{path} is missing", fix="run the study again")
        if sha256_of_file(path) != digest:
            raise VerifyError(f"{path} is not the file that the study wrote", fix="run the study again")
    return len(recorded)


def _check_figures(
    report: StudyReport, test: PairSet, columns: dict[str, NDArray[np.float64]], sampling: Sampling
) -> int:
    judge, checked = PairJudge(test, sampling=sampling), 0
    for row in report.systems.rows if report.systems else ():
        judge.take_scores(row.name, columns[row.name])
        for measure, interval in judge.figures(row.name).items():
            recorded = row.measures[measure]
            for what, found, expected in (
                ("", interval.value, recorded.value),
                (" (low)", interval.low, recorded.low),
                (" (high)", interval.high, recorded.high),
            ):
                if expected is None or abs(found - expected) > _SAME_FIGURE:
                    raise VerifyError(
                        f"{measure}{what} of {row.name} is {found}, the report says {expected}",
                        fix="run the study again",
                    )
                checked += 1
    return checked


def _check_scores(root: Path, test: PairSet, columns: dict[str, NDArray[np.float64]]) -> tuple[int, float]:
    model = load(root / MODEL)
    again = model.score(test.texts).astype(np.float64)
    change = float(np.abs(columns[model.name] - again).max(axis=1).min())
    if change > _SAME_SCORE:
        raise VerifyError(
            f"{root / MODEL} scores a test pair {change:.2g} away from what is recorded, expected at most "
            f"{_SAME_SCORE:g}",
            fix="run the study again",
        )
    return len(again), change


def _read_scores(path: Path) -> dict[str, NDArray[np.float64]]:
    """The scores of each system, shape [seeds, pairs]."""
    with path.open(encoding="utf-8") as stream:
        header = stream.readline().rstrip("\n").split("\t")
        try:
            values = np.loadtxt(stream, delimiter="\t", ndmin=2).T
        except ValueError as error:
            raise DataError(
                f"not a table of scores: {error}", path=path, fix="run the study again"
            ) from error
    systems: dict[str, list[NDArray[np.float64]]] = {}
    for column, row in zip(header[1:], values[1:], strict=True):
        systems.setdefault(column.split("/")[0], []).append(row)
    return {name: np.stack(rows) for name, rows in systems.items()}


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(
            "is missing, so this is not the folder of a finished study", path=path, fix="give a study's --out"
        ) from error
    except ValueError as error:
        raise DataError(f"is not JSON: {error}", path=path, fix="run the study again") from error
    return found
