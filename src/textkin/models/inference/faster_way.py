"""Measured choices of how a network computes: its precision, and whether on the GPU."""

import copy
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch
from torch import nn

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, said
from textkin.base.progress import remark
from textkin.text.baselines.mean_pooling import unit_rows

GPU_REPAYS = 500_000
"""The tokens from which on a GPU is tried: to start it and to copy a network takes seconds."""

_SAMPLE = 4_096  # tokens, which take a fraction of a second
_TURNS = 2
_LEAST_GAIN = 1.2
_LEAST_COSINE = 0.9995

_Module = TypeVar("_Module", bound=nn.Module)


def trial(plain: Callable[[], Floats32], other: Callable[[], Floats32]) -> tuple[float, float]:
    """The speed of another way relative to the plain one, and the mean cosine between the rows of both.

    Rows of zeros don't count. Both compute in turns, and the faster turn of each counts.
    """
    seconds = {plain: np.inf, other: np.inf}
    rows: dict[Callable[[], Floats32], Floats32] = {}
    for _ in range(_TURNS):
        for way in seconds:
            start = time.perf_counter()
            rows[way] = way()
            seconds[way] = min(seconds[way], time.perf_counter() - start)
    known = rows[plain].any(axis=1)
    cosines = np.vecdot(unit_rows(rows[plain]), unit_rows(rows[other]))[known]
    return float(seconds[plain] / seconds[other]), float(cosines.mean()) if known.any() else 1.0


def sample_of(tokens: int) -> slice:
    """The texts to measure on, of texts that have so many tokens together."""
    return slice(None, None, max(1, tokens // _SAMPLE))


def is_better(gain: float, cosine: float) -> bool:
    """True if a way is at least 1.2 times as fast, with a mean cosine of at least 0.9995."""
    return gain >= _LEAST_GAIN and cosine >= _LEAST_COSINE


def gpu() -> torch.device | None:
    """The GPU that torch takes by default; None without one."""
    return torch.device("cuda") if torch.cuda.is_available() else None


def placed(module: _Module, rows: Callable[[_Module], Floats32]) -> _Module:
    """A copy of a network on the GPU if that is measured to be better; otherwise the network itself.

    What was measured is told in a remark, and so is an error of the GPU, such as a lack of memory.

    Args:
        module: the network.
        rows: a sample computed by a network: a row of each text, or one of all scores around their mean.
    """
    there = gpu()
    if there is None or next(module.parameters()).device.type != "cpu":
        return module
    try:
        copied = copy.deepcopy(module).to(there)
        rows(copied)  # the first run loads the GPU's programs
        gain, cosine = trial(lambda: rows(module), lambda: rows(copied))
    except (RuntimeError, UsageError) as error:
        remark(f"the GPU isn't used: {said(error.__cause__ or error)}")
        return module
    is_used = is_better(gain, cosine)
    told = f"{gain:.2f} times as fast as the processor, mean cosine {cosine:.5f}"
    remark(f"the GPU is{'' if is_used else ' not'} used: {told}")
    return copied if is_used else module
