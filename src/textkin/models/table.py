"""Architectures by the names that recipes and manifests use."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from textkin.errors import ConfigError, UsageError, did_you_mean
from textkin.models.siamese import Siamese
from textkin.models.tower import Tower

ARCHITECTURES: Mapping[str, type[Tower]] = MappingProxyType({"siamese": Siamese})


def build(name: str, **arguments: Any) -> Tower:
    """Make an untrained model.

    Args:
        name: a key of ``ARCHITECTURES``.
        arguments: what the architecture takes; see its class.

    Raises:
        ConfigError: the name, an argument or its value is not known.
    """
    if name not in ARCHITECTURES:
        raise ConfigError(f"unknown architecture {name!r}", fix=did_you_mean(name, ARCHITECTURES))
    known = list(inspect.signature(ARCHITECTURES[name]).parameters)
    for argument in arguments:
        if argument not in known:
            raise ConfigError(
                f"the architecture {name!r} has no argument {argument!r}", fix=did_you_mean(argument, known)
            )
    try:
        return ARCHITECTURES[name](**arguments)
    except (UsageError, TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(f"the architecture {name!r} can't be built: {error}") from error
