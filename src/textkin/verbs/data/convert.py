"""``convert``: candidates to rank, made of questions with answer spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb

if TYPE_CHECKING:
    from textkin.verbs.data.squad_t import Converted

Source = Annotated[
    Path | str,
    Option(
        "SQuAD's JSON, or sentences in src-NAME.txt beside their questions in tgt-NAME.txt.",
        metavar="FILE",
        command=Path,
    ),
]
Out = Annotated[Path, Option("File to write, in WikiQA's format.", metavar="OUT.tsv")]
SourceFormat = Annotated[
    Literal["auto", "json", "nqg"],
    Option("Format of the source: SQuAD's JSON or lines of sentences; auto recognises it."),
]
Neighbours = Annotated[
    int | None,
    Option(
        "For nqg: wrong candidates per question, from neighbouring lines. Default: 5.", metavar="K", low=1
    ),
]


@verb
def convert(
    source: Source, /, *, out: Out, format: SourceFormat = "auto", neighbours: Neighbours = None
) -> Converted:
    """Turn questions with answer spans into candidates to rank.

    A sentence is correct if it contains the whole answer. Questions without a correct sentence are dropped,
    and counted by reason.

    Returns:
        :class:`Converted`.

    Raises:
        UsageError: ``neighbours`` doesn't fit the format, or ``out`` is the source.
        DataError: the source has errors.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> tk.convert(samples.path("town.json"), out="candidates.tsv").dropped
        {'the passage does not answer it': 36}
    """
    from textkin.verbs.data.squad_t import convert_squad_t

    return convert_squad_t(source, out, format=format, neighbours=neighbours)
