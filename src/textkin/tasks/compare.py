"""Measure models beside the honest baselines on one data set, and test the differences.

One table serves labelled pairs, candidates to rank (WikiQA) and whole collections (BEIR): every system with
its interval, and its difference from one rival with a p value that is corrected for the number of
comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from textkin.errors import UsageError, did_you_mean
from textkin.readers import load as read
from textkin.readers import load_texts
from textkin.readers.report import ReadReport
from textkin.report.content import Systems
from textkin.scorers import BASELINES
from textkin.tasks.judges import judge_of
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.resolve import resolve


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured on a data set.

    Attributes:
        data: the name of the data, with its question set where it has several.
        kind: "pairs", "candidates" or "collection".
        measure: the main one: differences and tests are of it.
        systems: the table.
        rival: what the others are compared with.
        fitted_on: where the baselines' word frequencies come from.
        read: what the reader skipped.
        notes: what a reader of the table must know.
    """

    data: str
    kind: str
    measure: str
    systems: Systems
    rival: str
    fitted_on: str
    read: ReadReport
    notes: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Options:
    """How to measure.

    Attributes:
        baselines: names of baselines to put beside the models; None for those that fit the data.
        rival: the system to compare with; None for the best baseline, or the first model without one.
        measures: for rankings; the first is the main one.
        fit: a file of texts for the baselines' word frequencies; None for the measured texts themselves.
        vectors: for the baseline mean-vectors, which is added when it is given.
        out: folder for ``qrels.trec`` and one ``NAME.run.trec`` a system, for rankings.
        sampling: of intervals and tests.
        reading: arguments of ``readers.load``: format, columns, quoting, questions, labels, split.
    """

    baselines: tuple[str, ...] | None = None
    rival: str | None = None
    measures: tuple[str, ...] = ()
    fit: Path | None = None
    vectors: Path | None = None
    out: Path | None = None
    sampling: Sampling = field(default_factory=Sampling)
    reading: Mapping[str, Any] = field(default_factory=dict)


def compare(path: Path | str, models: Sequence[str], *, options: Options | None = None) -> Measured:
    """Measure models and baselines on a data set.

    Args:
        path: labelled pairs, candidates or a collection, in any format that textkin reads.
        models: model directories, model2vec folders or baselines.
        options: see :class:`Options`.

    Raises:
        UsageError: a model or measure is not known, or does not fit the data.
        DataError: the data can't be read or have no labels.
        ModelError: a model can't be read.
    """
    options = options or Options()
    loaded = read(path, **options.reading)
    data = loaded.data
    judge = judge_of(data, measures=options.measures, sampling=options.sampling)
    names = _names(models, judge.baselines, options)
    fit_texts, fitted_on = _fit_texts(judge.texts, options)
    for name in names:
        scorer = resolve(name, fit_texts=fit_texts, vectors=options.vectors, seed=options.sampling.seed)
        judge.take(name, scorer)
    trained = [name for name in names if name not in BASELINES]
    rival = judge.rival(options.rival, trained=trained)
    if options.out is not None:
        judge.write(options.out)
    return Measured(
        data=data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=judge.table(rival, trained=trained),
        rival=rival,
        fitted_on=fitted_on,
        read=loaded.report,
        notes=judge.notes(),
    )


def evaluate(model: str, path: Path | str, *, options: Options | None = None) -> Measured:
    """Measure one model beside the baselines; see :func:`compare`."""
    return compare(path, [model], options=options)


def _names(models: Sequence[str], fitting: Sequence[str], options: Options) -> list[str]:
    """Baselines, then models, each once."""
    baselines = fitting if options.baselines is None else options.baselines
    for name in baselines:
        if name not in BASELINES:
            raise UsageError(f"unknown baseline {name!r}", fix=did_you_mean(name, BASELINES))
    vectors = ["mean-vectors"] if options.vectors is not None and options.baselines is None else []
    return list(dict.fromkeys([*baselines, *vectors, *models]))


def _fit_texts(own: list[str], options: Options) -> tuple[list[str], str]:
    if options.fit is None:
        return own, f"the {len(own):,} texts of the data itself (no labels)"
    texts = load_texts(options.fit).data.texts
    return list(texts), f"{len(texts):,} texts of {options.fit.name}"
