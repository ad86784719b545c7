"""``textkin doctor``."""

from __future__ import annotations

import typer

from textkin.cli.command import settings_of
from textkin.cli.output import emit_json, emit_table, jsonable
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin doctor
textkin doctor --json > doctor.json
"""


def command(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Say what a bug report needs: versions, processor, folders.

    It tells which fast paths are taken on this machine, too. Results are the
    same without them, to rounding, and take longer. The file of settings is
    checked, and what stands in it is shown.
    """
    from typer.main import get_command

    from textkin.cli.app import build
    from textkin.verbs.use.doctor import doctor

    settings = settings_of(ctx)
    if settings is not None:
        settings.check(get_command(build()))
    found = doctor()
    if as_json:
        file = None if settings is None else {"file": str(settings.path), "tables": settings.tables}
        emit_json({**jsonable(found), "settings": file})
        return
    rows = [(row["what"], row["found"]) for row in found.rows()]
    emit_table(("what", "found"), [*rows, ("settings", "none" if settings is None else settings.words())])
