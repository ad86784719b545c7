"""The model noted in a collection, and the models that were accepted for it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from textkin.base.errors import DataError, OutputError, TextkinError
from textkin.base.files import sha256_of_json, write_json
from textkin.base.json_fields import read_object, strings
from textkin.collection.match.match_labels import FACT, MatchLabels
from textkin.collection.store.address import Place
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.sqlite import CACHE
from textkin.measures.decisions.match_rule import MatchGoal
from textkin.models.passports.document import Passport, PassportMatching
from textkin.models.provenance import versions

MODEL, PASSPORT = "model", "passport"
"""The facts that hold a collection's model and its passport."""

_SUM, _CONTENT = "sha256", "passport"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """The model noted in a collection.

    Attributes:
        name: its name or location.
        sha256: the hash of everything its vectors depend on; None for an object.
        folder: the collection's folder, for error messages.
        sealed: the passport as noted; None if missing, as before the first ``add``.
    """

    name: str
    sha256: str | None
    folder: Place
    sealed: dict[str, Any] | None = None

    @classmethod
    def of(cls, store: CollectionStore, folder: Place) -> Self | None:
        """The model noted in a collection; None if it was made without one.

        Raises:
            DataError: it is corrupt.
        """
        facts = store.fact(MODEL)
        if facts is None:
            return None
        if not is_model(facts):
            raise DataError(
                "what is noted of the model is not what was written",
                path=str(folder),
                fix="save what is left: `repair_collection()` with `model`",
            )
        return cls(facts["name"], facts["sha256"], folder, store.fact(PASSPORT))

    @property
    def passport_sha256(self) -> str | None:
        """The hash of the passport; None without one, or if it is corrupt."""
        return str(self.sealed.get(_SUM)) if isinstance(self.sealed, dict) else None

    def passport(self) -> Passport | None:
        """The passport; None without one.

        Raises:
            DataError: it is corrupt.
            ModelError: it can't be read.
        """
        if self.sealed is None:
            return None
        if not is_whole(self.sealed):
            raise DataError(
                "the passport is not what was written",
                path=str(self.folder),
                fix="make it again: `repair_collection()`, then `add()`",
            )
        return Passport.from_dict(self.sealed[_CONTENT], str(self.folder))

    def with_passport(self, passport: Passport) -> Self:
        """A copy with a passport, which :func:`note` still has to store."""
        content = passport.to_dict()
        return replace(self, sealed={_SUM: sha256_of_json(content), _CONTENT: content})

    def note(self, store: CollectionStore) -> None:
        """Store the passport in a collection.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        store.note_fact(PASSPORT, self.sealed)


def is_model(facts: Any) -> bool:
    """True if this is a collection's record of its model."""
    if not isinstance(facts, dict) or not isinstance(facts.get("name"), str):
        return False
    return "sha256" in facts and isinstance(facts["sha256"], str | None)


def is_whole(sealed: Any) -> bool:
    """True if a passport is unchanged since it was noted."""
    if not isinstance(sealed, dict) or not isinstance(sealed.get(_CONTENT), dict):
        return False
    return bool(sha256_of_json(sealed[_CONTENT]) == sealed.get(_SUM))


def collection_passport(store: CollectionStore, folder: Place) -> Passport | None:
    """The collection's passport: its model's, with the fitted parameters; None without one.

    Raises:
        DataError: it is corrupt.
        ModelError: it can't be read.
    """
    known = KnownModel.of(store, folder)
    found = None if known is None else known.passport()
    fitted = store.fact(FACT)
    if found is None or fitted is None:
        return found
    labels = MatchLabels.from_dict(fitted)
    rule = labels.rule(MatchGoal(precision=labels.precision))
    matching = PassportMatching.of_rule(rule, labels.source, labels.guards)
    return replace(found, guards=labels.guards, matching=matching)


FILE = "models.json"
READING = 2
"""The version of textkin's text reading, raised when the same files would give other vectors."""

_MOST = 64


class CheckedModels:
    """The verified models.

    Args:
        known: the model noted in the collection.
    """

    def __init__(self, known: KnownModel) -> None:
        self._path = known.folder / CACHE / FILE if isinstance(known.folder, Path) else None
        self._passport = known.passport_sha256

    def has(self, sha256: str | None) -> bool:
        """True if the model with this hash was accepted before."""
        return sha256 is not None and self._key(sha256) in self._read()

    def add(self, sha256: str | None) -> None:
        """Record an accepted model. If writing fails, it is verified again next time."""
        if sha256 is None or self._path is None:
            return
        kept = [*(one for one in self._read() if one != self._key(sha256)), self._key(sha256)]
        with suppress(OutputError, OSError):
            self._path.parent.mkdir(exist_ok=True)
            write_json(self._path, {"accepted": kept[-_MOST:]})

    def _key(self, sha256: str) -> str:
        depends = {"model": sha256, "passport": self._passport, "versions": versions(), "reading": READING}
        return sha256_of_json(depends)

    def _read(self) -> Sequence[str]:
        if self._path is None:
            return []
        try:
            return strings(read_object(self._path), "accepted", self._path)
        except TextkinError:
            return []
