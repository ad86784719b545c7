"""``textkin export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson, Download, fetch

EXAMPLES = """
textkin export all-MiniLM-L6-v2 --to onnx --out minilm-onnx
textkin export runs/minilm/model --to openvino --dtype fp16 --out served --texts tickets.txt
textkin export default --to model2vec --out static
"""


def command(
    model: Annotated[
        str,
        Option(
            "default for the encoder in the box, a folder with a model, or the name of one in the "
            "Hugging Face cache.",
            metavar="MODEL",
        ),
    ],
    /,
    *,
    to: Annotated[
        Literal["onnx", "openvino", "sentence-transformers", "model2vec"],
        Option("Whose layout to write."),
    ],
    out: Annotated[Path, Option("Where the export goes.", metavar="FOLDER")],
    precision: Annotated[
        Literal["fp32", "fp16", "int8"],
        Option("Of the weights; fp16: openvino and model2vec, int8: onnx and model2vec.", flag="--dtype"),
    ] = "fp32",
    sample: Annotated[
        Path | None,
        Option(
            "Texts to compare on, plain or a table, the first 1,000 distinct ones; the questions of a "
            "bundled sample if left out.",
            flag="--texts",
            metavar="TEXTS",
        ),
    ] = None,
    accept_loss: Annotated[
        bool,
        Option("Keep an export that is less near than its precision promises."),
    ] = False,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for another runtime, with proof of parity.

    The export is opened by its own runtime and compared with the original on texts: FOLDER/parity.json has
    the cosines of the vectors and how far neighbours moved. An export that is too far off is not written.
    """
    from textkin.verbs.deploy.export import export

    fetch(model, download=download)
    made = export(model, out=out, to=to, precision=precision, sample=sample, accept_loss=accept_loss)
    if as_json:
        emit_json({"folder": out, "certificate": made})
        return
    found = made.parity
    emit_text(f"{out}: {made.model} for {made.target} in {made.precision}, run by {made.runtime}")
    what = "texts" if found.measure == "cosine" else "pairs"
    emit_text(
        f"{found.measure} to the original on {found.count:,} {what} of {made.sample}: "
        f"mean {found.mean:.7f}, worst {found.worst:.7f}"
    )
    if found.rank_change is None:
        emit_text(f"same class: {found.same:.2%} of the pairs")
    else:
        emit_text(
            f"same 10 nearest in the same order: {found.same:.2%} of the texts; largest change of rank: "
            f"{found.rank_change}"
        )
    if not made.kept:
        emit_text(f"accepted although {made.precision} promises {made.promised}")
