"""How many texts of the data that are measured on each system would cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from textkin.pair_sets import pairs_of
from textkin.protocols import Side, SpanReader, System
from textkin.records import CandidateSet, Collection, DuplicateSet, PairSet, SpanSet
from textkin.text.truncation import Truncation, truncation_of, truncation_of_pairs

Data = PairSet | CandidateSet | Collection | DuplicateSet | SpanSet


def truncations_on(
    data: Data, systems: Mapping[str, Sequence[System | SpanReader]]
) -> tuple[Truncation, ...]:
    """The accounts of the systems that say how much they read; of several seeds that of the first."""
    found = (_on(data, seeds[0], name) for name, seeds in systems.items())
    return tuple(one for one in found if one is not None)


def sentences_of(truncations: Iterable[Truncation]) -> tuple[str, ...]:
    """What was cut, in words, for the notes of a table."""
    return tuple(f"{said}." for one in truncations if (said := one.sentence()))


def _on(data: Data, system: System | SpanReader, name: str) -> Truncation | None:
    if isinstance(data, PairSet | CandidateSet):
        pairs = data if isinstance(data, PairSet) else pairs_of(data)
        return truncation_of_pairs(system, pairs.texts, name=name)
    if isinstance(data, SpanSet):
        asked = [(one.question, data.passages[one.passage_id].text) for one in data]
        return truncation_of_pairs(system, asked, name=name)
    if isinstance(data, DuplicateSet):
        return truncation_of(system, list(data.texts.values()), name=name)
    documents = truncation_of(system, list(data.corpus.values()), name=name)
    queries = truncation_of(system, list(data.queries.values()), side=Side.QUERY, name=name)
    return documents if documents is None or queries is None else documents + queries
