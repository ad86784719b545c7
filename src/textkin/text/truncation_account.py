"""Truncation reports: the number of texts that a model doesn't read whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import note
from textkin.data.protocols import HasMembers, ReadsTokens, Side

_AT_ONCE = 16_384
_SHORTER = "give shorter texts, or use a model that reads longer ones"


@dataclass(frozen=True, slots=True)
class Truncation:
    """Truncation of texts by a model.

    Attributes:
        model: the model's name in tables.
        texts: number of texts, or pairs.
        cut: number of truncated ones.
        limit: maximum number of tokens; None if texts are read whole.
        longest: number of tokens of the longest text; None without a limit.
        unread: number of tokens beyond the limit, in all texts.
        unit: "pair" if the limit applies to two texts together.
        windows: number of additional windows that long texts were read in; 0 if they were truncated.

    Example:
        >>> import textkin as tk
        >>> found = tk.score(["When do you open?"], ["Where can I park?"])
        >>> found.truncation.texts, found.truncation.cut, found.truncation.limit
        (2, 0, None)
    """

    model: str
    texts: int
    cut: int = 0
    limit: int | None = None
    longest: int | None = None
    unread: int = 0
    unit: Literal["text", "pair"] = "text"
    windows: int = 0

    def __add__(self, other: Self) -> Self:
        """The sum of two reports of one model."""
        known = [one.longest for one in (self, other) if one.longest is not None]
        return replace(
            self,
            texts=self.texts + other.texts,
            cut=self.cut + other.cut,
            longest=max(known, default=None),
            unread=self.unread + other.unread,
            windows=self.windows + other.windows,
        )

    def sentence(self) -> str:
        """The report in words; "" if nothing was truncated."""
        if not self.cut or self.limit is None or self.longest is None:
            return ""
        done = (
            f"were read in windows, {self.windows:,} further ones"
            if self.windows
            else f"were cut: {self.unread:,} tokens were not read"
        )
        return (
            f"{self.cut:,} of {self.texts:,} {self.unit}s are longer than the {self.limit:,} tokens that "
            f"{self.model} reads (the longest has {self.longest:,}) and {done}"
        )


def note_truncation(account: Truncation | None, advice: str = _SHORTER) -> None:
    """Note how many texts a model cut, if any, and what to do about it."""
    if account is not None and (sentence := account.sentence()):
        note(sentence if account.windows else f"{sentence}; {advice}")


@runtime_checkable
class CountsTruncation(Protocol):
    """A system that makes the texts of its members, and counts itself what they cut."""

    @property
    def truncation(self) -> Truncation | None:
        """What was cut of all that was read so far; None before, or if the members don't say."""


@runtime_checkable
class ReadsQuestions(Protocol):
    """A reader that reads passages in windows, and may truncate questions."""

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """The truncation of distinct questions."""


def lengths_of(system: ReadsTokens, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
    """The number of tokens of each text before truncation, in batches of thousands. Shape [texts]."""
    parts = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *(system.lengths(part, side=side) for part in parts)])


def truncation_of(
    system: Any, texts: Sequence[str], *, side: Side = Side.TEXT, name: str | None = None
) -> Truncation | None:
    """The truncation of texts by a system; None if it doesn't report its limit.

    For a system with members, it is the report of the member that truncates most.

    Args:
        system: an encoder, a scorer, a classifier, or a pipeline.
        texts: the system's input.
        side: side of the texts.
        name: name in tables; the system's own by default.
    """
    if isinstance(system, HasMembers):
        return _most_cut(truncation_of(one, texts, side=side, name=name) for one in system.members)
    if not isinstance(system, ReadsTokens):
        return None
    if system.max_tokens is None or system.reads_pairs:
        return Truncation(name or system_name(system), len(texts))
    return counted(system, lengths_of(system, texts, side=side), name=name)


def cut_pairs(system: Any, pairs: Sequence[tuple[str, str]]) -> list[int]:
    """The positions of pairs with a truncated text, or truncated as a whole if the system joins them."""
    if not isinstance(system, ReadsTokens) or system.max_tokens is None:
        return []
    most, tokens = system.max_tokens, _tokens(system, pairs)
    longest = sum if system.reads_pairs else max
    return [place for place, (a, b) in enumerate(pairs) if longest((tokens[a], tokens[b])) > most]


def truncation_of_pairs(
    system: Any, pairs: Sequence[tuple[str, str]], *, name: str | None = None
) -> Truncation | None:
    """The truncation of the distinct texts of pairs, or of the pairs if the system joins them.

    Arguments are those of :func:`truncation_of`.
    """
    if isinstance(system, HasMembers):
        return _most_cut(truncation_of_pairs(one, pairs, name=name) for one in system.members)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not isinstance(system, ReadsTokens) or system.max_tokens is None or not system.reads_pairs:
        return truncation_of(system, texts, name=name)
    tokens = _tokens(system, pairs)
    lengths = np.fromiter((tokens[a] + tokens[b] for a, b in pairs), np.int64, len(pairs))
    return replace(counted(system, lengths, name=name), unit="pair")


def _most_cut(found: Iterable[Truncation | None]) -> Truncation | None:
    """The report with the largest proportion of truncated texts; None if there is none."""
    known = [one for one in found if one is not None]
    return max(known, key=lambda one: one.cut / max(one.texts, 1), default=None)


def _tokens(system: ReadsTokens, pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The number of tokens of each text of some pairs."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    return dict(zip(texts, lengths_of(system, texts).tolist(), strict=True))


def system_name(system: Any) -> str:
    """The system's name in tables; pipelines have none."""
    return str(getattr(system, "name", "the model"))


def reads_in_words(system: Any) -> str:
    """A system's token limit in words, for its card; "" if it doesn't report one."""
    if not isinstance(system, ReadsTokens):
        return ""
    if system.max_tokens is None:
        return "It reads texts whole, however long they are."
    unit = "pair of texts together" if system.reads_pairs else "text"
    return f"It reads {system.max_tokens:,} tokens of a {unit}, special ones aside; longer ones are cut."


def counted(system: ReadsTokens, lengths: NDArray[np.int64], *, name: str | None = None) -> Truncation:
    """The report of a system with a limit, from the number of tokens of each text. Shape [texts]."""
    return within(lengths, limit=system.max_tokens, name=name or system_name(system))


def within(lengths: NDArray[np.int64], *, limit: int | None, name: str) -> Truncation:
    """The report for texts of given lengths, shape [texts], and a limit; None for no limit."""
    if limit is None:
        return Truncation(name, len(lengths))
    beyond = np.maximum(lengths - limit, 0)
    return Truncation(
        model=name,
        texts=len(lengths),
        cut=int((beyond > 0).sum()),
        limit=limit,
        longest=int(lengths.max(initial=0)),
        unread=int(beyond.sum()),
    )
