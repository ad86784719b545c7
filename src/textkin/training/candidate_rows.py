"""Objectives over queries with candidates: a relevant one against others, or the whole list."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError
from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import ListBatch
from textkin.networks.batches.padded import TextBatch
from textkin.networks.batches.samplers import CandidateSampler, Sampler, epoch_generator
from textkin.networks.losses.common import LossInput
from textkin.training.objective import Drawn, Objective
from textkin.training.pair_data import TrainingData

_Rows = Ints


class _Candidates(Objective[ListBatch]):
    def drawn(self, queries: _Rows, docs: _Rows, sizes: _Rows) -> Drawn[ListBatch]:
        """A batch of queries, each with as many of the docs as ``sizes`` says.

        Args:
            queries: a training pair of each query. Shape [Q].
            docs: the training pairs of all candidates. Shape [N].
            sizes: the number of candidates per query. Shape [Q].
        """
        data = self.data
        taught = self.criterion.takes is LossInput.TRIPLET_MARGINS
        labels = data.scores if taught and data.scores is not None else data.labels
        batch = ListBatch(
            queries=data.batch(data.a[queries]),
            docs=data.batch(data.b[docs]),
            offsets=torch.from_numpy(np.concatenate(([0], np.cumsum(sizes)))),
            labels=torch.from_numpy(labels[docs]),
        )
        return Drawn(batch, docs)

    @abstractmethod
    def loss_of_scores(self, batch: ListBatch, scores: Tensor) -> Tensor:
        """The loss of a batch from the score of each candidate [N], a scalar."""

    def sides(self, batch: ListBatch) -> Sequence[TextBatch]:
        """Queries and candidates."""
        return batch.queries, batch.docs

    def loss_of_vectors(self, batch: ListBatch, *vectors: Tensor) -> Tensor:
        """The loss over the cosines of candidates with their queries."""
        queries, docs = vectors
        # Not queries[query]: threads would sum the gradient in any order.
        return self.loss_of_scores(
            batch, self.scores(functional.embedding(batch.query_of_doc, queries), docs)
        )

    def loss_of_matcher(self, model: nn.Module, batch: ListBatch) -> Tensor:
        """The loss over the scores of candidates."""
        return self.loss_of_scores(batch, model(batch.queries.select(batch.query_of_doc), batch.docs)[:, 0])


class _AgainstOthers(_Candidates):
    """Base class of rows with a relevant candidate and less relevant ones of the same query."""

    gives = frozenset({LossInput.TRIPLET_SCORES, LossInput.TRIPLET_MARGINS})
    tower_gives = frozenset({LossInput.TRIPLET_VECTORS})

    def rows_of_epoch(self) -> _Rows:
        """Candidates that outrank another one of their query."""
        if self.criterion.takes is LossInput.TRIPLET_MARGINS and self.data.scores is None:
            raise TrainingError(
                f"the loss {self.name!r} needs a teacher's scores, and the training data have none",
                fix="give a file of triplets with columns of scores or margins",
            )
        self.lower = lower_ranked(self.data)
        rows = np.array(sorted(self.lower), dtype=np.int64)
        if not len(rows):
            raise TrainingError(
                "no query has candidates of different relevance, so there is no order to learn",
                fix="give queries with right and wrong candidates",
            )
        return np.tile(rows, self.config.repeats)

    def batch_of(self, rows: _Rows, negatives: _Rows) -> Drawn[ListBatch]:
        """Rows [T] with their negatives [T, K]."""
        docs = np.concatenate([rows[:, None], negatives], axis=1)
        sizes = np.full(len(rows), docs.shape[1], dtype=np.int64)
        return self.drawn(rows, docs.reshape(-1), sizes)

    def loss_of_vectors(self, batch: ListBatch, *vectors: Tensor) -> Tensor:
        """The loss over triplets of vectors, or over cosines."""
        if self.criterion.takes is not LossInput.TRIPLET_VECTORS:
            return super().loss_of_vectors(batch, *vectors)
        queries, docs = vectors
        docs = docs.view(len(batch), -1, docs.shape[1])
        triplets = (queries[:, None], docs[:, :1], docs[:, 1:])
        return self.criterion(*(part.expand_as(triplets[2]).flatten(0, 1) for part in triplets))

    def loss_of_scores(self, batch: ListBatch, scores: Tensor) -> Tensor:
        """The loss over the scores of relevant candidates and of those they must outrank."""
        scores = scores.view(len(batch), -1)
        if self.criterion.takes is not LossInput.TRIPLET_MARGINS:
            return self.criterion(scores[:, 0], scores[:, 1:])
        taught = batch.labels.view(len(batch), -1)
        return self.criterion(scores[:, 0], scores[:, 1:], taught[:, :1] - taught[:, 1:])


class CandidatePairs(_AgainstOthers):
    """A relevant candidate with a few others of its query, redrawn with replacement every epoch."""

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[ListBatch]]:
        """Relevant candidates in the sampler's order."""
        generator = epoch_generator(self.seed, epoch, purpose="candidate-pairs")
        counts = np.array([len(self.lower[row]) for row in self.rows.tolist()], dtype=np.int64)
        places = generator.integers(counts[:, None], size=(len(counts), self.config.negatives_each))
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            others = [self.lower[row][places[at]] for row, at in zip(rows.tolist(), chosen, strict=True)]
            yield self.batch_of(rows, np.stack(others))


