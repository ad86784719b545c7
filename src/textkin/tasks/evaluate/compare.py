"""Measure models beside the honest baselines on one data set, and test the differences.

One table serves labelled pairs (scored, or sorted into classes), candidates to rank (WikiQA) and whole
collections (BEIR): every system with its interval, and its difference from one rival with a p value that is
corrected for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, final

from textkin.decision.goal import Aim, Goal
from textkin.errors import DataError, LeakError, UsageError, did_you_mean
from textkin.evaluation.accounts import accounts_on
from textkin.evaluation.caching import cache
from textkin.evaluation.class_judge import ClassJudge
from textkin.evaluation.decisions import judge_decisions
from textkin.evaluation.fixed_threshold import check_fixed, fixed_decisions
from textkin.evaluation.given_runs import refuse_runs, suggestion, take_given
from textkin.evaluation.held_out import require_unseen
from textkin.evaluation.judge import Judge
from textkin.evaluation.pair_judge import PairJudge
from textkin.evaluation.ranking_judge import CandidateJudge, CollectionJudge
from textkin.evaluation.span_judge import Abstention
from textkin.evaluation.test_set import Sampling
from textkin.files import sole_writer
from textkin.protocols import Scorer, System
from textkin.readers import load_pairs, load_texts
from textkin.readers.given import GivenData, loaded_choices, loaded_data, loaded_spans
from textkin.readers.report import ReadReport
from textkin.records import CandidateSet, Collection, LabelKind, PairSet, Suite
from textkin.report.content import ByClass, Systems
from textkin.report.fixed_threshold import FixedDecisions, fixed_lines
from textkin.report.tables import systems_caption
from textkin.report.words import outcome
from textkin.scorers import read_by, with_analyser
from textkin.scorers.classes import LEARNERS
from textkin.scorers.terms import FitTexts
from textkin.splits.proof import leaks
from textkin.splits.seen import seen_of
from textkin.systems import AnyModel, fetch, named_systems, resolve, resolve_for_classes
from textkin.tasks.evaluate.measured_report import with_page
from textkin.tasks.evaluate.options import Options, overwriting_nothing
from textkin.tasks.evaluate.system_table import SystemTable
from textkin.text.truncation import Truncation
from textkin.vectors.coverage import Coverage

_Model = TypeVar("_Model")


@final
@dataclass(frozen=True, slots=True, repr=False)
class Measured(SystemTable):
    """What was measured on a data set.

    Attributes:
        data: the name of the data, with its question set where it has several.
        kind: "pairs", "candidates", "collection", "spans" or "choices".
        measure: the main one: differences and tests are of it.
        systems: the table.
        rival: what the others are compared with.
        fitted_on: what the baselines know: where word frequencies, or classes, come from.
        read: what the reader skipped.
        notes: what a reader of the table must know.
        by_class: for classes, the decisions of each model that was asked for, class by class.
        truncations: how many texts of the data each model that says how much it reads would cut.
        abstentions: for SQuAD 2.0, how good each model's probability of "no answer" is.
        coverages: how much of these texts each model that can say so knows.
        decisions: what the model decides at ``Options.threshold``; None where none was given.
        suggestion: why the rival is the one it is, and how to name another; "" where it was named.

    Example:
        >>> import textkin as tk
        >>> from textkin import samples
        >>> options = tk.Options(sampling=tk.Sampling(100, 100))
        >>> found = tk.evaluate(samples.pairs("travel"), model="default", options=options)
        >>> sorted(found.rows()[0])[:3]
        ['AP', 'AP high', 'AP low']
    """

    data: str
    kind: str
    measure: str
    systems: Systems
    rival: str
    fitted_on: str
    read: ReadReport
    notes: tuple[str, ...] = ()
    by_class: tuple[ByClass, ...] = ()
    truncations: tuple[Truncation, ...] = ()
    abstentions: tuple[Abstention, ...] = ()
    coverages: tuple[Coverage, ...] = ()
    decisions: FixedDecisions | None = None
    suggestion: str = ""

    @property
    def title(self) -> str:
        """The name of the data."""
        return self.data

    def _said(self) -> tuple[str, ...]:
        return (
            self.data,
            systems_caption(self.systems, self.measure),
            f"Differences are from {self.rival}; p values are corrected for their number (Holm).",
            *([said] if (said := outcome(self.systems, self.measure)) else []),
            *([self.suggestion] if self.suggestion else []),
            f"Baselines are fitted on {self.fitted_on}.",
            *self.notes,
            *(() if self.decisions is None else fixed_lines(self.decisions)),
        )


def compare(data: GivenData, models: Sequence[AnyModel], *, options: Options | None = None) -> Measured:
    """Measure models and baselines on a data set.

    Args:
        data: labelled pairs, candidates, a collection, questions about passages or questions with choices: a
            path in any format that textkin reads, or records.
        models: model directories, model2vec folders, baselines, or objects (see ``scorers.given``);
            NAME=MODEL,MODEL,... for a system that was trained with several seeds, whose figures are the means
            over them.
        options: see :class:`Options`.

    Raises:
        UsageError: a model or measure is not known, or does not fit the data.
        DataError: the data can't be read or have no labels, or no classes that a model knows.
        LeakError: thresholds are fitted on some of the measured pairs, or a model was trained on them.
        ModelError: a model can't be read.
    """
    options = overwriting_nothing(data, options or Options())
    named = at_hand(models, options)
    if (spans := loaded_spans(data, reading=options.reading)) is not None:
        from textkin.tasks.evaluate.spans import compare_spans

        refuse_runs(options.runs)
        return compare_spans(spans, named, options)
    if (exam := loaded_choices(data, reading=options.reading)) is not None:
        from textkin.tasks.evaluate.choices import compare_choices

        refuse_runs(options.runs)
        return compare_choices(exam, named, options)
    loaded = loaded_data(data, reading=options.reading)
    if isinstance(loaded.data, Suite):
        raise UsageError(f"{data} holds three data sets", fix="measure on it with compare_suite")
    _refuse_of_questions(options)
    judge = judge_of(
        loaded.data,
        measures=options.measures,
        sampling=options.sampling,
        drop_identical_ids=options.drop_identical_ids,
    )
    check_fixed(judge, named, options.threshold)
    names = measured_names(named, (*judge.baselines, *_further(judge, options)), judge.known, options)
    dev = None if options.dev is None else dev_judge(judge, options.dev, options)
    # Before hours of encoding, so that a broken run is told at once.
    of_runs = take_given(judge, options.runs, drop_identical_ids=options.drop_identical_ids)
    prepared = _prepared(names, judge, options)
    for name, seeds in prepared.systems.items():
        for system in seeds:
            require_unseen(name, seen_of(system), loaded.data, accept_leaks=options.accept_leaks)
    left_out = take_all(judge, prepared.systems, against=options.against)
    accounts = accounts_on(loaded.data, prepared.systems)
    notes = (*judge.notes(), *left_out, *of_runs, *prepared.notes, *accounts.sentences())
    baselines = [name for name in names if name in judge.known and name in judge.names]
    trained = [name for name in names if name not in judge.known]
    if dev is not None and isinstance(judge, PairJudge):
        judge, said = _decided(judge, dev, {name: prepared.systems[name] for name in judge.scores})
        notes = (*notes, *said)
    decisions = fixed_decisions(judge, [read_by(name, options.analyser) for name in named], options.threshold)
    rival = options.against or judge.best(judge.fair(baselines) or judge.names[:1])
    if options.out is not None:
        with sole_writer(options.out) as folder:
            judge.write(folder)
    measured = Measured(
        data=loaded.data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=replace(judge.table(rival, trained=trained), runs=tuple(options.runs)),
        rival=rival,
        fitted_on=prepared.fitted_on,
        read=loaded.report,
        notes=notes,
        by_class=tuple(map(judge.by_class, named)) if isinstance(judge, ClassJudge) else (),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
        decisions=decisions,
        suggestion="" if options.against else suggestion(judge, rival, baselines),
    )
    return with_page(measured, options)


def take_all(
    judge: Judge, systems: Mapping[str, Sequence[System]], *, against: str | None
) -> tuple[str, ...]:
    """Measure all systems; a baseline that can't be measured is left out, with a note.

    Such is one that gives every graded pair the same score, since it knows none of their words.

    Raises:
        DataError: a model or the rival can't be measured, or no system can.
    """
    notes = []
    for name, seeds in systems.items():
        if name not in judge.known or name == against:
            judge.take(name, *seeds)
        elif objection := judge.objection_to(name, *seeds):
            notes.append(f"{objection}; it is left out")
    if not judge.names:
        raise DataError(f"no system can be measured: {'; '.join(notes)}", fix="name another one")
    return tuple(notes)


def _refuse_of_questions(options: Options) -> None:
    """Refuse what goes with questions about passages, or with choices, only."""
    for given, option, data in (
        (options.decision, "--decision", "about passages"),
        (options.corpora.asked(), "--corpus or --support", "with choices"),
    ):
        if given:
            raise UsageError(f"{option} goes with questions {data} only", fix="leave it out")


def evaluate(model: AnyModel, data: GivenData, *, options: Options | None = None) -> Measured:
    """Measure one model beside the baselines; see :func:`compare`."""
    return compare(data, [model], options=options)


def judge_of(
    data: PairSet | CandidateSet | Collection,
    *,
    measures: Sequence[str],
    sampling: Sampling,
    drop_identical_ids: bool = False,
) -> Judge:
    """The judge for this kind of data.

    Raises:
        UsageError: ranking measures are asked for on pairs, or one is not known; documents are to be dropped
            where there is no collection.
        DataError: there is nothing to measure on.
    """
    if isinstance(data, Collection):
        return CollectionJudge(
            data, measures=measures, sampling=sampling, drop_identical_ids=drop_identical_ids
        )
    if drop_identical_ids:
        raise UsageError(
            f"{data.name or 'this file'} is no collection, so no query can find itself",
            fix="leave out --drop-identical-ids",
        )
    if isinstance(data, CandidateSet):
        return CandidateJudge(data, measures=measures, sampling=sampling)
    if measures:
        raise UsageError(
            f"{measures[0]!r} is a ranking measure, and {data.name or 'this file'} has pairs",
            fix="leave out -m: pairs are measured by AP and ROC AUC, graded ones by Spearman and Pearson, "
            "classes by accuracy and macro F1",
        )
    if data.kind is LabelKind.CLASSES:
        return ClassJudge(data, sampling=sampling)
    return PairJudge(data, sampling=sampling)


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """The seeds of systems by their names, what the baselines among them know, and notes on that."""

    systems: Mapping[str, Sequence[System]]
    fitted_on: str
    notes: tuple[str, ...] = ()


def at_hand(models: Sequence[AnyModel], options: Options) -> dict[str, tuple[AnyModel, ...]]:
    """The models of each system that the user named, fetched if the options say so.

    Raises:
        UsageError: a word names no system.
        ModelError: a model can't be fetched.
    """
    named = named_systems(models)
    if options.download:
        scorers = (options.corpora.question_scorer, options.corpora.answer_scorer)
        words = (*(one for seeds in named.values() for one in seeds), *scorers)
        fetch(*(one for one in words if isinstance(one, str)))
    return named


def measured_names(
    named: Mapping[str, Sequence[AnyModel]], baselines: Sequence[str], known: Sequence[str], options: Options
) -> dict[str, tuple[AnyModel, ...]]:
    """The models of every system that is measured, baselines first.

    Args:
        named: the systems that the user named.
        baselines: those to put beside unless the user named others.
        known: the baselines that can be measured.
        options: of the user.

    Raises:
        UsageError: there is nothing to measure, a baseline or the rival is not known, or nothing reads by the
            analyser.
    """
    chosen = baselines if options.baselines is None else options.baselines
    for name in chosen:
        if name not in known:
            raise UsageError(f"unknown baseline {name!r}", fix=did_you_mean(name, known))
    asked: dict[str, tuple[AnyModel, ...]] = {name: (name,) for name in chosen}
    asked |= {name: tuple(seeds) for name, seeds in named.items()}
    if not (asked or options.runs):
        raise UsageError("there is nothing to measure", fix="name a model or a baseline")
    with_analyser([seed for seeds in asked.values() for seed in seeds], options.analyser)
    names = {
        read_by(name, options.analyser): tuple(read_by(seed, options.analyser) for seed in seeds)
        for name, seeds in asked.items()
    }
    rivals = [*names, *options.runs]
    if twice := next((name for name in options.runs if name in names), None):
        raise UsageError(f"two systems are called {twice!r}", fix="write NAME=FILE with another name")
    if options.against is not None and options.against not in rivals:
        raise UsageError(
            f"the rival {options.rival!r} is not measured", fix=did_you_mean(options.against, rivals)
        )
    return names


def _further(judge: Judge, options: Options) -> tuple[str, ...]:
    """The baselines that have what they need, besides the data."""
    if isinstance(judge, ClassJudge):
        return LEARNERS if options.fit is not None else ()
    return ("mean-vectors",) if options.vectors is not None else ()


def _prepared(names: Mapping[str, Sequence[AnyModel]], judge: Judge, options: Options) -> Prepared:
    if isinstance(judge, ClassJudge):
        return classifiers_for(names, judge, options)
    return scorers_for(names, judge, options)


def scorers_for(names: Mapping[str, Sequence[AnyModel]], judge: Judge, options: Options) -> Prepared:
    """The scorers of these names, for the data of a judge.

    Raises:
        UsageError: a model is not known, or gives no scores.
        ModelError: one can't be read.
    """
    texts, fitted_on = fit_texts_of(judge.texts, options)
    vectors, seed = options.vectors, options.sampling.seed
    opened: dict[str, Scorer] = {}
    systems: dict[str, list[Scorer]] = {}
    notes = []
    for name, models in names.items():
        try:
            systems[name] = [
                resolve(model, fit_texts=texts, vectors=vectors, seed=seed, opened=opened) for model in models
            ]
        except DataError as error:  # such as texts without a word
            if name not in judge.known or name == options.against:
                raise
            notes.append(f"{name} is left out: {error.message}")
    cache([one for seeds in systems.values() for one in seeds], options.cache)
    return Prepared(systems, fitted_on, tuple(notes))


def fit_texts_of(own: list[str], options: Options) -> tuple[FitTexts, str]:
    """What baselines take word frequencies from, and what that is in words."""
    if options.fit is None:
        return FitTexts(own), f"the {len(own):,} texts of the data itself (no labels)"
    texts = load_texts(options.fit).data.texts
    return FitTexts(texts), f"{len(texts):,} texts of {options.fit.name}"


def classifiers_for(names: Mapping[str, Sequence[AnyModel]], judge: ClassJudge, options: Options) -> Prepared:
    """The classifiers of these names, for the data of a judge.

    Raises:
        UsageError: a model is not known, or a baseline has nothing to learn from.
        ModelError: one can't be read.
    """
    if options.vectors is not None:
        raise UsageError("no baseline makes classes of word vectors", fix="leave the vectors out")
    if options.fit is None:
        if untaught := [name for name in names if name in LEARNERS]:
            raise UsageError(
                f"{untaught[0]} learns from labelled pairs, and there are none",
                fix="give the training pairs with --fit",
            )
        train = judge.data
        fitted_on = "the labels of the data itself: no other constant class is right more often"
    else:
        train = load_pairs(options.fit, reading=options.reading.layout()).data
        fitted_on = f"{len(train):,} labelled pairs of {options.fit.name}"
    seed = options.sampling.seed
    systems = {
        name: [resolve_for_classes(model, train=train, seed=seed) for model in seeds]
        for name, seeds in names.items()
    }
    cache([one for seeds in systems.values() for one in seeds], options.cache)
    return Prepared(systems, fitted_on, () if train is judge.data else _shared(train, judge.data))


def dev_judge(judge: Judge, path: Path, options: Options) -> PairJudge:
    """The judge of the pairs that thresholds are fitted on.

    Raises:
        UsageError: the measured data are not labelled yes or no.
        LeakError: some of the measured pairs are among them.
    """
    if not (isinstance(judge, PairJudge) and judge.is_binary):
        raise UsageError(
            f"nothing is decided by a threshold on {judge.kind} labelled otherwise than yes or no",
            fix="leave the dev pairs out",
        )
    dev = PairJudge(load_pairs(path, reading=options.reading.layout()).data, sampling=options.sampling)
    (overlap,) = leaks(dev.data, judge.data).overlaps
    if overlap.pairs:
        raise LeakError(
            f"{path} has {overlap.pairs:,} of the measured pairs: thresholds fitted on them look too good",
            fix="give other dev pairs",
        )
    return dev


def _decided(
    judge: PairJudge, dev: PairJudge, systems: Mapping[str, Sequence[System]]
) -> tuple[ClassJudge, tuple[str, ...]]:
    """The judge of decisions by thresholds that are fitted on dev, and notes on them."""
    for name, seeds in systems.items():
        dev.take(name, *seeds)
    said = f"each system decides by its own threshold, fitted on {dev.data.name} for the best accuracy"
    return judge_decisions(dev, judge, goal=Goal(Aim.ACCURACY)), (said, *_shared(dev.data, judge.data))


def _shared(fitted: PairSet, data: PairSet) -> tuple[str, ...]:
    """A note on what the measured pairs share with those that something was fitted on."""
    (overlap,) = leaks(fitted, data).overlaps
    if not overlap.keys:
        return ()
    pairs = f" and {overlap.pairs:,} pairs: figures may be too good" if overlap.pairs else ""
    return (f"{fitted.name} and {data.name} share {overlap.keys:,} texts{pairs}",)
