"""The user's choice of where to run work."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypedDict, Unpack

from textkin.base.errors import required, unknown_choice
from textkin.base.extras import require
from textkin.base.python_inputs import refuse_unknown
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine

ENGINES = ("ray",)


class Workplace(TypedDict, total=False):
    """The choice of the engine; by default the work runs in this process.

    Attributes:
        on: "ray" for the workers of Ray, on this machine or several.
        address: address of a running Ray, such as "auto" or "10.0.0.1:6379"; None to start one on this
            machine for the duration of the call.
    """

    on: str | None
    address: str | None


def check_where(options: type[Any] | None = None, /, **where: Unpack[Workplace]) -> None:
    """Raise unless the arguments name an engine.

    Args:
        options: the type of the caller's ``options``, whose fields people may pass directly.
        where: the keyword arguments.

    Raises:
        TypeError: an argument has another name.
        UsageError: the engine is unknown, or an address is set without an engine.
        MissingExtraError: Ray isn't installed.
    """
    refuse_unknown(where, Workplace.__annotations__, options=options)
    on, address = where.get("on"), where.get("address")
    if on is None and address is not None:
        raise required("on", by="`address`", fix="give `on=ray`")
    if on is not None and on not in ENGINES:
        raise unknown_choice("on", on, ENGINES)
    if on is not None:
        require("ray", extra="ray")


def check_recall(recall: float | None, **where: Unpack[Workplace]) -> None:
    """Raise early for an approximate recall on an engine that finds all pairs.

    Raises:
        UsageError: a recall is set, and the engine runs on several machines.
    """
    if recall is not None and where.get("on") is not None:
        from textkin.vectors.on_ray.distributed_engine import without_cells

        raise without_cells(recall)


@contextmanager
def engine_of(**where: Unpack[Workplace]) -> Iterator[WorkEngine]:
    """Yield the engine, for a ``with`` block.

    Args:
        where: the keyword arguments.

    Raises:
        UsageError: the engine is unknown, or nothing answers at the address.
        MissingExtraError: Ray isn't installed.
    """
    check_where(**where)
    if where.get("on") is None:
        yield THIS_MACHINE
        return
    from textkin.vectors.on_ray.blocks import Crew
    from textkin.vectors.on_ray.distributed_engine import SeveralMachines
    from textkin.vectors.on_ray.ray_workers import ray_workers

    with ray_workers(where.get("address")) as workers:
        yield SeveralMachines(Crew(workers))
