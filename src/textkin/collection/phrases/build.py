"""Build a phrase index on disk, in bounded memory; resumes an interrupted build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from textkin.base.arrays import Ints, Ints32
from textkin.base.errors import DataError, conflict, inapplicable
from textkin.base.files import as_output, sha256_of_file
from textkin.base.progress import progress
from textkin.collection.phrases import exact_search, vector_files
from textkin.collection.phrases.exact_search import ShortRecord
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions, faiss, quick_search, write_cells
from textkin.collection.phrases.manifest import (
    FORMAT,
    HOLDS,
    FileRecord,
    PhraseManifest,
    StoredRecord,
    phrase_manifest,
    read_manifest,
)
from textkin.collection.phrases.passages import PassageReader, PassageWriter, StoredPassage, compact
from textkin.data.protocols import EncodesTokens, Features, PhraseEncoder, nothing_of
from textkin.vectors.index.encoded_phrases import (
    encoded_nothing,
    encoded_phrases,
    encoded_tokens,
    gives_tokens,
    in_portions,
    stacked,
)
from textkin.vectors.index.recall import MeasuredRecall, measured_recall
from textkin.vectors.index.resumable_folder import MANIFEST, PartFolder, finished, part_folder

PASSAGES, CELLS, NOTHING = "passages.sqlite", "cells.faiss", "nothing.npy"

WORDS = 0.6
"""The weight of words by default; chosen on the dev questions that the built-in encoder was chosen on."""

_WINDOW = 128
_PLANNED_ON = 512

Passages = Callable[[], Iterable[tuple[str, str]]]
"""Iterates over ids and texts, afresh each time."""


@dataclass(frozen=True, slots=True)
class PhraseData:
    """The inputs of an index.

    Attributes:
        passages: ids and texts, unique ids.
        count: the number of passages.
        data_hash: identifies the passages.
        model_hash: identifies the encoder.
        questions: vectors to measure recall on, shape [questions, dim]; stored phrases if None.
        questions_hash: identifies the questions.
        model_place: the location of the encoder; its name if "".
        before: an index of the first of these passages, whose vectors are taken over; None to encode all.
    """

    passages: Passages
    count: int
    data_hash: str
    model_hash: str
    questions: Features | None = None
    questions_hash: str = ""
    model_place: str = ""
    before: Path | None = None


def build_phrases(
    data: PhraseData, out: Path | str, encoder: PhraseEncoder, options: PhraseIndexOptions
) -> PhraseManifest:
    """Build an index, or find an existing one; return its manifest.

    Raises:
        UsageError: the options don't fit the encoder or the number of phrases.
        DataError: passages can't be read, or the encoder returns invalid vectors.
        OutputError: ``out`` contains something else, or can't be written.
        MissingExtraError: cells are requested, and faiss isn't installed.
    """
    by_tokens = _by_tokens(encoder, options)
    if options.words is None:
        options = replace(options, words=WORDS if by_tokens else 0.0)
    begun_with = {
        "format": FORMAT,
        "holds": HOLDS,
        "model": encoder.name,
        "model_hash": data.model_hash,
        "data_hash": data.data_hash,
        "metric": options.metric,
        "per_passage": options.per_passage,
        "no_answer": nothing_of(encoder) is not None,
        "by_tokens": by_tokens,
    }
    made_of = {**begun_with, "questions_hash": data.questions_hash, "options": asdict(options)}
    if before := finished(out, made_of):
        return phrase_manifest(before, Path(out) / MANIFEST)
    if options.cells:
        faiss()
    with part_folder(out, made_of, begun_with=begun_with) as folder:
        state = _encode(folder, begun_with, data, encoder, options)
        if (nothing := encoded_nothing(encoder, sparse=False)) is not None:
            with as_output(folder.target):
                np.save(folder.path / NOTHING, np.asarray(nothing)[0])
        stored = StoredRecord(state.kind, state.rows, state.width, state.numbers)
        short, recall = _complete(folder, stored, state.phrases, encoder, data, options)
        if not options.keeps_vectors:
            short = None
            for name in (*vector_files.KINDS["dense"], *exact_search.SHORT_FILES):
                (folder.path / name).unlink(missing_ok=True)
        files = sorted(item for item in folder.path.iterdir() if item.name != "state.json")
        content = {
            "model_place": data.model_place or encoder.name,
            "passages": state.passages,
            "phrases": state.phrases,
            "dim": encoder.dim,
            "bytes": folder.size(),
            "stored": asdict(stored),
            "short": None if short is None else asdict(short),
            "recall": [asdict(each) for each in recall],
            "files": {
                path.name: asdict(FileRecord(path.stat().st_size, sha256_of_file(path))) for path in files
            },
        }
        return phrase_manifest(folder.finish(content), folder.target / MANIFEST)


def _by_tokens(encoder: PhraseEncoder, options: PhraseIndexOptions) -> TypeGuard[EncodesTokens]:
    """True if phrases are stored by their tokens: for exact search, by inner products, among all phrases.

    Raises:
        UsageError: words are to count, and phrases are stored one by one.
    """
    others = options.storing_each
    if gives_tokens(encoder) and not others:
        return True
    if options.words and others:
        raise conflict("words", *others, why="phrases are stored one by one then")
    if options.words:
        raise inapplicable("words", to=f"{encoder.name}, whose phrases are stored one by one")
    return False


def _encode(
    folder: PartFolder,
    made_of: dict[str, Any],
    data: PhraseData,
    encoder: PhraseEncoder,
    options: PhraseIndexOptions,
) -> _State:
    """Write vectors, offsets and passages, and return their number."""
    state = _State(**folder.state)
    if state.encoded and state.kind == "dense" and not any(folder.path.glob("*vectors.npy*")):
        state = _State()  # the process was killed after it had removed the vectors
    if not state.encoded:
        with ExitStack() as stack:
            passages = PassageWriter(folder.path / PASSAGES, keep=state.passages)
            stack.callback(passages.close)
            files: vector_files.VectorFiles | None = None
            for window in _windows(data, encoder, options, done=state.passages):
                if files is None:
                    kind, width = vector_files.kind_of(window.rows), vector_files.width_of(window.rows)
                    state = replace(state, kind=kind, width=width)
                    _check_kind(state, encoder, options)
                    files = _vector_files(folder, made_of, state)
                    stack.callback(files.close)
                files.append(window.rows, window.offsets)
                passages.add(_stored(window, state.rows))
                state = replace(
                    state,
                    passages=state.passages + len(window.texts),
                    rows=state.rows + len(window.offsets),
                    phrases=state.phrases + window.phrases,
                    numbers=files.numbers,
                )
                folder.save(asdict(state))
        if not state.phrases:
            folder.forget()
            raise DataError("there is no phrase in the passages", fix="give texts with words in them")
        compact(folder.path / PASSAGES)
        state = replace(state, encoded=True)
        folder.save(asdict(state))
    vector_files.finish_files(folder.path, made_of, kind=state.kind, width=state.width)
    return state


@dataclass(frozen=True, slots=True)
class _State:
    """The progress of a build: the amount on disk, and its kind."""

    passages: int = 0
    rows: int = 0
    phrases: int = 0
    numbers: int = 0
    kind: vector_files.Kind = "dense"
    width: int = 0
    encoded: bool = False


@dataclass(frozen=True, slots=True)
class _Window:
    """Some passages, the number of rows of each, and the offsets and contents of these."""

    texts: list[tuple[str, str]]
    counts: list[int]
    offsets: Ints
    rows: vector_files.StoredRows

    @property
    def phrases(self) -> int:
        """The number of phrases."""
        if isinstance(self.rows, vector_files.TokenRows):
            return int(np.bitwise_count(self.rows.lengths).sum())
        return len(self.offsets)


def _windows(
    data: PhraseData, encoder: PhraseEncoder, options: PhraseIndexOptions, *, done: int
) -> Iterator[_Window]:
    with progress(f"phrases by {encoder.name}", total=data.count) as shown:
        shown.advance(done)
        if data.before is not None:
            for window in _windows_of(data.before, done):
                yield window
                done += len(window.texts)
                shown.advance(len(window.texts))
        for texts in in_portions(islice(data.passages(), done, None), _WINDOW):
            yield _window(texts, encoder, options, first=done)
            done += len(texts)
            shown.advance(len(texts))


def _window(
    texts: list[tuple[str, str]], encoder: PhraseEncoder, options: PhraseIndexOptions, *, first: int
) -> _Window:
    """Encode passages, the first of which has a number."""
    passages = [text for _, text in texts]
    if _by_tokens(encoder, options):
        tokens = encoded_tokens(encoder, passages)
        offsets = np.concatenate([each.offsets for each in tokens])
        rows = vector_files.token_rows(tokens, passages, first=first)
        return _Window(texts, [len(each) for each in tokens], offsets, rows)
    found = encoded_phrases(encoder, passages, per_passage=options.per_passage)
    vectors = exact_search.searchable_rows(stacked([each.vectors for each in found]), options.metric)
    offsets = np.concatenate([each.offsets for each in found])
    return _Window(texts, [len(each) for each in found], offsets, vectors)


def _windows_of(index: Path, done: int) -> Iterator[_Window]:
    """Yield passages of an index from a number on, with their phrases."""
    stored = open_rows(index, read_manifest(index).stored)
    with closing(PassageReader(index / PASSAGES)) as reader:
        passages = list(reader.all(done))
    rest = iter(passages)
    for texts in in_portions([(each.passage_id, each.text) for each in passages], _WINDOW):
        some = list(islice(rest, len(texts)))
        part = slice(some[0].first, some[-1].first + some[-1].rows)
        taken = vector_files.part_of_rows(stored.rows, part, slice(done, done + len(some)))
        offsets = stored.offsets[part].astype(np.int64)
        yield _Window(texts, [each.rows for each in some], offsets, taken)
        done += len(some)


@dataclass(frozen=True, slots=True, eq=False)
class OpenRows:
    """The rows of an index, memory-mapped, and the start and end of each in its passage."""

    rows: vector_files.StoredRows
    offsets: Ints32


def open_rows(index: Path, stored: StoredRecord) -> OpenRows:
    """The rows of an index.

    Raises:
        DataError: a file has other contents.
    """
    count = stored.rows
    rows = vector_files.mapped_rows(
        index, kind=stored.kind, rows=count, width=stored.width, numbers=stored.numbers
    )
    return OpenRows(rows, vector_files.mapped(index / vector_files.OFFSETS, dtype="<i4", shape=(count, 2)))


def _check_kind(state: _State, encoder: PhraseEncoder, options: PhraseIndexOptions) -> None:
    if state.kind == "sparse" and (options.cells or options.metric != "ip"):
        raise inapplicable(
            *(["cells"] if options.cells else []),
            *(["metric"] if options.metric != "ip" else []),
            to=f"{encoder.name}, whose sparse vectors are searched exactly, by inner product",
        )


def _vector_files(folder: PartFolder, made_of: dict[str, Any], state: _State) -> vector_files.VectorFiles:
    return vector_files.VectorFiles(
        folder.path,
        made_of,
        kind=state.kind,
        width=state.width,
        keep=state.rows,
        numbers=state.numbers,
    )


def _stored(window: _Window, first: int) -> Iterator[StoredPassage]:
    for (name, text), rows in zip(window.texts, window.counts, strict=True):
        yield StoredPassage(name, text, first, rows)
        first += rows


def _complete(
    folder: PartFolder,
    stored: StoredRecord,
    phrases: int,
    encoder: PhraseEncoder,
    data: PhraseData,
    options: PhraseIndexOptions,
) -> tuple[ShortRecord | None, tuple[MeasuredRecall, ...]]:
    """Write short rows and cells, where there are any, and measure the recall of the cells."""
    rows = open_rows(folder.path, stored).rows
    if not isinstance(rows, np.ndarray):
        return None, ()
    count = min(phrases, max(options.sample, _PLANNED_ON))
    drawn = np.linspace(0, phrases, count, endpoint=False).astype(np.int64)
    short = known = None
    if phrases >= exact_search.LEAST:
        asked = exact_search.as_questions(rows[drawn, : encoder.dim], options.metric)
        short = exact_search.write_short_rows(folder.path, rows, asked)
        known = exact_search.ShortRows(folder.path, short, rows=phrases, dim=stored.width)
    if not options.cells:
        return short, ()
    write_cells(folder.path / CELLS, rows, encoder.dim, options)
    quick = quick_search(folder.path / CELLS, rows, len(rows), options)
    exact = exact_search.DenseSearch(rows, metric=options.metric, short=known)
    if data.questions is not None:
        return short, measured_recall(exact, quick, data.questions, of="questions")
    drawn = drawn[:: max(count // options.sample, 1)][: options.sample]
    asked = rows[drawn, : encoder.dim]
    return short, measured_recall(exact, quick, asked, of="stored phrases", itself=drawn)
