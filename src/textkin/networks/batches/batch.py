"""The input of an objective in one step: pairs, triplets, queries with candidates, or spans.

Shapes: B rows, Q queries, N candidates of all queries together.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor

from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch, moved


class RowBatch(ABC):
    """Base class of batches: rows of tensors, counted by the first field."""

    __slots__ = ()

    @abstractmethod
    def __post_init__(self) -> None:
        """Check that the parts fit each other."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]  # a dataclass

    def to(self, device: torch.device | str) -> Self:
        """The same batch on ``device``."""
        return moved(self, device)


@dataclass(frozen=True, slots=True, eq=False)
class PairBatch(RowBatch):
    """Rows of two texts.

    Attributes:
        a: the first texts, B of them.
        b: the second texts, B of them.
        labels: the label of each row, or None. Shape [B].
        allowed: [i, j] is True if text j, of b and then of the hard negatives, may serve as a negative of
            a_i; the diagonal is False; bool. None if no text may be taken from another row. Shape [B, M].
        negatives: hard negatives for any row, M - B of them; None for none.

    Raises:
        UsageError: the parts don't fit each other.
    """

    a: TextBatch
    b: TextBatch
    labels: Tensor | None = None
    allowed: Tensor | None = None
    negatives: TextBatch | None = None

    def __post_init__(self) -> None:
        rows = len(self.a)
        texts = rows + (len(self.negatives) if self.negatives is not None else 0)
        _expect("b", len(self.b), rows)
        if self.labels is not None:
            _expect("labels", list(self.labels.shape), [rows])
        if self.allowed is not None:
            _expect("allowed", list(self.allowed.shape), [rows, texts])
            _expect("the dtype of allowed", self.allowed.dtype, torch.bool)
            if self.allowed.diagonal().any():
                raise UsageError(
                    "allowed is True on its diagonal: a text would be a negative of its own anchor",
                    fix="make it with allowed_negatives",
                )


@dataclass(frozen=True, slots=True, eq=False)
class TripletBatch(RowBatch):
    """Rows of an anchor, a similar text, and a dissimilar one.

    Raises:
        UsageError: the three have different numbers of texts.
    """

    anchor: TextBatch
    positive: TextBatch
    negative: TextBatch

    def __post_init__(self) -> None:
        _expect("positive", len(self.positive), len(self.anchor))
        _expect("negative", len(self.negative), len(self.anchor))


@dataclass(frozen=True, slots=True, eq=False)
class TextsBatch(RowBatch):
    """Single texts.

    Attributes:
        texts: B texts.
        groups: the group of each text, or None; int64. Shape [B].
        teacher: a teacher's unit vectors of the texts, or None. Shape [B, D].

    Raises:
        UsageError: the parts don't fit each other.
    """

    texts: TextBatch
    groups: Tensor | None = None
    teacher: Tensor | None = None

    def __post_init__(self) -> None:
        for name, rows in (("groups", self.groups), ("teacher", self.teacher)):
            if rows is not None:
                _expect(f"rows of {name}", len(rows), len(self.texts))


@dataclass(frozen=True, slots=True, eq=False)
class ListBatch(RowBatch):
    """Queries with their candidates.

    Attributes:
        queries: Q texts.
        docs: N texts, those of one query adjacent.
        offsets: candidates of query i are at offsets[i]:offsets[i+1], int64. Shape [Q + 1].
        labels: relevance of each candidate. Shape [N].

    Raises:
        UsageError: the parts don't fit each other.
    """

    queries: TextBatch
    docs: TextBatch
    offsets: Tensor
    labels: Tensor

    def __post_init__(self) -> None:
        _expect("labels", list(self.labels.shape), [len(self.docs)])
        _expect("offsets", list(self.offsets.shape), [len(self.queries) + 1])
        _expect("the dtype of offsets", self.offsets.dtype, torch.int64)
        _expect("the first offset", int(self.offsets[0]), 0)
        _expect("the last offset", int(self.offsets[-1]), len(self.docs))
        if (self.offsets.diff() < 0).any():
            raise UsageError("offsets go down, expected each to be at least the one before")

    @property
    def query_of_doc(self) -> Tensor:
        """The query of each candidate, int64. Shape [N]."""
        queries = torch.arange(len(self.queries), device=self.offsets.device)
        return queries.repeat_interleave(self.offsets.diff(), output_size=len(self.docs))


@dataclass(frozen=True, slots=True, eq=False)
class SpanBatch(RowBatch):
    """Questions, windows of passages, and the answers' positions in these.

    Attributes:
        question: B texts.
        context: B windows.
        spans: first and last tokens of each occurrence of the answer; -1 if a row has fewer, or none; int64.
            Shape [B, A, 2].

    Raises:
        UsageError: the parts don't fit each other.
    """

    question: TextBatch
    context: TextBatch
    spans: Tensor

    def __post_init__(self) -> None:
        _expect("context", len(self.context), len(self.question))
        _expect("rows of spans", len(self.spans), len(self.question))
        _expect("the dtype of spans", self.spans.dtype, torch.int64)


def _expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise UsageError(f"{what}: found {found}, expected {expected}", params=(what,), value=found)
