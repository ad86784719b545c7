"""Verification of a model against a passport.

The vectors or scores decide: two models with the same outputs for all canaries are equivalent, whatever their
files. Files and settings explain a difference; they decide only what canaries can't show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textkin.base.errors import VerifyError, either
from textkin.base.results import ResultRow, Summary
from textkin.models.passports.document import DOCUMENT, QUERY, SPELT, Passport
from textkin.models.passports.drift import Drift, drift

_SHOWN = 4
_UNTOLD = ("longest_canary", "transformers_version", "dtype", "_name_or_path", "architectures")
_SIDES = {
    DOCUMENT: "documents",
    QUERY: "queries",
    SPELT: "documents with what is unknown by its spelling",
}


@dataclass(frozen=True, slots=True, repr=False)
class Checked(Summary):
    """The result of verifying a model against a passport.

    Attributes:
        model: the model that was checked.
        passport: the model that the passport was made for.
        accepted: True if they are the same model.
        reasons: the reasons if not; otherwise empty.
        drifts: the drift by side; empty if it can't be computed.
        changed: files that are in both folders and differ.
        missing: files of the passport that are not in the model's folder.
        settings: settings known for both that differ, as "name: passport's, model's".
        notes: remarks on an accepted model.

    Example:
        >>> import textkin as tk
        >>> tk.verify("default", expect=tk.verify("default").passport).check.accepted
        True
    """

    model: str
    passport: str
    accepted: bool
    reasons: tuple[str, ...]
    drifts: Mapping[str, Drift]
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    settings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        if not self.accepted:
            return f"{self.model} is not the model that the passport of {self.passport} was made for"
        return f"{self.model} is the model that the passport of {self.passport} was made for"

    @property
    def why(self) -> str:
        """The differences in a line; "" without."""
        differs = [*(f"file {name}" for name in self.changed), *self.settings]
        also = f"; what differs: {_listed(differs)}" if differs else ""
        return f"{'; '.join(self.reasons)}{also}" if self.reasons else ""

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            **self._fields("model", "passport", "accepted"),
            "why not": "; ".join(self.reasons),
            **{_SIDES[side]: found.words for side, found in self.drifts.items()},
            "files that differ": _listed(self.changed),
            "files not there": _listed(self.missing),
            "settings that differ": _listed(self.settings),
            "notes": "; ".join(self.notes),
        }


def compare(passport: Passport, found: Passport) -> Checked:
    """Compare a passport with that of a model, which was made on the passport's canaries.

    Args:
        passport: the reference passport.
        found: the model's passport, by :func:`textkin.models.passports.making.passport_of`.

    Raises:
        VerifyError: the two were made on other canaries.
    """
    if passport.canaries != found.canaries:
        raise VerifyError(
            f"the passports of {passport.model} and {found.model} were made on different canaries",
            fix="check the model itself, not its passport",
        )
    drifts: dict[str, Drift] = {}
    reasons = _shapes(passport, found)
    for side in (DOCUMENT, QUERY, SPELT):
        if not reasons and side in passport.says and (theirs := _side(found, side)) is not None:
            drifts[side] = drift(passport.rule, passport.says[side], theirs)
    if QUERY in found.says and QUERY not in passport.says and DOCUMENT in drifts:
        drifts[QUERY] = drift(passport.rule, passport.says[DOCUMENT], found.says[QUERY])
    reasons += [f"{_SIDES[side]}: {one.words}" for side, one in drifts.items() if not one.accepted] + _unseen(
        passport, found
    )
    both = passport.files.keys() & found.files.keys()
    return Checked(
        model=found.model,
        passport=passport.model,
        accepted=not reasons,
        reasons=tuple(reasons),
        drifts=drifts,
        changed=tuple(sorted(name for name in both if passport.files[name] != found.files[name])),
        missing=tuple(sorted(passport.files.keys() - both)) if found.files else (),
        settings=tuple(_differences(passport.settings, found.settings)),
        notes=tuple(_notes(passport, found, drifts)),
    )


def require(checked: Checked, *, accept_drift: bool | None = False) -> Checked:
    """Reject a model that isn't the passport's.

    Args:
        checked: the result of :func:`compare`.
        accept_drift: accept it anyway; the caller reports the drift. None where nobody can accept it.

    Raises:
        VerifyError: it is another model; the message lists the differences.
    """
    if checked.accepted or accept_drift:
        return checked
    ways = ["give that model"] if accept_drift is None else ["give that model", "go on with `accept_drift`"]
    raise VerifyError(f"{checked.words}: {checked.why}", fix=either(*ways))


def _side(found: Passport, side: str) -> Any:
    """The rows of a side; queries without their own rows are encoded as documents are."""
    return found.says.get(side, found.says[DOCUMENT] if side == QUERY else None)


def _shapes(passport: Passport, found: Passport) -> list[str]:
    """The reason why rows can't be compared at all."""
    if passport.gives is not found.gives:
        return [f"it gives {found.gives}, the passport has {passport.gives}"]
    width, wanted = found.says[DOCUMENT].shape[1], passport.says[DOCUMENT].shape[1]
    what = "dimensions" if passport.gives.are_vectors else "outputs"
    return [] if width == wanted else [f"it has {width} {what}, the passport {wanted}"]


def _unseen(passport: Passport, found: Passport) -> list[str]:
    """Differences that no canary shows."""
    reasons = []
    ours, theirs = ((one.settings.get("arguments") or {}).get("normalize") for one in (passport, found))
    if ours is not None and theirs is not None and bool(ours) != bool(theirs):
        said = {True: "unit length", False: "any length"}
        reasons.append(
            f"other libraries get vectors of {said[bool(theirs)]} from it, not of {said[bool(ours)]}"
        )
    limits = [one.settings.get("limits") for one in (passport, found)]
    if all(isinstance(one, Mapping) for one in limits):
        most = [one.get("max_tokens") for one in limits if isinstance(one, Mapping)]
        longest = max(one.get("longest_canary") or 0 for one in limits if isinstance(one, Mapping))
        if most[0] != most[1] and all(one is None or one >= longest for one in most):
            reasons.append(f"it reads {most[1] or 'all'} tokens, not {most[0] or 'all'}, of longer texts")
    return reasons


def _notes(passport: Passport, found: Passport, drifts: Mapping[str, Drift]) -> Iterator[str]:
    if drifts and all(one.is_rounding for one in drifts.values()):
        yield "both say the same of all canaries: they are one model for all purposes"
    if SPELT in passport.says and SPELT not in found.says:
        yield "it adds nothing for unknown words, as textkin does: texts with such words differ"
    if passport.export is not None:
        yield (
            f"the passport is of an export in {passport.export.precision} of {passport.export.original} "
            f"(worst {passport.export.measure} {passport.export.worst:.6f})"
        )


def _differences(ours: Any, theirs: Any, name: str = "") -> Iterator[str]:
    """The settings named by both that differ, by path."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in sorted(ours.keys() & theirs.keys()):
            yield from _differences(ours[key], theirs[key], f"{name}.{key}" if name else str(key))
    elif ours != theirs and not name.endswith(_UNTOLD):
        yield f"{name}: {ours!r}, {theirs!r}"


def _listed(names: Any) -> str:
    found = list(names)
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more
