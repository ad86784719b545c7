"""Queries with candidates to rank, such as WikiQA."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats, Floats32, Ints
from textkin.base.counts import count
from textkin.base.first_seen_numbers import enumerated
from textkin.base.text_equality import key_of
from textkin.data.pair_set_operations import pairs_of
from textkin.data.ranking import order
from textkin.data.readers.ranking import ranking_of_rows
from textkin.data.readers.record_checks import checked_candidates
from textkin.data.readers.triplets import triplets_of_rows
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.data.splits.components import TextGraph, text_graph
from textkin.kinds.agreement import Decisions
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.dev_score import dev_of_candidates
from textkin.kinds.foreign_runs import PredictedRanking, ranking_from
from textkin.kinds.judge import as_scorer
from textkin.kinds.kind import Apart, DataKind, rows_as
from textkin.kinds.measuring import Options
from textkin.kinds.ranking_judge import CandidateJudge
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.agreement import kendall_tau_b
from textkin.models.ensembles.ensemble_folder import Together

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev


_TOP = (
    "Accuracy and vote are of the first candidates alone, kappa goes by their places in the data; of tau-b "
    "those questions are left out on which a system gives all candidates one score"
)


class CandidateKind(DataKind[CandidateSet, CandidateJudge]):
    """Queries with candidates."""

    task = "ranking"
    words = "queries with candidates"
    takes = frozenset({"measures", "vectors", "cache"})

    def holds(self, data: object) -> bool:
        """Sets of queries with candidates."""
        return isinstance(data, CandidateSet)

    def checked(self, data: CandidateSet) -> CandidateSet:
        """The queries, if each has labelled candidates."""
        return checked_candidates(data)

    def from_rows(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> CandidateSet | None:
        """Queries with candidates as records, triplets, or rows with a candidate each."""
        if found := rows_as(Candidates, names, rows):
            return CandidateSet(found, "queries")
        return triplets_of_rows(names, rows) or ranking_of_rows(names, rows)

    def judge(self, data: CandidateSet, options: Options) -> CandidateJudge:
        """Ranking metrics over the queries."""
        return CandidateJudge(data, measures=options.measures, sampling=options.sampling)

    def predicted(self, judge: CandidateJudge, given: Predictions, options: Options) -> Predicted:
        """A TREC run."""
        return ranking_from(judge, given, drop_identical_ids=options.drop_identical_ids)

    def require_decisions(self, judge: CandidateJudge, systems: Mapping[str, Any], options: Options) -> None:
        """All scorers rank."""

    def decisions(
        self, judge: CandidateJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """The candidate that comes first, and the correlation of whole rankings."""
        for system in systems.values():
            if isinstance(system, PredictedRanking):
                system.require_complete()
        runs = [judge.runs[name][0] for name in judge.names]
        starts = runs[0].offsets[:-1]
        first = np.stack([order(run)[starts] for run in runs])
        relevant = np.array([label > 0 for one in judge.data for label in one.labels])
        groups, _ = enumerated(one.query for one in judge.data)
        given = Decisions(tuple(judge.names), first - starts, relevant[first], groups, _correlations(judge))
        return given, "which candidate comes first", (_TOP,)

    def learnt(self, data: CandidateSet, task: Task) -> CandidateSet:
        """The queries, for rankings, and as labelled pairs for scores and classes."""
        return super().learnt(data, task) if task == "spans" else data

    def size(self, data: CandidateSet) -> str:
        """The numbers of queries and of candidates."""
        return f"{count(len(data), 'question')} with {count(len(data.texts), 'candidate')}"

    def text_pairs(self, data: CandidateSet) -> PairSet:
        """Each query with each of its candidates, and the row that has it."""
        found = pairs_of(data)
        rows = [row for one in data for row in one.rows or (-1,) * len(one.docs)]
        pairs = (replace(pair, row=row) for pair, row in zip(found.pairs, rows, strict=True))
        return replace(found, pairs=tuple(pairs))

    def as_pairs(self, data: CandidateSet) -> PairSet:
        """Each query with each of its candidates."""
        return pairs_of(data)

    linted = as_pairs

    def rows(self, data: CandidateSet) -> tuple[PairSet, PairSet]:
        """A row a candidate, in the order of the source; right candidates alone bind queries together."""
        pairs = [
            Pair(one.query, text, float(label > 0), one.query_id, name, row)
            for one in data
            for name, text, label, row in zip(
                one.doc_ids, one.docs, one.labels, one.rows or (-1,) * len(one.docs), strict=True
            )
        ]
        pairs.sort(key=lambda pair: pair.row)
        bonds = (pair if pair.label else replace(pair, b=pair.a, id_b=pair.id_a) for pair in pairs)
        found = PairSet(tuple(pairs), LabelKind.BINARY, name=data.name)
        return found, replace(found, pairs=tuple(bonds))

    def taken(self, data: CandidateSet, places: Sequence[int]) -> CandidateSet:
        """The queries of these rows."""
        rows, _ = self.rows(data)
        ids = {rows.pairs[place].id_a for place in places}
        return data.select(number for number, one in enumerate(data) if one.query_id in ids)

    def gold(self, data: CandidateSet) -> tuple[PairSet, Iterable[str]]:
        """The same; candidates are right from relevance 1 upwards."""
        return super().gold(replace(data, queries=tuple(map(_yes_or_no, data.queries))))

    def queries(self, data: CandidateSet) -> tuple[Ints, Floats32]:
        """The query of each candidate, and its score by a teacher."""
        places = np.repeat(np.arange(len(data)), [len(one.docs) for one in data])
        return places, np.array([score for one in data for score in one.scores], dtype=np.float32)

    def unseen(self, data: CandidateSet) -> Mapping[str, Iterable[str]]:
        """The queries, since candidates may well recur."""
        return {"texts": [one.query for one in data]}

    def seen(self, data: CandidateSet) -> Iterable[str]:
        """The queries, and their right candidates, since two such texts may change places."""
        return (text for one in data for text in (one.query, *_right(one)))

    def apart(self, data: CandidateSet) -> Apart:
        """By queries, and by right pairs in either order; a candidate may recur under others."""
        return Apart(
            marks=[tuple(_marks(one)) for one in data],
            why="such questions or pairs are",
            recurring=[text for one in data for text in one.docs],
            unit="candidate",
            where="under other questions",
        )

    def row_components(self, data: CandidateSet) -> tuple[TextGraph, Ints, Ints]:
        """Queries with a common right candidate hang together."""
        graph = text_graph(pairs_of(data), quiet=True)
        firsts = np.cumsum([0, *(len(one.docs) for one in data.queries[:-1])])
        return graph, graph.components(pairs=graph.bonds, ids=False), graph.a[firsts]

    def dev(self, data: CandidateSet, pipeline: TextPipeline) -> Dev:
        """MAP, by which training chooses."""
        return dev_of_candidates(data, pipeline)

    def dev_data(self, data: CandidateSet, sampling: Sampling) -> DevData:
        """A row a candidate."""
        return DevRankings(data, sampling=sampling)


def _right(one: Candidates) -> Iterator[str]:
    return (text for text, label in zip(one.docs, one.labels, strict=True) if label > 0)


def _marks(one: Candidates) -> Iterator[Hashable]:
    query = key_of(one.query)
    yield query
    yield from (frozenset((query, key_of(text))) for text in _right(one))


def _yes_or_no(one: Candidates) -> Candidates:
    return replace(one, labels=tuple(int(label > 0) for label in one.labels))


def _correlations(judge: CandidateJudge) -> Floats:
    """Kendall's tau-b of all pairs of systems on each question. Shape [systems, systems, questions]."""
    scores = np.stack([judge.runs[name][0].scores for name in judge.names])
    parts = np.split(scores, judge.runs[judge.names[0]][0].offsets[1:-1], axis=1)
    return np.stack([kendall_tau_b(part) for part in parts], axis=2)


