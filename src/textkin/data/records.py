"""The central data types: readers return them, and all other rooms accept them.

All of them are frozen. Rankings are columnar, so that measures, intervals and tests work on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, UsageError
from textkin.base.files import sha256_of_json
from textkin.base.python_values import ids_of, number_of, relevance_of, shown
from textkin.base.results import Result, ResultRow

_Value = TypeVar("_Value", int, float)


class LabelKind(StrEnum):
    """Meaning of the labels of a set of pairs.

    Example:
        >>> import textkin as tk
        >>> tk.as_pairs([("a text", "another", 0.5)]).kind.value
        'graded'
    """

    BINARY = "binary"  # 1.0 same, 0.0 not the same
    CLASSES = "classes"  # index into PairSet.classes
    GRADED = "graded"  # a similarity on the data's own scale, higher is more similar
    NONE = "none"  # unlabelled


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts with a label and ids.

    Attributes:
        a: the first text.
        b: the second text.
        label: see :class:`LabelKind`; None when unknown.
        id_a: the source's id of the first text, or "".
        id_b: the source's id of the second text, or "".
        row: 0-based position among the data rows of the source, or -1.
        pair_id: the source's id of the pair, by which predictions are joined, or "".

    Example:
        >>> import textkin as tk
        >>> tk.Pair("When do you open?", "When are you open?", label=1.0).label
        1.0
    """

    a: str
    b: str
    label: float | None = None
    id_a: str = ""
    id_b: str = ""
    row: int = -1
    pair_id: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class PairSet(Result):
    """Pairs whose labels have one meaning.

    Attributes:
        pairs: pairs in source order.
        kind: meaning of the labels.
        classes: names of the classes if ``kind`` is CLASSES, else empty.
        name: source of the pairs, for tables and reports.
        id_name: name of the column of the pairs' ids, or "".

    Example:
        >>> import textkin as tk
        >>> pairs = tk.as_pairs([("When do you open?", "When are you open?", 1)])
        >>> pairs.texts, pairs.labels.tolist()
        ([('When do you open?', 'When are you open?')], [1.0])
    """

    pairs: tuple[Pair, ...]
    kind: LabelKind
    classes: tuple[str, ...] = ()
    name: str = ""
    id_name: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        named = any(pair.id_a or pair.id_b for pair in self.pairs)
        for pair in self.pairs:
            label: float | str | None = pair.label
            if label is not None and self.kind is LabelKind.CLASSES:
                label = self.classes[int(label)]
            ids = {"id_a": pair.id_a, "id_b": pair.id_b} if named else {}
            yield {"a": pair.a, "b": pair.b, "label": label, **ids}

    def _count(self) -> int:
        return len(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The texts of every pair, as input of a scorer."""
        return [(pair.a, pair.b) for pair in self.pairs]

    def content(self) -> list[object]:
        """Texts and labels in order, as JSON values."""
        return [[pair.a, pair.b, pair.label] for pair in self.pairs]

    @property
    def labels(self) -> NDArray[np.float64]:
        """The labels, shape [pairs].

        Raises:
            DataError: a pair has no label.
        """
        if any(pair.label is None for pair in self.pairs):
            raise DataError(
                f"{self.name or 'these pairs'}: some pairs have no label",
                fix="give a file in which every row has a label",
            )
        return np.array([pair.label for pair in self.pairs], dtype=np.float64)

    def select(self, indexes: Iterable[int], *, name: str | None = None) -> PairSet:
        """The pairs at ``indexes``, in that order."""
        pairs = tuple(self.pairs[index] for index in indexes)
        return replace(self, pairs=pairs, name=self.name if name is None else name)


@dataclass(frozen=True, slots=True)
class Triplet:
    """An anchor, a text similar to it, and one that isn't.

    Example:
        >>> from textkin.verbs import Triplet
        >>> Triplet("When do you open?", "When are you open?", "Where can I park?").anchor
        'When do you open?'
    """

    anchor: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """A query and the documents to rank for it, in source order.

    Attributes:
        query_id: unique in its set.
        query: the query's text.
        doc_ids: unique in this record.
        docs: the documents' texts, as many as ``doc_ids``.
        labels: relevance of each document, 0 for none.
        scores: a teacher's score of each document, on its own scale; empty without a teacher.
        rows: the row of each document in its table, from 0; empty if there is none.

    Example:
        >>> import textkin as tk
        >>> one = tk.Candidates("q1", "When do you open?", ("d1", "d2"), ("At nine.", "By bus."), (1, 0))
        >>> len(one.docs)
        2
    """

    query_id: str
    query: str
    doc_ids: tuple[str, ...]
    docs: tuple[str, ...]
    labels: tuple[int, ...]
    scores: tuple[float, ...] = ()
    rows: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class CandidateSet(Result):
    """Queries with their candidates.

    Attributes:
        queries: the queries.
        name: the name, which includes the question set.
        questions: the question set, see ``Reading``; empty if none was selected.

    Example:
        >>> import textkin as tk
        >>> one = tk.Candidates("q1", "When do you open?", ("d1", "d2"), ("At nine.", "By bus."), (1, 0))
        >>> tk.CandidateSet((one,)).rows()[0]["doc"]
        'At nine.'
    """

    queries: tuple[Candidates, ...]
    name: str = ""
    questions: str = field(default="", compare=False)

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.queries:
            for name, text, label in zip(one.doc_ids, one.docs, one.labels, strict=True):
                yield {
                    "query_id": one.query_id,
                    "query": one.query,
                    "doc_id": name,
                    "doc": text,
                    "label": label,
                }

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs of each query with each of its documents."""
        return [(one.query, text) for one in self.queries for text in one.docs]

    def content(self) -> list[object]:
        """Texts, labels and a teacher's scores in order, as JSON values."""
        rows = ([one.query, list(one.docs), list(one.labels), list(one.scores)] for one in self.queries)
        return [row if row[-1] else row[:-1] for row in rows]

    def select(self, indexes: Iterable[int], *, name: str | None = None) -> CandidateSet:
        """The queries at ``indexes``, in that order."""
        found = tuple(self.queries[index] for index in indexes)
        return CandidateSet(found, self.name if name is None else name, self.questions)

    def __len__(self) -> int:
        return len(self.queries)

    def __iter__(self) -> Iterator[Candidates]:
        return iter(self.queries)


@dataclass(frozen=True, slots=True, repr=False)
class RetrievalSet(Result):
    """A corpus, queries and judgements, as in a BEIR folder.

    Attributes:
        corpus: document id to text.
        queries: query id to text.
        qrels: the judgements.
        name: source of the data.

    Example:
        >>> import textkin as tk
        >>> qrels = tk.Qrels.from_dict({"q1": {"d1": 1}})
        >>> data = tk.RetrievalSet({"d1": "At nine."}, {"q1": "When do you open?"}, qrels)
        >>> data.rows()[0]["doc"]
        'At nine.'
    """

    corpus: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Qrels
    name: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        """The judgements with their texts."""
        for query, judged in self.qrels.to_dict().items():
            for name, label in judged.items():
                yield {
                    "query_id": query,
                    "query": self.queries.get(query, ""),
                    "doc_id": name,
                    "doc": self.corpus.get(name, ""),
                    "label": label,
                }

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs of each query with each of its judged documents, relevant or not."""
        return [
            (self.queries[query], self.corpus[doc])
            for query, judged in self.qrels.to_dict().items()
            for doc in judged
            if query in self.queries and doc in self.corpus
        ]

    def content(self) -> list[object]:
        """Corpus, queries and judgements in order, as JSON values."""
        return [[list(self.corpus.items()), list(self.queries.items())], self.qrels.to_dict()]


@dataclass(frozen=True, slots=True, repr=False)
class DuplicateSet(Result):
    """A corpus of texts that contains duplicates.

    Attributes:
        texts: id to text.
        pairs: ids of duplicates, each pair once, in either order.
        name: source of the texts.

    Example:
        >>> from textkin.verbs import DuplicateSet
        >>> known = DuplicateSet({"1": "Open?", "2": "Are you open?", "3": "Tea?"}, (("1", "2"),))
        >>> len(known.texts), known.pairs
        (3, (('1', '2'),))
    """

    texts: Mapping[str, str]
    pairs: tuple[tuple[str, str], ...]
    name: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        for a, b in self.pairs:
            yield {"id_a": a, "id_b": b, "a": self.texts[a], "b": self.texts[b]}


@dataclass(frozen=True, slots=True)
class Suite:
    """Three evaluations on texts of one kind, as sentence-transformers does on Quora's questions.

    Attributes:
        pairs: pairs to classify.
        duplicates: duplicates to find.
        collection: corpus to search.
        name: source of the texts.
    """

    pairs: PairSet
    duplicates: DuplicateSet
    collection: RetrievalSet
    name: str = ""

    def content(self) -> list[object]:
        """The parts in order, as JSON values."""
        found = self.duplicates
        return [
            sha256_of_json(self.pairs.content()),
            [list(found.texts.items()), list(found.pairs)],
            *self.collection.content(),
        ]


_JUDGED = partial(relevance_of, fix="a run's scores come first: `measure(run, qrels)`")


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Relevance judgements in columns.

    Attributes:
        query_ids: judged queries, unique. Shape [queries].
        offsets: query i has the judgements offsets[i]:offsets[i+1]. Shape [queries + 1].
        doc_ids: UTF-8 bytes of the document ids. Shape [judgements].
        relevance: 1 and above is relevant; 0 and below is not. Shape [judgements].

    Example:
        >>> import textkin as tk
        >>> tk.Qrels.from_dict({"q1": {"d1": 1, "d2": 0}}).relevance.tolist()
        [1, 0]
    """

    query_ids: tuple[str, ...]
    offsets: NDArray[np.int64]
    doc_ids: NDArray[np.bytes_]
    relevance: NDArray[np.int64]

    @classmethod
    def from_dict(cls, judgements: Mapping[str, Mapping[str, int] | Collection[str]]) -> Self:
        """Convert ``{query id: {document id: relevance}}`` to columns; ids may be integers.

        A list or a set in the place of grades has the relevant documents.

        Raises:
            UsageError: the input has another form, or a relevance is not an integer.
        """
        table: Any = judgements
        if isinstance(judgements, Mapping):
            table = {
                query: dict.fromkeys(row, 1) if isinstance(row, list | tuple | set | frozenset) else row
                for query, row in judgements.items()
            }
        query_ids, offsets, doc_ids, values = _columns(table, "relevance", _JUDGED)
        return cls(query_ids, offsets, doc_ids, np.array(values, dtype=np.int64))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The judgements as ``{query id: {document id: relevance}}``."""
        return _dictionary(self.query_ids, self.offsets, self.doc_ids, self.relevance.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Scored documents of queries in columns, in any order within a query.

    The ranking is never stored: it follows from the scores by the tie rule in ``ranking.py``.

    Attributes:
        query_ids: unique. Shape [queries].
        offsets: query i has the documents offsets[i]:offsets[i+1]. Shape [queries + 1].
        doc_ids: UTF-8 bytes of the document ids, unique within a query. Shape [documents].
        scores: higher is better. Shape [documents].
        name: the run's tag in TREC files.

    Example:
        >>> import textkin as tk
        >>> tk.Run.from_dict({"q1": {"d1": 0.5}}, name="mine").to_dict()
        {'q1': {'d1': 0.5}}
    """

    query_ids: tuple[str, ...]
    offsets: NDArray[np.int64]
    doc_ids: NDArray[np.bytes_]
    scores: NDArray[np.float64]
    name: str = "textkin"

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], *, name: str = "textkin") -> Self:
        """Convert ``{query id: {document id: score}}`` to columns; ids may be integers.

        Raises:
            UsageError: the input has another form, or a score is not a number.
        """
        query_ids, offsets, doc_ids, values = _columns(scores, "score", number_of)
        return cls(query_ids, offsets, doc_ids, np.array(values, dtype=np.float64), name)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The run as ``{query id: {document id: score}}``."""
        return _dictionary(self.query_ids, self.offsets, self.doc_ids, self.scores.tolist())


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved document: its id and its score.

    Example:
        >>> from textkin.verbs import Hit
        >>> Hit("d1", 0.5).score
        0.5
    """

    doc_id: str
    score: float


