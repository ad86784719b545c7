"""The plugin of ``dev.py test --quick``: its deselection, and its limits on each quick test.

A test with one of the marks below is deselected, and a module with one isn't even imported. The remaining
tests may not import torch, start a process or open a connection, nor take long: they fail, with the mark that
they need.
"""

from __future__ import annotations

import re
import sys
import time

import pytest
from hypothesis import settings
from numba.core import event

LEFT_OUT = ("long", "slow", "torch", "apart")
MOST_SECONDS = 2.0  # of processor time, fixtures included, those of the session aside
EXAMPLES = 8

HEAVY = {"torch", "transformers", "accelerate", "sentence_transformers", "peft", "ray"}
PROCESSES = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system", "socket.bind", "socket.connect"}

MARKS_OF_MODULE = re.compile(r"^pytestmark = (?:\[[^]]*\]|.*)", re.MULTILINE)
A_MARK = re.compile(rf"pytest\.mark\.(?:{'|'.join(LEFT_OUT)})\b")


def is_left_out(source: str) -> bool:
    """True if a module's own marks deselect it."""
    found = MARKS_OF_MODULE.search(source)
    return found is not None and A_MARK.search(found[0]) is not None


class Guard:
    """Blocks actions forbidden in quick tests, while one is collected or run."""

    def __init__(self) -> None:
        self.is_up = False
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_up:
            return
        if event == "import" and (name := str(arguments[0]).partition(".")[0]) in HEAVY:
            self._fail(f"imports {name}", "torch")
        if event in PROCESSES:
            self._fail(f"starts a process or opens a connection ({event})", "slow")

    def _fail(self, what: str, mark: str) -> None:
        self.is_up = False  # the reporter may do anything
        pytest.fail(f"a quick test that {what}; mark it, or its module, with pytest.mark.{mark}")


def seconds() -> float:
    """Processor seconds used by this process; a quick test starts no others."""
    return time.process_time()


class Compiling(event.Listener):
    """Counts the processor seconds of compiled loops, which only the first run on a machine takes."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._start = 0.0, 0, 0.0

    def on_start(self, event):
        if not self._depth:
            self._start = seconds()
        self._depth += 1

    def on_end(self, event):
        self._depth -= 1
        if not self._depth:
            self.seconds += seconds() - self._start


class Quick:
    """The hooks, in each process that collects and runs tests."""

    def __init__(self) -> None:
        self._guard, self._compiling = Guard(), Compiling()
        self._start = 0.0
        event.register("numba:compile", self._compiling)

    def _seconds(self) -> float:
        return seconds() - self._compiling.seconds

    def pytest_ignore_collect(self, collection_path):
        if collection_path.suffix == ".py" and is_left_out(collection_path.read_text(encoding="utf-8")):
            return True
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        self._guard.is_up = True
        try:
            return (yield)
        finally:
            self._guard.is_up = False

    def pytest_collection_modifyitems(self, config, items):
        slow = [item for item in items if any(item.get_closest_marker(mark) for mark in LEFT_OUT)]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self._guard.is_up, self._start = True, self._seconds()
        try:
            return (yield)
        finally:
            self._guard.is_up = False

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        start = self._seconds()
        try:
            return (yield)
        finally:
            if fixturedef.scope == "session":  # what is shared, and imported first, is not a single test's
                self._start += self._seconds() - start

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        done = yield
        if (taken := self._seconds() - self._start) > MOST_SECONDS:
            pytest.fail(
                f"a quick test that takes {taken:.1f} s of processor time; mark it with pytest.mark.slow"
            )
        return done


def pytest_configure(config):
    settings.register_profile("few", deadline=None, max_examples=EXAMPLES)
    settings.load_profile("few")
    config.pluginmanager.register(Quick())
