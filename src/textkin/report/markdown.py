"""The report as Markdown: the same words and tables, without plots."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from textkin.base.counts import count
from textkin.base.printable import visible, visible_line
from textkin.report import figure_words as words
from textkin.report import tables
from textkin.report.content import FittedThreshold, ScoredPair, StudyReport, WorstErrors
from textkin.report.data_facts import DataFacts, Reproduction

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&])")
_LIST_OR_RULE = re.compile(r"^(\d*)([-+.)=#]+)(?=\s|$)")
_LONGEST_TEXT = 300
_RIGHT_TO_LEFT = {"R", "AL"}


def markdown(report: StudyReport) -> str:
    """The report's words and tables."""
    return "\n\n".join(block for block in _blocks(report) if block) + "\n"


def plain_text(value: str) -> str:
    """A user's text on one line, without Markdown or HTML syntax."""
    blanks = "".join(" " if unicodedata.category(each) == "Cc" else each for each in value)
    line = visible_line(" ".join(blanks.split()))
    if len(line) > _LONGEST_TEXT:
        line = line[:_LONGEST_TEXT] + " …"
    escaped = _SPECIAL.sub(r"\\\1", line).replace("://", "\\:\\/\\/")
    escaped = _LIST_OR_RULE.sub(r"\1\\\2", escaped)
    if any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in line):
        return f"\N{FIRST STRONG ISOLATE}{escaped}\N{POP DIRECTIONAL ISOLATE}"
    return escaped


def table(grid: tables.Grid) -> str:
    """A pipe table."""
    lines = [grid.header, tuple("---" for _ in grid.header), *grid.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(cell: str) -> str:
    return cell if cell == "---" else plain_text(cell)


def _blocks(report: StudyReport) -> Iterator[str]:
    yield f"# {plain_text(report.title)}"
    yield " · ".join(plain_text(each) for each in words.header_facts(report))
    if report.verdict is not None:
        yield f"**{plain_text(words.sentence(report.verdict))}**"
    if report.threshold is not None and (said := words.good_enough(report.threshold)):
        yield plain_text(said)
    if report.notes:
        yield _bullets(report.notes)
    yield from _results(report)
    if report.errors is not None:
        yield from _errors(report.errors)
    if report.duplicates is not None:
        yield "## Duplicates found in unlabelled text"
        yield table(_pairs(report.duplicates.pairs))
    if report.facts is not None:
        yield from _facts(report.facts)
    if report.reproduction is not None:
        yield from _reproduction(report.reproduction)


def _results(report: StudyReport) -> Iterator[str]:
    if report.systems is not None and report.systems.rows:
        yield "## All systems on the same test set"
        yield plain_text(tables.systems_caption(report.systems, report.measure))
        yield table(tables.systems_grid(report.systems, report.measure))
        if said := words.standings(report.systems):
            yield _bullets(said)
    if report.by_class is not None:
        yield "## Class by class"
        yield plain_text(tables.by_class_caption(report.by_class))
        yield from map(table, tables.by_class_grids(report.by_class))
    if report.threshold is not None:
        yield from _threshold(report.threshold)
    if report.no_threshold:
        yield "## Threshold"
        yield plain_text(f"{report.no_threshold}.")
    if report.calibration is not None:
        yield "## Probabilities"
        yield table(tables.calibration_grid(report.calibration.after, report.calibration.before))
    if report.label_curve is not None and report.label_curve.points:
        yield "## More labels"
        yield table(tables.label_curve_grid(report.label_curve, report.measure))


def _threshold(threshold: FittedThreshold) -> Iterator[str]:
    yield "## Threshold"
    yield plain_text(f"Goal: {threshold.goal}. Threshold {words.number(threshold.value, 4)}.")
    if paid := words.recall_paid(threshold):
        yield plain_text(paid)
    yield table(tables.threshold_grid(threshold))
    if threshold.confusion is not None:
        yield table(tables.confusion_grid(threshold.confusion))


def _errors(worst: WorstErrors) -> Iterator[str]:
    kinds = (
        ("Called the same, but they are not", worst.false_positives),
        ("The same, but not recognised", worst.false_negatives),
    )
    for title, pairs in kinds:
        if pairs:
            yield f"## {title}"
            yield table(_pairs(pairs))


def _facts(data: DataFacts) -> Iterator[str]:
    yield "## Data and split"
    if data.files:
        yield "Read: " + ", ".join(plain_text(name) for name in data.files)
    if data.columns:
        yield _bullets(data.columns)
    if data.rows is not None:
        skipped = count(sum(data.skipped.values()))
        yield f"{count(data.rows, 'data row')}, of which {skipped} skipped."
    if data.skipped:
        reasons = tuple((reason, count(rows)) for reason, rows in data.skipped.items())
        yield table(tables.Grid(("reason for skipping", "rows"), reasons))
    if data.sides:
        yield table(tables.sides_grid(data))
    if data.dropped is not None:
        yield f"{count(data.dropped, 'pair')} left out because they would join two sides."
    if data.proof:
        yield _bullets(data.proof)
    if data.lint:
        findings = tuple((each.what, count(each.count), each.example) for each in data.lint)
        yield table(tables.Grid(("finding", "cases", "for example"), findings))


def _reproduction(how: Reproduction) -> Iterator[str]:
    yield "## How this was made"
    if how.command:
        yield _fenced(how.command)
    if how.machine:
        yield f"Machine: {plain_text(how.machine)}"
    for name, values in (("versions", how.versions), ("SHA-256", how.hashes)):
        if values:
            yield table(tables.Grid(("of", name), tuple(values.items())))
    if how.recipe:
        yield _fenced(how.recipe, "toml")


def _pairs(pairs: Sequence[ScoredPair]) -> tables.Grid:
    rows = tuple((words.number(pair.score), pair.a, pair.b) for pair in pairs)
    return tables.Grid(("score", "text", "text"), rows)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {plain_text(line)}" for line in lines)


def _fenced(code: str, language: str = "") -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{fence}{language}\n{visible(code).rstrip()}\n{fence}"
