"""Answers by phrases: both sides encoded separately into files, or passages into an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

from textkin.base.errors import DataError, ModelError, UsageError
from textkin.base.files import sha256_of_json
from textkin.base.results import ResultRow, Summary
from textkin.collection.closing import Closing
from textkin.collection.phrase_files import embed
from textkin.collection.phrase_files.embed import EmbeddedFiles, EmbedOptions
from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseHits, PhraseIndex, PhraseIndexFacts
from textkin.data.protocols import Features
from textkin.data.readers.datasets.squad_parts import read_contexts
from textkin.data.readers.texts import Texts
from textkin.kinds.systems import hash_of_phrase_encoder, phrase_encoder_of, place_of_phrase_encoder
from textkin.text.word_cache import load_word_loops
from textkin.vectors.index.encoded_phrases import encoded_questions
from textkin.vectors.index.recall import MeasuredRecall

AuditSide = Literal["below", "within", "above"]


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BuiltPhraseIndex(Summary):
    """An index of phrases on the disk.

    Attributes:
        out: its folder.
        model: the encoder's name.
        passages: number of passages.
        phrases: number of their phrases.
        dim: width of the vectors.
        bytes: size of all its files.
        recall: the recall of a search among the best phrases; empty for exact search.
    """

    out: Path
    model: str
    passages: int
    phrases: int
    dim: int
    bytes: int
    recall: tuple[MeasuredRecall, ...]

    @property
    def bytes_per_phrase(self) -> float:
        """Bytes on the disk for each phrase."""
        return self.bytes / self.phrases

    def _rows(self) -> Iterator[ResultRow]:
        yield {**self._fields(), "bytes_per_phrase": self.bytes_per_phrase}


def embed_contexts(
    contexts: Path | str, out: Path | str, model: str, *, options: EmbedOptions | None = None
) -> EmbeddedFiles:
    """Write the phrases of a context file: see ``collection.phrase_files.embed``.

    Raises:
        UsageError: there is no such encoder; otherwise as there, like the other errors.
    """
    model_hash = hash_of_phrase_encoder(model)
    texts = [text for article in read_contexts(contexts).paragraphs for text in article]
    encoder = phrase_encoder_of(model, fit_texts=texts)
    return embed.embed_contexts(contexts, out, encoder, model_hash=model_hash, options=options)


def embed_questions(
    questions: Path | str, out: Path | str, model: str, *, options: EmbedOptions | None = None
) -> EmbeddedFiles:
    """Write the vectors of a question file: as :func:`embed_contexts`."""
    model_hash = hash_of_phrase_encoder(model)
    return embed.embed_questions(
        questions, out, phrase_encoder_of(model), model_hash=model_hash, options=options
    )


def index_phrases(
    passages: Texts,
    out: Path | str,
    model: str,
    *,
    options: PhraseIndexOptions | None = None,
    questions: Sequence[str] = (),
) -> BuiltPhraseIndex:
    """Build an index of the phrases of passages.

    Args:
        passages: their texts and ids.
        out: the folder to make; the same call resumes an interrupted one.
        model: the phrase encoder.
        options: the defaults if left out.
        questions: the recall is measured on these, where the search is not exact; on stored phrases if there
            are none.

    Raises:
        UsageError: there is no such encoder, or the options don't fit.
        DataError: there is no phrase in the passages.
        OutputError: ``out`` holds something else, or can't be written.
        MissingExtraError: faiss is wanted and not installed.
    """
    options = options or PhraseIndexOptions()
    model_hash = hash_of_phrase_encoder(model)
    encoder = phrase_encoder_of(model, fit_texts=passages.texts)
    asked: Features | None = encoded_questions(encoder, questions) if questions else None
    data = PhraseData(
        lambda: zip(passages.ids, passages.texts, strict=True),
        len(passages),
        sha256_of_json([passages.ids, passages.texts]),
        model_hash,
        questions=asked,
        questions_hash=sha256_of_json(list(questions)) if questions else "",
        model_place=place_of_phrase_encoder(model),
    )
    manifest = build_phrases(data, out, encoder, options)
    with PhraseIndex(out) as index:
        recall = index.recall
    counts = {key: int(manifest[key]) for key in ("passages", "phrases", "dim", "bytes")}
    return BuiltPhraseIndex(out=Path(out), model=model, recall=recall, **counts)


@final
@dataclass(frozen=True, slots=True)
class AuditedRecall:
    """Recall of an index: the stated figures and a new measurement.

    Attributes:
        stated: when the index was built, by depth.
        measured: on other questions, by the same depths.
    """

    stated: tuple[MeasuredRecall, ...]
    measured: tuple[MeasuredRecall, ...]

    def sides(self) -> list[AuditSide]:
        """The side of the stated interval on which each measured recall lies, by depth; below is worse."""
        return [
            "below"
            if other.share.value < one.share.low
            else "above"
            if other.share.value > one.share.high
            else "within"
            for one, other in zip(self.stated, self.measured, strict=True)
        ]


@final
class AskedIndex(Closing):
    """An index of phrases with the encoder of its questions; a context manager.

    Args:
        folder: the index.
        model: the current path of the encoder; None for its path when the index was made.

    Raises:
        DataError: the folder is no index, or was made by another encoder than this one.
        ModelError: there is no encoder at that place.
    """

    def __init__(self, folder: Path | str, *, model: str | None = None) -> None:
        self._index = PhraseIndex(folder)
        place = self._index.model_place if model is None else model
        try:
            found = hash_of_phrase_encoder(place)
        except ModelError as error:
            if model is not None:
                raise
            raise ModelError(
                f"{folder} was made by {self._index.model}, which is no longer at {place}",
                fix="give its folder with `model`",
            ) from error
        if found != self._index.model_hash:
            raise DataError(
                f"was made by another {self._index.model} than there is now",
                path=folder,
                fix="give the right one with `model`, or build the index again",
            )
        self._encoder = phrase_encoder_of(place)

    @property
    def model(self) -> str:
        """The encoder's name."""
        return self._index.model

    @property
    def model_hash(self) -> str:
        """The hash of all that determines its vectors."""
        return self._index.model_hash

    @property
    def facts(self) -> PhraseIndexFacts:
        """Size of the index and its kind of search."""
        return self._index.facts

    def close(self) -> None:
        """Let go of the files."""
        self._index.close()

    def rehearse(self) -> None:
        """Ask something, so that loops which compile at their first call do so now."""
        load_word_loops(self._encoder)
        self.ask(["what"], 1)

    def ask(self, questions: Sequence[str], k: int = 10) -> list[PhraseHits]:
        """The ``k`` best phrases for each question."""
        return self._index.search(encoded_questions(self._encoder, questions), k)

    def audit(self, questions: Sequence[str]) -> AuditedRecall:
        """The recall on these questions beside the one that was measured when the index was built.

        Raises:
            UsageError: there are no questions, or the search is exact.
        """
        if not self._index.recall:
            raise UsageError(
                f"the index of {self.model} is searched exactly, so there is nothing to audit",
                fix="build one with `cells`",
                params=("cells",),
            )
        measured = self._index.audited(encoded_questions(self._encoder, questions))
        return AuditedRecall(self._index.recall, measured)
