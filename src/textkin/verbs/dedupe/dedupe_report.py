"""Content of a deduplication's report, and sentences on what was found."""

from collections.abc import Sequence

import numpy as np

from textkin.base.counts import count, percent
from textkin.base.spelling import spelt
from textkin.measures.intervals.bootstrap import Interval
from textkin.report import dedupe_content
from textkin.report.content import Estimate
from textkin.report.data_facts import Reproduction
from textkin.text.truncation_account import Truncation
from textkin.text.unknown_tokens import NOTICEABLE
from textkin.vectors.long_texts import LongTexts
from textkin.vectors.similar_texts import MOST_PAIRS
from textkin.verbs.dedupe.checks import GoldAgreement, Guarantee
from textkin.verbs.dedupe.deduped import Deduped
from textkin.verbs.dedupe.sample_answers import PrecisionAt, SampleAnswers
from textkin.verbs.dedupe.threshold_steps import best, shown_pairs, thresholds

_SINGLE = 5  # group sizes of at least this share a row
_GROUPS, _GONE, _FORBIDDEN = 500, 10, 30


def dedupe_report(
    found: Deduped,
    *,
    facts: Sequence[str],
    guarantee: Guarantee | None,
    answers: SampleAnswers | None,
    gold: GoldAgreement | None,
    made: Reproduction,
) -> dedupe_content.DedupeReport:
    """All that the page shows."""
    groups = found.groups
    words = found.cut.words
    told = "" if answers is None else precision_sentence(answers, found.cut.value)
    if answers is not None and told and found.cut.precision == told:
        words = f"{found.cut.origin}, by {count(answers.judged, 'label')}"  # the page shows the figure itself
    unknown = not found.cut.fitted and answers is None and len(found.removed) > 0
    notes = []
    if why := found.guards.sentence(len(found.distinct)):
        notes.append(f"{why}.")
    if not found.similar.complete:
        notes.append(how_many())
    if found.withheld_texts:
        notes.append(f"{withheld_sentence(found.withheld_texts)}.")
    withheld = len(found.withheld) if found.similar.complete else None
    notes += long_texts(found.truncation, withheld, found.options.long)
    if answers is not None:
        notes += said_beside(answers)
    if guarantee is not None:
        notes.append(f"{guarantee.sentence().capitalize()}.")
    return dedupe_content.DedupeReport(
        title=f"Deduplication of {facts[0]}",
        facts=tuple(facts),
        texts=len(found.texts),
        kept=len(found.kept),
        removed=len(found.removed),
        groups=len(groups),
        largest=max(map(len, groups), default=1),
        forbidden=len(found.forbidden),
        thresholds=thresholds(found, () if answers is None else tuple(map(_precision_row, answers.at))),
        threshold_words=words,
        shown=found.cut.fitted,
        advice=how_to_fit(complete=found.similar.complete) if unknown else "",
        notes=tuple(notes),
        shown_groups=tuple(_group(found, places) for places in groups[:_GROUPS]),
        shown_forbidden=shown_pairs(found, best(found.forbidden, _FORBIDDEN)),
        agreement={} if gold is None else agreement_figures(gold),
        made=made,
        sizes=_sizes(found),
    )


def _sizes(found: Deduped) -> tuple[dedupe_content.GroupSizes, ...]:
    """Groups by their sizes: single ones up to four texts, then doubling."""
    sizes = np.bincount(found.stays)
    sizes = sizes[sizes > 0]
    rows, least, width = [], 1, 1
    while least <= int(sizes.max(initial=0)):
        most = least + width - 1
        groups = int(((sizes >= least) & (sizes <= most)).sum())
        rows.append(dedupe_content.GroupSizes(least, most, groups))
        least = most + 1
        width = 1 if least < _SINGLE else least - 1
    return tuple(rows)


def how_to_fit(*, complete: bool) -> str:
    """Advice where the threshold was not fitted to labels.

    Args:
        complete: whether all similar pairs are known, so that a sample can be drawn.
    """
    todo = (
        "give `sample=200`, label the pairs, and give their file as `labelled`."
        if complete
        else "look at some rows of removed.tsv."
    )
    return spelt(f"To measure the precision of this threshold, {todo}")


def withheld_sentence(texts: int) -> str:
    """The note on texts that were compared for equality only."""
    were, whose, them = ("was", "its", "it") if texts == 1 else ("were", "their", "them")
    return spelt(
        f"{count(texts, 'text')} {were} compared for equality only: the encoder doesn't know "
        f"{percent(NOTICEABLE, 0)} or more of {whose} tokens (`unknown=accept` compares {them})"
    )


