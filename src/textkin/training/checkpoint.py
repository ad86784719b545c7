"""Checkpoints of a run: a folder per evaluation, tensors in safetensors, the rest in JSON.

Only the latest and the best are kept, and a pause: the state some steps after the latest, so that little is
lost where evaluations are hours apart. A folder is either complete or missing: it is written under another
name and renamed. A checkpoint has no random state, since all random numbers between two evaluations follow
from the seed and the earlier evaluations; a pause has one.
"""

import json
import math
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.base.errors import ModelError, said
from textkin.base.files import atomic_folder, remove_temporaries, write_json
from textkin.base.json_records import restored
from textkin.models.weights import load_tensors, load_weights, save_tensors
from textkin.training.weight_average import WeightAverage

_WEIGHTS, _AVERAGE, _OPTIMISER, _RANDOM, _STATE = (
    "model.safetensors",
    "average.safetensors",
    "optimiser.safetensors",
    "random.safetensors",
    "state.json",
)
_PAUSE = "paused"
_AGAIN = "remove it, or train into another folder"


_NAME = re.compile(r"epoch-(\d+)(?:-step-(\d+))?-")
_Place = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation on dev at the end of an epoch or within it, and the losses since the previous one.

    Attributes:
        epoch: the epoch it is in, counted from 1.
        steps: optimiser steps since the start.
        losses: mean loss of each objective that had a step.
        dev: the dev score.
        seconds: the duration, including evaluation.
        ends_epoch: True at the end of the epoch.
        figures: all dev metrics by name, including the dev score.
    """

    epoch: int
    steps: int
    losses: Mapping[str, float]
    dev: float
    seconds: float
    ends_epoch: bool = True
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Its position in the run, in words."""
        return f"epoch {self.epoch}" + ("" if self.ends_epoch else f", step {self.steps:,}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint on disk.

    Attributes:
        folder: its folder.
        history: all evaluations so far.
    """

    folder: Path
    history: tuple[Evaluation, ...]


@dataclass(frozen=True, slots=True)
class Leg:
    """The steps since the latest evaluation.

    Attributes:
        steps: their number.
        losses: the losses of each objective, by its number.
        seconds: their duration.
    """

    steps: int = 0
    losses: Mapping[int, list[float]] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Pause:
    """The state between two evaluations, on disk.

    Attributes:
        checkpoint: its folder, and all evaluations so far.
        leg: the steps since the latest.
        random: the state of torch's random numbers, by device.
    """

    checkpoint: Checkpoint
    leg: Leg
    random: Mapping[str, Tensor]

    def set_random_state(self) -> None:
        """Go on with torch's random numbers from here.

        Raises:
            ModelError: the state is broken.
        """
        try:
            torch.set_rng_state(self.random["cpu"])
            if "cuda" in self.random and torch.cuda.is_available():
                torch.cuda.set_rng_state(self.random["cuda"])
        except (KeyError, RuntimeError, TypeError) as error:
            path = self.checkpoint.folder / _RANDOM
            raise ModelError(f"holds no random state: {said(error)}", path=path, fix=_AGAIN) from error


def save_checkpoint(
    root: Path,
    *,
    module: nn.Module,
    optimiser: Optimizer,
    history: tuple[Evaluation, ...],
    measure: str,
    average: WeightAverage | None = None,
) -> Checkpoint:
    """Write the checkpoint of the last evaluation, with the weight average if there is one."""
    folder = root / _name(history[-1], measure)
    with atomic_folder(folder) as temporary:
        plain = _save_tensors(temporary, module, optimiser, average)
        write_json(temporary / _STATE, {"history": [asdict(one) for one in history], "optimiser": plain})
    tidy(root, history)
    return Checkpoint(folder, history)


def save_pause(
    root: Path,
    leg: Leg,
    *,
    module: nn.Module,
    optimiser: Optimizer,
    history: tuple[Evaluation, ...],
    average: WeightAverage | None = None,
) -> None:
    """Write the state some steps after the latest evaluation, in place of an earlier pause."""
    with atomic_folder(root / _PAUSE) as temporary:
        plain = _save_tensors(temporary, module, optimiser, average)
        save_tensors(temporary / _RANDOM, random_state())
        state = {"history": [asdict(one) for one in history], "optimiser": plain, "leg": asdict(leg)}
        write_json(temporary / _STATE, state)


def random_state() -> dict[str, Tensor]:
    """The state of torch's random numbers, by device."""
    found = {"cpu": torch.get_rng_state()}
    return {**found, "cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else found


def _save_tensors(
    folder: Path, module: nn.Module, optimiser: Optimizer, average: WeightAverage | None
) -> dict[str, Any]:
    """Write weights, their average and the optimiser's tensors; return the rest of its state."""
    tensors, plain = _flatten(optimiser)
    save_tensors(folder / _WEIGHTS, module.state_dict())
    if average is not None:
        with average.in_place():
            save_tensors(folder / _AVERAGE, module.state_dict())
    save_tensors(folder / _OPTIMISER, tensors)
    return plain


def tidy(root: Path, history: tuple[Evaluation, ...], *, pause: Pause | None = None) -> None:
    """Remove superseded checkpoints and pauses, and incomplete ones of killed processes."""
    staying = {_place(history[-1]), _place(history[best_of(history)])} if history else set()
    for place, folder in _folders(root).items():
        if place not in staying:
            shutil.rmtree(folder)
    if pause is None:
        shutil.rmtree(root / _PAUSE, ignore_errors=True)
    remove_temporaries(root)


def best_of(history: tuple[Evaluation, ...]) -> int:
    """The index of the evaluation with the highest dev score; ties go to the earliest."""
    return max(range(len(history)), key=lambda at: (history[at].dev, -at))


def latest_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint to resume from, if there is one.

    Raises:
        ModelError: it is broken.
    """
    folders = _folders(root)
    return _read(folders[max(folders)]) if folders else None


def pause_after(root: Path, history: tuple[Evaluation, ...]) -> Pause | None:
    """The pause since the latest evaluation, if there is one.

    Raises:
        ModelError: it is broken.
    """
    folder = root / _PAUSE
    if not folder.is_dir():
        return None
    state = _state(folder)
    try:
        found = restored(tuple[Evaluation, ...], state.get("history"))
        leg = restored(Leg, state.get("leg"))
    except (ValueError, AttributeError) as error:
        raise ModelError(f"is broken: {said(error)}", path=folder / _STATE, fix=_AGAIN) from error
    if found != history:
        return None
    return Pause(Checkpoint(folder, found), leg, load_tensors(folder / _RANDOM))


def best_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint with the highest dev score, if there is one.

    Raises:
        ModelError: it is broken or was removed.
    """
    latest = latest_checkpoint(root)
    if latest is None:
        return None
    best = latest.history[best_of(latest.history)]
    folder = _folders(root).get(_place(best))
    if folder is None:
        raise ModelError(f"the checkpoint of {best.where}, the best one, is not in {root}", fix=_AGAIN)
    return _read(folder)


def restore(
    checkpoint: Checkpoint, *, module: nn.Module, optimiser: Optimizer | None = None, averaged: bool = False
) -> None:
    """Restore a checkpoint's weights or their average, and its optimiser's state.

    Raises:
        ModelError: a file is missing or broken, or belongs to another model or optimiser.
    """
    load_weights(module, checkpoint.folder / (_AVERAGE if averaged else _WEIGHTS))
    if optimiser is None:
        return
    tensors = load_tensors(checkpoint.folder / _OPTIMISER)
    try:
        _unflatten(optimiser, tensors, _state(checkpoint.folder)["optimiser"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"is from another optimiser: {said(error)}", path=checkpoint.folder, fix=_AGAIN
        ) from error


def restore_average(checkpoint: Checkpoint, *, module: nn.Module, average: WeightAverage) -> None:
    """Restore the average of a checkpoint's weights.

    Raises:
        ModelError: its file is missing or broken, or belongs to another model.
    """
    with average.in_place():
        restore(checkpoint, module=module, averaged=True)


def _read(folder: Path) -> Checkpoint:
    try:
        history = restored(tuple[Evaluation, ...], _state(folder).get("history"))
    except (ValueError, AttributeError) as error:
        raise ModelError(f"is broken: {said(error)}", path=folder / _STATE, fix=_AGAIN) from error
    if not history:
        raise ModelError("is broken: it has no evaluation", path=folder / _STATE, fix=_AGAIN)
    return Checkpoint(folder, history)


def _state(folder: Path) -> dict[str, Any]:
    path = folder / _STATE
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"can't be read: {error}", path=path, fix=_AGAIN) from error
    return state


def _name(evaluation: Evaluation, measure: str) -> str:
    """The name of a checkpoint's folder; at the end of an epoch, without a step."""
    word = "acc" if measure == "accuracy" else re.sub("[^a-z0-9@.]+", "-", measure.lower())
    step = "" if evaluation.ends_epoch else f"-step-{evaluation.steps:06d}"
    loss = sum(evaluation.losses.values())
    return f"epoch-{evaluation.epoch:03d}{step}-loss-{loss:.4f}-{word}-{evaluation.dev:.4f}"


def _place(evaluation: Evaluation) -> _Place:
    """The epoch and the step of an evaluation, the order of a run."""
    return evaluation.epoch, math.inf if evaluation.ends_epoch else evaluation.steps


def _folders(root: Path) -> dict[_Place, Path]:
    """The folder of each evaluation that has one, by name."""
    found = ((_NAME.match(folder.name), folder) for folder in root.glob("epoch-*") if folder.is_dir())
    return {
        (int(match[1]), int(match[2]) if match[2] else math.inf): folder for match, folder in found if match
    }


def _flatten(optimiser: Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimiser's state as named tensors, and the rest."""
    state = optimiser.state_dict()
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    for parameter, values in state["state"].items():
        for name, value in values.items():
            key = f"{parameter}.{name}"
            if isinstance(value, Tensor):
                tensors[key] = value
            else:
                plain[key] = value
    return tensors, plain


def _unflatten(optimiser: Optimizer, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]) -> None:
    # The groups' settings come from the recipe, and the learning rate from the schedule: only the
    # per-parameter state of the optimiser is restored.
    state: dict[int, dict[str, Any]] = {}
    for key, value in (*tensors.items(), *plain.items()):
        parameter, name = key.split(".", 1)
        state.setdefault(int(parameter), {})[name] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
