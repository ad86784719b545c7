"""Where work is done, as users say it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypedDict, Unpack

from textkin.base.errors import required, unknown_choice
from textkin.base.extras import require
from textkin.base.python_inputs import refuse_unknown
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine

ENGINES = ("ray",)


class Workplace(TypedDict, total=False):
    """Where work is done. With neither, in this process.

    Attributes:
        on: "ray": by the workers of Ray, on this machine or several.
        address: of a running Ray, such as "auto" or "10.0.0.1:6379"; None to start one on this machine for
            the time of the call.
    """

    on: str | None
    address: str | None


def check_where(options: type[Any] | None = None, /, **where: Unpack[Workplace]) -> None:
    """Refuse what no engine is called.

    Args:
        options: what the caller takes as ``options``, which people may give without.
        where: what it was given beside.

    Raises:
        TypeError: an argument is called otherwise.
        UsageError: there is no such engine, or an address of none.
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
    """Refuse, before anything is done, a share of the pairs where all are found.

    Raises:
        UsageError: there is such a share, and an engine of several machines.
    """
    if recall is not None and where.get("on") is not None:
        from textkin.vectors.on_ray.distributed_engine import without_cells

        raise without_cells(recall)


@contextmanager
def engine_of(**where: Unpack[Workplace]) -> Iterator[WorkEngine]:
    """What does the work, for a ``with`` block.

    Args:
        where: says which.

    Raises:
        UsageError: there is no such engine, or nothing answers at the address.
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
