"""Numbers in words: never more digits than the interval supports, and the verdict as a sentence."""

from textkin.base.counts import count
from textkin.report import content

LEVEL = 0.05
"""The significance level: a difference with a smaller corrected p counts as real."""

_STANDING = {
    content.VerdictKind.BETTER: "better",
    content.VerdictKind.INDISTINGUISHABLE: "not distinguishable",
    content.VerdictKind.WORSE: "worse",
    content.VerdictKind.UNDECIDABLE: "not decidable by this test",
}
TITLES = {
    content.VerdictKind.BETTER: "Better",
    content.VerdictKind.INDISTINGUISHABLE: "No difference shown",
    content.VerdictKind.WORSE: "Worse",
    content.VerdictKind.UNDECIDABLE: "Not decidable",
}
"""A verdict in a few words."""


def places(low: float | None, high: float | None) -> int:
    """Decimals supported by an interval: 4 for half-widths below 0.003, 2 from 0.1, else 3."""
    if low is None or high is None:
        return 3
    half = abs(high - low) / 2
    return 2 if half >= 0.1 else 3 if half >= 0.003 or half == 0 else 4


def number(value: float, decimals: int = 3, *, sign: bool = False) -> str:
    """A decimal number; zero has no sign."""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if sign and value > 0 else text


def point(figure: content.Estimate, *, sign: bool = False) -> str:
    """The value itself, as "0.634"."""
    return number(figure.value, places(figure.low, figure.high), sign=sign)


def interval(figure: content.Estimate, *, sign: bool = False) -> str:
    """The interval alone, as "0.612 to 0.655", or ""."""
    if figure.low is None or figure.high is None:
        return ""
    decimals = places(figure.low, figure.high)
    return f"{number(figure.low, decimals, sign=sign)} to {number(figure.high, decimals, sign=sign)}"


def full(figure: content.Estimate, *, sign: bool = False) -> str:
    """The value with its interval, as "0.634 (0.612 to 0.655)"."""
    span = interval(figure, sign=sign)
    return f"{point(figure, sign=sign)} ({span})" if span else point(figure, sign=sign)


def p_value(p: float) -> str:
    """The p of a test without the letter: "0.31", "0.0002", "< 0.0001"."""
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def p_words(p: float) -> str:
    """The p of a test with the letter: "p = 0.0002", "p < 0.0001"."""
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def duration(seconds: float) -> str:
    """A duration in everyday units: "0.4 s", "41 s", "3 min 12 s", "1 h 4 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def size(parameters: int) -> str:
    """A number of parameters: "812", "50.2 k", "1.24 M"."""
    for unit, name in ((1_000_000_000, " G"), (1_000_000, " M"), (1_000, " k")):
        if parameters >= unit:
            return (
                f"{parameters / unit:.3g}{name}"
                if parameters < 999.5 * unit
                else f"{parameters / unit:.0f}{name}"
            )
    return str(parameters)


def sentence(verdict: content.Verdict) -> str:
    """The verdict in plain words."""
    loss = verdict.kind is content.VerdictKind.WORSE
    gain = content.Estimate(verdict.difference, verdict.low, verdict.high)
    shown = content.Estimate(-verdict.difference, -verdict.high, -verdict.low) if loss else gain
    amount = f"{point(shown)} {verdict.measure}"
    grounds = f"95 % interval {interval(shown)}, {p_words(verdict.p)}"
    if verdict.seeds:
        grounds += f", {count(verdict.seeds, 'seed')}"
    if verdict.kind is content.VerdictKind.UNDECIDABLE:
        return (
            f"This test can't decide between {verdict.model} and {verdict.reference} (difference {amount}, "
            f"95 % interval {interval(shown)}): no result could have given a corrected p below {LEVEL:g}. "
            "Measure on more groups of texts, with more rounds, or with fewer comparisons."
        )
    if verdict.above_chance == () and not verdict.reference_is_chance:
        return (
            f"Nothing can be relied on: neither {verdict.model} nor {verdict.reference} is shown to be above "
            f"chance on this test set (difference of the two {amount}, {grounds})."
        )
    if verdict.reference_is_chance:
        return _against_chance(verdict, amount, grounds)
    if verdict.kind is content.VerdictKind.BETTER:
        return f"{verdict.model} beats {verdict.reference} by {amount} ({grounds})."
    if loss:
        return (
            f"{verdict.model} is worse than {verdict.reference} by {amount} ({grounds}): "
            f"use {verdict.reference}."
        )
    if verdict.above_chance == (verdict.model,):
        advice = f"only {verdict.model} is shown to be above chance"
    elif verdict.above_chance == (verdict.reference,):
        advice = f"use {verdict.reference}, the only one shown to be above chance"
    else:
        advice = _advice(verdict)
    return (
        f"{verdict.model} is not distinguishable from {verdict.reference} on this test set "
        f"(difference {amount}, {grounds}): {advice}."
    )


def _advice(verdict: content.Verdict) -> str:
    """A recommendation between two indistinguishable systems."""
    return (
        "choose by their cost" if verdict.reference_trained else f"use {verdict.reference}, which is simpler"
    )


def kind_of(compared: content.ReferenceDifference) -> content.VerdictKind:
    """Better or worse if the corrected test is significant, undecidable if it can't be."""
    if not compared.decidable:
        return content.VerdictKind.UNDECIDABLE
    if compared.p >= LEVEL:
        return content.VerdictKind.INDISTINGUISHABLE
    return content.VerdictKind.BETTER if compared.difference.value > 0 else content.VerdictKind.WORSE


