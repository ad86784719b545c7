"""Objectives over pairs: labelled ones, and positives whose negatives stand in the same batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.batch import PairBatch
from textkin.batches.negatives import allowed_negatives
from textkin.losses.common import LossInput
from textkin.models.table import Network
from textkin.training.objective import Drawn, Objective, cosines


@final
class LabelledPairs(Objective[PairBatch]):
    """Every pair with its label."""

    gives = frozenset({LossInput.PAIR_SCORES})
    tower_gives = frozenset({LossInput.PAIR_DISTANCES})
    matcher_gives = frozenset({LossInput.CLASS_SCORES})

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[PairBatch]]:
        """Pairs in the sampler's order with their labels."""
        del model
        data = self.data
        known = data.classes if self.takes is LossInput.CLASS_SCORES else data.labels
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            labels = torch.from_numpy(known[rows])
            yield Drawn(PairBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), labels=labels), rows)

    def loss(self, model: nn.Module, batch: PairBatch) -> Tensor:
        """The loss over the class scores, the score or the distance of each pair."""
        labels = batch.labels
        value: Tensor
        if self.takes is LossInput.CLASS_SCORES:
            value = self.criterion(self.outputs(model, batch.a, batch.b), labels)
        elif self.takes is LossInput.PAIR_SCORES:
            value = self.criterion(self.outputs(model, batch.a, batch.b)[:, 0], labels)
        else:
            value = self.criterion(1 - cosines(*self.vectors(model, batch.a, batch.b)), labels)
        return value


@final
class Positives(Objective[PairBatch]):
    """Pairs that mean the same; the other texts of a batch are negatives."""

    gives = frozenset()
    tower_gives = frozenset({LossInput.PAIR_MATRIX})

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[PairBatch]]:
        """Positive pairs in the sampler's order, with what may be a negative of what."""
        del model
        data, naive = self.data, self.config.negatives == "naive"
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            a, b = data.a[rows], data.b[rows]
            allowed = allowed_negatives(data.components[a], data.components[b], naive=naive)
            yield Drawn(PairBatch(data.batch(a), data.batch(b), allowed=allowed), rows)

    def loss(self, model: nn.Module, batch: PairBatch) -> Tensor:
        """The loss over the cosines of all first texts with all second ones."""
        a, b = self.vectors(model, batch.a, batch.b)
        value: Tensor = self.criterion(a @ b.T, batch.allowed)
        return value
