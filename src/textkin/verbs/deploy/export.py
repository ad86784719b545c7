"""``export``: write a model for another runtime, or a collection as one HTML file that searches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Download

if TYPE_CHECKING:
    from textkin.verbs.deploy.export_page import ExportedPage
    from textkin.verbs.deploy.exported import Exported

ExportedModel = Annotated[
    Any,
    Option(
        "default for the built-in encoder, a model folder, a cached Hugging Face name; with `to=html` a "
        "collection.",
        metavar="MODEL",
        command=str,
    ),
]
Target = Annotated[
    Literal["onnx", "openvino", "sentence-transformers", "model2vec", "html"],
    Option("Format to write; html: one file that searches a collection offline."),
]
Out = Annotated[Path, Option("Folder for the export; with `to=html` the file.", metavar="PATH")]
WeightType = Annotated[
    Literal["fp32", "fp16", "int8"] | None,
    Option(
        "Number type of the weights. fp16: openvino and model2vec; int8: onnx and model2vec. Default: fp32, "
        "in html int8."
    ),
]
Sample = Annotated[
    Any,
    Option(
        "File of texts to compare on; its first 1,000 distinct ones count. Default: a bundled sample.",
        metavar="TEXTS",
        command=Path,
    ),
]
AcceptLoss = Annotated[
    bool, Option("Keep an export that is less accurate than its number type allows.", rare=True)
]


@verb
def export(
    model: ExportedModel,
    /,
    *,
    to: Target,
    out: Out,
    dtype: WeightType = None,
    texts: Sample = None,
    accept_loss: AcceptLoss = False,
    download: Download = False,
) -> Exported | ExportedPage:
    """Write a model for another runtime, or a collection as one HTML file that searches.

    The file holds texts, encoder and rule of a collection with a static encoder. It opens from a disk in any
    current browser, and loads nothing: search, filters, and "is this new?" with the same results as here.

    The export of a model is opened by its own runtime and compared with the original on texts:
    FOLDER/parity.json has the cosines of the vectors and how far neighbours moved. An export that is too far
    off is not written.

    Returns:
        :class:`Exported`; of a collection :class:`ExportedPage`.

    Raises:
        UsageError: the target knows no such number type, or ``out`` holds something else.
        ModelError: the model can't be read, or the target can't express it.
        DataError: the sample can't be read, or holds fewer than two texts; the collection is damaged, or too
            large.
        MissingExtraError: the packages that write it are not installed.
        VerifyError: the export's outputs differ from the original's.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> tk.export("default", out="exported", to="model2vec").certificate.kept
        True
    """
    from textkin.verbs.deploy.export_page import export_page, refuse_collection, refuse_options

    if to == "html":
        refuse_options(dtype=dtype, texts=texts, accept_loss=accept_loss, download=download)
        return export_page(model, out)
    refuse_collection(model, to)
    from textkin.kinds.systems import fetch
    from textkin.verbs.deploy.export_model import export_model
    from textkin.verbs.deploy.exported import Exported

    if download:
        fetch(str(model))
    made = export_model(
        model, out=out, to=to, precision=dtype or "fp32", sample=texts, accept_loss=accept_loss
    )
    return Exported(out, made)
