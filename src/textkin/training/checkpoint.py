"""Checkpoints of a training run: one folder an epoch, tensors in safetensors, the rest in JSON; no pickle.

Only the latest and the best stay. A checkpoint folder is complete or not there: it is written under another
name and renamed. Randomness needs no state, since every epoch's random numbers follow from the seed and the
epoch.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.errors import ModelError
from textkin.files import atomic_folder, remove_temporaries, write_json
from textkin.weights import load_tensors, load_weights, save_tensors

_WEIGHTS, _OPTIMISER, _STATE = "model.safetensors", "optimiser.safetensors", "state.json"
_AGAIN = "remove it, or train into another folder"


@final
@dataclass(frozen=True, slots=True)
class EpochLog:
    """What an epoch gave.

    Attributes:
        epoch: counted from 1.
        steps: optimiser steps since the start.
        losses: mean loss of each objective.
        dev: the dev score.
        seconds: that the epoch took, evaluation included.
    """

    epoch: int
    steps: int
    losses: Mapping[str, float]
    dev: float
    seconds: float


@final
@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint on disk.

    Attributes:
        folder: where it is.
        epoch: epochs that are done.
        history: of all epochs so far.
    """

    folder: Path
    epoch: int
    history: tuple[EpochLog, ...]


def save_checkpoint(
    root: Path, *, module: nn.Module, optimiser: Optimizer, history: tuple[EpochLog, ...], measure: str
) -> Checkpoint:
    """Write the checkpoint of the last epoch in ``history``; only the latest and the best one stay."""
    last = history[-1]
    word = re.sub("[^a-z0-9@.]+", "-", measure.lower())
    folder = root / f"epoch-{last.epoch:03d}-{word}-{last.dev:.4f}"
    tensors, plain = _flatten(optimiser)
    with atomic_folder(folder) as temporary:
        save_tensors(temporary / _WEIGHTS, module.state_dict())
        save_tensors(temporary / _OPTIMISER, tensors)
        write_json(temporary / _STATE, {"history": [asdict(log) for log in history], "optimiser": plain})
    tidy(root, history)
    return Checkpoint(folder, last.epoch, history)


def tidy(root: Path, history: tuple[EpochLog, ...]) -> None:
    """Remove all but the latest and the best checkpoint, and what a killed process left half-written."""
    keep = {history[-1].epoch, best_epoch(history)} if history else set()
    for epoch, folder in _folders(root).items():
        if epoch not in keep:
            shutil.rmtree(folder)
    remove_temporaries(root)


def best_epoch(history: tuple[EpochLog, ...]) -> int:
    """The epoch with the highest dev score, the earliest one of equals."""
    return max(history, key=lambda log: (log.dev, -log.epoch)).epoch


def latest_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint to go on from, if there is one.

    Raises:
        ModelError: it is broken.
    """
    folders = _folders(root)
    return _read(folders[max(folders)]) if folders else None


def best_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint with the highest dev score, if there is one.

    Raises:
        ModelError: it is broken or was removed.
    """
    latest = latest_checkpoint(root)
    if latest is None:
        return None
    best = best_epoch(latest.history)
    folder = _folders(root).get(best)
    if folder is None:
        raise ModelError(f"the checkpoint of epoch {best}, the best one, is not in {root}", fix=_AGAIN)
    return _read(folder)


def restore(checkpoint: Checkpoint, *, module: nn.Module, optimiser: Optimizer | None = None) -> None:
    """Put a checkpoint's weights, and its optimiser's state, back where they were.

    Raises:
        ModelError: a file is missing or broken, or of another model or optimiser.
    """
    load_weights(module, checkpoint.folder / _WEIGHTS)
    if optimiser is None:
        return
    tensors = load_tensors(checkpoint.folder / _OPTIMISER)
    try:
        _unflatten(optimiser, tensors, _state(checkpoint.folder)["optimiser"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{checkpoint.folder} is of another optimiser: {error!r}", fix=_AGAIN) from error


def _read(folder: Path) -> Checkpoint:
    try:
        history = tuple(EpochLog(**log) for log in _state(folder)["history"])
        return Checkpoint(folder, history[-1].epoch, history)
    except (KeyError, TypeError, IndexError) as error:
        raise ModelError(f"the checkpoint {folder} is broken: {error!r}", fix=_AGAIN) from error


def _state(folder: Path) -> dict[str, Any]:
    path = folder / _STATE
    try:
        state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} can't be read: {error}", fix=_AGAIN) from error
    return state


def _folders(root: Path) -> dict[int, Path]:
    """The folder of each epoch that has one."""
    found = ((re.match(r"epoch-(\d+)-", folder.name), folder) for folder in root.glob("epoch-*"))
    return {int(match[1]): folder for match, folder in found if match and folder.is_dir()}


def _flatten(optimiser: Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimiser's state as named tensors, and what is not a tensor."""
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
    # The groups' settings come from the recipe, and the learning rate from the schedule: only what the
    # optimiser has learnt of each parameter is restored.
    state: dict[int, dict[str, Any]] = {}
    for key, value in (*tensors.items(), *plain.items()):
        parameter, name = key.split(".", 1)
        state.setdefault(int(parameter), {})[name] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
