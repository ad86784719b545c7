"""Features of this machine's processor, and the measured speed of its matrix products.

Fast paths are chosen by measurement, not by a processor's name or features. These are for people, in bug
reports and next to measurements; and for the question if there is anything to measure.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.threads import cores, one_thread_each

if TYPE_CHECKING:
    import torch

LIMITS = (
    *("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS"),
    *("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"),
)
"""Environment variables that restrict libraries to fewer instructions or threads."""

_NAMED = {
    "avx2": "AVX2",
    "avx512_f": "AVX-512",
    "avx_ne_convert": "AVX bfloat16",
    "avx512_bf16": "AVX-512 bfloat16",
    "amx_bf16": "AMX bfloat16",
    "neon": "NEON",
    "sve": "SVE",
    "bf16": "bfloat16",
}
_PRODUCTS = ("avx512_bf16", "amx_bf16", "bf16")  # those of _NAMED with products in bfloat16
_PROCESSORS = Path("/proc/cpuinfo")
_OF_LINUX = {"avx512f": "avx512_f", "asimd": "neon"}  # Linux' own names for some of _NAMED
_SHAPE = (256, 384, 1536)  # as in a small encoder, so that even the slowest path takes bearable time
_TURNS = 3


@dataclass(frozen=True, slots=True)
class ProductSpeeds:
    """The speed of matrix products on one core.

    Attributes:
        fp32: in GFLOP/s, counting multiplications and additions.
        bf16: the same for matrices in bfloat16.
    """

    fp32: float
    bf16: float

    @property
    def gain(self) -> float:
        """The speed of bf16 products relative to fp32."""
        return self.bf16 / self.fp32

    @property
    def bf16_pays(self) -> bool:
        """True if bf16 products are no slower than fp32."""
        return self.gain >= 1

    @property
    def words(self) -> str:
        """The gain as a sentence."""
        return f"on this processor products in bf16 are {self.gain:.2f} times as fast as those in fp32"

    def __str__(self) -> str:
        return f"{self.fp32:,.0f} GFLOP/s in fp32, {self.bf16:,.0f} in bf16"


def product_speeds(*, shape: tuple[int, int, int] = _SHAPE, turns: int = _TURNS) -> ProductSpeeds:
    """Measure matrix products on one core: the best of several runs, in processor time.

    It takes a fraction of a second with the default shape, even if bfloat16 is computed number by number.

    Args:
        shape: rows, inner dimension and columns.
        turns: number of runs of each.
    """
    import torch

    return ProductSpeeds(*(_speed(dtype, shape, turns) for dtype in (torch.float32, torch.bfloat16)))


def processor_name() -> str:
    """The processor's own name."""
    return str(_capabilities().get("cpu_name") or "an unknown processor")


def features() -> tuple[str, ...]:
    """The processor's instruction sets, ignoring any restrictions on libraries.

    The names are torch's. Without torch, it is everything that Linux reports, and nothing elsewhere.
    """
    return tuple(sorted(name for name, has in _capabilities().items() if has is True))


def may_have_bf16() -> bool:
    """False if Linux says that this processor has no instructions for products in bfloat16."""
    found = {name for name, has in _told_by_linux().items() if has is True}
    return not found or not found.isdisjoint(_PRODUCTS)


def described() -> str:
    """The processor in one line: cores, features that matter for speed, and measured products."""
    found = features()
    sets = [words for name, words in _NAMED.items() if name in found]
    if not any("bfloat16" in words for words in sets):
        sets.append("no bfloat16")
    held = [f"{name}={os.environ[name]}" for name in LIMITS if name in os.environ]
    speeds = product_speeds(shape=(2048, 384, 2048))
    return (
        f"{cores()} cores, {processor_name()}; {', '.join(sets)}"
        + (f"; held to {', '.join(held)}" if held else "")
        + f"; a core's products: {speeds}"
    )


def _speed(dtype: torch.dtype, shape: tuple[int, int, int], turns: int) -> float:
    import torch

    rows, inner, columns = shape
    left, right = torch.ones(rows, inner, dtype=dtype), torch.ones(columns, inner, dtype=dtype)
    seconds = []
    with one_thread_each(), torch.inference_mode():
        for _ in range(turns):
            start = time.thread_time()
            torch.mm(left, right.T)
            seconds.append(time.thread_time() - start)
    return 2e-9 * rows * inner * columns / max(min(seconds), 1e-9)


def _capabilities() -> dict[str, object]:
    try:
        import torch

        tell = getattr(torch.cpu, "get_capabilities", None)  # newer than torch 2.8
    except Exception:  # not installed, or broken in any way
        tell = None
    return _told_by_linux() if tell is None else dict(tell())


def _told_by_linux() -> dict[str, object]:
    """Linux' features of the first processor, under torch's names; none on other systems."""
    try:
        first = _PROCESSORS.read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        return {}
    found = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())
    }
    sets = (found.get("flags") or found.get("Features") or "").split()
    return {"cpu_name": found.get("model name")} | {_OF_LINUX.get(name, name): True for name in sets}
