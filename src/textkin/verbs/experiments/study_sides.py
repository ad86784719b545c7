"""A study of sides that were made before: train, dev and test.

Every recipe is trained with every seed, and test is measured with each: figures are means over the seeds,
with intervals over what test is a sample of, and tested against several references at once: for rankings mean
word vectors and the order of the source, for pairs mean word vectors and the best lexical baseline, for
classes the best baseline that learns from words alone, means of word vectors that were trained, and the
commonest class. What is trained already is not trained again (see ``study_folder.py``).
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.counts import count
from textkin.base.errors import TextkinError, TrainingError, UsageError, conflict, inapplicable, required
from textkin.base.extras import import_torch, require_torch
from textkin.base.files import atomic_folder, sha256_of_file, sole_writer, write_json
from textkin.base.paths import is_folder
from textkin.base.progress import note, track
from textkin.data.readers import Reading, format_of, options_of
from textkin.data.records import RetrievalSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.decisions import judge_decisions
from textkin.kinds.first_stage import RERANKED, FirstStage
from textkin.kinds.judge import Judge
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.leak_check import require_unseen_start
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import ORDER, CandidateJudge, RetrievalJudge
from textkin.kinds.registry import data_kind
from textkin.kinds.systems import fetch
from textkin.measures.decisions.goal import Aim, Goal
from textkin.networks.recipes.recipe import Task
from textkin.report.figure_words import duration
from textkin.text.baselines import build
from textkin.text.baselines.classifiers import CLASS_BASELINES, build_classifier
from textkin.text.baselines.terms import FitTexts
from textkin.vectors.index.exact_search import can_mine
from textkin.verbs.data.split_file import split_file
from textkin.verbs.experiments import study_folder
from textkin.verbs.experiments.sides_report import Held, report_of
from textkin.verbs.experiments.stronger_baselines import SideJudge, take_stronger, variants_of
from textkin.verbs.experiments.study_models import ALL, Entrant, entrants_of, to_fetch
from textkin.verbs.experiments.study_result import StudyResult
from textkin.verbs.train.dataset_splits import Data, Dataset, Sources, load_dataset
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_many import Job, Outcome, train_many
from textkin.verbs.train.train_recipe import TrainingRun

_MEANS, _MAJORITY = "mean-vectors", "majority"
_WORD_MEANS = "word-means"  # the architecture that is their trained form
_KNOWN = "Baselines know the words of the corpus that they search (no labels)."
_DECIDED = "Each system and seed decides by its own threshold, fitted on dev for the best accuracy."
Runs = dict[str, tuple[TrainingRun, ...]]


def sides_of(
    pairs: Path | None, *, train: Path | None, dev: Path | None, test: Path | None
) -> Sources | None:
    """The files of train, dev and test, if they are given, one by one or in a folder.

    Raises:
        UsageError: both a folder and files, or neither pairs nor train and test.
        DataError: the folder's files have errors.
    """
    files = {"train": train, "dev": dev, "test": test}
    given = [name for name, path in files.items() if path is not None]
    if pairs is not None and given:
        why = "pairs are split, and a folder has its own train, dev and test"
        raise conflict("pairs", *given, why=why)
    if pairs is not None:
        return Sources.of_folder(pairs) if is_folder(pairs) else None
    if not given:
        raise required("pairs", by="a study", fix="give labelled pairs, or `train` and `test`")
    if train is None or test is None:
        missing = [name for name in ("train", "test") if files[name] is None]
        raise required(*missing, by=f"a study with `{given[0]}`")
    return Sources(train, test, dev)


def has_candidates(path: Path, reading: Reading) -> bool:
    """True of a table of queries with candidates; False also where there is no such file.

    Raises:
        DataError: the file can't be read.
    """
    return path.is_file() and "questions" in options_of(format_of(path, reading=reading))


def candidates_split(path: Path, out: Path | str, *, options: study_folder.StudyOptions) -> Sources:
    """The sides of a table of queries with candidates, split in the study's folder.

    Raises:
        UsageError: ``out`` holds something else.
        DataError: the file can't be read, or has too few queries to split.
        ConfigError: a recipe is wrong.
        OutputError: the sides can't be written.
    """
    _task(options)  # a wrong name must not leave a folder behind
    seed, reading = options.split_seed, options.reading
    with sole_writer(out) as folder:
        split = folder / study_folder.SPLIT
        if not (folder / study_folder.STUDY).exists():
            study_folder.refuse_others(folder, {})
            sides = split_file(path, split, seed=seed, reading=reading).sides
            note(f"split: {', '.join(f'{name} {side.pairs:,} rows' for name, side in sides.items())}")
        else:
            made = study_folder.study_json(split / "split.json") if split.exists() else {}
            given = made.get("input")
            sha256 = given.get("sha256") if isinstance(given, dict) else None
            if (made.get("seed"), sha256) != (seed, sha256_of_file(path)):
                raise study_folder.another_study(folder, ["data"])
    return Sources.of_folder(split)


def study_sides(sources: Sources, out: Path | str, *, options: study_folder.StudyOptions) -> StudyResult:
    """Train models on given sides, and test their differences from several references.

    The same call resumes an interrupted one.

    Raises:
        UsageError: ``out`` holds something else, or an option is wrong.
        DataError: the data can't be read or have nothing to measure.
        ConfigError: a recipe is wrong or for another task.
        TrainingError: no recipe could be trained.
        OutputError: ``out`` can't be written to.
    """
    # What can't be held must not leave a folder behind.
    dataset = load_dataset(sources, options.choice(_task(options)))
    import_torch()
    started = options.start is not None
    entrants = entrants_of(options.models or (ALL,), dataset.task, started=started)
    jobs = [
        Job(
            entrant.recipe,
            seed,
            Path(out) / study_folder.TRAINED / f"{name}-seed{seed}",
            options.start_of(name, seed) if started else entrant.start,
            options.live_page(Path(out), entrants),
        )
        for name, entrant in entrants.items()
        for seed in range(options.seeds)
    ]
    for job in jobs:
        require_unseen_start(job.start, dataset.test)
    judge = judge_for(dataset.measured, options)
    dev = judge_for(dataset.dev, options) if dataset.chooses is None else _searched(dataset.chooses, options)
    if options.decisions and not (isinstance(judge, PairJudge) and judge.is_binary):
        raise inapplicable("decisions", to="data other than pairs labelled yes or no")
    if options.decisions and not isinstance(dev, PairJudge):
        raise inapplicable("decisions", to="a dev side that is searched")
    settings = study_folder.settings_of_sides(sources, dataset, entrants, options)
    with sole_writer(out) as folder:
        study_folder.refuse_others(folder, settings)
        if not (folder / study_folder.STUDY).exists():
            write_json(folder / study_folder.STUDY, settings)
        study_folder.write_test(sources, dataset, folder)
        return _studied(sources, dataset, entrants, jobs, (judge, dev), settings, folder, options)


def _task(options: study_folder.StudyOptions) -> Task | None:
    """The task of the named models, which are fetched if that is wanted; None if none is named.

    Raises:
        UsageError, ConfigError, ModelError: as :func:`study_models.entrants_of`.
        MissingExtraError: torch is not installed.
    """
    require_torch()
    words = options.models or (ALL,)
    if options.download:
        fetch(*to_fetch(words))
    named = entrants_of(words, options.task, started=options.start is not None).values()
    return next((one.recipe.task for one in named), options.task)


def _studied(
    sources: Sources,
    dataset: Dataset,
    entrants: Mapping[str, Entrant],
    jobs: Sequence[Job],
    judges: tuple[SideJudge, SideJudge],
    settings: Mapping[str, Any],
    folder: Path,
    options: study_folder.StudyOptions,
) -> StudyResult:
    """Run the remaining steps of the study in this folder; the judges are of test and of dev."""
    judge, dev = judges
    notes = _take_baselines(judge, dev, dataset, options)
    runs, failures = _train(jobs, dataset, options)
    notes += _take_trained(
        [judge, dev] if isinstance(dev, PairJudge) and options.decisions else [judge], runs, failures
    )
    if not runs:
        raise TrainingError(_none_left(failures))
    measured: Judge = judge
    if isinstance(judge, PairJudge) and isinstance(dev, PairJudge) and options.decisions:
        measured = judge_decisions(dev, judge, goal=Goal(Aim.ACCURACY))
        notes.append(_DECIDED)
    references = _references(measured, entrants, runs)
    notes.append(f"The verdict is against {references[0]}, the strongest baseline on test.")
    accounts = _accounts(dataset.measured, runs)
    notes += accounts.sentences()
    held = Held(
        sources=sources,
        dataset=dataset,
        options=options,
        entrants={name: entrants[name] for name in runs},
        runs=runs,
        failures=failures,
        judge=measured,
        references=references,
        notes=tuple(notes),
    )
    write_json(folder / study_folder.STUDY, settings)
    with atomic_folder(folder / study_folder.RUNS) as staged:
        for each in {id(one): one for one in (judge, measured)}.values():
            each.write(staged)
    tests = sum(name != reference for reference in references for name in measured.names)
    note(f"testing {count(tests, 'difference')}, {options.sampling.rounds_of(tests):,} rounds each")
    report = report_of(held)
    page = study_folder.publish(report, folder)
    if (live := options.live_page(folder, runs)) is not None:
        live.show(report=page.name)
    return StudyResult(
        folder,
        report,
        page,
        failures=failures,
        truncations=accounts.truncations,
        coverages=accounts.coverages,
    )


def judge_for(data: Data | RetrievalSet, options: study_folder.StudyOptions) -> SideJudge:
    """The judge of a side.

    Raises:
        UsageError: a measure is not known, or does not fit the data.
        DataError: there is nothing to measure.
    """
    judge = data_kind(data).judge(data, Options(measures=options.measures, sampling=options.sampling))
    assert isinstance(judge, LabelledJudge | CandidateJudge | RetrievalJudge)  # noqa: S101 - as read
    return judge


def _searched(data: RetrievalSet, options: study_folder.StudyOptions) -> RetrievalJudge:
    """The judge of a corpus that chooses among the ways in which a baseline reads words."""
    return RetrievalJudge(data, measures=("nDCG@10",), sampling=options.sampling, depth=10)


def _take_baselines(
    judge: SideJudge, dev: SideJudge, dataset: Dataset, options: study_folder.StudyOptions
) -> list[str]:
    """Measure the baselines on both sides, and return notes on those left out.

    All that they know is from train; those that search a corpus know its words.
    """
    seed = options.sampling.seed
    if dataset.task == "classes":
        pairs = data_kind(dataset.train).as_pairs(dataset.train)
        classifiers = {
            name: {name: build_classifier(name, train=pairs, seed=seed)} for name in CLASS_BASELINES
        }
        return take_stronger(dev, judge, classifiers)
    texts, of_test = list(dict.fromkeys(text for pair in dataset.train.texts for text in pair)), None
    if isinstance(judge, RetrievalJudge):
        if isinstance(dev, RetrievalJudge):
            texts = dev.texts
        of_test = partial(build, fit_texts=FitTexts(judge.texts), vectors=options.vectors, seed=seed)
    names = (*judge.baselines, *([_MEANS] if options.vectors else []))
    variants = variants_of(
        names, dev, analyser=options.analyser, fit_texts=texts, vectors=options.vectors, seed=seed
    )
    notes = take_stronger(dev, judge, variants, of_test=of_test)
    return notes if of_test is None else [*notes, _KNOWN]


def _train(
    jobs: Sequence[Job], dataset: Dataset, options: study_folder.StudyOptions
) -> tuple[Runs, dict[str, str]]:
    """The completed runs of each recipe, and the reasons of failed ones.

    Raises:
        UsageError, ConfigError: every recipe was refused so.
    """
    before = {job.folder for job in jobs if job.is_done}
    material = Material(dataset.train, dataset.dev, vectors=options.vectors, chooses=dataset.chooses)
    runs: dict[str, dict[int, TrainingRun]] = {job.recipe.name: {} for job in jobs}
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
            note(f"{place}/{len(jobs)} {name}, seed {seed}: {_said(outcome, done=done)}")
    through = {
        name: tuple(by_seed[seed] for seed in sorted(by_seed))
        for name, by_seed in runs.items()
        if name not in failures
    }
    kinds = {kind for kind in refused.values() if kind is not None}
    if not through and None not in refused.values():
        raise (kinds.pop() if len(kinds) == 1 else UsageError)(_none_left(failures))
    return through, failures


def _none_left(failures: Mapping[str, str]) -> str:
    name, why = next(iter(failures.items()))
    return f"none of {count(len(failures), 'recipe')} could be trained; {name}: {why}"


def _said(outcome: Outcome, *, done: bool) -> str:
    run = outcome.run
    if run is None:
        return f"failed: {outcome.failure}"
    when = "trained before" if done else duration(run.seconds)
    return f"dev {run.measure} {run.dev:.4f}, {when}"


def _take_trained(judges: Sequence[SideJudge], runs: Runs, failures: dict[str, str]) -> list[str]:
    """Measure the trained models; one that can't be measured joins the failures. Notes for the table."""
    ranking = []
    for name in track(list(runs), title="measuring", total=len(runs)):
        try:
            for judge in judges:
                if not take_models(judge, name, [run.model for run in runs[name]]):
                    ranking.append(name)
        except TextkinError as error:
            failures[name] = str(error)
            del runs[name]
    given = f"the {RERANKED} documents that BM25 finds, since they compare two texts at a time"
    return [f"{', '.join(ranking)}: rank {given}."] if ranking else []


