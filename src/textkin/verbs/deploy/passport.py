"""Passports: make one of a model, and check a model against one, wherever that lies."""

from __future__ import annotations

from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.hub import located
from textkin.collection.maintenance import passport_of_collection
from textkin.collection.store.address import place_of
from textkin.collection.store.open_store import is_there
from textkin.data.protocols import Classifier, Scorer
from textkin.kinds.systems.passports import check_against, make_passport
from textkin.models.passports.checking import Checked
from textkin.models.passports.document import Passport
from textkin.models.passports.making import read_passport

AnyPassport = str | Path | Passport
"""A file, a folder with a passport, a collection, or a passport itself."""


@checked
def passport(
    data: Path | str | Scorer | Classifier,
    *,
    out: Path | str | None = None,
    decision: Path | str | None = None,
) -> Passport:
    """Make the passport of a model: hashes, settings, threshold, and its outputs for 64 texts.

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
        accept_drift: return the differences instead of raising.

    Raises:
        VerifyError: it is another model; the error names the differences.
        UsageError: the model is a baseline.
        ModelError: the model or the passport can't be read.
        MissingExtraError: the runtime of an export is not installed.

    Example:
        >>> import textkin as tk
        >>> tk.check_passport("default", passport=tk.passport("default")).accepted
        True
    """
    wanted = passport if isinstance(passport, Passport) else _read(passport)
    return check_against(data, wanted, accept_drift=accept_drift)


def _read(passport: str | Path) -> Passport:
    """The passport in a file, in the folder of a model, or in a collection."""
    place = place_of(passport)
    if isinstance(place, Path) and not is_there(place):
        return read_passport(place if place.exists() else located(passport))
    return passport_of_collection(place)
