"""Two texts in one sequence through an adapter of the built-in transformer, without torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, final

import numpy as np

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.light_adapter import LightAdapter
from textkin.models.light_network import Ids
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pair_template import Tokens
from textkin.text.truncation import Truncate

_Found = TypeVar("_Found")


@final
class LightPairs:
    """The network of an adapter that reads pairs.

    Args:
        folder: the folder of the adapter.

    Attributes:
        adapter: the network, with all that its folder says.
        pipeline: texts to ids.
        joint: the special tokens of a pair.

    Raises:
        ModelError: a file is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        self.adapter = LightAdapter(folder)
        pipeline = self.adapter.pipeline
        if not isinstance(pipeline, PairPipeline):
            raise ModelError("reads no pairs of texts", path=folder / MANIFEST, fix=AGAIN)
        self.pipeline, self.joint = pipeline, pipeline.joint

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
        return self.adapter.each([one for one, _ in joined], head, types=[one for _, one in joined])

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