def take_models(judge: SideJudge, name: str, models: Sequence[Path]) -> bool:
    """Measure the models of a recipe's seeds; False if they can't search, and rank what BM25 finds."""
    from textkin.models.inference.scorers import load_scorer

    if not isinstance(judge, RetrievalJudge):
        judge.take_scores(name, np.stack([outputs(model, judge.data) for model in models]))
        return True
    scorers = [load_scorer(model) for model in models]
    if all(map(can_mine, scorers)):
        judge.take(name, *scorers)
        return True
    first = FirstStage.of(judge.data)
    runs = [first.reranked(scorer.score(first.texts).astype(np.float64)) for scorer in scorers]
    judge.take_runs(name, runs)
    return False


def _accounts(data: Data | RetrievalSet, runs: Runs) -> DataCoverage:
    from textkin.models.inference.scorers import load_scorer

    return accounts_on(data, {name: [load_scorer(seeds[0].model)] for name, seeds in runs.items()})


def _references(judge: Judge, entrants: Mapping[str, Entrant], runs: Runs) -> tuple[str, ...]:
    """References for comparison: the strongest baseline, then the usual ones, the best first."""
    strongest = judge.strongest_baseline(runs)
    others = [name for name in _looked_for(judge, entrants, runs) if name != strongest]
    return (strongest, *sorted(others, key=judge.value, reverse=True))


def _looked_for(judge: Judge, entrants: Mapping[str, Entrant], runs: Runs) -> list[str]:
    """Well-known systems: mean word vectors, the source's order, trained word means, the commonest class."""
    trained = [name for name in runs if entrants[name].recipe.model.architecture == _WORD_MEANS]
    if isinstance(judge, ClassJudge) and _MAJORITY in judge.names:
        best = sorted(trained, key=lambda name: np.mean([run.dev for run in runs[name]]))
        return [*best[-1:], _MAJORITY]
    return [name for name in judge.fair([_MEANS, ORDER]) if name in judge.names]


def outputs(model: Path, data: Data) -> Floats:
    """Outputs of a model for pairs or candidates: one score each, or class probabilities.

    Shape [pairs] or [pairs, classes].
    """
    from textkin.models.inference.scorers import NeuralClassifier, load_scorer

    scorer, pairs = load_scorer(model), data_kind(data).as_pairs(data)
    if isinstance(scorer, NeuralClassifier) and pairs.classes:
        return scorer.classify(pairs.texts).astype(np.float64)
    return scorer.score(pairs.texts).astype(np.float64)
