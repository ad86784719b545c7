"""A deduplication report as one page: a slider over thresholds, fully usable without scripts."""

from collections.abc import Sequence

from textkin.base.counts import count, percent
from textkin.report import dedupe_content
from textkin.report.content import Estimate
from textkin.report.figure_words import full, number
from textkin.report.html import (
    Html,
    block,
    bullets,
    details,
    element,
    grid_table,
    join,
    search_field,
    user_text,
)
from textkin.report.page_frame import VerdictBox, page_of
from textkin.report.tables import Grid
from textkin.report.threshold_page import SLIDER, pair_item, short, threshold_parts

_AT_ONCE = 20  # groups
_SAME = 1e-6  # thresholds, one of them in single precision


def dedupe_page(report: dedupe_content.DedupeReport) -> str:
    """The whole page."""
    tried = report.thresholds
    return page_of(
        report.title,
        report.facts,
        (
            (
                "thresholds",
                "Other thresholds" if len(tried.steps) > 1 else "The threshold",
                threshold_parts(tried),
            ),
            ("precision", "Precision by your labels", _precision(tried)),
            ("gold", "Agreement with known groups", _agreement(report)),
            ("sizes", "Sizes of groups", _sizes(report)),
            ("groups", "Largest groups", _groups(report)),
            ("forbidden", "Kept apart by a guard", _forbidden(report)),
        ),
        kind="deduplication",
        verdict=_verdict(report),
        made=report.made,
        first=(_figures(report), bullets(report.notes)),
        scripts=("filter.js", SLIDER),
    )


def _verdict(report: dedupe_content.DedupeReport) -> VerdictBox:
    share = f" ({percent(report.removed / report.texts)})" if report.texts else ""
    of = count(report.texts, "text")
    said = f"{count(report.removed)} of {of}{share} are duplicates of others"
    if not report.removed:
        said = f"None of {of} is a duplicate of another"
    chosen = short(report.thresholds.chosen)
    precision = report.thresholds.precision
    near = (row.precision for row in precision if abs(row.threshold - report.thresholds.chosen) < _SAME)
    told = next(near, None)
    if told is None:
        title = "Threshold fitted" if report.shown else "Precision not measured"
        title = title if report.removed else "No duplicates found"
        sentence = f"{said} at threshold {chosen}."
    else:
        title = "Precision shown" if report.shown else "Precision not shown"
        sentence = f"{said}. By a person's labels, the precision at threshold {chosen} is {_percents(told)}."
    more = f"Threshold: {report.threshold_words}. {report.advice}".rstrip()
    figures = {
        "texts": count(report.texts),
        "removed": count(report.removed),
        "groups": count(report.groups),
        "threshold": chosen,
        "precision": "" if told is None else full(told),
    }
    return VerdictBox(title, sentence, more, good=report.shown, figures=figures)


def _percents(told: Estimate) -> str:
    """A precision with its interval as percentages: "95.1 % (85.6 to 99.4 %)"."""
    if told.low is None or told.high is None:
        return percent(told.value)
    return f"{percent(told.value)} ({number(100 * told.low, 1)} to {percent(told.high)})"


def _figures(report: dedupe_content.DedupeReport) -> Html:
    share = percent(report.removed / report.texts) if report.texts else ""
    figures = (
        (count(report.texts), "texts"),
        (count(report.kept), "kept"),
        (count(report.removed), f"removed, {share}" if share else "removed"),
        (count(report.groups), "groups"),
        *([(count(report.largest), "in the largest")] if report.groups else []),
        (short(report.thresholds.chosen), "threshold"),
    )
    return element("dl", *(_figure(value, words) for value, words in figures), class_="tiles")


def _figure(value: str, words: str) -> Html:
    return element("div", element("dt", words), element("dd", value))


