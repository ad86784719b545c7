"""``textkin encode``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.paths import is_folder
from textkin.cli.output import emit_json, emit_table, emit_text, note_read, note_truncation
from textkin.cli.shared_options import (
    AsJson,
    Download,
    ModelName,
    RayOptions,
    TextLayout,
    TextsFile,
    Vectors,
    fetch,
)
from textkin.data.protocols import Side

if TYPE_CHECKING:
    from textkin.verbs.use.encode_shards import EncodedShards

EXAMPLES = """
textkin encode runs/lstm/model questions.txt --out questions.npy
textkin encode mean-vectors tickets.csv --text subject --vectors glove.6B.100d.txt --out tickets.npy
"""


def command(
    model: ModelName,
    texts: TextsFile,
    /,
    *,
    out: Annotated[Path, Option("NumPy file to write.", metavar="VECTORS.npy")],
    layout: TextLayout,
    precision: Annotated[
        Literal["auto", "fp32", "bf16"],
        Option(
            "What a transformer computes in; auto measures whether bf16 pays here, and says so.",
            flag="--dtype",
        ),
    ] = "auto",
    side: Annotated[
        Literal["text", "query", "document"],
        Option(
            "What the texts are, for models with prompts: queries, documents that queries search, or "
            "neither, which gets the model's default prompt if there is one."
        ),
    ] = "text",
    vectors: Vectors = None,
    download: Download = False,
    ray: RayOptions,
    as_json: AsJson = False,
) -> None:
    """Encode texts: one vector a text, in the order of the file.

    MODEL must give vectors: an encoder, or mean-vectors. The ids of the texts
    go to VECTORS.ids.txt. The file may be of any size; a call that was killed
    goes on where it stopped. Of a folder with files part-*, such as
    part-0.jsonl.gz or part-0.parquet, each gets its file of vectors in the
    folder VECTORS, and manifest.json their hashes; what is missing or has
    another hash is made by the same call.
    """
    from textkin.verbs.use import encode_shards as shards
    from textkin.verbs.use.encode import encode_file

    fetch(model, download=download)
    make = shards.encode_shards if is_folder(texts) else encode_file
    made = make(
        model,
        texts,
        out,
        vectors=vectors,
        precision=precision,
        side=Side(side),
        reading=layout.reading(),
        **ray.workplace(),
    )
    if isinstance(made, shards.EncodedShards):
        _show_shards(made, as_json=as_json)
        return
    note_read(made.read)
    note_truncation(made.truncation)
    if as_json:
        emit_json(
            {
                "model": made.model,
                "count": made.count,
                "dim": made.dim,
                "out": made.out,
                "ids": made.ids,
                "precision": made.precision,
                "side": made.side,
                "prompt": made.prompt,
                "coverage": made.coverage,
                "truncation": made.truncation,
            }
        )
    else:
        emit_table(
            ("model", "texts", "dim", "written to"),
            [(made.model, f"{made.count:,}", str(made.dim), str(made.out))],
        )
        emit_text(f"precision {made.precision}")
        if made.prompt_words:
            emit_text(made.prompt_words)


def _show_shards(made: EncodedShards, *, as_json: bool) -> None:
    if as_json:
        emit_json(made)
        return
    emit_text(f"{made.shards:,} files with {made.count:,} texts, {made.made:,} of them made now: {made.out}")