class DevRankings(DevData):
    """Questions with candidates."""

    kind = Together.RANKINGS

    def __init__(self, data: CandidateSet, *, sampling: Sampling) -> None:
        self._judge: CandidateJudge = CandidateJudge(data, measures=("MAP",), sampling=sampling)
        self._data = data
        self.pairs = data.texts
        self._scores: list[Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Score all candidates in one call."""
        scores = np.asarray(as_scorer(name, system).score(self.pairs), dtype=np.float64)
        self._judge.take_scores(name, scores[None, :])
        self._scores.append(scores)

    def votes(self) -> Votes:
        """A row a candidate; questions of one text are one group."""
        counts = [len(one.docs) for one in self._data]
        groups, _ = enumerated(one.query for one in self._data)
        ids = np.array([name.encode() for one in self._data for name in one.doc_ids], dtype=np.bytes_)
        return Votes(
            np.stack(self._scores, axis=1),
            np.array([label for one in self._data for label in one.labels], dtype=np.float64),
            np.repeat(groups, counts),
            JudgedBy.RANKED,
            questions=np.repeat(np.arange(len(counts)), counts),
            ties=np.unique(ids, return_inverse=True)[1],
        )

    def take(self, combined: Floats) -> None:
        """Measure the combination by MAP."""
        self._judge.take_scores(THEM, combined[None, :])
