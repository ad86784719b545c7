"""Which objectives a step is made of.

An epoch is one pass over the batches of the first objective, however the objectives take turns. The others
begin again when their batches run out.

- together: every step takes a batch of each objective and adds up their losses, so an epoch has as many steps
  as the first objective has batches;
- round-robin: every step takes a batch of one objective, each in turn: the first one's number of steps times
  the number of objectives;
- proportional: every step takes a batch of one objective, and each comes as often as it has batches, in
  random order: an epoch is one pass over all of them.

Sentence-transformers calls the last two by the same names; its first multi-task training was the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np

from textkin.networks.batches.samplers import epoch_generator
from textkin.networks.recipes.recipe import Turns

Turn = tuple[int, ...]
"""The numbers of the objectives that a step is made of."""


def steps_of_epoch(kind: Turns, batches: Sequence[int]) -> int:
    """How many steps an epoch has where the objectives have so many batches."""
    return {
        "together": batches[0],
        "round-robin": batches[0] * len(batches),
        "proportional": sum(batches),
    }[kind]


def turns_of_epoch(kind: Turns, batches: Sequence[int], *, seed: int, epoch: int) -> Iterator[Turn]:
    """What the steps of an epoch are made of, until the first objective has no more batches.

    Args:
        kind: how objectives take turns.
        batches: how many each has in an epoch, as far as that is known.
        seed: of the random order.
        epoch: of the random order.
    """
    numbers = range(len(batches))
    if kind == "together":
        return cycle([tuple(numbers)])
    if kind == "round-robin":
        return cycle([(number,) for number in numbers])
    order = epoch_generator(seed, epoch, purpose="turns").permutation(np.repeat(numbers, batches))
    return ((number,) for number in order.tolist())
