"""Texts of different lengths in one rectangle, with a mask of padding.

Shapes: B texts, L tokens of the longest text (or more), G units of a token's spelling.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from textkin.base.arrays import Ints32
from textkin.base.errors import UsageError, wrong_setting

PadTo = Literal["longest", "power-of-two"]
_Batch = TypeVar("_Batch")


@dataclass(frozen=True, slots=True, eq=False)
class TextBatch:
    """Token ids with their mask, validated on creation.

    Attributes:
        ids: token ids, int64. Shape [B, L], L >= 1.
        mask: True at tokens; a prefix in every row, since padding is on the right. Shape [B, L].
        units: the spelling of each token, if the pipeline provides it: ids of characters or of character
            n-grams from 1, then zeros; int64. Shape [B, L, G].

    Raises:
        UsageError: dtypes or shapes are wrong, or padding precedes a token.
    """

    ids: Tensor
    mask: Tensor
    units: Tensor | None = None

    def __post_init__(self) -> None:
        if self.ids.dtype != torch.int64 or self.mask.dtype != torch.bool:
            raise UsageError(
                f"ids are {self.ids.dtype} and mask is {self.mask.dtype}, expected int64 and bool"
            )
        if self.ids.ndim != 2 or self.ids.shape != self.mask.shape or self.ids.shape[1] < 1:
            raise UsageError(
                f"ids have shape {list(self.ids.shape)} and mask {list(self.mask.shape)}, "
                "expected the same [B, L] with L >= 1"
            )
        if self.units is not None and self.units.shape[:-1] != self.ids.shape:
            raise UsageError(
                f"units have shape {list(self.units.shape)}, expected {list(self.ids.shape)} and G",
                params=("units",),
                value=list(self.units.shape),
            )
        padding_then_token = (~self.mask[:, :-1] & self.mask[:, 1:]).any(dim=1)
        if padding_then_token.any():
            row = int(padding_then_token.nonzero()[0, 0])
            raise UsageError(f"row {row} of the mask has padding before a token", fix="pad on the right")

    @classmethod
    def from_ids(cls, ids: Sequence[Ints32], *, pad_id: int, pad_to: PadTo = "longest") -> Self:
        """Pad texts on the right.

        Args:
            ids: the token ids of each text, shape [its tokens], or with the units of each token after its id,
                shape [its tokens, 1 + G]; a text may be empty.
            pad_id: the padding token.
            pad_to: the width is the longest text, or the next power of two that holds it.

        Raises:
            UsageError: there is no such ``pad_to``.
        """
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        width = max(1, int(lengths.max(initial=1)))
        if pad_to == "power-of-two":
            width = 1 << (width - 1).bit_length()
        elif pad_to != "longest":
            raise wrong_setting("pad_to", pad_to, expected="'longest' or 'power-of-two'")
        mask = np.arange(width) < lengths[:, None]
        rows = np.concatenate(ids) if len(ids) else np.empty(0, dtype=np.int32)
        padded = np.zeros((*mask.shape, *rows.shape[1:]), dtype=np.int64)
        padded[mask] = rows
        if rows.ndim == 1:
            padded[~mask] = pad_id
            return cls(torch.from_numpy(padded), torch.from_numpy(mask))
        padded[~mask, 0] = pad_id
        both = torch.from_numpy(padded)
        return cls(both[..., 0].contiguous(), torch.from_numpy(mask), both[..., 1:])

    @classmethod
    def unchecked(cls, ids: Tensor, mask: Tensor) -> Self:
        """A batch of tensors without checkable values: those of a network being recorded."""
        batch = object.__new__(cls)
        for name, value in (("ids", ids), ("mask", mask), ("units", None)):
            object.__setattr__(batch, name, value)
        return batch

    @classmethod
    def joined(cls, batches: Sequence[Self], *, pad_id: int) -> Self:
        """The texts of several batches, concatenated, as wide as the widest."""
        width = max(batch.ids.shape[1] for batch in batches)
        missing = [(0, width - batch.ids.shape[1]) for batch in batches]
        ids = [
            functional.pad(one.ids, more, value=pad_id) for one, more in zip(batches, missing, strict=True)
        ]
        masks = [functional.pad(one.mask, more) for one, more in zip(batches, missing, strict=True)]
        units = [
            functional.pad(one.units, (0, 0, *more))
            for one, more in zip(batches, missing, strict=True)
            if one.units is not None
        ]
        return cls(torch.cat(ids), torch.cat(masks), torch.cat(units) if units else None)

    def __len__(self) -> int:
        return self.ids.shape[0]

    @property
    def lengths(self) -> Tensor:
        """Tokens in each text, int64. Shape [B]."""
        return self.mask.sum(dim=1)

    def select(self, rows: Tensor) -> Self:
        """The texts at ``rows``, which may repeat."""
        units = None if self.units is None else self.units[rows]
        return type(self)(self.ids[rows], self.mask[rows], units)

    def distinct(self) -> tuple[Self, Tensor]:
        """Each distinct text once, in order of first occurrence, and the index of each text among them.

        The indices are int64, shape [B]. A batch without repeated texts is returned unchanged.
        """
        spelling = () if self.units is None else (self.units.flatten(1),)
        rows = torch.cat([self.ids, self.mask, *spelling], dim=1)
        _, place = torch.unique(rows, dim=0, return_inverse=True)
        number = torch.arange(len(self), device=place.device)
        first = number.new_full((int(place.max()) + 1 if len(self) else 0,), len(self))
        first, order = first.scatter_reduce(0, place, number, "amin").sort()
        place = torch.empty_like(order).scatter_(0, order, number[: len(order)])[place]
        return self.select(first), place

    def to(self, device: torch.device | str) -> Self:
        """The same batch on ``device``."""
        return moved(self, device)


def moved(batch: _Batch, device: torch.device | str) -> _Batch:
    """A copy of a batch whose fields are on ``device``.

    The batch isn't validated again, since that would wait for the device.
    """
    twin = copy.copy(batch)
    for field in fields(batch):  # type: ignore[arg-type]
        value = getattr(batch, field.name)
        if value is not None:
            object.__setattr__(twin, field.name, value.to(device))
    return twin
