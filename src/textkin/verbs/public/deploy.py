"""``tk.distil``, ``tk.export``, and passports: models for other places."""

from __future__ import annotations

from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.data.protocols import Classifier, Scorer
from textkin.kinds.systems.passports import make_passport
from textkin.models.passports import Checked, Passport
from textkin.verbs.deploy.distil import Distilled, DistilOptions
from textkin.verbs.deploy.distil import distil as distil_model
from textkin.verbs.deploy.export import Certificate
from textkin.verbs.deploy.export import export as export_model
from textkin.verbs.deploy.passport import AnyPassport, check_model
from textkin.verbs.deploy.targets import Precision, Target


@checked
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


@checked
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


@checked
def passport(
    data: Path | str | Scorer | Classifier,
    *,
    out: Path | str | None = None,
    decision: Path | str | None = None,
) -> Passport:
    """Make the passport of a model: hashes, settings, threshold, and what it says of 64 texts.

    Args:
        data: a folder, an export's too, "default", the name of a cached model, or an encoder, scorer or
            classifier.
        out: the file to write, or the model's folder; nothing is written if left out.
        decision: a file of ``calibrate`` for the model; the threshold in its folder if left out.

    Raises:
        UsageError: the model is a baseline, or ``out`` is a file of the model.
        ModelError: the model can't be read, or compares no texts; or the decision is for another one.
        DataError: the decision can't be read.
        MissingExtraError: the runtime of an export is not installed.
        OutputError: ``out`` can't be written.

    Example:
        >>> import textkin as tk
        >>> made = tk.passport("default")
        >>> made.model, made.says["document"].shape
        ('default', (64, 128))
    """
    return make_passport(data, out=out, decision=decision)


@checked
def check_passport(
    data: Path | str | Scorer | Classifier, *, passport: AnyPassport, accept_drift: bool = False
) -> Checked:
    """Check that a model is the one that a passport was made for.

    Copies that were moved, saved again, exported or rounded to 16 bits are accepted. Where both say the same
    of all canaries they are one model for all purposes, whatever their files.

    Args:
        data: the model, as in :func:`passport`.
        passport: a file, a folder with a ``passport.json``, or what :func:`passport` returned.
        accept_drift: return what differs rather than refuse.

    Raises:
        VerifyError: it is another model; the error says what differs.
        UsageError: the model is a baseline.
        ModelError: the model or the passport can't be read.
        MissingExtraError: the runtime of an export is not installed.

    Example:
        >>> import textkin as tk
        >>> tk.check_passport("default", passport=tk.passport("default")).accepted
        True
    """
    return check_model(data, passport, accept_drift=accept_drift)
