"""Answers by phrases: passages encoded into an index, and questions asked of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textkin.base.closing import Closing
from textkin.base.counts import count
from textkin.base.errors import DataError, ModelError, UsageError, invalid
from textkin.base.files import as_output, sha256_of_json
from textkin.base.locks import locked_folder
from textkin.base.python_inputs import path_of
from textkin.base.results import ResultRow, Summary
from textkin.base.standard_streams import typed_lines
from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseHits, PhraseIndex
from textkin.data.protocols import Features
from textkin.data.readers.texts import Texts
from textkin.kinds.systems.phrases import (
    hash_of_phrase_encoder,
    phrase_encoder_of,
    place_of_phrase_encoder,
    weighs_all,
)
from textkin.text.word_cache import load_loops
from textkin.vectors.index.encoded_phrases import encoded_questions
from textkin.vectors.index.recall import MeasuredRecall
from textkin.verbs.answer.answers import loaded_passages
from textkin.verbs.inputs import text_reading, texts_from


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

    def text(self) -> str:
        """The counts, the size and the recall."""
        counts = f"{count(self.phrases, 'phrase')} of {count(self.passages, 'passage')}"
        size = f"{self.bytes / 2**20:,.1f} MiB, {self.bytes_per_phrase:,.0f} bytes a phrase"
        recall = [one.sentence() for one in self.recall]
        return "\n".join([f"{counts}, {self.dim:,} dimensions; {size}", *recall, f"written to {self.out}"])

    def as_dict(self) -> dict[str, Any]:
        """The counts, the size and the recall."""
        return {**self.rows()[0], "recall": [one.as_json() for one in self.recall]}


def questions_of(given: Any, text: str | int | Sequence[str] | None = None) -> Sequence[str]:
    """The questions of a file or a sequence; none for None."""
    return (
        ()
        if given is None
        else texts_from(given, text_reading(text, None, "auto", None), name="questions").texts
    )


def passages_of(given: Any, text: str | int | Sequence[str] | None = None) -> Texts:
    """The passages of a file or a sequence.

    Raises:
        UsageError: there are none, one is blank, or a single string is not a file.
        DataError: the file can't be read.
    """
    if isinstance(given, str) and path_of(given, or_text=True) is None:
        raise invalid("passages", given, expected="an existing file, or a list of texts")
    found = loaded_passages(given, text_reading(text, None, "auto", None))
    if not found.texts:
        raise invalid("passages", given, expected="at least one text")
    if (blank := next((place for place, one in enumerate(found.texts) if not one.strip()), None)) is not None:
        raise invalid(f"passages[{blank}]", found.texts[blank], expected="a text that isn't blank")
    return found


def add_phrases(
    index: Path, passages: Texts, *, model: str | None = None, questions: Sequence[str] = ()
) -> BuiltPhraseIndex:
    """Add passages to an index: build that of all passages beside it, and let it take its place.

    Passages without ids of their own, which are numbered, are numbered on.

    Args:
        index: its folder.
        passages: the texts and ids to add.
        model: the current path of the encoder; None for its path when the index was made.
        questions: as for :func:`index_phrases`, as are the other errors.

    Raises:
        UsageError: the index has codes alone.
        DataError: it is no index, or has an id already.
        OutputError: another process is adding passages to it.
    """
    fresh = index.with_name(f".{index.name}.fresh")
    if not index.exists() and fresh.exists():  # a process was killed between the two renamings
        fresh.rename(index)
    PhraseIndex(index).close()  # raises where there is none, which the lock would create
    with locked_folder(index):
        made = _grown(index, fresh, passages, model=model, questions=questions)
        former = index.with_name(f".{index.name}.former")
        with as_output(index):
            shutil.rmtree(former, ignore_errors=True)
            index.rename(former)
            fresh.rename(index)
            shutil.rmtree(former)
    return replace(made, out=index)


def _grown(
    index: Path, fresh: Path, passages: Texts, *, model: str | None, questions: Sequence[str]
) -> BuiltPhraseIndex:
    """Build the index of all passages beside a locked index; as :func:`add_phrases`."""
    with AskedIndex(index, model=model) as asked:
        place, options = asked.place, asked.index.options
        known = {one.passage_id: one.text for one in asked.index.passages()}
    if not options.keeps_vectors:
        raise UsageError(
            f"{index} has codes alone, so the recall with more passages can't be measured",
            fix="build it again, of all passages",
            params=("index",),
        )
    ids = passages.ids
    if passages.numbered and any(
        ids == tuple(str(first + place) for place in range(len(ids))) for first in (0, 1)
    ):
        first = len(known) + (str(len(known)) in known)  # lists are numbered from 0, lines of files from 1
        ids = tuple(str(first + place) for place in range(len(ids)))
    if there := [one for one in ids if one in known]:
        raise DataError(f"has a passage {there[0]!r} already", path=index, fix="give others, or other ids")
    texts = Texts((*known, *ids), (*known.values(), *passages.texts), passages.name)
    before = None if weighs_all(place) else index
    return index_phrases(texts, fresh, place, options=options, questions=questions, before=before)


def ask_index(index: Path, questions: Sequence[str], k: int, *, model: str | None = None) -> list[PhraseHits]:
    """The best phrases for each question.

    Raises:
        UsageError: a question is blank.
        DataError: the folder is no index, or was made by another encoder.
        ModelError: the encoder isn't at its place.
    """
    for one in questions:
        if not one.strip():
            raise UsageError("the question is blank", fix="say what is asked", params=("question",))
    with AskedIndex(index, model=model) as asked:
        return list(_asked(asked, questions, k))


def ask_typed(index: Path, k: int, *, model: str | None = None) -> Iterator[PhraseHits]:
    """Answer each line of standard input as it comes; errors as for :func:`ask_index`."""
    with AskedIndex(index, model=model) as asked:
        yield from _asked(asked, (line for _, line in typed_lines()), k)


def _asked(index: AskedIndex, questions: Iterable[str], k: int) -> Iterator[PhraseHits]:
    for one in questions:
        start = time.perf_counter()
        [found] = index.ask([one], k)
        yield replace(found, question=one, seconds=time.perf_counter() - start)


def index_phrases(
    passages: Texts,
    out: Path | str,
    model: str,
    *,
    options: PhraseIndexOptions | None = None,
    questions: Sequence[str] = (),
    before: Path | None = None,
) -> BuiltPhraseIndex:
    """Build an index of the phrases of passages.

    Args:
        passages: their texts and ids.
        out: the folder to make; the same call resumes an interrupted one.
        model: the phrase encoder.
        options: the defaults if left out.
        questions: the recall is measured on these, where the search is not exact; on stored phrases if there
            are none.
        before: an index of the first of these passages by the same model, whose vectors are taken over.

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
        before=before,
    )
    made = build_phrases(data, out, encoder, options)
    PhraseIndex(out).close()  # an error now, not at the first search
    return BuiltPhraseIndex(
        out=Path(out),
        model=model,
        recall=made.recall,
        passages=made.passages,
        phrases=made.phrases,
        dim=made.dim,
        bytes=made.bytes,
    )


