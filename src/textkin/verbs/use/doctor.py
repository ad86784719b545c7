"""System information for a bug report: versions, processor, fast paths, threads and folders."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, Any

from textkin.base.argument_checks import checked
from textkin.base.cpu import LIMITS, ProductSpeeds, features, processor_name, product_speeds
from textkin.base.errors import said
from textkin.base.hub import cache
from textkin.base.options import Option
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.base.threads import cores
from textkin.verbs.use.models import ModelAtHand, list_models
from textkin.version import __version__

_FURTHER_LIMITS = (
    "CUDA_VISIBLE_DEVICES",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_HUB_OFFLINE",
    "NUMBA_CACHE_DIR",
    "NUMBA_DISABLE_JIT",
)
_DEVELOPERS_EXTRAS = {"bench", "clients", "dev", "examples", "tests"}
_FAST, _SLOW = "fast path", "slow path"
_ONE_BY_ONE = "torch's own, one by one"


WarmUp = Annotated[bool, Option("Compile loops now; no later call waits for them.")]


@dataclass(frozen=True, slots=True)
class FastPath:
    """A faster way of computing, with the same results, that some machines lack.

    Attributes:
        name: the computation.
        taken: whether it is used on this machine.
        why: the reason.
    """

    name: str
    taken: bool
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Result):
    """A machine as far as textkin depends on it; nothing of it names the machine or its user but folders.

    Attributes:
        textkin: its version.
        python: its version and its make.
        system: operating system and kind of processor.
        packages: versions of the packages that textkin needs, with the defect of a broken one; None if one is
            not installed.
        extras: those of optional packages.
        processor: its name.
        features: its instruction sets; empty where unknown.
        cores: number of them that this process may use.
        threads: number of torch's threads for one operation; None without it.
        memory: memory of the machine in bytes; None where unknown.
        gpus: their names.
        speeds: speeds of matrix products on one core; None without torch, which measures them.
        paths: the fast paths; without torch those that need none.
        limits: environment variables that are set and limit the resources used.
        models: models that a name opens; see :func:`textkin.list_models`.
        folders: folders of models and of compiled loops; None where there is none.
        settings: the settings file and its tables, if the command line read one.

    Example:
        >>> import textkin as tk
        >>> {row["what"] for row in tk.doctor().rows()} >= {"textkin", "processor"}
        True
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
    models: tuple[ModelAtHand, ...]
    folders: dict[str, Path | None]
    settings: Mapping[str, Any] | None = None

    def _rows(self) -> Iterator[ResultRow]:
        threads = "" if self.threads is None else f"{self.threads} threads, "
        memory = "unknown" if self.memory is None else f"{self.memory / 2**30:.1f} GiB"
        found = [
            ("textkin", self.textkin),
            ("Python", self.python),
            ("system", self.system),
            ("packages", _listed(self.packages)),
            ("optional", _listed(self.extras)),
            ("processor", f"{self.processor}, {self.cores} cores, {threads}{memory}"),
            ("instructions", ", ".join(self.features) or "unknown"),
            ("GPU", ", ".join(self.gpus) or "none"),
            ("products of a core", "unknown: no torch" if self.speeds is None else str(self.speeds)),
            *((one.name, f"{_FAST if one.taken else _SLOW}: {one.why}") for one in self.paths),
            ("environment", ", ".join(f"{key}={value}" for key, value in self.limits.items()) or "-"),
            *((f"model {one.name}", "; ".join(filter(None, (one.use, one.figure)))) for one in self.models),
            *((name, "none" if path is None else str(path)) for name, path in self.folders.items()),
            ("settings", "none" if self.settings is None else "{file}: {tables}".format(**self.settings)),
        ]
        yield from ({"what": what, "found": words} for what, words in found)

    def text(self) -> str:
        """All findings, a line each."""
        return text_table(("what", "found"), [list(row.values()) for row in self._rows()], width=None)

    def as_dict(self) -> dict[str, Any]:
        """All findings."""
        return self._values()


