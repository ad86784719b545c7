"""``textkin doctor``."""

from __future__ import annotations

from textkin.cli.app import commands
from textkin.cli.command import SETTINGS
from textkin.cli.output import emit_json, emit_table, jsonable
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin doctor
textkin doctor --json > doctor.json
"""


def command(*, as_json: AsJson = False) -> None:
    """Print system information for a bug report: versions, processor, folders.

    It shows which fast paths are taken on this machine. Results are the same without them, to rounding, and
    take longer. The settings file is checked, and its options are shown.
    """
    from textkin.verbs.use.doctor import doctor

    settings = SETTINGS.get()
    if settings is not None:
        settings.check(commands())
    found = doctor()
    if as_json:
        file = None if settings is None else {"file": str(settings.path), "tables": settings.tables}
        emit_json({**jsonable(found), "settings": file})
        return
    rows = [(row["what"], row["found"]) for row in found.rows()]
    emit_table(("what", "found"), [*rows, ("settings", "none" if settings is None else settings.words())])
