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
from textkin.files import ensure_folder
from textkin.readers import load as read
from textkin.readers import load_texts
from textkin.readers.report import ReadReport
from textkin.records import CandidateSet, Collection, PairSet
from textkin.report.content import Systems
from textkin.scorers import BASELINES
from textkin.tasks.judges import Judge, PairJudge
from textkin.tasks.pair_figures import Sampling
from textkin.tasks.ranking_judges import CandidateJudge, CollectionJudge
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
        out: folder for ``qrels.trec`` and one ``NAME.run.trec`` a system; for pairs, ``scores.tsv``.
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
    judge = judge_of(loaded.data, measures=options.measures, sampling=options.sampling)
    names = _names(models, judge.baselines, options)
    if options.rival is not None and options.rival not in names:
        raise UsageError(
            f"the rival {options.rival!r} is not measured", fix=did_you_mean(options.rival, names)
        )
    fit_texts, fitted_on = _fit_texts(judge.texts, options)
    seed = options.sampling.seed
    scorers = {name: resolve(name, fit_texts=fit_texts, vectors=options.vectors, seed=seed) for name in names}
    for name, scorer in scorers.items():
        judge.take(name, scorer)
    trained = [name for name in names if name not in BASELINES]
    rival = options.rival or judge.best([name for name in names if name in BASELINES] or names[:1])
    if options.out is not None:
        judge.write(ensure_folder(options.out))
    return Measured(
        data=loaded.data.name,
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


def judge_of(
    data: PairSet | CandidateSet | Collection, *, measures: Sequence[str], sampling: Sampling
) -> Judge:
    """The judge for this kind of data.

    Raises:
        UsageError: ranking measures are asked for on pairs, or one is not known.
        DataError: there is nothing to measure on.
    """
    if isinstance(data, CandidateSet):
        return CandidateJudge(data, measures=measures, sampling=sampling)
    if isinstance(data, Collection):
        return CollectionJudge(data, measures=measures, sampling=sampling)
    if measures:
        raise UsageError(
            f"{measures[0]!r} is a ranking measure, and {data.name or 'this file'} has pairs",
            fix="leave out -m: pairs are measured by AP and ROC AUC, graded ones by Spearman and Pearson",
        )
    return PairJudge(data, sampling=sampling)


def _names(models: Sequence[str], fitting: Sequence[str], options: Options) -> list[str]:
    """Baselines, then models, each once."""
    baselines = fitting if options.baselines is None else options.baselines
    for name in baselines:
        if name not in BASELINES:
            raise UsageError(f"unknown baseline {name!r}", fix=did_you_mean(name, BASELINES))
    vectors = ["mean-vectors"] if options.vectors is not None and options.baselines is None else []
    names = list(dict.fromkeys([*baselines, *vectors, *models]))
    if not names:
        raise UsageError("there is nothing to measure", fix="name a model or a baseline")
    return names


def _fit_texts(own: list[str], options: Options) -> tuple[list[str], str]:
    if options.fit is None:
        return own, f"the {len(own):,} texts of the data itself (no labels)"
    texts = load_texts(options.fit).data.texts
    return list(texts), f"{len(texts):,} texts of {options.fit.name}"
