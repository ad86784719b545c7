"""Objectives over single texts, paired with themselves, a teacher's vector, or their duplicates."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError
from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import TextsBatch
from textkin.networks.batches.padded import TextBatch
from textkin.networks.batches.samplers import CandidateSampler, Sampler, epoch_generator
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.distances import unit
from textkin.networks.losses.in_batch import in_batch
from textkin.training.objective import Drawn, Objective, require_negatives


class _SingleTexts(Objective[TextsBatch]):
    gives = frozenset()

    def drawn(self, texts: Ints) -> Drawn[TextsBatch]:
        """The batch of these texts."""
        data = self.data
        batch = TextsBatch(
            data.batch(texts),
            groups=torch.from_numpy(data.components[texts]),
            teacher=None if data.teacher is None else torch.from_numpy(data.teacher[texts]),
        )
        return Drawn(batch, data.first_pairs[texts])


class TextRows(_SingleTexts):
    """Every distinct text, paired with itself under other dropout, or its teacher's vector.

    Pairing with itself (SimCSE, Gao et al. 2021) needs a tower with dropout, without which both vectors are
    equal and only the distance from other texts is learnt.
    """

    tower_gives = frozenset({LossInput.ROWS, LossInput.TEACHER_VECTORS})

    def rows_of_epoch(self) -> Ints:
        """All texts."""
        if self.criterion.takes is LossInput.TEACHER_VECTORS and self.data.teacher is None:
            raise TrainingError(
                f"the loss {self.name!r} needs a teacher's vectors", fix="name an encoder as the teacher"
            )
        if self.criterion.takes is LossInput.ROWS:
            require_negatives(self.name, self.data.components, self.config)
        return np.tile(np.arange(len(self.data.texts)), self.config.repeats)

    def lengths_of_rows(self) -> Ints:
        """Tokens of each text."""
        return np.array([len(self.data.ids[text]) for text in self.rows.tolist()], dtype=np.int64)

    def components_of_rows(self) -> Ints:
        """The gold component of each text."""
        return self.data.components[self.rows]

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[TextsBatch]]:
        """Texts in the sampler's order."""
        for chosen in self.sampler.batches(epoch):
            yield self.drawn(self.rows[chosen])

    def sides(self, batch: TextsBatch) -> Sequence[TextBatch]:
        """The texts once for a teacher, otherwise twice, so that each has two dropout draws."""
        once = self.criterion.takes is LossInput.TEACHER_VECTORS
        return (batch.texts,) if once else (batch.texts, batch.texts)

    def loss_of_vectors(self, batch: TextsBatch, *vectors: Tensor) -> Tensor:
        """The loss over the teacher's vectors, or over the cosines of all texts with all."""
        if self.criterion.takes is LossInput.TEACHER_VECTORS:
            (found,) = vectors
            assert batch.teacher is not None  # noqa: S101 - rows_of_epoch has seen to it
            return self.criterion(found, unit(batch.teacher[:, : found.shape[1]]))
        a, b = vectors
        config, groups = self.config, batch.groups
        allowed = groups[:, None] != groups if groups is not None and config.negatives == "gold" else None
        return in_batch(self.criterion, a, b, allowed, symmetric=config.symmetric, rows=config.mini_batch)


class Groups(_SingleTexts):
    """Texts that have duplicates, a few of each component together; the batch size counts texts."""

    tower_gives = frozenset({LossInput.GROUPED_VECTORS})

    def rows_of_epoch(self) -> Ints:
        """The texts of components with at least two texts, those of one component adjacent."""
        components = self.data.components
        texts = np.argsort(components, kind="stable")
        texts = texts[np.bincount(components)[components[texts]] > 1]
        if not len(texts):
            raise TrainingError(
                "no two texts mean the same, so there are no groups", fix="give training data with positives"
            )
        return np.tile(texts, self.config.repeats)

    def sampler_of_rows(self) -> Sampler:
        """A sampler of whole pieces of components."""
        starts = np.flatnonzero(np.diff(self.data.components[self.rows], prepend=-1))
        self.components = np.split(self.rows, starts[1:])
        pieces = [_pieces(len(texts), self.config.texts_each) for texts in self.components]
        self.ends = np.cumsum(np.concatenate(pieces))
        sizes = np.diff(self.ends, prepend=0)
        return CandidateSampler(sizes, max_candidates=self.config.batch_size, seed=self.seed)

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[TextsBatch]]:
        """Pieces of components in the sampler's order; pieces are redrawn every epoch."""
        generator = epoch_generator(self.seed, epoch, purpose="groups")
        order = np.concatenate([generator.permutation(texts) for texts in self.components])
        pieces = np.split(order, self.ends[:-1])
        for chosen in self.sampler.batches(epoch):
            yield self.drawn(np.concatenate([pieces[piece] for piece in chosen.tolist()]))

    def sides(self, batch: TextsBatch) -> Sequence[TextBatch]:
        """The texts."""
        return (batch.texts,)

    def loss_of_vectors(self, batch: TextsBatch, *vectors: Tensor) -> Tensor:
        """The loss over all vectors and their components."""
        return self.criterion(*vectors, batch.groups)


def _pieces(texts: int, size: int) -> Ints:
    """The sizes of a component's pieces, as even as possible, none of them 1."""
    count = max(1, min(-(-texts // size), texts // 2))
    return np.full(count, texts // count) + (np.arange(count) < texts % count)
