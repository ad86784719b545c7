"""Answer questions with phrases of their own paragraphs, from vector files alone."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.base.counts import count
from textkin.base.errors import DataError, required, said
from textkin.base.files import write_text
from textkin.base.gzip_input import MOST_BYTES, MOST_TIMES
from textkin.base.numpy_files import UNREADABLE
from textkin.base.paths import is_file, is_folder, shown_output
from textkin.base.progress import progress
from textkin.base.results import ResultRow, Summary
from textkin.collection.phrase_files import embed
from textkin.collection.phrase_files.npz_vectors import load_rows
from textkin.data.protocols import Features
from textkin.data.readers.datasets.squad_parts import PlacedQuestion, QuestionPart, read_questions
from textkin.vectors.index.encoded_phrases import stacked
from textkin.vectors.index.resumable_folder import MANIFEST

Metric = Literal["ip", "l2", "l1"]

_AGAIN = "make the files again"
_HALVES = re.compile("[\ud800-\udfff]")
_NUMBERS_AT_ONCE = 1 << 22
_COUNTED = {
    "tied": ("answer", "with an equal, which stands behind it"),
    "without_contexts": ("question", "about contexts that have no file"),
    "without_vectors": ("question", "without a file"),
    "without_phrases": ("question", "about contexts without a phrase"),
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Merged(Summary):
    """Answers to questions.

    Attributes:
        answers: the phrase of each question that has one.
        questions: the number of questions.
        tied: the number of answers tied with another phrase.
        without_contexts: questions about paragraphs without a file.
        without_vectors: questions without a file.
        without_phrases: questions about paragraphs without a phrase.
        metric: the measure of nearness.
        out: the file that the answers were written to.
    """

    answers: Mapping[str, str]
    questions: int
    tied: int
    without_contexts: int
    without_vectors: int
    without_phrases: int
    metric: Metric = "ip"
    out: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        counts = self._fields("questions", "tied", "without_contexts", "without_vectors", "without_phrases")
        yield {"answers": len(self.answers), **counts}

    def text(self) -> str:
        """The counts, in sentences."""
        of = f"{len(self.answers):,} of {count(self.questions, 'question')} answered"
        lines = [of if self.out is None else f"{of}; written to {shown_output(self.out)}"]
        for name, (noun, what) in _COUNTED.items():
            if number := getattr(self, name):
                lines.append(f"{count(number, noun)} {what}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The file, the metric and the counts."""
        return {"out": self.out, "metric": self.metric, **self.rows()[0]}

    def write(self, path: Path | str) -> None:
        """Write the answers as SQuAD's predictions, ``{id: text}``.

        Raises:
            OutputError: the file can't be written.
        """
        write_text(path, json.dumps(dict(self.answers), ensure_ascii=False) + "\n")


def merge(
    contexts: Path | str, vectors: Path | str, *, questions: Path | str | None = None, metric: Metric = "ip"
) -> Merged:
    """Answer each question with the best phrase of its paragraph.

    A score is computed in double precision and rounded to float32 once; ties go to the first phrase. Files of
    other programs with this layout are supported.

    Args:
        contexts: the folder or zip file of the paragraphs' phrases.
        vectors: the folder or zip file of the question vectors.
        questions: a question file, which names each question's paragraph; by default the one that
            :func:`embed_questions` wrote next to the vectors.
        metric: the largest inner product (ip), or the smallest distance: Euclid's (l2) or the sum of
            differences (l1).

    Raises:
        UsageError: there is no question file next to another program's vectors.
        DataError: the two sides are not of one model, or a file is broken.
    """
    part = _asked(vectors) if questions is None else read_questions(questions)
    own, raw = embed.asked_paragraph_names(part), embed.raw_paragraph_names(part)
    ids = embed.safe_names([each.question_id for each in part.questions])
    asked = [_FiledQuestion(*each) for each in zip(part.questions, own, raw, ids, strict=True)]
    answers: dict[str, str] = {}
    counts = dict.fromkeys(("tied", "without_contexts", "without_vectors", "without_phrases"), 0)
    with open_entries(contexts) as there, open_entries(vectors) as theirs:
        _check_sides(there, theirs)
        with progress("questions", total=len(asked)) as shown:
            for _, group in groupby(asked, key=lambda each: each.paragraph):
                together = list(group)
                _answer(together, there, theirs, metric, answers, counts)
                shown.advance(len(together))
    found: dict[str, Any] = dict(counts)
    return Merged(answers=answers, questions=len(asked), metric=metric, **found)


