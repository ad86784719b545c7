"""The systems and the judge of a measurement, prepared from the user's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.base.errors import (
    DataError,
    LeakError,
    UsageError,
    inapplicable,
    invalid,
    required,
    unknown_choice,
)
from textkin.data.protocols import Scorer, System
from textkin.data.readers import load_pairs, load_texts
from textkin.data.records import CandidateSet, LabelKind, PairSet, RetrievalSet
from textkin.data.splits.leak_proof import leaks
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import Judge
from textkin.kinds.measuring import Options
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import CandidateJudge, RetrievalJudge
from textkin.kinds.score_cache import cache
from textkin.kinds.systems import AnyModel, fetch, named_systems, resolve, resolve_for_classes
from textkin.text.baselines import read_by, with_analyser
from textkin.text.baselines.classifiers import LEARNERS
from textkin.text.baselines.terms import FitTexts


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


def judge_of(
    data: PairSet | CandidateSet | RetrievalSet,
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
    if isinstance(data, RetrievalSet):
        return RetrievalJudge(
            data, measures=measures, sampling=sampling, drop_identical_ids=drop_identical_ids
        )
    if drop_identical_ids:
        raise inapplicable("drop_identical_ids", to="data without a corpus to search")
    if isinstance(data, CandidateSet):
        return CandidateJudge(data, measures=measures, sampling=sampling)
    if measures:
        raise inapplicable(
            "measures",
            to="pairs",
            fix="leave it out: pairs are measured by AP and ROC AUC, graded ones by Spearman and Pearson, "
            "classes by accuracy and macro F1",
        )
    if data.kind is LabelKind.CLASSES:
        return ClassJudge(data, sampling=sampling)
    return PairJudge(data, sampling=sampling)


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """The seeds of systems by their names, the sources of the baselines among them, and notes."""

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
        options: the user's options.

    Raises:
        UsageError: there is nothing to measure, a baseline or the rival is not known, or nothing reads by the
            analyser.
    """
    chosen = baselines if options.baselines is None else options.baselines
    for name in chosen:
        if name not in known:
            raise unknown_choice("baselines", name, known)
    asked: dict[str, tuple[AnyModel, ...]] = {name: (name,) for name in chosen}
    asked |= {name: tuple(seeds) for name, seeds in named.items()}
    if not (asked or options.runs):
        raise UsageError(
            "no system to compare", fix="give a model or a baseline", params=("models", "baselines")
        )
    with_analyser([seed for seeds in asked.values() for seed in seeds], options.analyser)
    names = {
        read_by(name, options.analyser): tuple(read_by(seed, options.analyser) for seed in seeds)
        for name, seeds in asked.items()
    }
    rivals = [*names, *options.runs]
    if twice := next((name for name in options.runs if name in names), None):
        raise invalid("runs", twice, expected="a name that no other system has", fix="write NAME=FILE")
    if options.against is not None and options.against not in rivals:
        raise unknown_choice("against", options.against, rivals)
    return names


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
    """Texts for the word frequencies of baselines, and their description."""
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
        raise inapplicable("vectors", to="classes of pairs")
    if options.fit is None:
        if untaught := [name for name in names if name in LEARNERS]:
            raise required("fit", by=f"{untaught[0]}, which learns from labelled pairs,")
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
    return Prepared(systems, fitted_on, () if train is judge.data else shared_texts(train, judge.data))


def dev_judge(judge: Judge, path: Path, options: Options) -> PairJudge:
    """The judge of the pairs that thresholds are fitted on.

    Raises:
        UsageError: the measured data are not labelled yes or no.
        LeakError: some of the measured pairs are among them.
    """
    if not (isinstance(judge, PairJudge) and judge.is_binary):
        raise inapplicable("dev", to=f"{judge.kind} without yes/no labels")
    dev = PairJudge(load_pairs(path, reading=options.reading.layout()).data, sampling=options.sampling)
    (overlap,) = leaks(dev.data, judge.data).overlaps
    if overlap.pairs:
        raise LeakError(
            f"{path} has {overlap.pairs:,} of the measured pairs: thresholds fitted on them look too good",
            fix="give other dev pairs",
        )
    return dev


def shared_texts(fitted: PairSet, data: PairSet) -> tuple[str, ...]:
    """A note on the overlap of the measured pairs with those used for fitting."""
    (overlap,) = leaks(fitted, data).overlaps
    if not overlap.keys:
        return ()
    pairs = f" and {overlap.pairs:,} pairs: figures may be too good" if overlap.pairs else ""
    return (f"{fitted.name} and {data.name} share {overlap.keys:,} texts{pairs}",)
