"""Recompute a study: hashes, figures from scores, scores of the model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError, VerifyError, said
from textkin.base.progress import note
from textkin.base.python_inputs import a_path
from textkin.data.readers import Reading
from textkin.data.records import PairSet
from textkin.kinds.decisions import decision_judge
from textkin.kinds.judge import Judge
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.score_file import read_scores
from textkin.kinds.systems import load
from textkin.kinds.verdict import ChosenRecipe, Scores, choose_recipe, with_findings
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.models.manifest import read_manifest
from textkin.models.model_folder import CARD, load_model, origin_in_words
from textkin.models.provenance import code_hash
from textkin.report.content import StudyReport
from textkin.report.model_card import card
from textkin.verbs.experiments import checks, study_folder
from textkin.verbs.experiments.sides_report import with_standings
from textkin.verbs.experiments.stronger_baselines import SideJudge
from textkin.verbs.experiments.study_report import kept_threshold
from textkin.verbs.experiments.study_sides import judge_for, take_models
from textkin.verbs.train.dataset_splits import read_test
from textkin.verbs.train.run_folder import RESULT
from textkin.verbs.train.train_recipe import MODEL as TRAINED_MODEL


def verify_run(folder: Path | str) -> checks.Verified:
    """Check the folder of a study.

    Raises:
        DataError: it is not a finished one.
        VerifyError: a hash, a figure or a score differs from the record; the message names the first.
    """
    root = a_path(folder, "folder")
    files = checks.check_hashes(root, needed=(study_folder.STUDY, study_folder.REPORT))
    report = StudyReport.from_dict(study_folder.study_json(root / study_folder.REPORT))
    recorded = report.reproduction.hashes.get("code") if report.reproduction else None
    same_code = recorded == code_hash()
    try:
        settings = study_folder.study_json(root / study_folder.STUDY)
        check = _check_sides if study_folder.is_of_sides(settings) else _check_file
        figures, scores, change = check(root, report, settings)
        checks.check_reports(root, report, same_code=same_code)
    except (KeyError, TypeError) as error:
        raise DataError(
            f"does not describe what is in its folder: {said(error)}",
            path=root / study_folder.STUDY,
            fix=checks.AGAIN,
        ) from error
    if not same_code:
        note("warning: textkin's code is not the one that made this; the figures agree all the same")
    return checks.Verified(root, files, figures, scores, change, same_code)


def _check_file(root: Path, report: StudyReport, settings: Mapping[str, Any]) -> tuple[int, int, float]:
    """Check a study of a file; return the numbers of figures and scores, and the largest change."""
    sides = study_folder.read_sides(root, Reading.from_dict(settings["reading"]))
    scores = _study_scores(root, settings, sides)
    choice = choose_recipe(scores, goal=Goal.parse(settings["goal"]))
    labels = [point.labels for point in report.label_curve.points] if report.label_curve else []
    figures = checks.check_figures(report, with_findings(report, scores, choice, labels=labels))
    again = load(root / study_folder.MODEL).score(sides["test"].texts).astype(np.float64)
    change = checks.check_scores(
        root / study_folder.MODEL, again, scores.test.scores[choice.name][choice.seed]
    )
    _check_kept(root, report, choice)
    return figures, len(again), change


def _check_kept(root: Path, report: StudyReport, choice: ChosenRecipe) -> None:
    """Check that the saved model has the chosen threshold, and that its card matches the report."""
    folder, files = (
        root / study_folder.MODEL,
        study_folder.study_json(root / study_folder.SPLIT / "split.json")["files"],
    )
    dev = next(digest for file, digest in files.items() if Path(file).stem == "dev")
    manifest, threshold = read_manifest(folder), kept_threshold(choice, report, dev)
    calibration = None if choice.decision is None else choice.decision.calibration
    kept = {
        "threshold": None if threshold is None else threshold.to_dict(),
        "calibration": None if calibration is None else calibration.to_dict(),
    }
    checks.check_values(kept, {name: manifest.get(name) for name in kept}, study_folder.MODEL)
    origin = origin_in_words(load_model(folder))
    same = report.reproduction is not None and report.reproduction.hashes.get("code") == code_hash()
    checks.check_text(folder / CARD, card(report, choice.name, choice.seed, origin=origin), same_code=same)


def _study_scores(root: Path, settings: Mapping[str, Any], sides: Mapping[str, PairSet]) -> Scores:
    sampling = Sampling(**settings["sampling"])
    judges = []
    for name in ("dev", "test"):
        judge = PairJudge(sides[name], sampling=sampling)
        path = root / study_folder.SCORES / f"{name}.tsv"
        labels, systems = read_scores(path)
        if not np.array_equal(labels, judge.test.labels):
            raise VerifyError("has other labels than the split", path=path, fix=checks.AGAIN)
        for system, rows in systems.items():
            judge.take_scores(system, rows)
        judges.append(judge)
    curve = read_scores(root / study_folder.SCORES / "curve.tsv")[1] if settings["curve"] else {}
    by_share = {float(share): rows for share, rows in curve.items()}
    recipes = tuple(name for name in judges[0].names if name in settings["models"])
    return Scores(judges[0], judges[1], recipes, by_share)


def _check_sides(root: Path, report: StudyReport, settings: Mapping[str, Any]) -> tuple[int, int, float]:
    """Check a study of given sides; return the numbers of figures and scores, and the largest change."""
    options = study_folder.StudyOptions(
        measures=tuple(settings["measures"]),
        sampling=Sampling(**settings["sampling"]),
        reading=Reading.from_dict(settings["reading"]),
    )
    test = read_test(
        root / study_folder.DATA / settings["test_file"],
        options.choice(settings["task"]),
        kind=settings["kind"],
        classes=settings["classes"],
    )
    judge, systems = judge_for(test, options), report.systems
    if systems is None:
        raise VerifyError("has no systems", path=root / study_folder.REPORT, fix=checks.AGAIN)
    names = [row.name for row in systems.rows]
    judge.read(root / study_folder.RUNS, names)
    measured: Judge = judge
    if settings["decisions"] and isinstance(judge, PairJudge):
        measured = decision_judge(judge)
        measured.read(root / study_folder.RUNS, names)
    trained = [row.name for row in systems.rows if row.trained]
    favourite = max(trained, key=lambda name: _mean_dev(root, name, report.seeds))
    again = with_standings(
        report, measured, trained=trained, references=systems.references, favourite=favourite
    )
    figures = checks.check_figures(report, again)
    model = root / study_folder.TRAINED / f"{favourite}-seed0" / TRAINED_MODEL
    anew = judge_for(test, options)
    take_models(anew, favourite, [model])
    recorded, found = _both(judge, anew, favourite)
    change = checks.check_scores(model, found, recorded)
    return figures, len(recorded), change


def _mean_dev(root: Path, name: str, seeds: tuple[int, ...]) -> float:
    results = (root / study_folder.TRAINED / f"{name}-seed{seed}" / RESULT for seed in seeds)
    return float(np.mean([study_folder.study_json(path)["dev"] for path in results]))


def _both(recorded: SideJudge, again: SideJudge, name: str) -> tuple[Floats, Floats]:
    """Scores of a system with its first seed, as recorded and anew, in one order. Shape [scores] each.

    Of equally similar documents at the end of a search's ranking, another one may be found.
    """
    if isinstance(recorded, LabelledJudge) and isinstance(again, LabelledJudge):
        return recorded.scores[name][0], again.scores[name][0]
    assert not isinstance(recorded, LabelledJudge)  # noqa: S101 - both are of one kind
    assert not isinstance(again, LabelledJudge)  # noqa: S101 - likewise
    before, after = recorded.runs[name][0].to_dict(), again.runs[name][0].to_dict()
    rows = []
    for query, of in before.items():
        found = after.get(query, {})
        last = min(found.values(), default=np.nan)
        rows += [(score, found.get(document, last)) for document, score in of.items()]
    both = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
