"""Samplers: the rows of each batch.

Every sampler is a pure function of its arguments, its seed and the epoch: there is no state to save, so
training resumes at epoch k by requesting epoch k. Every row occurs exactly once per epoch unless
``drop_last`` is set, and data smaller than one batch make one smaller batch.
"""

import zlib
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import UsageError, wrong_setting


class Sampler(Protocol):
    """An object that selects the rows of an epoch's batches."""

    def batches(self, epoch: int) -> Iterator[Ints]:
        """Row indexes of one batch after another."""


def epoch_generator(seed: int, epoch: int, *, purpose: str) -> np.random.Generator:
    """A random generator for one epoch, independent between purposes.

    Raises:
        UsageError: the seed or the epoch is negative.
    """
    if seed < 0 or epoch < 0:
        raise UsageError(f"seed is {seed} and epoch is {epoch}, expected 0 or more")
    words = (epoch, zlib.crc32(purpose.encode()))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


@dataclass(frozen=True, slots=True, eq=False)
class ShuffledSampler:
    """All rows in random order.

    Attributes:
        rows: the number of rows.
        batch_size: rows per batch.
        seed: the seed of the random order.
        drop_last: skip an incomplete last batch, unless it is the only one. The skipped rows change with the
            epoch.
    """

    rows: int
    _: KW_ONLY
    batch_size: int
    seed: int
    drop_last: bool = False

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)

    def batches(self, epoch: int) -> Iterator[Ints]:
        """Row indexes of one batch after another."""
        order = epoch_generator(self.seed, epoch, purpose="shuffled").permutation(self.rows)
        if self.drop_last and self.rows > self.batch_size:
            order = order[: self.rows - self.rows % self.batch_size]
        yield from _cut(order, self.batch_size)


@dataclass(frozen=True, slots=True, eq=False)
class LengthSampler:
    """Batches of rows with similar length, to reduce padding.

    Rows are shuffled into buckets, sorted by length inside each bucket, and split into batches, which come in
    random order. Larger buckets mean less padding, but the same rows meet more often.

    Attributes:
        lengths: tokens of each row (of its longer text). Shape [rows].
        batch_size: rows per batch.
        seed: the seed of the random order.
        batches_per_bucket: the size of a bucket.
        groups: a number for each row; rows with equal number and length are adjacent, so that they share a
            batch unless it ends between them. Shape [rows]; None for independent rows.
    """

    lengths: Ints
    _: KW_ONLY
    batch_size: int
    seed: int
    batches_per_bucket: int = 50
    groups: Ints | None = None

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)
        _at_least_one("batches_per_bucket", self.batches_per_bucket)

    def batches(self, epoch: int) -> Iterator[Ints]:
        """Row indexes of one batch after another."""
        generator = epoch_generator(self.seed, epoch, purpose="length")
        order = generator.permutation(len(self.lengths))
        place = np.arange(len(order))
        if self.groups is not None:
            _, group = np.unique(self.groups, return_inverse=True)
            place = generator.permutation(group.max(initial=-1) + 1)[group[order]]
            order, place = (values[np.argsort(place, kind="stable")] for values in (order, place))
        bucket = np.arange(len(order)) // (self.batch_size * self.batches_per_bucket)
        # A bucket contains a whole number of batches, so no batch spans two of them.
        batches = list(_cut(order[np.lexsort((place, self.lengths[order], bucket))], self.batch_size))
        for index in generator.permutation(len(batches)):
            yield batches[index]


@dataclass(frozen=True, slots=True, eq=False)
class ComponentSampler:
    """Batches without two rows of the same component of the gold graph.

    Equal texts are one node of that graph, so no text occurs twice in a batch either, and in-batch negatives
    are true ones. Rows whose two texts are in different components (labelled negatives) need the components
    of the graph in which the ends of every row are joined.

    No row is left over: rows, sorted by component, are dealt to the batches in turn like cards, so a
    component's rows go to different batches. Batch sizes differ by at most one row. A component with more
    rows than there are batches leads to more and smaller batches, as many as it has rows.

    Attributes:
        component_of_row: shape [rows].
        batch_size: maximum rows per batch.
        seed: the seed of the random order.
    """

    component_of_row: Ints
    _: KW_ONLY
    batch_size: int
    seed: int

    def __post_init__(self) -> None:
        _at_least_one("batch_size", self.batch_size)

    def batches(self, epoch: int) -> Iterator[Ints]:
        """Row indexes of one batch after another."""
        rows = len(self.component_of_row)
        generator = epoch_generator(self.seed, epoch, purpose="component")
        _, component, sizes = np.unique(self.component_of_row, return_inverse=True, return_counts=True)
        place = generator.permutation(len(sizes))[component]
        order = np.lexsort((generator.random(rows), place))
        count = max(-(-rows // self.batch_size), int(sizes.max(initial=0)))
        for start in generator.permutation(count):
            yield order[start::count]


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSampler:
    """Batches of whole queries, up to a number of candidates.

    Attributes:
        candidates_of_query: the number of candidates per query. Shape [queries].
        max_candidates: maximum candidates per batch, over all its queries; a query with more makes a batch
            alone.
        seed: the seed of the random order.
    """

    candidates_of_query: Ints
    _: KW_ONLY
    max_candidates: int
    seed: int

    def __post_init__(self) -> None:
        _at_least_one("max_candidates", self.max_candidates)

    def batches(self, epoch: int) -> Iterator[Ints]:
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


def _cut(order: Ints, size: int) -> Iterator[Ints]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise wrong_setting(name, value, expected="1 or more")
