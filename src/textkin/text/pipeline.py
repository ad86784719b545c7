"""Text pipelines: the whole way from texts to token ids, as objects stored in model folders."""

from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from textkin.base.arrays import Ints, Ints32
from textkin.base.errors import ModelError, UsageError, did_you_mean, said
from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import ReadsTokens, Side
from textkin.text.normalisation import normaliser
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.stable_hash import stable_hash
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.token_offsets import Located, places_of
from textkin.text.token_spelling import TokenSpelling, spelling_from_dict, spelling_to_dict
from textkin.text.tokenisers import character_ngrams, tokeniser
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate, kept
from textkin.text.unknown_tokens import Unknown, UnknownOf, unknown_words
from textkin.text.vocabulary import Vocabulary
from textkin.text.word_pipeline_base import CountsWords

VOCABULARY_FILE = "vocabulary.txt"

_CACHED_WORDS = 1_000_000


@runtime_checkable
class TextPipeline(ReadsTokens, Protocol):
    """A map from texts to ids of embedding rows, independent for each text."""

    @property
    def size(self) -> int:
        """The number of embedding rows that ids can refer to."""

    @property
    def pad_id(self) -> int:
        """The id for padding short rows of a batch."""

    @property
    def spelling(self) -> TokenSpelling | None:
        """The spelling of tokens as units; None for ids without units."""

    def ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Ints32]:
        """The ids of each text, shape [its tokens]; empty for a text without known tokens.

        With a spelling, the units of each token follow its id: shape [its tokens, 1 + G]. Pipelines without
        prompts treat both sides alike.
        """

    @property
    def adds_unknown(self) -> bool:
        """True if unknown tokens are added to vectors by their spelling, since ids don't distinguish them.

        False for transformers, whose vectors must match other libraries: all unknown tokens are one.
        """

    def read(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> tuple[list[Ints32], UnknownOf]:
        """The ids and the unknown tokens of each text.

        If unknown tokens are added by spelling, a tokenizer returns ids of known ones only.
        """

    def unknown(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> UnknownOf:
        """The unknown tokens of texts, by position; fully known texts are omitted."""

    def save(self, folder: Path | str) -> None:
        """Write the file that :func:`load_pipeline` needs besides the configuration."""

    def to_dict(self) -> dict[str, Any]:
        """The configuration, for a manifest in JSON."""


class WordPipeline(CountsWords):
    """Normalise, tokenise, look up.

    With ``ngrams``, each word is followed by the ids of its character n-grams. These are hashed into
    ``ngram_buckets`` rows after the vocabulary's, so that rare and misspelt words have units too.

    Args:
        vocabulary: ids of words.
        steps: names of :data:`textkin.text.normalisation.STEPS`.
        tokenise: a name of :data:`textkin.text.tokenisers.TOKENISERS`.
        ngrams: shortest and longest n-gram, or None for none.
        ngram_buckets: number of rows for n-grams.
        max_length: maximum number of ids of a text; None for all.
        truncate: part of a longer text to keep.
        spelling: units to add to each word's id; not with ``ngrams``, which are ids themselves.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        steps: Sequence[str] = ("nfkc", "lower"),
        tokenise: str = "words",
        ngrams: tuple[int, int] | None = None,
        ngram_buckets: int = 0,
        max_length: int | None = None,
        truncate: Truncate = Truncate.HEAD,
        spelling: TokenSpelling | None = None,
    ) -> None:
        if (ngrams is None) != (ngram_buckets == 0) or ngram_buckets < 0:
            raise UsageError(
                f"ngrams={ngrams} and ngram_buckets={ngram_buckets} don't go together",
                fix="give both, or neither",
            )
        if ngrams is not None and not 1 <= ngrams[0] <= ngrams[1]:
            raise UsageError(
                f"ngrams={ngrams} is not a range of lengths", fix="give 1 <= shortest <= longest"
            )
        if ngrams is not None and spelling is not None:
            raise UsageError("ngrams and spelling don't go together", fix="give one of them")
        super().__init__(max_length, truncate)
        self.vocabulary = vocabulary
        self.steps = tuple(steps)
        self.tokenise = tokenise
        self.ngrams = ngrams
        self.ngram_buckets = ngram_buckets
        self._spelling = spelling
        self._normalise = normaliser(steps)
        self._tokenise = tokeniser(tokenise)
        self._cache: dict[str, tuple[int, ...]] = {}
        self._spelt: dict[str, Ints32] = {}
        self._rows: dict[str, Ints32 | int | None] = {}

    @property
    def size(self) -> int:
        """The number of rows for the vocabulary and the n-grams."""
        return len(self.vocabulary) + self.ngram_buckets

    @property
    def pad_id(self) -> int:
        """The id of the vocabulary's padding."""
        return self.vocabulary.pad_id

    @property
    def spelling(self) -> TokenSpelling | None:
        """The spelling of words as units, or None."""
        return self._spelling

    def words(self, text: str) -> list[str]:
        """The text's words as spelt in the vocabulary."""
        return self._tokenise(self._normalise(text))

    def owners(self, text: str) -> tuple[list[str], Ints]:
        """The words of a text, and the word that each of its ids belongs to, n-grams too. Shape [ids]."""
        words = self.words(text)
        counts = [len(self._whole_of([word])) for word in words]
        return words, np.repeat(np.arange(len(words)), counts)[kept(self.max_length, self.truncate)]

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The words of each text with their positions, each normalised separately, without truncation.

        Raises:
            UsageError: words differ from their text, or have n-grams among their ids.
        """
        return [self._located(text) for text in texts]

    def save(self, folder: Path | str) -> None:
        """Write the vocabulary."""
        self.vocabulary.save(Path(folder) / VOCABULARY_FILE)

    def to_dict(self) -> dict[str, Any]:
        """The configuration, for a manifest in JSON."""
        return {
            "kind": "words",
            "vocabulary": self.vocabulary.to_dict(),
            "steps": list(self.steps),
            "tokenise": self.tokenise,
            "ngrams": None if self.ngrams is None else list(self.ngrams),
            "ngram_buckets": self.ngram_buckets,
            "max_length": self.max_length,
            "truncate": self.truncate.value,
            **spelling_to_dict(self._spelling),
        }

    @classmethod
    def load(cls, folder: Path | str, config: Mapping[str, Any]) -> Self:
        """Read what :meth:`save` and :meth:`to_dict` wrote."""
        return cls(
            Vocabulary.load(Path(folder) / VOCABULARY_FILE, config["vocabulary"]),
            steps=config["steps"],
            tokenise=config["tokenise"],
            ngrams=None if config["ngrams"] is None else (config["ngrams"][0], config["ngrams"][1]),
            ngram_buckets=config["ngram_buckets"],
            max_length=config["max_length"],
            truncate=Truncate(config["truncate"]),
            spelling=spelling_from_dict(config),
        )

    def _located(self, text: str) -> Located:
        words = self._tokenise(text)
        places = places_of(words, text)
        if places is None or self.ngrams is not None:
            what = f"tokenise = {self.tokenise!r}" if places is None else "ngrams"
            raise UsageError(f"{what} leaves no way back from words to a text", fix="choose 'words'")
        rows = [self._row(word) for word in words]
        known = [number for number, row in enumerate(rows) if row is not None]
        ids = np.array([rows[number] for number in known], dtype=np.int32)
        return Located(ids.reshape(len(known), *self._row_shape), places[known])

    def _row(self, word: str) -> Ints32 | int | None:
        """The id of a word as it occurs in a text, with its units if there are any; None for none."""
        if word not in self._rows:
            found = self._whole_of([self._normalise(word)])
            row = found[0] if len(found) == 1 else None
            if len(self._rows) >= _CACHED_WORDS:
                return row
            self._rows[word] = row
        return self._rows[word]

    @property
    def _row_shape(self) -> tuple[int, ...]:
        """The shape of a token's row."""
        return () if self._spelling is None else (1 + self._spelling.most,)

    def _whole(self, text: str) -> list[int] | Ints32:
        """The ids of a text before truncation, with their units if there is a spelling."""
        return self._whole_of(self.words(text))

    def _whole_of(self, words: Sequence[str]) -> list[int] | Ints32:
        return self._unit_ids(words) if self._spelling is None else self._spelt_ids(words, self._spelling)

    def _spelt_ids(self, words: Iterable[str], spelling: TokenSpelling) -> Ints32:
        """The known words of a text with their units. Shape [its tokens, 1 + G]."""
        rows = []
        for word in words:
            row = self._spelt.get(word)
            if row is None:
                whole = self.vocabulary.id(word)
                head = np.array([] if whole is None else [whole], dtype=np.int32)
                row = np.concatenate([head, spelling.ids(word)])
                if len(self._spelt) < _CACHED_WORDS:
                    self._spelt[word] = row
            if len(row) == 1 + spelling.most:
                rows.append(row)
        return np.stack(rows) if rows else np.empty((0, 1 + spelling.most), dtype=np.int32)

    def _unit_ids(self, words: Iterable[str]) -> list[int]:
        cache = self._cache
        ids: list[int] = []
        for word in words:
            found = cache.get(word)
            if found is None:
                found = self._ids_of(word)
                if len(cache) < _CACHED_WORDS:
                    cache[word] = found
            ids += found
        return ids

    def _unknown(self, text: str) -> Unknown | None:
        """The words missing from the vocabulary; none if words are read by their letters."""
        words = self.words(text)
        return unknown_words(words, [self._knows(word) for word in words], text)

    def _knows(self, word: str) -> bool:
        """True if a word has its own id, or is read by its letters alone."""
        by_letters = self.ngrams is not None or (self._spelling is not None and not self.vocabulary.words)
        return by_letters or word in self.vocabulary

    def _ids_of(self, word: str) -> tuple[int, ...]:
        whole = self.vocabulary.id(word)
        ids = () if whole is None else (whole,)
        if self.ngrams is None:
            return ids
        first = len(self.vocabulary)
        parts = character_ngrams(word, *self.ngrams)
        return ids + tuple(first + stable_hash(part) % self.ngram_buckets for part in parts)


def load_pipeline(folder: Path | str, config: Mapping[str, Any]) -> TextPipeline:
    """The pipeline described by a manifest.

    Args:
        folder: the model folder with the vocabulary or tokenizer.
        config: result of the pipeline's ``to_dict``.

    Raises:
        ModelError: the configuration or its file is invalid.
    """
    kinds: dict[str, Callable[[Path | str, Mapping[str, Any]], TextPipeline]] = {
        "words": WordPipeline.load,
        "tokenizer": TokenizerPipeline.load,
        "tokenizer-of-pairs": PairPipeline.load,
        "stop-words": StopWordPipeline.load,
    }
    kind = str(config.get("kind"))
    if kind not in kinds:
        raise ModelError(
            f"unknown kind of text pipeline {kind!r}", path=folder, fix=did_you_mean(kind, kinds)
        )
    try:
        return kinds[kind](folder, config)
    except (KeyError, TypeError, ValueError, IndexError, OSError, UsageError) as error:
        raise ModelError(
            f"the manifest's text pipeline is broken: {said(error)}",
            path=folder,
            fix="copy the model folder again, whole",
        ) from error


class NamedPipeline(ABC):
    """A system with a name and a text pipeline."""

    _name: str
    _pipeline: TextPipeline

    @property
    def name(self) -> str:
        """The name in tables."""
        return self._name

    @property
    def pipeline(self) -> TextPipeline:
        """Texts to ids."""
        return self._pipeline


_METHODS = "encode", "similarity", "score", "classify"


class ReadsByPipeline:
    """Mixin for systems that read texts by a pipeline: implements ``ReadsTokens``."""

    _pipeline: TextPipeline

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens read, without special ones; None if texts are read whole."""
        return self._pipeline.max_tokens

    @property
    def reads_pairs(self) -> bool:
        """True if the limit applies to two texts together, as in a cross-encoder."""
        return self._pipeline.reads_pairs

    @one_or_several
    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Ints:
        """The number of tokens of each text before truncation, without special ones. Shape [texts]."""
        return self._pipeline.lengths(texts, side=side)

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """The unknown tokens of texts."""
        return self._pipeline.unknown(texts)

    def __repr__(self) -> str:
        facts = [getattr(self, "name", "unnamed")]
        if (dim := getattr(self, "dim", None)) is not None:
            facts.append(f"{dim} dimensions")
        facts.append("any length" if self.max_tokens is None else f"up to {self.max_tokens} tokens")
        return f"<{type(self).__name__}: {', '.join(facts)}>"

    if not TYPE_CHECKING:  # so that checkers of types still find misspelt names

        def __getattr__(self, name: str) -> object:
            kind = type(self)
            methods = ", ".join(f"{one}()" for one in _METHODS if hasattr(kind, one))
            fix = f"; it has {methods}" if methods and not name.startswith("_") else ""
            raise AttributeError(f"a {kind.__name__} has no {name!r}{fix}")
