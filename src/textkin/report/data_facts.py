"""Where the figures of a report come from: the data, how they were divided, and how to get the same again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final


@final
@dataclass(frozen=True, slots=True)
class SplitSide:
    """One side of the split; ``label_shares`` maps the label's name to its share."""

    name: str
    pairs: int
    components: int | None = None
    label_shares: Mapping[str, float] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something odd in the data, how often, and one case of it."""

    what: str
    count: int
    example: str = ""


@final
@dataclass(frozen=True, slots=True)
class DataFacts:
    """Where the pairs came from and how they were divided.

    Attributes:
        files: the names of the files that were read.
        rows: data rows in them.
        skipped: reason to number of rows that were not used.
        sides: the split.
        dropped: pairs left out of the split because they join two sides.
        proof: sentences that say how the disjointness was checked, and with what result.
        lint: what the linter found.
        columns: which columns of the files were taken, in words.
    """

    files: tuple[str, ...] = ()
    rows: int | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    sides: tuple[SplitSide, ...] = ()
    dropped: int | None = None
    proof: tuple[str, ...] = ()
    lint: tuple[LintFinding, ...] = ()
    columns: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Reproduction:
    """All that is needed to get the same figures again."""

    command: str
    recipe: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: str = ""
