"""What a bug report needs: versions, the processor, which fast paths are taken, threads and folders."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import final

from textkin import __version__
from textkin.hub import cache
from textkin.processor import LIMITS, ProductSpeeds, features, processor_name, product_speeds
from textkin.threads import cores

_FURTHER_LIMITS = ("CUDA_VISIBLE_DEVICES", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "NUMBA_CACHE_DIR")
_DEVELOPERS_EXTRAS = {"bench", "dev"}
_FAST, _SLOW = "fast path", "slow path"


@final
@dataclass(frozen=True, slots=True)
class FastPath:
    """A faster way of computing, with the same results, that some machines lack.

    Attributes:
        name: what is computed.
        taken: whether it is, on this machine.
        why: what was found.
    """

    name: str
    taken: bool
    why: str


@final
@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A machine as far as textkin depends on it; nothing of it names the machine or its user but folders.

    Attributes:
        textkin: its version.
        python: its version and its make.
        system: operating system and kind of processor.
        packages: versions of the packages that textkin needs; None where one is not installed.
        extras: those of optional packages.
        processor: its name.
        features: its instruction sets.
        cores: how many of them this process may use.
        threads: how many torch takes for one operation; None without it.
        memory: of the machine, in bytes; None where the system doesn't say.
        gpus: their names.
        speeds: of products of matrices on one core; None without torch.
        paths: the fast paths; none without torch.
        limits: environment variables that are set and change what is used.
        folders: where models and compiled loops are kept; None where there is no such place.
    """

    textkin: str
    python: str
    system: str
    packages: dict[str, str | None]
    extras: dict[str, str | None]
    processor: str
    features: tuple[str, ...]
    cores: int
    threads: int | None
    memory: int | None
    gpus: tuple[str, ...]
    speeds: ProductSpeeds | None
    paths: tuple[FastPath, ...]
    limits: dict[str, str]
    folders: dict[str, Path | None]

    def rows(self) -> list[tuple[str, str]]:
        """Subjects with what was found, for a table."""
        memory = "unknown" if self.memory is None else f"{self.memory / 2**30:.1f} GiB"
        return [
            ("textkin", self.textkin),
            ("Python", self.python),
            ("system", self.system),
            ("packages", _listed(self.packages)),
            ("optional", _listed(self.extras)),
            ("processor", f"{self.processor}, {self.cores} cores, {self.threads} threads, {memory}"),
            ("instructions", ", ".join(self.features) or "unknown"),
            ("GPU", ", ".join(self.gpus) or "none"),
            ("products of a core", "unknown: no torch" if self.speeds is None else str(self.speeds)),
            *((one.name, f"{_FAST if one.taken else _SLOW}: {one.why}") for one in self.paths),
            ("environment", ", ".join(f"{key}={value}" for key, value in self.limits.items()) or "-"),
            *((name, "none" if path is None else str(path)) for name, path in self.folders.items()),
        ]


def doctor() -> Diagnosis:
    """Look at this machine, and measure for a fraction of a second how fast it multiplies matrices.

    Works without torch and other packages, too, since their absence may be what is wrong.

    Example:
        >>> import textkin as tk
        >>> tk.doctor().textkin == tk.__version__
        True
    """
    packages, extras = _requirements()
    neural = _has_torch()
    speeds = product_speeds() if neural else None
    loops = _folder_of_loops() if packages.get("numba") else None
    return Diagnosis(
        textkin=__version__,
        python=f"{platform.python_version()} ({platform.python_implementation()})",
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        packages=packages,
        extras=extras,
        processor=processor_name() if neural else platform.processor() or "unknown",
        features=features() if neural else (),
        cores=cores(),
        threads=_threads() if neural else None,
        memory=_memory(),
        gpus=_gpus() if neural else (),
        speeds=speeds,
        paths=() if speeds is None else tuple(_paths(speeds, loops)),
        limits={name: os.environ[name] for name in (*LIMITS, *_FURTHER_LIMITS) if name in os.environ},
        folders={"models": cache(), "compiled loops": loops, "Python": Path(sys.prefix)},
    )


def _paths(speeds: ProductSpeeds, loops: Path | None) -> Iterator[FastPath]:
    import torch

    from textkin.nn.packed_linear import has_fused

    yield FastPath("torch's kernels", *_kernels(torch.backends.cpu.get_cpu_capability()))
    for words, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        fused = has_fused(dtype)
        yield FastPath(f"layers in {words}", fused, "oneDNN's, fused" if fused else "torch's own, one by one")
    pays = speeds.gain > 1
    yield FastPath(
        "bf16",
        pays,
        f"its products are {speeds.gain:.2f} times as fast as those in fp32, so encoding in 'auto' "
        + ("tries it" if pays else "stays in fp32"),
    )
    kept = "compiled once and kept" if loops else "compiled anew by each process: no folder can be written"
    yield FastPath("loops", loops is not None, kept)


def _has_torch() -> bool:
    try:
        import torch
    except (ImportError, OSError):  # not installed, or a library that it needs is not
        return False
    return bool(torch.__version__)


def _threads() -> int:
    import torch

    return torch.get_num_threads()


def _gpus() -> tuple[str, ...]:
    import torch

    return tuple(torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count()))


def _listed(versions: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name} {found or '-'}" for name, found in versions.items())


def _kernels(level: str) -> tuple[bool, str]:
    return level not in ("DEFAULT", "NO AVX"), f"for {level}"


def _folder_of_loops() -> Path | None:
    """Where numba keeps the machine code of a module here, as it would for every other one."""
    from textkin.nn import softmax_loops

    # numba offers no public way to ask.
    folder = getattr(getattr(softmax_loops.softmax_fp32, "_cache", None), "cache_path", None)
    return None if folder is None else Path(folder)


def _requirements() -> tuple[dict[str, str | None], dict[str, str | None]]:
    """The packages that textkin needs, and those that people may add, with their versions."""
    needed, optional = set(), set()
    for line in requires("textkin") or []:
        name, extra = re.findall(r"^[\w.-]+", line)[0], re.findall(r"extra == ['\"](\w+)", line)
        if not extra:
            needed.add(name)
        elif extra[0] not in _DEVELOPERS_EXTRAS:
            optional.add(name)
    first, second = ({name: _version(name) for name in sorted(names)} for names in (needed, optional))
    return first, second


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
