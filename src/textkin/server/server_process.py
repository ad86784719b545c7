"""The server process: sockets, timeouts of headers, signals, and shutdown."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.types import ASGIApp

from textkin.base.errors import OutputError, required
from textkin.base.extras import imported
from textkin.server.application import application
from textkin.server.log import ServerLog
from textkin.server.memory_release import garbage_of_requests_only, giver_back, search_all_garbage_once
from textkin.server.middleware import LOOPBACK, Access
from textkin.server.service import Service

_DRAIN = 30  # seconds for requests in progress when the server stops
_KEEP_ALIVE = 75
_BACKLOG = 2_048
_TIDY = 10.0  # seconds between two returns of freed memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenAddress:
    """An address that a server listens on.

    Attributes:
        host: a name or address of this machine.
        port: the port, 0 for any free one.
    """

    host: str = "127.0.0.1"
    port: int = 8080

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach it."""
        return self.host in LOOPBACK


@dataclass(frozen=True, slots=True)
class Among:
    """A worker process's inheritance from the first process.

    Attributes:
        sock: the bound socket, shared by all workers.
        first_is_gone: a file descriptor that becomes readable when the first process is gone, and the worker
            should stop.
    """

    sock: Any
    first_is_gone: int


def check_place(place: ListenAddress, *, has_keys: bool, is_open: bool) -> None:
    """Reject a public address without API keys.

    Raises:
        UsageError: the address isn't local, and there are no keys.
    """
    if not place.is_local and not has_keys and not is_open:
        raise required(
            "api_key_file",
            by=f"{place.host}, which other machines can reach,",
            fix="make a key with `new_key`, or give `no_key_needed`",
        )


