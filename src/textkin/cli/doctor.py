"""``textkin doctor``: the library's diagnosis, and the settings file, which only the command line has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textkin.cli.command import SETTINGS
from textkin.verbs.use.doctor import WarmUp

if TYPE_CHECKING:
    from textkin.verbs.use.doctor import Diagnosis


def command(*, warm_up: WarmUp = False) -> Diagnosis:
    """Print system information for a bug report: versions, processor, folders.

    It shows the fast paths that this machine takes. Without them, results are the same up to rounding, and
    take longer. The settings file is checked, and its options are shown.
    """
    from textkin.verbs.use.doctor import doctor

    found = doctor(warm_up=warm_up)
    if (settings := SETTINGS.get()) is None:
        return found
    return replace(found, settings={"file": str(settings.path), "tables": settings.tables})
