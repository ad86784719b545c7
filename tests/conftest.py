"""Settings of all tests."""

import os
import sys

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
