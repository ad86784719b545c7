"""The header of every benchmark's results: versions, the processor, its product speed."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import version


def show_setting(*packages: str) -> None:
    """Print Python's version, those of packages, and the machine in one line.

    The machine is measured in a separate process, so that this one doesn't load torch needlessly.
    """
    names = ", ".join(f"{name} {version(name)}" for name in ("textkin", *packages))
    print(f"Python {platform.python_version()}, {names}")
    code = "from textkin.base.cpu import described; print(described())"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    print(told.stdout.strip(), flush=True)
