"""Judges of rankings: candidates of each query, and whole collections."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError, invalid, not_finite
from textkin.data.protocols import Scorer, System
from textkin.data.ranking import qrels_of, rank_candidates, run_of
from textkin.data.readers.trec import read_qrels, read_run, write_qrels, write_run
from textkin.data.records import CandidateSet, Qrels, RetrievalSet, Run
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.ranked_intervals import intervals
from textkin.kinds.seed_files import AGAIN, seed_files, tagged
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference, paired_randomisation
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.measure_names import Average, Measure, expand
from textkin.measures.metrics.ranked import RankedResult, evaluate
from textkin.models.ensembles.scorer import rank_together
from textkin.text.baselines.names import LEXICAL
from textkin.vectors.index.corpus_ranking import rank_corpus

ORDER = "order"
"""The baseline that ranks candidates in their source's order."""


class RankingJudge(Judge):
    """Base class of ranking judges: runs, judgements, measures.

    The main measure is the first that is a mean over queries, since only such differences can be tested.

    Raises:
        UsageError: a measure isn't known, or none is a mean over queries.
        DataError: there are no queries.
    """

    defaults: ClassVar[tuple[str, ...]]

    def __init__(self, qrels: Qrels, *, name: str, measures: Sequence[str], sampling: Sampling) -> None:
        if not qrels.query_ids:
            raise DataError(f"{name or 'the data'} has no queries to measure on", fix="give other data")
        wanted = expand(measures or self.defaults)
        means = [one for one in wanted if one.average is Average.MEAN]
        if not means:
            raise invalid(
                "measures",
                ", ".join(map(str, wanted)),
                expected="a mean over queries, such as MAP or nDCG@10, to compare systems by",
            )
        self._measure = means[0]
        self._measures: tuple[Measure, ...] = tuple(dict.fromkeys((self._measure, *wanted)))
        self.main = str(self._measure)
        self.sampling = sampling
        self.qrels = qrels
        self.runs: dict[str, tuple[Run, ...]] = {}
        self.results: dict[str, RankedResult] = {}
        self._seeds: dict[str, list[float]] = {}

    @abstractmethod
    def rank(self, scorer: Scorer) -> Run:
        """The scorer's ranking for every query."""

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.runs)

    def drop(self, name: str) -> None:
        """Forget a system."""
        del self.runs[name], self.results[name], self._seeds[name]

    def take(self, name: str, *seeds: System) -> None:
        """Rank with systems, and measure the rankings."""
        self.take_runs(name, [self.rank(as_scorer(name, system)) for system in seeds])

    def take_runs(self, name: str, runs: Sequence[Run]) -> None:
        """Keep and measure a system's rankings, one per seed.

        A query's values are the means over seeds; everything else follows from them.
        """
        results = [evaluate(run, self.qrels, self._measures) for run in runs]
        self.runs[name], self.results[name] = tuple(runs), _mean(results)
        self._seeds[name] = [one.figure(self._measure) for one in results]

    def by_seed(self, name: str) -> list[float]:
        """The main measure for each seed."""
        return self._seeds[name]

    def value(self, name: str) -> float:
        """The main measure."""
        return self.results[name].figure(self._measure)

    def figures(self, name: str) -> dict[str, Interval]:
        """All measures, on the same resamples of the queries."""
        found = intervals(self.results[name], resamples=self.sampling.resamples, seed=self.sampling.seed)
        return {str(measure): found[measure] for measure in self._measures}

    def difference(self, name: str, reference: str, *, tests: int = 1) -> Difference:
        """A difference tested over queries."""
        ours, theirs = (self.results[one].drawn_from([self._measure])[0] for one in (name, reference))
        kept = ~np.isnan(ours + theirs)  # the queries that a measure skips depend on the judgements alone
        found = paired_randomisation(
            ours[kept],
            theirs[kept],
            rounds=self.sampling.rounds_of(tests),
            resamples=self.sampling.resamples,
            seed=self.sampling.seed,
        )
        return found.within(1.0)

    def sizes(self) -> dict[str, int]:
        """The number of queries."""
        return {"queries": len(self.qrels.query_ids)}

    def write(self, folder: Path) -> None:
        """Write ``qrels.trec``, and ``NAME.run.trec`` or ``NAME-seed0.run.trec`` ... per system."""
        write_qrels(folder / "qrels.trec", self.qrels)
        for each, run in tagged(self.runs):
            write_run(folder / f"{each}.run.trec", replace(run, name=each))

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the rankings from these files."""
        if read_qrels(folder / "qrels.trec").to_dict() != self.qrels.to_dict():
            raise DataError("has other judgements than the data", path=folder / "qrels.trec", fix=AGAIN)
        for name, paths in seed_files(folder, names, ".run.trec", what="run"):
            self.take_runs(name, [read_run(path) for path in paths])

    def notes(self) -> tuple[str, ...]:
        """Queries missing from a run, which count as zero."""
        return tuple(
            f"{name}: {len(result.missing)} judged queries are missing from the run and count as zero"
            for name, result in self.results.items()
            if result.missing
        )


class CandidateJudge(RankingJudge):
    """Queries with candidates, such as WikiQA."""

    kind = "candidates"
    defaults = ("MAP", "MRR", "P@1", "nDCG@10")

    def __init__(self, data: CandidateSet, *, measures: Sequence[str], sampling: Sampling) -> None:
        super().__init__(qrels_of(data), name=data.name, measures=measures, sampling=sampling)
        self.baselines = ("constant", "random", "order", *LEXICAL)
        self.data = data

    @property
    def lists_answers_first(self) -> bool:
        """True if the source lists right candidates before wrong ones in every query with both."""
        mixed = [
            one.labels for one in self.data if 0 < sum(label > 0 for label in one.labels) < len(one.labels)
        ]
        return bool(mixed) and all(
            not any(label > 0 for label in labels[sum(label > 0 for label in labels) :]) for labels in mixed
        )

    def fair(self, names: Sequence[str]) -> list[str]:
        """All systems, except the order of a source that lists right answers first."""
        return [name for name in names if not (name == ORDER and self.lists_answers_first)]

    def notes(self) -> tuple[str, ...]:
        """The ranking notes, uninformative questions, and whether the source's order reveals labels."""
        alike = sum(len({label > 0 for label in one.labels}) < 2 for one in self.data)
        told = (
            (
                f"{alike:,} of {len(self.data):,} questions have only right or only wrong candidates: every "
                "ranking of these scores the same",
            )
            if alike
            else ()
        )
        return (*told, *self._of_order(), *super().notes())

    def _of_order(self) -> tuple[str, ...]:
        if not self.lists_answers_first:
            return ()
        gives_away = (
            f"{self.data.name or 'the source'} lists the right answers of each question first: {ORDER} knows "
            "the labels and is no reference"
        )
        return (gives_away,)

    @property
    def texts(self) -> list[str]:
        """The distinct candidates; queries don't count as documents."""
        return list(dict.fromkeys(text for query in self.data for text in query.docs))

    def rank(self, scorer: Scorer) -> Run:
        """The candidates of every query."""
        return given_run(scorer) or rank_candidates(scorer, self.data)

    def take_scores(self, name: str, scores: Floats) -> None:
        """Keep and measure a system's scores of all candidates per seed, shape [seeds, candidates].

        Raises:
            DataError: a score isn't finite.
        """
        if not np.isfinite(scores).all():
            raise not_finite(name)
        self.take_runs(name, [run_of(self.data, row, name=name) for row in scores])


