"""``tk.distil`` and ``tk.export``: models for other places."""

from __future__ import annotations

from pathlib import Path

from textkin.tasks.deploy.distil import Distilled, DistilOptions
from textkin.tasks.deploy.distil import distil as distil_model
from textkin.tasks.deploy.export import Certificate
from textkin.tasks.deploy.export import export as export_model
from textkin.tasks.deploy.export_folder import Precision, Target


def distil(data: Path | str, *, out: Path | str, options: DistilOptions | None = None) -> Distilled:
    """Make a static encoder of a transformer; textkin, model2vec and sentence-transformers open its folder.

    Args:
        data: the teacher: a folder, or the name of a model in the Hugging Face cache.
        out: the new folder, or an older distillation to be replaced.
        options: see :class:`DistilOptions`.

    Raises:
        ModelError: the teacher can't be read, or is no transformer.
        DataError: a file of words, frequencies or texts can't be read.
        UsageError: an option does not fit the teacher, or ``out`` holds something else.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> try:
        ...     tk.distil("default", out="small")
        ... except tk.TextkinError as error:
        ...     print(type(error).__name__)
        ModelError
    """
    return distil_model(data, out, options=options)


def export(
    data: Path | str,
    *,
    out: Path | str,
    to: Target,
    precision: Precision = "fp32",
    sample: Path | None = None,
    accept_loss: bool = False,
) -> Certificate:
    """Write a model for another runtime, whole or not at all, and prove that it says the same there.

    Args:
        data: the model: a folder, "default", or the name of a model in the Hugging Face cache.
        out: the new folder, or an older export to be replaced.
        to: whose layout.
        precision: of the weights.
        sample: texts to compare original and export on; the questions of a bundled sample if left out.
        accept_loss: write the export even if it is further from the original than its precision promises.

    Raises:
        UsageError: the target knows no such precision, or ``out`` holds something else.
        ModelError: the model can't be read, or the target can't express it.
        DataError: the sample can't be read, or holds fewer than two texts.
        MissingExtraError: the packages that write it are not installed.
        VerifyError: the export says something else than the original.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> tk.export("default", out="exported", to="model2vec").kept
        True
    """
    return export_model(data, out, to=to, precision=precision, sample=sample, accept_loss=accept_loss)
