"""Reasons for an empty word search."""

from __future__ import annotations

from enum import StrEnum
from typing import final

from textkin.data.protocols import Store


@final
class Unmatched(StrEnum):
    """The reason why a query's words found no entry."""

    NO_WORDS = "no words"
    UNKNOWN = "unknown words"
    FILTERED = "filtered"

    @property
    def in_words(self) -> str:
        """The same as a sentence."""
        return {
            Unmatched.NO_WORDS: "the query has no words to search for, only signs or stop words",
            Unmatched.UNKNOWN: "no entry has any of the query's words",
            Unmatched.FILTERED: "no entry behind the filter has any of the query's words",
        }[self]


def unmatched(store: Store, query: str) -> Unmatched | None:
    """The reason why a query found nothing by words; None in an empty collection.

    Raises:
        DataError: the collection is damaged.
    """
    if not len(store):
        return None
    holders = store.holders(query)
    if not holders:
        return Unmatched.NO_WORDS
    return Unmatched.FILTERED if any(holders) else Unmatched.UNKNOWN
