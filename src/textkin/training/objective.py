"""What is minimised: a loss, the rows that it is fed with, and how a step's rows are drawn.

An objective knows how a tower's vectors become what its loss takes; the loop knows nothing of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from textkin.batches.batch import PairBatch, TripletBatch
from textkin.batches.negatives import allowed_negatives, random_triplets, semi_hard_macrobatch
from textkin.batches.padded import TextBatch
from textkin.batches.samplers import ComponentSampler, LengthSampler, Sampler, ShuffledSampler
from textkin.config import ObjectiveConfig
from textkin.encode import encode_ids
from textkin.errors import ConfigError, TrainingError
from textkin.losses.common import LossInput
from textkin.losses.table import LOSSES
from textkin.losses.table import build as build_loss
from textkin.models.tower import Tower
from textkin.training.data import TrainingData

_Batch = TypeVar("_Batch", PairBatch, TripletBatch)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Drawn(Generic[_Batch]):
    """A batch, and which pairs of the training data it is made of, counted from 0."""

    batch: _Batch
    rows: NDArray[np.int64]


class Objective(ABC, Generic[_Batch]):
    """One loss over one stream of batches.

    Args:
        config: loss, rows and how they are drawn.
        data: the training pairs.
        loss: the loss.
        seed: of the draws.

    Attributes:
        name: how the log calls it.
        weight: of its loss in the sum of a step.
        steps: batches of an epoch; where negatives are mined, at most.
    """

    gives: ClassVar[frozenset[LossInput]]

    def __init__(self, config: ObjectiveConfig, data: TrainingData, *, loss: nn.Module, seed: int) -> None:
        self.name, self.weight = config.loss, config.weight
        self.config, self.data, self.criterion, self.seed = config, data, loss, seed
        rows = np.arange(len(data.a)) if config.rows == "pairs" else data.positive
        self.rows = np.tile(rows, config.repeats)
        self.steps = -(-len(self.rows) // config.batch_size)
        self.sampler = _sampler(config, data, self.rows, seed=seed)

    @abstractmethod
    def batches(self, epoch: int, tower: Tower) -> Iterator[Drawn[_Batch]]:
        """The batches of an epoch; the same ones whenever the seed, the epoch and the tower are."""

    @abstractmethod
    def loss(self, tower: nn.Module, batch: _Batch) -> Tensor:
        """The loss of a batch, a scalar."""

    def vectors(self, tower: nn.Module, *sides: TextBatch) -> tuple[Tensor, ...]:
        """The vectors of several batches, through the tower in one pass."""
        both: Tensor = tower(TextBatch.joined(sides, pad_id=self.data.pad_id))
        return torch.split(both, [len(side) for side in sides])

    def scores(self, a: Tensor, b: Tensor) -> Tensor:
        """The cosine of each row, moved and stretched for losses that want logits. Shape [B]."""
        return self.config.score_scale * (cosines(a, b) - self.config.score_shift)


def build_objective(config: ObjectiveConfig, data: TrainingData, *, seed: int) -> Objective[Any]:
    """The objective that a recipe describes.

    Raises:
        ConfigError: the loss does not take what the rows give.
        TrainingError: there are no rows of that kind.
    """
    loss = build_loss(config.loss, **config.arguments)
    make = _KINDS[config.rows]
    if _takes(loss) not in make.gives:
        fitting = [name for name, kind in LOSSES.items() if _takes(kind) in make.gives]
        raise ConfigError(
            f"the loss {config.loss!r} can't be fed with rows = {config.rows!r}",
            fix=f"rows = {config.rows!r} goes with the losses {', '.join(fitting)}",
        )
    if config.rows != "pairs" and not len(data.positive):
        raise TrainingError(
            "there is no pair of texts that mean the same to learn from",
            fix="give training data with positives",
        )
    return make(config, data, loss=loss, seed=seed)


def cosines(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of each row of unit vectors [B, D]. Shape [B]."""
    return (a * b).sum(dim=-1)


@final
class _LabelledPairs(Objective[PairBatch]):
    gives = frozenset({LossInput.PAIR_DISTANCES, LossInput.PAIR_SCORES})

    def batches(self, epoch: int, tower: Tower) -> Iterator[Drawn[PairBatch]]:
        """Pairs in the sampler's order with their labels."""
        del tower
        data = self.data
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            labels = torch.from_numpy(data.labels[rows])
            yield Drawn(PairBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), labels=labels), rows)

    def loss(self, tower: nn.Module, batch: PairBatch) -> Tensor:
        """The loss over the distance or score of each pair."""
        a, b = self.vectors(tower, batch.a, batch.b)
        near = _takes(self.criterion) is LossInput.PAIR_SCORES
        value: Tensor = self.criterion(self.scores(a, b) if near else 1 - cosines(a, b), batch.labels)
        return value


