"""Match the texts of a file against a collection, and write a table.

A run that stores its texts records its rule, and writes the rows of each batch next to the table before
storing the batch. An interrupted run therefore resumes: existing rows aren't matched again, and the last
batch is stored once more, which has no effect if it was stored before.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from textkin.base.counts import count
from textkin.base.errors import DataError
from textkin.base.files import as_output, refuse_overwriting, resumable
from textkin.base.hub import MINILM
from textkin.base.locks import lock_file
from textkin.base.paths import is_standard, shown_output
from textkin.base.progress import progress, remark
from textkin.base.results import ResultRow, Summary
from textkin.base.standard_streams import refuse_output
from textkin.base.table_writer import check_ending, written_table
from textkin.collection.collection import OpenCollection
from textkin.collection.match.match import AT_ONCE, COLUMNS, EntryMatcher, Match, row_of, told
from textkin.collection.match.match_rules import ChosenRule, MatchOptions
from textkin.data.entry_records import Entry
from textkin.data.readers.entries import EntryFile
from textkin.data.readers.read_report import ReadReport, SkipCounter, note_read
from textkin.measures.decisions.match_rule import MatchRule, MatchVerdict
from textkin.models.minilm_cost import minilm_instead

_PART = ".part"
_TIMED = 256  # texts, some of which are encoded to estimate the cost of the better encoder


@dataclass(frozen=True, slots=True, repr=False)
class MatchedFile(Summary):
    """The result of matching a file.

    Attributes:
        texts: the number of texts.
        verdicts: the number of texts per verdict.
        resumed: the number of texts matched by an earlier, interrupted run.
        out: the table.
        rule: the rule behind the verdicts.
        source: the data that the rule was fitted to.
        fitted: True if the rule was fitted to labels.
        read: the reader's account of skipped rows.
        entries: the number of entries of the collection after texts were stored; None if none were.
    """

    texts: int
    verdicts: dict[str, int]
    resumed: int
    out: Path
    rule: MatchRule
    source: str
    fitted: bool
    read: ReadReport
    entries: int | None = None

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields("texts", "verdicts", "resumed", "out", "fitted")

    def _said(self) -> Sequence[str]:
        return told(self.rule, self.source)

    def text(self) -> str:
        """The counts of verdicts, and the rule behind them."""
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(self.verdicts.items()))
        resumed = f"; {self.resumed:,} of them by an earlier call" if self.resumed else ""
        line = (
            f"{count(self.texts, 'text')}: {counts or 'none'}{resumed}; written to {shown_output(self.out)}"
        )
        held = [] if self.entries is None else [f"the collection holds {count(self.entries, 'entry')}"]
        return "\n".join([line, *self._said(), *held])


def match_file(
    collection: OpenCollection,
    file: EntryFile,
    out: Path,
    options: MatchOptions,
    *,
    add: bool = False,
    wait: float | None = None,
) -> MatchedFile:
    """Match each text of a file, in order.

    Args:
        collection: the collection to match against.
        file: the texts.
        out: the table to write, .tsv, .csv or .jsonl.
        options: the match options.
        add: store each text after matching, linked if it is a duplicate; later texts are matched against it,
            too. An interrupted call is resumed.
        wait: seconds to wait for another process that writes; 30 if None.

    Raises:
        UsageError: the options don't go together, or ``out`` is the file.
        DataError: the file can't be read, or an earlier run's rows are for other texts, another rule, or
            another collection.
        OutputError: the table can't be written, or another process is writing.
    """
    _check_out(out, file, add=add)
    chosen = collection.rule(options)
    if add:
        collection.seal()
    matcher = EntryMatcher(collection.store, collection.model, chosen.rule, chosen.guards)
    counter, verdicts = SkipCounter(file.path), Counter[str]()
    stream = file.entries(counter)
    with _place_of(out) as part_file, _alone(part_file, out), resumable(part_file):
        made_of = _made_of(chosen)
        if not add:
            os.truncate(part_file, 0)
        done = _resume(collection, matcher, stream, part_file, made_of) if add else 0
        name = f"matching against {collection.folder.name}"
        with as_output(part_file), part_file.open("a", encoding="utf-8") as log, progress(name) as shown:
            if not log.tell():
                log.write(json.dumps(made_of, ensure_ascii=False) + "\n")
            shown.advance(done)
            while part := list(islice(stream, AT_ONCE)):
                if add:
                    matcher.take(part, wait=wait, before=partial(_append, log))
                else:
                    _append(log, matcher.match(part))
                shown.advance(len(part))
        rows, first = 0, list[str]()
        with written_table(out, COLUMNS) as writer:
            for match in _logged(part_file):
                verdicts[match.verdict.value] += 1
                rows += 1
                if rows <= _TIMED:
                    first.append(match.text)
                writer.write([list(row_of(match).values())])
        part_file.unlink()
    anew = f"a new collection with `model={MINILM}`"  # the vectors of this one are the other's
    if better := minilm_instead(first, collection.model.name, len(collection) + rows, by=anew):
        remark(better)
    collection.rule(options)  # so that growth of the collection is reported
    read = counter.report()
    note_read(read)
    return MatchedFile(
        texts=rows,
        verdicts=dict(verdicts),
        resumed=done,
        out=out,
        rule=chosen.rule,
        source=chosen.source,
        fitted=chosen.fitted,
        read=read,
        entries=len(collection) if add else None,
    )


def _check_out(out: Path, file: EntryFile, *, add: bool) -> None:
    check_ending(out)
    if add:
        refuse_output(out, "a file with which a stopped call goes on")
    refuse_overwriting([out], [file.path])


@contextmanager
def _place_of(out: Path) -> Iterator[Path]:
    """The path where rows are kept until the table is complete."""
    if not is_standard(out):
        yield out.with_name(out.name + _PART)
        return
    with TemporaryDirectory(prefix="textkin-") as folder:
        yield Path(folder) / _PART


@contextmanager
def _alone(part_file: Path, out: Path) -> Iterator[None]:
    """Lock the rows of a run for this process, so that two processes don't mix theirs.

    Raises:
        OutputError: another process is writing them, or the folder isn't writable.
    """
    with as_output(part_file):
        held = lock_file(part_file, target=out)
    try:
        yield
    finally:
        os.close(held)


def _append(log: IO[str], matches: Sequence[Match]) -> None:
    """Write matches durably to disk."""
    for one in matches:
        log.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    log.flush()
    os.fsync(log.fileno())


def _made_of(chosen: ChosenRule) -> dict[str, Any]:
    """Everything that the verdicts of a run depend on, except texts and collection."""
    rule = chosen.rule
    return {
        "source": chosen.source,
        "guards": list(chosen.guards),
        "duplicate_from": rule.duplicate_from,
        "goal": asdict(rule.goal),
        "base_rate": rule.base_rate,
    }


def _resume(
    collection: OpenCollection,
    matcher: EntryMatcher,
    stream: Iterator[Entry],
    part_file: Path,
    made_of: Mapping[str, Any],
) -> int:
    """Skip the texts of an earlier run, store its last batch again, and return their number."""
    _cut_torn(part_file)
    _require_rule(part_file, made_of)
    done, last = 0, list[tuple[Entry, Match]]()
    for match in _logged(part_file):
        entry = next(stream, None)
        if entry is None or (entry.entry_id, entry.text) != (match.entry_id, match.text):
            raise DataError(
                f"row {done + 1} is of another text than the file's",
                path=part_file,
                fix="remove it, or give the file that it was made of",
            )
        done += 1
        if len(last) == AT_ONCE:
            _require_stored(collection, last.pop(0)[1], part_file)
        last.append((entry, match))
    if last:
        matcher.store([entry for entry, _ in last], [match for _, match in last])
    return done


def _require_rule(part_file: Path, made_of: Mapping[str, Any]) -> None:
    """Check that an earlier run used the same rule."""
    with part_file.open(encoding="utf-8") as lines:
        first = lines.readline()
    try:
        found = json.loads(first) if first else made_of
    except (ValueError, RecursionError):
        found = None
    if found != made_of:
        raise DataError(
            "an earlier run that was stopped went by another rule",
            path=part_file,
            fix="give the options that it had, or remove the file to match all texts again",
        )


def _require_stored(collection: OpenCollection, match: Match, part_file: Path) -> None:
    if match.stored and not collection.store.rows([match.entry_id]):
        raise DataError(
            f"{match.entry_id!r} was stored by an earlier run, and is not in {collection.folder}",
            path=part_file,
            fix="give the collection that it was stored in, or remove the file to match all texts again",
        )


def _cut_torn(part_file: Path) -> None:
    """Drop an incomplete last line."""
    with as_output(part_file), part_file.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)


def _logged(part_file: Path) -> Iterator[Match]:
    with part_file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if number == 1:  # the run's inputs
                continue
            try:
                values = json.loads(line)
                values["verdict"], values["guards"] = MatchVerdict(values["verdict"]), tuple(values["guards"])
                yield Match(**values)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise DataError(
                    "is not a match", path=part_file, line=number, fix="remove the file"
                ) from error
