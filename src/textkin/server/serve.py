"""``textkin serve``: models and collections over HTTP, in one process or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import final

from textkin.base.progress import remark
from textkin.collection.store.folder_store import rehearse_searches
from textkin.server.call import Logged, RequestsLog, ServerLimits
from textkin.server.keys import Keys
from textkin.server.memory_release import bound_libraries
from textkin.server.metrics import SharedMetrics
from textkin.server.open_service import ReadyModels, Served, open_service
from textkin.server.server_process import Address, Among, bound, run
from textkin.server.service import Service
from textkin.server.workers import WorkerProcesses, WorkerStart, single_threaded, threads_each


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Options for serving.

    Attributes:
        served: the models and collections to serve.
        place: the address to listen on.
        workers: the number of worker processes.
        limits: the limits of each process.
        keys: the API keys; their rate limits hold for all processes together.
        hosts: additional accepted host names of a local server.
        origins: accepted foreign origins.
        auto_truncate: truncate texts longer than the model's limit, and report it.
        read_only: reject changes to collections.
        log: the requests to log.
    """

    served: Served
    place: Address
    workers: int = 1
    limits: ServerLimits = field(default_factory=ServerLimits)
    keys: Keys = field(default_factory=Keys)
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    auto_truncate: bool = False
    read_only: bool = False
    log: Logged = "all"


def serve(how: Serving, started: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        how: the options.
        started: called with the port once requests are accepted.

    Raises:
        ModelError, UsageError, DataError: as :func:`open_service`.
        OutputError: the address can't be bound, or a worker can't start.
    """
    # One process counts in memory, several in their own folder, ignoring this variable for other programs.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    if how.workers > 1:
        _serve_by_workers(how, started)
        return
    service = _opened(how, ready=_ready_models(how))
    for name, one in service.models.items():
        remark(f"{name} computes in {one.precision}")
    _run(how, service, started)


def _serve_by_workers(how: Serving, started: Callable[[int], None]) -> None:
    log, sock = RequestsLog(how.log), bound(how.place)
    port, threads = int(sock.getsockname()[1]), threads_each(how.workers)

    def work(start: WorkerStart) -> None:
        service = _opened(how, ready=start.models, shared=start.metrics)
        among = Among(sock, start.first_is_gone)
        _run(how, service, lambda _: start.ready(), among=among)

    with sock, single_threaded():
        models = _ready_models(how)
        for name, precision in models.precisions.items():
            remark(f"{name} computes in {precision}")
        WorkerProcesses(how.workers, models, work, log=log, sock=sock, threads=threads).run(
            lambda: started(port)
        )
    log.tell("stopped", {})


def _ready_models(how: Serving) -> ReadyModels:
    """Open models, after compiling or loading everything needed for their first use."""
    bound_libraries()
    if how.served.collections:
        rehearse_searches()
    return ReadyModels(how.served)


def _opened(how: Serving, *, ready: ReadyModels, shared: SharedMetrics | None = None) -> Service:
    return open_service(
        how.served,
        how.limits,
        keys=how.keys,
        auto_truncate=how.auto_truncate,
        read_only=how.read_only,
        ready=ready,
        shared=shared,
    )


def _run(how: Serving, service: Service, started: Callable[[int], None], among: Among | None = None) -> None:
    run(
        service,
        how.place,
        hosts=how.hosts,
        origins=how.origins,
        log=how.log,
        started=started,
        among=among,
    )
