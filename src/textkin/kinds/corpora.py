"""A corpus with queries and judgements, such as a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import UsageError, invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.data.protocols import Side
from textkin.data.readers.record_checks import checked_collection
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet, RetrievalSet
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.dev_score import dev_of_corpus
from textkin.kinds.foreign_runs import ranking_from
from textkin.kinds.judge import as_scorer
from textkin.kinds.kind import DataKind
from textkin.kinds.measuring import Options
from textkin.kinds.ranking_judge import RetrievalJudge
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import Together
from textkin.text.truncation_account import Truncation, truncation_of
from textkin.vectors.index.rank_fusion import Pool, relevance_in

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev

_POOLED = 100  # documents of each member that a rule is fitted and judged on


class CorpusKind(DataKind[RetrievalSet, RetrievalJudge]):
    """A corpus that queries search."""

    words = "a corpus with queries"
    chooses_epochs = True
    takes = frozenset({"measures", "vectors", "drop_identical_ids", "cache"})

    def holds(self, data: object) -> bool:
        """Sets of a corpus, queries and judgements."""
        return isinstance(data, RetrievalSet)

    def checked(self, data: RetrievalSet) -> RetrievalSet:
        """The set, if queries are judged and judged texts are there."""
        return checked_collection(data)

    def judge(self, data: RetrievalSet, options: Options) -> RetrievalJudge:
        """Ranking metrics over the queries."""
        return RetrievalJudge(
            data,
            measures=options.measures,
            sampling=options.sampling,
            drop_identical_ids=options.drop_identical_ids,
        )

    def predicted(self, judge: RetrievalJudge, given: Predictions, options: Options) -> Predicted:
        """A TREC run."""
        return ranking_from(judge, given, drop_identical_ids=options.drop_identical_ids)

    def gold(self, data: RetrievalSet) -> tuple[PairSet, Iterable[str]]:
        """Each query with its judged documents, right from relevance 1 upwards; and the corpus."""
        judged = ((query, of) for query, of in data.qrels.to_dict().items() if query in data.queries)
        rows = (
            Pair(data.queries[query], data.corpus[document], float(relevance > 0))
            for query, of in judged
            for document, relevance in of.items()
            if document in data.corpus
        )
        return PairSet(tuple(rows), LabelKind.BINARY, name=data.name), data.corpus.values()

    def truncation(self, data: RetrievalSet, system: Any, name: str) -> Truncation | None:
        """Truncation of documents and queries, which may have different limits."""
        documents = truncation_of(system, list(data.corpus.values()), side=Side.DOCUMENT, name=name)
        queries = truncation_of(system, list(data.queries.values()), side=Side.QUERY, name=name)
        return documents if documents is None or queries is None else documents + queries

    def singles(self, data: RetrievalSet) -> list[str]:
        """Queries and documents."""
        return list(dict.fromkeys((*data.queries.values(), *data.corpus.values())))

    def learnt(self, data: RetrievalSet, task: Task) -> CandidateSet:
        """Queries with their judged documents as candidates."""
        if task == "spans":
            raise invalid("train", self.words, expected="questions about passages")
        found = []
        for query, judged in data.qrels.to_dict().items():
            documents = {name: label for name, label in judged.items() if name in data.corpus}
            if documents and query in data.queries:
                texts = tuple(data.corpus[name] for name in documents)
                labels = tuple(max(label, 0) for label in documents.values())
                found.append(Candidates(query, data.queries[query], tuple(documents), texts, labels))
        return CandidateSet(tuple(found), data.name)

    def dev(self, data: RetrievalSet, pipeline: TextPipeline) -> Dev:
        """nDCG@10 of searching the corpus."""
        return dev_of_corpus(data, pipeline)

    def dev_data(self, data: RetrievalSet, sampling: Sampling) -> DevData:
        """A row a document that a member found."""
        return DevCorpus(data, sampling=sampling)


class DevCorpus(DevData):
    """Queries of a corpus: rows are the documents that any member found.

    Args:
        data: the collection.
        sampling: the draws for intervals and the test.
    """

    kind = Together.RANKINGS

    def __init__(self, data: RetrievalSet, *, sampling: Sampling) -> None:
        self._judge: RetrievalJudge = RetrievalJudge(data, measures=("nDCG@10",), sampling=sampling)
        self._data = data
        self._pool: Pool | None = None
        self.pairs = data.texts

    def ask(self, name: str, system: Any) -> None:
        """Search the corpus."""
        self._judge.take(name, as_scorer(name, system))

    def votes(self) -> Votes:
        """One row per document among the best 100 of any member; unjudged documents are not relevant."""
        judge = self._judge
        pool = self._pool = Pool.of([runs[0] for runs in judge.runs.values()], depth=_POOLED)
        worth, queries = relevance_in(pool, self._data.qrels), pool.questions
        groups, _ = enumerated(self._data.queries[one] for one in pool.query_ids)
        return Votes(
            pool.scores,
            worth.astype(np.float64),
            np.asarray(groups)[queries],
            JudgedBy.RANKED,
            questions=queries,
            ties=np.unique(pool.doc_ids, return_inverse=True)[1],
            partial=True,
        )

    def take(self, combined: Floats) -> None:
        """Measure the combination by nDCG@10."""
        if self._pool is None:
            raise UsageError("members were not asked yet", fix="call votes first")
        self._judge.take_runs(THEM, [self._pool.run(combined, name=THEM)])