class AskedIndex(Closing):
    """An index of phrases with the encoder of its questions; a context manager.

    Args:
        folder: the index.
        model: the current path of the encoder; None for its path when the index was made.

    Attributes:
        index: the index.
        place: the encoder's path.

    Raises:
        DataError: the folder is no index, or was made by another encoder than this one.
        ModelError: there is no encoder at that place.
    """

    def __init__(self, folder: Path | str, *, model: str | None = None) -> None:
        self.index = PhraseIndex(folder)
        place = self.index.model_place if model is None else model
        try:
            found = hash_of_phrase_encoder(place)
        except ModelError as error:
            if model is not None:
                raise
            raise ModelError(
                f"{folder} was made by {self.index.model}, which is no longer at {place}",
                fix="give its folder with `model`",
            ) from error
        if found != self.index.model_hash:
            name = self.index.model
            maker = (
                f"another {name} than there is now" if model in (None, name) else f"{name}, not by {model}"
            )
            raise DataError(
                f"was made by {maker}",
                path=folder,
                fix="give the right one with `model`, or build the index again",
            )
        self.place, self._encoder = place, phrase_encoder_of(place)

    def close(self) -> None:
        """Let go of the files."""
        self.index.close()

    def rehearse(self) -> None:
        """Ask something, so that loops which compile at their first call do so now."""
        load_loops(self._encoder)
        self.ask(["what"], 1)

    def ask(self, questions: Sequence[str], k: int = 10) -> list[PhraseHits]:
        """The ``k`` best phrases for each question."""
        return self.index.search(encoded_questions(self._encoder, questions), k, texts=questions)

    def measured(self, questions: Sequence[str]) -> tuple[MeasuredRecall, ...]:
        """The recall on these questions; none if the search is exact, or the index has codes alone."""
        return self.index.audited(encoded_questions(self._encoder, questions))
