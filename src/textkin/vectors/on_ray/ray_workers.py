"""Ray's processes as workers; the only module that knows Ray."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, final

from textkin.base.errors import TextkinError, UsageError, WorkersError, said
from textkin.base.extras import imported
from textkin.base.progress import be_quiet
from textkin.base.threads import CORES, cores
from textkin.vectors.on_ray.workers import Handle
from textkin.version import __version__

_RETRIES = 20
"""So often a piece is begun again whose worker died; more often it is the piece that kills it."""

_COUNTED_FOR = 10.0  # seconds until cores are counted again, as machines come and go
_KEPT = 2
_PATIENCE = 10.0  # seconds, for an answer of a machine
_NOT_THERE = "start a Ray head there, with the same versions of Python, Ray and textkin"


@contextmanager
def ray_workers(address: str | None) -> Iterator[RayWorkers]:
    """The workers of a Ray, for a ``with`` block.

    Args:
        address: of a running one; None to start one on this machine, which ends with the block. Where the
            process has a connection already, that is used, and stays.

    Raises:
        MissingExtraError: Ray isn't installed.
        UsageError: nothing answers at the address.
        WorkersError: Ray can't be started.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # textkin sends nothing anywhere
    if address is not None:
        _see_whether_it_answers(address)
        _show_the_token()  # before Ray is imported, which looks then
    ray = imported("ray", extra="ray")
    if ray.is_initialized():
        yield RayWorkers(ray)
        return
    there = {"num_cpus": cores(), "include_dashboard": False} if address is None else {}
    with _same_signals():
        try:
            ray.init(address or "local", logging_level="error", log_to_driver=False, **there)
        except Exception as error:  # of many kinds, some of them without a name
            if address is None:
                raise WorkersError(
                    f"Ray doesn't start: {said(error)}", fix="see the logs in /tmp/ray"
                ) from error
            raise _no_ray(address, error) from error
    try:
        yield RayWorkers(ray)
    finally:
        ray.shutdown()


def _show_the_token() -> None:
    """Have Ray send its token, which it asks for where it was started, and sends only if it is told to."""
    there = Path(os.environ.get("RAY_AUTH_TOKEN_PATH", Path.home() / ".ray" / "auth_token"))
    if "RAY_AUTH_TOKEN" in os.environ or there.is_file():
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _see_whether_it_answers(address: str) -> None:
    """Find out in seconds what Ray would find out in minutes.

    Raises:
        UsageError: nothing listens at an address with a port.
    """
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        return
    try:
        socket.create_connection((host.rpartition("/")[2], int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _no_ray(address, error) from error


def _no_ray(address: str, error: Exception) -> UsageError:
    return UsageError(
        f"no Ray at {address}: {said(error)}", fix=_NOT_THERE, params=("address",), value=address
    )


@final
class RayWorkers:
    """The ``Workers`` of a Ray that this process is connected with: one for each core.

    Args:
        ray: the module.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._run = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
        self._slots, self._counted = 0, -_COUNTED_FOR

    @property
    def slots(self) -> int:
        """How many cores there are, at least 1."""
        if time.monotonic() - self._counted > _COUNTED_FOR:
            self._slots = max(int(self._ray.cluster_resources().get("CPU", 0)), 1)
            self._counted = time.monotonic()
        return self._slots

    def share(self, value: Any) -> Handle:
        """Put a value into the object store, from which workers of one machine read it without a copy."""
        return self._ray.put(value)

    def keep(self, value: Any) -> KeptByRay:
        """Put a value into the object store, from which each worker makes it once."""
        return KeptByRay(self._ray.put(value))

    def submit(self, work: Callable[..., Any], *given: Any) -> Handle:
        """Begin a task."""
        return self._run.remote(__version__, work, *given)

    def first_done(self, handles: Sequence[Handle]) -> Handle:
        """One of these tasks that has ended."""
        return self._ray.wait(list(handles), num_returns=1)[0][0]

    def result(self, handle: Handle) -> Any:
        """The result of a task.

        Raises:
            TextkinError: as the work did.
            WorkersError: it failed otherwise, or workers died time and again.
        """
        try:
            return self._ray.get(handle)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, TextkinError):
                raise error.cause from error
            raise WorkersError(f"a piece of work fails: {said(error.cause)}", fix=_NOT_THERE) from error
        except self._ray.exceptions.RayError as error:
            raise WorkersError(
                f"a piece of work was begun {_RETRIES + 1} times, and no worker has ended it: {said(error)}",
                fix="see what ends workers, such as a lack of memory, in /tmp/ray/session_latest/logs",
            ) from error


@final
@dataclass(frozen=True, slots=True)
class KeptByRay:
    """A value that is made once in each worker.

    Attributes:
        handle: of the value.
    """

    handle: Handle

    def value(self) -> Any:
        """The value, in a worker."""
        return _made(self.handle)


@lru_cache(maxsize=_KEPT)
def _made(handle: Handle) -> Any:
    return imported("ray", extra="ray").get(handle)


def _run(version: str, work: Callable[..., Any], *given: Any) -> Any:
    """A piece of work in a worker, which has one core.

    Raises:
        UsageError: it has another textkin.
    """
    if version != __version__:
        raise UsageError(
            f"textkin {__version__} on {socket.gethostname()}, {version} where the call is",
            fix="install the same version on all machines",
        )
    os.environ.setdefault(CORES, "1")
    os.environ.setdefault("RAYON_NUM_THREADS", "1")  # of tokenizers
    be_quiet()
    return work(*given)


@contextmanager
def _same_signals() -> Iterator[None]:
    """Leave the handler of SIGTERM as it is: Ray puts its own in its place."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
