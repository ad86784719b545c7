"""Device and precision of training: one CPU, one GPU, or several processes, through accelerate."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.base.arrays import Ints
from textkin.base.cpu import product_speeds
from textkin.base.errors import UsageError, invalid, said, unknown_choice
from textkin.training import distributed as together
from textkin.training.rows_across_processes import SharedRows

Precision = Literal["fp32", "bf16", "fp16"]
_MIXED = {"fp32": "no", "bf16": "bf16", "fp16": "fp16"}
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
_USE_FP32 = "set precision = 'fp32' in the recipe's [training]"


class Device:
    """A thin wrapper of ``accelerate.Accelerator`` for the training loop.

    Args:
        name: "auto" takes a GPU if there is one; "cpu" never does.
        precision: fp32, or mixed precision with bf16 or fp16.

    Raises:
        UsageError: the name isn't known, or the device doesn't support this precision.
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
        # no public way to reset them. A group of processes, once joined, must stay.
        AcceleratorState._reset_state(reset_partial_state=not torch.distributed.is_initialized())
        self._accelerator: Any = together.join(
            lambda: Accelerator(mixed_precision=_MIXED[precision], cpu=cpu)
        )
        self._precision = precision

    @property
    def device(self) -> torch.device:
        """The device for tensors."""
        return self._accelerator.device

    @property
    def is_main(self) -> bool:
        """True if this process writes the files."""
        return bool(self._accelerator.is_main_process)

    @property
    def index(self) -> int:
        """The number of this process, from 0."""
        return int(self._accelerator.process_index)

    @property
    def processes(self) -> int:
        """The number of processes that train together."""
        return int(self._accelerator.num_processes)

    def require(self, module: nn.Module) -> None:
        """Check that each layer of a network can be trained at the requested precision.

        Recurrent layers are tested: only oneDNN supports LSTMs in bfloat16, and not on processors without
        AVX-512. All other layers have torch's own loops as a fallback, although slow.

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
                    value=self._precision,
                ) from error

    def lone_by_mistake(self) -> str | None:
        """A warning if one process was started although several were wanted, or None.

        On a CPU, ``accelerate launch`` starts one, whatever number it was given, and says nothing.
        """
        if self.processes > 1 or not {"ACCELERATE_USE_CPU", "MASTER_PORT"} <= os.environ.keys():
            return None
        return (
            "warning: accelerate launch started one process only, as it does on CPUs; start several with "
            "torchrun -m textkin train"
        )

    def slowness(self) -> str | None:
        """A warning if its precision is measured to be slower than fp32 on this device, or None."""
        return slowness_of(self._precision) if self.device.type == "cpu" else None

    def prepare(self, module: nn.Module, optimiser: Optimizer) -> tuple[nn.Module, Optimizer]:
        """The module and the optimiser shared by the processes, at the requested precision.

        The prepared module computes in mixed precision and returns float32. Its parameters are those of
        ``module``, which is still used for checkpoints and dev scores; all processes start with those of the
        first one. With several processes it returns all rows of a batch and computes some.
        """
        # Without accelerate's own wrapper for several processes, which averages the gradients of separate
        # batches of each process.
        prepared: nn.Module = self._accelerator.prepare_model(module, evaluation_mode=True)
        shared: Optimizer = self._accelerator.prepare_optimizer(optimiser)
        if self.processes == 1:
            return prepared, shared
        together.copy_from_first(module)
        return SharedRows(prepared), shared

    def release(self, prepared: nn.Module) -> None:
        """Remove mixed precision from a prepared module."""
        network = prepared.network if isinstance(prepared, SharedRows) else prepared
        self._accelerator.unwrap_model(network, keep_fp32_wrapper=False)

    def first(self, values: Sequence[float]) -> list[float]:
        """The values of the first process, in all processes."""
        return list(values) if self.processes == 1 else together.numbers_of_first(values, self.device)

    def require_same(self, facts: Mapping[str, object]) -> None:
        """Check that all processes have equal facts, by name.

        Raises:
            UsageError: one differs; the message names it.
        """
        if self.processes > 1:
            together.require_same(facts)

    def backward(self, loss: Tensor) -> None:
        """Compute the gradients of a loss."""
        self._accelerator.backward(loss)

    def sum_gradients(self, module: nn.Module, rows: Iterable[Ints]) -> None:
        """Turn the gradients into those of the whole batch, after all losses of a step.

        Args:
            module: the network.
            rows: the rows of the step, which must be equal in all processes.

        Raises:
            TrainingError: they differ, or a process can't be reached.
        """
        if self.processes > 1:
            together.sum_gradients(module, rows)

    def clip(self, module: nn.Module, norm: float) -> None:
        """Clip the gradients to a norm."""
        self._accelerator.clip_grad_norm_(module.parameters(), norm)

    def wait(self) -> None:
        """Wait for the other processes."""
        if self.processes > 1:
            together.wait()


def slowness_of(precision: Precision) -> str | None:
    """A warning if a precision is measured to be slower than fp32 on this processor, or None."""
    if precision == "fp32":
        return None
    speeds = product_speeds()
    return None if speeds.bf16_pays else f"{speeds.words}; {_USE_FP32}"


def _smallest(kind: type[nn.Module]) -> nn.Module:
    make: Any = kind
    return make(1, 1)
