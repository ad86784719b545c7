"""Adapters: a fine-tuned network as its difference from a built-in one, in three bits a weight.

Fine-tuning changes weights little, so their difference needs few bits (Liu et al. 2024, "BitDelta: Your
Fine-Tune May Only Be Worth One Bit"). Groups of 64 numbers of a row share a scale, the one with the least
square error; each number is one of the eight levels that lose least of a normal distribution (Max 1960,
"Quantizing for Minimum Distortion", table I). Training doesn't need to know of it. A difference of low rank
(LoRA) was tried first: of the built-in reader's change, rank 64 lost 60 % in 9.4 MB, three bits lose 18 % in
9.2 MB.

The vectors of words, half of all weights, stay those of the built-in network: without their change the
reader's F1 was the same within .001.

``adapter.safetensors`` holds ``NAME.bits`` and ``NAME.scales`` of each table that differs, and other tensors
that differ (biases, norms, a head) whole, in half precision. Its metadata name the built-in network, the hash
of its weights, and the prefix of its tensors' names in the new network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, said
from textkin.base.files import sha256_of_file, write_bytes
from textkin.base.hub import BOX, located
from textkin.base.json_fields import AGAIN
from textkin.models.packed_weights import GROUP, PACKED, PackedTable, is_packed, stored, unpacked

ADAPTER = "adapter.safetensors"
"""The name of an adapter's file in a model folder."""

_WORDS = "embeddings.word_embeddings.weight"
_BITS, _SCALES = ".bits", ".scales"
_PLANES = 3
_LEVELS = np.array([-2.152, -1.344, -0.756, -0.2451, 0.2451, 0.756, 1.344, 2.152], np.float32)
_BORDERS = (_LEVELS[1:] + _LEVELS[:-1]) / 2
_ABOUT = ("trunk", "sha256", "prefix")


def save_adapter(path: Path, weights: Mapping[str, Floats32], *, trunk: str) -> None:
    """Write the difference of a network's weights from a built-in one's, except for the vectors of words.

    Args:
        path: the file to write.
        weights: the network's tensors by name; those of the built-in network have a common prefix.
        trunk: the built-in network's name.

    Raises:
        ModelError: the network isn't a fine-tuned built-in one: tensors are missing or have other shapes.
        OutputError: the folder isn't writable.
    """
    from safetensors.numpy import save

    source = located(trunk) / PACKED
    base = unpacked(source)
    prefix = _prefix(weights, base, trunk)
    found: dict[str, NDArray[Any]] = {}
    for name, tensor in weights.items():
        known = base.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if known is not None and (name.endswith(_WORDS) or np.array_equal(tensor, known)):
            continue
        if known is None or tensor.ndim != 2 or tensor.shape[1] % GROUP:
            found[name] = tensor.astype(np.float16)
        else:
            found[name + _BITS], found[name + _SCALES] = _coded(tensor - known)
    about = dict(zip(_ABOUT, (trunk, sha256_of_file(source), prefix), strict=True))
    write_bytes(path, save(found, metadata={"format": "np", **about}))


def is_adapted(folder: Path) -> bool:
    """True if a folder contains an adapter, which works without torch."""
    return (folder / ADAPTER).is_file()


