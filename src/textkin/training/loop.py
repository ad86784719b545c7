"""The loop: batches of the objectives whose turn it is, one step, until the epochs or the patience end.

``turns.py`` says what an epoch is.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.optim import Optimizer

from textkin.batches.samplers import epoch_generator
from textkin.config import TrainingConfig
from textkin.errors import TrainingError
from textkin.files import remove_temporaries, write_text
from textkin.models.table import Network
from textkin.progress import Progress, note, progress
from textkin.training.checkpoint import (
    EpochLog,
    best_checkpoint,
    best_epoch,
    latest_checkpoint,
    restore,
    save_checkpoint,
    tidy,
)
from textkin.training.device import Device
from textkin.training.objective import Drawn, Objective
from textkin.training.optimisers import build_optimiser, build_schedule
from textkin.training.table_gradients import TableGradients
from textkin.training.turns import Turn, steps_of_epoch, turns_of_epoch

CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"
_CYCLE = 1_000_000
_NAMED_ROWS = 8


@final
@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What training gave; the module holds the weights of the best epoch.

    Attributes:
        history: of every epoch.
        best: the epoch whose weights were kept.
        seconds: over all epochs, those before an interruption included.
    """

    history: tuple[EpochLog, ...]
    best: int
    seconds: float


@final
@dataclass(frozen=True, slots=True)
class Dev:
    """What decides which epoch is best.

    Attributes:
        measure: its name.
        evaluate: the score of a module on dev; higher is better.
    """

    measure: str
    evaluate: Callable[[Network], float]


