"""``textkin distil``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from textkin.base.errors import UsageError
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson, Download, fetch

EXAMPLES = """
textkin distil all-MiniLM-L6-v2 --out small
textkin distil all-MiniLM-L6-v2 --out mine --texts tickets.txt --vocabulary words.txt
textkin distil models/teacher --out wide --no-pca --stored float16
"""
_DIM = 128


def command(
    teacher: Annotated[
        str,
        typer.Argument(
            metavar="TEACHER",
            help="Folder of a sentence encoder on a transformer, or its name in the Hugging Face cache.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the static encoder goes.")],
    dim: Annotated[
        int | None,
        typer.Option("--dim", metavar="N", min=1, help=f"Width of the vectors; {_DIM} if left out."),
    ] = None,
    pca: Annotated[
        bool,
        typer.Option("--pca/--no-pca", help="Principal components, or the teacher's own dimensions."),
    ] = True,
    sif: Annotated[
        float,
        typer.Option(
            "--sif",
            metavar="A",
            help="Frequent tokens count less: a / (a + share of all tokens); inf for all alike.",
        ),
    ] = 1e-4,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            "--vocabulary",
            metavar="FILE",
            help="Words that get vectors of their own, one a line, beside the tokens.",
        ),
    ] = None,
    frequencies: Annotated[
        Path | None,
        typer.Option(
            "--frequencies",
            metavar="FILE",
            help="Lines of a token, a tab and its count; Zipf's law if left out.",
        ),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="Texts without labels; tokens are fitted so that means over texts point where the teacher's "
            "vectors do. May be repeated.",
        ),
    ] = None,
    strength: Annotated[
        float,
        typer.Option(
            "--strength", metavar="X", help="How strongly that fit is drawn back to the tokens alone."
        ),
    ] = 1.0,
    epochs: Annotated[
        int,
        typer.Option(
            "--epochs",
            metavar="N",
            min=0,
            help="Passes over --texts after that fit, in which texts learn to resemble each other as they "
            "do for the teacher; 0 for none.",
        ),
    ] = 2,
    stored: Annotated[
        Literal["float32", "float16", "int8"],
        typer.Option("--stored", help="Type of the vectors; sentence-transformers doesn't open int8."),
    ] = "int8",
    ngrams: Annotated[
        int,
        typer.Option(
            "--ngrams",
            metavar="N",
            help="Rows for character n-grams, from which unknown Latin words get vectors; 0 for none.",
        ),
    ] = 2048,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Turn a transformer into a static encoder, which is far faster.

    Each token goes through the teacher alone. The vectors are reduced to their principal components, and
    weighted by how rare their tokens are. Texts of your own domain make the result better.
    """
    from textkin.verbs.deploy.distil import DistilOptions, distil

    if not pca and dim is not None:
        raise UsageError("--no-pca keeps the teacher's dimensions", fix="leave out --dim, or --no-pca")
    fetch(teacher, download=download)
    made = distil(
        teacher,
        out=out,
        options=DistilOptions(
            dim=(dim or _DIM) if pca else None,
            sif=sif,
            vocabulary=vocabulary,
            frequencies=frequencies,
            texts=tuple(texts or ()),
            strength=strength,
            epochs=epochs,
            stored=stored,
            ngrams=ngrams,
        ),
    )
    if as_json:
        emit_json(made)
        return
    more = f", {made.words:,} of them words added to its own" if vocabulary else ""
    fitted = f"\nfitted to {made.texts:,} texts" if made.texts else ""
    out_of_place = (
        f"\n{made.left_out:,} words have no token of their own, or had one before" if made.left_out else ""
    )
    emit_text(
        f"{made.folder}: {made.tokens:,} tokens of {made.teacher}{more}, width {made.dim}, "
        f"{made.megabytes:.1f} MB{fitted}{out_of_place}"
    )
