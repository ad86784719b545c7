"""The loop: one batch of every objective in turn, one step, until the epochs or the patience end.

An epoch is one pass over the first objective's batches; the others start again when they run out.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

import torch
from torch import nn
from torch.optim import Optimizer

from textkin.config import TrainingConfig
from textkin.errors import TrainingError
from textkin.files import write_text
from textkin.progress import Progress, progress
from textkin.training.checkpoint import (
    EpochLog,
    best_checkpoint,
    best_epoch,
    latest_checkpoint,
    restore,
    save_checkpoint,
)
from textkin.training.device import Device
from textkin.training.objective import Objective
from textkin.training.optimisers import build_optimiser, build_schedule

CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"
_CYCLE = 1_000_000


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
    evaluate: Callable[[nn.Module], float]


def train(
    module: nn.Module,
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
        module: a tower: takes a ``TextBatch``, gives unit vectors.
        objectives: each gives one batch a step; the first one's batches make an epoch.
        settings: epochs, optimiser, schedule, clipping, patience.
        dev: scores the module after every epoch.
        folder: for checkpoints and ``metrics.jsonl``.
        seed: of dropout; objectives and initial weights have their own.
        device: where and at which precision.
        title: beside the progress bar.

    Raises:
        TrainingError: a loss is not finite.
        OutputError: the folder can't be written to.
    """
    optimiser = build_optimiser(module.parameters(), settings)
    root = folder / CHECKPOINTS
    history: tuple[EpochLog, ...] = ()
    if (start := latest_checkpoint(root)) is not None:
        restore(start, module=module, optimiser=optimiser)
        history = start.history
    tower, optimiser = device.prepare(module, optimiser)
    steps = objectives[0].steps
    schedule = build_schedule(settings, steps_per_epoch=steps)
    runner = _Runner(tower, optimiser, objectives, settings, schedule, device)
    with progress(title, total=steps * settings.epochs) as shown:
        shown.advance(steps * len(history))
        while len(history) < settings.epochs and not _out_of_patience(history, settings.patience):
            started, epoch = time.perf_counter(), len(history)
            torch.manual_seed(_mix(seed, epoch))
            done = history[-1].steps if history else 0
            losses, taken = runner.epoch(epoch, first_step=done, shown=shown)
            log = EpochLog(
                epoch=epoch + 1,
                steps=done + taken,
                losses=losses,
                dev=float(dev.evaluate(module)),
                seconds=time.perf_counter() - started,
            )
            history = (*history, log)
            shown.note(f"epoch {log.epoch}: {dev.measure} {log.dev:.4f}")
            if device.is_main:
                save_checkpoint(
                    root, module=module, optimiser=optimiser, history=history, measure=dev.measure
                )
                _write_metrics(folder, history, measure=dev.measure)
            device.wait()
    best = best_checkpoint(root)
    if best is None:
        raise TrainingError(f"there is no checkpoint in {root}", fix="train with one epoch or more")
    restore(best, module=module)
    return TrainingResult(history, best_epoch(history), sum(log.seconds for log in history))


@final
class _Runner:
    def __init__(
        self,
        tower: nn.Module,
        optimiser: Optimizer,
        objectives: Sequence[Objective[Any]],
        settings: TrainingConfig,
        schedule: Callable[[int], float],
        device: Device,
    ) -> None:
        self.tower, self.optimiser, self.objectives = tower, optimiser, objectives
        self.settings, self.schedule, self.device = settings, schedule, device

    def epoch(self, epoch: int, *, first_step: int, shown: Progress) -> tuple[dict[str, float], int]:
        """Run one epoch; the mean loss of each objective and the number of steps."""
        names = [f"{index}-{objective.name}" for index, objective in enumerate(self.objectives)]
        totals = dict.fromkeys(names, 0.0)
        others = [self._cycle(objective, epoch) for objective in self.objectives[1:]]
        self.tower.train()
        taken = 0
        for first in self.device.share(self.objectives[0].batches(epoch, self.tower)):
            batches = [first, *(next(other) for other in others)]
            for name, value in zip(names, self._step(batches, first_step + taken, epoch), strict=True):
                totals[name] += value
            taken += 1
            shown.advance()
        if not taken:
            raise TrainingError(
                "an epoch had no batch: no negative was semi-hard for any pair",
                fix="widen min_margin and max_margin, or train with another kind of rows",
            )
        return {name: total / taken for name, total in totals.items()}, taken

    def _step(self, batches: Sequence[Any], step: int, epoch: int) -> list[float]:
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.schedule(step)
        self.optimiser.zero_grad(set_to_none=True)
        values = []
        for objective, batch in zip(self.objectives, batches, strict=True):
            with self.device.autocast():
                loss = objective.loss(self.tower, batch.to(self.device.device))
            value = float(loss.detach())
            if not math.isfinite(value):
                raise TrainingError(
                    f"the loss {objective.name!r} is {value} in epoch {epoch + 1}, step {step + 1} "
                    f"({len(batch)} rows)",
                    fix="lower the learning rate, set clip_norm, or look at the rows of that batch",
                )
            self.device.backward(loss * objective.weight)
            values.append(value)
        if self.settings.clip_norm is not None:
            self.device.clip(self.tower, self.settings.clip_norm)
        self.optimiser.step()
        return values

    def _cycle(self, objective: Objective[Any], epoch: int) -> Iterator[Any]:
        turn = 0
        while True:
            # Every pass within an epoch has a number of its own, so that it has an order of its own.
            yield from self.device.share(objective.batches(epoch + turn * _CYCLE, self.tower))
            turn += 1


def _out_of_patience(history: tuple[EpochLog, ...], patience: int | None) -> bool:
    return bool(history) and patience is not None and len(history) - best_epoch(history) >= patience


def _mix(seed: int, epoch: int) -> int:
    return (seed * 1_000_003 + epoch * 7_919 + 17) % (1 << 63)


def _write_metrics(folder: Path, history: tuple[EpochLog, ...], *, measure: str) -> None:
    lines = [json.dumps({**asdict(log), "measure": measure}, sort_keys=True) + "\n" for log in history]
    write_text(folder / METRICS, "".join(lines))
