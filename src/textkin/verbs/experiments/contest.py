"""Training of several recipes with several seeds, and tests of their differences.

Every recipe is trained with every seed, and test is measured with each: figures are means over the seeds,
with intervals over what test is a sample of, and tested against several rivals at once: for rankings mean
word vectors and the order of the source, for pairs mean word vectors and the best lexical baseline, for
classes the best baseline that learns from words alone, means of word vectors that were trained, and the
commonest class. What is trained already is not trained again (see ``contest_folder.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import checked
from textkin.base.errors import TextkinError, TrainingError, UsageError, inapplicable, invalid
from textkin.base.extras import import_torch, require_torch
from textkin.base.files import atomic_folder, sole_writer, write_json
from textkin.base.progress import track
from textkin.base.python_inputs import path_of
from textkin.data.records import PairSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.decisions import judge_decisions
from textkin.kinds.judge import Judge
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.leak_check import require_unseen_start
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import ORDER, CandidateJudge
from textkin.kinds.registry import data_kind
from textkin.measures.decisions.goal import Aim, Goal
from textkin.networks.recipes.recipe import Recipe, Task
from textkin.report.content import StudyReport
from textkin.report.figure_words import count, duration
from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.classifiers import CLASS_BASELINES, build_classifier
from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.experiments.contest_folder import (
    CONTEST,
    RUNS,
    TRAINED,
    ContestOptions,
    claim,
    settings_of,
)
from textkin.verbs.experiments.contest_report import Held, report_of
from textkin.verbs.experiments.contestants import entrants, named
from textkin.verbs.experiments.report_result import ReportedResult
from textkin.verbs.experiments.stronger_baselines import ScoredJudge, take_stronger, variants_of
from textkin.verbs.experiments.study_folder import publish
from textkin.verbs.train.dataset_splits import Data, Dataset, Sources, as_pairs, load_dataset
from textkin.verbs.train.train_many import Job, Outcome, train_many
from textkin.verbs.train.train_recipe import TrainingRun
from textkin.verbs.train.training_files import Material

__all__ = ["ContestOptions", "ContestResult", "Sources", "contest"]

_MEANS, _MAJORITY = "mean-vectors", "majority"
_WORD_MEANS = "word-means"  # the architecture that is their trained form
_DECIDED = "Each system and seed decides by its own threshold, fitted on dev for the best accuracy."
Tell = Callable[[str], None]
Runs = dict[str, tuple[TrainingRun, ...]]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ContestResult(ReportedResult):
    """The folder of a contest and its report.

    Attributes:
        folder: the run directory.
        report: everything that was found.
        page: the HTML report.
        failures: recipes that could not be trained or measured, and why.
        truncations: number of truncated texts of test, by trained model.
        coverages: the fraction of these texts that it knows.

    Example:
        >>> from textkin.verbs import ContestResult
        >>> from dataclasses import fields
        >>> [field.name for field in fields(ContestResult)]
        ['folder', 'report', 'page', 'failures', 'truncations', 'coverages']
    """

    folder: Path
    report: StudyReport
    page: Path
    failures: Mapping[str, str]
    truncations: tuple[Truncation, ...] = ()
    coverages: tuple[Coverage, ...] = ()


@checked
def contest(
    data: Sources | Path | str,
    *,
    out: Path | str,
    options: ContestOptions | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> ContestResult:
    """Train recipes with several seeds, and test their differences from several rivals.

    The same call resumes an interrupted one.

    Args:
        data: the files of the data set; or the folder that holds them, by their names.
        out: the folder of all results.
        options: see :class:`ContestOptions`.
        tell: is called with a line for every (recipe, seed) that is trained or could not be.

    Raises:
        UsageError: ``out`` holds something else, or an option is wrong.
        DataError: the data can't be read or have nothing to measure.
        ConfigError: a recipe is wrong or for another task.
        TrainingError: no recipe could be trained.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import Sampling
        >>> from textkin.data import samples
        >>> _ = tk.split(samples.pairs("support-desk"), out="split")
        >>> options = tk.ContestOptions(recipes=("static",), seeds=1, sampling=Sampling(100, 100))
        >>> found = tk.contest("split", out="contest", options=options)
        >>> "static" in {row["system"] for row in found.rows()}
        True
    """
    path = path_of(data)
    sources = Sources.of_folder(path) if path is not None else data
    if not isinstance(sources, Sources):
        raise invalid("data", type(data).__name__, expected="a folder, or tk.Sources(train=..., test=...)")
    options = options or ContestOptions()
    for name in ("seeds", "jobs"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise invalid(name, value, expected="at least 1")
    analyser_of(options.analyser)
    require_torch()
    # What can't be held must not leave a folder behind.
    dataset = load_dataset(sources, options.choice(_task(options)))
    import_torch()
    recipes = entrants(options.recipes, dataset.task, started=options.start is not None)
    for name in recipes:
        for seed in range(options.seeds):
            require_unseen_start(options.start_of(name, seed), dataset.test)
    judge, dev = (judge_for(side, options) for side in (dataset.test, dataset.dev))
    if options.decisions and not (isinstance(judge, PairJudge) and judge.is_binary):
        raise inapplicable("decisions", to="data other than pairs labelled yes or no")
    settings = settings_of(sources, dataset, recipes, options)
    with sole_writer(out) as folder:
        claim(folder, settings, test=sources.test)
        return _held(sources, dataset, recipes, (judge, dev), settings, folder, options, tell)


def _held(
    sources: Sources,
    dataset: Dataset,
    recipes: Mapping[str, Recipe],
    judges: tuple[ScoredJudge, ScoredJudge],
    settings: Mapping[str, Any],
    folder: Path,
    options: ContestOptions,
    tell: Tell,
) -> ContestResult:
    """Run the remaining steps of the contest in this folder; the judges are of test and of dev."""
    judge, dev = judges
    notes = _take_baselines(judge, dev, dataset, options)
    runs, failures = _train(recipes, dataset, folder, options, tell)
    _take_trained([judge, dev] if options.decisions else [judge], runs, failures)
    if not runs:
        raise TrainingError(_none_left(recipes, failures))
    measured: Judge = judge
    if isinstance(judge, PairJudge) and isinstance(dev, PairJudge) and options.decisions:
        measured = judge_decisions(dev, judge, goal=Goal(Aim.ACCURACY))
        notes.append(_DECIDED)
    rivals = _rivals(measured, recipes, runs)
    notes.append(f"{rivals[0]} is the strongest baseline on test, and the verdict is against it.")
    accounts = _accounts(dataset.test, runs)
    notes += accounts.sentences()
    held = Held(
        sources=sources,
        dataset=dataset,
        options=options,
        recipes={name: recipe for name, recipe in recipes.items() if name in runs},
        runs=runs,
        failures=failures,
        judge=measured,
        rivals=rivals,
        notes=tuple(notes),
    )
    write_json(folder / CONTEST, settings)
    with atomic_folder(folder / RUNS) as staged:
        for each in {id(one): one for one in (judge, measured)}.values():
            each.write(staged)
    tests = sum(name != rival for rival in rivals for name in measured.names)
    tell(f"testing {count(tests, 'difference')} by {options.sampling.rounds_of(tests):,} rounds each")
    report = report_of(held)
    page = publish(report, folder)
    return ContestResult(folder, report, page, failures, accounts.truncations, accounts.coverages)


def judge_for(data: Data, options: ContestOptions) -> ScoredJudge:
    """The judge of a side.

    Raises:
        UsageError: a measure is not known, or does not fit the data.
        DataError: there is nothing to measure.
    """
    judge = data_kind(data).judge(data, Options(measures=options.measures, sampling=options.sampling))
    assert isinstance(judge, LabelledJudge | CandidateJudge)  # noqa: S101 - it is no collection
    return judge


def _task(options: ContestOptions) -> Task | None:
    """The task, by its option or through the recipes; None to infer it from the data."""
    chosen = named(options.recipes, options.task)
    return chosen[0].task if chosen else options.task


def _take_baselines(
    judge: ScoredJudge, dev: ScoredJudge, dataset: Dataset, options: ContestOptions
) -> list[str]:
    """Measure the baselines on both sides; all that they know is from train. Notes on those left out."""
    seed = options.sampling.seed
    if isinstance(dataset.train, PairSet) and dataset.task == "classes":
        classifiers = {
            name: {name: build_classifier(name, train=dataset.train, seed=seed)} for name in CLASS_BASELINES
        }
        return take_stronger(dev, judge, classifiers)
    texts = list(dict.fromkeys(text for pair in as_pairs(dataset.train).texts for text in pair))
    names = (*judge.baselines, *([_MEANS] if options.vectors else []))
    variants = variants_of(
        names, analyser=options.analyser, fit_texts=texts, vectors=options.vectors, seed=seed
    )
    return take_stronger(dev, judge, variants)


def _train(
    recipes: Mapping[str, Recipe], dataset: Dataset, folder: Path, options: ContestOptions, tell: Tell
) -> tuple[Runs, dict[str, str]]:
    """The completed runs of each recipe, and the reasons of failed ones.

    Raises:
        UsageError, ConfigError: every recipe was refused so.
    """
    jobs = [
        Job(recipe, seed, folder / TRAINED / f"{name}-seed{seed}", options.start_of(name, seed))
        for name, recipe in recipes.items()
        for seed in range(options.seeds)
    ]
    before = {job.folder for job in jobs if job.is_done}
    material = Material(dataset.train, dataset.dev, vectors=options.vectors)
    runs: dict[str, dict[int, TrainingRun]] = {name: {} for name in recipes}
    failures: dict[str, str] = {}
    refused: dict[str, type[TextkinError] | None] = {}
    outcomes = train_many(jobs, material, processes=options.jobs, device=options.device)
    with closing(outcomes):
        for place, outcome in enumerate(outcomes, 1):
            name, seed = outcome.job.recipe.name, outcome.job.seed
            if outcome.run is None:
                failures.setdefault(name, f"seed {seed}: {outcome.failure}")
                refused.setdefault(name, outcome.refused)
            else:
                runs[name][seed] = outcome.run
            done = outcome.job.folder in before
            tell(f"{place}/{len(jobs)} {name}, seed {seed}: {_said(outcome, done=done)}")
    through = {
        name: tuple(by_seed[seed] for seed in sorted(by_seed))
        for name, by_seed in runs.items()
        if name not in failures
    }
    kinds = {kind for kind in refused.values() if kind is not None}
    if not through and None not in refused.values():
        raise (kinds.pop() if len(kinds) == 1 else UsageError)(_none_left(recipes, failures))
    return through, failures


def _none_left(recipes: Mapping[str, Recipe], failures: Mapping[str, str]) -> str:
    name, why = next(iter(failures.items()))
    return f"none of {count(len(recipes), 'recipe')} came through; {name}: {why}"


def _said(outcome: Outcome, *, done: bool) -> str:
    run = outcome.run
    if run is None:
        return f"failed: {outcome.failure}"
    when = "trained before" if done else duration(run.seconds)
    return f"dev {run.measure} {run.dev:.4f}, {when}"


def _take_trained(judges: Sequence[ScoredJudge], runs: Runs, failures: dict[str, str]) -> None:
    """Measure the trained models; one that can't be measured joins the failures."""
    for name in track(list(runs), title="measuring", total=len(runs)):
        try:
            for judge in judges:
                judge.take_scores(name, np.stack([outputs(run.model, judge.data) for run in runs[name]]))
        except TextkinError as error:
            failures[name] = str(error)
            del runs[name]