def how_many() -> str:
    """A note where there are too many similar pairs to list them."""
    return (
        f"More than {MOST_PAIRS:,} pairs are similar. Each removed text is listed with its kept text only. "
        "Pairs blocked by a guard are not listed, and other thresholds are not tried."
    )


def long_texts(account: Truncation | None, withheld: int | None, long: LongTexts | None) -> list[str]:
    """A note on texts that are longer than the encoder reads, if there are any.

    Args:
        account: their number.
        withheld: pairs of them that are similar as far as they were read; None where they are not counted.
        long: their treatment.
    """
    if account is None or not (said := account.sentence()):
        return []
    if long is LongTexts.WINDOWS:
        return [f"{said}. Two such texts are the same if their windows pair up in order."]
    if long is LongTexts.ACCEPT:
        return [spelt(f"{said}. What was read of them decided, as `long=accept` asks.")]
    pairs = "pairs" if withheld is None else count(withheld, "pair")
    withheld_pairs = f"{said}. Withheld: {pairs} that are similar as far as they were read."
    return [
        f"{withheld_pairs} "
        + spelt("`long=windows` compares such texts whole, `long=accept` takes what was read for the whole.")
    ]


def agreement_figures(gold: GoldAgreement) -> dict[str, float]:
    """Each figure by its name."""
    return {
        f"{name} {what}": getattr(figures, attribute)
        for name, figures in (("pairwise", gold.pairwise), ("B-cubed", gold.b_cubed))
        for what, attribute in (("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
    }


def _group(found: Deduped, places: Sequence[int]) -> dedupe_content.ShownGroup:
    kept, *gone = places
    shown = (
        dedupe_content.GoneText(
            found.ids[place],
            found.texts[place],
            float(found.similarity[place]),
            found.preference.reason(kept, place),
        )
        for place in gone[:_GONE]
    )
    return dedupe_content.ShownGroup(found.ids[kept], found.texts[kept], tuple(shown), len(places))


def said_beside(answers: SampleAnswers) -> list[str]:
    """Sentences on what labels show besides precision: lost duplicates, and what they don't cover."""
    found = [given_up(answers), left_below(answers), answers.news()]
    return [one for one in found if one]


def given_up(answers: SampleAnswers) -> str | None:
    """The cost of the chosen threshold; None if it isn't above the requested one, or isn't known."""
    if (chosen := answers.chosen) is None or chosen.threshold <= answers.asked or chosen.remaining is None:
        return None
    return (
        f"Of the duplicates that {answers.asked:.6g} finds, {chosen.threshold:.6g} finds "
        f"{in_words(chosen.remaining)} and gives up the rest."
    )


def left_below(answers: SampleAnswers) -> str | None:
    """The labelled duplicates that the threshold misses; None where they aren't known."""
    if answers.found is None:
        return None
    lowest = answers.at[0].threshold
    threshold = answers.asked if answers.chosen is None else answers.chosen.threshold
    return (
        f"Of the duplicates that score {lowest:.6g} or more, {threshold:.6g} finds "
        f"{in_words(answers.found)}; no pair below that is labelled."
    )


def precision_sentence(answers: SampleAnswers, threshold: float) -> str:
    """The precision of a threshold in words, from labels; "" if they don't cover it."""
    at = float(np.float32(threshold))
    told = next((one.precision for one in answers.at if one.threshold == at), None)
    return (
        ""
        if told is None
        else f"by {count(answers.judged, 'label')} its precision is {precision_in_words(told)}"
    )


def in_words(found: Interval) -> str:
    """A figure with its interval in words; alone where nothing is estimated."""
    span = "" if found.low == found.high else f" ({found.low:.3f} to {found.high:.3f})"
    return f"{found.value:.3f}{span}"


def precision_in_words(found: Interval) -> str:
    """A precision with its interval, or the fact that all pairs were labelled."""
    return f"{in_words(found)} (all judged)" if found.low == found.high else in_words(found)


def _precision_row(at: PrecisionAt) -> dedupe_content.PrecisionRow:
    return dedupe_content.PrecisionRow(
        at.threshold, at.pairs, _estimate(at.precision), _estimate(at.remaining), new=at.new
    )


def _estimate(told: Interval | None) -> Estimate | None:
    if told is None:
        return None
    if told.low == told.high:  # all pairs were judged: nothing is estimated
        return Estimate(told.value)
    return Estimate(told.value, told.low, told.high)