@dataclass(frozen=True, slots=True, eq=False)
class AdaptedTable:
    """A table of the built-in network with its change, as both are stored.

    Attributes:
        base: the built-in network's table.
        bits: the bits of the levels. Shape [3, rows, columns / 8].
        scales: the scale of each group. Shape [rows, columns / GROUP].
    """

    base: PackedTable
    bits: NDArray[np.uint8]
    scales: NDArray[np.float16]

    @classmethod
    def of(cls, base: PackedTable, bits: NDArray[np.uint8], scales: NDArray[np.float16]) -> Self:
        """A table from its parts.

        Raises:
            ValueError: the change is of a table of another shape.
        """
        rows, columns = base.shape
        if (bits.shape, scales.shape) != ((_PLANES, rows, columns // 8), (rows, columns // GROUP)):
            raise ValueError(f"the change has the shape {bits.shape}")
        return cls(base, bits, scales)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.base.shape

    def full(self, rows: NDArray[np.integer[Any]] | None = None) -> Floats32:
        """All rows, or some by number, in single precision. Shape [rows, columns]."""
        table, bits, scales = self.base.full(rows), self.bits, self.scales
        if rows is not None:
            bits, scales = bits[:, rows], scales[rows]
        codes = sum(np.unpackbits(plane, axis=1) << place for place, plane in enumerate(bits))
        groups = _LEVELS[np.asarray(codes).reshape(len(table), -1, GROUP)]
        return np.asarray(table + (groups * scales.astype(np.float32)[:, :, None]).reshape(table.shape))


def merged(path: Path) -> dict[str, Floats32]:
    """All tensors of a network, from its adapter and the built-in network below it, in single precision.

    Raises:
        ModelError: the file is missing or broken, or belongs to another version of the built-in network.
    """
    return {
        name: found if isinstance(found, np.ndarray) else found.full()
        for name, found in adapted(path, prefix=True).items()
    }


def adapted(path: Path, *, prefix: bool = False) -> dict[str, PackedTable | AdaptedTable | Floats32]:
    """The same as it is stored: tables of the built-in network, with their changes if they have some.

    Args:
        path: the adapter.
        prefix: True for the names in the new network, False for those of the built-in one.

    Raises:
        ModelError: as :func:`merged`.
    """
    about, changes = _read(path)
    trunk, sha256, before = (about.get(name, "") for name in _ABOUT)
    if trunk not in BOX or not is_packed(located(trunk)):
        raise ModelError(f"adapts {trunk!r}, which is not a built-in network", path=path, fix=AGAIN)
    source = located(trunk) / PACKED
    if sha256_of_file(source) != sha256:
        raise ModelError(
            f"adapts another version of {trunk!r}", path=path, fix="make it again, or install its textkin"
        )
    weights: dict[str, PackedTable | AdaptedTable | Floats32] = {
        before + name: tensor for name, tensor in stored(source).items()
    }
    for name, tensor in changes.items():
        table = name.removesuffix(_BITS)
        if table != name:
            try:
                weights[table] = AdaptedTable.of(_packed(weights[table]), tensor, changes[table + _SCALES])
            except (KeyError, ValueError) as error:
                raise ModelError(f"{name} fits no table: {said(error)}", path=path, fix=AGAIN) from error
        elif not name.endswith(_SCALES):
            weights[name] = tensor.astype(np.float32)
    return weights if prefix else {name.removeprefix(before): one for name, one in weights.items()}


def _packed(table: PackedTable | AdaptedTable | Floats32) -> PackedTable:
    """The table of the built-in network.

    Raises:
        ValueError: it has no groups, and so no change of them.
    """
    if isinstance(table, PackedTable):
        return table
    raise ValueError("it is not a table of the built-in network")


def _read(path: Path) -> tuple[Mapping[str, str], dict[str, NDArray[Any]]]:
    """The metadata and the tensors of an adapter's file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error


def _prefix(weights: Mapping[str, Floats32], base: Mapping[str, Floats32], trunk: str) -> str:
    """The prefix of the built-in network's tensors in another network."""
    first = next(iter(base))
    prefix = next((name.removesuffix(first) for name in weights if name.endswith(first)), "")
    for name, tensor in base.items():
        found = weights.get(prefix + name)
        if found is None or found.shape != tensor.shape:
            raise ModelError(
                f"the network is not a fine-tuned {trunk}: {prefix + name} is missing or of another shape",
                fix=f"train with `start={trunk}`",
            )
    return prefix


def _coded(change: Floats32) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """The bits of a table's levels, shape [3, rows, columns / 8], and its scales, shape [rows, groups]."""
    groups = change.reshape(len(change), -1, GROUP)
    sizes = np.sqrt(np.square(groups).mean(axis=2, keepdims=True))
    codes = np.digitize(groups / np.where(sizes == 0, 1, sizes), _BORDERS).astype(np.uint8)
    levels = _LEVELS[codes]
    scales = (groups * levels).sum(axis=2) / np.square(levels).sum(axis=2)
    codes = codes.reshape(change.shape)
    bits = np.stack([np.packbits(codes >> plane & 1, axis=1) for plane in range(_PLANES)])
    return bits, scales.astype(np.float16)
