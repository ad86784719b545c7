"""Corpora, queries, judgements and runs from dictionaries, data frames or files."""

from collections.abc import Mapping
from typing import Any

from textkin.base.errors import invalid, required
from textkin.base.frames import column_names
from textkin.base.python_inputs import a_path
from textkin.data.readers import TextReading
from textkin.data.readers.record_checks import checked_collection
from textkin.data.readers.trec import read_qrels
from textkin.data.records import Qrels, RetrievalSet
from textkin.kinds.foreign_runs import DOCUMENT_COLUMNS, QUERY_COLUMNS, nested
from textkin.kinds.systems import Predictions, named_systems
from textkin.verbs.inputs import texts_from

_RELEVANCE = "relevance", "rel", "score", "label", "grade"
_TEXT_ID = "id", "_id", *DOCUMENT_COLUMNS, *QUERY_COLUMNS


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
        return Qrels.from_dict(nested(given, "qrels", _RELEVANCE))
    return read_qrels(a_path(given, "qrels"))


def runs_of(models: Any) -> dict[str, tuple[Predictions, ...]]:
    """Runs by their names, one a seed: one as ``run_of`` takes it, a dictionary of some, or words NAME=FILE.

    Raises:
        UsageError: a name or file is empty, two runs have one name, or a model is among them.
    """
    found = named_systems({"run": models} if _is_run(models) else models)
    for name, seeds in found.items():
        if not all(isinstance(one, Predictions) for one in seeds):
            fix = "write NAME=FILE, or give the data that models are to rank"
            raise invalid("models", name, expected="TREC runs, beside judgements without texts", fix=fix)
    return found


def _is_run(given: Any) -> bool:
    """True for a frame and for ``{query: {document: score}}``; a dictionary of runs has one level more."""
    if not isinstance(given, Mapping) or not given:
        return column_names(given) is not None
    rows = given.values()
    return all(isinstance(row, Mapping) for row in rows) and not any(
        isinstance(value, Mapping) for row in rows for value in row.values()
    )


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
