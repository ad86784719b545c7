"""Vocabularies: built from training texts, extended by pretrained words, saved one word per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from textkin.base.errors import DataError, ModelError, UsageError, said
from textkin.base.files import write_text
from textkin.base.json_fields import AGAIN
from textkin.text.stable_hash import stable_hash


class Order(StrEnum):
    """Numbering of the training words; ties of frequency are broken by first occurrence."""

    FREQUENCY = "frequency"
    APPEARANCE = "appearance"


class Oov(StrEnum):
    """Treatment of words without an id of their own."""

    UNK = "unk"  # the single unknown row
    ZERO = "zero"  # the single unknown row, which is and stays zero
    HASH = "hash"  # one of several rows, chosen by the word's hash
    DROP = "drop"  # dropped: there is no unknown row


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Ids of words, in the order of an embedding's rows: PAD, the unknown rows, the words.

    Attributes:
        words: the training words, then the pretrained ones.
        train_words: number of training words.
        oov: the rule for other words.
        buckets: number of unknown rows under the rule "hash".
        oov_first: True to put the unknown rows before PAD, as in Coursera's Siamese course: OOV 0, PAD 1.
    """

    words: tuple[str, ...]
    train_words: int
    oov: Oov = Oov.UNK
    buckets: int = 1
    oov_first: bool = False
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.buckets < 1 or (self.buckets > 1 and self.oov is not Oov.HASH):
            raise UsageError(
                f"buckets={self.buckets} does not go with the out-of-vocabulary rule {self.oov.value!r}",
                fix="use the rule 'hash' with 1 bucket or more",
            )
        first = self.oov_rows + 1
        ids = {word: first + place for place, word in enumerate(self.words)}
        if len(ids) != len(self.words) or not 0 <= self.train_words <= len(self.words):
            raise UsageError("a vocabulary's words must be distinct", fix="build it with build_vocabulary")
        object.__setattr__(self, "_ids", ids)

    def __len__(self) -> int:
        """The number of ids, equal to the number of embedding rows."""
        return 1 + self.oov_rows + len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    @property
    def oov_rows(self) -> int:
        """The number of rows for unknown words."""
        return 0 if self.oov is Oov.DROP else self.buckets

    @property
    def pad_id(self) -> int:
        """The id of padding, whose row is zero."""
        return self.oov_rows if self.oov_first else 0

    @property
    def oov_id(self) -> int:
        """The id of the first unknown row, if there is one."""
        return 0 if self.oov_first else 1

    @property
    def zero_ids(self) -> tuple[int, ...]:
        """The rows that must stay zero."""
        return (self.pad_id, self.oov_id) if self.oov is Oov.ZERO else (self.pad_id,)

    def id(self, word: str) -> int | None:
        """The word's id, or None if the rule drops it."""
        found = self._ids.get(word)
        if found is not None or self.oov is Oov.DROP:
            return found
        return self.oov_id + (stable_hash(word) % self.buckets if self.buckets > 1 else 0)

    def extended(self, words: Iterable[str]) -> Vocabulary:
        """The vocabulary with missing pretrained ``words`` appended; no id changes."""
        more = dict.fromkeys(word for word in words if word not in self)
        return replace(self, words=self.words + tuple(more))

    def save(self, path: Path | str) -> None:
        """Write one word per line atomically, in the order of their ids."""
        write_text(path, "".join(f"{word}\n" for word in self.words))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the words, for a manifest; :meth:`load` reads it."""
        about = {name: getattr(self, name) for name in ("train_words", "buckets", "oov_first")}
        return {"words": len(self.words), "oov": self.oov.value, **about}

    @classmethod
    def load(cls, path: Path | str, config: Mapping[str, Any]) -> Self:
        """Read what :meth:`save` and :meth:`to_dict` wrote.

        Raises:
            ModelError: the file is missing, not UTF-8, or not the list of words that ``config`` describes.
        """
        words = _read_words(Path(path))
        if len(words) != config["words"]:
            raise ModelError(
                f"has {len(words)} words, the manifest says {config['words']}", path=path, fix=AGAIN
            )
        oov = Oov(config["oov"])
        return cls(tuple(words), config["train_words"], oov, config["buckets"], config["oov_first"])


def build_vocabulary(
    texts: Iterable[Sequence[str]],
    *,
    order: Order = Order.FREQUENCY,
    min_count: int = 1,
    max_size: int | None = None,
    oov: Oov = Oov.UNK,
    buckets: int = 1,
    oov_first: bool = False,
) -> Vocabulary:
    """Number the words of tokenised TRAINING texts, without any words of dev or test texts.

    Args:
        texts: the words of each text.
        order: numbering of the words.
        min_count: minimum frequency of words to keep.
        max_size: maximum number of words, the most frequent ones; None for all.
        oov: the rule for words without an id.
        buckets: number of unknown rows under the rule "hash".
        oov_first: True to number the unknown rows before PAD.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    frequent = [word for word, count in counts.most_common(max_size) if count >= min_count]
    if order is Order.APPEARANCE:
        kept = set(frequent)
        frequent = [word for word in counts if word in kept]
    return Vocabulary(
        words=tuple(frequent), train_words=len(frequent), oov=oov, buckets=buckets, oov_first=oov_first
    )


def read_word_list(path: Path) -> tuple[str, ...]:
    """The words of a file with one word per line, such as ``vocabulary.txt`` of a model directory.

    Raises:
        DataError: the file can't be read, is not UTF-8 or is empty, or a line is empty or repeated.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"can't read {path}: {said(error)}", fix="give a text file in UTF-8") from error
    if not lines[-1]:
        lines.pop()
    places: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        word = line.removesuffix("\r")
        if not word.strip() or word in places:
            what = "the line is empty" if not word.strip() else f"{word!r} stands on line {places[word]} too"
            raise DataError(f"{path}:{number}: {what}", fix="give each word one line of its own")
        places[word] = number
    if not places:
        raise DataError(f"{path} is empty", fix="give a file with one word per line")
    return tuple(places)


def _read_words(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"can't read {path}: {error.strerror}", fix=AGAIN) from error
    lines = content.split(b"\n")
    if lines.pop():
        raise ModelError(f"{path}:{len(lines) + 1}: the last line is cut short", fix=AGAIN)
    words: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        try:
            word = line.decode()
        except UnicodeDecodeError as error:
            raise ModelError(f"{path}:{number}: not UTF-8 at byte {error.start}", fix=AGAIN) from error
        if not word or word in words:
            what = f"{word!r} stands on line {words[word]} too" if word else "the line is empty"
            raise ModelError(f"{path}:{number}: {what}", fix=AGAIN)
        words[word] = number
    return list(words)
