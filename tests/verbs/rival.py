"""A second writer that comes while the first one is at work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from textkin.base import locks
from textkin.base.errors import OutputError


def meets_a_rival(
    monkeypatch: pytest.MonkeyPatch, module: object, step: str, rival: Callable[[], object]
) -> list[str]:
    """Start ``rival`` when the first writer reaches a step of a module; it must be rejected.

    Locks belong to open files, so a second writer in one process is rejected like one in another.

    Args:
        monkeypatch: undoes it.
        module: the module of a function that is called before anything is written.
        step: the function's name.
        rival: the same work for the same place.

    Returns:
        A list with the rival's error message, once it was rejected.
    """
    real, told = getattr(module, step), list[str]()
    monkeypatch.setattr(locks, "PATIENCE", 0)

    def met(*arguments: Any, **options: Any) -> Any:
        if not told:
            told.append("")
            with pytest.raises(OutputError) as caught:
                rival()
            told[0] = str(caught.value)
        return real(*arguments, **options)

    monkeypatch.setattr(module, step, met)
    return told
