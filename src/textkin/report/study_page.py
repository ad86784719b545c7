"""The report of a study as one page: no scripts, no network, light and dark, phone and paper."""

from collections.abc import Sequence
from dataclasses import replace

from textkin.base.counts import count
from textkin.report import content, plots, tables
from textkin.report import figure_words as words
from textkin.report.content import FoundDuplicates, ScoredPair, WorstErrors
from textkin.report.data_facts import DataFacts, LintFinding, Reproduction
from textkin.report.html import (
    Html,
    block,
    bullets,
    element,
    grid_table,
    join,
    scrolling,
    unbroken,
    user_text,
)
from textkin.report.page_frame import VerdictBox, page_of
from textkin.report.systems_table import by_class_part, systems_part
from textkin.report.tables import Grid, sides_grid
from textkin.report.text_diff import two_texts

_DUPLICATES_TITLE = "Duplicates found in unlabelled text"


def page(report: content.StudyReport) -> str:
    """The whole page."""
    found = (
        ("systems", "All systems on the same test set", _systems(report)),
        ("classes", "Class by class", [] if report.by_class is None else by_class_part(report.by_class)),
        ("threshold", "Threshold", _threshold_or_why(report)),
        ("quality", "Precision, recall and scores", _quality_plots(report)),
        (
            "calibration",
            "Probabilities",
            [] if report.calibration is None else _calibration(report.calibration),
        ),
        ("training", "Training", _training(report)),
        ("labels", "More labels", _labels(report)),
        ("errors", "Worst errors", [] if report.errors is None else errors(report.errors)),
        ("duplicates", _DUPLICATES_TITLE, [] if report.duplicates is None else duplicates(report.duplicates)),
        ("data", "Data and split", [] if report.facts is None else facts(report.facts)),
    )
    return page_of(
        report.title,
        words.header_facts(report),
        found,
        kind="study",
        verdict=_verdict(report),
        made=_made(report),
        first=(bullets(report.notes),),
    )


def _verdict(report: content.StudyReport) -> VerdictBox | None:
    enough = "" if report.threshold is None else words.good_enough(report.threshold)
    if report.verdict is None:
        return VerdictBox("Threshold", enough) if enough else None
    kind = report.verdict.kind
    good = kind is content.VerdictKind.BETTER
    model, systems = report.verdict.model, report.systems
    figures = {} if systems is None else words.best_figures(systems, report.measure, model)
    sentence = words.sentence(report.verdict)
    return VerdictBox(words.TITLES[kind], sentence, enough, good=good, figures=figures)


def _made(report: content.StudyReport) -> Reproduction | None:
    how = report.reproduction
    seeds = {"seeds": ", ".join(map(str, report.seeds))}
    return None if how is None else replace(how, settings={**how.settings, **seeds})


def _systems(report: content.StudyReport) -> list[Html]:
    if report.systems is None or not report.systems.rows:
        return []
    caption = tables.systems_caption(report.systems, report.measure)
    said = [element("p", unbroken(line)) for line in (caption, *words.standings(report.systems)) if line]
    return [*said, *systems_part(report.systems, report.measure)]


def figures(report: content.StudyReport) -> list[Html]:
    """The table of systems and all plots, without words."""
    table = [] if report.systems is None else systems_part(report.systems, report.measure)
    return [*table, *_quality_plots(report), *_training(report), *_labels(report)]


def _threshold_or_why(report: content.StudyReport) -> list[Html]:
    if report.threshold is not None:
        return _threshold(report.threshold)
    return [element("p", f"{report.no_threshold}.")] if report.no_threshold else []


def _threshold(threshold: content.FittedThreshold) -> list[Html]:
    said = [
        f"Goal: {threshold.goal}. Pairs that {threshold.system} scores at or above",
        element("strong", words.number(threshold.value, 4)),
        "count as the same. The cut was fitted on dev and applied to test unchanged.",
    ]
    paid = words.recall_paid(threshold)
    shown = [grid_table(tables.threshold_grid(threshold), caption="At the threshold, on dev and on test")]
    if threshold.confusion is not None:
        shown.append(grid_table(tables.confusion_grid(threshold.confusion), caption="Pairs of test"))
    return [
        element("p", join(said, " ")),
        *([element("p", paid)] if paid else []),
        block(shown, "beside"),
    ]


def _quality_plots(report: content.StudyReport) -> list[Html]:
    figures = []
    if report.precision_recall is not None and report.precision_recall.curves:
        figures.append(plots.precision_recall_figure(report.precision_recall))
    if report.histogram is not None:
        figures.append(plots.histogram_figure(report.histogram))
    return [block(figures)]