class AllCandidatePairs(_AgainstOthers):
    """All pairs (query, relevant, less relevant)."""

    def rows_of_epoch(self) -> _Rows:
        """Each relevant candidate, once per candidate that it outranks."""
        rows = super().rows_of_epoch()
        self.others = np.concatenate([self.lower[row] for row in rows.tolist()])
        return np.repeat(rows, [len(self.lower[row]) for row in rows.tolist()])

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[ListBatch]]:
        """All pairs in the sampler's order."""
        for chosen in self.sampler.batches(epoch):
            yield self.batch_of(self.rows[chosen], self.others[chosen][:, None])


class Lists(_Candidates):
    """All candidates of a query together; the batch size counts candidates, not queries."""

    gives = frozenset({LossInput.LISTS})

    def rows_of_epoch(self) -> _Rows:
        """The candidates of all queries with a relevant one."""
        starts, ends = _queries(self.data)
        useful = [
            np.arange(start, end)
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
            if self.data.labels[start:end].max() > 0
        ]
        if not useful:
            raise TrainingError("no query has a relevant candidate", fix="give queries with right candidates")
        self.of_query = useful * self.config.repeats
        return np.concatenate(self.of_query)

    def sampler_of_rows(self) -> Sampler:
        """A sampler of whole queries."""
        sizes = np.array([len(rows) for rows in self.of_query], dtype=np.int64)
        return CandidateSampler(sizes, max_candidates=self.config.batch_size, seed=self.seed)

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[ListBatch]]:
        """Queries in the sampler's order."""
        for chosen in self.sampler.batches(epoch):
            lists = [self.of_query[query] for query in chosen.tolist()]
            sizes = np.array([len(rows) for rows in lists], dtype=np.int64)
            yield self.drawn(np.array([rows[0] for rows in lists]), np.concatenate(lists), sizes)

    def loss_of_scores(self, batch: ListBatch, scores: Tensor) -> Tensor:
        """The loss over all scores and labels."""
        return self.criterion(scores, batch.labels, batch.offsets)


def _queries(data: TrainingData) -> tuple[_Rows, _Rows]:
    """The first and last training pair of each query's candidates."""
    if data.query is None:
        raise TrainingError(
            "the recipe learns from queries with candidates, and the training data are pairs",
            fix="give a file of questions with candidates, such as WikiQA, or another recipe",
        )
    starts = np.flatnonzero(np.diff(data.query, prepend=-1))
    return starts, np.append(starts[1:], len(data.query))


def lower_ranked(data: TrainingData) -> dict[int, _Rows]:
    """The less relevant candidates of the same query, for every candidate that has any."""
    lower: dict[int, _Rows] = {}
    for start, end in zip(*(ends.tolist() for ends in _queries(data)), strict=True):
        labels = data.labels[start:end]
        for place in np.flatnonzero(labels > labels.min()).tolist():
            lower[start + place] = start + np.flatnonzero(labels < labels[place])
    return lower
