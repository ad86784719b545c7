"""``demo``: the whole tour on bundled data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.verbs import verb

if TYPE_CHECKING:
    from textkin.verbs.experiments.demo_tour import Tour
    from textkin.verbs.experiments.sample_files import PracticeFiles

Out = Annotated[Path, Option("Folder for the results.", metavar="DIR")]
Practice = Annotated[
    Path | None,
    Option("Only write sample files there: pairs, texts, candidates, articles and an exam.", metavar="DIR"),
]


@verb
def demo(*, out: Out = Path("demo-run"), practice: Practice = None) -> Tour | PracticeFiles:
    """Take the whole tour in about a minute, on bundled data.

    Studies the bundled sample, then looks for duplicates in an inbox.

    Returns:
        :class:`Tour`; with ``practice`` :class:`PracticeFiles`.

    Raises:
        MissingExtraError: torch is not installed.
        OutputError: a folder can't be written to.
    """
    from textkin.verbs.experiments.demo_tour import take_tour
    from textkin.verbs.experiments.sample_files import write_practice

    return take_tour(out) if practice is None else write_practice(practice)
