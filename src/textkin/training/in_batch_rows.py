"""Objectives over pairs of duplicates, with negatives from the same batch."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError
from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import PairBatch
from textkin.networks.batches.negatives import allowed_negatives
from textkin.networks.batches.padded import TextBatch
from textkin.networks.batches.samplers import epoch_generator
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.in_batch import in_batch
from textkin.training.candidate_rows import lower_ranked
from textkin.training.objective import Drawn, Objective, require_negatives

_Texts = Ints
_NONE: _Texts = np.empty(0, dtype=np.int64)


class _InBatch(Objective[PairBatch]):
    gives = frozenset()
    tower_gives = frozenset({LossInput.ROWS})

    def drawn(self, rows: Ints, negatives: _Texts = _NONE) -> Drawn[PairBatch]:
        """The batch of these pairs, with the texts ``negatives`` added."""
        data, naive = self.data, self.config.negatives == "naive"
        a, b = data.a[rows], data.b[rows]
        others = data.components[np.concatenate([b, negatives])]
        batch = PairBatch(
            data.batch(a),
            data.batch(b),
            negatives=data.batch(negatives) if len(negatives) else None,
            allowed=allowed_negatives(data.components[a], others, naive=naive),
        )
        return Drawn(batch, rows)

    def sides(self, batch: PairBatch) -> Sequence[TextBatch]:
        """First texts, second texts, and any hard negatives."""
        return (batch.a, batch.b) if batch.negatives is None else (batch.a, batch.b, batch.negatives)

    def loss_of_vectors(self, batch: PairBatch, *vectors: Tensor) -> Tensor:
        """The loss over the cosines of all first texts with all others."""
        first, *others = vectors
        config = self.config
        return in_batch(
            self.criterion,
            first,
            torch.cat(others),
            batch.allowed,
            symmetric=config.symmetric,
            rows=config.mini_batch,
        )


class Positives(_InBatch):
    """Pairs of duplicates; the other texts of a batch are negatives."""

    def rows_of_epoch(self) -> Ints:
        """The positive pairs."""
        rows = super().rows_of_epoch()
        require_negatives(self.name, self.data.components[self.data.a[rows]], self.config)
        return rows

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[PairBatch]]:
        """Positive pairs in the sampler's order."""
        for chosen in self.sampler.batches(epoch):
            yield self.drawn(self.rows[chosen])


class HardNegatives(_InBatch):
    """Queries with relevant candidates; less relevant ones of all queries in a batch are negatives, too."""

    def rows_of_epoch(self) -> Ints:
        """The relevant candidates, with or without others for their query."""
        self.lower = lower_ranked(self.data)
        if not any(row in self.lower for row in self.data.positive.tolist()):
            raise TrainingError(
                "no query has relevant and irrelevant candidates, so there are no hard negatives",
                fix="give a file of triplets, or of questions with candidates",
            )
        return super().rows_of_epoch()

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[PairBatch]]:
        """Relevant candidates in the sampler's order, each with some negatives, redrawn every epoch."""
        generator = epoch_generator(self.seed, epoch, purpose="hard-negatives")
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            drawn = [self._some(self.lower.get(row, _NONE), generator) for row in rows.tolist()]
            yield self.drawn(rows, np.unique(self.data.b[np.concatenate(drawn)]))

    def _some(self, candidates: Ints, generator: np.random.Generator) -> Ints:
        count = min(len(candidates), self.config.negatives_each)
        return generator.choice(candidates, count, replace=False) if count else _NONE
