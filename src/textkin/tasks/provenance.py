"""What a run depended on: hashes of code and files, versions of libraries, the machine in words."""

from __future__ import annotations

import os
import platform
from importlib import metadata, resources
from pathlib import Path

from textkin import __version__
from textkin.files import sha256_of_file, sha256_of_json

_LIBRARIES = ("numpy", "scipy", "torch", "tokenizers", "safetensors", "accelerate", "pydantic")


def code_hash() -> str:
    """One hash of all of textkin's Python files and recipes, as installed."""
    root = Path(str(resources.files("textkin")))
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml"))
    return sha256_of_json({path.relative_to(root).as_posix(): sha256_of_file(path) for path in files})


def versions() -> dict[str, str]:
    """Versions of Python, textkin and the libraries that figures depend on."""
    found = {"python": platform.python_version(), "textkin": __version__}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """The machine in words: cores, memory, system."""
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        memory = f"{gigabytes:.0f} GiB of memory, "
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{cores} cores, {memory}{platform.system()} on {platform.machine()}"


def hashes_of(folder: Path, names: list[str]) -> dict[str, str]:
    """The hash of each of these files below ``folder``."""
    return {name: sha256_of_file(folder / name) for name in names}
