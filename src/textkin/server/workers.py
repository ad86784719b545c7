"""Worker processes that serve from one socket, share the memory of models, and begin anew where they die.

The first process opens the models, with one thread, and then parts into workers: what it has in memory they
have, too, and the system copies what one of them changes, which weights never are. It answers nothing itself.
A worker opens collections, which are in files and have locks, and its own threads.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from socket import socket
from types import FrameType
from typing import final

from textkin.base.errors import DataError, ModelError, OutputError, TextkinError, UsageError, VerifyError
from textkin.base.threads import cores
from textkin.server.board import Board
from textkin.server.figures import OwnPage, fold
from textkin.server.opening import ReadyModels
from textkin.server.requests_log import RequestsLog

READY = b"ready"
"""What a worker tells the first process when it takes requests; else why it can't."""

_LOOK = 1.0  # seconds between two looks at the workers, where no signal comes
_PATIENCE = 45.0  # seconds to stop; a worker takes 30 to finish what it answers
_FIRST_PAUSE, _LAST_PAUSE = 0.1, 10.0  # seconds before a worker that died begins anew
_LASTING = 10.0  # seconds after which a worker that dies has not died at once
_MOST_SAID = 60_000  # bytes of an error, which fit into a pipe
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_THREADS = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


@final
@dataclass(frozen=True, slots=True)
class WorkerStart:
    """What a worker process begins with.

    Attributes:
        models: that are open.
        page: where it writes what it counts.
        first_is_gone: a file descriptor that can be read once the first process is gone.
        ready: to be called when requests are taken.
    """

    models: ReadyModels
    page: OwnPage
    first_is_gone: int
    ready: Callable[[], None]


@final
@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process, as the first one sees it.

    Attributes:
        pid: of the process.
        page: of the board.
        heard: a file descriptor for what it tells.
        began: when, by the monotonic clock.
        told: what it has told so far.
    """

    pid: int
    page: int
    heard: int
    began: float = field(default_factory=time.monotonic)
    told: bytes = b""

    @property
    def is_ready(self) -> bool:
        return self.told == READY

    def listen(self) -> None:
        """Take what it has told by now; this never waits."""
        with suppress(BlockingIOError):
            while part := os.read(self.heard, _MOST_SAID):
                self.told += part

    def end(self, number: int) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


@final
class WorkerProcesses:
    """The first process of a server with several.

    Args:
        count: how many workers there are.
        models: that they share.
        work: what a worker does until it is told to stop, in its process.
        log: where starts and ends are told.
        sock: where they all listen; it is closed when the server stops.
        threads: that a worker's libraries take.
    """

    def __init__(
        self,
        count: int,
        models: ReadyModels,
        work: Callable[[WorkerStart], None],
        *,
        log: RequestsLog,
        sock: socket,
        threads: int,
    ) -> None:
        self._count, self._models, self._work = count, models, work
        self._log, self._sock, self._threads = log, sock, threads
        self._board = Board(1 + 3 * count)  # of those at work, those that follow and those that leave
        self._at_work: list[_Worker] = []
        self._coming: list[_Worker] = []
        self._leaving: list[_Worker] = []
        self._next: ReadyModels | None = None  # of those that are coming
        self._is_to_renew = False
        self._pause, self._not_before = _FIRST_PAUSE, 0.0
        self._alive, self._first_is_here = os.pipe()

    def run(self, started: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM. SIGHUP has changed models opened again, by new workers.

        Args:
            started: called when all workers take requests for the first time.

        Raises:
            UsageError, DataError, ModelError: a worker can't open what is to be served.
            OutputError: a worker can't start.
        """
        with _signals() as caught:
            try:
                self._begin(self._at_work, self._models)
                self._wait_for_first(caught)
                if not caught.ends:
                    started()
                while not caught.ends:
                    self._look(caught)
                    caught.wait([one.heard for one in self._coming if not one.is_ready], _LOOK)
            finally:
                self._stop(caught)

    def _wait_for_first(self, caught: _Caught) -> None:
        while not caught.ends and not all(one.is_ready for one in self._at_work):
            caught.wait([one.heard for one in self._at_work if not one.is_ready], _LOOK)
            if ended := self._ended(self._at_work):
                raise _error_of(ended[0])

    def _look(self, caught: _Caught) -> None:
        """Do what there is to do."""
        self._ended(self._leaving)
        now = time.monotonic()
        for one in self._ended(self._at_work):
            self._log.tell("worker ended", {"pid": one.pid, "seconds": round(now - one.began, 1)})
            lasted = one.is_ready and now - one.began >= _LASTING
            self._pause = _FIRST_PAUSE if lasted else min(2 * self._pause, _LAST_PAUSE)
            self._not_before = now + self._pause
        if now >= self._not_before:
            self._begin(self._at_work, self._models)
        if caught.taken_hangup():
            self._is_to_renew = True
        if self._next is not None:
            self._follow(self._next)
        elif self._is_to_renew and not self._leaving:
            self._is_to_renew = False
            self._renew()

    def _renew(self) -> None:
        """Open changed models, and have workers begin that will take the place of those at work."""
        try:
            models = ReadyModels(self._models.served, before=self._models)
        except Exception as error:  # the models of before stay
            self._log.tell("reload failed", {"error": str(error)})
            return
        if models.all_parted and not models.names_of_others(self._models):
            self._log.tell("reloaded", {"models": []})
            return
        self._next = models
        self._begin(self._coming, models)

    def _follow(self, models: ReadyModels) -> None:
        """Let those that are coming take over, once all of them take requests."""
        if ended := self._ended(self._coming):
            self._log.tell("reload failed", {"error": str(_error_of(ended[0]))})
            self._let_go(self._coming)
        elif all(one.is_ready for one in self._coming):
            self._log.tell("reloaded", {"models": models.names_of_others(self._models)})
            self._let_go(self._at_work)
            self._at_work, self._models = self._coming, models
        else:
            return
        self._coming, self._next = [], None

    def _let_go(self, workers: list[_Worker]) -> None:
        for one in workers:
            one.end(signal.SIGTERM)
        self._leaving += workers

    def _begin(self, workers: list[_Worker], models: ReadyModels) -> None:
        """Have as many workers as there are to be."""
        while len(workers) < self._count:
            workers.append(self._begun(models))

    def _begun(self, models: ReadyModels) -> _Worker:
        """Part: another worker, in another process."""
        others = [*self._at_work, *self._coming, *self._leaving]
        page = next(page for page in range(1, 2 + len(others)) if page not in {one.page for one in others})
        heard, telling = os.pipe()
        os.set_blocking(heard, False)
        gc.collect()
        gc.freeze()  # so that no collection of garbage touches what is shared
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            os.close(heard)
            self._be_worker(models, OwnPage(self._board, page), telling, others)
        os.close(telling)
        return _Worker(pid, page, heard)

    def _be_worker(self, models: ReadyModels, page: OwnPage, telling: int, others: list[_Worker]) -> None:
        """Work, and end this process; nothing of the first one's is cleared up here."""
        code = 70
        try:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which a terminal sends to all
            signal.set_wakeup_fd(-1)
            for one in (self._first_is_here, *(one.heard for one in others)):
                os.close(one)
            _take_threads(self._threads)

            def ready() -> None:
                os.write(telling, READY)
                os.close(telling)

            self._work(WorkerStart(models, page, self._alive, ready))
            code = 0
        except Exception as error:
            code = error.exit_code if isinstance(error, TextkinError) else code
            words = str(error) if isinstance(error, TextkinError) else type(error).__name__
            try:
                os.write(telling, b"%d\n%b" % (code, words.encode()[:_MOST_SAID]))
            except OSError:  # it was ready before
                self._log.tell("worker failed", {"pid": os.getpid(), "error": words})
        finally:
            with suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)

    def _ended(self, workers: list[_Worker]) -> list[_Worker]:
        """Take those out that have ended, and keep what they have counted."""
        found = []
        for one in list(workers):
            pid, _ = os.waitpid(one.pid, os.WNOHANG)
            one.listen()
            if pid:
                workers.remove(one)
                found.append(one)
                os.close(one.heard)
                fold(self._board, one.page)
        return found

    def _stop(self, caught: _Caught) -> None:
        """Have all workers finish, and end those that take too long."""
        self._sock.close()  # else it would take connections that nobody answers
        everyone = [*self._at_work, *self._coming, *self._leaving]
        for one in everyone:
            one.end(signal.SIGTERM)
        late = time.monotonic() + _PATIENCE
        while everyone:
            self._ended(everyone)
            if everyone and time.monotonic() > late:
                for one in everyone:
                    one.end(signal.SIGKILL)
            caught.wait([], _LOOK)
        os.close(self._alive)
        os.close(self._first_is_here)


