"""The contents of a deduplication report: metrics and texts, without any layout."""

from collections.abc import Mapping
from dataclasses import dataclass

from textkin.report.content import Estimate
from textkin.report.data_facts import Reproduction


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two similar texts.

    Attributes:
        a: one of them.
        b: the other.
        score: their cosine.
        ids: the ids of both.
        differs: the difference that keeps them apart despite similar vectors, such as "numbers".
    """

    a: str
    b: str
    score: float
    ids: tuple[str, str]
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of a threshold.

    Attributes:
        threshold: the minimum score of similar texts.
        kept: the number of texts that would be kept.
        removed: the number that would be removed.
        groups: the number of groups of several texts.
        largest: the size of the largest group.
        border: the least similar of the similar pairs, lowest score first.
    """

    threshold: float
    kept: int
    removed: int
    groups: int
    largest: int
    border: tuple[ShownPair, ...]


@dataclass(frozen=True, slots=True)
class GoneText:
    """A removed text: its id, its similarity to the kept one, and the reason for that choice."""

    id: str
    text: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group of texts, some of its removed texts, and its size."""

    kept_id: str
    kept: str
    gone: tuple[GoneText, ...]
    size: int


@dataclass(frozen=True, slots=True)
class PrecisionRow:
    """The precision of a threshold by a person's labels; None where unknown.

    Attributes:
        threshold: the minimum score of accepted pairs.
        pairs: the number of these pairs.
        precision: the fraction of them that are duplicates.
        remaining: the fraction of the requested threshold's duplicates that this one still finds.
        new: pairs of texts added since, which the metrics don't cover.
    """

    threshold: float
    pairs: int
    precision: Estimate | None
    remaining: Estimate | None
    new: int = 0


@dataclass(frozen=True, slots=True)
class PairScores:
    """The distribution of scores among similar pairs.

    Attributes:
        edges: the start of each bin, and the end of the last.
        pairs: the count of each bin; one less than edges.
    """

    edges: tuple[float, ...]
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TriedThresholds:
    """The effects of thresholds, of which one was chosen.

    Attributes:
        chosen: the minimum score of similar texts.
        steps: the effect of each, lowest first; the chosen one is among them.
        scores: scores of the similar pairs down to the lowest score searched; None if unknown.
        precision: precision by a person's labels; empty without.
    """

    chosen: float
    steps: tuple[Step, ...]
    scores: PairScores | None = None
    precision: tuple[PrecisionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """The number of groups in a range of sizes.

    Attributes:
        least: the minimum number of texts.
        most: the maximum number of texts.
        groups: the number of groups.
    """

    least: int
    most: int
    groups: int


@dataclass(frozen=True, slots=True)
class DedupeReport:
    """The contents of the page.

    Attributes:
        title: the page title.
        facts: short facts: the file, the model.
        texts: the number of texts.
        kept: the number of kept texts.
        removed: the number of removed texts.
        groups: the number of groups of several texts.
        largest: the size of the largest group.
        forbidden: the number of pairs blocked by a guard.
        thresholds: the threshold, and what others would do.
        threshold_words: the source of the threshold.
        shown: True if a person's labels show that the threshold has the requested precision.
        advice: how to measure its precision; "" where it was measured.
        notes: remarks for readers.
        shown_groups: the largest groups.
        shown_forbidden: some of the pairs blocked by a guard, best score first.
        agreement: agreement with known groups, by metric; empty without.
        made: how it was made.
        sizes: sizes of groups, including single texts, smallest first.
    """

    title: str
    facts: tuple[str, ...]
    texts: int
    kept: int
    removed: int
    groups: int
    largest: int
    forbidden: int
    thresholds: TriedThresholds
    threshold_words: str
    shown: bool
    advice: str
    notes: tuple[str, ...]
    shown_groups: tuple[ShownGroup, ...]
    shown_forbidden: tuple[ShownPair, ...]
    agreement: Mapping[str, float]
    made: Reproduction
    sizes: tuple[GroupSizes, ...] = ()
