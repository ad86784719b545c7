"""Ray's processes as workers; the only module that imports Ray."""

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
from typing import Any

from textkin.base.errors import TextkinError, UsageError, WorkersError, said
from textkin.base.extras import imported
from textkin.base.progress import be_quiet
from textkin.base.threads import CORES, cores
from textkin.vectors.on_ray.workers import Handle
from textkin.version import __version__

_RETRIES = 20
"""Number of retries of a piece whose worker crashed; after more crashes, the piece is the likely cause."""

_COUNTED_FOR = 10.0  # seconds until cores are counted again, as machines join and leave
_KEPT = 2
_PATIENCE = 10.0  # seconds, for an answer of a machine
_NOT_THERE = "start a Ray head there, with the same versions of Python, Ray and textkin"


@contextmanager
def ray_workers(address: str | None) -> Iterator[RayWorkers]:
    """Yield the workers of a Ray, for a ``with`` block.

    Args:
        address: address of a running Ray; None to start one on this machine, which stops after the block. An
            existing connection of this process is used, and left open.

    Raises:
        MissingExtraError: Ray isn't installed.
        UsageError: nothing answers at the address.
        WorkersError: Ray can't be started.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # textkin sends no telemetry
    if address is not None:
        _see_whether_it_answers(address)
        _show_the_token()  # before the import of Ray, which reads it
    ray = imported("ray", extra="ray")
    if ray.is_initialized():
        yield RayWorkers(ray)
        return
    there = {"num_cpus": cores(), "include_dashboard": False} if address is None else {}
    with _same_signals():
        try:
            ray.init(address or "local", logging_level="error", log_to_driver=False, **there)
        except Exception as error:  # of many types, some without a public name
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
    """Make Ray send the token that its cluster may require; by default it sends none."""
    there = Path(os.environ.get("RAY_AUTH_TOKEN_PATH", Path.home() / ".ray" / "auth_token"))
    if "RAY_AUTH_TOKEN" in os.environ or there.is_file():
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _see_whether_it_answers(address: str) -> None:
    """Check in seconds that Ray answers, which Ray itself would take minutes to find out.

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


class RayWorkers:
    """The ``Workers`` of the Ray that this process is connected to: one per core.

    Args:
        ray: the Ray module.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._run = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
        self._slots, self._counted = 0, -_COUNTED_FOR

    @property
    def slots(self) -> int:
        """The number of cores, at least 1."""
        if time.monotonic() - self._counted > _COUNTED_FOR:
            self._slots = max(int(self._ray.cluster_resources().get("CPU", 0)), 1)
            self._counted = time.monotonic()
        return self._slots

    def share(self, value: Any) -> Handle:
        """Put a value into the object store, where workers of one machine read it without copying."""
        return self._ray.put(value)

    def keep(self, value: Any) -> KeptByRay:
        """Put a value into the object store that each worker builds once."""
        return KeptByRay(self._ray.put(value))

    def submit(self, work: Callable[..., Any], *given: Any) -> Handle:
        """Start a task."""
        return self._run.remote(__version__, work, *given)

    def first_done(self, handles: Sequence[Handle]) -> Handle:
        """One of these tasks that has finished."""
        return self._ray.wait(list(handles), num_returns=1)[0][0]

    def result(self, handle: Handle) -> Any:
        """The result of a task.

        Raises:
            TextkinError: the error of the task.
            WorkersError: the task failed otherwise, or workers crashed repeatedly.
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
                fix="find out what ends workers, such as a lack of memory, in /tmp/ray/session_latest/logs",
            ) from error


@dataclass(frozen=True, slots=True)
class KeptByRay:
    """A value built once in each worker.

    Attributes:
        handle: handle of the stored value.
    """

    handle: Handle

    def value(self) -> Any:
        """The value, within a worker."""
        return _made(self.handle)


@lru_cache(maxsize=_KEPT)
def _made(handle: Handle) -> Any:
    return imported("ray", extra="ray").get(handle)


def _run(version: str, work: Callable[..., Any], *given: Any) -> Any:
    """Run a piece of work in a worker, which has one core.

    Raises:
        UsageError: the worker has another version of textkin.
    """
    if version != __version__:
        raise UsageError(
            f"textkin {__version__} on {socket.gethostname()}, {version} where the call is",
            fix="install the same version on all machines",
        )
    os.environ.setdefault(CORES, "1")
    os.environ.setdefault("RAYON_NUM_THREADS", "1")  # for tokenizers
    be_quiet()
    return work(*given)


@contextmanager
def _same_signals() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces by its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
