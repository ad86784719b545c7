"""Check a model against a passport, wherever that lies."""

from __future__ import annotations

from pathlib import Path

from textkin.base.hub import located
from textkin.collection.inspect import passport_of_collection
from textkin.collection.store.address import place_of
from textkin.collection.store.open_store import is_there
from textkin.data.protocols import Classifier, Scorer
from textkin.kinds.systems.passports import check_against
from textkin.models.passports import Checked, Passport, read_passport

AnyPassport = str | Path | Passport
"""A file, a folder with a passport, a collection, or a passport itself."""


def check_model(
    model: str | Path | Scorer | Classifier, passport: AnyPassport, *, accept_drift: bool = False
) -> Checked:
    """Check a model against a passport.

    Args:
        model: as in :func:`textkin.kinds.systems.passports.make_passport`.
        passport: the file, a folder that has one, a collection, or the passport.
        accept_drift: return what differs rather than refuse.

    Raises:
        VerifyError: the model is not the one that the passport was made for; it says what differs.
        UsageError: the model is a baseline.
        ModelError: the model or the passport can't be read.
        MissingExtraError: the runtime of an export is not installed.
    """
    wanted = passport if isinstance(passport, Passport) else _read(passport)
    return check_against(model, wanted, accept_drift=accept_drift)


def _read(passport: str | Path) -> Passport:
    """The passport in a file, in the folder of a model, or in a collection."""
    place = place_of(passport)
    if isinstance(place, Path) and not is_there(place):
        return read_passport(place if place.exists() else located(passport))
    return passport_of_collection(place)
