"""``textkin doctor``: the library's diagnosis, and the settings file, which only the command line has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textkin.cli.command import SETTINGS

if TYPE_CHECKING:
    from textkin.verbs.use.doctor import Diagnosis


def command() -> Diagnosis:
    """Print system information for a bug report: versions, processor, folders.

    It shows which fast paths are taken on this machine. Results are the same without them, to rounding, and
    take longer. The settings file is checked, and its options are shown.
    """
    from textkin.verbs.use.doctor import doctor

    if (settings := SETTINGS.get()) is None:
        return doctor()
    return replace(doctor(), settings={"file": str(settings.path), "tables": settings.tables})
