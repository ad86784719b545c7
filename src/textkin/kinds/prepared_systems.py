"""The systems of a measurement, prepared from the user's names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base import errors
from textkin.base.python_inputs import path_of
from textkin.data.readers.from_python import GivenPairs, loaded_pairs
from textkin.data.records import PairSet
from textkin.data.splits.leak_proof import leaks
from textkin.kinds.baseline_fits import Fitted
from textkin.kinds.judge import Judge
from textkin.kinds.kind import DataKind
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.score_cache import cache
from textkin.kinds.systems import AnyModel, Predicted, Predictions, fetch, named_systems
from textkin.text.baselines import read_by, with_analyser


@dataclass(frozen=True, slots=True)
class Prepared:
    """The seeds of systems by their names, and notes on baselines that are left out."""

    systems: Mapping[str, Sequence[Any]]
    notes: tuple[str, ...] = ()


def predicted_by(
    kind: DataKind[Any, Any], judge: Judge, names: Mapping[str, Sequence[AnyModel]], options: Options
) -> dict[Predictions, Predicted]:
    """The systems behind the predictions among the models; done first, so that a wrong file is told at once.

    Raises:
        UsageError: predictions of such data aren't read.
        DataError: they can't be read, or don't fit the data.
    """
    given = [one for seeds in names.values() for one in seeds if isinstance(one, Predictions)]
    return {one: kind.predicted(judge, one, options) for one in given}


def prepare(
    names: Mapping[str, Sequence[AnyModel]],
    fitted: Fitted,
    predicted: Mapping[Predictions, Predicted],
    *,
    named: Mapping[str, Sequence[AnyModel]],
    known: Sequence[str],
    options: Options,
) -> Prepared:
    """Open the systems of these names; baselines that nobody named and that can't be fitted are left out.

    Args:
        names: the models of every system.
        fitted: what baselines are fitted on.
        predicted: the systems behind predictions.
        named: the systems that the user named.
        known: the names of baselines.
        options: the user's options.

    Raises:
        UsageError: a model isn't known, or doesn't fit the data.
        ModelError: one can't be read.
        DataError: a model, or the system to compare with, can't be fitted, or a file can't be read.
    """
    systems: dict[str, list[Any]] = {}
    notes = [note for one in predicted.values() for note in one.notes]
    single = {name: seeds[0] for name, seeds in names.items() if len(seeds) == 1}
    given = {name: predicted[one].system for name, one in single.items() if isinstance(one, Predictions)}
    for name, models in names.items():
        try:
            systems[name] = [
                predicted[model].system
                if isinstance(model, Predictions)
                else fitted.open(model, named=name in named, given=given)
                for model in models
            ]
        except errors.DataError as error:  # such as texts without a word
            is_unread = error.path is not None  # such as a file of vectors
            if is_unread or name not in known or name in named or name == options.against:
                raise
            notes.append(f"{name} is left out: {error.message}")
    cache([one for seeds in systems.values() for one in seeds], options.cache)
    return Prepared(systems, (*notes, *fitted.notes()))


def take_all(
    judge: Judge, prepared: Prepared, *, known: Collection[str], against: str | None
) -> tuple[str, ...]:
    """Measure all systems; a baseline that can't be measured is left out, with a note.

    Such is one that gives every graded pair the same score, since it knows none of their words.

    Raises:
        DataError: a model or the reference can't be measured, or no system can.
    """
    notes = list(prepared.notes)
    for name, seeds in prepared.systems.items():
        if name not in known or name == against:
            judge.take(name, *seeds)
        elif objection := judge.objection_to(name, *seeds):
            notes.append(f"{objection}; it is left out")
    if not judge.names:
        raise errors.DataError(f"no system can be measured: {'; '.join(notes)}", fix="name another one")
    return tuple(notes)


def at_hand(models: AnyModel, options: Options) -> dict[str, tuple[AnyModel, ...]]:
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


def baselines_among(names: Mapping[str, Sequence[AnyModel]], known: Sequence[str]) -> list[str]:
    """The names of baselines, also of those that the user gave another name."""
    return [
        name for name, seeds in names.items() if all(isinstance(one, str) and one in known for one in seeds)
    ]


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
        UsageError: there is nothing to measure, a baseline or the reference is unknown, or nothing reads by
            the analyser.
    """
    chosen = baselines if options.baselines is None else options.baselines
    for name in chosen:
        if name not in known:
            raise errors.unknown_choice("baselines", name, known)
    asked: dict[str, tuple[AnyModel, ...]] = {name: (name,) for name in chosen}
    asked |= {name: tuple(seeds) for name, seeds in named.items()}
    if not asked:
        raise errors.UsageError(
            "no system to compare", fix="give a model or a baseline", params=("models", "baselines")
        )
    with_analyser([seed for seeds in asked.values() for seed in seeds], options.analyser)
    names = {
        read_by(name, options.analyser): tuple(read_by(seed, options.analyser) for seed in seeds)
        for name, seeds in asked.items()
    }
    for name in predictions_among(named):
        if name in known:
            raise errors.invalid(
                "models", name, expected="a name that no baseline has", fix="write NAME=FILE"
            )
    if options.against is not None and options.against not in names:
        raise errors.unknown_choice("against", options.against, [*names])
    return names


def predictions_among(named: Mapping[str, Sequence[AnyModel]]) -> tuple[str, ...]:
    """The systems of which only predictions are known."""
    return tuple(name for name, seeds in named.items() if any(isinstance(one, Predictions) for one in seeds))


def paths_of_predictions(named: Mapping[str, Sequence[AnyModel]]) -> list[Path | None]:
    """The files of predictions among the models."""
    return [one.path for seeds in named.values() for one in seeds if isinstance(one, Predictions)]


def dev_judge(judge: Judge, dev_pairs: GivenPairs, options: Options) -> PairJudge:
    """The judge of the pairs that thresholds are fitted on.

    Raises:
        UsageError: the measured data are not labelled yes or no.
        LeakError: some of the measured pairs are among them.
    """
    if not (isinstance(judge, PairJudge) and judge.is_binary):
        raise errors.inapplicable("dev", to=f"{judge.kind} without yes/no labels")
    reading = None if path_of(dev_pairs) is None else options.reading.layout()
    dev = PairJudge(loaded_pairs(dev_pairs, reading=reading).data, sampling=options.sampling)
    (overlap,) = leaks(dev.data, judge.data).overlaps
    if overlap.pairs:
        raise errors.LeakError(
            f"{overlap.pairs:,} of the measured pairs are in {dev.data.name}, which thresholds are fitted on",
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
