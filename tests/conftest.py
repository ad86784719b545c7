"""Settings of all tests."""

import gc
import itertools
import logging
import os
import re
import shutil
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# Two test processes share two cores: threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests start hundreds of processes. Each would compile textkin anew where nothing keeps the bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Settings of whoever runs the tests decide nothing here.
os.environ["TEXTKIN_CONFIG"] = ""

# Every store flushes to the disk before it says that something is kept, which is a tenth of the tests' time.
# Where memory serves as a disk and there is plenty of it, temporary folders are there.
MEMORY, AVAILABLE, ENOUGH = Path("/dev/shm"), re.compile(r"MemAvailable:\s+(\d+) kB"), 8 << 30
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
    spare = AVAILABLE.search(Path("/proc/meminfo").read_text())
    if spare and min(int(spare[1]) << 10, shutil.disk_usage(MEMORY).free) > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# A busy machine is no defect of the code. The examples are those of a run that people wait for.
settings.register_profile("short", deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("TEXTKIN_EXAMPLES", "short"))

COLLECTIONS = itertools.count()


# Each of these takes a core for 15 seconds or more. One that came last would leave the other core idle.
LONG = (
    *("test_pages.py", "server/test_serving_page.py", "server/test_kills.py", "cli/test_torchrun.py"),
    *("server/test_workers.py", "verbs/deploy/test_export.py", "models/passports/test_tampered.py"),
    *("server/test_two_writers.py", "collection/store/test_postgres.py", "server/test_running.py"),
    *("measures/intervals/test_finite_counts.py", "verbs/deploy/test_passport.py"),
    *("training/test_transfer.py", "verbs/label/test_session.py", "verbs/public/test_study.py"),
    *("server/test_bypasses.py", "test_kills.py", "server/test_postgres.py", "test_crash.py"),
    *("training/test_several_processes.py", "base/test_environment.py", "server/test_rehearsal.py"),
    "verbs/experiments/test_demo.py",
)


def pytest_collection_modifyitems(items):
    """Long modules first, then those with many tests; xdist hands modules out in this order."""
    folder = Path(__file__).parent
    sizes = Counter(item.path for item in items)
    places = {folder / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: (places.get(item.path, len(LONG)), -sizes[item.path], item.path))
    gc.collect()
    gc.freeze()  # what was imported stays, and isn't searched for garbage again and again


@pytest.fixture(scope="session")
def postgres():
    """A server, which those tests share that ask for it."""
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


@pytest.fixture(params=["folder", "postgres"])
def places(request, tmp_path):
    """Where collections are, in a folder and once more in a database: ``places / "c"`` is one."""
    return tmp_path if request.param == "folder" else InDatabase(request.getfixturevalue("postgres"))


@pytest.fixture(autouse=True)
def _same_random_numbers():
    """Each test that draws with torch draws the same, whatever ran before it."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _same_loudness():
    """No test leaves the process quieter or louder than it was, by which others would miss what is told."""
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
    """Takes note of what is looked for of all that is missing."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.errors: list[BaseException] = []  # of a fixture, for each test that uses it

    def find_spec(self, name, path=None, target=None):
        if name in MISSING:
            self.names.add(name)

    def skipped(self, report, path, error=None):
        """The report, as one of a test that is skipped if it failed for lack of a package."""
        if report.failed and (self.names or (error is not None and any(error is one for one in self.errors))):
            self.errors += [] if error is None else [error]
            needs = ", ".join(sorted(self.names)) or "what its fixture does"
            report.outcome, report.longrepr = "skipped", (str(path), 1, f"needs {needs}")
        self.names.clear()
        return report


if MISSING:
    # What fails after looking for such a package needs it. That all else runs without torch is what
    # test_light.py shows.
    _wanted = _Wanted()
    sys.meta_path.append(_wanted)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(collector):
        return _wanted.skipped((yield), collector.path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item, call):
        return _wanted.skipped((yield), item.path, call.excinfo and call.excinfo.value)
