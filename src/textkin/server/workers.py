"""Worker processes that share a socket and the models' memory, and are restarted if they die.

The first process opens the models, with one thread, and then forks workers. They share its memory, and the
system copies only modified pages, which weights never are. The first process itself answers nothing. A worker
opens collections, which are files with locks, and starts its own threads.
"""

import gc
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from socket import socket, socketpair
from tempfile import TemporaryDirectory

from textkin.base.errors import DataError, ModelError, OutputError, TextkinError, UsageError, VerifyError
from textkin.base.threads import cores
from textkin.server.log import ServerLog
from textkin.server.metrics import SharedMetrics
from textkin.server.open_service import ReadyModels

READY = b"ready"
"""A worker's message to the first process when it accepts requests, or the reason why it can't."""

_LOOK = 1.0  # seconds between two checks of idle workers
_PATIENCE = 45.0  # seconds to stop; a worker takes 30 to finish its requests
_FIRST_PAUSE, _LAST_PAUSE = 0.1, 10.0  # seconds before a dead worker is restarted
_LASTING = 10.0  # seconds after which a worker's death isn't an immediate one
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_THREADS = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """The inputs of a worker process.

    Attributes:
        models: the open models.
        metrics: its metrics files.
        first_is_gone: a file descriptor that becomes readable when the first process is gone.
        ready: call this once requests are accepted.
    """

    models: ReadyModels
    metrics: SharedMetrics
    first_is_gone: int
    ready: Callable[[], None]


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process, as seen by the first one.

    Attributes:
        process: the process.
        metrics: its metrics files.
        heard: receives its messages.
        began: its start time, by the monotonic clock.
        told: its messages so far.
    """

    process: ForkProcess
    metrics: SharedMetrics
    heard: Connection
    began: float = field(default_factory=time.monotonic)
    told: bytes = b""

    @property
    def is_ready(self) -> bool:
        return self.told == READY

    def has_ended(self) -> bool:
        """True if it has ended, after reading its last messages."""
        is_alive = self.process.is_alive()
        with suppress(EOFError):
            while not self.told and self.heard.poll():
                self.told = self.heard.recv_bytes()
        return not is_alive

    def let_go(self) -> None:
        """Clean up after it has ended."""
        self.metrics.leave()
        self.heard.close()


class WorkerProcesses:
    """The first process of a server with several.

    Args:
        count: the number of workers.
        models: the models they share.
        work: the work of a worker until it is stopped, in its process.
        log: the log of starts and ends.
        sock: the shared socket, closed when the server stops.
        threads: the number of threads for a worker's libraries.
    """

    def __init__(
        self,
        count: int,
        models: ReadyModels,
        work: Callable[[WorkerStart], None],
        *,
        log: ServerLog,
        sock: socket,
        threads: int,
    ) -> None:
        self._count, self._models, self._work = count, models, work
        self._log, self._sock, self._threads = log, sock, threads
        self._at_work: list[_Worker] = []
        self._coming: list[_Worker] = []
        self._leaving: list[_Worker] = []
        self._next: ReadyModels | None = None  # of the starting ones
        self._is_to_renew = self._is_to_end = False
        self._pause, self._not_before = _FIRST_PAUSE, 0.0
        self._pid, self._metrics = os.getpid(), TemporaryDirectory(prefix="textkin-")
        self._alive, self._first_is_here = os.pipe()

    def run(self, started: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM. SIGHUP reopens changed models, with new workers.

        Args:
            started: called when all workers accept requests for the first time.

        Raises:
            UsageError, DataError, ModelError: a worker can't open its models or collections.
            OutputError: a worker can't start.
        """
        with self._metrics, _signals() as signals:
            try:
                self._begin(self._at_work, self._models)
                self._wait_for_first(signals)
                if not self._is_to_end:
                    started()
                while not self._is_to_end:
                    self._look()
                    self._wait(signals, self._everyone)
            finally:
                self._stop(signals)

    @property
    def _everyone(self) -> list[_Worker]:
        return [*self._at_work, *self._coming, *self._leaving]

    def _wait_for_first(self, signals: socket) -> None:
        while not self._is_to_end and not all(one.is_ready for one in self._at_work):
            self._wait(signals, self._at_work)
            if ended := self._ended(self._at_work):
                raise _error_of(ended[0])

    def _wait(self, signals: socket, workers: Sequence[_Worker]) -> None:
        """Wait for a signal, for a worker to end or send a message, or for a second."""
        heard = [one.heard for one in workers if not one.told]
        wait([signals, *heard, *(one.process.sentinel for one in workers)], _LOOK)
        with suppress(BlockingIOError):
            for number in signals.recv(4_096):
                self._is_to_renew |= number == signal.SIGHUP
                self._is_to_end |= number != signal.SIGHUP

    def _look(self) -> None:
        """Handle pending events."""
        self._ended(self._leaving)
        now = time.monotonic()
        for one in self._ended(self._at_work):
            self._log.tell("worker ended", {"pid": one.process.pid, "seconds": round(now - one.began, 1)})
            lasted = one.is_ready and now - one.began >= _LASTING
            self._pause = _FIRST_PAUSE if lasted else min(2 * self._pause, _LAST_PAUSE)
            self._not_before = now + self._pause
        if now >= self._not_before:
            self._begin(self._at_work, self._models)
        if self._next is not None:
            self._follow(self._next)
        elif self._is_to_renew and not self._leaving:
            self._is_to_renew = False
            self._renew()

    def _renew(self) -> None:
        """Reopen changed models, and start workers to replace the current ones."""
        try:
            models = ReadyModels(self._models.served, before=self._models)
        except Exception as error:  # the previous models stay
            self._log.tell("reload failed", {"error": str(error)})
            return
        if models.all_parted and not models.names_of_others(self._models):
            self._log.tell("reloaded", {"models": []})
            return
        self._next = models
        self._begin(self._coming, models)

    def _follow(self, models: ReadyModels) -> None:
        """Let the starting workers take over, once all of them accept requests."""
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
            one.process.terminate()
        self._leaving += workers

    def _begin(self, workers: list[_Worker], models: ReadyModels) -> None:
        """Start workers up to their full number."""
        while len(workers) < self._count:
            workers.append(self._begun(models))

    def _begun(self, models: ReadyModels) -> _Worker:
        """Fork another worker."""
        taken = {one.metrics.slot for one in self._everyone}
        slot = next(slot for slot in range(1 + len(taken)) if slot not in taken)
        metrics, context = SharedMetrics(Path(self._metrics.name), slot), get_context("fork")
        heard, telling = context.Pipe(duplex=False)
        gc.collect()
        gc.freeze()  # so that garbage collection doesn't touch shared memory
        process = context.Process(target=self._be_worker, args=(models, metrics, telling))
        process.start()
        telling.close()
        return _Worker(process, metrics, heard)

    def _be_worker(self, models: ReadyModels, metrics: SharedMetrics, telling: Connection) -> None:
        """Work, then exit without cleaning up the first process's resources."""
        code = 70
        try:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # sent by a terminal to all processes
            signal.set_wakeup_fd(-1)
            os.close(self._first_is_here)
            _take_threads(self._threads)

            def ready() -> None:
                telling.send_bytes(READY)
                telling.close()

            self._work(WorkerStart(models, metrics, self._alive, ready))
            code = 0
        except Exception as error:
            code = error.exit_code if isinstance(error, TextkinError) else code
            words = str(error) if isinstance(error, TextkinError) else type(error).__name__
            try:
                telling.send_bytes(b"%d\n%b" % (code, words.encode()))
            except OSError:  # it was ready before
                self._log.tell("worker failed", {"pid": os.getpid(), "error": words})
        finally:
            if os.getppid() != self._pid:  # the first process is gone, and can't clean up
                shutil.rmtree(metrics.folder, ignore_errors=True)
            with suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)

    def _ended(self, workers: list[_Worker]) -> list[_Worker]:
        """Remove the workers that have ended."""
        found = [one for one in workers if one.has_ended()]
        for one in found:
            workers.remove(one)
            one.let_go()
        return found

    def _stop(self, signals: socket) -> None:
        """Stop all workers, killing those that take too long."""
        self._sock.close()  # or it would accept connections that nobody answers
        everyone = self._everyone
        for one in everyone:
            one.process.terminate()
        late = time.monotonic() + _PATIENCE
        while everyone:
            self._wait(signals, everyone)
            self._ended(everyone)
            if time.monotonic() > late:
                for one in everyone:
                    one.process.kill()
        os.close(self._alive)
        os.close(self._first_is_here)


