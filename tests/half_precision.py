"""The processor's support of bfloat16, for tests that need it."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch import nn


@cache
def lstm_in_bf16() -> bool:
    """True if torch supports an LSTM in bfloat16 here: only oneDNN does, on some processors."""
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            nn.LSTM(1, 1)(torch.zeros(1, 1, 1))[0].sum().backward()
    except RuntimeError:
        return False
    return True


def skip_without_bf16(module: nn.Module) -> None:
    """Skip the test if this network can't be computed in bfloat16 on this processor."""
    if any(isinstance(part, nn.LSTM) for part in module.modules()) and not lstm_in_bf16():
        pytest.skip("this processor has no LSTM in bfloat16: oneDNN needs AVX-512 for it")
