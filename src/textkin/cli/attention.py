"""``--attention`` of ``score`` and ``answer``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import note

AttentionFile = Annotated[
    Path | None,
    Option(
        "Write the attention or interaction matrices between the two texts: a page with heat maps to a "
        "name that ends in .html, numbers to one in .json.",
        flag="--attention",
        metavar="FILE",
    ),
]
Layers = Annotated[
    list[int] | None,
    Option(
        "With --attention, of a pretrained transformer: average this layer, counted from 1; may be "
        "repeated. All layers otherwise.",
        flag="--layers",
        metavar="N",
    ),
]
Heads = Annotated[
    list[int] | None,
    Option(
        "With --attention, of a pretrained transformer: average this head of each layer, counted from "
        "1; may be repeated. All heads otherwise.",
        flag="--heads",
        metavar="N",
    ),
]


def check_attention(path: Path | None, layers: list[int] | None, heads: list[int] | None) -> None:
    """See, before anything is computed, that what is asked for can be written.

    Raises:
        UsageError: the file's name has a wrong ending, or layers or heads are chosen for no file.
    """
    if path is None:
        if layers or heads:
            raise UsageError("--layers and --heads go with --attention", fix="add --attention FILE.html")
        return
    from textkin.report.attention_page import attention_path

    attention_path(path)


def write_attention(
    path: Path, model: str, texts: tuple[str, str], layers: list[int] | None, heads: list[int] | None
) -> None:
    """Write what a model looks at between two texts, and say where.

    Raises:
        UsageError: the model has nothing to look at.
        ModelError: it can't be read.
        OutputError: the file can't be written.
    """
    from textkin.verbs.use.attention import attention

    found = attention(*texts, model=model, layers=layers or (), heads=heads or ())
    found.save(path)
    count = len(found.maps)
    note(f"{count} {'matrix' if count == 1 else 'matrices'} of attention written to {shown_output(path)}")
