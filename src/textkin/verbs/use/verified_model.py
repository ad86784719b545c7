"""Models checked against passports, wherever these lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import invalid
from textkin.base.hub import locate
from textkin.base.paths import exists
from textkin.base.progress import note
from textkin.base.results import ResultRow, Summary
from textkin.collection.contents import passport_of_collection
from textkin.collection.store.address import place_of
from textkin.collection.store.open_store import is_there
from textkin.data.protocols import Classifier, Scorer
from textkin.kinds.systems import fetch_named
from textkin.kinds.systems.passports import check_against, kept_in, make_passport
from textkin.models.passports.checking import Checked
from textkin.models.passports.document import Passport
from textkin.models.passports.making import read_passport, write_passport
from textkin.verbs.experiments.study_folder import HASHES, STUDY

AnyModel = str | Path | Scorer | Classifier
AnyPassport = str | Path | Passport
"""A file, a folder with a passport, a collection, or a passport itself."""


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedModel(Summary):
    """A model's passport, and the check of the model against an expected one.

    Attributes:
        passport: the model's or the collection's passport; None if another one was expected and ``out`` is
            not given.
        check: the result of the check; None without a passport to check against.
        file: the file or folder that the passport was written to.

    Example:
        >>> import textkin as tk
        >>> found = tk.verify("default")
        >>> found.passport.model, found.check.accepted
        ('default', True)
    """

    passport: Passport | None
    check: Checked | None = None
    file: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        for one in (self.passport, self.check):
            if one is not None:
                yield from one.rows()

    def _summary(self) -> str:
        if self.check is not None:
            return self.check.words
        return "" if self.passport is None else f"the passport of {self.passport.model}"

    def text(self) -> str:
        """The passport and the result of the check."""
        lines = [] if self.passport is None else [str(self.passport)]
        if self.check is not None:
            lines.append(self.check.words)
            about = self.check.rows()[0].items()
            lines += [f"{k}: {v}" for k, v in about if v and k not in ("model", "passport", "accepted")]
        return "\n".join([*lines, *([] if self.file is None else [f"passport: {self.file}"])])

    def as_dict(self) -> dict[str, Any]:
        """The passport, the check and the file."""
        passport = None if self.passport is None else self.passport.to_dict()
        return {"passport": passport, "check": self.check, "file": self.file}


def is_run(subject: Any) -> bool:
    """True for the folder of a study, finished or not."""
    return isinstance(subject, str | Path) and any(exists(Path(subject) / name) for name in (HASHES, STUDY))


def verify_collection(collection: str | Path, *, out: Path | None) -> VerifiedModel:
    """The passport that a collection keeps, with its fitted threshold and calibration.

    Raises:
        ModelError: it has none yet.
        DataError: it is corrupt.
        OutputError: ``out`` can't be written.
    """
    found = passport_of_collection(place_of(collection))
    if out is not None:
        write_passport(found, out)
    return VerifiedModel(found, file=out)


def verify_model(
    model: AnyModel,
    *,
    expect: AnyPassport | None = None,
    out: Path | None = None,
    decision: Path | str | None = None,
    accept_drift: bool = False,
    download: bool = False,
) -> VerifiedModel:
    """Check a model against the expected passport, or the one in its folder; make its passport.

    Raises:
        VerifyError: it is another model.
        UsageError: it is a baseline, or ``out`` is one of its files.
        ModelError: the model or the passport can't be read, or the decision is for another model.
        DataError: the decision can't be read.
        OutputError: ``out`` can't be written.
    """
    fetch_named(model, download=download)
    wanted = kept_in(model) if expect is None and isinstance(model, str | Path) else expect
    check = None
    if wanted is not None:
        check = check_against(model, _read(wanted), accept_drift=accept_drift)
        if not check.accepted:
            note(f"warning: {check.words}: {'; '.join(check.reasons)}")
    shown = out is not None or expect is None
    made = make_passport(model, out=out, decision=decision) if shown else None
    return VerifiedModel(made, check, out)


def _read(passport: AnyPassport) -> Passport:
    """The passport in a file, in the folder of a model, or in a collection.

    Raises:
        UsageError: it is nothing of that kind.
        ModelError: it can't be read.
    """
    if isinstance(passport, Passport):
        return passport
    if not isinstance(passport, str | Path):
        raise invalid("expect", passport, expected="a file, a folder with a passport, or a passport")
    place = place_of(passport)
    if isinstance(place, Path) and not is_there(place):
        if (found := place if exists(place) else locate(passport)) is None:
            raise invalid("expect", passport, expected="a file or folder that exists, or a cached model")
        return read_passport(found)
    return passport_of_collection(place)