def _columns(
    table: Mapping[Any, Mapping[Any, Any]], what: str, value_of: Callable[[Any, str], _Value]
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.bytes_], list[_Value]]:
    """Convert a nested dictionary to columns; ``value_of`` parses a value, with its name for errors."""
    wanted = f"{{query id: {{document id: {what}}}}}"
    if not isinstance(table, Mapping):
        raise UsageError(f"{shown(table)} is of type {type(table).__name__}, expected {wanted}")
    query_ids = ids_of(table, "query id")
    names: list[bytes] = []
    values: list[_Value] = []
    lengths = []
    for query, row in zip(query_ids, table.values(), strict=True):
        if not isinstance(row, Mapping):
            raise UsageError(f"query {query!r} has {shown(row)}, expected {wanted}")
        ids = ids_of(row, f"query {query!r}: document id")
        names += (one.encode() for one in ids)
        values += (
            value_of(value, f"the {what} of query {query!r}, document {name!r},")
            for name, value in zip(ids, row.values(), strict=True)
        )
        lengths.append(len(ids))
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64)
    doc_ids = np.array(names, dtype=np.bytes_) if names else np.empty(0, dtype="S1")
    return tuple(query_ids), offsets, doc_ids, values


def _dictionary(
    query_ids: Sequence[str], offsets: NDArray[np.int64], doc_ids: NDArray[np.bytes_], values: list[_Value]
) -> dict[str, dict[str, _Value]]:
    names = [name.decode() for name in doc_ids.tolist()]
    return {
        query: dict(zip(names[start:end], values[start:end], strict=True))
        for query, start, end in zip(query_ids, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    }