class RetrievalJudge(RankingJudge):
    """A corpus with queries and judgements, such as a BEIR folder, ranked to ``depth`` documents.

    With ``drop_identical_ids``, no query finds the document with its own id, as in BEIR's evaluation.
    """

    kind = "collection"
    defaults = ("nDCG@10", "MAP", "MRR@10", "R@100")

    def __init__(
        self,
        data: RetrievalSet,
        *,
        measures: Sequence[str],
        sampling: Sampling,
        depth: int = 1000,
        drop_identical_ids: bool = False,
    ) -> None:
        super().__init__(data.qrels, name=data.name, measures=measures, sampling=sampling)
        self.baselines = LEXICAL
        self.data, self.depth, self.drop_identical_ids = data, depth, drop_identical_ids
        self._ranked: dict[int, tuple[Scorer, Run]] = {}  # by identity; holding the scorer keeps it unique

    @property
    def texts(self) -> list[str]:
        """The corpus."""
        return list(self.data.corpus.values())

    def notes(self) -> tuple[str, ...]:
        """Queries missing from a run, and judged documents missing from the corpus."""
        judged = {name.decode() for name in self.data.qrels.doc_ids[self.data.qrels.relevance > 0].tolist()}
        absent = len(judged - self.data.corpus.keys())
        told = (
            f"the corpus lacks {absent:,} of {len(judged):,} relevant documents; their judgements count, and "
            "no system can find them",
        )
        return (*(told if absent else ()), *super().notes())

    def rank(self, scorer: Scorer) -> Run:
        """Rank the whole corpus for every query, each scorer only once."""
        return rank_together(scorer, self._rank_alone, depth=self.depth)

    def _rank_alone(self, scorer: Scorer) -> Run:
        if (given := given_run(scorer)) is not None:
            return given
        if id(scorer) not in self._ranked:
            run = rank_corpus(scorer, self.data, depth=self.depth, drop_identical_ids=self.drop_identical_ids)
            self._ranked[id(scorer)] = scorer, run
        return self._ranked[id(scorer)][1]


def given_run(scorer: Scorer) -> Run | None:
    """The ranking of a system of which only that is known; None for others."""
    found: Run | None = getattr(scorer, "run", None)
    return found if isinstance(found, Run) else None


def _mean(results: Sequence[RankedResult]) -> RankedResult:
    """The results averaged over seeds, geometrically if the measure is a geometric mean."""
    values = {}
    for measure in results[0].values:
        rows = np.stack([one.values[measure] for one in results])
        is_geometric = measure.average is Average.GEOMETRIC
        values[measure] = np.exp(np.log(rows).mean(axis=0)) if is_geometric else rows.mean(axis=0)
    return replace(results[0], values=values)
