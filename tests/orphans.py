"""Processes whose parent is gone, as children of the test process, which sees at once when they end."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>


@contextmanager
def adopting() -> Iterator[None]:
    """Who is orphaned meanwhile becomes a child of this process, on Linux.

    Otherwise init has it, which on some machines looks only every other second for those that have ended.
    Until then they can't be told from processes that run.
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
