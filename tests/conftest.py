"""Settings of all tests."""

import os

# Two test processes share two cores: threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
