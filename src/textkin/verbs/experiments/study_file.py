"""From a file of labelled pairs to a model that can be trusted, or the advice not to use one.

Split without leaks, train every recipe with several seeds, score dev and test with every system, choose on
dev, judge on test, and leave a run directory (see ``study_folder.py``). What is there from an interrupted
study is not trained again.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError, TrainingError
from textkin.base.extras import import_torch, require_torch
from textkin.base.files import sole_writer, write_json
from textkin.base.paths import name_of
from textkin.base.progress import note
from textkin.data.readers import load_pairs
from textkin.data.readers.read_report import Loaded, note_read
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.components import bonds, by_component, text_graph
from textkin.data.splits.partition import KeptTogether
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.leak_check import require_unseen_start
from textkin.kinds.pair_figures import test_set
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.registry import load_data
from textkin.kinds.score_file import write_scores
from textkin.kinds.systems import fetch
from textkin.kinds.verdict import Scores
from textkin.vectors.unknown_token_report import note_accounts
from textkin.verbs.data.split_file import SplitReport, split_loaded
from textkin.verbs.experiments.stronger_baselines import take_stronger, variants_of
from textkin.verbs.experiments.study_defaults import SMALL, models_for
from textkin.verbs.experiments.study_folder import (
    SCORES,
    SPLIT,
    STUDY,
    TRAINED,
    StudyOptions,
    publish,
    read_sides,
    refuse_others,
    settings_of,
)
from textkin.verbs.experiments.study_models import Entrant, entrants_of, to_fetch
from textkin.verbs.experiments.study_report import Further, Studied, finish
from textkin.verbs.experiments.study_result import StudyResult
from textkin.verbs.train.material import Material, require_grades
from textkin.verbs.train.train_many import Job, train_many
from textkin.verbs.train.train_recipe import TrainingRun, require_precision

_CURVE_SHARES = (0.12, 0.25, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    train: PairSet
    dev: PairSet
    test: PairSet
    split: SplitReport


def study_file(path: Path | str, out: Path | str, *, options: StudyOptions | None = None) -> StudyResult:
    """Study a file of labelled pairs; the same call resumes an interrupted one.

    Args:
        path: yes-or-no or graded pairs, in any format that textkin reads.
        out: the run directory.
        options: see :class:`StudyOptions`.

    Raises:
        UsageError: ``out`` holds another study, or an option is wrong.
        ModelError: a pretrained model to start from is not on this machine.
        DataError: the file can't be read, has no labels, or is too small to split.
        ConfigError: a recipe is wrong.
        OutputError: ``out`` can't be written to, or another process is writing there.
        MissingExtraError: torch is not installed.
    """
    options = options or StudyOptions()
    source = Path(path)
    require_torch()
    named = _named(options)  # a wrong name is reported before a large file is read
    kind, loaded = load_data(source, reading=options.reading)
    note_read(loaded.report)
    if not isinstance(loaded.data, PairSet):
        raise DataError(
            f"holds {kind.words}, expected pairs, as a study of one file needs",
            path=source,
            fix="split it, and study the folder of its sides: `split()`",
        )
    kind.rows(loaded.data)  # refuses what can't be split or isn't labelled
    entrants = named or _usual(options, len(loaded.data))
    # A file that can't be studied must not leave a folder behind.
    PairJudge(loaded.data, sampling=options.sampling)
    for one in entrants.values():
        require_grades(loaded, recipe=one.recipe, reading=options.reading)
    more = [load_pairs(file).data for file in options.more]
    settings = settings_of(source, entrants, options)
    import_torch()
    with sole_writer(out) as folder:
        refuse_others(folder, settings)
        return _studied(loaded, folder, entrants, more, settings, options)


def _studied(
    loaded: Loaded[PairSet],
    folder: Path,
    entrants: Mapping[str, Entrant],
    more: Sequence[PairSet],
    settings: Mapping[str, Any],
    options: StudyOptions,
) -> StudyResult:
    """Run the remaining steps of the study in this folder."""
    sides = _split(loaded, folder, options)
    further = _further(more, sides, similarity=options.similarity)
    for one in entrants.values():
        require_unseen_start(one.start, sides.test)
        require_precision(one.recipe, _material(one, sides, further, options), device=options.device)
    write_json(folder / STUDY, settings)
    runs = _train(list(entrants.values()), sides, further, folder, options)
    (scores, notes), accounts = _score(sides, runs, options), _accounts(sides, runs)
    studied = Studied(
        loaded,
        folder,
        options,
        sides.split,
        tuple(entrants.values()),
        runs,
        scores,
        further,
        baselines=notes,
        accounts=accounts,
    )
    if options.curve:
        studied = _with_curve(studied, sides, entrants[scores.dev.best(scores.recipes)])
    _write(studied)
    report, model = finish(studied)
    page = publish(report, folder)
    if (live := options.live_page(folder, runs)) is not None:
        live.show(report=page.name)
    note_accounts(accounts.truncations, accounts.coverages)
    return StudyResult(
        folder,
        report,
        page,
        model,
        truncations=accounts.truncations,
        coverages=accounts.coverages,
    )


def _named(options: StudyOptions) -> dict[str, Entrant] | None:
    """The requested models by name, checked; None for the default."""
    if options.models is None:
        return None
    if options.download:
        fetch(*to_fetch(options.models))
    return entrants_of(options.models, "pairs")


def _usual(options: StudyOptions, pairs: int) -> dict[str, Entrant]:
    """The default models, by name."""
    models = models_for(pairs)
    if options.download:
        fetch(*to_fetch(models))
    if pairs > SMALL:
        note(
            f"minilm, the built-in transformer, isn't trained by default on more than {SMALL:,} pairs, since "
            f"that takes long; to include it: `models={','.join((*models, 'minilm'))}`"
        )
    return entrants_of(models, "pairs")


def _split(loaded: Loaded[PairSet], folder: Path, options: StudyOptions) -> _Sides:
    report = split_loaded(
        loaded,
        folder / SPLIT,
        seed=options.split_seed,
        together=KeptTogether(similarity=options.similarity),
        reading=options.reading,
    )
    sides = _Sides(**read_sides(folder, options.reading), split=report)
    for side in (sides.dev, sides.test):
        if len(np.unique(side.labels)) < 2:
            raise DataError(
                f"{name_of(loaded.report.path)}: {side.name} has one kind of label only, so nothing can "
                "be measured on it",
                fix="give more pairs of both kinds, in more groups that share no text",
            )
    return sides


def _further(more: Sequence[PairSet], sides: _Sides, *, similarity: float | None) -> Further:
    """Further positives without those linked to a text of dev or test, directly or indirectly."""
    positives = [data.select(np.flatnonzero(bonds(data)).tolist()) for data in more]
    pairs = [pair for data in positives for pair in data]
    everything = PairSet((*pairs, *sides.dev, *sides.test), LabelKind.NONE)
    graph = text_graph(everything, similarity=similarity, quiet=True)
    component = graph.components(pairs=np.ones(len(everything), dtype=np.bool_), ids=False)[graph.a]
    clean = ~np.isin(component[: len(pairs)], component[len(pairs) :])
    starts = np.cumsum([0, *map(len, positives)])
    kept = tuple(
        data.select(np.flatnonzero(clean[start : start + len(data)]).tolist())
        for data, start in zip(positives, starts[:-1].tolist(), strict=True)
    )
    return Further(kept, len(pairs) - int(clean.sum()))


def _material(entrant: Entrant, sides: _Sides, further: Further, options: StudyOptions) -> Material:
    vectors = options.vectors if entrant.start is None else None
    return Material(sides.train, sides.dev, further.pairs, vectors, entrant.start)


def _train(
    entrants: Sequence[Entrant],
    sides: _Sides,
    further: Further,
    folder: Path,
    options: StudyOptions,
    share: str = "",
) -> dict[str, tuple[TrainingRun, ...]]:
    """The runs of each recipe.

    Raises:
        TextkinError: a training failed.
    """
    live = options.live_page(folder, (one.recipe.name for one in entrants))
    jobs = [
        Job(one.recipe, seed, folder / TRAINED / f"{one.recipe.name}{share}-seed{seed}", one.start, live)
        for one in entrants
        for seed in range(options.seeds)
    ]
    material = Material(sides.train, sides.dev, further.pairs, options.vectors)
    runs = dict[Path, TrainingRun]()
    with closing(train_many(jobs, material, processes=options.jobs, device=options.device)) as outcomes:
        for one in outcomes:
            if one.run is None:
                raise (one.refused or TrainingError)(one.failure)
            runs[one.job.folder] = one.run
    return {
        one.recipe.name: tuple(runs[job.folder] for job in jobs if job.recipe is one.recipe)
        for one in entrants
    }


def _score(
    sides: _Sides, runs: Mapping[str, Sequence[TrainingRun]], options: StudyOptions
) -> tuple[Scores, tuple[str, ...]]:
    """Every system's scores on dev and test, and notes on the baselines.

    Baselines take word frequencies from training texts only. Of one that reads words in two ways dev keeps
    both, and test has the one that is stronger on dev. BM25 is also tuned on dev.
    """
    judges = [PairJudge(side, sampling=options.sampling) for side in (sides.dev, sides.test)]
    fit_texts = list(dict.fromkeys(text for pair in sides.train.texts for text in pair))
    names = (*judges[0].baselines, *(["mean-vectors"] if options.vectors else []))
    variants = variants_of(
        names, judges[0], analyser=options.analyser, fit_texts=fit_texts, vectors=options.vectors, seed=0
    )
    notes = take_stronger(judges[0], judges[1], variants)
    for name, seeds in runs.items():
        for judge in judges:
            judge.take_scores(name, _scores(seeds, judge.data))
    return Scores(judges[0], judges[1], tuple(runs), {}), tuple(notes)


def _accounts(sides: _Sides, runs: Mapping[str, Sequence[TrainingRun]]) -> DataCoverage:
    """Truncation and coverage of all trained models on the data they are measured on."""
    from textkin.models.inference.scorers import load_scorer

    measured = PairSet((*sides.dev, *sides.test), sides.test.kind)
    return accounts_on(measured, {name: [load_scorer(seeds[0].model)] for name, seeds in runs.items()})


def _scores(runs: Sequence[TrainingRun], data: PairSet) -> Floats:
    from textkin.models.inference.scorers import load_scorer

    return np.stack([load_scorer(run.model).score(data.texts).astype(np.float64) for run in runs])


def _with_curve(studied: Studied, sides: _Sides, entrant: Entrant) -> Studied:
    """Train the best recipe on growing shares of the labels, component by component."""
    options = studied.options
    order = by_component(test_set(sides.train).clusters, seed=options.split_seed)
    curve, labels = {}, []
    for share in _CURVE_SHARES:
        chosen = np.sort(order[: max(1, round(share * len(order)))])
        part = replace(sides, train=sides.train.select(chosen.tolist()))
        runs = _train([entrant], part, studied.further, studied.out, options, share=f"-share{share:.2f}")
        curve[share] = _scores(runs[entrant.recipe.name], sides.test)
        labels.append(len(chosen))
    curve[1.0] = studied.scores.test.scores[entrant.recipe.name]
    return replace(
        studied, scores=replace(studied.scores, curve=curve), curve_labels=(*labels, len(sides.train))
    )


def _write(studied: Studied) -> None:
    folder, scores = studied.out / SCORES, studied.scores
    for name, judge in (("dev", scores.dev), ("test", scores.test)):
        write_scores(folder / f"{name}.tsv", judge.test.labels, judge.scores)
    if scores.curve:
        by_share = {str(share): rows for share, rows in scores.curve.items()}
        write_scores(folder / "curve.tsv", scores.test.test.labels, by_share)
