"""The page's sections of texts and facts: errors, duplicates, data and split, reproduction."""

from collections.abc import Sequence

from textkin.report.content import FoundDuplicates, ScoredPair, StudyReport, WorstErrors
from textkin.report.data_facts import DataFacts, LintFinding
from textkin.report.figure_words import count, number
from textkin.report.html import Html, definitions, details, element, grid_table, scrolling, user_text
from textkin.report.tables import Grid, sides_grid
from textkin.report.text_diff import two_texts


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
        f"{count(len(found.pairs), 'pair')} at or above {number(found.threshold, 4)} "
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
        parts += [element("h3", "Split"), grid_table(sides_grid(data), caption="The sides of the split")]
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
        parts += [element("h3", "What the linter found"), _lint(data.lint)]
    return parts


def reproduction(report: StudyReport) -> list[Html]:
    """Command, recipe, seeds, hashes, versions, machine."""
    how = report.reproduction
    if how is None:
        return []
    parts = [element("pre", element("code", how.command), tabindex="0")] if how.command else []
    known = [
        ("seeds", ", ".join(map(str, report.seeds))),
        ("machine", how.machine),
        ("versions", ", ".join(f"{name} {version}" for name, version in how.versions.items())),
    ]
    if lines := {term: words for term, words in known if words}:
        parts.append(definitions(lines))
    if how.hashes:
        parts.append(details("Hashes (SHA-256)", definitions(how.hashes, class_="hashes")))
    if how.recipe:
        parts.append(details("The recipe", element("pre", element("code", how.recipe), tabindex="0")))
    return parts


def _pair_list(pairs: Sequence[ScoredPair]) -> Html:
    return element("ol", *(_pair(pair) for pair in pairs), class_="pairs")


def _pair(pair: ScoredPair) -> Html:
    said = [f"score {number(pair.score)}"]
    if pair.probability is not None:
        said.append(f"probability {number(pair.probability)}")
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
    caption = element("caption", "Findings of the linter")
    return scrolling(element("table", caption, element("thead", head), element("tbody", *rows)))


def _separated(names: Sequence[str]) -> list[str]:
    return [
        part
        for index, name in enumerate(names)
        for part in ((", ", element("code", name)) if index else (element("code", name),))
    ]