def _asked(vectors: Path | str) -> QuestionPart:
    """The questions of these vectors."""
    with open_entries(vectors) as there:
        content = there.read(embed.QUESTION_FILE)
    if content is None:
        raise required("question_file", by=f"{vectors}, which doesn't name its file of questions,")
    with TemporaryDirectory() as folder:
        path = Path(folder) / embed.QUESTION_FILE
        path.write_bytes(content)
        return read_questions(path)


def decide(phrases: Features, questions: Features, metric: Metric) -> tuple[Ints, Bools]:
    """The best phrase's number for each question, and a mask of ties; shapes [questions].

    Args:
        phrases: shape [phrases, dim], at least one.
        questions: shape [questions, dim].
        metric: see :func:`merge`.
    """
    left, right = _in_common(phrases, questions)
    best = np.empty(len(right), dtype=np.int64)
    tied = np.empty(len(right), dtype=bool)
    step = max(1, _NUMBERS_AT_ONCE // max(left.shape[1], 1))
    for number, question in enumerate(right):
        scores = np.concatenate(
            [_scores(left[start : start + step], question, metric) for start in range(0, len(left), step)]
        )
        best[number] = scores.argmax()
        tied[number] = np.count_nonzero(scores == scores.max()) > 1
    return best, tied


@dataclass(frozen=True, slots=True)
class _FiledQuestion:
    """A question, the two possible file names of its paragraph, and its own."""

    about: PlacedQuestion
    paragraph: str
    raw_paragraph: str
    name: str


def _answer(
    asked: Sequence[_FiledQuestion],
    contexts: Entries,
    questions: Entries,
    metric: Metric,
    answers: dict[str, str],
    counts: dict[str, int],
) -> None:
    """Answer the questions of one paragraph."""
    found = _paragraph(contexts, asked[0])
    if found is None:
        counts["without_contexts"] += len(asked)
        return
    texts, phrases = found
    if not texts:
        counts["without_phrases"] += len(asked)
        return
    rows = [_question(questions, each, phrases) for each in asked]
    there = [(each, row) for each, row in zip(asked, rows, strict=True) if row is not None]
    counts["without_vectors"] += len(asked) - len(there)
    if there:
        best, tied = decide(phrases, stacked([row for _, row in there]), metric)
        counts["tied"] += int(np.count_nonzero(tied))
        for (each, _), number in zip(there, best.tolist(), strict=True):
            answers[each.about.question_id] = texts[number]


def _question(questions: Entries, asked: _FiledQuestion, phrases: Features) -> Features | None:
    """The vector of a question, shape [1, dim]; None without a file."""
    content = questions.read(f"{asked.name}.npz")
    if content is None:
        return None
    name = str(questions.path / f"{asked.name}.npz")
    row = load_rows(content, name)
    same_kind = isinstance(row, np.ndarray) == isinstance(phrases, np.ndarray)
    if row.shape != (1, phrases.shape[1]) or not same_kind:
        raise DataError(
            f"{name} holds {row.shape[0]} rows of {row.shape[1]}, expected 1 of {phrases.shape[1]}",
            fix="encode both sides with one model",
        )
    return row


def _paragraph(contexts: Entries, asked: _FiledQuestion) -> tuple[list[str], Features] | None:
    """The phrases of a paragraph and their vectors; None without files."""
    names = (asked.paragraph, asked.raw_paragraph)
    if contexts.manifest is None:  # another program's, with unescaped titles
        names = (asked.raw_paragraph, asked.paragraph)
    for name in names:
        content, said = contexts.read(f"{name}.npz"), contexts.read(f"{name}.json")
        if content is None and said is None:
            continue
        place = str(contexts.path / name)
        if content is None or said is None:
            raise DataError(f"of {place}.npz and {place}.json one is missing", fix=_AGAIN)
        texts, rows = _texts(said, f"{place}.json"), load_rows(content, f"{place}.npz")
        if len(texts) != rows.shape[0]:
            raise DataError(f"{place}.npz holds {rows.shape[0]} rows for {len(texts)} phrases", fix=_AGAIN)
        return texts, rows
    return None


def _texts(content: bytes, name: str) -> list[str]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} is broken", fix=_AGAIN) from error
    texts = value.get("phrases") if isinstance(value, dict) else value
    if not isinstance(texts, list) or not all(map(_is_text, texts)):
        raise DataError(f"{name} holds no list of phrases", fix=_AGAIN)
    return texts


