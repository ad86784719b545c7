"""Settings of all tests."""

import os
import sys
from importlib.util import find_spec

import pytest
from hypothesis import settings

# Two test processes share two cores: threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no defect of the code.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture(autouse=True)
def _same_random_numbers():
    """Each test that draws with torch draws the same, whatever ran before it."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


NEURAL = {"torch", "transformers", "accelerate", "sentence_transformers", "peft", "model2vec"}
NEEDS = "needs torch: pip install 'textkin[train]'"


class _Wanted:
    """Takes note of what is looked for and not installed of all that needs torch."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NEURAL:
            self.names.add(name)


if find_spec("torch") is None:
    # What fails after looking for torch needs it. That all else runs without is what test_light.py shows.
    _wanted = _Wanted()
    sys.meta_path.append(_wanted)

    def _skipped(report, path):
        if report.failed and _wanted.names:
            report.outcome, report.longrepr = "skipped", (str(path), 1, NEEDS)
        _wanted.names.clear()
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(collector):
        return _skipped((yield), collector.path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item, call):
        return _skipped((yield), item.path)
