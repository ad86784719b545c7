"""What the report of a deduplication says: figures and texts, and nothing of how they look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from textkin.report.content import Estimate


@final
@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two similar texts.

    Attributes:
        a: one of them.
        b: the other.
        score: their cosine.
        differs: what sets them apart though their vectors are alike, such as "numbers".
    """

    a: str
    b: str
    score: float
    differs: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Step:
    """What a threshold would do.

    Attributes:
        threshold: two texts are similar from this score on.
        kept: how many texts would stay.
        removed: how many would go.
        groups: of several texts.
        largest: texts of the largest group.
        border: the pairs that are only just similar, lowest score first.
    """

    threshold: float
    kept: int
    removed: int
    groups: int
    largest: int
    border: tuple[ShownPair, ...]


@final
@dataclass(frozen=True, slots=True)
class GoneText:
    """A text that goes: its id, how similar it is to the one that stays, and why that one does."""

    id: str
    text: str
    score: float
    reason: str


@final
@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group of texts, some of those that go, and how many there are in all."""

    kept_id: str
    kept: str
    gone: tuple[GoneText, ...]
    size: int


@final
@dataclass(frozen=True, slots=True)
class PrecisionRow:
    """What a person's answers tell of a threshold; None where they don't.

    Attributes:
        threshold: pairs that score this or more are taken.
        pairs: how many there are.
        precision: the share of them that is the same.
        remaining: the share of the duplicates of the threshold that was asked for that this one still finds.
        new: pairs of texts that were added since; the figures are not of these.
    """

    threshold: float
    pairs: int
    precision: Estimate | None
    remaining: Estimate | None
    new: int = 0


@final
@dataclass(frozen=True, slots=True)
class PairScores:
    """How many similar pairs have which score.

    Attributes:
        edges: where bins begin, and where the last one ends.
        pairs: of each bin; one less than edges.
    """

    edges: tuple[float, ...]
    pairs: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How many groups have how many texts.

    Attributes:
        least: the fewest texts.
        most: the most texts.
        groups: how many there are.
    """

    least: int
    most: int
    groups: int


@final
@dataclass(frozen=True, slots=True)
class DedupeReport:
    """All that the page shows.

    Attributes:
        title: of the page.
        facts: a few words each: the file, the model.
        texts: how many there were.
        kept: how many stay.
        removed: how many go.
        groups: of several texts.
        largest: texts of the largest group.
        forbidden: pairs that a guard forbade.
        threshold: two texts are similar from this score on.
        threshold_words: where it is from.
        notes: what the reader must know.
        steps: what other thresholds would do, lowest first; one of them is the threshold.
        shown_groups: the largest groups.
        shown_forbidden: some of the pairs that a guard forbade, best score first.
        precision: by a person's answers; empty without.
        agreement: with known groups: figure by its name; empty without.
        made_with: name to value: all options, hashes, versions.
        scores: of the similar pairs from the lowest score that was looked at; None where they aren't known.
        sizes: of groups, texts that stay alone among them, smallest first.
    """

    title: str
    facts: tuple[str, ...]
    texts: int
    kept: int
    removed: int
    groups: int
    largest: int
    forbidden: int
    threshold: float
    threshold_words: str
    notes: tuple[str, ...]
    steps: tuple[Step, ...]
    shown_groups: tuple[ShownGroup, ...]
    shown_forbidden: tuple[ShownPair, ...]
    precision: tuple[PrecisionRow, ...]
    agreement: Mapping[str, float]
    made_with: Mapping[str, str]
    scores: PairScores | None = None
    sizes: tuple[GroupSizes, ...] = ()
