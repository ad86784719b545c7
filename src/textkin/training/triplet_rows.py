"""Objectives over triplets: an anchor, a duplicate, and a different text."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Ints
from textkin.base.errors import UsageError
from textkin.models.inference.engine import encode_ids
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.batch import TripletBatch
from textkin.networks.batches.negatives import random_triplets, semi_hard_macrobatch
from textkin.networks.batches.padded import TextBatch
from textkin.networks.batches.samplers import ShuffledSampler
from textkin.networks.losses.common import LossInput
from textkin.training.objective import Drawn, Objective


class _Triplets(Objective[TripletBatch]):
    gives = frozenset({LossInput.TRIPLET_SCORES})
    tower_gives = frozenset({LossInput.TRIPLET_VECTORS})

    def drawn(self, rows: Ints, negatives: Ints) -> Drawn[TripletBatch]:
        """The batch of these pairs with the texts ``negatives``."""
        data = self.data
        batch = TripletBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), data.batch(negatives))
        return Drawn(batch, rows)

    def sides(self, batch: TripletBatch) -> Sequence[TextBatch]:
        """Anchors, positives and negatives."""
        return batch.anchor, batch.positive, batch.negative

    def loss_of_vectors(self, batch: TripletBatch, *vectors: Tensor) -> Tensor:
        """The loss over the triplets' vectors or scores."""
        if self.criterion.takes is LossInput.TRIPLET_VECTORS:
            return self.criterion(*vectors)
        anchor, positive, negative = vectors
        return self.criterion(self.scores(anchor, positive), self.scores(anchor, negative))

    def loss_of_matcher(self, model: nn.Module, batch: TripletBatch) -> Tensor:
        """The loss over the scores of both pairs of each triplet."""
        pad_id = self.data.pad_id
        anchors = TextBatch.joined([batch.anchor, batch.anchor], pad_id=pad_id)
        others = TextBatch.joined([batch.positive, batch.negative], pad_id=pad_id)
        return self.criterion(*model(anchors, others)[:, 0].chunk(2))


class RandomTriplets(_Triplets):
    """Negatives are random texts of other components."""

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[TripletBatch]]:
        """Positive pairs, each with a text of another component, redrawn every epoch."""
        data = self.data
        drawn = random_triplets(
            data.components[data.a[self.rows]], data.components, seed=self.seed, epoch=epoch
        )
        for chosen in self.sampler.batches(epoch):
            yield self.drawn(self.rows[chosen], drawn[chosen])


class SemiHardTriplets(_Triplets):
    """Negatives are those of a macrobatch that a tower finds semi-hard."""

    gives = frozenset()
    tower_gives = frozenset({LossInput.TRIPLET_VECTORS, LossInput.TRIPLET_SCORES})

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[TripletBatch]]:
        """Positive pairs with the semi-hard negatives found by the current model in a macrobatch."""
        size = self.config.batch_size
        macrobatches = ShuffledSampler(len(self.rows), batch_size=self.config.macrobatch, seed=self.seed)
        waiting: list[tuple[Ints, Ints]] = []
        found = 0
        for chosen in macrobatches.batches(epoch):
            rows, negatives = self._mine(self.rows[chosen], model)
            waiting.append((rows, negatives))
            found += len(rows)
            if found >= size:
                all_rows, all_negatives = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
                whole = found - found % size
                for start in range(0, whole, size):
                    yield self.drawn(all_rows[start : start + size], all_negatives[start : start + size])
                waiting, found = [(all_rows[whole:], all_negatives[whole:])], found - whole
        if found:
            yield self.drawn(*(np.concatenate(parts) for parts in zip(*waiting, strict=True)))

    def _mine(self, rows: Ints, model: Network) -> tuple[Ints, Ints]:
        if not isinstance(model, Tower):
            raise UsageError(f"{type(model).__name__} has no vectors to mine with", fix="train a tower")
        data, config = self.data, self.config
        a, b = data.a[rows], data.b[rows]
        anchors, positives = (
            torch.from_numpy(encode_ids(model, [data.ids[text] for text in side], pad_id=data.pad_id))
            for side in (a, b)
        )
        mined = semi_hard_macrobatch(
            anchors,
            positives,
            positive_texts=[data.texts[text] for text in b],
            components=None if config.negatives == "naive" else data.components[b],
            min_margin=config.min_margin,
            max_margin=config.max_margin,
        )
        return rows[mined.pairs], b[mined.negatives]
