"""Truncation and unknown tokens in the measured data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textkin.data.protocols import Chooser, HasMembers, SpanReader, System
from textkin.kinds.registry import data_kind
from textkin.text.pipeline import TextPipeline
from textkin.text.truncation_account import CountsTruncation, Truncation
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

    A system with members has the accounts of all its members, unless it has counted itself what was cut.
    """
    first = {name: seeds[0] for name, seeds in systems.items()}
    kind = data_kind(data)
    texts = kind.singles(data)
    cut = (
        replace(system.truncation, model=name)
        if isinstance(system, CountsTruncation) and system.truncation is not None
        else kind.truncation(data, system, name)
        for name, system in dict(_parts(first, whole=CountsTruncation)).items()
    )
    known = (
        coverage_of(system, texts, name=name)
        for name, system in dict(_parts(first)).items()
        if isinstance(system, ReportsUnknown)
    )
    return DataCoverage(
        tuple(one for one in cut if one is not None), tuple(one for one in known if one is not None)
    )


def _parts(systems: Mapping[str, Any], *, whole: type | None = None) -> Iterator[tuple[str, Any]]:
    """Systems by name, or their members by theirs; a single member has the system's name."""
    for name, system in systems.items():
        if not isinstance(system, HasMembers) or (whole is not None and isinstance(system, whole)):
            yield name, system
            continue
        alone = len(system.members) == 1
        for one in system.members:
            own = name if alone else f"{name}, member {getattr(one, 'name', '')}"
            yield from _parts({own: one}, whole=whole)
