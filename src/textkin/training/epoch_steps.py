"""The steps of an epoch, and their batches.

They follow from the seed, the epoch and the recipe alone, except for rows mined with the model. So an epoch
that was interrupted is resumed by skipping the completed steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import Any

from textkin.base.errors import TrainingError
from textkin.networks.architectures.table import Network
from textkin.networks.recipes.recipe import TrainingConfig
from textkin.training.objective import Drawn, Objective
from textkin.training.objective_schedule import Turn, steps_of_epoch, turns_of_epoch

_CYCLE = 1_000_000

Draws = Mapping[int, Drawn[Any]]
"""A step's input: a batch of each objective whose turn it is, by the objective's number."""


class Steps:
    """The steps of any epoch.

    Without ``steps_per_epoch`` an epoch ends when the first objective has no more batches. With it, an epoch
    begins with a pass over all objectives, and makes as many further passes as it needs.

    Args:
        objectives: the objectives to minimise.
        settings: turns, and the length of an epoch.
        seed: the seed of turns in random order; objectives have their own.

    Attributes:
        objectives: the objectives.
        per_epoch: the number of steps per epoch; with mined negatives, the maximum.
    """

    def __init__(self, objectives: Sequence[Objective[Any]], settings: TrainingConfig, *, seed: int) -> None:
        self.objectives, self._settings, self._seed = objectives, settings, seed
        self._batches = [max(1, objective.steps) for objective in objectives]
        self.per_epoch = settings.steps_per_epoch or steps_of_epoch(settings.turns, self._batches)

    def of_epoch(self, epoch: int, model: Network) -> Iterator[Draws]:
        """The steps of an epoch, counted from 0, each drawn on demand.

        Args:
            epoch: the epoch of turns and batches.
            model: the current model when a step is drawn, for rows mined with it.

        Raises:
            TrainingError: an objective has no batch.
        """
        length = self._settings.steps_per_epoch
        first, *others = self.objectives
        draws = [
            self._pass(first, epoch, model) if length is None else self._passes(first, epoch, model),
            *(self._passes(objective, epoch, model) for objective in others),
        ]
        for turn in islice(self._turns(epoch), length):
            drawn = {number: batch for number in turn if (batch := next(draws[number], None)) is not None}
            if len(drawn) < len(turn):
                return
            yield drawn

    def _turns(self, epoch: int) -> Iterator[Turn]:
        numbers = (epoch,) if self._settings.steps_per_epoch is None else _numbers_of_passes(epoch)
        return chain.from_iterable(
            turns_of_epoch(self._settings.turns, self._batches, seed=self._seed, epoch=number)
            for number in numbers
        )

    def _passes(self, objective: Objective[Any], epoch: int, model: Network) -> Iterator[Drawn[Any]]:
        for number in _numbers_of_passes(epoch):
            yield from self._pass(objective, number, model)

    def _pass(self, objective: Objective[Any], number: int, model: Network) -> Iterator[Drawn[Any]]:
        """The batches of one pass, at least one."""
        empty = True
        for drawn in objective.batches(number, model):
            empty = False
            yield drawn
        if empty:
            raise TrainingError(
                f"the loss {objective.name!r} has no batch in epoch {number % _CYCLE + 1}: no negative is "
                "semi-hard for any pair",
                fix="widen min_margin and max_margin, or train with another kind of rows",
            )


class Ahead:
    """The remaining steps."""

    def __init__(self, steps: Iterator[Draws]) -> None:
        self._steps = steps
        self._next: Draws | None = None

    def take(self, most: int | None) -> Iterator[Draws]:
        """Take the next steps, up to a number; None for all."""
        first = () if self._next is None else (self._next,)
        self._next = None
        return islice(chain(first, self._steps), most)

    @property
    def is_over(self) -> bool:
        """True if none remain; to find out, one is drawn and kept."""
        if self._next is None:
            self._next = next(self._steps, None)
        return self._next is None


def _numbers_of_passes(epoch: int) -> Iterator[int]:
    """Every pass within an epoch has its own number, and so its own order."""
    return (epoch + further * _CYCLE for further in count())
