"""Communication of processes that train one network together, started by torchrun.

All of them draw the same batch. Each computes some of its rows (``rows_across_processes.py``) and has the
loss of the whole batch, so that the sum of their gradients equals the gradient of a single process.
"""

import fcntl
import os
import re
import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn

from textkin.base.arrays import Ints
from textkin.base.errors import TrainingError, UsageError, said
from textkin.base.locks import is_one_of_several

_Made = TypeVar("_Made")
_PATIENCE = timedelta(seconds=10)  # for the store to answer
_LATEST, _PAUSE = 1800, 0.1  # seconds, for all processes to arrive
_ADDRESS_OF = 0x8915  # SIOCGIFADDR
_OUTPUT, _ERRORS = 1, 2  # of the process, whatever Python's streams are
_BUCKET = 8 << 20  # numbers summed at a time
_PLACE = re.compile(r"\[/\S+:\d+\] ")  # in gloo's own files


def gathered(own: Tensor) -> Tensor:
    """The tensors of all processes, of equal shape, in order. Shape [processes, ...].

    Its gradient is that of this process's part: all processes compute the same loss from the gathered
    tensors, and each has the gradient of its own computation.
    """
    found: Tensor = _Gathered.apply(own)  # type: ignore[no-untyped-call]
    return found


class _Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, own: Tensor) -> Tensor:
        ctx.index = distributed.get_rank()
        parts = [torch.empty_like(own) for _ in range(distributed.get_world_size())]
        with _reached():
            distributed.all_gather(parts, own.contiguous())
        return torch.stack(parts)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0][ctx.index]


def sum_gradients(module: nn.Module, rows: Iterable[Ints]) -> None:
    """Sum each parameter's gradients over all processes; one without any keeps none.

    Args:
        module: the network.
        rows: the rows of the step.

    Raises:
        TrainingError: another process took its step on other rows, or can't be reached.
    """
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    drawn = zlib.crc32(b"".join(each.tobytes() for each in rows))
    has = [parameter.grad is not None for parameter in trained]
    device = trained[0].device
    greatest = torch.tensor([drawn, -drawn, *has], dtype=torch.int64, device=device)
    with _reached():
        distributed.all_reduce(greatest, op=distributed.ReduceOp.MAX)
    most, least, *anywhere = greatest.tolist()
    if most != -least:
        raise TrainingError(
            "the processes drew different batches, so they don't train one model",
            fix="start them on machines of one kind, or with rows that no model mines",
        )
    gradients = []
    for parameter, one_has in zip(trained, anywhere, strict=True):
        if one_has:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            gradients.append(parameter.grad)
    with _reached():
        for bucket in _buckets(gradients):
            flat = torch.cat([gradient.reshape(-1) for gradient in bucket])
            distributed.all_reduce(flat)
            parts = torch.split(flat, [gradient.numel() for gradient in bucket])
            for gradient, part in zip(bucket, parts, strict=True):
                gradient.copy_(part.view_as(gradient))


