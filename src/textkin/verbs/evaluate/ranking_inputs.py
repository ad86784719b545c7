"""Corpora, queries, judgements and runs from dictionaries, data frames or files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textkin.base.errors import invalid, required
from textkin.base.frames import column_names, tabular
from textkin.base.paths import is_file
from textkin.base.python_inputs import path_of
from textkin.base.python_values import ids_of
from textkin.data.readers import TextReading
from textkin.data.readers.record_checks import checked_collection
from textkin.data.readers.table import open_table
from textkin.data.readers.texts import is_table_name
from textkin.data.readers.trec import read_qrels
from textkin.data.records import Qrels, RetrievalSet
from textkin.kinds.foreign_runs import DOCUMENT_COLUMNS, QUERY_COLUMNS, as_rows, nested
from textkin.kinds.systems import Predictions, named_systems
from textkin.verbs.inputs import texts_from

_RELEVANCE = "relevance", "rel", "score", "label", "grade"
_TITLED = "title", "text"
_TEXT_ID = "id", "_id", *DOCUMENT_COLUMNS, *QUERY_COLUMNS


def qrels_of(given: Any) -> Qrels:
    """Judgements from records, ``{query: {document: relevance}}``, a data frame, rows or a TREC file.

    Raises:
        UsageError: they are none of these.
        DataError: the file can't be read.
    """
    if isinstance(given, Qrels):
        return given
    given = as_rows(given)
    if isinstance(given, Mapping):
        return Qrels.from_dict(given)
    if column_names(given) is not None:
        return Qrels.from_dict(nested(given, "qrels", _RELEVANCE))
    if not isinstance(given, str | Path):
        raise invalid("qrels", given, expected="{query: {document: relevance}}")
    return read_qrels(given)


def runs_of(models: Any) -> dict[str, tuple[Predictions, ...]]:
    """Runs by their names, one a seed: one as ``run_of`` takes it, a dictionary of some, or words NAME=FILE.

    Raises:
        UsageError: a name or file is empty, two runs have one name, or a model is among them.
    """
    if (
        isinstance(models, list)
        and models
        and all(isinstance(one, Mapping) and _is_run(one) for one in models)
    ):
        expected = "runs by their names"
        raise invalid("models", f"{len(models)} runs", expected=expected, fix="write {'a': run, 'b': run}")
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
    texts, asked = texts_by_id(corpus, "corpus"), texts_by_id(queries, "queries")
    return checked_collection(RetrievalSet(texts, asked, qrels_of(qrels), "the corpus"))


def texts_by_id(given: Any, name: str) -> dict[str, str]:
    """Texts by their ids; a document is its title and its text, as in a BEIR folder."""
    given = tabular(given)
    if isinstance(given, Mapping):
        return dict(zip(ids_of(given, name), given.values(), strict=True))
    if isinstance(given, list | tuple) and len(given) == 1 and isinstance(given[0], str | Path):
        given = given[0]  # the command line takes several files where exams need them
    given = as_rows(given)
    path = path_of(given)
    columns = column_names(given) if path is None else _header(path)
    ids = None if columns is None else next((one for one in _TEXT_ID if one in columns), None)
    text = ",".join(_TITLED) if columns is not None and set(_TITLED) <= set(columns) else None
    found = texts_from(given, TextReading(id=ids, text=text), name=name)
    return dict(zip(ids_of(found.ids, name), found.texts, strict=True))


def _header(path: Path) -> Sequence[str] | None:
    """The columns of a file that is named like a table."""
    return open_table(path).header if is_table_name(path) and is_file(path) else None
