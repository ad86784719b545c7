"""Objectives over pairs with their labels."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import PairBatch
from textkin.networks.batches.padded import TextBatch
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.distances import distance
from textkin.training.objective import Drawn, Objective, cosines


class LabelledPairs(Objective[PairBatch]):
    """Every pair with its label."""

    gives = frozenset({LossInput.PAIR_SCORES, LossInput.PAIR_SIMILARITIES})
    tower_gives = frozenset({LossInput.PAIR_DISTANCES, LossInput.PAIR_VECTORS})
    matcher_gives = frozenset({LossInput.CLASS_SCORES})

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[PairBatch]]:
        """Pairs in the sampler's order with their labels."""
        data = self.data
        learnt: dict[LossInput, NDArray[Any]] = {
            LossInput.CLASS_SCORES: data.classes,
            LossInput.PAIR_SIMILARITIES: data.similarities,
        }
        known = learnt.get(self.criterion.takes, data.labels)
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            labels = torch.from_numpy(known[rows])
            yield Drawn(PairBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), labels=labels), rows)

    def sides(self, batch: PairBatch) -> Sequence[TextBatch]:
        """First and second texts."""
        return batch.a, batch.b

    def loss_of_vectors(self, batch: PairBatch, *vectors: Tensor) -> Tensor:
        """The loss over the vectors, the score or the distance of each pair."""
        if self.criterion.takes is LossInput.PAIR_VECTORS:
            return self.criterion(*vectors, batch.labels)
        if self.criterion.takes in self.gives:
            return self.criterion(self.scores(*vectors), batch.labels)
        a, b = vectors
        name = self.criterion.distance
        # A tower's vectors are unit vectors.
        apart = 1 - cosines(a, b) if name == "cosine" else distance(a, b, name)
        return self.criterion(apart, batch.labels)

    def loss_of_matcher(self, model: nn.Module, batch: PairBatch) -> Tensor:
        """The loss over the class scores or the score of each pair."""
        outputs = model(batch.a, batch.b)
        if self.criterion.takes is LossInput.CLASS_SCORES:
            return self.criterion(outputs, batch.labels)
        return self.criterion(outputs[:, 0], batch.labels)
