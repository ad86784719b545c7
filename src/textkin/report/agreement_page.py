"""Agreement of systems as one page: heat maps of all pairs, and contributions to their vote."""

from dataclasses import dataclass

from textkin.base.arrays import Floats
from textkin.report.data_facts import Reproduction
from textkin.report.figure_words import number
from textkin.report.heat_map import heat_table
from textkin.report.html import Html, bullets, element, grid_table
from textkin.report.page_frame import VerdictBox, page_of
from textkin.report.tables import Grid


@dataclass(frozen=True, slots=True, eq=False)
class AgreementMap:
    """A statistic of all pairs of systems.

    Attributes:
        anchor: the anchor of its section.
        title: its name.
        meaning: its definition, in a sentence.
        values: shape [systems, systems]; NaN if undefined.
    """

    anchor: str
    title: str
    meaning: str
    values: Floats


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AgreementReport:
    """The contents of the page.

    Attributes:
        title: the page title.
        facts: a line below it.
        names: the systems' names.
        maps: the statistics.
        systems: each system's accuracy and contribution.
        pairs: all statistics with their intervals.
        said: sentences.
        verdict: how right the vote is.
        made: how it was made.
    """

    title: str
    facts: tuple[str, ...]
    names: tuple[str, ...]
    maps: tuple[AgreementMap, ...]
    systems: Grid
    pairs: Grid
    said: tuple[str, ...]
    verdict: VerdictBox
    made: Reproduction | None


def agreement_page(report: AgreementReport) -> str:
    """The whole page."""
    return page_of(
        report.title,
        report.facts,
        (
            *((one.anchor, one.title, _map(report, one)) for one in report.maps),
            ("systems", "Each system, and what it adds to the vote", _systems(report)),
            (
                "pairs",
                "All pairs with their intervals",
                [grid_table(report.pairs, caption="Pairs of systems")],
            ),
        ),
        kind="agreement",
        verdict=report.verdict,
        made=report.made,
    )


def _map(report: AgreementReport, one: AgreementMap) -> list[Html]:
    table = heat_table(
        report.names,
        report.names,
        one.values,
        number=_two_decimals,
        largest=1.0,
        caption=f"{one.title}, for each pair of systems",
    )
    return [element("p", one.meaning, class_="muted"), table]


def _two_decimals(value: float) -> str:
    return number(value, 2)


def _systems(report: AgreementReport) -> list[Html]:
    return [
        grid_table(report.systems, caption="Accuracy of each system, and of the vote without it"),
        bullets(report.said),
    ]
