"""The distribution of steps among objectives.

An epoch is one pass over the batches of the first objective, however the objectives take turns. The others
restart when their batches run out.

- together: every step takes a batch of each objective and sums their losses, so an epoch has as many steps as
  the first objective has batches;
- round-robin: every step takes a batch of one objective, each in turn: the first one's number of steps times
  the number of objectives;
- proportional: every step takes a batch of one objective, each as often as it has batches, in random order:
  an epoch is one pass over all of them.

Sentence-transformers has the same names for the last two; its first multi-task training was the first.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np

from textkin.networks.batches.samplers import epoch_generator
from textkin.networks.recipes.recipe import Turns

Turn = tuple[int, ...]
"""The numbers of the objectives in a step."""


def steps_of_epoch(kind: Turns, batches: Sequence[int]) -> int:
    """The number of steps per epoch, given the batches of each objective."""
    return {
        "together": batches[0],
        "round-robin": batches[0] * len(batches),
        "proportional": sum(batches),
    }[kind]


def turns_of_epoch(kind: Turns, batches: Sequence[int], *, seed: int, epoch: int) -> Iterator[Turn]:
    """The objectives of each step in an epoch, until the first objective has no more batches.

    Args:
        kind: the way that objectives take turns.
        batches: the number of each objective's batches per epoch, as far as known.
        seed: the seed of the random order.
        epoch: the epoch of the random order.
    """
    numbers = range(len(batches))
    if kind == "together":
        return cycle([tuple(numbers)])
    if kind == "round-robin":
        return cycle([(number,) for number in numbers])
    order = epoch_generator(seed, epoch, purpose="turns").permutation(np.repeat(numbers, batches))
    return ((number,) for number in order.tolist())
