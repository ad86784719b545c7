"""Optional packages that extras install: checked here, and nowhere else."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from textkin.base.errors import MissingExtraError, said

_NEURAL = ("torch", "transformers", "accelerate")


def require(*packages: str, extra: str) -> None:
    """Check, without importing them, that packages are installed.

    Raises:
        MissingExtraError: a package is missing; the first one is named.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra=extra)


def finds_torch() -> bool:
    """True if the packages of networks are installed; whether they work, :func:`has_torch` tells."""
    return all(find_spec(package) is not None for package in _NEURAL)


def has_torch() -> bool:
    """True if networks can be trained and used here.

    This imports torch, if possible.
    """
    try:
        import_torch()
    except MissingExtraError:
        return False
    return True


def require_torch(*, extra: str = "train") -> None:
    """Check that networks can be trained and used here.

    Args:
        extra: name of the extra, if more than torch is needed, including its own packages.

    Raises:
        MissingExtraError: torch, or a package needed with it, is not installed.
    """
    require(*_NEURAL, extra=extra)


def import_torch() -> None:
    """Check that networks can be trained and used here, and import torch.

    Raises:
        MissingExtraError: torch, or a package needed with it, is not installed, or torch is broken, for
            example built for other libraries.
    """
    require_torch()
    try:
        import_module("torch")
    except Exception as error:  # any error of its libraries
        raise MissingExtraError("torch", extra="train", why=said(error)) from error


def require_server() -> None:
    """Check that the packages of a server are installed, before its modules are imported.

    Raises:
        MissingExtraError: a package is missing.
    """
    require("uvicorn", "orjson", "prometheus_client", "starlette", extra="server")


def imported(package: str, *, extra: str) -> Any:
    """Import a package or one of its modules.

    Raises:
        MissingExtraError: the package is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(package.partition(".")[0], extra=extra) from error
