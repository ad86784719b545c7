"""Two texts in one sequence through an adapter of the built-in transformer, without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, blaming, table
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.models.adapters import ADAPTER, is_adapted
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.light_network import Ids, LightNetwork, batches_of
from textkin.models.manifest import check_files, facts_of, read_manifest
from textkin.models.torch_loading import TorchLoading
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pair_template import Tokens
from textkin.text.pipeline import load_pipeline
from textkin.text.truncation import Truncate

_REPAY = 40_000  # tokens, of all calls together, in the time that torch takes to load
_Found = TypeVar("_Found")


def adapted_architecture(folder: Path) -> str | None:
    """The architecture of the adapter in a folder; None without one.

    Raises:
        ModelError: its manifest is damaged.
    """
    return read_manifest(folder).get("architecture") if is_adapted(folder) else None


class LightPairs:
    """The network of an adapter that reads pairs, with all that its folder says.

    Args:
        folder: the folder of the adapter.

    Attributes:
        facts: what the folder says of its model.
        manifest: the whole manifest.
        pipeline: texts to ids.
        joint: the special tokens of a pair.
        dim: width of the states.
        loading: the decision to load torch, by the tokens read.

    Raises:
        ModelError: a file is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with blaming(folder):
            self.manifest = read_manifest(folder)
            check_files(folder, table(self.manifest, "files", folder / MANIFEST))
            self.facts = facts_of(folder, self.manifest)
            pipeline = load_pipeline(folder, table(self.manifest, "text", folder / MANIFEST))
            if not isinstance(pipeline, PairPipeline):
                raise ModelError("reads no pairs of texts", path=folder / MANIFEST, fix=AGAIN)
            self.pipeline, self.joint = pipeline, pipeline.joint
            self._network = LightNetwork(folder)
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

    def each(
        self, a: Ids, b: Ids, head: Callable[[Floats32], _Found], *, max_length: int | None = None
    ) -> list[_Found]:
        """The outputs of a head for the states of each sequence, shape [tokens, dim].

        Args:
            a: the ids of the first texts.
            b: the ids of the second texts.
            head: the head.
            max_length: the maximum tokens of a pair, including special ones; None for no limit.
        """
        joined = [self._joined(one, other, max_length) for one, other in zip(a, b, strict=True)]
        ids, types = [one for one, _ in joined], [one for _, one in joined]
        self.loading.count(sum(map(len, ids)))
        found: dict[int, _Found] = {}

        def read(batch: Sequence[int]) -> list[_Found]:
            states = self._network.states(
                [ids[place] for place in batch], types=[types[place] for place in batch]
            )
            ends = np.cumsum([len(ids[place]) for place in batch])[:-1]
            return list(map(head, np.split(states, ends)))

        batches = batches_of(ids)
        with one_thread_each():
            for batch, outputs in zip(batches, side_by_side(read, batches, workers=cores()), strict=True):
                found.update(zip(batch, outputs, strict=True))
        return [found[place] for place in range(len(ids))]

    def _joined(self, a: Ints32, b: Ints32, max_length: int | None) -> tuple[Ints32, Ints32]:
        """The ids of a sequence of both texts, and their types."""
        joint = self.joint
        if max_length is not None:
            special = len(joint.start) + len(joint.middle) + len(joint.end)
            kept = kept_of(len(a), len(b), room=max(0, max_length - special))
            a, b = (self._shortened(one, count) for one, count in zip((a, b), kept, strict=True))
        first, second = joint.types
        parts = (
            _special(joint.start),
            (a, np.full(len(a), first, np.int32)),
            _special(joint.middle),
            (b, np.full(len(b), second, np.int32)),
            _special(joint.end),
        )
        ids, types = (np.concatenate(side) for side in zip(*parts, strict=True))
        return ids, types

    def _shortened(self, ids: Ints32, count: int) -> Ints32:
        tail = self.pipeline.whole.truncate is Truncate.TAIL
        return ids[len(ids) - count :] if tail else ids[:count]


def kept_of(a: int, b: int, *, room: int) -> tuple[int, int]:
    """The tokens that two texts keep: the longer one loses some until both are alike, then both do."""
    short = min(a, b, room // 2)
    long = min(max(a, b), room - short)
    return (short, long) if a <= b else (long, short)


def _special(tokens: Tokens) -> tuple[Ints32, Ints32]:
    """Ids and types of special tokens."""
    ids, types = np.array(tokens, dtype=np.int32).reshape(-1, 2).T
    return ids, types
