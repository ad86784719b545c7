"""Corpora, queries, judgements and runs from dictionaries, data frames or files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.base.errors import invalid, required
from textkin.base.frames import column_names
from textkin.base.python_inputs import a_path, listed
from textkin.data.readers import TextReading
from textkin.data.readers.record_checks import checked_collection
from textkin.data.readers.trec import read_qrels, read_run
from textkin.data.records import Qrels, RetrievalSet, Run
from textkin.kinds.foreign_runs import named_runs
from textkin.verbs.inputs import texts_from

_QUERY = "q_id", "query_id", "query-id", "qid", "query"
_DOCUMENT = "doc_id", "docid", "docno", "did", "corpus_id", "corpus-id", "document_id", "doc"
_SCORE = "score", "scores", "sim"
_RELEVANCE = "relevance", "rel", "score", "label", "grade"
_TEXT_ID = "id", "_id", *_DOCUMENT, *_QUERY


def qrels_of(given: Any) -> Qrels:
    """Judgements from records, ``{query: {document: relevance}}``, a data frame or a TREC file.

    Raises:
        UsageError: they are none of these.
        DataError: the file can't be read.
    """
    if isinstance(given, Qrels):
        return given
    if isinstance(given, Mapping):
        return Qrels.from_dict(given)
    if column_names(given) is not None:
        return Qrels.from_dict(_nested(given, "qrels", _RELEVANCE))
    return read_qrels(a_path(given, "qrels"))


def run_of(given: Any, name: str = "run") -> Run:
    """A run from records, ``{query: {document: score}}``, a data frame or a TREC file.

    Raises:
        UsageError: it is none of these.
        DataError: the file can't be read.
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, Mapping):
        return Run.from_dict(given, name=name)
    if column_names(given) is not None:
        return Run.from_dict(_nested(given, name, _SCORE), name=name)
    return read_run(a_path(given, name))


def runs_of(given: Any) -> dict[str, Any]:
    """Runs by their names: from a dictionary of any that :func:`run_of` takes, or words NAME=FILE.

    Raises:
        UsageError: a name or file is empty, or two runs have one name.
    """
    if isinstance(given, str):
        raise invalid("runs", given, expected="a dictionary of runs by name, or a list of NAME=FILE")
    if not isinstance(given, Mapping):
        return dict(named_runs([str(one) for one in given or ()]))
    return {name: run if isinstance(run, str | Path) else run_of(run, name) for name, run in given.items()}


def retrieval_of(corpus: Any, queries: Any, qrels: Any) -> RetrievalSet:
    """A corpus with queries and judgements, each as a dictionary, a data frame or a file.

    Raises:
        UsageError: one is missing, or has another form.
        DataError: a file can't be read, or the judgements fit neither queries nor documents.
    """
    for name, given in (("corpus", corpus), ("qrels", qrels)):
        if given is None:
            raise required(name, by="`queries`")
    texts, asked = _texts(corpus, "corpus"), _texts(queries, "queries")
    return checked_collection(RetrievalSet(texts, asked, qrels_of(qrels), "the corpus"))


def _texts(given: Any, name: str) -> dict[str, str]:
    """Texts by their ids."""
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]  # the command line takes several files where exams need them
    columns = column_names(given)
    ids = None if columns is None else next((one for one in _TEXT_ID if one in columns), None)
    found = texts_from(given, TextReading(id=ids), name=name)
    return dict(zip(map(str, found.ids), found.texts, strict=True))


def _nested(frame: Any, name: str, values: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The rows of a frame as ``{query: {document: value}}``."""
    columns = column_names(frame) or []

    def column(known: tuple[str, ...]) -> list[Any]:
        found = next((one for one in known if one in columns), None)
        if found is None:
            raise invalid(name, ", ".join(map(str, columns)), expected=f"a column called {known[0]}")
        return list(listed(frame[found], name))

    nested: dict[str, dict[str, Any]] = {}
    for query, document, value in zip(column(_QUERY), column(_DOCUMENT), column(values), strict=True):
        nested.setdefault(str(query), {})[str(document)] = value
    return nested