def _error_of(worker: _Worker) -> TextkinError:
    """Why a worker can't start, as it would have been raised in one process."""
    code, _, words = worker.told.decode(errors="replace").partition("\n")
    known = {str(one.exit_code): one for one in (UsageError, DataError, ModelError, VerifyError)}
    if code in known:
        return known[code](words)
    return OutputError(f"a worker can't start: {words or 'it was ended'}", fix="serve with --workers 1")


@final
class _Caught:
    """The signals that have come.

    Attributes:
        ends: whether the server is to stop.
    """

    def __init__(self, woken: int) -> None:
        self.ends, self._hangup, self._woken = False, False, woken

    def take(self, number: int, frame: FrameType | None) -> None:
        """Note a signal."""
        del frame
        if number == signal.SIGHUP:
            self._hangup = True
        elif number != signal.SIGCHLD:
            self.ends = True

    def taken_hangup(self) -> bool:
        """Whether SIGHUP has come since this was last asked."""
        found, self._hangup = self._hangup, False
        return found

    def wait(self, heard: list[int], seconds: float) -> None:
        """Wait for a signal, for something that can be read, or for so long."""
        with suppress(InterruptedError):
            if self._woken in select.select([self._woken, *heard], [], [], seconds)[0]:
                os.read(self._woken, 4_096)


@contextmanager
def _signals() -> Iterator[_Caught]:
    """Note signals in the block, and be woken by them."""
    woken, waking = os.pipe()
    for one in (woken, waking):
        os.set_blocking(one, False)
    caught = _Caught(woken)
    before = {number: signal.signal(number, caught.take) for number in _SIGNALS}
    wakeup = signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    try:
        yield caught
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(woken)
        os.close(waking)


def threads_each(workers: int) -> int:
    """The threads of each of so many workers: what OMP_NUM_THREADS says, or a part of the cores."""
    chosen = os.environ.get("OMP_NUM_THREADS", "")
    return int(chosen) if chosen.isdecimal() and int(chosen) else max(1, cores() // workers)


@contextmanager
def single_threaded() -> Iterator[None]:
    """In the block models are opened, and computed with, without threads, with which no process may part."""
    chosen = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(_THREADS)
    if (torch := sys.modules.get("torch")) is not None:  # else it asks the environment when it comes
        torch.set_num_threads(1)
    try:
        yield
    finally:
        for name, value in chosen.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _take_threads(count: int) -> None:
    """Have libraries take so many threads in this process."""
    from threadpoolctl import threadpool_limits

    os.environ.update({name: str(count) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")})
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if count > 1 else "false"
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(count)
    threadpool_limits(count, user_api="blas")
