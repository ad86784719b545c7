"""An adapter of the built-in transformer without torch: its states, and the layers of its heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, final

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, blaming, table
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.models.adapters import ADAPTER, is_adapted
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.light_network import Ids, LightNetwork, batches_of
from textkin.models.manifest import check_files, facts_of, read_manifest
from textkin.models.torch_loading import TorchLoading
from textkin.text.pipeline import load_pipeline

_REPAY = 40_000  # tokens, of all calls together, in the time that torch takes to load
_Found = TypeVar("_Found")


def adapted_architecture(folder: Path) -> str | None:
    """The architecture of the adapter in a folder; None without one.

    Raises:
        ModelError: its manifest is damaged.
    """
    return read_manifest(folder).get("architecture") if is_adapted(folder) else None


@final
class LightAdapter:
    """The network of an adapter, with all that its folder says.

    Args:
        folder: the folder of the adapter.

    Attributes:
        folder: the same.
        facts: what the folder says of its model.
        manifest: the whole manifest.
        pipeline: texts to ids.
        dim: width of the states.
        loading: the decision to load torch, by the tokens read.

    Raises:
        ModelError: a file is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with blaming(folder):
            path = folder / MANIFEST
            self.manifest = read_manifest(folder)
            check_files(folder, table(self.manifest, "files", path))
            self.facts = facts_of(folder, self.manifest)
            self.pipeline = load_pipeline(folder, table(self.manifest, "text", path))
            settings = table(table(self.manifest, "arguments", path), "backbone", path)
            self._network = LightNetwork(folder, (settings, path))
        self.dim, self.loading = self._network.dim, TorchLoading(_REPAY)

    def layer(self, name: str, *, outputs: int) -> Callable[[Floats32], Floats32]:
        """A dense layer of a head: states to outputs.

        Args:
            name: the layer's name among the tensors.
            outputs: the number of its outputs.

        Raises:
            ModelError: there is no such layer.
        """
        weights, bias = (self._network.others.get(f"{name}.{part}") for part in ("weight", "bias"))
        shapes = (outputs, self.dim), (outputs,)
        if weights is None or bias is None or (weights.shape, bias.shape) != shapes:
            raise ModelError(
                f"has no layer {name} of {outputs} outputs", path=self.folder / ADAPTER, fix=AGAIN
            )
        return lambda rows: np.asarray(rows @ weights.T + bias)

    def each(self, ids: Ids, head: Callable[[Floats32], _Found], *, types: Ids | None = None) -> list[_Found]:
        """The outputs of a head for the states of each sequence, shape [tokens, dim].

        Args:
            ids: the sequences, including special tokens.
            head: the head.
            types: the type of each token; 0 for all if None.
        """
        self.loading.count(sum(map(len, ids)))
        found: dict[int, _Found] = {}

        def read(batch: Sequence[int]) -> list[_Found]:
            of_batch = None if types is None else [types[place] for place in batch]
            states = self._network.states([ids[place] for place in batch], types=of_batch)
            ends = np.cumsum([len(ids[place]) for place in batch])[:-1]
            return list(map(head, np.split(states, ends)))

        batches = batches_of(ids)
        with one_thread_each():
            for batch, outputs in zip(batches, side_by_side(read, batches, workers=cores()), strict=True):
                found.update(zip(batch, outputs, strict=True))
        return [found[place] for place in range(len(ids))]
