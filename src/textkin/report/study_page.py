"""The report of a study as one page: no scripts, no network, light and dark, phone and paper."""

import re

from textkin.report import content, plots, tables
from textkin.report.figure_words import good_enough, header_facts, number, recall_paid, sentence, standings
from textkin.report.html import Html, bullets, element, grid_table, join
from textkin.report.page_frame import page_of
from textkin.report.study_page_data import duplicates, errors, facts, reproduction
from textkin.report.systems_table import systems_part

_DUPLICATES_TITLE = "Duplicates found in unlabelled text"
_VERDICT_TITLES = {
    content.VerdictKind.BETTER: "Better",
    content.VerdictKind.INDISTINGUISHABLE: "No difference shown",
    content.VerdictKind.WORSE: "Worse",
    content.VerdictKind.UNDECIDABLE: "Not decidable",
}


def page(report: content.StudyReport) -> str:
    """The whole page."""
    found = (
        ("systems", "All systems on the same test set", _systems(report)),
        ("classes", "Class by class", [] if report.by_class is None else _by_class(report.by_class)),
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
        ("reproduce", "How to reproduce", reproduction(report)),
    )
    said = "" if report.verdict is None else sentence(report.verdict)
    first = [_first_block(report)]
    return page_of(report.title, header_facts(report), found, kind="study", said=said, first=first)


def _first_block(report: content.StudyReport) -> Html:
    listed = bullets(report.notes) if report.notes else Html()
    enough = "" if report.threshold is None else good_enough(report.threshold)
    said = element("p", _unbroken(enough)) if enough else Html()
    return join([_verdict(report.verdict, said) if report.verdict else said, listed])


def _verdict(verdict: content.Verdict, enough: Html) -> Html:
    return element(
        "section",
        element("p", _VERDICT_TITLES[verdict.kind], class_="kind"),
        element("p", _unbroken(sentence(verdict)), class_="sentence"),
        enough,
        class_=f"verdict {verdict.kind}",
        aria_label="verdict",
    )


def _unbroken(words: str) -> str:
    """Keep "95 %" and "p = 0.03" on one line."""
    return re.sub(r" (?=[%=<])|(?<=[=<]) ", "\N{NO-BREAK SPACE}", words)


def _systems(report: content.StudyReport) -> list[Html]:
    if report.systems is None or not report.systems.rows:
        return []
    caption = tables.systems_caption(report.systems, report.measure)
    said = [element("p", _unbroken(line)) for line in (caption, *standings(report.systems)) if line]
    return [
        *said,
        *systems_part(report.systems, report.measure),
    ]


def _by_class(found: content.ByClass) -> list[Html]:
    titles = ("Figures of each class", "What the pairs of each class were called")
    shown = [
        grid_table(grid, caption=title)
        for grid, title in zip(tables.by_class_grids(found), titles, strict=True)
    ]
    return [element("p", tables.by_class_caption(found)), element("div", *shown, class_="beside")]


def _threshold_or_why(report: content.StudyReport) -> list[Html]:
    if report.threshold is not None:
        return _threshold(report.threshold)
    return [element("p", f"{report.no_threshold}.")] if report.no_threshold else []


def _threshold(threshold: content.FittedThreshold) -> list[Html]:
    said = [
        f"Goal: {threshold.goal}. Pairs that {threshold.system} scores at or above",
        element("strong", number(threshold.value, 4)),
        "count as the same. The cut was fitted on dev and applied to test unchanged.",
    ]
    paid = recall_paid(threshold)
    shown = [grid_table(tables.threshold_grid(threshold), caption="At the threshold, on dev and on test")]
    if threshold.confusion is not None:
        shown.append(grid_table(tables.confusion_grid(threshold.confusion), caption="Pairs of test"))
    return [
        element("p", join(said, " ")),
        *([element("p", paid)] if paid else []),
        element("div", *shown, class_="beside"),
    ]


def _quality_plots(report: content.StudyReport) -> list[Html]:
    figures = []
    if report.precision_recall is not None and report.precision_recall.curves:
        figures.append(plots.precision_recall_figure(report.precision_recall))
    if report.histogram is not None:
        figures.append(plots.histogram_figure(report.histogram))
    return [element("div", *figures, class_="figures")] if figures else []


def _labels(report: content.StudyReport) -> list[Html]:
    if report.label_curve is None or not report.label_curve.points:
        return []
    return [element("div", plots.label_curve_figure(report.label_curve, report.measure), class_="figures")]


def _calibration(calibration: content.CalibrationPlot) -> list[Html]:
    said = (
        f"Scores of {calibration.system} were turned into probabilities by {calibration.method}, fitted on "
        f"{calibration.fitted_on}. Both figures are of test; lower is better."
    )
    table = grid_table(
        tables.calibration_grid(calibration.after, calibration.before),
        caption="How far off probabilities are",
    )
    return [
        element("p", said),
        element("div", plots.reliability_figure(calibration), table, class_="figures"),
    ]


def _training(report: content.StudyReport) -> list[Html]:
    curves = [curve for curve in report.training if curve.epochs]
    systems = dict.fromkeys(curve.system for curve in curves)
    return [
        plots.training_figure([curve for curve in curves if curve.system == system], report.measure)
        for system in systems
    ]
