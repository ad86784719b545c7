"""A BEIR folder: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, each plain or gzip (``.gz``)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from textkin.base.errors import DataError, unknown_choice
from textkin.base.files import write_text
from textkin.base.json_records import json_object
from textkin.base.paths import is_file
from textkin.data.entry_records import Entry
from textkin.data.readers.json_lines import cell_of, parse_object
from textkin.data.readers.labels import whole_number
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.readers.text_files import lines
from textkin.data.records import Qrels, RetrievalSet

_ZEROS = re.compile(r"\.0*$")  # 1.0 is a grade, like 1
_FIX = 'write one object a line, such as {"_id": "1", "title": "...", "text": "..."}'


def is_beir(folder: Path | str) -> bool:
    """True if a folder contains a corpus and queries."""
    return all(_find(Path(folder), name) for name in ("corpus.jsonl", "queries.jsonl"))


def read_beir(folder: Path | str, *, split: str | None = None) -> Loaded[RetrievalSet]:
    """Read a retrieval set; a document is its title and its text, joined by a space.

    Documents may be empty, as their ids are judged. A judgement of a document missing from the corpus is
    kept, since a search that can't find it has missed it. Blank queries, for which a model would rank by
    chance, and judgements of unknown queries are skipped and counted.

    Args:
        folder: the folder.
        split: file of ``qrels/``; by default ``test``, or the only one.

    Raises:
        UsageError: the split is missing, or there are several and none is given.
        DataError: a file is missing or invalid, an id is repeated, or a judgement is not an integer.
    """
    place = Path(folder)
    counter = SkipCounter(folder)
    corpus = read_beir_texts(place, "corpus.jsonl", counter)
    queries = read_beir_texts(place, "queries.jsonl", counter, skip_empty=True)
    judgements = _judgements(_qrels_file(place, split), queries, counter)
    data = RetrievalSet(corpus, queries, Qrels.from_dict(judgements), name=place.resolve().name)
    return Loaded(data, counter.report(), "beir")


def read_beir_judgements(
    folder: Path | str, counter: SkipCounter, *, split: str | None = None
) -> tuple[dict[str, str], Qrels]:
    """The queries of a folder by id, and the judgements of one split, without the corpus.

    Args:
        folder: the folder.
        counter: counter of skipped judgements of unknown queries.
        split: as in :func:`read_beir`.

    Raises:
        UsageError, DataError: as :func:`read_beir`.
    """
    place = Path(folder)
    queries = read_beir_texts(place, "queries.jsonl", counter, skip_empty=True)
    judgements = _judgements(_qrels_file(place, split), queries, counter)
    return queries, Qrels.from_dict(judgements)


def write_beir(data: RetrievalSet, folder: Path, *, split: str = "test") -> None:
    """Write a retrieval set as a folder.

    Raises:
        OutputError: it can't be written.
    """
    for name, texts in (("corpus", data.corpus), ("queries", data.queries)):
        rows = (json.dumps({"_id": key, "text": text}, ensure_ascii=False) for key, text in texts.items())
        write_text(folder / f"{name}.jsonl", "".join(f"{row}\n" for row in rows))
    judged = (
        f"{query}\t{document}\t{relevance}\n"
        for query, of in data.qrels.to_dict().items()
        for document, relevance in of.items()
    )
    write_text(folder / "qrels" / f"{split}.tsv", "".join(["query-id\tcorpus-id\tscore\n", *judged]))


def splits(folder: Path | str) -> tuple[str, ...]:
    """The names of the splits that have judgements."""
    files = [*Path(folder).glob("qrels/*.tsv"), *Path(folder).glob("qrels/*.tsv.gz")]
    return tuple(sorted({file.name.partition(".tsv")[0] for file in files}))


def _qrels_file(folder: Path, split: str | None) -> Path:
    found = splits(folder)
    if not found:
        raise DataError("no judgements in qrels/*.tsv", path=folder, fix="add qrels/test.tsv")
    name = split or ("test" if "test" in found else found[0] if len(found) == 1 else None)
    if name not in found:
        raise unknown_choice("split", name, found)
    return _need(folder / "qrels", f"{name}.tsv")


def read_beir_texts(
    folder: Path, name: str, counter: SkipCounter, *, skip_empty: bool = False
) -> dict[str, str]:
    """The texts of a folder's ``corpus.jsonl`` or ``queries.jsonl`` by id.

    Args:
        folder: the folder.
        name: file name.
        counter: counter of the file's lines.
        skip_empty: True to skip and count empty texts.

    Raises:
        DataError: the file is missing or invalid, or an id is repeated.
    """
    texts = {}
    for number, document in _documents(folder, name, counter):
        if skip_empty and not document.text.strip():
            counter.skip(number, EMPTY_TEXT)
        else:
            texts[document.entry_id] = document.text
    return texts


def read_beir_entries(folder: Path, counter: SkipCounter) -> Iterator[Entry]:
    """Yield the documents of a folder's ``corpus.jsonl`` with their metadata; empty ones are skipped.

    Raises:
        DataError: as :func:`read_beir_texts`.
    """
    for number, document in _documents(folder, "corpus.jsonl", counter):
        if document.text.strip():
            yield document
        else:
            counter.skip(number, EMPTY_TEXT)


def _documents(folder: Path, name: str, counter: SkipCounter) -> Iterator[tuple[int, Entry]]:
    """Yield each document or query with its line number."""
    path = _need(folder, name)
    seen: set[str] = set()
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        counter.rows += 1
        item = parse_object(line)
        if item is None:
            raise DataError("the line is not a readable JSON object", path=path, line=number, fix=_FIX)
        key, title, text = (item.get(field, "") for field in ("_id", "title", "text"))
        parts = [part for part in (title or "", text or "") if part]
        if not isinstance(key, str) or not key or not all(isinstance(part, str) for part in parts):
            raise DataError("expected strings _id and text", path=path, line=number, fix=_FIX)
        if key in seen:
            raise DataError(f"id {key!r} comes twice", path=path, line=number, fix="make the ids unique")
        seen.add(key)
        yield number, Entry(key, " ".join(parts), json_object(cell_of(item.get("metadata"))) or {})


def _judgements(path: Path, queries: dict[str, str], counter: SkipCounter) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines(path), 1):
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or (number == 1 and fields[0].lower() in ("query-id", "query_id")):
            continue
        counter.rows += 1
        if len(fields) != 3:
            raise DataError(
                f"{len(fields)} columns, expected query-id, corpus-id, score",
                path=path,
                line=number,
                fix="use tabs",
            )
        query, document, relevance = fields
        value = whole_number(_ZEROS.sub("", relevance))
        if value is None:
            raise DataError(
                f"score {relevance[:40]!r}, expected a whole number of at most 18 digits",
                path=path,
                line=number,
                fix="correct the line",
            )
        if query not in queries:
            counter.skip(number, "judgement of an unknown query")
        elif document in judgements.setdefault(query, {}):
            raise DataError(
                f"document {document!r} is judged twice for query {query!r}",
                path=path,
                line=number,
                fix="keep one",
            )
        else:
            judgements[query][document] = value
    return judgements


def _find(folder: Path, name: str) -> Path | None:
    return next((file for file in (folder / name, folder / f"{name}.gz") if is_file(file)), None)


def _need(folder: Path, name: str) -> Path:
    found = _find(folder, name)
    if found is None:
        raise DataError(f"holds no {name}", path=folder, fix="give a folder in BEIR form")
    return found
