"""Where training runs and at which precision: one CPU, one GPU, or several processes, through accelerate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeVar, final

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.errors import UsageError, said
from textkin.processor import product_speeds

Precision = Literal["fp32", "bf16", "fp16"]
_Item = TypeVar("_Item")
_MIXED = {"fp32": "no", "bf16": "bf16", "fp16": "fp16"}
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
_USE_FP32 = "set precision = 'fp32' in the recipe's [training]"


@final
class Device:
    """A thin face of ``accelerate.Accelerator``: what the loop needs of it and no more.

    Args:
        name: "auto" takes a GPU where there is one; "cpu" never does.
        precision: fp32, or mixed precision with bf16 or fp16.

    Raises:
        UsageError: the name is not known, or the device can't compute at this precision.
    """

    def __init__(self, name: str = "auto", *, precision: Precision = "fp32") -> None:
        from accelerate import Accelerator
        from accelerate.state import AcceleratorState

        if precision not in _MIXED:
            raise UsageError(f"precision is {precision!r}, expected one of: {', '.join(_MIXED)}")
        if name not in ("auto", "cpu", "cuda"):
            raise UsageError(f"device is {name!r}, expected 'auto', 'cpu' or 'cuda'")
        if name == "cuda" and not torch.cuda.is_available():
            raise UsageError("device is 'cuda', but torch sees no GPU", fix="use --device auto or cpu")
        cpu = name == "cpu" or not torch.cuda.is_available()
        if precision == "fp16" and cpu:
            raise UsageError("fp16 training needs a GPU", fix=_USE_FP32)
        if precision == "bf16" and not cpu and not torch.cuda.is_bf16_supported():
            raise UsageError("this GPU has no bf16", fix="use precision = 'fp16' or 'fp32'")
        # accelerate keeps device and precision of the first Accelerator for the life of the process, and has
        # no public way to forget them. A group of processes, once joined, must stay.
        AcceleratorState._reset_state(reset_partial_state=not torch.distributed.is_initialized())
        self._accelerator: Any = Accelerator(mixed_precision=_MIXED[precision], cpu=cpu)
        self._precision = precision

    @property
    def device(self) -> torch.device:
        """Where tensors go."""
        found: torch.device = self._accelerator.device
        return found

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that writes."""
        return bool(self._accelerator.is_main_process)

    @property
    def processes(self) -> int:
        """How many processes train together."""
        return int(self._accelerator.num_processes)

    def require(self, module: nn.Module) -> None:
        """Make sure that each layer of a network can be trained at the precision asked for.

        Recurrent layers are tried out: oneDNN alone computes LSTMs in bfloat16, and has none for processors
        without AVX-512. All other layers have loops of torch's own to fall back on, slow as they are.

        Raises:
            UsageError: a layer can't be computed.
        """
        dtype = _DTYPES.get(self._precision)
        if dtype is None or self.device.type != "cpu":
            return
        for kind in {type(part) for part in module.modules() if isinstance(part, nn.RNNBase)}:
            layer = _smallest(kind)
            try:
                with torch.autocast("cpu", dtype=dtype):
                    layer(torch.zeros(1, 1, 1))[0].sum().backward()
            except RuntimeError as error:
                raise UsageError(
                    f"{kind.__name__} layers can't be trained in {self._precision} on this processor "
                    f"({said(error)})",
                    fix=_USE_FP32,
                ) from error

    def slowness(self) -> str | None:
        """Measure whether its precision takes longer than fp32 on this device; words for it, or None."""
        return slowness_of(self._precision) if self.device.type == "cpu" else None

    def prepare(self, module: nn.Module, optimiser: Optimizer) -> tuple[nn.Module, Optimizer]:
        """The module and the optimiser as the processes share them, at the precision asked for.

        The prepared module computes in mixed precision and gives float32. Its parameters are those of
        ``module``, which stays what checkpoints and dev scores are made of.
        """
        prepared: tuple[nn.Module, Optimizer] = self._accelerator.prepare(module, optimiser)
        return prepared

    def release(self, tower: nn.Module) -> None:
        """Take mixed precision off a prepared module again."""
        self._accelerator.unwrap_model(tower, keep_fp32_wrapper=False)

    def share(self, batches: Iterator[_Item]) -> Iterator[_Item]:
        """This process's part of the batches: every n-th; a last round that is not full is left out."""
        count, index = self.processes, int(self._accelerator.process_index)
        if count == 1:
            yield from batches
            return
        turn: list[_Item] = []
        for batch in batches:
            turn.append(batch)
            if len(turn) == count:
                yield turn[index]
                turn = []

    def mean(self, values: Sequence[float]) -> list[float]:
        """The mean of each value over the processes, the same on all of them."""
        if self.processes == 1:
            return list(values)
        found: Tensor = self._accelerator.reduce(
            torch.tensor(values, dtype=torch.float64, device=self.device), reduction="mean"
        )
        return [float(value) for value in found]

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss."""
        self._accelerator.backward(loss)

    def clip(self, module: nn.Module, norm: float) -> None:
        """Scale the gradients down to a norm."""
        self._accelerator.clip_grad_norm_(module.parameters(), norm)

    def wait(self) -> None:
        """Wait for the other processes."""
        self._accelerator.wait_for_everyone()


def slowness_of(precision: Precision) -> str | None:
    """Measure whether a precision takes longer than fp32 on this processor; words for it, or None."""
    if precision == "fp32":
        return None
    speeds = product_speeds()
    return None if speeds.bf16_pays else f"{speeds.words}; {_USE_FP32}"


def _smallest(kind: type[nn.Module]) -> nn.Module:
    make: Any = kind
    layer: nn.Module = make(1, 1)
    return layer
