"""Optimisers and learning-rate schedules by their names in recipes."""

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import torch
from torch import nn
from torch.optim import Optimizer

from textkin.base.environment import no_compiler_folder
from textkin.base.errors import ConfigError
from textkin.networks.recipes.recipe import TrainingConfig

_OPTIMISERS: Mapping[str, Callable[..., Optimizer]] = MappingProxyType(
    {
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "adadelta": torch.optim.Adadelta,
        "adamax": torch.optim.Adamax,
        "rmsprop": torch.optim.RMSprop,
        "sgd": torch.optim.SGD,
    }
)
_FUSED = frozenset({"adam", "adamw", "sgd"})


def build_optimiser(parameters: Iterable[nn.Parameter], settings: TrainingConfig) -> Optimizer:
    """The recipe's optimiser over the trainable parameters.

    Raises:
        ConfigError: there are none.
    """
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    if not trained:
        raise ConfigError(
            "the model has nothing to train",
            fix="set train_embedding = true, or add a layer on top",
            params=("train_embedding",),
        )
    make = _OPTIMISERS[settings.optimiser]
    # One pass over the memory instead of a dozen, which matters for large embeddings.
    fused = {"fused": True} if settings.optimiser in _FUSED else {}
    with no_compiler_folder():
        return make(trained, lr=settings.learning_rate, weight_decay=settings.weight_decay, **fused)


def build_schedule(settings: TrainingConfig, *, steps_per_epoch: int) -> Callable[[int], float]:
    """The learning rate's factor at a step, counted from 0 over all epochs.

    Linear warm-up to 1, then:

    - constant: 1;
    - linear: down to 0 at the step after the last;
    - cosine: half a cosine, down to the same;
    - rsqrt: sqrt(warm-up / step), as trax's ``warmup_and_rsqrt_decay``;
    - exponential: decay to the power of the completed epochs, of ``steps_per_epoch`` steps each; with
      ``decay_every``, of the completed groups of that many epochs.

    Args:
        settings: schedule, warm-up, decay and epochs.
        steps_per_epoch: the number of steps as far as known; with mined negatives, an epoch may have fewer.
    """
    warmup = settings.warmup_steps
    total = settings.epochs * steps_per_epoch

    def share(step: int) -> float:
        return min(1.0, max(0, step - warmup) / max(1, total - warmup))

    shapes: dict[str, Callable[[int], float]] = {
        "constant": lambda step: 1.0,
        "linear": lambda step: 1.0 - share(step),
        "cosine": lambda step: 0.5 * (1.0 + math.cos(math.pi * share(step))),
        "rsqrt": lambda step: math.sqrt(warmup / max(warmup, step + 1)),
        "exponential": lambda step: settings.decay ** (step // (steps_per_epoch * settings.decay_every)),
    }
    shape = shapes[settings.schedule]
    return lambda step: min(1.0, (step + 1) / warmup) * shape(step) if warmup else shape(step)
