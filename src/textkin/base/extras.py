"""Packages that textkin runs without, and that an extra brings: asked for here, and nowhere else."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from textkin.base.errors import MissingExtraError, said

_NEURAL = ("torch", "transformers", "accelerate")


def require(*packages: str, extra: str) -> None:
    """See, without importing them, that packages are installed.

    Raises:
        MissingExtraError: one is not; the first of them is named.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra=extra)


def has_torch() -> bool:
    """Whether networks can be trained and used here: torch is imported, if it can be."""
    try:
        import_torch()
    except MissingExtraError:
        return False
    return True


def require_torch(*, extra: str = "train") -> None:
    """See that networks can be trained and used here.

    Args:
        extra: what is wanted, if that needs more than torch: its own packages come with it.

    Raises:
        MissingExtraError: torch, or what stands beside it, is not installed.
    """
    require(*_NEURAL, extra=extra)


def import_torch() -> None:
    """See that networks can be trained and used here, and that torch can be imported.

    Raises:
        MissingExtraError: torch, or what stands beside it, is not installed; or torch is broken, as where it
            was built for other libraries.
    """
    require_torch()
    try:
        import_module("torch")
    except Exception as error:  # whatever its libraries raise
        raise MissingExtraError("torch", extra="train", why=said(error)) from error


def require_server() -> None:
    """See that what a server needs is installed, before its modules are imported.

    Raises:
        MissingExtraError: it isn't.
    """
    require("uvicorn", "orjson", "prometheus_client", "starlette", extra="server")


def imported(package: str, *, extra: str) -> Any:
    """A package or one of its modules, imported.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(package.partition(".")[0], extra=extra) from error