def _labels(report: content.StudyReport) -> list[Html]:
    if report.label_curve is None or not report.label_curve.points:
        return []
    return [block([plots.label_curve_figure(report.label_curve, report.measure)])]


def _calibration(calibration: content.CalibrationPlot) -> list[Html]:
    said = (
        f"The scores of {calibration.system} became probabilities by {calibration.method} calibration, "
        f"fitted on {calibration.fitted_on} and measured on test."
    )
    table = grid_table(
        tables.calibration_grid(calibration.after, calibration.before),
        caption="Calibration error on test; lower is better",
    )
    return [
        element("p", said),
        block([plots.reliability_figure(calibration), table]),
    ]


def _training(report: content.StudyReport) -> list[Html]:
    curves = [curve for curve in report.training if curve.epochs]
    systems = dict.fromkeys(curve.system for curve in curves)
    return [
        plots.training_figure([curve for curve in curves if curve.system == system], report.measure)
        for system in systems
    ]


def errors(worst: WorstErrors) -> list[Html]:
    """The most confident errors, both texts side by side."""
    kinds = (
        ("Called the same, but they are not", worst.false_positives),
        ("The same, but not recognised", worst.false_negatives),
    )
    lists = [each for title, pairs in kinds if pairs for each in (element("h3", title), _pair_list(pairs))]
    said = f"The most confident mistakes of {worst.system} on test, worst first."
    return [element("p", said), *lists] if lists else []


def duplicates(found: FoundDuplicates) -> list[Html]:
    """Duplicates that the model would find in unlabelled text."""
    said = (
        f"{found.system} compared {count(found.texts, 'unlabelled text')}; "
        f"{count(len(found.pairs), 'pair')} at or above {words.number(found.threshold, 4)} "
        f"{'is' if len(found.pairs) == 1 else 'are'} listed, best first."
    )
    return [element("p", said), *([_pair_list(found.pairs)] if found.pairs else [])]


def facts(data: DataFacts) -> list[Html]:
    """The data read and excluded, and the proof that the sides are disjoint."""
    parts = []
    if data.files:
        parts.append(element("p", "Read: ", *_separated(data.files), "."))
    if data.columns:
        parts.append(element("ul", *(element("li", one) for one in data.columns)))
    if data.rows is not None:
        lost = sum(data.skipped.values())
        parts.append(element("p", f"{count(data.rows, 'data row')}, of which {count(lost)} skipped."))
    if data.skipped:
        reasons = [(reason, count(number_of)) for reason, number_of in data.skipped.items()]
        parts.append(
            grid_table(
                Grid(("reason for skipping", "rows"), tuple(reasons)), caption="Rows that were skipped"
            )
        )
    if data.sides:
        parts.append(grid_table(sides_grid(data), caption="The sides of the split"))
    if data.dropped is not None:
        parts.append(
            element("p", f"{count(data.dropped, 'pair')} left out because they would join two sides.")
        )
    if data.proof:
        parts += [
            element("h3", "Why the test set is unseen"),
            element("ul", *(element("li", claim) for claim in data.proof)),
        ]
    if data.lint:
        parts.append(_lint(data.lint))
    return parts


def _pair_list(pairs: Sequence[ScoredPair]) -> Html:
    return element("ol", *(_pair(pair) for pair in pairs), class_="pairs")


def _pair(pair: ScoredPair) -> Html:
    said = [f"score {words.number(pair.score)}"]
    if pair.probability is not None:
        said.append(f"probability {words.number(pair.probability)}")
    return element("li", element("p", " · ".join(said), class_="muted small"), two_texts(pair.a, pair.b))


def _lint(findings: Sequence[LintFinding]) -> Html:
    columns = (("finding", "word"), ("cases", "num"), ("for example", "word"))
    head = element("tr", *(element("th", name, scope="col", class_=kind) for name, kind in columns))
    rows = [
        element(
            "tr",
            element("td", finding.what, class_="word"),
            element("td", count(finding.count), class_="num"),
            element("td", user_text(finding.example, "div"), class_="word"),
        )
        for finding in findings
    ]
    caption = element("caption", "What the linter found")
    return scrolling(element("table", caption, element("thead", head), element("tbody", *rows)))


def _separated(names: Sequence[str]) -> list[str]:
    return [
        part
        for index, name in enumerate(names)
        for part in ((", ", element("code", name)) if index else (element("code", name),))
    ]
