"""``textkin distil``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
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
        Option(
            "Folder of a sentence encoder on a transformer, or its name in the Hugging Face cache.",
            metavar="TEACHER",
        ),
    ],
    /,
    *,
    out: Annotated[Path, Option("Where the static encoder goes.", metavar="DIR")],
    dim: Annotated[
        int | None,
        Option(f"Width of the vectors; {_DIM} if left out.", metavar="N", low=1),
    ] = None,
    pca: Annotated[
        bool,
        Option("Principal components, or the teacher's own dimensions."),
    ] = True,
    sif: Annotated[
        float,
        Option("Frequent tokens count less: a / (a + share of all tokens); inf for all alike.", metavar="A"),
    ] = 1e-4,
    vocabulary: Annotated[
        Path | None,
        Option("Words that get vectors of their own, one a line, beside the tokens.", metavar="FILE"),
    ] = None,
    frequencies: Annotated[
        Path | None,
        Option("Lines of a token, a tab and its count; Zipf's law if left out.", metavar="FILE"),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        Option(
            "Texts without labels; tokens are fitted so that means over texts point where the teacher's "
            "vectors do. May be repeated.",
            metavar="FILE",
        ),
    ] = None,
    strength: Annotated[
        float,
        Option("How strongly that fit is drawn back to the tokens alone.", metavar="X"),
    ] = 1.0,
    epochs: Annotated[
        int,
        Option(
            "Passes over --texts after that fit, in which texts learn to resemble each other as they "
            "do for the teacher; 0 for none.",
            metavar="N",
            low=0,
        ),
    ] = 2,
    stored: Annotated[
        Literal["float32", "float16", "int8"],
        Option("Type of the vectors; sentence-transformers doesn't open int8."),
    ] = "int8",
    ngrams: Annotated[
        int,
        Option(
            "Rows for character n-grams, from which unknown Latin words get vectors; 0 for none.", metavar="N"
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