@checked
def doctor(*, warm_up: WarmUp = False) -> Diagnosis:
    """Look at this machine, and measure for a fraction of a second how fast it multiplies matrices.

    Works without torch and other packages, too, since their absence may be what is wrong.

    Args:
        warm_up: True to compile loops first, which takes half a minute once; they are kept on the disk.

    Example:
        >>> import textkin as tk
        >>> tk.doctor().textkin == tk.__version__
        True
    """
    packages, extras = _requirements()
    broken = {name: words for name in ("torch", "numba") if (words := _failure(name)) is not None}
    for name, words in broken.items():
        listed = extras if name == "torch" else packages
        listed[name] = f"{listed.get(name) or ''} ({words})".strip()
    if warm_up and "numba" not in broken:
        from textkin.verbs.use.warm_up import compile_loops

        compile_loops()
    neural = "torch" not in broken
    speeds = product_speeds() if neural else None
    loops = None if "numba" in broken else _folder_of_loops()
    return Diagnosis(
        textkin=__version__,
        python=f"{platform.python_version()} ({platform.python_implementation()})",
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        packages=packages,
        extras=extras,
        processor=processor_name(),
        features=features(),
        cores=cores(),
        threads=_threads() if neural else None,
        memory=_memory(),
        gpus=_gpus() if neural else (),
        speeds=speeds,
        paths=(
            *(() if speeds is None else _neural_paths(speeds)),
            _path_of_loops(loops, broken.get("numba")),
        ),
        limits={name: os.environ[name] for name in (*LIMITS, *_FURTHER_LIMITS) if name in os.environ},
        models=_models(),
        folders={
            "downloaded models": _cache(),
            "compiled loops": loops,
            "folder of Python": Path(sys.prefix),
        },
    )


def _neural_paths(speeds: ProductSpeeds) -> Iterator[FastPath]:
    import torch

    from textkin.networks.nn.packed_linear import has_fused

    pays = speeds.bf16_pays
    yield FastPath("torch's kernels", *_kernels(torch.backends.cpu.get_cpu_capability()))
    fused = has_fused(torch.float32)
    yield FastPath("layers in fp32", fused, "oneDNN's, fused" if fused else _ONE_BY_ONE)
    fused = has_fused(torch.bfloat16)
    where = "oneDNN's, fused" if fused else _ONE_BY_ONE
    yield FastPath("layers in bf16", fused and pays, where if pays else f"{where}, and slower than fp32")
    yield FastPath(
        "bf16",
        pays,
        f"its products are {speeds.gain:.2f} times as fast as those in fp32, so encoding in 'auto' "
        + ("tries it" if pays else "stays in fp32"),
    )


def _path_of_loops(folder: Path | None, broken: str | None) -> FastPath:
    if broken is not None:
        return FastPath("loops", False, f"numba can't be used: {broken}")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return FastPath("loops", False, "interpreted, since NUMBA_DISABLE_JIT is set")
    if folder is None:
        return FastPath("loops", False, "compiled anew by each process: no folder can be written")
    return FastPath("loops", True, "compiled once and kept")


def _failure(name: str) -> str | None:
    """The reason why a package can't be used; None if it can. A broken one may raise anything."""
    try:
        return None if hasattr(import_module(name), "__version__") else "empty"
    except ModuleNotFoundError:
        return "not installed"
    except Exception as error:
        return f"can't be imported: {said(error)}"


def _cache() -> Path | None:
    try:
        return cache()
    except RuntimeError:  # no home folder
        return None


def _models() -> tuple[ModelAtHand, ...]:
    try:
        return list_models().models
    except RuntimeError:  # no home folder
        return ()


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
    """The folder of numba's compiled code for a module of this package; the same for every other."""
    from textkin.networks.nn import softmax_loops

    # numba offers no public way to ask.
    folder = getattr(getattr(softmax_loops.softmax_fp32, "_cache", None), "cache_path", None)
    return None if folder is None else Path(folder)


def _requirements() -> tuple[dict[str, str | None], dict[str, str | None]]:
    """The packages that textkin needs, and those that people may add, with their versions."""
    needed, optional = set(), set()
    try:
        lines = requires("textkin") or []
    except PackageNotFoundError:  # run from its source
        lines = []
    for line in lines:
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
