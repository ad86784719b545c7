"""Models and collections over HTTP, in one process or several."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError, inapplicable
from textkin.base.progress import note, remark
from textkin.base.results import Printed, tell
from textkin.collection.store.rehearsal import rehearse_searches
from textkin.kinds.systems import fetch_named
from textkin.server.call import Logged, RequestsLog, ServerLimits
from textkin.server.keys import Keys, read_keys
from textkin.server.memory_release import bound_libraries
from textkin.server.metrics import SharedMetrics
from textkin.server.open_service import ReadyModels, Served, open_service
from textkin.server.server_process import Address, Among, bound, check_place, run
from textkin.server.service import Service
from textkin.server.workers import WorkerProcesses, WorkerStart, single_threaded, threads_each


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


@dataclass(frozen=True, slots=True)
class Listening(Printed):
    """A server that accepts requests.

    Attributes:
        host: the address that it listens on.
        port: its port.
    """

    host: str
    port: int

    @property
    def url(self) -> str:
        """Its URL."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def text(self) -> str:
        """The URL, for people and for scripts that wait for it."""
        return f"listening at {self.url}"

    def as_dict(self) -> dict[str, Any]:
        """The URL and its parts."""
        return {"url": self.url, "host": self.host, "port": self.port}


def serve_at(
    how: Serving, api_key_file: Path | None, *, no_key_needed: bool = False, download: bool = False
) -> None:
    """Serve as :func:`serve`, by the keys of a file, and print the address.

    Raises:
        UsageError: other machines may ask without a key, or the process can't be ended by signals here.
        DataError: the keys can't be read.
        ModelError: a model can't be fetched; other errors as there.
    """
    check_place(how.place, has_keys=api_key_file is not None, is_open=no_key_needed)
    _require_main_thread()
    keys = Keys() if api_key_file is None else read_keys(api_key_file, told=RequestsLog(how.log).tell)
    for word in how.served.models:
        fetch_named(word if Path(word).exists() else word.rpartition("=")[2], download=download)

    def started(port: int) -> None:
        tell(Listening(how.place.host, port))
        note(f"API keys: {len(keys)}" if keys else "no API key is needed")

    serve(replace(how, keys=keys), started)


def _require_main_thread() -> None:
    """Check that signals can end a server here.

    Raises:
        UsageError: this is a thread, or an event loop runs, as in a notebook.
    """
    may = threading.current_thread() is threading.main_thread()
    with suppress(RuntimeError):
        may = asyncio.get_running_loop() is None
    if not may:
        raise UsageError(
            "a server runs until a signal ends it, so it needs a process of its own",
            fix="call it in a script, not in a thread or a notebook",
        )


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
    if how.workers > 1 and how.served.in_memory:
        raise inapplicable(
            "workers",
            to="a collection in memory, of which each would have its own",
            fix="serve by one process, or give a folder or a database",
        )
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
