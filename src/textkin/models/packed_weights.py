"""Weights in a quarter of their bytes: int8 by groups of a row, unpacked on reading.

A table of weights is split into groups of 64 numbers of one row. Each group has a scale in half precision,
and its numbers are multiples of it from -127 to 127. Biases and the like are stored in half precision.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        stored = load_file(path)
        return {
            name: _full(tensor, stored.get(name + _SCALES))
            for name, tensor in stored.items()
            if not name.endswith(_SCALES)
        }
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error


def _full(tensor: NDArray[Any], scales: NDArray[np.float16] | None) -> NDArray[np.float32]:
    full = tensor.astype(np.float32)
    if scales is None:
        return full
    groups = _groups(full)
    groups *= scales.astype(np.float32)[:, :, None]
    return full


def _groups(tensor: NDArray[np.float32]) -> NDArray[np.float32]:
    """A view of a table, shape [rows, groups, numbers]."""
    return tensor.reshape(len(tensor), -1, GROUP)
