"""Passports on disk: a file of its own, or ``passport.json`` in the folder of a model.

In a textkin model folder the passport leaves threshold and calibration to the manifest, where ``calibrate``
writes them, so that they can't diverge. A passport elsewhere contains them.
"""

from __future__ import annotations

from pathlib import Path

from textkin.base.errors import ModelError
from textkin.base.files import write_json
from textkin.base.json_fields import read_object
from textkin.models.interop.folder_kinds import MANIFEST, PASSPORT
from textkin.models.passports.document import Passport, PassportDecision


def write_passport(passport: Passport, path: Path | str) -> Path:
    """Write a passport atomically.

    Args:
        passport: the passport.
        path: the file, or the model's folder.

    Returns:
        The path of the file.

    Raises:
        OutputError: it isn't writable.
    """
    place = Path(path)
    place = place / PASSPORT if place.is_dir() else place
    inside = place.name == PASSPORT and (place.parent / MANIFEST).is_file()
    write_json(place, passport.to_dict(decision_in=MANIFEST if inside else None))
    return place


def read_passport(path: Path | str) -> Passport:
    """The passport in a file or in the folder of a model.

    Raises:
        ModelError: there is none, or it can't be read.
    """
    place = Path(path)
    place = place / PASSPORT if place.is_dir() else place
    if not place.exists():
        raise ModelError(
            f"there is no passport {place}",
            fix="make it from a model that you trust: `passport()`",
        )
    manifest = place.parent / MANIFEST
    beside = decision_in(place.parent) if manifest.is_file() else None
    return Passport.from_dict(read_object(place), place, decision=beside)


def decision_in(folder: Path) -> PassportDecision:
    """Threshold and calibration of a textkin model folder.

    Raises:
        ModelError: the manifest can't be read.
    """
    return PassportDecision.from_dict(read_object(folder / MANIFEST))