def standings(systems: content.Systems) -> list[str]:
    """The trained systems significantly above each reference, if there are several."""
    trained = [row for row in systems.rows if row.trained]
    if len(systems.references) < 2 or not trained:
        return []
    compared = {
        reference: [row for row in trained if reference in row.against] for reference in systems.references
    }
    return [_standing(rows, reference) for reference, rows in compared.items() if rows]


def outcome(systems: content.Systems, measure: str) -> str:
    """The test results of each model and run against the one reference, in a sentence; "" without."""
    if len(systems.references) != 1:
        return ""
    reference = systems.references[0]
    rows = [
        row
        for row in systems.rows
        if (row.trained or row.name in systems.predictions) and reference in row.against
    ]
    rows.sort(key=lambda row: -row.against[reference].difference.value)
    alike = (content.VerdictKind.UNDECIDABLE, content.VerdictKind.INDISTINGUISHABLE)
    kinds = [kind_of(row.against[reference]) for row in rows]
    parts = []
    for index, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if kind not in alike:
            parts.append(_outcome(row, reference, measure))
        elif kind not in kinds[:index]:  # once for all that it holds for: there may be many
            names = [other.name for other, its in zip(rows, kinds, strict=True) if its is kind]
            parts.append(_no_difference(names, reference, kind))
    return f"At p < {LEVEL:g}: {'; '.join(parts)}." if parts else ""


def _no_difference(names: list[str], reference: str, kind: content.VerdictKind) -> str:
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if kind is content.VerdictKind.INDISTINGUISHABLE:
        return f"{listed} {'are' if len(names) > 1 else 'is'} not distinguishable from {reference}"
    if len(names) > 1:
        return f"this test can't tell {listed} from {reference}"
    return f"this test can't decide between {listed} and {reference}"


def _outcome(row: content.SystemRow, reference: str, measure: str) -> str:
    compared = row.against[reference]
    kind, amount = kind_of(compared), number(abs(compared.difference.value))
    beats = "beats" if kind is content.VerdictKind.BETTER else "is worse than"
    return f"{row.name} {beats} {reference} by {amount} {measure}"


def standing_title(systems: content.Systems) -> tuple[str, bool]:
    """The best standing of a model against the first reference in a few words; True if it is better."""
    reference = next(iter(systems.references), "")
    found = {
        kind_of(row.against[reference])
        for row in systems.rows
        if (row.trained or row.name in systems.predictions) and reference in row.against
    }
    kind = next((one for one in content.VerdictKind if one in found), None)
    if kind is None:
        return "Highest", False
    than = f" than {reference}" if kind in (content.VerdictKind.BETTER, content.VerdictKind.WORSE) else ""
    return f"{TITLES[kind]}{than}", kind is content.VerdictKind.BETTER


def best_of(systems: content.Systems, measure: str) -> str:
    """The system with the highest value, in a sentence; "" if none has that measure."""
    figures = {row.name: row.measures[measure] for row in systems.rows if measure in row.measures}
    if not figures:
        return ""
    name = max(figures, key=lambda one: figures[one].value)
    best = figures[name]
    ends = "" if best.low is None or best.high is None else f" ({number(best.low)} to {number(best.high)})"
    sizes = ((systems.pairs, "pair"), (systems.queries, "query"), (systems.questions, "question"))
    on = "".join(f" on {count(value, noun)}" for value, noun in sizes if value is not None)
    others = f", the highest of {len(figures):,} systems" if len(figures) > 1 else ""
    equal = sum(figure.value == best.value for figure in figures.values()) - 1
    others += f", with {count(equal, 'other')} as high" if equal else ""
    return f"{name}: {measure} {number(best.value)}{ends}{on}{others}."