def run(
    service: Service,
    place: ListenAddress,
    *,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    root_path: str = "",
    log: ServerLog | None = None,
    started: Callable[[int], None],
    among: Among | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish requests in progress and close the service.

    SIGHUP reopens models whose files have changed.

    Args:
        service: the service.
        place: the address to listen on.
        hosts: additional accepted host names of a local server.
        origins: accepted foreign origins.
        root_path: the path below which a proxy passes on requests.
        log: the log; by default one of all requests, in JSON.
        started: called with the port once requests are accepted.
        among: for a worker process, its inheritance from the first one.

    Raises:
        OutputError: the address can't be bound.
    """
    told = log or ServerLog()
    last = ForcedExit(told)
    try:
        sock = bound(place) if among is None else among.sock
        own = (*LOOPBACK, *hosts) if place.is_local or hosts else ()
        access = Access(hosts=own, origins=origins)
        app = application(service, access=access, log=told, root_path=root_path)
        server = _server(app, service.limits.header_seconds)
        with garbage_of_requests_only(), asyncio.Runner(loop_factory=server.config.get_loop_factory()) as one:
            one.run(_serve(server, sock, service, told, (started, last.begin), among))
    finally:
        service.close()
        last.cancel()
    if among is None:
        told.tell("stopped", {})


def _server(app: ASGIApp, header_seconds: float) -> Any:
    """Create the server of an application."""
    uvicorn = imported("uvicorn", extra="server")
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_DRAIN,
        h11_max_incomplete_event_size=65_536,
        http=protocol_of(header_seconds),
        server_header=False,
        proxy_headers=True,  # the client's address in the log, as a proxy on this machine tells it
        ws="none",
        lifespan="on",
    )
    return uvicorn.Server(config)


async def _serve(
    server: Any,
    sock: Any,
    service: Service,
    log: ServerLog,
    tell: tuple[Callable[[int], None], Callable[[], None]],
    among: Among | None,
) -> None:
    """Serve, calling one function on start and the other on a stop signal."""
    loop = asyncio.get_running_loop()
    started, stopping = tell

    def stop() -> None:
        stopping()
        service.is_ready = False
        server.should_exit = True

    def stop_alone(first_is_gone: int) -> None:
        loop.remove_reader(first_is_gone)
        stop()

    if among is None:
        loop.add_signal_handler(signal.SIGHUP, partial(_reload, service, log, loop))
    else:
        loop.add_reader(among.first_is_gone, stop_alone, among.first_is_gone)
    serving = asyncio.ensure_future(server.serve(sockets=[sock]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    if not serving.done():
        started(int(sock.getsockname()[1]))
    tidying = asyncio.ensure_future(_tidy())
    await serving
    tidying.cancel()


async def _tidy() -> None:
    """Return freed memory to the system periodically, in a thread, as it takes tens of milliseconds."""
    give_back = giver_back()
    while give_back is not None:
        await asyncio.sleep(_TIDY)
        await asyncio.to_thread(give_back)


def _reload(service: Service, log: ServerLog, loop: asyncio.AbstractEventLoop) -> None:
    def work() -> None:
        try:
            log.tell("reloaded", {"models": service.reload()})
            search_all_garbage_once()  # it includes the previous models
        except Exception as error:  # the previous models stay
            log.tell("reload failed", {"error": str(error)})

    loop.run_in_executor(None, work)


def bound(place: ListenAddress) -> Any:
    """A socket bound to an address.

    Raises:
        OutputError: the address can't be bound.
    """
    import socket

    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((place.host, place.port))
    except OSError as error:
        sock.close()
        raise OutputError(
            f"can't listen at {place.host}:{place.port}: {error.strerror}", fix="give another `port`"
        ) from error
    return sock


SECONDS = 40.0
"""Seconds after the signal, 30 of which are for requests in progress."""

_CODE = 70


class ForcedExit:
    """Ends this process some time after a stop signal, unless it has ended by then.

    Args:
        log: the log of this event.
    """

    def __init__(self, log: ServerLog) -> None:
        self._log, self._timer = log, threading.Timer(SECONDS, self._end)
        self._timer.daemon = True

    def begin(self) -> None:
        """Start the clock after a stop signal."""
        if self._timer.ident is None:
            self._timer.start()

    def cancel(self) -> None:
        """Stop the clock after an orderly end."""
        self._timer.cancel()

    def _end(self) -> None:
        self._log.tell("stopped", {"error": f"something was still waiting after {SECONDS:g} s"})
        os._exit(_CODE)


_MOMENT = 1.0  # seconds for the first request of a connection accepted just before the server stops


class HeaderTimeout:
    """A mixin for uvicorn's protocols: a timeout for headers, and a grace period at the end."""

    patience: float
    cycle: Any
    loop: asyncio.AbstractEventLoop
    transport: Any
    _clock: asyncio.TimerHandle | None = None
    _is_last = False

    def connection_made(self, transport: Any) -> None:
        """Start the clock."""
        super().connection_made(transport)  # type: ignore[misc]
        self._clock = self.loop.call_later(self.patience, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Stop the clock once a request is being handled; bytes between two requests start it again."""
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not None and self._is_last:
            self.cycle.keep_alive = False
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.patience, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop()
        super().connection_lost(exc)  # type: ignore[misc]

    def shutdown(self) -> None:
        """Shut down, but wait for the first request of a new connection, which would be lost."""
        if self.cycle is None:
            self._is_last = True
            self.loop.call_later(_MOMENT, self._end_if_silent)
        else:
            super().shutdown()  # type: ignore[misc]

    def _end_if_silent(self) -> None:
        if self.cycle is None:
            self._give_up()

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def protocol_of(seconds: float) -> type:
    """The fastest installed HTTP protocol of uvicorn, with a header timeout."""
    try:
        base = imported("uvicorn.protocols.http.httptools_impl", extra="server").HttpToolsProtocol
    except ImportError:
        base = imported("uvicorn.protocols.http.h11_impl", extra="server").H11Protocol
    return type("HeaderTimeoutProtocol", (HeaderTimeout, base), {"patience": seconds})
