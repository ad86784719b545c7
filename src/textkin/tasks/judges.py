"""What it takes to measure systems on one kind of data: pairs, candidates to rank, whole collections.

A judge takes one scorer after another, then makes the table: figures with intervals, and differences from a
rival.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, UsageError, did_you_mean
from textkin.metrics.measure import Measure, expand
from textkin.metrics.pairwise import Confusion, confusion
from textkin.metrics.ranked import RankedResult
from textkin.metrics.ranked import evaluate as evaluate_run
from textkin.protocols import Scorer
from textkin.ranking import qrels_of, rank_candidates
from textkin.readers.trec import write_qrels, write_run
from textkin.records import CandidateSet, Collection, LabelKind, PairSet, Qrels, Run
from textkin.report.content import Comparison, Estimate, SystemRow, Systems
from textkin.stats.compare import Difference, paired_randomisation
from textkin.stats.holm import holm
from textkin.stats.interval import Interval, bootstrap_means
from textkin.stats.power import smallest_difference
from textkin.tasks.collection import rank_collection
from textkin.tasks.pair_figures import Sampling, against, intervals, main_figure, test_set


class Judge(ABC):
    """Measures systems on one data set.

    Attributes:
        kind: "pairs", "candidates" or "collection".
        baselines: those that fit the data.
        main: the name of the main measure.
        sampling: of intervals and tests.
    """

    kind: ClassVar[str]
    baselines: ClassVar[tuple[str, ...]]
    main: str
    sampling: Sampling

    @property
    @abstractmethod
    def texts(self) -> list[str]:
        """The distinct texts of the data, for baselines to take word frequencies from."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The systems that were taken, in order."""

    @abstractmethod
    def take(self, name: str, scorer: Scorer) -> None:
        """Score the data with a system and keep what comes out."""

    @abstractmethod
    def figures(self, name: str) -> dict[str, Interval]:
        """Every measure of a system; the main one first."""

    @abstractmethod
    def differences(self, names: Sequence[str], rival: str) -> list[Difference]:
        """Each system minus the rival in the main measure."""

    @abstractmethod
    def value(self, name: str) -> float:
        """The main measure of a system."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """The counts that ``Systems`` names."""

    def write(self, folder: Path) -> None:
        """Write what TREC tools read; nothing for pairs."""
        del folder

    def notes(self) -> tuple[str, ...]:
        """What a reader of the table must know."""
        return ()

    def rival(self, wanted: str | None, *, trained: Sequence[str]) -> str:
        """The system that the others are compared with: the wanted one, the best baseline, or the first."""
        if wanted is not None:
            if wanted not in self.names:
                raise UsageError(
                    f"the rival {wanted!r} is not measured", fix=did_you_mean(wanted, self.names)
                )
            return wanted
        baselines = [name for name in self.names if name not in trained]
        return max(baselines, key=self.value) if baselines else self.names[0]

    def table(self, rival: str, *, trained: Sequence[str]) -> Systems:
        """All systems; p values are corrected over all that are not the rival."""
        others = [name for name in self.names if name != rival]
        differences = dict(zip(others, self.differences(others, rival), strict=True))
        corrected = dict(
            zip(others, holm(np.array([one.p for one in differences.values()])).tolist(), strict=True)
        )
        rows = [
            SystemRow(
                name=name,
                trained=name in trained,
                measures={key: estimate(value) for key, value in self.figures(name).items()},
                against_best=(
                    comparison(differences[name], corrected[name]) if name in differences else None
                ),
            )
            for name in self.names
        ]
        errors = [differences[name].standard_error for name in others if name in trained] or [
            one.standard_error for one in differences.values()
        ]
        return Systems(
            rows=tuple(rows),
            best_baseline=rival,
            detectable=smallest_difference(min(errors)) if errors else None,
            **self.sizes(),
        )


def judge_of(
    data: PairSet | CandidateSet | Collection, *, measures: Sequence[str], sampling: Sampling
) -> Judge:
    """The judge for this kind of data.

    Raises:
        UsageError: ranking measures are asked for on pairs.
        DataError: there is nothing to measure on.
    """
    if isinstance(data, PairSet):
        if measures:
            raise UsageError(
                f"{measures[0]!r} is a ranking measure, and {data.name or 'this file'} has pairs",
                fix="leave out -m: pairs are measured by AP and ROC AUC, graded ones by Spearman and Pearson",
            )
        return PairJudge(data, sampling=sampling)
    if isinstance(data, CandidateSet):
        return CandidateJudge(data, measures=measures, sampling=sampling)
    return CollectionJudge(data, measures=measures, sampling=sampling)


def estimate(interval: Interval) -> Estimate:
    """An interval as the report writes it."""
    return Estimate(interval.value, interval.low, interval.high)


def comparison(difference: Difference, p: float) -> Comparison:
    """A tested difference as the report writes it."""
    return Comparison(Estimate(difference.value, difference.low, difference.high), p)


@final
class PairJudge(Judge):
    """Labelled pairs: yes or no, or graded."""

    kind = "pairs"
    baselines = ("constant", "random", "tfidf", "tfidf-char", "bm25")

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        if not len(data):
            raise DataError(f"{data.name or 'the file'} has no pairs to measure on")
        self.data, self.sampling = data, sampling
        self.test = test_set(data)
        self.main = self.test.main
        self.scores: dict[str, NDArray[np.float64]] = {}
        self.thresholds: dict[str, float] = {}
        if data.kind is LabelKind.BINARY and len(np.unique(self.test.labels)) < 2:
            raise DataError(
                f"{data.name or 'the file'} has one kind of label only, so no measure is defined",
                fix="give pairs that are the same and pairs that are not",
            )

    @property
    def texts(self) -> list[str]:
        """The distinct texts of both sides."""
        return list(dict.fromkeys(text for pair in self.data.texts for text in pair))

    @property
    def names(self) -> list[str]:
        """The systems that were taken."""
        return list(self.scores)

    def take(self, name: str, scorer: Scorer) -> None:
        """Score all pairs."""
        self.take_scores(name, scorer.score(self.data.texts)[None, :].astype(np.float64))
        threshold = saved_threshold(scorer)
        if threshold is not None and self.test.kind is LabelKind.BINARY:
            self.thresholds[name] = threshold

    def take_scores(self, name: str, scores: NDArray[np.float64]) -> None:
        """Keep scores, shape [seeds, pairs]."""
        self.scores[name] = scores

    def value(self, name: str) -> float:
        """AP or Spearman, the mean over the seeds."""
        return main_figure(self.test, self.scores[name])

    def figures(self, name: str) -> dict[str, Interval]:
        """AP and ROC AUC, or Spearman and Pearson."""
        return intervals(self.test, self.scores[name], sampling=self.sampling)

    def differences(self, names: Sequence[str], rival: str) -> list[Difference]:
        """Tested over components."""
        rows = [self.scores[name] for name in names]
        return [
            found.difference for found in against(self.test, rows, self.scores[rival], sampling=self.sampling)
        ]

    def sizes(self) -> dict[str, int]:
        """Pairs and components."""
        return {"pairs": len(self.data), "components": self.test.components}

    def decisions(self, name: str) -> Confusion | None:
        """What the threshold that is saved with the model decides here; None without one."""
        if name not in self.thresholds:
            return None
        return confusion(self.test.labels, self.scores[name][0], self.thresholds[name])

    def notes(self) -> tuple[str, ...]:
        """The saved thresholds, applied unchanged."""
        found = ((name, self.decisions(name)) for name in self.thresholds)
        return tuple(
            f"{name}, threshold {self.thresholds[name]:.4f} saved with the model: "
            f"precision {cells.precision:.3f}, recall {cells.recall:.3f}, F1 {cells.f1:.3f}, "
            f"accuracy {cells.accuracy:.3f}"
            for name, cells in found
            if cells is not None
        )


class _RankingJudge(Judge):
    defaults: ClassVar[tuple[str, ...]]

    def __init__(self, *, measures: Sequence[str], sampling: Sampling) -> None:
        self.measures: tuple[Measure, ...] = expand(measures or self.defaults)
        self.main = str(self.measures[0])
        self.sampling = sampling
        self.runs: dict[str, Run] = {}
        self.results: dict[str, RankedResult] = {}

    @property
    @abstractmethod
    def qrels(self) -> Qrels:
        """What is relevant."""

    @property
    def names(self) -> list[str]:
        """The systems that were taken."""
        return list(self.runs)

    def keep(self, name: str, run: Run) -> None:
        """Measure a run."""
        self.runs[name] = run
        self.results[name] = evaluate_run(run, self.qrels, self.measures)

    def value(self, name: str) -> float:
        """The first measure."""
        return self.results[name].figure(self.measures[0])

    def figures(self, name: str) -> dict[str, Interval]:
        """All measures, on the same resamples of the queries."""
        values = np.stack([self.results[name].values[measure] for measure in self.measures])
        found = bootstrap_means(values, resamples=self.sampling.resamples, seed=self.sampling.seed)
        return dict(zip(map(str, self.measures), found, strict=True))

    def differences(self, names: Sequence[str], rival: str) -> list[Difference]:
        """Tested over queries."""
        main = self.measures[0]
        return [
            paired_randomisation(
                self.results[name].values[main],
                self.results[rival].values[main],
                rounds=self.sampling.rounds,
                resamples=self.sampling.resamples,
                seed=self.sampling.seed,
            )
            for name in names
        ]

    def sizes(self) -> dict[str, int]:
        """Queries."""
        return {"queries": len(self.qrels.query_ids)}

    def write(self, folder: Path) -> None:
        """``qrels.trec``, and ``NAME.run.trec`` of every system."""
        write_qrels(folder / "qrels.trec", self.qrels)
        for name, run in self.runs.items():
            write_run(folder / f"{Path(name).name}.run.trec", run)

    def notes(self) -> tuple[str, ...]:
        """Queries that a run lacks; they count as zero."""
        return tuple(
            f"{name}: {len(result.missing)} judged queries are missing from the run and count as zero"
            for name, result in self.results.items()
            if result.missing
        )


@final
class CandidateJudge(_RankingJudge):
    """Queries with candidates, such as WikiQA."""

    kind = "candidates"
    baselines = ("constant", "random", "order", "tfidf", "tfidf-char", "bm25")
    defaults = ("AP", "RR", "P@1", "nDCG@10")

    def __init__(self, data: CandidateSet, *, measures: Sequence[str], sampling: Sampling) -> None:
        super().__init__(measures=measures, sampling=sampling)
        self.data = data
        self._qrels = qrels_of(data)

    @property
    def qrels(self) -> Qrels:
        """The candidates' labels."""
        return self._qrels

    @property
    def texts(self) -> list[str]:
        """The distinct candidates; a query is no document."""
        return list(dict.fromkeys(text for query in self.data for text in query.docs))

    def take(self, name: str, scorer: Scorer) -> None:
        """Rank the candidates of every query."""
        self.keep(name, rank_candidates(scorer, self.data))


@final
class CollectionJudge(_RankingJudge):
    """A corpus with queries and judgements, such as a BEIR folder."""

    kind = "collection"
    baselines = ("tfidf", "tfidf-char", "bm25")
    defaults = ("nDCG@10", "AP", "RR@10", "R@100")

    def __init__(self, data: Collection, *, measures: Sequence[str], sampling: Sampling) -> None:
        super().__init__(measures=measures, sampling=sampling)
        self.data = data

    @property
    def qrels(self) -> Qrels:
        """The collection's judgements."""
        return self.data.qrels

    @property
    def texts(self) -> list[str]:
        """The corpus."""
        return list(self.data.corpus.values())

    def take(self, name: str, scorer: Scorer) -> None:
        """Rank the corpus for every query."""
        self.keep(name, rank_collection(scorer, self.data))


def saved_threshold(scorer: Scorer) -> float | None:
    """The threshold that was saved with a trained model, if this is one that has it."""
    saved = getattr(getattr(scorer, "model", None), "threshold", None)
    return None if saved is None else float(saved.threshold.value)