def best_figures(systems: content.Systems, measure: str, name: str = "") -> dict[str, str]:
    """The measures of a system, or of the one with the highest value of the main measure."""
    rows = [row for row in systems.rows if measure in row.measures and name in ("", row.name)]
    if not rows:
        return {}
    best = max(rows, key=lambda row: row.measures[measure].value)
    return {"system": best.name, **{one: full(figure) for one, figure in best.measures.items()}}


def _standing(rows: list[content.SystemRow], reference: str) -> str:
    parts = []
    for kind in content.VerdictKind:
        names = [row.name for row in rows if kind_of(row.against[reference]) is kind]
        if kind is content.VerdictKind.UNDECIDABLE and not names:
            continue
        listed = f" ({', '.join(names)})" if names else ""
        parts.append(f"{len(names)} {_STANDING[kind]}{listed}")
    return (
        f"Against {reference}, of {count(len(rows), 'trained system')}: {', '.join(parts)}; at p < {LEVEL:g}."
    )


def _against_chance(verdict: content.Verdict, amount: str, grounds: str) -> str:
    """The verdict if no baseline that reads the texts was better than one that doesn't."""
    if verdict.kind is content.VerdictKind.BETTER:
        return (
            f"{verdict.model} beats chance by {amount} ({grounds}); "
            "no baseline that reads the texts was above chance."
        )
    how = (
        f"is worse than chance by {amount} ({grounds})"
        if verdict.kind is content.VerdictKind.WORSE
        else f"is not distinguishable from chance on this test set (difference {amount}, {grounds})"
    )
    return (
        f"{verdict.model} {how}, and no baseline was above chance: nothing that was tried can be relied on."
    )


def goal_on_test(threshold: content.FittedThreshold) -> str:
    """The threshold's goal on test, or "" if it has no metric there."""
    figure = threshold.test.get(threshold.goal_measure)
    goal = threshold.goal_value
    if figure is None or goal is None:
        return ""
    name = threshold.goal_measure
    if figure.low is None or figure.high is None:
        where = "at or above" if figure.value >= goal else "below"
        return f"On test, {name} is {where} the goal of {goal:g}."
    if figure.low >= goal:
        return f"On test, the whole interval of {name} is at or above the goal of {goal:g}."
    if figure.high < goal:
        return f"On test, the whole interval of {name} is below the goal of {goal:g}. Don't rely on it."
    return (
        f"On test, the interval of {name} includes the goal of {goal:g}: this test set can't tell "
        "whether the goal is met."
    )


def good_enough(threshold: content.FittedThreshold) -> str:
    """The model's usefulness at its threshold, or "" without test metrics.

    A model that beats another one isn't necessarily good enough, so this follows each verdict.
    """
    precision, recall = threshold.test.get("precision"), threshold.test.get("recall")
    if precision is None or recall is None:
        return ""
    cells = threshold.confusion
    pairs = "test pairs" if cells is None else count(cells.pairs, "test pair")
    said = (
        f"At threshold {number(threshold.value, 4)}, {threshold.system} has precision {full(precision)} and "
        f"recall {full(recall)} on {pairs}."
    )
    return " ".join(part for part in (said, goal_on_test(threshold)) if part)


def recall_paid(threshold: content.FittedThreshold) -> str:
    """The cost of a guaranteed goal relative to an estimated one, or "" if unknown."""
    aim, other = threshold.goal_measure, "precision" if threshold.goal_measure == "recall" else "recall"
    if threshold.by_estimate is None or other not in threshold.dev:
        return ""
    return (
        f"The lower confidence bound of its {aim} reaches the goal on dev. That costs {other}: "
        f"{number(threshold.dev[other].value)} there rather than {number(threshold.by_estimate)} at the "
        "threshold whose estimate reaches it."
    )


def header_facts(report: content.StudyReport) -> list[str]:
    """The facts below the title: data, date, measure, seeds, version."""
    seeds = f"seeds {', '.join(map(str, report.seeds))}" if report.seeds else ""
    known = [report.data, report.made, f"measure {report.measure}", seeds, f"textkin {report.version}"]
    return [each for each in known if each]
