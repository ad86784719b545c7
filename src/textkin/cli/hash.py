"""``textkin hash``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textkin.cli.options import (
    AsJson,
    Download,
    Embeddings,
    EncoderName,
    Quoting,
    Seed,
    TextColumn,
    TextsFile,
    fetch,
)
from textkin.cli.output import emit_json, emit_table, emit_text, note_skips, note_truncation
from textkin.readers import TextReading

if TYPE_CHECKING:
    from textkin.evaluation.code_fidelity import Fidelity
    from textkin.tasks.hash.hash import HashedFile

EXAMPLES = """
textkin hash questions.txt --out codes.npy
textkin hash tickets.csv --column subject --model runs/mine/model --bits 512 --out codes.npy
textkin hash questions.txt --embeddings questions.npy --bits 128 --out codes.npy
textkin hash questions.txt --of letters --out codes.npy
"""


def command(
    texts: TextsFile,
    out: Annotated[Path, typer.Option("--out", metavar="CODES.npy", help="NumPy file to write.")],
    of: Annotated[
        Literal["meaning", "words", "letters"],
        typer.Option(
            "--of", help="What codes say: an encoder's vectors, or runs of two words or of four letters."
        ),
    ] = "meaning",
    model: EncoderName = None,
    embeddings: Embeddings = None,
    bits: Annotated[int, typer.Option("--bits", metavar="B", help="Bits of a code, a multiple of 8.")] = 256,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            metavar="N",
            help="Compare so many of the texts with all, to measure what the codes are worth; 0 for none.",
        ),
    ] = 2000,
    column: TextColumn = None,
    quoting: Quoting = "auto",
    seed: Seed = 0,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Make short codes of texts: similar texts differ in few bits.

    Random hyperplanes cut an encoder's space, or that of shingles (SimHash);
    a bit says on which side a text lies. Codes whose bits differ in h of B
    places are of texts with a cosine of about cos(pi h / B). How well the
    codes do is measured against exact cosines and printed. The ids of the
    texts go to CODES.ids.txt, what makes the same codes again to CODES.json.
    """
    from textkin.tasks.hash.hash import HashOptions, hash_file

    options = HashOptions(of=of, bits=bits, seed=seed, sample=sample)
    if model is not None:
        fetch(model, download=download)
    found = hash_file(
        texts,
        out,
        model=model,
        embeddings=embeddings,
        options=options,
        reading=TextReading(column=column, quoting=quoting),
    )
    note_skips(found.read)
    note_truncation(found.hashed.truncation)
    if as_json:
        hashed = found.hashed
        emit_json(
            {
                "out": found.out,
                "ids": found.ids,
                "about": found.about,
                "of": hashed.of,
                "bits": bits,
                "count": len(hashed.codes),
                "different": hashed.different,
                "blank": hashed.blank,
                "fidelity": hashed.fidelity,
                "truncation": hashed.truncation,
                "coverage": hashed.coverage,
                "seconds": found.seconds,
            }
        )
    else:
        _print(found, bits)


def _print(found: HashedFile, bits: int) -> None:
    from textkin.report.words import count

    hashed = found.hashed
    emit_text(
        f"{count(len(hashed.codes), 'text')}, {hashed.different:,} different; codes of {bits:,} bits, "
        f"of {hashed.of}"
    )
    if hashed.blank:
        emit_text(f"{count(hashed.blank, 'text')} with a vector of zeros, whose code says nothing")
    if hashed.fidelity is not None:
        _print_fidelity(hashed.fidelity)
    emit_text(f"{found.seconds:.1f} s; written to {found.out}")


def _print_fidelity(found: Fidelity) -> None:
    emit_text(f"measured on {found.queries:,} texts against {found.against:,}:")
    emit_text(
        f"  recall@{found.nearest} {found.recall:.3f}; {found.recall_of_shortlist:.3f} if the "
        f"{found.shortlist} nearest codes are ranked exactly"
    )
    rank = "" if found.spearman is None else f", rank correlation {found.spearman:.3f}"
    emit_text(f"  cosines estimated to {found.error:.3f} (root mean square){rank}")
    rows = [
        (
            f"{level.cosine:g}",
            f"{level.pairs:,}",
            f"{level.expected:.1f}",
            *(str(level.median), str(level.radius_95), str(level.radius_99)),
            f"{level.within:,.1f}",
        )
        for level in found.levels
    ]
    if rows:
        emit_table(
            (
                *("cosine from", "pairs", "bits at that cosine", "half within", "95 % within", "99 % within"),
                "texts within that",
            ),
            rows,
        )
