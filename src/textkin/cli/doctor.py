"""``textkin doctor``."""

from __future__ import annotations

from textkin.cli.options import AsJson
from textkin.cli.output import emit_json, emit_table

EXAMPLES = """
textkin doctor
textkin doctor --json > doctor.json
"""


def command(as_json: AsJson = False) -> None:
    """Say what a bug report needs: versions, processor, folders.

    It tells which fast paths are taken on this machine, too. Results are the
    same without them, to rounding, and take longer.
    """
    from textkin.tasks.use.doctor import doctor

    found = doctor()
    if as_json:
        emit_json(found)
    else:
        emit_table(("what", "found"), [(row["what"], row["found"]) for row in found.rows()])
