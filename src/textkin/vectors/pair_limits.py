"""Which pairs of texts are wanted: those above a threshold, the best ones, or the best of each text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.errors import PromiseError, conflict, invalid, required
from textkin.base.number_errors import no_number
from textkin.base.spelling import spelt
from textkin.base.text_equality import Equal
from textkin.data.protocols import Encoder
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.vectors.long_texts import LongTexts

TOP = 1000
"""So many pairs are shown where nobody says how many, and no threshold is known."""

LARGEST_TOP = 1 << 24
LARGEST_PER_TEXT = 1000

_WINDOWS_NEED = "give `threshold` or `precision`"
_WAYS = "`threshold`, `precision`, `top` and `per_text`"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairLimits:
    """Which pairs are wanted: one of the first four options, or none.

    With none, the model's own threshold decides, or else the 1,000 best pairs are found.

    Attributes:
        threshold: pairs with at least this cosine.
        precision: pairs above the threshold that was fitted for this precision and saved with the model.
        top: the best so many pairs.
        per_text: the pairs of each text with the best so many others.
        decision: a file of ``textkin calibrate`` for this model, whose threshold stands for the model's own.
        recall: with a threshold: it is enough to find about this share of the pairs, sooner.
        long: what becomes of texts that are longer than the encoder reads: None to withhold their pairs;
            windows go with a threshold.
        equal: which texts count as one, found once and with score 1.
    """

    threshold: float | None = None
    precision: float | None = None
    top: int | None = None
    per_text: int | None = None
    decision: Path | str | None = None
    recall: float | None = None
    long: LongTexts | None = None
    equal: Equal = Equal.EXACT

    def __post_init__(self) -> None:
        check_fields(self)


@final
@dataclass(frozen=True, slots=True)
class PairChoice:
    """Which pairs are wanted.

    Attributes:
        threshold: the least cosine.
        words: where it comes from, or how many pairs are wanted.
        limit: the most pairs; None for all.
        per_text: the most others of each text; None for all.
        recall: the share of the pairs that is enough; None for all of them.
        long: what becomes of texts that are longer than the encoder reads.
        equal: which texts count as one.
    """

    threshold: float
    words: str
    limit: int | None = None
    per_text: int | None = None
    recall: float | None = None
    long: LongTexts = LongTexts.WITHHOLD
    equal: Equal = Equal.EXACT


def check_limits(wanted: PairLimits) -> None:
    """Refuse what can't be wanted, before hours of work.

    Raises:
        UsageError: several ways at once, or a number out of range.
    """
    given: dict[str, float] = {
        name: value
        for name in ("threshold", "precision", "top", "per_text")
        if (value := getattr(wanted, name)) is not None
    }
    recall = wanted.recall
    if len(given) > 1:
        raise conflict(*given)
    if wanted.decision is not None and set(given) - {"precision"}:
        raise conflict("decision", next(iter(given)))
    for name, least, most in (
        ("threshold", -1, 1),
        ("precision", 0, 1),
        ("top", 1, LARGEST_TOP),
        ("per_text", 1, LARGEST_PER_TEXT),
    ):
        value = given.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            whole = name in ("top", "per_text")
            expected = "a whole number" if whole else "a number"
            raise invalid(name, value, expected=expected, fix=no_number(str(value), whole=whole)[1])
        if value is not None and not least <= value <= most:
            raise invalid(name, value, expected=f"a number from {least} to {most:,}")
    _check_long(wanted)
    if recall is None:
        return
    if not 0 < recall < 1:
        raise invalid("recall", recall, expected="a number above 0 and below 1; leave it out for all pairs")
    if "top" in given or "per_text" in given:
        raise conflict("recall", next(iter(given)), why="`recall` needs a threshold")


def _check_long(wanted: PairLimits) -> None:
    """Refuse windows with a number of pairs.

    Raises:
        UsageError: the best pairs are wanted, in windows.
    """
    if wanted.long is LongTexts.WINDOWS and (wanted.top is not None or wanted.per_text is not None):
        option = "top" if wanted.top is not None else "per_text"
        raise conflict("long", option, why="windows are compared by a threshold", fix=_WINDOWS_NEED)


def settle_limits(
    wanted: PairLimits, encoder: Encoder | None, *, decided: SavedThreshold | None = None
) -> PairChoice:
    """Find out what is wanted.

    Args:
        wanted: what :func:`check_limits` let pass.
        encoder: whose threshold may be asked for.
        decided: the threshold of ``wanted.decision``, made for this encoder.

    Raises:
        UsageError: a recall or windows without a threshold are wanted.
        PromiseError: a precision is wanted, and no threshold was fitted for it.
    """
    long = wanted.long or LongTexts.WITHHOLD
    found = replace(_chosen(wanted, encoder, decided), long=long, equal=wanted.equal)
    if wanted.long is LongTexts.WINDOWS and (found.limit is not None or found.per_text is not None):
        raise required("threshold", by="`long=windows`", fix=f"{_WINDOWS_NEED}: the model has no threshold")
    return found


def _chosen(wanted: PairLimits, encoder: Encoder | None, decided: SavedThreshold | None) -> PairChoice:
    recall = wanted.recall
    if wanted.threshold is not None:
        return PairChoice(wanted.threshold, "given", recall=recall)
    if wanted.top is not None:
        return PairChoice(-1, f"the {wanted.top:,} best pairs", limit=wanted.top)
    if wanted.per_text is not None:
        return PairChoice(-1, f"the {wanted.per_text:,} best of each text", per_text=wanted.per_text)
    saved = decided or _saved(encoder)
    if wanted.precision is not None:
        return PairChoice(*_for_precision(wanted.precision, saved, encoder), recall=recall)
    if saved is not None:
        whose = "the model's own" if decided is None else "that of the decision"
        return PairChoice(saved.threshold.value, f"{whose}, {_told(saved)}", recall=recall)
    if recall is not None:
        raise required("threshold", by="`recall`", fix="give `threshold` or `precision`")
    return PairChoice(
        -1,
        f"the {TOP:,} best pairs, as no threshold is known ({spelt(_WAYS)} choose others)",
        limit=TOP,
    )


def _for_precision(wanted: float, saved: SavedThreshold | None, encoder: Encoder | None) -> tuple[float, str]:
    fix = (
        f"fit one on labelled pairs: `calibrate()` with `precision={wanted:g}`; or give `threshold` or `top`"
    )
    name = "nothing" if encoder is None else encoder.name
    if saved is None:
        raise PromiseError(f"{name} has no threshold for precision {wanted:g}", fix=fix)
    goal = Goal.parse(saved.threshold.goal)
    if goal.aim is not Aim.PRECISION or (goal.level or 0) < wanted:
        raise PromiseError(f"the threshold of {name} is for {goal}, not for precision {wanted:g}", fix=fix)
    if not goal.is_promise:
        raise PromiseError(
            f"the threshold of {name} has precision {goal.level:g} by the estimate only",
            fix=fix + "; without `precision`, the model's own threshold is used",
        )
    return saved.threshold.value, _told(saved)


def _saved(encoder: Encoder | None) -> SavedThreshold | None:
    """The threshold in an encoder's model directory; to ask for the encoder's class would load torch."""
    found: SavedThreshold | None = getattr(getattr(encoder, "model", None), "threshold", None)
    return found


def _told(saved: SavedThreshold) -> str:
    there = saved.threshold
    said = (
        f"fitted on {saved.fitted_on} for {there.goal}: there precision {there.precision:.3f}, "
        f"recall {there.recall:.3f}"
    )
    if saved.precision is None:
        return said
    low, high = saved.precision
    return f"{said}; on pairs like those precision {low:.3f} to {high:.3f}"
