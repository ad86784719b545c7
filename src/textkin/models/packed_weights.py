"""Weights in a quarter of their bytes: int8 by groups of a row, unpacked on reading.

A table of weights is split into groups of 64 numbers of one row. Each group has a scale in half precision,
and its numbers are multiples of it from -127 to 127. Biases and the like are stored in half precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError, said
from textkin.base.json_fields import AGAIN

PACKED = "model.int8.safetensors"
"""The name of a file of packed weights in a model folder."""

GROUP = 64
"""Numbers per scale. One scale per row left some texts' cosines to the original below 0.999."""

_SCALES = ".scales"
_MOST = 127


@dataclass(frozen=True, slots=True, eq=False)
class PackedTable:
    """A table of weights as it is stored.

    Attributes:
        numbers: multiples of the scales. Shape [rows, columns], int8.
        scales: the scale of each group. Shape [rows, columns / GROUP], float32.
    """

    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]

    @classmethod
    def of(cls, numbers: NDArray[np.int8], scales: NDArray[np.float16]) -> Self:
        """A table from its parts.

        Raises:
            ValueError: their shapes don't fit.
        """
        rows, columns = numbers.shape
        if scales.shape != (rows, columns / GROUP):
            raise ValueError(f"{scales.shape} scales for a table of {numbers.shape}")
        return cls(numbers, scales.astype(np.float32))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.numbers.shape
        return rows, columns

    @classmethod
    def stacked(cls, tables: Sequence[PackedTable]) -> Self:
        """The rows of several tables as one."""
        return cls(
            np.concatenate([one.numbers for one in tables]), np.concatenate([one.scales for one in tables])
        )

    def panels(self) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """The table turned, GROUP rows a panel: one after another, as a product of few rows reads them.

        Returns:
            Numbers, shape [panels, columns, GROUP], and scales, shape [panels, columns / GROUP, GROUP].
        """
        return _turned(self.numbers), _turned(self.scales)

    def full(self, rows: NDArray[np.integer[Any]] | None = None) -> NDArray[np.float32]:
        """All rows, or some by number, in single precision. Shape [rows, columns]."""
        numbers, scales = self.numbers, self.scales
        if rows is not None:
            numbers, scales = numbers[rows], scales[rows]
        full = numbers.astype(np.float32)
        groups = _groups(full)
        groups *= scales[:, :, None]
        return full


def is_packed(folder: Path) -> bool:
    """True if a folder contains packed weights, which work without torch."""
    return (folder / PACKED).is_file()


def packed(tensors: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """The tensors to store: tables as int8 with scales, all others in half precision."""
    found: dict[str, NDArray[Any]] = {}
    for name, tensor in tensors.items():
        if tensor.ndim != 2 or tensor.shape[1] % GROUP:
            found[name] = tensor.astype(np.float16)
            continue
        groups = _groups(tensor)
        scales = (np.abs(groups).max(axis=2) / _MOST).astype(np.float16)
        steps = np.where(scales == 0, 1, scales).astype(np.float32)
        whole = np.rint(groups / steps[:, :, None]).clip(-_MOST, _MOST)
        found[name], found[name + _SCALES] = whole.astype(np.int8).reshape(tensor.shape), scales
    return found


def unpacked(path: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of a file of packed weights, in single precision.

    Raises:
        ModelError: the file is missing or broken.
    """
    return {
        name: found.full() if isinstance(found, PackedTable) else found
        for name, found in stored(path).items()
    }


def stored(path: Path) -> dict[str, PackedTable | NDArray[np.float32]]:
    """The tensors of a file of packed weights: tables as they are stored, all others in single precision.

    Raises:
        ModelError: the file is missing or broken.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        found = load_file(path)
        return {
            name: PackedTable.of(tensor, found[name + _SCALES])
            if name + _SCALES in found
            else tensor.astype(np.float32)
            for name, tensor in found.items()
            if not name.endswith(_SCALES)
        }
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error


def _turned(rows: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(rows.reshape(-1, GROUP, rows.shape[1]).transpose(0, 2, 1))


def _groups(tensor: NDArray[Any]) -> NDArray[Any]:
    """A view of a table, shape [rows, groups, numbers]."""
    return tensor.reshape(len(tensor), -1, GROUP)
