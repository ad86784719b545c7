"""The training loop: steps, evaluations on dev, until the epochs or the patience end.

``epoch_steps.py`` defines an epoch. The steps between two evaluations are a leg: the whole epoch, unless the
recipe has ``evaluate_every``.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError
from textkin.base.files import remove_temporaries, write_text
from textkin.base.progress import Progress, note, progress, remark
from textkin.networks.architectures.table import Network
from textkin.networks.batches.samplers import epoch_generator
from textkin.networks.recipes.recipe import MINED, TrainingConfig
from textkin.training.checkpoint import (
    Evaluation,
    Leg,
    Pause,
    best_checkpoint,
    best_of,
    latest_checkpoint,
    pause_after,
    restore,
    restore_average,
    save_checkpoint,
    save_pause,
    tidy,
)
from textkin.training.device import Device
from textkin.training.embedding_gradients import TableGradients
from textkin.training.epoch_steps import Ahead, Draws, Steps
from textkin.training.fast_layers import fast_layers
from textkin.training.objective import Objective
from textkin.training.optimisers import build_optimiser, build_schedule
from textkin.training.weight_average import WeightAverage

CHECKPOINTS = "checkpoints"
PAUSE_AFTER = 600.0
"""The seconds from one pause or evaluation to the next pause."""
METRICS = "metrics.jsonl"
_NAMED_ROWS = 8


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The result of training; the module has the weights of the best evaluation.

    Attributes:
        history: all evaluations.
        best: the evaluation whose weights are kept, counted from 1.
        seconds: over all epochs, including those before an interruption.
        stopped: True if ``RunOptions.stops`` ended it.
    """

    history: tuple[Evaluation, ...]
    best: int
    seconds: float
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Dev:
    """The selection of the best evaluation.

    Attributes:
        measure: the name of the measure.
        evaluate: the score of a module on dev, higher is better; or several metrics by name, including
            ``measure``.
    """

    measure: str
    evaluate: Callable[[Network], float | Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options without effect on the weights.

    Attributes:
        title: the title of the progress bar.
        keep: called after each evaluation, before its checkpoint, while the module has the weights that were
            evaluated; it may save them.
        stops: called after each evaluation and its checkpoint; training stops if it returns True.
    """

    title: str = "training"
    keep: Callable[[Evaluation], None] | None = None
    stops: Callable[[Evaluation], bool] | None = None


def train(
    module: Network,
    objectives: Sequence[Objective[Any]],
    *,
    settings: TrainingConfig,
    dev: Dev,
    folder: Path,
    seed: int,
    device: Device,
    options: RunOptions | None = None,
) -> TrainingResult:
    """Train a module in place, and keep the weights of its best evaluation.

    A folder with checkpoints of the same run is resumed: the result is that of an uninterrupted run, bitwise
    on one CPU. Every ten minutes a pause is written, from which a run goes on between two evaluations, except
    of several processes and of rows that the model chooses.

    Args:
        module: the network.
        objectives: the objectives to minimise; the first one's batches determine an epoch, see
            ``objective_schedule.py``.
        settings: epochs, their length, optimiser, schedule, clipping, patience.
        dev: scores the module after every epoch, and within it if set.
        folder: the folder for checkpoints and ``metrics.jsonl``.
        seed: the seed of dropout; objectives and initial weights have their own.
        device: device and precision.
        options: see :class:`RunOptions`.

    Raises:
        TrainingError: a loss, a weight or a dev score isn't finite, or an objective has no batch.
        ModelError: a checkpoint is broken.
        OutputError: the folder isn't writable.
    """
    optimiser, options = build_optimiser(module.parameters(), settings), options or RunOptions()
    root = folder / CHECKPOINTS
    start = latest_checkpoint(root)
    history = () if start is None else start.history
    pause = pause_after(root, history) if device.processes == 1 else None
    start = start if pause is None else pause.checkpoint
    if start is not None:
        restore(start, module=module, optimiser=optimiser)
    device.require_same({"checkpoints": history})
    network, optimiser = device.prepare(module, optimiser)
    average = None if settings.average is None else WeightAverage(module, decay=settings.average)
    if start is not None and average is not None:
        restore_average(start, module=module, average=average)
    # From here on every process has read its starting point.
    if device.is_main:
        tidy(root, history, pause=pause)
        remove_temporaries(folder)
        _write_metrics(folder, history, measure=dev.measure)
    steps = Steps(objectives, settings, seed=seed)
    settings = settings.lasting(steps.per_epoch)
    if device.is_main:
        _note_troubles(device, options.title)
    runner = _Runner(module, network, optimiser, settings, device, steps=steps, seed=seed, average=average)
    can_pause = device.processes == 1 and not any(one.config.rows in MINED for one in objectives)
    pauses = _Pauses(root, module, optimiser, average, can_pause=can_pause)
    stopped = False
    total = steps.per_epoch * settings.epochs
    with fast_layers(module), progress(options.title, total=total, quiet=not device.is_main) as shown:
        shown.advance(_steps_of(history) + (0 if pause is None else pause.leg.steps))
        further = runner.evaluations(history, dev=dev, shown=shown, pauses=pauses, pause=pause)
        while not (stopped or _out_of_patience(history, settings.patience)):
            if (evaluation := next(further, None)) is None:
                break
            history = (*history, evaluation)
            shown.note(f"{evaluation.where}: {dev.measure} {evaluation.dev:.4f}")
            if device.is_main:
                if options.keep is not None:
                    with _averaged(average):
                        options.keep(evaluation)
                save_checkpoint(
                    root,
                    module=module,
                    optimiser=optimiser,
                    history=history,
                    measure=dev.measure,
                    average=average,
                )
                _write_metrics(folder, history, measure=dev.measure)
            device.wait()
            stopped = _stops(options, evaluation, device)
    runner.gradients.release()
    device.release(network)
    best = best_checkpoint(root)
    if best is None:
        raise TrainingError(f"there is no checkpoint in {root}", fix="train with one epoch or more")
    restore(best, module=module, averaged=average is not None)
    return TrainingResult(history, best_of(history) + 1, sum(one.seconds for one in history), stopped)


class _Pauses:
    """Writes the state every ten minutes between evaluations.

    Args:
        root: the folder of checkpoints.
        module: the network.
        optimiser: its optimiser.
        average: the average of the weights, if there is one.
        can_pause: False among several processes, each of which has random numbers of its own, and where the
            model chooses rows, which it would choose otherwise after a pause.
    """

    def __init__(
        self,
        root: Path,
        module: Network,
        optimiser: Optimizer,
        average: WeightAverage | None,
        *,
        can_pause: bool,
    ) -> None:
        self._root, self._module, self._optimiser, self._average = root, module, optimiser, average
        self._can_pause = can_pause
        self.start_anew()

    def start_anew(self) -> None:
        """Wait ten minutes from now."""
        self._since = time.monotonic()

    def write(self, history: tuple[Evaluation, ...], leg: Leg) -> None:
        """Write a pause, if it is time."""
        if not self._can_pause or time.monotonic() - self._since < PAUSE_AFTER:
            return
        save_pause(
            self._root,
            leg,
            module=self._module,
            optimiser=self._optimiser,
            history=history,
            average=self._average,
        )
        self.start_anew()


class _Runner:
    """Runs legs.

    Args:
        module: the network itself, for mining and dev scores.
        network: the network prepared for training.
        optimiser: the optimiser of its parameters.
        settings: learning rate, schedule, clipping, evaluation interval.
        device: the device.
        steps: the steps with their objectives.
        seed: the seed of dropout.
        average: the average of the weights, which is scored on dev instead of them.
    """

    def __init__(
        self,
        module: Network,
        network: nn.Module,
        optimiser: Optimizer,
        settings: TrainingConfig,
        device: Device,
        *,
        steps: Steps,
        seed: int,
        average: WeightAverage | None,
    ) -> None:
        self.module, self.network, self.optimiser = module, network, optimiser
        self.settings, self.device, self.steps, self.seed = settings, device, steps, seed
        self.average = average
        self.gradients = TableGradients(module, device)
        self.schedule = build_schedule(settings, steps_per_epoch=steps.per_epoch)

    def evaluations(
        self,
        history: tuple[Evaluation, ...],
        *,
        dev: Dev,
        shown: Progress,
        pauses: _Pauses,
        pause: Pause | None,
    ) -> Iterator[Evaluation]:
        """Run all legs, to the end of the last epoch, yielding evaluations; the first from a pause on."""
        while (epoch := sum(one.ends_epoch for one in history)) < self.settings.epochs:
            taken = _steps_of(history) - max((one.steps for one in history if one.ends_epoch), default=0)
            done = 0 if pause is None else pause.leg.steps
            ahead = Ahead(islice(self.steps.of_epoch(epoch, self.module), taken + done, None))
            while pause is not None or not ahead.is_over:
                evaluation = self._leg(
                    history, epoch + 1, ahead, dev=dev, shown=shown, pauses=pauses, pause=pause
                )
                history, pause = (*history, evaluation), None
                yield evaluation

    def _leg(
        self,
        history: tuple[Evaluation, ...],
        epoch: int,
        ahead: Ahead,
        *,
        dev: Dev,
        shown: Progress,
        pauses: _Pauses,
        pause: Pause | None,
    ) -> Evaluation:
        """Take steps until the next evaluation; dropout starts with a new seed, or where it paused."""
        leg = Leg() if pause is None else pause.leg
        started, first = time.perf_counter() - leg.seconds, _steps_of(history)
        step, every = first + leg.steps, self.settings.evaluate_every
        values = {number: list(losses) for number, losses in leg.losses.items()}
        if pause is None:
            torch.manual_seed(_seed(self.seed, len(history), process=self.device.index))
        else:
            pause.set_random_state()
        self.network.train()
        for draws in ahead.take(None if every is None else every - leg.steps):
            for number, value in self._step(draws, step, epoch).items():
                values.setdefault(number, []).append(value)
            step += 1
            shown.advance()
            pauses.write(history, Leg(step - first, values, time.perf_counter() - started))
        losses = self.device.first([float(np.mean(values[number])) for number in sorted(values)])
        names = [f"{number}-{self.steps.objectives[number].name}" for number in sorted(values)]
        unscored = Evaluation(
            epoch, step, dict(zip(names, losses, strict=True)), math.nan, 0.0, ends_epoch=ahead.is_over
        )
        figures = self._dev_figures(dev, unscored.where)
        pauses.start_anew()
        seconds = time.perf_counter() - started
        return replace(unscored, dev=figures[dev.measure], figures=figures, seconds=seconds)

    def _step(self, draws: Draws, step: int, epoch: int) -> dict[int, float]:
        """Take one step on a batch of each of some objectives; return their losses."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.schedule(step)
        self.gradients.clear(self.optimiser)
        values = {}
        for number, drawn in draws.items():
            objective = self.steps.objectives[number]
            loss = objective.loss(self.network, drawn.batch.to(self.device.device))
            value = float(loss.detach())
            if not math.isfinite(value):
                raise TrainingError(
                    f"the loss {objective.name!r} is {value} in epoch {epoch}, step {step + 1}, "
                    f"on the training pairs {_numbers(drawn.rows)}",
                    fix="lower the learning rate, set clip_norm, or look at these pairs",
                )
            self.device.backward(loss * objective.weight)
            values[number] = value
        self.device.sum_gradients(self.module, (drawn.rows for drawn in draws.values()))
        if self.settings.clip_norm is not None:
            self.device.clip(self.network, self.settings.clip_norm)
        self.optimiser.step()
        if self.average is not None:
            self.average.update()
        return values

    def _dev_figures(self, dev: Dev, where: str) -> dict[str, float]:
        if not all(bool(parameter.isfinite().all()) for parameter in self.module.parameters()):
            raise TrainingError(
                f"a weight is not a finite number after {where}",
                fix="lower the learning rate, or set clip_norm",
            )
        with _averaged(self.average):
            found = dev.evaluate(self.module)
        named = found if isinstance(found, Mapping) else {dev.measure: float(found)}
        figures = dict(zip(named, self.device.first(list(named.values())), strict=True))
        for name, figure in figures.items():
            if not math.isfinite(figure):
                raise TrainingError(
                    f"the dev score {name} is {figure} after {where}", fix="give dev pairs of both kinds"
                )
        return figures


def _averaged(average: WeightAverage | None) -> AbstractContextManager[None]:
    """The module with the average of its weights, if there is one."""
    return nullcontext() if average is None else average.in_place()


def _stops(options: RunOptions, evaluation: Evaluation, device: Device) -> bool:
    """The decision of the first process, in all of them."""
    if options.stops is None:
        return False
    return bool(device.first([float(device.is_main and options.stops(evaluation))])[0])


def _note_troubles(device: Device, title: str) -> None:
    if (words := device.lone_by_mistake()) is not None:
        note(words)
    if (slowness := device.slowness()) is not None:
        remark(f"{title}: {slowness}")


def _steps_of(history: tuple[Evaluation, ...]) -> int:
    """The number of completed steps."""
    return history[-1].steps if history else 0


def _out_of_patience(history: tuple[Evaluation, ...], patience: int | None) -> bool:
    return bool(history) and patience is not None and len(history) - 1 - best_of(history) >= patience


def _seed(seed: int, leg: int, *, process: int) -> int:
    purpose = f"dropout of process {process}" if process else "dropout"
    return int(epoch_generator(seed, leg, purpose=purpose).integers(1 << 62))


def _numbers(rows: Ints) -> str:
    """The first few rows of a batch in words."""
    more = len(rows) - _NAMED_ROWS
    return ", ".join(map(str, rows[:_NAMED_ROWS])) + (f" and {more} more" if more > 0 else "") + " (from 0)"


def _write_metrics(folder: Path, history: tuple[Evaluation, ...], *, measure: str) -> None:
    lines = [json.dumps({**asdict(log), "measure": measure}, sort_keys=True) + "\n" for log in history]
    write_text(folder / METRICS, "".join(lines))
