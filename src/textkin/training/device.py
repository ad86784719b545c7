"""Where training runs and at which precision: one CPU, one GPU, or several processes, through accelerate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.base.cpu import product_speeds
from textkin.base.errors import UsageError, invalid, said, unknown_choice
from textkin.training import distributed as together
from textkin.training.rows_across_processes import SharedRows

Precision = Literal["fp32", "bf16", "fp16"]
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
            raise unknown_choice("precision", precision, _MIXED)
        if name not in ("auto", "cpu", "cuda"):
            raise unknown_choice("device", name, ("auto", "cpu", "cuda"))
        if name == "cuda" and not torch.cuda.is_available():
            raise invalid("device", name, expected="auto or cpu: torch sees no GPU")
        cpu = name == "cpu" or not torch.cuda.is_available()
        if precision == "fp16" and cpu:
            raise invalid("precision", precision, expected="a GPU for training in fp16", fix=_USE_FP32)
        if precision == "bf16" and not cpu and not torch.cuda.is_bf16_supported():
            raise invalid("precision", precision, expected="fp16 or fp32: this GPU has no bf16")
        # accelerate keeps device and precision of the first Accelerator for the life of the process, and has
        # no public way to forget them. A group of processes, once joined, must stay.
        AcceleratorState._reset_state(reset_partial_state=not torch.distributed.is_initialized())
        self._accelerator: Any = together.join(
            lambda: Accelerator(mixed_precision=_MIXED[precision], cpu=cpu)
        )
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
    def index(self) -> int:
        """The number of this process, from 0."""
        return int(self._accelerator.process_index)

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

    def lone_by_mistake(self) -> str | None:
        """Words for it where several processes were wanted and one was started, which works alone; or None.

        On a CPU, ``accelerate launch`` starts one, whatever number it was given, and says nothing.
        """
        if self.processes > 1 or not {"ACCELERATE_USE_CPU", "MASTER_PORT"} <= os.environ.keys():
            return None
        return (
            "warning: accelerate launch started one process only, as it does on CPUs; start several with "
            "torchrun -m textkin train"
        )

    def slowness(self) -> str | None:
        """Measure whether its precision takes longer than fp32 on this device; words for it, or None."""
        return slowness_of(self._precision) if self.device.type == "cpu" else None

    def prepare(self, module: nn.Module, optimiser: Optimizer) -> tuple[nn.Module, Optimizer]:
        """The module and the optimiser as the processes share them, at the precision asked for.

        The prepared module computes in mixed precision and gives float32. Its parameters are those of
        ``module``, which stays what checkpoints and dev scores are made of; all processes begin with those of
        the first one. With several processes it gives all rows of a batch and computes some.
        """
        # Without accelerate's own wrapper for several processes: that one averages the gradients of batches
        # that each process has for itself.
        prepared: nn.Module = self._accelerator.prepare_model(module, evaluation_mode=True)
        shared: Optimizer = self._accelerator.prepare_optimizer(optimiser)
        if self.processes == 1:
            return prepared, shared
        together.copy_from_first(module)
        return SharedRows(prepared), shared

    def release(self, prepared: nn.Module) -> None:
        """Take mixed precision off a prepared module again."""
        network = prepared.network if isinstance(prepared, SharedRows) else prepared
        self._accelerator.unwrap_model(network, keep_fp32_wrapper=False)

    def first(self, values: Sequence[float]) -> list[float]:
        """The values of the first process, in all of them."""
        return list(values) if self.processes == 1 else together.numbers_of_first(values, self.device)

    def require_same(self, facts: Mapping[str, object]) -> None:
        """Make sure that all processes have the same facts, by their names.

        Raises:
            UsageError: one differs; it is named.
        """
        if self.processes > 1:
            together.require_same(facts)

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss."""
        self._accelerator.backward(loss)

    def sum_gradients(self, module: nn.Module, rows: Iterable[NDArray[np.int64]]) -> None:
        """Make the gradients those of the whole batch, once every loss of a step has given its own.

        Args:
            module: the network.
            rows: that the step was taken on; all processes must have the same ones.

        Raises:
            TrainingError: they don't, or one of them can't be reached.
        """
        if self.processes > 1:
            together.sum_gradients(module, rows)

    def clip(self, module: nn.Module, norm: float) -> None:
        """Scale the gradients down to a norm."""
        self._accelerator.clip_grad_norm_(module.parameters(), norm)

    def wait(self) -> None:
        """Wait for the other processes."""
        if self.processes > 1:
            together.wait()


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
