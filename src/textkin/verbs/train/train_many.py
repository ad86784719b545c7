"""Train several recipes with several seeds: one after the other, or some at a time in processes of their own.

A process of its own has one thread, so that as many runs as there are cores don't get in each other's way. It
ends with the process that started it, and one that is killed, for want of memory say, takes no other with it.
"""

import contextlib
import io
import multiprocessing
import os
import shutil
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

from textkin.base.errors import ConfigError, TextkinError, UsageError
from textkin.base.progress import note
from textkin.base.spelling import Spelling, is_command, spell_as
from textkin.networks.recipes.recipe import Recipe
from textkin.verbs.train.live import LivePage
from textkin.verbs.train.material import Material, shared_with_dev
from textkin.verbs.train.run_folder import RESULT
from textkin.verbs.train.train_recipe import TrainingRun, Watch, train

Device = Literal["auto", "cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Job:
    """One recipe with one seed, the run directory, the model to start from, and the page to show, if any."""

    recipe: Recipe
    seed: int
    folder: Path
    start: Path | None = None
    live: LivePage | None = None

    @property
    def is_done(self) -> bool:
        """True if an earlier call had completed it."""
        return (self.folder / RESULT).exists()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a job.

    Attributes:
        job: the job.
        run: its run, if there is one.
        failure: the reason why there is none.
        refused: the kind of error where it was refused rather than tried.
    """

    job: Job
    run: TrainingRun | None
    failure: str = ""
    refused: type[UsageError] | type[ConfigError] | None = None


def train_many(
    jobs: Sequence[Job], material: Material, *, processes: int | None = None, device: Device = "auto"
) -> Generator[Outcome, None, None]:
    """Train all jobs and give each as it ends; those that were trained before come first, at once.

    A job that fails stops no other, but those of its recipe that have not begun are left out.

    Args:
        jobs: the recipes and seeds to train.
        material: the training material.
        processes: number of parallel runs, each in a process with one thread; None for one after the
            other in this process.
        device: the device to train on.
    """
    done = [job for job in jobs if job.is_done]
    rest = deque(job for job in jobs if not job.is_done)
    for job in done:
        yield from _noting(_attempt(job, material, device), rest)
    if rest:
        for words in shared_with_dev(material):  # once for all jobs
            note(f"warning: {words}")
    for page in {job.live for job in rest if job.live is not None}:
        page.show()
        note(f"live page: {page.path}")
    if processes is None:
        while rest:
            yield from _noting(_attempt(rest.popleft(), material, device), rest)
    else:
        _tell_of_slow_precisions(rest)  # the processes say nothing themselves
        yield from _apart(rest, material, device, processes)


def _tell_of_slow_precisions(jobs: Iterable[Job]) -> None:
    from textkin.training.device import slowness_of

    for name, precision in {job.recipe.name: job.recipe.training.precision for job in jobs}.items():
        if (words := slowness_of(precision)) is not None:
            note(f"{name}: {words}")


def _noting(outcome: Outcome, rest: deque[Job]) -> Iterator[Outcome]:
    """Give the outcome; if it is a failure, take the other jobs of its recipe off the list first."""
    if outcome.run is None:
        others = [job for job in rest if job.recipe.name != outcome.job.recipe.name]
        rest.clear()
        rest.extend(others)
    yield outcome


def _attempt(job: Job, material: Material, device: Device) -> Outcome:
    try:
        if job.start is not None:  # the word vectors are that model's
            material = replace(material, vectors=None, start=job.start)
        run = train(
            job.recipe,
            material,
            out=job.folder,
            seed=job.seed,
            device=device,
            watch=Watch(live=job.live),
            look_for_leaks=False,
        )
        return Outcome(job, run)
    except TextkinError as error:
        from textkin.training.loop import CHECKPOINTS

        if not (job.is_done or (job.folder / CHECKPOINTS).exists()):
            # Nothing was learnt yet, and so nothing stands in the way of a corrected recipe.
            shutil.rmtree(job.folder, ignore_errors=True)
        return Outcome(job, None, str(error), _refusal(error))


def _refusal(error: TextkinError) -> type[UsageError] | type[ConfigError] | None:
    return next((kind for kind in (UsageError, ConfigError) if isinstance(error, kind)), None)


def _apart(rest: deque[Job], material: Material, device: Device, processes: int) -> Iterator[Outcome]:
    context = multiprocessing.get_context("spawn")
    running: dict[Connection, tuple[Job, BaseProcess]] = {}
    try:
        while rest or running:
            while rest and len(running) < processes:
                job = rest.popleft()
                mine, theirs = context.Pipe(duplex=False)
                given = (job, material, device, theirs, is_command())
                process = context.Process(target=_work, args=given, daemon=True)
                process.start()
                theirs.close()
                running[mine] = (job, process)
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)  # noqa: S101 - of what was waited for
                yield from _noting(_answer(ready, *running.pop(ready)), rest)
    finally:
        for _, unfinished in running.values():
            unfinished.terminate()
            unfinished.join()


def _answer(ready: Connection, job: Job, process: BaseProcess) -> Outcome:
    """The message of a process that has sent one, or has ended.

    Raises:
        RuntimeError: it ended by a defect.
    """
    try:
        answer = ready.recv()
    except EOFError:
        answer = None
    process.join()
    ready.close()
    if isinstance(answer, Outcome):
        return answer
    code = process.exitcode or 0
    if code >= 0:
        raise RuntimeError(f"the process that trained {job.folder.name} ended with exit code {code}")
    return Outcome(job, None, f"its process was killed by signal {-code}, as happens when memory runs out")


def _work(job: Job, material: Material, device: Device, answer: Connection, of_command: bool = False) -> None:
    """Run jobs in a separate process, which finds own parts as the one that started it."""
    if of_command:
        spell_as(Spelling("command"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which ends this process
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # by this, so that it clears up
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        import torch

        torch.set_num_threads(1)
        with contextlib.redirect_stderr(io.StringIO()):  # the bars of several trainings would get mixed up
            outcome = _attempt(job, material, device)
        answer.send(outcome)
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