def _buckets(gradients: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    bucket: list[Tensor] = []
    for gradient in gradients:
        if bucket and (
            gradient.dtype != bucket[0].dtype or sum(map(Tensor.numel, (*bucket, gradient))) > _BUCKET
        ):
            yield bucket
            bucket = []
        bucket.append(gradient)
    if bucket:
        yield bucket


def copy_from_first(module: nn.Module) -> None:
    """Copy the first process's weights and buffers to the module of every process."""
    with torch.no_grad(), _reached():
        for tensor in module.state_dict(keep_vars=True).values():
            if isinstance(tensor, Tensor):
                whole = tensor.detach().contiguous()
                distributed.broadcast(whole, src=0)
                tensor.copy_(whole)


def numbers_of_first(values: Sequence[float], device: torch.device) -> list[float]:
    """The first process's values, in every process."""
    found = torch.tensor(values, dtype=torch.float64, device=device)
    with _reached():
        distributed.broadcast(found, src=0)
    return found.tolist()


def require_same(facts: Mapping[str, object]) -> None:
    """Check that all processes have equal facts, by name, before they train together.

    Raises:
        UsageError: one differs; the message names it.
        TrainingError: a process can't be reached.
    """
    mine = {name: repr(value) for name, value in facts.items()}
    found: list[Any] = [None] * distributed.get_world_size()
    with _reached():
        distributed.all_gather_object(found, mine)
    for number, other in enumerate(found):
        if names := [name for name, value in found[0].items() if other.get(name) != value]:
            raise UsageError(
                f"process {number} of this training has other {', '.join(names)} than process 0",
                fix="give all machines the same files, and a folder as `out` that they share",
            )


def wait() -> None:
    """Wait for the other processes."""
    with _reached():
        distributed.barrier()


@contextmanager
def _reached() -> Iterator[None]:
    """Translate errors about unreachable processes into textkin's. A context manager."""
    try:
        yield
    except RuntimeError as error:  # torch has no more specific one for this
        raise TrainingError(
            f"another process of this training has ended or can't be reached ({_PLACE.sub('', said(error))})",
            fix="see why, and run the same command again: it goes on from the last checkpoint",
        ) from error


def join(make: Callable[[], _Made]) -> _Made:
    """Call ``make`` once all processes started by torchrun are present; it joins them.

    Raises:
        TrainingError: one of them has failed, or can't be reached.
    """
    if not is_one_of_several() or distributed.is_initialized():
        return make()
    with _reached():
        if _has_store():
            _meet()
        if os.environ["WORLD_SIZE"] != os.environ.get("LOCAL_WORLD_SIZE"):
            _name_interface()
        with _output_to_errors():
            return make()


@contextmanager
def _output_to_errors() -> Iterator[None]:
    """Redirect output of libraries to standard error: gloo of older torches prints its connections."""
    try:
        kept = os.dup(_OUTPUT)
    except OSError:  # it was closed when this process started
        yield
        return
    try:
        with suppress(OSError):  # it was closed, too
            os.dup2(_ERRORS, _OUTPUT)
        yield
    finally:
        os.dup2(kept, _OUTPUT)
        os.close(kept)


def _meet() -> None:
    """Wait until all processes are present; torch itself would wait although one has failed."""
    store, ends = _store(), time.monotonic() + _LATEST
    missing = int(os.environ["WORLD_SIZE"]) - store.add(_key("here"), 1)
    while missing:
        if store.check([_key("spoken")]):
            raise TrainingError("another process of this training has failed", fix="see what it said")
        if time.monotonic() > ends:
            raise TrainingError(
                f"{missing} processes of this training are not here after {_LATEST // 60} minutes",
                fix="start torchrun on all of its nodes",
            )
        time.sleep(_PAUSE)
        missing = int(os.environ["WORLD_SIZE"]) - store.add(_key("here"), 0)


def _name_interface() -> None:
    """Set gloo's network interface to the one that reaches the first machine."""
    if "GLOO_SOCKET_IFNAME" in os.environ:
        return
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])))  # sends nothing
        own = socket.inet_aton(probe.getsockname()[0])
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has no address
                found = fcntl.ioctl(probe.fileno(), _ADDRESS_OF, struct.pack("256s", name.encode()))
                if found[20:24] == own:
                    os.environ["GLOO_SOCKET_IFNAME"] = name
                    return


def has_the_word() -> bool:
    """True if this process should report why all of them end: the first one to ask."""
    if not _has_store():
        return True
    try:
        return bool(_store().add(_key("spoken"), 1) == 1)
    except RuntimeError:
        return True


def _has_store() -> bool:
    """True if torchrun keeps a store for these processes, which outlives them."""
    return is_one_of_several() and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"


def _store() -> Any:
    place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return distributed.TCPStore(*place, is_master=False, timeout=_PATIENCE)  # type: ignore[attr-defined]


def _key(name: str) -> str:
    """A name in the store, for this attempt of torchrun's."""
    return f"textkin/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}/{name}"


def leave() -> None:
    """Leave the process group after all have finished; otherwise torch complains, or aborts."""
    if distributed.is_available() and distributed.is_initialized():
        wait()
        distributed.destroy_process_group()
