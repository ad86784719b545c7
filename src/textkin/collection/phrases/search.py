"""Search a phrase index."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from textkin.base.closing import Closing
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.files import sha256_of_file
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.collection.phrases.build import CELLS, NOTHING, PASSAGES, open_rows
from textkin.collection.phrases.exact_search import DenseSearch, Metric, ShortRows, SparseSearch, best_of
from textkin.collection.phrases.faiss_cells import quick_search
from textkin.collection.phrases.manifest import AGAIN, PhraseManifest, read_manifest
from textkin.collection.phrases.passages import PassageReader, StoredPassage
from textkin.collection.phrases.token_search import TokenSearch
from textkin.collection.phrases.vector_files import OFFSETS, StoredRows, TokenRows, mapped, width_of
from textkin.data.protocols import Features
from textkin.data.span_overlaps import apart, overlapping
from textkin.vectors.index.recall import MeasuredRecall, PhraseSearch, measured_recall
from textkin.vectors.index.resumable_folder import MANIFEST
from textkin.vectors.join.nearest import Nearest

_WIDEST = 1 << 24
_MOST_PASSAGES = 1 << 31
_MORE = 8  # times as many phrases, if too many of them overlap
_AROUND = 60  # characters shown before and after a phrase


@dataclass(frozen=True, slots=True)
class PhraseHit:
    """A phrase found by a search.

    Attributes:
        passage_id: the id of its passage.
        start: its first character in the passage.
        end: its end in the passage, exclusive.
        phrase: the text of the phrase.
        score: the inner product, or the negative distance; of an index by tokens with what the question's
            words add.
        passage: the whole passage.
    """

    passage_id: str
    start: int
    end: int
    phrase: str
    score: float
    passage: str

    def marked(self, *, around: int | None = _AROUND) -> str:
        """The passage with the phrase in double brackets, cut to a width; whole if None."""
        before, after = self.passage[: self.start], self.passage[self.end :]
        if around is not None and len(before) > around:
            before = "..." + before[-around:]
        if around is not None and len(after) > around:
            after = after[:around] + "..."
        return f"{before}[[{self.phrase}]]{after}"


@dataclass(frozen=True, slots=True, repr=False)
class PhraseHits(Result):
    """An index's result for a question.

    Attributes:
        hits: best first, none of which overlap; ties go to the phrase indexed first.
        recall: the recall of this index's searches, measured when it was built; empty if the search is exact.
        no_answer: the score of "no answer" in any passage; None if the model always answers.
        question: the question.
        seconds: the time that encoding it and the search took.
    """

    hits: tuple[PhraseHit, ...]
    recall: tuple[MeasuredRecall, ...]
    no_answer: float | None = None
    question: str = ""
    seconds: float | None = None

    @property
    def is_none(self) -> bool:
        """True if "no answer" scores at least as high as the best phrase, or nothing was found."""
        return not self.hits or (self.no_answer is not None and self.no_answer >= self.hits[0].score)

    def _rows(self) -> Iterator[ResultRow]:
        for hit in self.hits:
            yield {
                "phrase": hit.phrase,
                "score": hit.score,
                "passage": hit.passage_id,
                "start": hit.start,
                "end": hit.end,
                "where": hit.marked(),
            }

    def _summary(self) -> str:
        return f"{self.question!r}, {len(self.hits)} phrases, {'; '.join(self._said())}"

    def _said(self) -> tuple[str, ...]:
        return tuple(each.sentence() for each in self.recall) or ("exact search",)

    def text(self) -> str:
        """The phrases in their passages, and the recall."""
        none = self.hits and self.is_none
        lines = [f"no answer   score {self.no_answer:.4g}"] if none else []
        rows = [
            (one.phrase, f"{one.score:.4g}", one.passage_id, " ".join(one.marked().split()))
            for one in self.hits
        ]
        shown = text_table(("phrase", "score", "passage", "where"), rows)
        lines.append(shown if rows else "no phrase found")
        time = "" if self.seconds is None else f"{1000 * self.seconds:.0f} ms, "
        return "\n".join([*lines, time + "; ".join(self._said())])

    def as_dict(self) -> dict[str, Any]:
        """The question, the phrases and the recall."""
        found = self._values("question", "hits", "no_answer", "is_none", "seconds")
        return {**found, "recall": [one.as_json() for one in self.recall]}


@dataclass(frozen=True, slots=True)
class PhraseIndexFacts:
    """The size of an index, and its search method.

    Attributes:
        passages: the number of passages.
        phrases: the number of phrases.
        dim: width of the vectors.
        bytes: the total size of the files.
        metric: "ip" or "l2".
        cells: the number of cells of an approximate search (nlist); 0 if all phrases are searched.
        probe: the number of cells searched per question (nprobe); 0 without cells.
        bytes_per_vector: the bytes per vector in its cell; 0 for whole vectors.
    """

    passages: int
    phrases: int
    dim: int
    bytes: int
    metric: str
    cells: int
    probe: int
    bytes_per_vector: int

    @property
    def bytes_per_phrase(self) -> float:
        """Bytes on disk per phrase."""
        return self.bytes / self.phrases


class PhraseIndex(Closing):
    """A phrase index on disk, opened for search; its vectors aren't loaded into memory.

    A context manager.

    Args:
        folder: the output folder of ``build_phrases``.

    Attributes:
        model: the encoder's name.
        model_place: the encoder's location when the index was built.
        model_hash: identifies the encoder; questions must be encoded by the same one.
        recall: as in :class:`PhraseHits`.
        facts: its size and search method.
        options: the options that it was built with.

    Raises:
        DataError: the folder isn't an index, is broken, or has another version.
        MissingExtraError: it has cells, and faiss isn't installed.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)
        manifest = read_manifest(self._folder)
        _check_files(self._folder, manifest)
        made_of, options, count = manifest.made_of, manifest.made_of.options, manifest.phrases
        self.model, self.model_hash = made_of.model, made_of.model_hash
        self.model_place = manifest.model_place
        self.recall, self.options, self._dim = manifest.recall, options, manifest.dim
        try:
            if not 0 < self._dim <= _WIDEST:
                raise ValueError(f"{self._dim} dimensions, expected 1 to {_WIDEST}")
            self.facts = PhraseIndexFacts(
                passages=manifest.passages,
                phrases=count,
                dim=self._dim,
                bytes=manifest.bytes,
                metric=options.metric,
                cells=options.cells,
                probe=options.probe if options.cells else 0,
                bytes_per_vector=options.bytes_per_vector,
            )
            self._search: PhraseSearch
            self._exact: Callable[[], PhraseSearch] | None = None
            if options.keeps_vectors:
                stored = open_rows(self._folder, manifest.stored)
                rows, self._offsets = stored.rows, stored.offsets
                _check_counts(rows, self._dim, options.metric, phrases=count)
                if isinstance(rows, TokenRows):
                    _check_passages(rows, self.facts.passages)
                self._exact = partial(_exact_search, self._folder, manifest, rows)
            else:
                rows, self._offsets = None, mapped(self._folder / OFFSETS, dtype="<i4", shape=(count, 2))
            if options.cells or self._exact is None:
                dense = rows if isinstance(rows, np.ndarray) else None
                self._search = quick_search(self._folder / CELLS, dense, count, options)
            else:
                self._search = self._exact()
            there = NOTHING in manifest.files
            self._nothing = mapped(self._folder / NOTHING, dtype="<f4", shape=(self._dim,)) if there else None
        except (ValueError, OverflowError, UsageError) as error:
            raise DataError(f"is inconsistent: {error}", path=self._folder / MANIFEST, fix=AGAIN) from error
        self._passages = PassageReader(self._folder / PASSAGES)

    def search(
        self, questions: Features, k: int = 10, *, texts: Sequence[str] | None = None
    ) -> list[PhraseHits]:
        """The ``k`` best phrases for each question, without those that overlap a better one.

        Args:
            questions: vectors of the index's model, shape [questions, dim].
            k: at least 1.
            texts: the questions' texts, of which an index by tokens counts the words; None for none.

        Raises:
            UsageError: ``k`` is below 1.
            DataError: the vectors are of another width, or the index is broken.
        """
        if k < 1:
            raise invalid("k", k, expected="at least 1")
        self._check(questions)
        found = self._nearest(questions, texts, overlapping(k))
        none = self._of_nothing(questions, found)
        return [
            PhraseHits(self._apart(questions, texts, place, found, k), self.recall, none[place])
            for place in range(questions.shape[0])
        ]

    def _nearest(self, questions: Features, texts: Sequence[str] | None, depth: int) -> Nearest:
        try:
            if isinstance(self._search, TokenSearch):
                return self._search.nearest(questions, depth, texts)
            found = self._search.nearest(questions, depth)
            if np.isfinite(found.scores[found.documents >= 0]).all():
                return found
        except FloatingPointError:
            pass
        raise DataError("holds vectors that are not finite", path=self._folder, fix=AGAIN)

    def _apart(
        self, questions: Features, texts: Sequence[str] | None, place: int, found: Nearest, k: int
    ) -> tuple[PhraseHit, ...]:
        """The best phrases of a question that don't overlap, among more phrases until there are enough."""
        numbers, scores = found.documents[place], found.scores[place]
        while True:
            pairs = zip(numbers.tolist(), scores.tolist(), strict=True)
            hits = apart(self._hit(number, score) for number, score in pairs if number >= 0)
            if len(hits) >= k or numbers[-1] < 0:
                return tuple(hits[:k])
            only = slice(place, place + 1)
            more = self._nearest(questions[only], texts and texts[only], _MORE * len(numbers))
            numbers, scores = more.documents[0], more.scores[0]

    def audited(self, questions: Features) -> tuple[MeasuredRecall, ...]:
        """The recall for these questions, relative to an exact search.

        Args:
            questions: as in :meth:`search`, at least one.

        Returns:
            One value per depth; none if the search is exact, there is no phrase to find, or the index has
            codes alone.

        Raises:
            UsageError: there are no questions.
            DataError: the vectors are of another width.
        """
        if not questions.shape[0]:
            raise invalid("questions", (), expected="at least one question to audit the index with")
        self._check(questions)
        if not self.options.cells or self._exact is None:
            return ()
        return measured_recall(self._exact(), self._search, questions, of="questions")

    def passages(self) -> Iterator[StoredPassage]:
        """Yield the passages, in order."""
        return self._passages.all()

    def close(self) -> None:
        """Close the files."""
        self._passages.close()

    def _check(self, questions: Features) -> None:
        if questions.shape[1] != self._dim or isinstance(questions, csr_array) != isinstance(
            self._search, SparseSearch
        ):
            raise DataError(
                f"questions of shape {questions.shape}, expected {self._dim} columns as of {self.model}",
                fix="encode them with the model of the index",
                value=questions.shape,
            )

    def _of_nothing(self, questions: Features, found: Nearest) -> list[float | None]:
        """The score of "no answer" for each question, as if it had the words that the best phrase has."""
        if self._nothing is None:
            return [None] * questions.shape[0]
        row = self._nothing[None]
        if isinstance(questions, np.ndarray):
            itself = np.zeros((len(questions), 1), dtype=np.int64)
            scores = best_of(row, itself, questions, 1, metric=self.options.metric).scores[:, 0]
        else:
            scores = questions @ row[0]
        if isinstance(self._search, TokenSearch):
            scores = scores + self._search.of_words(found, questions)
        if not np.isfinite(scores).all():
            raise DataError("holds a number that is not finite", path=self._folder / NOTHING, fix=AGAIN)
        return [float(score) for score in scores]

    def _hit(self, number: int, score: float) -> PhraseHit:
        first, last = number, number
        if isinstance(self._search, TokenSearch):
            first, last = self._search.tokens_of(number)
        passage = self._passages.of_row(first)
        start, end = int(self._offsets[first, 0]), int(self._offsets[last, 1])
        if not 0 <= start < end <= len(passage.text) or last >= passage.first + passage.rows:
            raise DataError(f"phrase {number:,} is not in its passage", path=self._folder, fix=AGAIN)
        return PhraseHit(passage.passage_id, start, end, passage.text[start:end], score, passage.text)


