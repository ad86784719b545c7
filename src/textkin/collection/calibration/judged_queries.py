"""Judged queries, which users supply to calibrate a collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, LeakError, inapplicable, invalid, required
from textkin.base.files import sha256_of_json
from textkin.base.python_inputs import path_of, texts_of
from textkin.base.python_values import ids_of, numbers_first
from textkin.base.text_equality import key_of
from textkin.data.readers import TextReading
from textkin.data.readers.datasets.beir import is_beir, read_beir_judgements
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.data.readers.texts import open_texts
from textkin.data.readers.trec import read_qrels
from textkin.data.records import Qrels

_BOTH = "give TREC judgements with `queries`, or a BEIR folder"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedQueries:
    """Queries with judgements, sorted by id: folds and resamples must not depend on the order of rows.

    Attributes:
        queries: the texts of the judged queries by id.
        qrels: judgements of entries by id, in the same order.
        name: the name of the judgements.
        textless: the number of judged queries without a text, which are ignored.
        read: the reader's account of skipped rows; None if no file was read.
    """

    queries: Mapping[str, str]
    qrels: Qrels
    name: str
    textless: int = 0
    read: ReadReport | None = None

    @property
    def sha256(self) -> str:
        """The hash of the content."""
        return sha256_of_json({"queries": dict(self.queries), "qrels": self.qrels.to_dict()})

    def keys(self) -> dict[str, str]:
        """By id, the key that a query's text shares with texts of the same letters and digits."""
        return {query: key_of(text) for query, text in self.queries.items()}

    def without(self, others: JudgedQueries) -> JudgedQueries:
        """The queries whose texts don't occur in the others, not even in other signs or case.

        Raises:
            LeakError: all texts occur in the others.
        """
        known, own = set(others.keys().values()), self.keys()
        kept = {query: text for query, text in self.queries.items() if own[query] not in known}
        if not kept:
            raise LeakError(
                f"all {len(self.queries):,} test queries are among those that are learnt from",
                fix="give other test queries",
            )
        judged = self.qrels.to_dict()
        qrels = Qrels.from_dict({query: judged[query] for query in kept})
        return replace(self, queries=kept, qrels=qrels)

    def of_entries(self, there: frozenset[str]) -> tuple[Qrels, int]:
        """The judgements of existing entries, and the number of others; all queries stay."""
        judged = self.qrels.to_dict()
        kept = {
            query: {name: value for name, value in judged[query].items() if name in there}
            for query in self.queries
        }
        found = Qrels.from_dict(kept)
        return found, len(self.qrels.doc_ids) - len(found.doc_ids)


def judged_queries(
    data: Any,
    queries: Any = None,
    *,
    split: str | None = None,
    reading: TextReading | None = None,
) -> JudgedQueries:
    """Build judged queries from user data.

    Args:
        data: a TREC file of judgements, a BEIR folder, or ``Qrels``.
        queries: the query texts, as a table or a mapping by id; None for a BEIR folder, which has them.
        split: the split of a BEIR folder.
        reading: options for reading a table.

    Raises:
        UsageError: texts are missing, or given twice.
        DataError: a file can't be read, or no judged query has a text.
    """
    path = path_of(data)
    if path is not None and is_beir(path):
        if queries is not None:
            raise inapplicable("queries", to="a BEIR folder, which has its own")
        counter = SkipCounter(path)
        texts, qrels = read_beir_judgements(path, counter, split=split)
        return _joined(texts, qrels, path.resolve().name, counter.report())
    if split is not None:
        raise inapplicable("split", to="data other than a BEIR folder")
    if queries is None:
        raise required("queries", by="a file of judgements", fix=_BOTH)
    if path is None and not isinstance(data, Qrels):
        raise invalid("data", type(data).__name__, expected="judgements", fix=_BOTH)
    qrels = data if isinstance(data, Qrels) else read_qrels(path or "")
    name = "judgements" if path is None else path.name
    if isinstance(queries, Mapping):
        given = texts_of(list(queries.values()), name="queries")
        return _joined(dict(zip(ids_of(queries, "query id"), given, strict=True)), qrels, name, None)
    if path_of(queries) is None:
        raise invalid("queries", type(queries).__name__, expected="{id: query}, or a file")
    counter = SkipCounter(Path(queries))
    texts = dict(open_texts(queries, reading=reading).rows(counter))
    return _joined(texts, qrels, name, counter.report())


def _joined(texts: Mapping[str, str], qrels: Qrels, name: str, read: ReadReport | None) -> JudgedQueries:
    judged = qrels.to_dict()
    known = {query: texts[query] for query in sorted(judged, key=numbers_first) if query in texts}
    if not known:
        raise DataError(
            f"none of {len(judged):,} judged queries has a text",
            fix="see that both have the same ids",
        )
    kept = Qrels.from_dict({query: judged[query] for query in known})
    return JudgedQueries(known, kept, name, len(judged) - len(known), read)
