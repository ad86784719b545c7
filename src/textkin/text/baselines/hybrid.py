"""Names of hybrids: ``hybrid:MODEL`` fuses the rankings of BM25 and a model."""

from textkin.base.errors import invalid
from textkin.base.paths import exists

HYBRID = "hybrid:"
"""Prefix before the names of the members, which are joined by "+"."""

WORDS = "bm25"
"""Default partner of a single model."""


def hybrid_members(word: object) -> tuple[str, ...] | None:
    """The systems named by a hybrid's name; None for another name.

    Raises:
        UsageError: the hybrid names no system, or one twice.

    Example:
        >>> hybrid_members("hybrid:default"), hybrid_members("hybrid:bm25:english+default")
        (('bm25', 'default'), ('bm25:english', 'default'))
    """
    if not isinstance(word, str) or not word.startswith(HYBRID):
        return None
    rest = word.removeprefix(HYBRID)
    parts = (rest,) if exists(rest) else tuple(rest.split("+"))
    named = (WORDS, *parts) if len(parts) == 1 else parts
    if not all(named) or len(set(named)) < len(named):
        raise invalid(
            "models",
            word,
            expected=f"two systems: {HYBRID}MODEL for {WORDS} and a model, or {HYBRID}bm25:english+MODEL",
        )
    return named


def hybrid_of(members: tuple[str, ...]) -> str:
    """The name of the hybrid of these systems."""
    return HYBRID + "+".join(members)
