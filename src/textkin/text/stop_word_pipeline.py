"""Words of old sentence-transformers models: split at spaces, without stop words."""

import string
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from textkin.base.errors import UsageError
from textkin.base.files import write_text
from textkin.text.token_spelling import TokenSpelling
from textkin.text.unknown_tokens import Unknown, unknown_words
from textkin.text.word_pipeline_base import CountsWords

WORDS_FILE = "words.txt"


class StopWordPipeline(CountsWords):
    """Words as split by the class ``WhitespaceTokenizer`` of sentence-transformers.

    A word is looked up unchanged, then without surrounding punctuation, then in lower case. The first form
    that is a stop word or known ends the search.

    Args:
        words: the vocabulary in the order of its ids, without line breaks.
        stop_words: words to remove.
        lower: True to lower-case texts first.
        max_length: maximum number of words of a text; None for all.

    Raises:
        UsageError: a word contains a line break.
    """

    spelling: TokenSpelling | None = None  # words have no units

    def __init__(
        self,
        words: Sequence[str],
        *,
        stop_words: Collection[str] = (),
        lower: bool = False,
        max_length: int | None = None,
    ) -> None:
        super().__init__(max_length)
        if broken := [word for word in words if "\n" in word or "\r" in word]:
            raise UsageError(f"the word {broken[0]!r} has a line break")
        self.words = tuple(words)
        self.stop_words = frozenset(stop_words)
        self.lower = lower
        self._ids = {word: place for place, word in enumerate(words)}

    @property
    def size(self) -> int:
        """The number of rows: the words, and one for padding."""
        return len(self.words) + 1

    @property
    def pad_id(self) -> int:
        """The id of the row after the words."""
        return len(self.words)

    def _unknown(self, text: str) -> Unknown | None:
        """The words without an id that are not stop words."""
        words = [word for word in self._words(text) if not self._is_stop_word(word)]
        known = [self._id(word) is not None for word in words]
        return unknown_words([word.strip(string.punctuation) for word in words], known, text)

    def save(self, folder: Path | str) -> None:
        """Write the words, one per line."""
        write_text(Path(folder) / WORDS_FILE, "".join(f"{word}\n" for word in self.words))

    def to_dict(self) -> dict[str, Any]:
        """The configuration, for a manifest in JSON."""
        return {
            "kind": "stop-words",
            "stop_words": sorted(self.stop_words),
            "lower": self.lower,
            "max_length": self.max_length,
        }

    @classmethod
    def load(cls, folder: Path | str, config: Mapping[str, Any]) -> Self:
        """Read what :meth:`save` and :meth:`to_dict` wrote."""
        lines = (Path(folder) / WORDS_FILE).read_text(encoding="utf-8").split("\n")[:-1]
        return cls(
            lines,
            stop_words=config["stop_words"],
            lower=config["lower"],
            max_length=config["max_length"],
        )

    def _whole(self, text: str) -> list[int]:
        return [found for word in self._words(text) if (found := self._id(word)) is not None]

    def _words(self, text: str) -> list[str]:
        return (text.lower() if self.lower else text).split()

    def _id(self, word: str) -> int | None:
        found = self._known_form(word)
        return None if found is None or found in self.stop_words else self._ids[found]

    def _is_stop_word(self, word: str) -> bool:
        return self._known_form(word) in self.stop_words

    def _known_form(self, word: str) -> str | None:
        """The first form of a word that is a stop word or has an id."""
        bare = word.strip(string.punctuation)
        forms = (word, bare, bare.lower())
        return next((one for one in forms if one in self.stop_words or (one and one in self._ids)), None)