def _error_of(worker: _Worker) -> TextkinError:
    """The reason why a worker can't start, as the exception of a single process."""
    code, _, words = worker.told.decode(errors="replace").partition("\n")
    known = {str(one.exit_code): one for one in (UsageError, DataError, ModelError, VerifyError)}
    if code in known:
        return known[code](words)
    return OutputError(f"a worker can't start: {words or 'it was ended'}", fix="serve with `workers=1`")


@contextmanager
def _signals() -> Iterator[socket]:
    """A socket that receives the number of each signal in the block."""
    heard, telling = socketpair()
    for one in (heard, telling):
        one.setblocking(False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    wakeup = signal.set_wakeup_fd(telling.fileno(), warn_on_full_buffer=False)
    try:
        yield heard
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        heard.close()
        telling.close()


def threads_each(workers: int) -> int:
    """Threads per worker: OMP_NUM_THREADS, or a fraction of the cores."""
    chosen = os.environ.get("OMP_NUM_THREADS", "")
    return int(chosen) if chosen.isdecimal() and int(chosen) else max(1, cores() // workers)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Open and run models without threads, which can't be forked. A context manager."""
    chosen = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(_THREADS)
    if (torch := sys.modules.get("torch")) is not None:  # otherwise it reads the environment when loaded
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
    """Set the number of threads of libraries in this process."""
    from threadpoolctl import threadpool_limits

    os.environ.update({name: str(count) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")})
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if count > 1 else "false"
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(count)
    threadpool_limits(count, user_api="blas")