def _check_counts(rows: StoredRows, dim: int, metric: Metric, *, phrases: int) -> None:
    """Reject a manifest whose counts its files don't have."""
    if isinstance(rows, TokenRows):
        there, expected = int(np.bitwise_count(rows.lengths).sum()), dim + dim % 2
    else:
        there, expected = int(rows.shape[0]), dim + (2 if metric == "l2" else 0)
    if (there, width_of(rows)) != (phrases, expected):
        raise ValueError(f"{phrases} phrases of {dim} dimensions, whose files have {there}")


def _check_passages(rows: TokenRows, passages: int) -> None:
    """Reject a number of passages that the last token or word goes beyond."""
    both = (rows.around[:, 2], rows.words[:, 1])
    there = 1 + max((int(numbers[-1]) for numbers in both if len(numbers)), default=-1)
    if not there <= passages <= _MOST_PASSAGES:
        raise ValueError(f"{passages} passages, whose files have {there}")


def _exact_search(folder: Path, manifest: PhraseManifest, rows: StoredRows) -> PhraseSearch:
    options, short = manifest.made_of.options, manifest.short
    if isinstance(rows, TokenRows):
        weight = options.words or 0.0
        return TokenSearch(rows, dim=manifest.dim, passages=manifest.passages, weight=weight)
    if not isinstance(rows, np.ndarray):
        return SparseSearch(rows)
    known = None if short is None else ShortRows(folder, short, rows=len(rows), dim=rows.shape[1])
    return DenseSearch(rows, metric=options.metric, short=known)


def _check_files(folder: Path, manifest: PhraseManifest) -> None:
    """Reject truncated or swapped files; those that libraries read themselves, by hash."""
    if not {PASSAGES, OFFSETS} <= manifest.files.keys():
        raise DataError("names no files", path=folder / MANIFEST, fix=AGAIN)
    for name, record in manifest.files.items():
        path = folder / Path(name).name
        try:
            size = path.stat().st_size
            right = size == record.bytes and (name != CELLS or sha256_of_file(path) == record.sha256)
        except (OSError, ValueError) as error:
            raise DataError(f"can't be read: {error}", path=path, fix=AGAIN) from error
        if not right:
            raise DataError("is not the file that the index was made with", path=path, fix=AGAIN)
