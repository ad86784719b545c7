"""The model noted in a collection: name, hash, passport."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, final

from textkin.base.errors import DataError
from textkin.base.files import sha256_of_json
from textkin.collection.match.match_rules import FACT, MatchLabels
from textkin.collection.store.address import Place
from textkin.data.protocols import Store
from textkin.measures.decisions.match_rule import MatchGoal
from textkin.models.passports import Passport, PassportMatching

MODEL, PASSPORT = "model", "passport"
"""The facts that hold a collection's model and its passport."""

_SUM, _CONTENT = "sha256", "passport"


@final
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
    def of(cls, store: Store, folder: Place) -> Self | None:
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

    def note(self, store: Store) -> None:
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


def collection_passport(store: Store, folder: Place) -> Passport | None:
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
    rule = labels.rule(MatchGoal())
    matching = PassportMatching.of_rule(rule, labels.source, labels.guards)
    return replace(found, guards=labels.guards, matching=matching)
