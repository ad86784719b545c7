"""Settings of all tests."""

import gc
import itertools
import logging
import os
import re
import secrets
import shutil
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import settings

# Two test processes share two cores: threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start hundreds of processes. Without stored bytecode, each would compile textkin, this one the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Settings of the test runner's user have no effect here.
os.environ["TEXTKIN_CONFIG"] = ""

# Every store flushes to disk before it acknowledges, which takes a tenth of the tests' time. If there is a
# large file system in memory, temporary folders are there.
MEMORY, AVAILABLE, ENOUGH = Path("/dev/shm"), re.compile(r"MemAvailable:\s+(\d+) kB"), 8 << 30
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
    spare = AVAILABLE.search(Path("/proc/meminfo").read_text())
    if spare and min(int(spare[1]) << 10, shutil.disk_usage(MEMORY).free) > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# A busy machine is not a defect of the code. The examples are those of a run that people wait for.
settings.register_profile("short", deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("TEXTKIN_EXAMPLES", "short"))

COLLECTIONS = itertools.count()


def pytest_collection_modifyitems(items):
    """Long modules first, then those with many tests; xdist hands modules out in this order.

    A long one at the end would leave the other core idle.
    """
    sizes = Counter(item.path for item in items)
    items.sort(
        key=lambda item: (item.get_closest_marker("long") is None, -sizes[item.path], item.path),
    )
    gc.collect()
    gc.freeze()  # imported modules stay, and aren't searched for garbage repeatedly


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    from tests.server.browsing import BROWSER

    with sync_playwright() as made:
        found = made.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def postgres():
    """A server shared by the tests that use it."""
    from tests.postgres_server import MISSING as ABSENT
    from tests.postgres_server import postgres_server

    if ABSENT:
        pytest.skip(f"needs {', '.join(ABSENT)}")
    with postgres_server() as server:
        yield server


class InDatabase:
    """Addresses of collections by the names that a folder would have."""

    def __init__(self, server):
        self._server = server
        self._names = {}

    def __truediv__(self, name):
        return self._server.address(self._names.setdefault(name, f"places{next(COLLECTIONS)}"))


@pytest.fixture(params=["folder", pytest.param("postgres", marks=pytest.mark.slow)])
def places(request, tmp_path):
    """Locations of collections, in a folder and once more in a database: ``places / "c"`` is one."""
    return tmp_path if request.param == "folder" else InDatabase(request.getfixturevalue("postgres"))


@pytest.fixture(scope="session", autouse=True)
def _the_box_is_opened_once():
    """Open the built-in static encoder once, as it never changes and hundreds of tests use it."""
    from textkin.base.hub import DEFAULT, located
    from textkin.text import static_embeddings as static

    read, box, kept = static._read, located(DEFAULT), {}

    def opened(folder):
        if folder != box:
            return read(folder)
        if not kept:
            kept[box] = read(box)
        return kept[box]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(static, "_read", opened)
        yield


@pytest.fixture(autouse=True)
def _same_random_numbers():
    """Give each test that draws with torch the same random numbers, whatever ran before it."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _same_loudness():
    """Restore the process's verbosity after each test, so that others don't miss messages."""
    logger = logging.getLogger("textkin")
    before = logger.level
    yield
    after = logger.level
    logger.setLevel(before)
    assert after == before


OPTIONAL = (
    *("torch", "transformers", "accelerate", "sentence_transformers", "model2vec", "peft"),
    *("faiss", "onnx", "onnxruntime", "onnxscript", "openvino"),
)
MISSING = {name for name in OPTIONAL if find_spec(name) is None}


class _Wanted:
    """Records the missing packages that are imported."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.errors: list[BaseException] = []  # of a fixture, for each test that uses it

    def find_spec(self, name, path=None, target=None):
        if name in MISSING:
            self.names.add(name)

    def skipped(self, report, path, error=None):
        """The report, turned into a skip if the test failed for lack of a package."""
        if report.failed and (self.names or (error is not None and any(error is one for one in self.errors))):
            self.errors += [] if error is None else [error]
            needs = ", ".join(sorted(self.names)) or "what its fixture does"
            report.outcome, report.longrepr = "skipped", (str(path), 1, f"needs {needs}")
        self.names.clear()
        return report


if MISSING:
    # A test that fails after importing such a package needs it. test_light.py shows that all else runs
    # without torch.
    _wanted = _Wanted()
    sys.meta_path.append(_wanted)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(collector):
        return _wanted.skipped((yield), collector.path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item, call):
        return _wanted.skipped((yield), item.path, call.excinfo and call.excinfo.value)


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Write a module that Python finds; return its name, which no other test uses."""

    def write(text, folder=tmp_path / "own", *, found=True):
        name = f"own_{secrets.token_hex(4)}"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(dedent(text), encoding="utf-8")
        if found:
            monkeypatch.syspath_prepend(str(folder))
        return name

    return write
