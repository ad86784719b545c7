"""What stands above every benchmark's figures: versions, the processor, what its products reach."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import version


def show_setting(*packages: str) -> None:
    """Print Python's version, those of packages, and the machine in one line.

    The machine is measured in a process of its own, so that this one loads no torch that it does not need.
    """
    names = ", ".join(f"{name} {version(name)}" for name in ("textkin", *packages))
    print(f"Python {platform.python_version()}, {names}")
    code = "from textkin.base.cpu import described; print(described())"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    print(told.stdout.strip(), flush=True)
