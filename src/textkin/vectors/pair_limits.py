"""The requested pairs of texts: those above a threshold, the best ones, or the best of each text."""

from dataclasses import dataclass, replace
from pathlib import Path

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
"""Default number of pairs without a known threshold."""

LARGEST_TOP = 1 << 24
LARGEST_PER_TEXT = 1000

_WINDOWS_NEED = "give `threshold` or `precision`"
_WAYS = "`threshold`, `precision`, `top` and `per_text`"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLimits:
    """The requested pairs: at most one of the first four options.

    By default the model's own threshold decides. Without one, the 1,000 best pairs are found.

    Attributes:
        threshold: minimum cosine.
        precision: precision of the threshold to use, fitted and saved with the model.
        top: maximum number of pairs.
        per_text: number of nearest others for each text.
        decision: file of ``textkin calibrate`` for this model, whose threshold replaces the model's own.
        recall: with a threshold: fraction of the pairs that suffices, for a faster search.
        long: treatment of texts longer than the encoder reads; None to exclude their pairs; windows need a
            threshold.
        equal: texts that count as equal, paired once with score 1.
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


@dataclass(frozen=True, slots=True)
class PairChoice:
    """The resolved request for pairs.

    Attributes:
        threshold: minimum cosine.
        words: source of the threshold, or the number of pairs, in words.
        limit: maximum number of pairs; None for all.
        per_text: maximum number of others for each text; None for all.
        recall: fraction of the pairs that suffices; None for all of them.
        long: treatment of texts longer than the encoder reads.
        equal: texts that count as equal.
    """

    threshold: float
    words: str
    limit: int | None = None
    per_text: int | None = None
    recall: float | None = None
    long: LongTexts = LongTexts.WITHHOLD
    equal: Equal = Equal.EXACT

    @property
    def is_number(self) -> bool:
        """True for a number of best pairs, False for all above the threshold."""
        return self.limit is not None or self.per_text is not None


def check_limits(wanted: PairLimits) -> None:
    """Raise for an invalid request, before hours of work.

    Raises:
        UsageError: several options are set, or a number is out of range.
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
    """Raise for windows together with a number of pairs.

    Raises:
        UsageError: the best pairs are requested, in windows.
    """
    if wanted.long is LongTexts.WINDOWS and (wanted.top is not None or wanted.per_text is not None):
        option = "top" if wanted.top is not None else "per_text"
        raise conflict("long", option, why="windows are compared by a threshold", fix=_WINDOWS_NEED)


def settle_limits(
    wanted: PairLimits, encoder: Encoder | None, *, decided: SavedThreshold | None = None
) -> PairChoice:
    """Resolve a request.

    Args:
        wanted: a request checked by :func:`check_limits`.
        encoder: the encoder, whose threshold may be used.
        decided: threshold of ``wanted.decision``, made for this encoder.

    Raises:
        UsageError: a recall or windows are requested without a threshold.
        PromiseError: a precision is requested, and no threshold was fitted for it.
    """
    long = wanted.long or LongTexts.WITHHOLD
    found = replace(_chosen(wanted, encoder, decided), long=long, equal=wanted.equal)
    if wanted.long is LongTexts.WINDOWS and found.is_number:
        raise required("threshold", by="`long=windows`", fix=f"{_WINDOWS_NEED}: the model has no threshold")
    return found


def _chosen(wanted: PairLimits, encoder: Encoder | None, decided: SavedThreshold | None) -> PairChoice:
    recall = wanted.recall
    if wanted.threshold is not None:
        return PairChoice(wanted.threshold, "given", recall=recall)
    if wanted.top is not None:
        return PairChoice(
            -1, "the best pair" if wanted.top == 1 else f"the {wanted.top:,} best pairs", limit=wanted.top
        )
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
    fix = f"fit one on labelled pairs: `calibrate()` with `precision={wanted:g}`; or give `threshold`"
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
    """The threshold in an encoder's model directory.

    Checking the encoder's class would load torch.
    """
    return getattr(getattr(encoder, "model", None), "threshold", None)


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