def _sizes(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.groups:
        return []
    rows = tuple((size_words(one), count(one.groups)) for one in report.sizes)
    grid = Grid(("texts in a group", "groups"), rows)
    table = grid_table(grid, caption="Groups by size; a text without duplicates is a group of one")
    return [block([sizes_figure(report.sizes), table])]


def _precision(tried: dedupe_content.TriedThresholds) -> list[Html]:
    rows = tried.precision
    if not rows:
        return []
    added = any(row.new for row in rows)
    cells = [
        (
            number(row.threshold, 4),
            count(row.pairs),
            *([count(row.new)] if added else []),
            *("-" if told is None else full(told) for told in (row.precision, row.remaining)),
        )
        for row in rows
    ]
    said = (
        "Precision is the fraction of the pairs at or above a threshold that are duplicates, estimated from "
        "pairs that a person labelled, with 95 % intervals. The last column is the fraction found of the "
        "duplicates at or above the requested threshold."
    )
    if any(row.precision is not None and row.precision.low is None for row in rows):
        said += " Where all pairs were labelled, there is no interval."
    new = ("new since",) if added else ()
    grid = Grid(("threshold", "pairs at or above", *new, "precision", "duplicates found"), tuple(cells))
    table = grid_table(grid, caption="Precision and duplicates found, by threshold")
    return [element("p", said), table]


def _agreement(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.agreement:
        return []
    rows = tuple((name, number(value)) for name, value in report.agreement.items())
    return [grid_table(Grid(("measure", "value"), rows), caption="Agreement with known groups")]


def _groups(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.shown_groups:
        return []
    shown = len(report.shown_groups)
    every = shown == report.groups
    said = "All groups" if every else f"The {count(shown)} largest of {count(report.groups)} groups"
    rest = "" if every else " All of them are in groups.tsv."
    groups = [_group(group) for group in report.shown_groups]
    first, others = groups[:_AT_ONCE], groups[_AT_ONCE:]
    return [
        element("p", f"{said}: the kept text first, then the removed ones, the most similar first.{rest}"),
        search_field(".group", "Search groups by id or word"),
        *first,
        *([details(count(len(others), "more group").capitalize(), *others)] if others else []),
    ]


def _group(group: dedupe_content.ShownGroup) -> Html:
    left = group.size - 1 - len(group.gone)
    more = [element("p", f"and {count(left, 'more text')}", class_="muted small")] if left > 0 else []
    return element(
        "div",
        element("h3", count(group.size, "text")),
        element("p", element("strong", "kept", class_="mark"), " ", element("bdi", group.kept_id)),
        user_text(group.kept),
        element("ol", *(_gone(text) for text in group.gone), class_="pairs"),
        *more,
        class_="group",
    )


def _gone(text: dedupe_content.GoneText) -> Html:
    line = join([element("bdi", text.id), f"score {number(text.score, 4)}", text.reason], " · ")
    return element("li", element("p", line, class_="muted small"), user_text(text.text))


def _forbidden(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.shown_forbidden:
        return []
    shown = len(report.shown_forbidden)
    said = (
        f"{count(report.forbidden, 'pair')} at or above the threshold "
        f"{'is' if report.forbidden == 1 else 'are'} not counted as duplicates, because a guard sees a "
        f"difference{'' if shown == report.forbidden else f'; {shown} of them'}:"
    )
    pairs = element("ol", *(pair_item(pair) for pair in report.shown_forbidden), class_="pairs")
    return [element("p", said), pairs]


def sizes_figure(sizes: Sequence[dedupe_content.GroupSizes]) -> Html:
    """Groups of several texts by size, as bars."""
    several = [one for one in sizes if one.least > 1]
    most = max((one.groups for one in several), default=1) or 1
    rows = [
        element(
            "li",
            element("span", size_words(one)),
            element("meter", "", min="0", max=str(most), value=str(one.groups), aria_label=size_words(one)),
            element("span", count(one.groups)),
        )
        for one in several
    ]
    return element(
        "figure", element("figcaption", "Groups of several texts"), element("ul", *rows, class_="bars")
    )


def size_words(one: dedupe_content.GroupSizes) -> str:
    """The size of a group in words."""
    if one.least == one.most:
        return f"{one.least:,}"
    return f"{one.least:,} to {one.most:,}"
