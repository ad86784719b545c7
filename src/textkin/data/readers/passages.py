"""Passages to search for answers: from a file, a SQuAD document, or documents of plain text."""

from pathlib import Path

from textkin.base.paths import is_folder, name_of
from textkin.data.readers.datasets.squad import is_contexts, is_squad, read_squad
from textkin.data.readers.datasets.squad_parts import read_contexts
from textkin.data.readers.paragraphs import paragraphs
from textkin.data.readers.plain_folder import read_plain_files
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.readers.text_files import lines
from textkin.data.readers.texts import Texts, read_texts
from textkin.data.span_records import SpanSet

_MARKDOWN = ".md"


def read_passages(path: Path | str, *, reading: TextReading | None = None) -> Loaded[Texts]:
    """Read passages with their ids.

    Args:
        path: a table or a file of one text a line, as in :func:`textkin.data.readers.load_texts`; or
            documents whose paragraphs are read: one in SQuAD's format, with or without questions, a Markdown
            file, or a folder of plain files. Passages of plain files have the numbers of their first lines as
            ids, in a folder after the path of the file: ``guides/hours.md:12``.
        reading: options for reading a table.

    Raises:
        UsageError: the column is missing.
        DataError: the path can't be read, or the folder contains no plain file.
    """
    source = Path(path)
    reading = reading or TextReading()
    if is_folder(source):
        return _folder(source, reading.encoding)
    if source.suffix.lower() == _MARKDOWN and reading.text is None and reading.id is None:
        return _document(source, reading.encoding)
    if is_squad(source):
        loaded = read_squad(source)
        return Loaded(passages_in(loaded.data, source.name), loaded.report, loaded.format)
    if is_contexts(source):
        return _contexts(source)
    return read_texts(source, reading=reading)


def passages_in(data: SpanSet, name: str) -> Texts:
    """The passages that questions are about, without blank ones."""
    known = {key: one.text for key, one in data.passages.items() if one.text.strip()}
    return Texts(tuple(known), tuple(known.values()), name)


def _contexts(path: Path) -> Loaded[Texts]:
    """The paragraphs of a document without questions, with the ids they have in one with questions."""
    counter, found = SkipCounter(path, unit="passage"), dict[str, str]()
    for number, article in enumerate(read_contexts(path, alone=False).paragraphs):
        for place, text in enumerate(article):
            counter.rows += 1
            if text.strip():
                found[f"{number}-{place}"] = text
            else:
                counter.skip(counter.rows, EMPTY_TEXT)
    return Loaded(Texts(tuple(found), tuple(found.values()), name_of(path)), counter.report(), "contexts")


def _folder(folder: Path, encoding: str | None) -> Loaded[Texts]:
    counter, found = SkipCounter(folder, unit="file"), dict[str, str]()
    for name, text in read_plain_files(folder, counter, encoding=encoding):
        found |= {f"{name}:{number}": one for number, one in paragraphs(text.split("\n"))}
    return Loaded(Texts(tuple(found), tuple(found.values()), folder.name), counter.report(), "folder")


def _document(path: Path, encoding: str | None) -> Loaded[Texts]:
    counter = SkipCounter(path, unit="passage")
    found = {str(number): one for number, one in paragraphs(lines(path, encoding))}
    counter.rows = len(found)
    texts = Texts(tuple(found), tuple(found.values()), path.name, numbered=True)
    return Loaded(texts, counter.report(), "document")
