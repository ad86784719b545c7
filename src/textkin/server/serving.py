"""Models and collections over HTTP, in one process or several."""

import asyncio
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from textkin.base.errors import UsageError, inapplicable
from textkin.base.numba_cache import compiling, only_kept
from textkin.base.results import Printed, tell
from textkin.collection.store.rehearsal import rehearse_searches
from textkin.kinds.systems import fetch_named
from textkin.server.call import ServerLimits
from textkin.server.keys import Keys, read_keys
from textkin.server.log import LogFormat, Logged, ServerLog
from textkin.server.memory_release import bound_libraries
from textkin.server.metrics import SharedMetrics
from textkin.server.open_service import ReadyModels, Served, open_service
from textkin.server.server_process import Among, ListenAddress, bound, check_place, run
from textkin.server.service import Service
from textkin.server.workers import WorkerProcesses, WorkerStart, single_threaded, threads_each
from textkin.version import __version__


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
        root_path: the path below which a proxy passes on requests.
        auto_truncate: truncate texts longer than the model's limit, and report it.
        read_only: reject changes to collections.
        log: the requests to log.
        log_format: the format of the log's lines.
    """

    served: Served
    place: ListenAddress
    workers: int = 1
    limits: ServerLimits = field(default_factory=ServerLimits)
    keys: Keys = field(default_factory=Keys)
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    root_path: str = ""
    auto_truncate: bool = False
    read_only: bool = False
    log: Logged = "all"
    log_format: LogFormat = "json"

    def opened_log(self) -> ServerLog:
        """The log of a server with these options."""
        return ServerLog(self.log, style=self.log_format)


@dataclass(frozen=True, slots=True)
class KeyRules:
    """The rules of who may send requests.

    Attributes:
        file: the file of keys; None without keys.
        for_metrics: /metrics needs a key, too.
        no_key_needed: other machines may ask without a key.
    """

    file: Path | None = None
    for_metrics: bool = False
    no_key_needed: bool = False


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


def serve_at(how: Serving, rules: KeyRules, *, download: bool = False) -> None:
    """Serve as :func:`serve`, by the keys of a file, and print the address.

    Raises:
        UsageError: other machines may ask without a key, or the process can't be ended by signals here.
        DataError: the keys can't be read.
        ModelError: a model can't be fetched; other errors as there.
    """
    check_place(how.place, has_keys=rules.file is not None, is_open=rules.no_key_needed)
    _require_main_thread()
    log, begun = how.opened_log(), time.monotonic()
    log.tell("starting", {"version": __version__, "workers": how.workers, "pid": os.getpid()})
    keys = (
        Keys() if rules.file is None else read_keys(rules.file, told=log.tell, for_metrics=rules.for_metrics)
    )
    for word in how.served.models:
        fetch_named(word if Path(word).exists() else word.rpartition("=")[2], download=download)

    def started(port: int) -> None:
        place = Listening(how.place.host, port)
        took = round(time.monotonic() - begun, 2)
        log.tell("listening", {"url": place.url, "keys": len(keys), "seconds": took})
        tell(place)

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
    log = how.opened_log()
    models = _ready_models(how, log)
    service = _opened(how, ready=models)

    def begun(port: int) -> None:
        started(port)
        _compile_beside(how, models, log)

    _run(how, service, log, begun)


def _serve_by_workers(how: Serving, started: Callable[[int], None]) -> None:
    log, sock = how.opened_log(), bound(how.place)
    port, threads = int(sock.getsockname()[1]), threads_each(how.workers)

    def work(start: WorkerStart) -> None:
        service = _opened(how, ready=start.models, shared=start.metrics)

        def begun(_: int) -> None:
            start.ready()
            _compile_beside(how, start.models, log, turns)

        _run(how, service, log, begun, among=Among(sock, start.first_is_gone))

    with TemporaryFile() as turns, sock, single_threaded():
        models = _ready_models(how, log)
        with only_kept():  # workers share what is loaded, the compiler among it
            models.opened.load_loops()
        WorkerProcesses(how.workers, models, work, log=log, sock=sock, threads=threads).run(
            lambda: started(port)
        )
    log.tell("stopped", {})


COMPILING = "compiling"
"""The name of the thread that compiles loops while a server answers."""


def _compile_beside(
    how: Serving, models: ReadyModels, log: ServerLog, turns: IO[bytes] | None = None
) -> None:
    """Compile loops in a thread of a server that answers; an interpreter that ends may wait for no compiler.

    Args:
        how: the options.
        models: the models whose tokenizers have loops.
        log: the log.
        turns: a file that several processes lock in turn: the first one compiles, the others load.
    """
    threading.Thread(target=_compile, args=(how, models, log, turns), name=COMPILING, daemon=True).start()


def _compile(how: Serving, models: ReadyModels, log: ServerLog, turns: IO[bytes] | None) -> None:
    """Compile or load the loops that searches and tokenizers need, while arrays do their work."""
    begun = time.monotonic()
    log.tell("compiling", {"what": "the loops of searches and tokenizers, unless they are kept from before"})
    with compiling(), nullcontext() if turns is None else _turn(turns):
        if how.served.collections:
            rehearse_searches()
        models.opened.load_loops()
    log.tell("compiled", {"seconds": round(time.monotonic() - begun, 2)})


@contextmanager
def _turn(turns: IO[bytes]) -> Iterator[None]:
    """Hold a lock of this process on an open file; the end of a process releases it, too."""
    fcntl.lockf(turns, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.lockf(turns, fcntl.LOCK_UN)


def _ready_models(how: Serving, log: ServerLog) -> ReadyModels:
    """Open models; loops are compiled once requests are answered."""
    bound_libraries()
    models = ReadyModels(how.served)
    for name, precision in models.precisions.items():
        log.tell("model loaded", {"model": name, "precision": precision})
    return models


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


def _run(
    how: Serving,
    service: Service,
    log: ServerLog,
    started: Callable[[int], None],
    among: Among | None = None,
) -> None:
    run(
        service,
        how.place,
        hosts=how.hosts,
        origins=how.origins,
        root_path=how.root_path,
        log=log,
        started=started,
        among=among,
    )
