"""Which rows make a batch.

Every sampler is a pure function of its arguments, its seed and the epoch: there is no state to save, so
training resumes at epoch k by asking for epoch k. Every row comes exactly once an epoch unless ``drop_last``
says otherwise, and data smaller than one batch make one smaller batch.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError, wrong_setting


class Sampler(Protocol):
    """Anything that says which rows make the batches of an epoch."""

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Row indexes of one batch after another."""
        ...


def epoch_generator(seed: int, epoch: int, *, purpose: str) -> np.random.Generator:
    """The random numbers of one epoch; those of two purposes are independent of each other.

    Raises:
        UsageError: the seed or the epoch is negative.
    """
    if seed < 0 or epoch < 0:
        raise UsageError(f"seed is {seed} and epoch is {epoch}, expected 0 or more")
    words = (epoch, zlib.crc32(purpose.encode()))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


@final
@dataclass(frozen=True, slots=True, eq=False)
class ShuffledSampler:
    """All rows in random order.

    Attributes:
        rows: how many rows there are.
        batch_size: rows of a batch.
        seed: of the random order.
        drop_last: leave out a last batch that is not full, unless it is the only one. Which rows that
            concerns changes with the epoch.
    """

    rows: int
    _: KW_ONLY
    batch_size: int
    seed: int
    drop_last: bool = False

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Row indexes of one batch after another."""
        order = epoch_generator(self.seed, epoch, purpose="shuffled").permutation(self.rows)
        if self.drop_last and self.rows > self.batch_size:
            order = order[: self.rows - self.rows % self.batch_size]
        yield from _cut(order, self.batch_size)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LengthSampler:
    """Rows of about the same length together, so that little is padding.

    Rows are shuffled into buckets, sorted by length inside each bucket, and cut into batches, which come in
    random order. The larger the buckets, the less padding, and the more often the same rows meet.

    Attributes:
        lengths: tokens of each row (of its longer text). Shape [rows].
        batch_size: rows of a batch.
        seed: of the random order.
        batches_per_bucket: the size of a bucket.
        groups: a number of each row; rows of the same number and length follow each other, so that they share
            a batch unless its end parts them. Shape [rows]; None for rows that stand by themselves.
    """

    lengths: NDArray[np.int64]
    _: KW_ONLY
    batch_size: int
    seed: int
    batches_per_bucket: int = 50
    groups: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)
        _at_least_one("batches_per_bucket", self.batches_per_bucket)

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Row indexes of one batch after another."""
        generator = epoch_generator(self.seed, epoch, purpose="length")
        order = generator.permutation(len(self.lengths))
        place = np.arange(len(order))
        if self.groups is not None:
            _, group = np.unique(self.groups, return_inverse=True)
            place = generator.permutation(group.max(initial=-1) + 1)[group[order]]
            order, place = (values[np.argsort(place, kind="stable")] for values in (order, place))
        bucket = np.arange(len(order)) // (self.batch_size * self.batches_per_bucket)
        # A bucket holds a whole number of batches, so no batch spans two of them.
        batches = list(_cut(order[np.lexsort((place, self.lengths[order], bucket))], self.batch_size))
        for index in generator.permutation(len(batches)):
            yield batches[index]


@final
@dataclass(frozen=True, slots=True, eq=False)
class ComponentSampler:
    """No two rows of a batch are of the same component of the gold graph.

    Equal texts are one node of that graph, so no text is twice in a batch either, and in-batch negatives are
    true ones. Rows whose two texts are of different components (labelled negatives) need the components of
    the graph in which the ends of every row are joined.

    No row is left over: rows, sorted by component, are dealt to the batches in turn like cards, so a
    component's rows land in different batches. Batches differ by one row at most. A component with more rows
    than there are batches makes more and smaller batches, as many as it has rows.

    Attributes:
        component_of_row: shape [rows].
        batch_size: rows of a batch, at most.
        seed: of the random order.
    """

    component_of_row: NDArray[np.int64]
    _: KW_ONLY
    batch_size: int
    seed: int

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Row indexes of one batch after another."""
        rows = len(self.component_of_row)
        generator = epoch_generator(self.seed, epoch, purpose="component")
        _, component, sizes = np.unique(self.component_of_row, return_inverse=True, return_counts=True)
        place = generator.permutation(len(sizes))[component]
        order = np.lexsort((generator.random(rows), place))
        count = max(-(-rows // self.batch_size), int(sizes.max(initial=0)))
        for start in generator.permutation(count):
            yield order[start::count]


@final
@dataclass(frozen=True, slots=True, eq=False)
class CandidateSampler:
    """Whole queries, as many as fit a number of candidates.

    Attributes:
        candidates_of_query: how many candidates each query has. Shape [queries].
        max_candidates: of a batch, all its queries together; a query that has more makes a batch alone.
        seed: of the random order.
    """

    candidates_of_query: NDArray[np.int64]
    _: KW_ONLY
    max_candidates: int
    seed: int

    def __post_init__(self) -> None:
        _at_least_one("max_candidates", self.max_candidates)

    def batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        """Query indexes of one batch after another."""
        generator = epoch_generator(self.seed, epoch, purpose="candidates")
        order = generator.permutation(len(self.candidates_of_query))
        ends = np.concatenate(([0], np.cumsum(self.candidates_of_query[order])))
        start = 0
        while start < len(order):
            fitting = int(np.searchsorted(ends, ends[start] + self.max_candidates, side="right")) - 1
            stop = max(start + 1, fitting)
            yield order[start:stop]
            start = stop


def _cut(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise wrong_setting(name, value, expected="1 or more")