def train(
    module: Network,
    objectives: Sequence[Objective[Any]],
    *,
    settings: TrainingConfig,
    dev: Dev,
    folder: Path,
    seed: int,
    device: Device,
    title: str = "training",
) -> TrainingResult:
    """Train a module in place and leave it with the weights of its best epoch.

    A folder with checkpoints of the same run is gone on from: the outcome is that of a run without
    interruption, bit for bit on one CPU.

    Args:
        module: the network.
        objectives: what is minimised; the first one's batches make an epoch, see ``turns.py``.
        settings: epochs or the least steps, optimiser, schedule, clipping, patience.
        dev: scores the module after every epoch.
        folder: for checkpoints and ``metrics.jsonl``.
        seed: of dropout; objectives and initial weights have their own.
        device: where and at which precision.
        title: beside the progress bar.

    Raises:
        TrainingError: a loss, a weight or a dev score is not finite, or an objective has no batch.
        ModelError: a checkpoint is broken.
        OutputError: the folder can't be written to.
    """
    optimiser = build_optimiser(module.parameters(), settings)
    root = folder / CHECKPOINTS
    history: tuple[EpochLog, ...] = ()
    if (start := latest_checkpoint(root)) is not None:
        restore(start, module=module, optimiser=optimiser)
        history = start.history
    network, optimiser = device.prepare(module, optimiser)
    # From here on every process has read what it goes on from.
    if device.is_main:
        tidy(root, history)
        remove_temporaries(folder)
        _write_metrics(folder, history, measure=dev.measure)
    batches = [max(1, objective.steps // device.processes) for objective in objectives]
    steps = steps_of_epoch(settings.turns, batches)
    settings = settings.lasting(steps)
    if device.is_main and (slowness := device.slowness()) is not None:
        note(f"{title}: {slowness}")
    runner = _Runner(module, network, optimiser, objectives, settings, device, steps_per_epoch=steps)
    with progress(title, total=steps * settings.epochs, quiet=not device.is_main) as shown:
        shown.advance(history[-1].steps if history else 0)
        while len(history) < settings.epochs and not _out_of_patience(history, settings.patience):
            torch.manual_seed(_seed(seed, len(history)))
            turns = turns_of_epoch(settings.turns, batches, seed=seed, epoch=len(history))
            log = runner.epoch(history, turns, dev=dev, shown=shown)
            history = (*history, log)
            shown.note(f"epoch {log.epoch}: {dev.measure} {log.dev:.4f}")
            if device.is_main:
                save_checkpoint(
                    root, module=module, optimiser=optimiser, history=history, measure=dev.measure
                )
                _write_metrics(folder, history, measure=dev.measure)
            device.wait()
    runner.gradients.release()
    device.release(network)
    best = best_checkpoint(root)
    if best is None:
        raise TrainingError(f"there is no checkpoint in {root}", fix="train with one epoch or more")
    restore(best, module=module)
    return TrainingResult(history, best.epoch, sum(log.seconds for log in history))


@final
class _Runner:
    """Runs epochs.

    Args:
        module: the network itself, for mining and dev scores.
        network: the same as it was prepared for training.
        optimiser: of its parameters.
        objectives: what is minimised.
        settings: learning rate, schedule, clipping.
        device: where it runs.
        steps_per_epoch: of each process.
    """

    def __init__(
        self,
        module: Network,
        network: nn.Module,
        optimiser: Optimizer,
        objectives: Sequence[Objective[Any]],
        settings: TrainingConfig,
        device: Device,
        *,
        steps_per_epoch: int,
    ) -> None:
        self.module, self.network, self.optimiser, self.objectives = module, network, optimiser, objectives
        self.settings, self.device = settings, device
        self.gradients = TableGradients(module, device)
        self.schedule = build_schedule(settings, steps_per_epoch=steps_per_epoch)

    def epoch(
        self, history: Sequence[EpochLog], turns: Iterator[Turn], *, dev: Dev, shown: Progress
    ) -> EpochLog:
        """Run the epoch after those of ``history``, until the first objective has no more batches."""
        started, epoch = time.perf_counter(), len(history)
        done = history[-1].steps if history else 0
        names = [f"{index}-{objective.name}" for index, objective in enumerate(self.objectives)]
        totals, counts = np.zeros((2, len(names)))
        first, *others = self.objectives
        draws = [self._batches(first, epoch), *(self._cycle(objective, epoch) for objective in others)]
        self.network.train()
        taken = 0
        for turn in turns:
            drawn = {number: batch for number in turn if (batch := next(draws[number], None)) is not None}
            if len(drawn) < len(turn):
                break
            for number, value in self._step(drawn, done + taken, epoch).items():
                totals[number] += value
                counts[number] += 1
            taken += 1
            shown.advance()
        score = self._dev_score(dev, epoch)
        losses = self.device.mean((totals / np.maximum(counts, 1)).tolist())
        return EpochLog(
            epoch=epoch + 1,
            steps=done + taken,
            losses=dict(zip(names, losses, strict=True)),
            dev=score,
            seconds=time.perf_counter() - started,
        )

    def _step(self, draws: Mapping[int, Drawn[Any]], step: int, epoch: int) -> dict[int, float]:
        """One step on a batch of each of some objectives; their losses."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.schedule(step)
        self.gradients.clear(self.optimiser)
        values = {}
        for number, drawn in draws.items():
            objective = self.objectives[number]
            loss = objective.loss(self.network, drawn.batch.to(self.device.device))
            value = float(loss.detach())
            if not math.isfinite(value):
                raise TrainingError(
                    f"the loss {objective.name!r} is {value} in epoch {epoch + 1}, step {step + 1}, "
                    f"on the training pairs {_numbers(drawn.rows)}",
                    fix="lower the learning rate, set clip_norm, or look at these pairs",
                )
            self.device.backward(loss * objective.weight)
            values[number] = value
        if self.settings.clip_norm is not None:
            self.device.clip(self.network, self.settings.clip_norm)
        self.optimiser.step()
        return values

    def _dev_score(self, dev: Dev, epoch: int) -> float:
        if not all(bool(parameter.isfinite().all()) for parameter in self.module.parameters()):
            raise TrainingError(
                f"a weight is not a finite number after epoch {epoch + 1}",
                fix="lower the learning rate, or set clip_norm",
            )
        (score,) = self.device.mean([float(dev.evaluate(self.module))])
        if not math.isfinite(score):
            raise TrainingError(
                f"the dev score {dev.measure} is {score} after epoch {epoch + 1}",
                fix="give dev pairs of both kinds",
            )
        return score

    def _batches(self, objective: Objective[Any], epoch: int) -> Iterator[Drawn[Any]]:
        """This process's batches of one pass, one at least."""
        empty = True
        for drawn in self.device.share(objective.batches(epoch, self.module)):
            empty = False
            yield drawn
        if empty:
            raise TrainingError(
                f"the loss {objective.name!r} has no batch in epoch {epoch % _CYCLE + 1}: no negative is "
                f"semi-hard for any pair, or there are fewer batches than processes, {self.device.processes}",
                fix="widen min_margin and max_margin, lower batch_size, or train with another kind of rows",
            )

    def _cycle(self, objective: Objective[Any], epoch: int) -> Iterator[Drawn[Any]]:
        # Every pass within an epoch has a number of its own, so that it has an order of its own.
        for turn in count():
            yield from self._batches(objective, epoch + turn * _CYCLE)


def _out_of_patience(history: tuple[EpochLog, ...], patience: int | None) -> bool:
    return bool(history) and patience is not None and len(history) - best_epoch(history) >= patience


def _seed(seed: int, epoch: int) -> int:
    return int(epoch_generator(seed, epoch, purpose="dropout").integers(1 << 62))


def _numbers(rows: NDArray[np.int64]) -> str:
    """The first few rows of a batch in words."""
    more = len(rows) - _NAMED_ROWS
    return ", ".join(map(str, rows[:_NAMED_ROWS])) + (f" and {more} more" if more > 0 else "") + " (from 0)"


def _write_metrics(folder: Path, history: tuple[EpochLog, ...], *, measure: str) -> None:
    lines = [json.dumps({**asdict(log), "measure": measure}, sort_keys=True) + "\n" for log in history]
    write_text(folder / METRICS, "".join(lines))
