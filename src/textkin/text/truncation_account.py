"""The account of long texts: how many a model did not read whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import note
from textkin.data.protocols import HasMembers, ReadsTokens, Side

_AT_ONCE = 16_384
_SHORTER = "give shorter texts, or use a model that reads longer ones"


@final
@dataclass(frozen=True, slots=True)
class Truncation:
    """How many texts were longer than a model reads.

    Attributes:
        model: how tables call the model.
        texts: how many texts, or pairs, it was given.
        cut: of them those that are longer.
        limit: the most tokens that it reads; None where it reads whole texts.
        longest: the tokens of the longest text; None where nothing limits them.
        unread: the tokens beyond the limit, in all.
        unit: "pair" where the limit is that of two texts together.
        windows: the further windows in which long texts were read to their ends; 0 where they were cut.

    Example:
        >>> import textkin as tk
        >>> found = tk.score([("When do you open?", "Where can I park?")])
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
        """The account of both together, of one model."""
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
        """What was cut, in words; "" where nothing was."""
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
class ReadsQuestions(Protocol):
    """What reads passages in windows, and may cut questions."""

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """How many distinct questions are longer than it reads."""
        ...


def lengths_of(system: ReadsTokens, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
    """The tokens of each text before it is cut, some thousands of texts at a time. Shape [texts]."""
    parts = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *(system.lengths(part, side=side) for part in parts)])


def truncation_of(
    system: Any, texts: Sequence[str], *, side: Side = Side.TEXT, name: str | None = None
) -> Truncation | None:
    """How many of these texts a system would cut; None if it doesn't say what it reads.

    Of a system with members, it is the account of the member that cuts most.

    Args:
        system: an encoder, a scorer or a classifier, or a pipeline.
        texts: what it is given.
        side: where they stand.
        name: what to call it; by default its own name.
    """
    if isinstance(system, HasMembers):
        return _most_cut(truncation_of(one, texts, side=side, name=name) for one in system.members)
    if not isinstance(system, ReadsTokens):
        return None
    if system.max_tokens is None or system.reads_pairs:
        return Truncation(name or system_name(system), len(texts))
    return counted(system, lengths_of(system, texts, side=side), name=name)


def cut_pairs(system: Any, pairs: Sequence[tuple[str, str]]) -> list[int]:
    """The positions of pairs of which a system would cut a text, or both together if it joins them."""
    if not isinstance(system, ReadsTokens) or system.max_tokens is None:
        return []
    most, tokens = system.max_tokens, _tokens(system, pairs)
    longest = sum if system.reads_pairs else max
    return [place for place, (a, b) in enumerate(pairs) if longest((tokens[a], tokens[b])) > most]


def truncation_of_pairs(
    system: Any, pairs: Sequence[tuple[str, str]], *, name: str | None = None
) -> Truncation | None:
    """How many distinct texts of these pairs a system would cut, or pairs if it reads two texts as one.

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
    """The account in which the largest proportion is cut; None where there is none."""
    known = [one for one in found if one is not None]
    return max(known, key=lambda one: one.cut / max(one.texts, 1), default=None)


def _tokens(system: ReadsTokens, pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The tokens of each text of some pairs."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    return dict(zip(texts, lengths_of(system, texts).tolist(), strict=True))


def system_name(system: Any) -> str:
    """How tables call a system; a pipeline has no name."""
    return str(getattr(system, "name", "the model"))


def reads_in_words(system: Any) -> str:
    """How much of a text a system reads, as its card says it; "" if it doesn't say so itself."""
    if not isinstance(system, ReadsTokens):
        return ""
    if system.max_tokens is None:
        return "It reads texts whole, however long they are."
    unit = "pair of texts together" if system.reads_pairs else "text"
    return f"It reads {system.max_tokens:,} tokens of a {unit}, special ones aside; longer ones are cut."


def counted(system: ReadsTokens, lengths: NDArray[np.int64], *, name: str | None = None) -> Truncation:
    """The account of a system with a limit, by the tokens of each text. Shape [texts]."""
    return within(lengths, limit=system.max_tokens, name=name or system_name(system))


def within(lengths: NDArray[np.int64], *, limit: int | None, name: str) -> Truncation:
    """The account of texts by their tokens, shape [texts], and the most that are read; None for all."""
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