@final
class _Positives(Objective[PairBatch]):
    gives = frozenset({LossInput.PAIR_MATRIX})

    def batches(self, epoch: int, tower: Tower) -> Iterator[Drawn[PairBatch]]:
        """Positive pairs in the sampler's order, with what may be a negative of what."""
        del tower
        data, naive = self.data, self.config.negatives == "naive"
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            a, b = data.a[rows], data.b[rows]
            allowed = allowed_negatives(data.components[a], data.components[b], naive=naive)
            yield Drawn(PairBatch(data.batch(a), data.batch(b), allowed=allowed), rows)

    def loss(self, tower: nn.Module, batch: PairBatch) -> Tensor:
        """The loss over the cosines of all first texts with all second ones."""
        a, b = self.vectors(tower, batch.a, batch.b)
        value: Tensor = self.criterion(a @ b.T, batch.allowed)
        return value


class _Triplets(Objective[TripletBatch]):
    gives = frozenset({LossInput.TRIPLET_VECTORS, LossInput.TRIPLET_SCORES})

    def drawn(self, rows: NDArray[np.int64], negatives: NDArray[np.int64]) -> Drawn[TripletBatch]:
        """The batch of these pairs with the texts ``negatives``."""
        data = self.data
        batch = TripletBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), data.batch(negatives))
        return Drawn(batch, rows)

    def loss(self, tower: nn.Module, batch: TripletBatch) -> Tensor:
        """The loss over the triplets' vectors or scores."""
        anchor, positive, negative = self.vectors(tower, batch.anchor, batch.positive, batch.negative)
        value: Tensor
        if _takes(self.criterion) is LossInput.TRIPLET_VECTORS:
            value = self.criterion(anchor, positive, negative)
        else:
            value = self.criterion(self.scores(anchor, positive), self.scores(anchor, negative))
        return value


@final
class _RandomTriplets(_Triplets):
    def batches(self, epoch: int, tower: Tower) -> Iterator[Drawn[TripletBatch]]:
        """Positive pairs, each with a text of another component that is drawn anew every epoch."""
        del tower
        data = self.data
        drawn = random_triplets(
            data.components[data.a[self.rows]], data.components, seed=self.seed, epoch=epoch
        )
        for chosen in self.sampler.batches(epoch):
            yield self.drawn(self.rows[chosen], drawn[chosen])


@final
class _SemiHardTriplets(_Triplets):
    def batches(self, epoch: int, tower: Tower) -> Iterator[Drawn[TripletBatch]]:
        """Positive pairs with the semi-hard negatives that the tower, as it is now, finds in a macrobatch."""
        size = self.config.batch_size
        macrobatches = ShuffledSampler(len(self.rows), batch_size=self.config.macrobatch, seed=self.seed)
        waiting: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        found = 0
        for chosen in macrobatches.batches(epoch):
            rows, negatives = self._mine(self.rows[chosen], tower)
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

    def _mine(self, rows: NDArray[np.int64], tower: Tower) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        data, config = self.data, self.config
        a, b = data.a[rows], data.b[rows]
        anchors, positives = (
            torch.from_numpy(encode_ids(tower, [data.ids[text] for text in side], pad_id=data.pad_id))
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


_KINDS: Mapping[
    str, type[_LabelledPairs] | type[_Positives] | type[_RandomTriplets] | type[_SemiHardTriplets]
]
_KINDS = MappingProxyType(
    {
        "pairs": _LabelledPairs,
        "positives": _Positives,
        "random-triplets": _RandomTriplets,
        "semi-hard-triplets": _SemiHardTriplets,
    }
)


def _takes(loss: nn.Module | type[nn.Module]) -> object:
    """What the forward method of a loss takes; see :class:`LossInput`."""
    return getattr(loss, "takes", None)


def _sampler(config: ObjectiveConfig, data: TrainingData, rows: NDArray[np.int64], *, seed: int) -> Sampler:
    if config.sampler == "length":
        return LengthSampler(data.lengths(rows), batch_size=config.batch_size, seed=seed)
    if config.sampler == "component":
        return ComponentSampler(data.components[data.a[rows]], batch_size=config.batch_size, seed=seed)
    return ShuffledSampler(len(rows), batch_size=config.batch_size, seed=seed)
