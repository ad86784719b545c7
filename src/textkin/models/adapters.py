"""Adapters: a fine-tuned network as its difference from a built-in one, in low rank.

Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", equation 3: a table is W + B A,
where B has as many columns as A has rows. Training doesn't need to know of it: the best B and A of a rank are
the truncated singular value decomposition of the difference (Eckart and Young 1936), and weights that were
trained in low rank are reproduced but for rounding.

``adapter.safetensors`` holds, in half precision, ``NAME.up`` (B) and ``NAME.down`` (A) of each table that
differs, and other tensors that differ (biases, norms, a head) whole. Its metadata name the built-in network,
the hash of its weights, and the prefix of its tensors' names in the new network.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, said
from textkin.base.files import sha256_of_file, write_bytes
from textkin.base.hub import BOX, located
from textkin.base.json_fields import AGAIN
from textkin.models.packed_weights import PACKED, unpacked

ADAPTER = "adapter.safetensors"
"""The name of an adapter's file in a model folder."""

_UP, _DOWN = ".up", ".down"
_ABOUT = ("trunk", "sha256", "prefix")


def save_adapter(path: Path, weights: Mapping[str, Floats32], *, trunk: str, rank: int) -> None:
    """Write the difference of a network's weights from a built-in one's.

    Args:
        path: the file to write.
        weights: the network's tensors by name; those of the built-in network have a common prefix.
        trunk: the built-in network's name.
        rank: the largest rank of a table's difference.

    Raises:
        ModelError: the network isn't a fine-tuned built-in one: tensors are missing or have other shapes.
        OutputError: the folder isn't writable.
    """
    from safetensors.numpy import save

    source = located(trunk) / PACKED
    base = unpacked(source)
    prefix = _prefix(weights, base, trunk)
    stored: dict[str, NDArray[np.float16]] = {}
    for name, tensor in weights.items():
        known = base.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if known is None or tensor.ndim != 2:
            if known is None or not np.array_equal(tensor, known):
                stored[name] = tensor.astype(np.float16)
        elif (difference := tensor - known).any():
            stored[name + _UP], stored[name + _DOWN] = _factors(difference, rank)
    about = dict(zip(_ABOUT, (trunk, sha256_of_file(source), prefix), strict=True))
    write_bytes(path, save(stored, metadata={"format": "np", **about}))


def merged(path: Path) -> dict[str, Floats32]:
    """All tensors of a network, from its adapter and the built-in network below it, in single precision.

    Raises:
        ModelError: the file is missing or broken, or belongs to another version of the built-in network.
    """
    about, stored = _read(path)
    trunk, sha256, prefix = (about.get(name, "") for name in _ABOUT)
    if trunk not in BOX:
        raise ModelError(f"{path} adapts {trunk!r}, which is no built-in network", fix=AGAIN)
    source = located(trunk) / PACKED
    if sha256_of_file(source) != sha256:
        raise ModelError(
            f"{path} adapts another version of {trunk!r}", fix="make it again, or install its textkin"
        )
    weights = {prefix + name: tensor for name, tensor in unpacked(source).items()}
    for name, tensor in stored.items():
        if name.endswith(_UP):
            table = name.removesuffix(_UP)
            if table not in weights or table + _DOWN not in stored:
                raise ModelError(f"{path}: {name} adapts nothing", fix=AGAIN)
            change = tensor.astype(np.float32) @ stored[table + _DOWN].astype(np.float32)
            if change.shape != weights[table].shape:
                raise ModelError(f"{path}: {table} has the shape {change.shape}", fix=AGAIN)
            weights[table] = weights[table] + change
        elif not name.endswith(_DOWN):
            weights[name] = tensor.astype(np.float32)
    return weights


def _read(path: Path) -> tuple[Mapping[str, str], dict[str, NDArray[np.float16]]]:
    """The metadata and the tensors of an adapter's file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} can't be read: {said(error)}", fix=AGAIN) from error


def _prefix(weights: Mapping[str, Floats32], base: Mapping[str, Floats32], trunk: str) -> str:
    """The prefix of the built-in network's tensors in another network."""
    first = next(iter(base))
    prefix = next((name.removesuffix(first) for name in weights if name.endswith(first)), "")
    for name, tensor in base.items():
        found = weights.get(prefix + name)
        if found is None or found.shape != tensor.shape:
            raise ModelError(
                f"the network is no fine-tuned {trunk}: {prefix + name} is missing or of another shape",
                fix=f"train with `start={trunk}`",
            )
    return prefix


def _factors(table: Floats32, rank: int) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    """Two tables whose product is the nearest one of this rank; each gets half of the scale."""
    up, sizes, down = np.linalg.svd(table, full_matrices=False)
    root = np.sqrt(sizes[:rank])
    return (up[:, :rank] * root).astype(np.float16), (root[:, None] * down[:rank]).astype(np.float16)
