"""A linear layer prepared for CPU inference: weights in oneDNN's layout, activation fused."""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.base.threads import one_thread_each

Activation = Literal["none", "relu", "gelu", "gelu-tanh"]

_PLAIN: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda x: x,
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu-tanh": lambda x: functional.gelu(x, approximate="tanh"),
}
# oneDNN's names of the activation and its algorithm.
_FUSED = {"none": ("none", ""), "relu": ("relu", ""), "gelu": ("gelu", "none"), "gelu-tanh": ("gelu", "tanh")}

# Row counts up to the first number are rounded up to a multiple of the second; larger ones to the last
# multiple.
_STEPS, _LONG_STEP = ((32, 2), (256, 16)), 64

# A layer for timing GELUs: rows, inputs, outputs, repetitions; and the minimum gain.
_TRIAL = 128, 256, 1024, 6
_LEAST_GAIN = 1.05


def rounded(rows: int) -> int:
    """A rounded-up number of rows: oneDNN generates a program for each shape, in milliseconds."""
    step = next((step for most, step in _STEPS if rows <= most), _LONG_STEP)
    return -(-rows // step) * step


class PackedLinear:
    """Linear layers over the same input as one product, then an activation, or a sum with a residual.

    For float32, torch's own call uses MKL, which is less than half as fast as oneDNN on some processors; for
    bfloat16 it rearranges weights each time.

    Args:
        layers: their outputs are concatenated.
        dtype: float32 or bfloat16; the input must have it.
        activation: the activation after the product.
        fused: None uses oneDNN if torch has it.
    """

    def __init__(
        self,
        layers: Sequence[nn.Linear],
        *,
        dtype: torch.dtype,
        activation: Activation = "none",
        fused: bool | None = None,
    ) -> None:
        weight = torch.cat([layer.weight.detach() for layer in layers]).to(dtype).contiguous()
        biases = [torch.zeros(len(one.weight)) if one.bias is None else one.bias.detach() for one in layers]
        self._bias = torch.cat(biases).to(dtype)
        self._activation = activation
        self._fused = has_fused(dtype) if fused is None else fused
        self._apart = self._fused and activation in ("gelu", "gelu-tanh") and gelu_apart(activation, dtype)
        self._weight = _onednn()._reorder_linear_weight(weight) if self._fused else weight

    def __call__(self, x: Tensor, *, plus: Tensor | None = None) -> Tensor:
        """[T, inputs] to [T, outputs]; with ``plus``, the residual [T, outputs], without activation."""
        if not self._fused:
            y = functional.linear(x, self._weight, self._bias)
            return _PLAIN[self._activation](y) if plus is None else y + plus
        call = _onednn()._linear_pointwise
        kind, algorithm = _FUSED["none" if self._apart else self._activation]
        found: Tensor = (
            call(x, self._weight, self._bias, kind, [], algorithm)
            if plus is None
            else call.binary(x, plus, self._weight, self._bias, "add")
        )
        return _PLAIN[self._activation](found) if self._apart and plus is None else found


@cache
def gelu_apart(activation: Activation, dtype: torch.dtype) -> bool:
    """True if torch's GELU after a product is measured to be faster than oneDNN's fused one.

    This is so on processors with AVX2 only. Gains below 5 % don't count, so that chance decides little;
    processor time is measured.
    """
    rows, inputs, outputs, turns = _TRIAL
    call, (kind, algorithm) = _onednn()._linear_pointwise, _FUSED[activation]
    x, bias = torch.ones(rows, inputs, dtype=dtype), torch.zeros(outputs, dtype=dtype)
    weight = _onednn()._reorder_linear_weight(torch.full((outputs, inputs), 1 / inputs, dtype=dtype))

    def apart() -> Tensor:
        return _PLAIN[activation](call(x, weight, bias, "none", [], ""))

    def fused() -> Tensor:
        return call(x, weight, bias, kind, [], algorithm)

    seconds = {apart: [0.0], fused: [0.0]}
    with one_thread_each(), torch.inference_mode():
        for _ in range(turns + 1):
            for way, spent in seconds.items():
                start = time.thread_time()
                way()
                spent.append(time.thread_time() - start)
    return min(seconds[apart][2:]) * _LEAST_GAIN < min(
        seconds[fused][2:]
    )  # after the first repetition, which generates programs


def has_fused(dtype: torch.dtype) -> bool:
    """True if this build of torch, on this processor, has oneDNN's fused layers in ``dtype``."""
    ops = _onednn()
    if not (torch._C._has_mkldnn and hasattr(ops, "_linear_pointwise")):
        return False
    return dtype == torch.float32 or bool(ops._is_mkldnn_bf16_supported())


def _onednn() -> Any:
    return torch.ops.mkldnn
