"""Truncation and unknown tokens in the measured data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textkin.data.protocols import Chooser, HasMembers, SpanReader, System
from textkin.kinds.registry import data_kind
from textkin.text.pipeline import TextPipeline
from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage, ReportsUnknown, coverage_of

_System = System | SpanReader | Chooser | TextPipeline


@dataclass(frozen=True, slots=True)
class DataCoverage:
    """Truncation and coverage of several systems.

    Attributes:
        truncations: accounts of the systems that report truncation.
        coverages: accounts of the systems that report unknown tokens.
    """

    truncations: tuple[Truncation, ...] = ()
    coverages: tuple[Coverage, ...] = ()

    @classmethod
    def of(cls, found: Iterable[tuple[Truncation | None, Coverage | None]]) -> DataCoverage:
        """The accounts of several systems, as each reports them."""
        pairs = list(found)
        return cls(
            tuple(cut for cut, _ in pairs if cut is not None),
            tuple(known for _, known in pairs if known is not None),
        )

    def __add__(self, other: DataCoverage) -> DataCoverage:
        """Add further systems."""
        return DataCoverage(self.truncations + other.truncations, self.coverages + other.coverages)

    def sentences(self) -> Iterator[str]:
        """Truncation and unknown tokens in words, for the notes of a table."""
        said = (*(one.sentence() for one in self.truncations), *(one.sentence() for one in self.coverages))
        return (f"{words}." for words in said if words)


def accounts_on(data: Any, systems: Mapping[str, Sequence[_System]]) -> DataCoverage:
    """The accounts of systems on their measured data; with several seeds, the first one's.

    A system with members has the accounts of all its members.
    """
    first = dict(part for name, seeds in systems.items() for part in _parts(name, seeds[0]))
    kind = data_kind(data)
    texts = kind.singles(data)
    return DataCoverage.of(
        (
            kind.truncation(data, system, name),
            coverage_of(system, texts, name=name) if isinstance(system, ReportsUnknown) else None,
        )
        for name, system in first.items()
    )


def _parts(name: str, system: Any) -> Iterator[tuple[str, Any]]:
    """A system by name, or its members by theirs; a single member has the system's name."""
    if not isinstance(system, HasMembers):
        yield name, system
        return
    alone = len(system.members) == 1
    for one in system.members:
        yield from _parts(name if alone else f"{name}, member {getattr(one, 'name', '')}", one)
