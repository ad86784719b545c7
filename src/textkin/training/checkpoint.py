"""Checkpoints of a training run: one folder an epoch, tensors in safetensors, the rest in JSON; no pickle.

Only the latest and the best stay. A checkpoint folder is complete or not there: it is written under another
name and renamed. Randomness needs no state, since every epoch's random numbers follow from the seed and the
epoch.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.errors import ModelError
from textkin.files import atomic_folder, atomic_path, write_json
from textkin.model_dir import load_weights

_WEIGHTS, _OPTIMISER, _STATE = "model.safetensors", "optimiser.safetensors", "state.json"


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
    from safetensors.torch import save_file

    last = history[-1]
    folder = root / f"epoch-{last.epoch:03d}-{measure.lower()}-{last.dev:.4f}"
    with atomic_folder(folder) as temporary:
        with atomic_path(temporary / _WEIGHTS) as path:
            save_file(_contiguous(module.state_dict()), path)
        tensors, state = _flatten(optimiser)
        with atomic_path(temporary / _OPTIMISER) as path:
            save_file(tensors, path)
        write_json(temporary / _STATE, {"history": [asdict(log) for log in history], "optimiser": state})
    keep = {last.epoch, best_epoch(history)}
    for other in _folders(root):
        if _epoch_of(other) not in keep:
            shutil.rmtree(other)
    return Checkpoint(folder, last.epoch, history)


def best_epoch(history: tuple[EpochLog, ...]) -> int:
    """The epoch with the highest dev score, the earliest one of equals."""
    return max(history, key=lambda log: (log.dev, -log.epoch)).epoch


def latest_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint to go on from, if there is one."""
    folders = _folders(root)
    return _read(max(folders, key=_epoch_of)) if folders else None


def best_checkpoint(root: Path) -> Checkpoint | None:
    """The checkpoint with the highest dev score, if there is one."""
    latest = latest_checkpoint(root)
    if latest is None:
        return None
    best = best_epoch(latest.history)
    return _read(next(folder for folder in _folders(root) if _epoch_of(folder) == best))


def restore(checkpoint: Checkpoint, *, module: nn.Module, optimiser: Optimizer | None = None) -> None:
    """Put a checkpoint's weights, and its optimiser's state, back where they were."""
    from safetensors.torch import load_file

    load_weights(module, checkpoint.folder / _WEIGHTS)
    if optimiser is not None:
        state = json.loads((checkpoint.folder / _STATE).read_text(encoding="utf-8"))["optimiser"]
        _unflatten(optimiser, load_file(checkpoint.folder / _OPTIMISER), state)


def _read(folder: Path) -> Checkpoint:
    try:
        values = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        history = tuple(EpochLog(**log) for log in values["history"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"the checkpoint {folder} is broken: {error!r}", fix="remove it, or train into another folder"
        ) from error
    return Checkpoint(folder, history[-1].epoch, history)


def _folders(root: Path) -> list[Path]:
    return sorted(folder for folder in root.glob("epoch-*") if folder.is_dir())


def _epoch_of(folder: Path) -> int:
    return int(folder.name.split("-")[1])


def _contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}


def _flatten(optimiser: Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """An optimiser's state as named tensors, and what is not a tensor."""
    state = optimiser.state_dict()
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    for parameter, values in state["state"].items():
        for name, value in values.items():
            key = f"{parameter}.{name}"
            if isinstance(value, Tensor):
                tensors[key] = value.detach().cpu().contiguous()
            else:
                plain[key] = value
    return tensors, plain


def _unflatten(optimiser: Optimizer, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]) -> None:
    # The groups' settings come from the recipe, and the learning rate from the schedule: only the moments are
    # restored.
    state: dict[int, dict[str, Any]] = {}
    for key, value in (*tensors.items(), *plain.items()):
        parameter, name = key.split(".", 1)
        state.setdefault(int(parameter), {})[name] = (
            value.clone() if isinstance(value, torch.Tensor) else value
        )
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
