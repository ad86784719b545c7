"""Memory that libraries keep: bounded, and handed back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from textkin.server.memory import bound_libraries, giver_back

VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

GROWS = """
import torch
from torch import nn
from textkin.nn.packed_linear import PackedLinear, has_fused
from textkin.server.memory import bound_libraries, giver_back

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
    """Kilobytes by which a process grows that multiplies matrices of 298 shapes, and remembers so many."""
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


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system doesn't say")
def test_shapes_that_come_once_are_forgotten() -> None:
    pytest.importorskip("torch")
    assert grown(16) < 0.75 * grown(1_024)


def test_who_has_set_the_variable_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7")
    bound_libraries()
    assert os.environ[VARIABLE] == "7"


@pytest.mark.skipif(giver_back() is None, reason="this C library has no malloc_trim")
def test_freed_memory_can_be_handed_back() -> None:
    give = giver_back()
    assert give is not None
    give()