def _accounts(data: Data, runs: Runs) -> DataCoverage:
    from textkin.models.inference import load_scorer

    return accounts_on(data, {name: [load_scorer(seeds[0].model)] for name, seeds in runs.items()})


def _rivals(judge: Judge, recipes: Mapping[str, Recipe], runs: Runs) -> tuple[str, ...]:
    """References for comparison: the strongest baseline, then the usual ones, the best first."""
    strongest = judge.strongest_baseline(runs)
    others = [name for name in _looked_for(judge, recipes, runs) if name != strongest]
    return (strongest, *sorted(others, key=judge.value, reverse=True))


def _looked_for(judge: Judge, recipes: Mapping[str, Recipe], runs: Runs) -> list[str]:
    """Well-known systems: mean word vectors, the source's order, trained word means, the commonest class."""
    trained = [name for name in runs if recipes[name].model.architecture == _WORD_MEANS]
    if isinstance(judge, ClassJudge) and _MAJORITY in judge.names:
        best = sorted(trained, key=lambda name: np.mean([run.dev for run in runs[name]]))
        return [*best[-1:], _MAJORITY]
    return [name for name in judge.fair([_MEANS, ORDER]) if name in judge.names]


def outputs(model: Path, data: Data) -> NDArray[np.float64]:
    """Outputs of a model for pairs or candidates: one score each, or class probabilities.

    Shape [pairs] or [pairs, classes].
    """
    from textkin.models.inference import NeuralClassifier, load_scorer

    scorer, pairs = load_scorer(model), as_pairs(data)
    if isinstance(scorer, NeuralClassifier) and pairs.classes:
        return scorer.classify(pairs.texts).astype(np.float64)
    return scorer.score(pairs.texts).astype(np.float64)
