"""Training objectives: a loss, its rows, and the drawing of a step's rows.

An objective converts a model's vectors or scores into the inputs of its loss, independent of the loop. It
also handles all options on vectors: several widths, and large batches in little memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeVar, final

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError, UsageError
from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import ListBatch, PairBatch, SpanBatch, TextsBatch, TripletBatch
from textkin.networks.batches.padded import TextBatch
from textkin.networks.batches.samplers import ComponentSampler, LengthSampler, Sampler, ShuffledSampler
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.loss import Loss
from textkin.networks.losses.matryoshka import matryoshka
from textkin.networks.recipes.recipe import ObjectiveConfig
from textkin.training.gradient_cache import cached_vectors
from textkin.training.pair_data import TrainingData

_Batch = TypeVar("_Batch", PairBatch, TripletBatch, ListBatch, TextsBatch, SpanBatch)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn(Generic[_Batch]):
    """A batch, and the indices of its training pairs."""

    batch: _Batch
    rows: Ints


class Objective(ABC, Generic[_Batch]):
    """Base class of objectives: a loss over a stream of batches.

    Args:
        config: loss, rows and their drawing.
        data: the training pairs.
        loss: the loss.
        matches: True if the model scores pairs itself; otherwise it is a tower, whose vectors are compared.
        seed: the seed of the draws.

    Attributes:
        gives: inputs that the rows can provide, with a tower or with a matcher.
        tower_gives: inputs that they can provide only with a tower.
        matcher_gives: inputs that they can provide only with a matcher.
        reader_gives: inputs that they can provide with a reader.
        name: its name in the log.
        weight: the weight of its loss in the sum of a step.
        rows: the training pairs of an epoch.
        steps: batches per epoch; with mined negatives, the maximum.
    """

    gives: ClassVar[frozenset[LossInput]]
    tower_gives: ClassVar[frozenset[LossInput]] = frozenset()
    matcher_gives: ClassVar[frozenset[LossInput]] = frozenset()
    reader_gives: ClassVar[frozenset[LossInput]] = frozenset()

    def __init__(
        self, config: ObjectiveConfig, data: TrainingData, *, loss: Loss, matches: bool, seed: int
    ) -> None:
        self.name, self.weight = config.loss, config.weight
        self.config, self.data, self.criterion, self.seed = config, data, loss, seed
        self.matches = matches
        self.rows = self.rows_of_epoch()
        self.sampler = self.sampler_of_rows()
        self.steps = self.steps_of_epoch()

    @abstractmethod
    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[_Batch]]:
        """The batches of an epoch, determined by the seed, the epoch and the model."""

    @abstractmethod
    def sides(self, batch: _Batch) -> Sequence[TextBatch]:
        """The texts whose vectors a tower's loss needs."""

    @abstractmethod
    def loss_of_vectors(self, batch: _Batch, *vectors: Tensor) -> Tensor:
        """The loss of a batch from a tower's vectors of its sides, a scalar."""

    def loss_of_matcher(self, model: nn.Module, batch: _Batch) -> Tensor:
        """The loss of a batch from a matcher's outputs for its pairs, a scalar.

        Raises:
            UsageError: these rows need vectors.
        """
        raise UsageError(f"rows = {self.config.rows!r} can't be fed to a model that scores pairs")

    @final
    def loss(self, model: nn.Module, batch: _Batch) -> Tensor:
        """The loss of a batch, a scalar."""
        if self.matches:
            return self.loss_of_matcher(model, batch)
        vectors = self.vectors(model, *self.sides(batch))
        widths = self.config.widths
        weights = self.config.width_weights or (1.0,) * len(widths)
        return matryoshka(partial(self.loss_of_vectors, batch), vectors, widths, weights)

    def rows_of_epoch(self) -> Ints:
        """The training pairs of an epoch."""
        rows: Ints = self.data.positive
        if self.config.rows == "pairs":
            again = np.tile(rows, self.config.repeat_positives - 1)
            rows = np.concatenate([np.arange(len(self.data.a)), again])
        return np.tile(rows, self.config.repeats)

    def sampler_of_rows(self) -> Sampler:
        """The sampler that batches the rows."""
        config = self.config
        if config.sampler == "length":
            return LengthSampler(self.lengths_of_rows(), batch_size=config.batch_size, seed=self.seed)
        if config.sampler == "component":
            components = self.components_of_rows()
            return ComponentSampler(components, batch_size=config.batch_size, seed=self.seed)
        return ShuffledSampler(len(self.rows), batch_size=config.batch_size, seed=self.seed)

    def lengths_of_rows(self) -> Ints:
        """Tokens of each row's longest text."""
        return self.data.lengths(self.rows)

    def components_of_rows(self) -> Ints:
        """The gold component of each row."""
        return self.data.components[self.data.a[self.rows]]

    def steps_of_epoch(self) -> int:
        """Batches per epoch, counted on the first one; another order may need one more or less."""
        return sum(1 for _ in self.sampler.batches(0))

    def vectors(self, model: nn.Module, *sides: TextBatch) -> tuple[Tensor, ...]:
        """The vectors of several batches, through a tower in one pass or in mini-batches."""
        texts, size = TextBatch.joined(sides, pad_id=self.data.pad_id), self.config.mini_batch
        if size is None or size >= len(texts):
            found: Tensor = model(texts)
        else:
            found = cached_vectors(model, texts, size=size, trim=self.data.pad_to == "longest")
        return torch.split(found, [len(side) for side in sides])

    def scores(self, a: Tensor, b: Tensor) -> Tensor:
        """The cosine of each row, shifted and scaled for losses that need logits. Shape [B]."""
        return self.config.score_scale * (cosines(a, b) - self.config.score_shift)


def require_negatives(name: str, components: Ints, config: ObjectiveConfig) -> None:
    """Check that rows can be each other's negatives in a batch; else the loss is always 0.

    Args:
        name: the name of the loss.
        components: the gold component of each row. Shape [rows].
        config: says whether rows of one component may be negatives, and how many a batch has.

    Raises:
        TrainingError: no batch has a negative.
    """
    different = len(components) if config.negatives == "naive" else len(np.unique(components))
    if min(different, config.batch_size) < 2:
        raise TrainingError(
            f"the loss {name!r} takes negatives from the batch, and no batch has any: batch_size is "
            f"{config.batch_size}, and the texts have {different:,} different meanings",
            fix="set batch_size to 2 or more, and give texts of several meanings",
        )


def cosines(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of each row of unit vectors [B, D]. Shape [B]."""
    return (a * b).sum(dim=-1)
