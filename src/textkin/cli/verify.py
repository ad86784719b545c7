"""``textkin verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text, note
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin verify runs/mine
"""


def command(
    folder: Annotated[Path, Option("Folder of a study.", metavar="RUN_DIR")],
    /,
    *,
    as_json: AsJson = False,
) -> None:
    """Check a study: its hashes and figures.

    The chosen model scores the test pairs again.
    """
    from textkin.verbs.experiments.verify import verify

    found = verify(folder)
    if not found.same_code:
        note("warning: textkin's code is not the one that made this; the figures agree all the same")
    if as_json:
        emit_json(found)
        return
    emit_text(
        f"{found.files} files are as recorded, {found.figures} figures come out the same, "
        f"and the saved model gives {found.scores:,} scores again (largest change {found.largest_change:.1g})"
    )
