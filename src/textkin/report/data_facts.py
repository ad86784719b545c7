"""The origin of a report's results: the data, their split, and how to reproduce them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SplitSide:
    """One side of the split; ``label_shares`` maps the label's name to its fraction."""

    name: str
    pairs: int
    components: int | None = None
    label_shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A suspicious pattern in the data, its count, and one example."""

    what: str
    count: int
    example: str = ""


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The source of the pairs and their split.

    Attributes:
        files: the names of the input files.
        rows: data rows in them.
        skipped: number of unused rows, by reason.
        sides: the split.
        dropped: pairs excluded from the split because they connect two sides.
        proof: sentences on the disjointness check and its result.
        lint: the linter's findings.
        columns: the columns used from the files, in words.
    """

    files: tuple[str, ...] = ()
    rows: int | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    sides: tuple[SplitSide, ...] = ()
    dropped: int | None = None
    proof: tuple[str, ...] = ()
    lint: tuple[LintFinding, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All that is needed to reproduce the results.

    Attributes:
        command: the command line, or the call in Python; "" if unknown.
        settings: what was chosen, by name.
        recipe: the recipes of trained models.
        hashes: SHA-256 of data and models, by name.
        versions: the version of Python and of each library.
        machine: the machine in words.
    """

    command: str
    settings: Mapping[str, str] = field(default_factory=dict)
    recipe: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: str = ""
