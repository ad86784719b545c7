"""``verify``: check a study's figures, or that a model is the one that it is taken for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import DecisionFile, Download

if TYPE_CHECKING:
    from textkin.verbs.experiments.checks import Verified
    from textkin.verbs.use.verified_model import VerifiedModel

Subject = Annotated[
    Any,
    Option(
        "Folder of a study, a model (default, minilm, a folder, an export, a cached Hugging Face name), or "
        "a collection.",
        metavar="FOLDER",
        command=str,
        python="Or an encoder, scorer or classifier.",
    ),
]
Expected = Annotated[
    Any,
    Option(
        "Passport that the model must have: a file, a folder with one, or a collection.",
        metavar="FILE",
        command=str,
        python="Or a Passport.",
    ),
]
PassportFile = Annotated[
    Path | None, Option("Write the passport to FILE, or to the model's folder.", metavar="FILE")
]
AcceptsDrift = Annotated[bool, Option("Report the drift of another model instead of refusing it.")]


@verb
def verify(
    subject: Subject,
    /,
    *,
    expect: Expected = None,
    out: PassportFile = None,
    accept_drift: AcceptsDrift = False,
    decision: DecisionFile = None,
    download: Download = False,
) -> Verified | VerifiedModel:
    """Check a study's figures, or a model's identity.

    The figures of a study are computed again, and its chosen model scores the test pairs again.

    A passport identifies a model: by hashes, settings, threshold, and its outputs for 64 texts.
    Copies that were moved, saved again, exported or rounded to 16 bits are the same model; copies in 8 bits
    or with another pooling, prompt or tokenizer are not. Without a passport to expect, the one in the model's
    folder is checked, and the passport is shown.

    Returns:
        :class:`Verified` of a study, else :class:`VerifiedModel`.

    Raises:
        VerifyError: a hash, a figure or a score of a study differs, or it is another model; the error names
            the differences.
        UsageError: the model is a baseline, or ``out`` is one of its files.
        DataError: the study isn't finished, or the decision can't be read.
        ModelError: the model or the passport can't be read, or the decision is for another model.
        MissingExtraError: the runtime of an export is not installed.
        OutputError: ``out`` can't be written.

    Example:
        >>> import textkin as tk
        >>> made = tk.verify("default", out="passport.json").passport
        >>> made.model, made.says["document"].shape
        ('default', (64, 128))
        >>> tk.verify("default", expect="passport.json").check.accepted
        True
    """
    from textkin.base.errors import inapplicable
    from textkin.verbs.argument_order import is_collection
    from textkin.verbs.use.verified_model import is_run, verify_collection, verify_model

    of_models = {"expect": expect, "decision": decision, "accept_drift": accept_drift}
    given = [name for name, value in of_models.items() if value]
    if is_run(subject):
        if given or out is not None:
            raise inapplicable(*given, *(["out"] if out is not None else []), to="a study")
        from textkin.verbs.experiments.verify import verify_run

        return verify_run(subject)
    if is_collection(subject):
        if given:
            raise inapplicable(*given, to="a collection")
        return verify_collection(subject, out=out)
    return verify_model(
        subject, expect=expect, out=out, decision=decision, accept_drift=accept_drift, download=download
    )