def _is_text(value: object) -> bool:
    """True for a text that can be encoded, without lone surrogates."""
    return isinstance(value, str) and not _HALVES.search(value)


def _check_sides(contexts: Entries, questions: Entries) -> None:
    """Reject files of two different models, or of the wrong kind, if this is detectable."""
    made: list[Mapping[str, Any]] = []
    for side, holds in ((contexts, embed.CONTEXTS), (questions, embed.QUESTIONS)):
        if side.manifest is None:
            continue
        made_of = side.manifest.get("made_of")
        if (
            not isinstance(made_of, dict)
            or made_of.get("format") != embed.FORMAT
            or made_of.get("holds") != holds
        ):
            raise DataError(f"holds no {holds} that this version knows", path=side.path)
        made.append(made_of)
    if len(made) == 2 and made[0].get("model_hash") != made[1].get("model_hash"):
        raise DataError(
            f"{contexts.path} was made by {made[0].get('model')} and {questions.path} by another model, "
            f"{made[1].get('model')}",
            fix="encode both sides with one model",
        )


def _in_common(phrases: Features, questions: Features) -> tuple[Floats, Floats]:
    """Convert both to double precision; of sparse rows, keep columns that any of them uses."""
    if isinstance(phrases, np.ndarray) and isinstance(questions, np.ndarray):
        return phrases.astype(np.float64), questions.astype(np.float64)
    left, right = csr_array(phrases), csr_array(questions)
    columns = np.unique(np.concatenate((left.indices, right.indices)))
    found = [
        csr_array(
            (side.data.astype(np.float64), np.searchsorted(columns, side.indices), side.indptr),
            shape=(side.shape[0], len(columns)),
        ).toarray()
        for side in (left, right)
    ]
    return found[0], found[1]


def _scores(phrases: Floats, question: Floats, metric: Metric) -> Floats32:
    """Scores of phrases, higher is better. Shape [phrases]."""
    if metric == "ip":
        scores = phrases @ question
    elif metric == "l2":
        scores = -np.sqrt(np.square(phrases - question).sum(axis=1))
    else:
        scores = -np.abs(phrases - question).sum(axis=1)
    return scores.astype(np.float32)


class Entries:
    """The files of a folder, or those at the top level of a zip file.

    Attributes:
        path: the path of the folder or the zip file.
        manifest: textkin's manifest; None for files of another program.
    """

    def __init__(self, path: Path, packed: zipfile.ZipFile | None) -> None:
        self.path = path
        self._packed = packed
        self._names = set() if packed is None else set(packed.namelist())
        content = self.read(MANIFEST)
        self.manifest: dict[str, Any] | None = None
        if content is not None:
            self.manifest = self._object(content)

    def read(self, name: str) -> bytes | None:
        """A file's content; None if it doesn't exist.

        Raises:
            DataError: it can't be read.
        """
        if "\0" in name or "/" in name:
            return None
        place = self.path / name
        try:
            if self._packed is None:
                return place.read_bytes() if is_file(place) else None
            if name not in self._names:
                return None
            about = self._packed.getinfo(name)
            if about.file_size > max(MOST_BYTES, MOST_TIMES * about.compress_size):
                raise DataError(f"unpacks to {MOST_TIMES} times its size", path=place, fix=_AGAIN)
            return self._packed.read(name)
        except UNREADABLE as error:
            raise DataError(f"can't be read: {said(error)}", path=place, fix=_AGAIN) from error

    def _object(self, content: bytes) -> dict[str, Any]:
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DataError("is broken", path=self.path / MANIFEST, fix=_AGAIN) from error
        if not isinstance(found, dict):
            raise DataError("holds no JSON object", path=self.path / MANIFEST, fix=_AGAIN)
        return found


@contextmanager
def open_entries(path: Path | str) -> Iterator[Entries]:
    """Open the files of a folder or a zip file. A context manager.

    Raises:
        DataError: it doesn't exist, or the zip file is broken.
    """
    place = Path(path)
    if is_folder(place):
        yield Entries(place, None)
        return
    if not is_file(place):
        raise DataError("no such folder or zip file", path=place, fix="check the path")
    try:
        packed = zipfile.ZipFile(place)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"is not a zip file that can be read: {error}", path=place, fix=_AGAIN) from error
    with packed:
        yield Entries(place, packed)
