"""Dropout on a CPU without torch's serial generator.

Except on Intel's processors, torch draws the numbers to drop one by one, in one thread: with a dropout of
0.1, which transformers have, a third of a training step went into that. Here a hash of a number's index
decides, in all threads. Where it does, a seed drops the same numbers on all machines.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.threads import side_by_side

# Up to this many numbers torch takes less than half a millisecond, and loops may have to be loaded first.
_FEW = 1 << 16
_BITS = {torch.float32: torch.uint32, torch.bfloat16: torch.uint16}


class FastDropout(nn.Dropout):
    """Dropout that draws in all threads on a CPU; any shape to the same.

    Srivastava et al. 2014, "Dropout: A Simple Way to Prevent Neural Networks from Overfitting".
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, in training with a share of ``p`` at zero and the others scaled up."""
        if not self.training or not is_fast(input, self.p, numbers=input.numel()):
            return super().forward(input)
        return input * kept(input, self.p)


def is_fast(like: Tensor, rate: float, *, numbers: int) -> bool:
    """True if dropout of so many numbers is drawn here: on a CPU, in fp32 or bf16, and not for a few."""
    return like.device.type == "cpu" and like.dtype in _BITS and 0 < rate < 1 and numbers > _FEW


def kept(like: Tensor, rate: float) -> Tensor:
    """1 / (1 - rate) for the numbers that are kept and 0 for the others, with shape and type of a tensor."""
    from textkin.networks.nn.dropout_loops import keep

    seed, dropped, _ = drawn(rate)
    mask = torch.empty(like.shape, dtype=like.dtype)
    bits = bits_of(mask).reshape(-1)
    factor = bits_of(torch.tensor([1 / (1 - rate)], dtype=like.dtype))[0]
    in_parts(len(bits), lambda part: keep(bits[part], part.start, seed, dropped, factor))
    return mask


def drawn(rate: float) -> tuple[Any, Any, Any]:
    """What the loops are told of a dropout: a seed of torch's generator, the share, the factor."""
    seed = np.uint32(torch.randint(1 << 32, ()).item())
    return seed, np.uint32(round(rate * (1 << 32))), np.float32(1 / (1 - rate))


def bits_of(tensor: Tensor) -> Any:
    """The bits of a tensor's numbers, over the same memory."""
    return tensor.view(_BITS[tensor.dtype]).numpy()


def in_parts(count: int, work: Callable[[slice], object]) -> None:
    """Do work on rows in torch's number of threads."""
    threads = torch.get_num_threads()
    edges = [count * part // threads for part in range(threads + 1)]
    parts = [slice(start, stop) for start, stop in pairwise(edges)]
    for _ in side_by_side(work, parts, workers=threads):
        pass
