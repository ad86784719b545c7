"""``textkin demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin demo
textkin demo --out /tmp/tour
textkin demo --practice practice
"""


def command(
    *,
    out: Annotated[Path, Option("Folder for the results.", metavar="DIR")] = Path("demo-run"),
    practice: Annotated[
        Path | None,
        Option(
            "Only write sample files there: pairs, texts, candidates and articles.",
            metavar="DIR",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take the whole tour in about a minute, on bundled data.

    Studies the bundled sample, then looks for duplicates in an inbox.
    """
    if practice is not None:
        _practise(practice, as_json)
        return
    from textkin.verbs.experiments.demo import demo
    from textkin.verbs.experiments.study_lines import study_lines

    result = demo(out)
    if as_json:
        emit_json({"report": result.study.report.to_dict(), "page": result.study.page, "right": result.right})
        return
    emit_text("\n".join(study_lines(result.study.report)))
    found = result.found
    emit_text(f"\nMost similar questions in an inbox of {found.texts} unlabelled ones, above the threshold:")
    emit_table(("score", "one", "other"), [(f"{pair.score:.3f}", pair.a, pair.b) for pair in found.pairs])
    emit_text(f"{result.right} of these {len(found.pairs)} are known to ask the same.")
    emit_text(f"\nreport: {result.study.page}")


def _practise(folder: Path, as_json: bool) -> None:
    from textkin.verbs.experiments.sample_files import write_practice

    written = write_practice(folder)
    if as_json:
        emit_json({"folder": folder, "rows": written})
        return
    emit_table(("file", "rows"), [(name, f"{rows:,}") for name, rows in written.items()])
    emit_text(f"\nwritten to {folder}")
