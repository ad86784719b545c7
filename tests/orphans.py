"""Processes whose parent is gone, as children of the test process, which notices their end at once."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>


@contextmanager
def adopting() -> Iterator[None]:
    """Adopt orphaned processes as children of this process, on Linux. A context manager.

    Otherwise init adopts them, which on some machines checks for ended ones only every other second. Until
    then they can't be distinguished from running processes.
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    change = ctypes.CDLL(None).prctl
    change(_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        change(_CHILD_SUBREAPER, 0, 0, 0, 0)
