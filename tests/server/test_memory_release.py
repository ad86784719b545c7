"""Memory kept by libraries: bounded, and returned."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from textkin.server.memory_release import (
    bound_libraries,
    garbage_of_requests_only,
    giver_back,
    search_all_garbage_once,
)

VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

GROWS = """
import torch
from torch import nn
from textkin.networks.nn.packed_linear import PackedLinear, has_fused
from textkin.server.memory_release import bound_libraries, giver_back

def anonymous():
    lines = open("/proc/self/smaps_rollup").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))

bound_libraries()
layer = PackedLinear([nn.Linear(64, 64)], dtype=torch.float32)
with torch.inference_mode():
    layer(torch.zeros(1, 64))
    before = anonymous()
    for rows in range(2, 300):
        layer(torch.zeros(rows, 64))
if give_back := giver_back():
    give_back()
print(anonymous() - before if has_fused(torch.float32) else "no oneDNN")
"""


def grown(programs: int) -> int:
    """The growth in kilobytes of a process that multiplies matrices of 298 shapes, and caches that many."""
    told = subprocess.run(
        [sys.executable, "-c", GROWS],
        env=os.environ | {VARIABLE: str(programs)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if told == "no oneDNN":
        pytest.skip(f"this torch has {told}")
    return int(told)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system doesn't say")
def test_shapes_that_come_once_are_forgotten() -> None:
    pytest.importorskip("torch")
    assert grown(16) < 0.75 * grown(1_024)


MAPPED = """
import ctypes
from textkin.server.memory_release import bound_libraries

class Mallinfo2(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo2
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
bound_libraries()
libc.free(libc.malloc(30_000_000))  # raises a threshold that nobody has set to 30 MB
before = libc.mallinfo2().hblkhd
libc.malloc(20_000_000)
print(libc.mallinfo2().hblkhd - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    getattr(ctypes.CDLL(None), "mallinfo2", None) is None,
    reason="this C library is not a glibc of 2.33 or newer",
)
@pytest.mark.parametrize(("chosen", "is_mapped"), [(None, True), ("31000000", False)])
def test_large_blocks_are_the_systems_own_so_that_they_go_back(chosen: str | None, is_mapped: bool) -> None:
    rest = {key: value for key, value in os.environ.items() if not key.startswith("MALLOC_")}
    told = subprocess.run(
        [sys.executable, "-c", MAPPED],
        env=rest | ({} if chosen is None else {"MALLOC_MMAP_THRESHOLD_": chosen}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert (int(told.stdout) >= 20_000_000) == is_mapped


STATES = """
import resource, threading
import numpy as np
from textkin.server.memory_release import bound_libraries

def compute():
    states = [np.ones(6_000_000, np.uint8) for _ in range(2)]

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def work():
    compute()
    before = faults()
    for _ in range(50):
        compute()
    print(faults() - before)

bound_libraries()
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.slow
@pytest.mark.skipif(giver_back() is None, reason="this C library is not a glibc")
def test_what_networks_compute_with_is_kept_from_one_batch_to_the_next() -> None:
    rest = {key: value for key, value in os.environ.items() if not key.startswith("MALLOC_")}
    told = subprocess.run(
        [sys.executable, "-c", STATES], env=rest, capture_output=True, text=True, check=True
    )
    assert int(told.stdout) < 2_000, "pages are faulted in anew"  # of 150,000 that were written


def test_who_has_set_the_variable_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7")
    bound_libraries()
    assert os.environ[VARIABLE] == "7"


@pytest.mark.skipif(giver_back() is None, reason="this C library has no malloc_trim")
def test_freed_memory_can_be_handed_back() -> None:
    give = giver_back()
    assert give is not None
    give()


class Model:
    """An object in a reference cycle with itself, as networks are."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.slow
def test_garbage_is_searched_for_in_what_requests_bring_and_in_all_when_asked() -> None:
    loaded = Model()
    seen = weakref.ref(loaded)
    with garbage_of_requests_only():
        brought = weakref.ref(Model())
        del loaded
        gc.collect()
        assert brought() is None and seen() is not None
        search_all_garbage_once()
        assert seen() is None
    assert gc.get_freeze_count() == 0
