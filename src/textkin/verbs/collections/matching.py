"""The work of ``match``."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, conflict, inapplicable
from textkin.base.frames import column_names, index_of
from textkin.base.paths import is_standard
from textkin.base.progress import note
from textkin.base.standard_streams import typed_lines
from textkin.collection.match.match import MatchResult, told
from textkin.collection.match.match_file import MatchedFile, match_file
from textkin.collection.match.match_rules import MatchOptions
from textkin.data.entry_records import Entry
from textkin.data.readers import TextReading
from textkin.data.readers.entries import EntryFile, as_entries
from textkin.data.readers.read_report import SkipCounter, note_read
from textkin.verbs.collections.entries import Columns
from textkin.verbs.collections.opened import (
    Opened,
    collection_place,
    note_account,
    opened,
    readings,
    refuse_file_options,
)
from textkin.verbs.inputs import file_of_texts, note_file_as_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Options of matching.

    Attributes:
        options: the rule's options.
        columns: the columns of the texts, and how their file is read.
        model: the model.
        add: store each text after matching.
        explain: explain the cosine of each text and its nearest one.
        accept_drift: continue with a model that isn't the collection's.
        wait: seconds to wait for another process that writes.
    """

    options: MatchOptions
    columns: Columns
    model: Any = None
    add: bool = False
    explain: bool = False
    accept_drift: bool = False
    wait: float | None = None

    def of(self, texts: Any, new: Any) -> MatchResult | Iterator[MatchResult]:
        """Match one text or several, or each line of standard input as it comes.

        Raises:
            UsageError: options don't go together, or don't apply to such texts.
        """
        columns = self.columns
        readings(texts, new, columns.of_texts)
        refuse_file_options(columns.quoting, columns.encoding, texts, new)
        if isinstance(new, str) and is_standard(new):
            return self._typed(texts)
        note_file_as_text(new)
        entries = self._entries(new)
        with self.opened(texts) as found:
            result = self._found(found, entries)
            _note_rule(result)
            note_account(found.collection.model.of_texts)
            index = index_of(new)
            if index is not None and found.ids is not None and self.columns.id is None:
                labelled = zip(result.matches, index, strict=True)  # as the other texts are
                result = replace(result, matches=tuple(replace(one, entry_id=own) for one, own in labelled))
        return replace(result, one_text=isinstance(new, str), index=index)

    def opened(self, texts: Any) -> AbstractContextManager[Opened]:
        """The collection, or the texts, for a block."""
        shared = self.columns
        reading = TextReading(quoting=shared.quoting, encoding=shared.encoding)
        if column_names(texts) is not None or (isinstance(texts, str | Path) and not collection_place(texts)):
            reading = shared.of_texts
        return opened(texts, reading, model=self.model, accept_drift=self.accept_drift)

    def _entries(self, new: Any) -> Sequence[Entry]:
        columns = self.columns
        if column_names(new) is None and not isinstance(new, Path):
            columns = Columns(metadata=columns.metadata)  # the others are those of the other texts
        given = columns.entries(new, or_text=True)
        if isinstance(given, EntryFile):
            counter = SkipCounter(given.path)
            entries = list(given.entries(counter))
            note_read(counter.report())
            return entries
        if any(not one.text.strip() for one in given):
            raise DataError("a text to match is blank", fix="leave it out")
        return given

    def _found(self, given: Opened, entries: Sequence[Entry]) -> MatchResult:
        collection = given.collection
        found = collection.matched(entries, self.options, add=self.add, wait=self.wait)
        if self.explain:
            found = replace(found, explained=tuple(collection.explain_match(one) for one in found.matches))
        named = (replace(one, nearest_id=given.id_of(one.nearest_id)) for one in found.matches)
        return replace(found, matches=tuple(named))

    def _typed(self, texts: Any) -> Iterator[MatchResult]:
        with self.opened(texts) as given:
            silent = True
            for _, line in typed_lines():
                found = self._found(given, list(as_entries([line])))
                if silent:
                    _note_rule(found)
                silent = False
                yield replace(found, one_text=True)
            note_account(given.collection.model.of_texts)


def match_to_file(texts: Any, new: Any, out: Path, wanted: Matching) -> MatchedFile:
    """Match the texts of a file, and write a table.

    Raises:
        UsageError: options don't go together.
        DataError: texts can't be read.
        OutputError: the table can't be written, or another process is writing.
    """
    if wanted.explain:
        raise conflict("explain", "out", why="a table has no room for explanations")
    file = wanted.columns.file(file_of_texts(new))
    with wanted.opened(texts) as found:
        if found.ids is not None and wanted.add:
            raise inapplicable("add", to="texts that are no collection")
        result = match_file(found.collection, file, out, wanted.options, add=wanted.add, wait=wanted.wait)
        note_account(found.collection.model.of_texts)
    return result


def _note_rule(found: MatchResult) -> None:
    for line in told(found.rule, found.source):
        note(line)
