"""Split a file of pairs into train, dev and test files that share no text, and report it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from textkin.base import errors
from textkin.base.arrays import Bools
from textkin.base.counts import count, percent
from textkin.base.files import atomic_path, sha256_of_file, sha256_of_files, write_json
from textkin.base.parquet_files import copy_rows
from textkin.base.paths import name_of, real
from textkin.base.results import Result, ResultRow, counted
from textkin.base.text_equality import Equal
from textkin.base.text_table import text_table
from textkin.data.readers import Reading
from textkin.data.readers.read_report import Loaded, note_read
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.data.readers.text_files import filled_files_of
from textkin.data.records import CandidateSet, LabelKind, PairSet
from textkin.data.splits.leak_proof import Disjointness, disjointness, leaks, prove_disjoint
from textkin.data.splits.partition import CutRule, KeptTogether, Shares, Split, partition
from textkin.data.splits.quora_ir import TsvFile, quora_ir
from textkin.kinds.kind import DataKind
from textkin.kinds.registry import data_kind, load_data
from textkin.version import __version__

_ACROSS_SIDES = "its texts stand on different sides"

_Writer = Callable[[Path], None]


class Scheme(StrEnum):
    """Options of a split."""

    COMPONENTS = "components"
    QUORA_IR = "quora-ir"


_SIZES = {"dev_size", "test_size"}
_LINKED = {"near", "equal", "rule"}
_UNFIT = {
    "components": {"like"},
    "quora-ir": {*_SIZES, *_LINKED, "like"},
    "articles": {*_LINKED, "columns", "format", "quoting", "encoding"},
}
"""The options that a scheme has no use for."""


def check_scheme(scheme: str, given: Set[str], chosen: Mapping[str, bool]) -> None:
    """Refuse options that a scheme has no use for.

    Args:
        scheme: its name.
        given: options that were given.
        chosen: options, and if they aren't at their defaults.

    Raises:
        UsageError: there are some, or the scheme needs a folder and has none.
    """
    asked = {*given, *(name for name, is_chosen in chosen.items() if is_chosen)}
    if wrong := sorted(asked & _UNFIT[scheme]):
        raise errors.inapplicable(*wrong, to=f"`scheme={scheme}`")
    if scheme != Scheme.COMPONENTS and "out" not in given:
        raise errors.required("out", by=f"`scheme={scheme}`")


@dataclass(frozen=True, slots=True)
class InputFacts:
    """The file that was split: its hash, its format and what its reader skipped, by reason."""

    path: str
    sha256: str
    format: str
    rows: int
    skipped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SideFacts:
    """One side of a split.

    Attributes:
        pairs: number of its pairs.
        share: its fraction of all kept pairs.
        wanted: the share that was wanted; None for quora-ir.
        labels: the fraction of each label; the mean label when labels are graded.
        components: number of its components; None for quora-ir, which splits by question.
        largest_component: in pairs; None for quora-ir.
    """

    pairs: int
    share: float
    wanted: float | None
    labels: Mapping[str, float]
    components: int | None
    largest_component: int | None


@dataclass(frozen=True, slots=True, repr=False)
class SplitReport(Result):
    """The contents of ``split.json``.

    Attributes:
        textkin: version that made the split.
        scheme: the scheme of the split.
        rule: treatment of negative pairs, see ``partition.CutRule``; None for quora-ir.
        seed: seed of the hashes or shuffles.
        similarity: minimum similarity of near-identical texts; None for equal keys only.
        equal: when two texts were the same text.
        input: the file that was split.
        sides: facts on train, dev and test.
        largest_component: pairs in the largest component before anything was cut; None for quora-ir.
        dropped: pairs on no side, by reason.
        shared: overlap of the sides, counted on the sides themselves; all zero for components of pairs. Of
            queries with candidates, texts that are candidates on several sides, and right on one at most.
        files: SHA-256 of each file, by its path below the output folder.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> report = tk.split(samples.pairs("support-desk"), out="split")
        >>> sum(row["pairs"] for row in report.rows())
        1051
    """

    textkin: str
    scheme: Scheme
    rule: CutRule | None
    seed: int
    similarity: float | None
    equal: Equal
    input: InputFacts
    sides: Mapping[str, SideFacts]
    largest_component: int | None
    dropped: Mapping[str, int]
    shared: Disjointness
    files: Mapping[str, str]

    def side_hash(self, side: str) -> str:
        """The SHA-256 of the file of a side, "train", "dev" or "test", of the scheme components."""
        return next(found for file, found in self.files.items() if Path(file).stem == side)

    def _rows(self) -> Iterator[ResultRow]:
        return rows_of_sides(self.sides)

    def _said(self) -> tuple[str, ...]:
        shared = self.shared
        return (
            f"dropped: {counted(self.dropped) or 'none'}",
            f"shared: {shared.texts} texts, {shared.keys} normalised texts, {shared.ids} ids",
            *(said_of_candidates(shared) if self.scheme is Scheme.COMPONENTS else ()),
        )

    def text(self) -> str:
        """The file, a table of the sides, dropped pairs, and shared texts."""
        given, shared = self.input, self.shared
        lines = [f"{given.path}: {given.rows:,} rows, {given.format}"]
        lines += [f"skipped {count:,}: {reason}" for reason, count in given.skipped.items()]
        rows = []
        for name, side in self.sides.items():
            labels = ", ".join(f"{label}: {share:.3f}" for label, share in side.labels.items())
            components = "-" if side.components is None else f"{side.components:,}"
            rows.append((name, f"{side.pairs:,}", percent(side.share), labels or "-", components))
        table = text_table(("side", "pairs", "share", "label shares", "components"), rows)
        lines += ["", table, "", *(f"left out {count:,}: {reason}" for reason, count in self.dropped.items())]
        lines.append(f"shared: {shared.texts:,} texts, {shared.keys:,} but for case and punctuation")
        lines += said_of_candidates(shared) if self.scheme is Scheme.COMPONENTS else ()
        return "\n".join([*lines, f"written: {', '.join([*self.files, 'split.json'])}"])

    def as_dict(self) -> dict[str, Any]:
        """The contents of ``split.json``."""
        return asdict(self)


def split_file(
    path: Path | str,
    out: Path | str,
    *,
    seed: int = 42,
    scheme: Scheme = Scheme.COMPONENTS,
    shares: Shares | None = None,
    rule: CutRule = CutRule.AUTO,
    together: KeptTogether | None = None,
    reading: Reading | None = None,
) -> SplitReport:
    """Split the pairs of a file and write the sides and ``split.json`` to the folder ``out``, all or nothing.

    ``train.tsv``, ``dev.tsv`` and ``test.tsv`` hold the rows of the input with all columns, tab separated,
    and its header if it has one; rows that the reader skips are on no side. Of a Parquet or Arrow file they
    are ``train.parquet`` and so on, with its types. quora-ir writes other files.

    Args:
        path: the file of pairs.
        out: the folder; files of another split in it are replaced.
        seed: another seed gives another split.
        scheme: "components", or "quora-ir" for the rules of the sentence-transformers Quora split.
        shares: for components: the wanted shares of the pairs, 70 / 15 / 15 % by default.
        rule: for components: see ``partition.CutRule``.
        together: for components: which texts stand on one side.
        reading: reading options of the file.

    Raises:
        UsageError: ``out`` would replace the input.
        DataError: the file can't be read, or can't be split.
        OutputError: the files can't be written.
    """
    _, loaded = load_data(path, reading=reading, every=True)
    note_read(loaded.report)
    return split_loaded(
        loaded,
        out,
        seed=seed,
        scheme=scheme,
        shares=shares,
        rule=rule,
        together=together,
        reading=reading,
    )


def split_loaded(
    loaded: Loaded[Any],
    out: Path | str,
    *,
    seed: int,
    scheme: Scheme = Scheme.COMPONENTS,
    shares: Shares | None = None,
    rule: CutRule = CutRule.AUTO,
    together: KeptTogether | None = None,
    reading: Reading | None = None,
) -> SplitReport:
    """:func:`split_file` of pairs that were read; of the file rows are copied."""
    source, folder = Path(loaded.report.path), Path(out)
    given = InputFacts(
        name_of(source),
        sha256_of_files(filled_files_of(source)),
        loaded.format,
        loaded.report.rows,
        dict(loaded.report.skipped),
    )
    kind = data_kind(loaded.data)
    if scheme is Scheme.QUORA_IR:
        files, report = _by_quora_rules(kind.as_pairs(loaded.data), seed, given)
    else:
        shares, together = shares or Shares(), together or KeptTogether()
        if any(pair.row < 0 for pair in kind.rows(loaded.data)[0]):
            fix = "`scheme=articles`" if kind.about_passages else "a table of queries with candidates"
            raise errors.invalid("pairs", loaded.format, expected="a file of rows", fix=f"give {fix}")
        split, rows, shared = split_rows(
            kind, loaded.data, seed=seed, shares=shares, rule=rule, together=together
        )
        report = _report(rows, split, shared, shares, seed, together, given)
        table = table_of(source, loaded, reading or Reading())
        files = _side_files(rows, split, table, count=given.rows)
    return _write(folder, source, files, report)


def split_rows(
    kind: DataKind[Any, Any],
    data: Any,
    *,
    seed: int,
    shares: Shares,
    rule: CutRule,
    together: KeptTogether,
    may_be_empty: bool = False,
) -> tuple[Split, PairSet, Disjointness]:
    """The sides of the data's rows, one pair of each row, and the overlap of the sides.

    No text is on two sides, which is proven. Of queries with candidates no query is, and no candidate that is
    right on both; others may be, and are counted.

    Args:
        kind: the kind of the data.
        data: the data.
        seed: see ``partition``, and so are the others.
        shares: the wanted shares of the rows.
        rule: treatment of pairs that are known to differ.
        together: which texts stand on one side.
        may_be_empty: True to leave sides empty.

    Raises:
        UsageError: such data aren't split by rows.
        DataError: they can't be split.
    """
    rows, pairs = kind.rows(data)
    split = partition(
        pairs, seed=seed, shares=shares, rule=rule, together=together, may_be_empty=may_be_empty
    )
    shared = prove_disjoint(pairs, split, equal=together.equal)
    found = split.of_rows(len(pairs) // max(1, len(rows)))
    if isinstance(data, CandidateSet):
        sides = (rows.select(places.tolist(), name=name) for name, places in found.sides.items())
        shared = disjointness(leaks(*sides, equal=together.equal))
    return found, rows, shared


def rows_of_sides(sides: Mapping[str, SideFacts]) -> Iterator[ResultRow]:
    """A row for each side, all with the same labels; a side without labels has no share of any."""
    known = dict.fromkeys(label for side in sides.values() for label in side.labels)
    for name, side in sides.items():
        row: ResultRow = {"side": name, "pairs": side.pairs, "share": side.share, "groups": side.components}
        none = 0.0 if side.labels else None
        yield row | {f"label {label}": side.labels.get(label, none) for label in known}


def said_of_candidates(shared: Disjointness) -> tuple[str, ...]:
    """The texts on several sides, in words; none of pairs."""
    if not shared.keys:
        return ()
    return (
        f"{count(shared.keys, 'text')} on several sides: candidates of other questions, right on one at most",
    )


def table_of(path: Path, loaded: Loaded[Any], reading: Reading) -> Table:
    """The table of a file as its reader opened it."""
    return open_table(
        path,
        quoting=reading.quoting,
        ragged=loaded.format == "sts",
        named=(reading.columns or {}).values() or data_kind(loaded.data).columns,
        encoding=reading.encoding,
    )


def _write(folder: Path, source: Path, files: Mapping[str, _Writer], report: SplitReport) -> SplitReport:
    """Write all files under temporary names, then rename them, ``split.json`` last."""
    targets = {name: folder / name for name in ("split.json", *files)}
    for target in targets.values():
        if real(target) == real(source):
            raise errors.UsageError(
                f"`out` would overwrite the input {target}",
                fix="choose another folder",
                params=("out",),
                value=folder,
            )
    with ExitStack() as stack:
        # Left in reverse order, so the account appears after the files that it describes.
        places = {name: stack.enter_context(atomic_path(target)) for name, target in targets.items()}
        for name, write in files.items():
            write(places[name])
        report = replace(report, files={name: sha256_of_file(places[name]) for name in files})
        write_json(places["split.json"], asdict(report))
    return report


def side_facts(data: PairSet, split: Split, shares: Shares) -> dict[str, SideFacts]:
    """Facts on train, dev and test."""
    kept = len(data) - len(split.dropped)
    sides = {}
    for (name, rows), wanted in zip(split.sides.items(), shares.values, strict=True):
        sizes = np.unique(split.components[rows], return_counts=True)[1]
        sides[name] = SideFacts(
            pairs=len(rows),
            share=len(rows) / kept,
            wanted=wanted,
            labels=_label_facts(data.select(rows.tolist())),
            components=len(sizes),
            largest_component=int(sizes.max(initial=0)),
        )
    return sides


def dropped_pairs(split: Split) -> dict[str, int]:
    """The number of pairs on no side, by reason."""
    return {_ACROSS_SIDES: len(split.dropped)} if len(split.dropped) else {}


def _report(
    data: PairSet,
    split: Split,
    shared: Disjointness,
    shares: Shares,
    seed: int,
    together: KeptTogether,
    given: InputFacts,
) -> SplitReport:
    return SplitReport(
        textkin=__version__,
        scheme=Scheme.COMPONENTS,
        rule=split.rule,
        seed=seed,
        similarity=together.similarity,
        equal=together.equal,
        input=given,
        sides=side_facts(data, split, shares),
        largest_component=split.largest,
        dropped=dropped_pairs(split),
        shared=shared,
        files={},
    )


def _by_quora_rules(data: PairSet, seed: int, given: InputFacts) -> tuple[dict[str, _Writer], SplitReport]:
    result = quora_ir(data, seed=seed)
    sides = {name: data.select(rows, name=name) for name, rows in result.pairs.items()}
    kept = sum(map(len, sides.values()))
    dropped = {"one of its questions is empty": result.empty_pairs, _ACROSS_SIDES: result.dropped_pairs}
    report = SplitReport(
        textkin=__version__,
        scheme=Scheme.QUORA_IR,
        rule=None,
        seed=seed,
        similarity=None,
        equal=Equal.LETTERS,
        input=given,
        sides={
            name: SideFacts(len(side), len(side) / kept, None, _label_facts(side), None, None)
            for name, side in sides.items()
        },
        largest_component=None,
        dropped={reason: count for reason, count in dropped.items() if count},
        shared=disjointness(leaks(*sides.values())),
        files={},
    )
    return {table.path: partial(_write_plain, table) for table in result.tables}, report


def _label_facts(data: PairSet) -> dict[str, float]:
    labels = [pair.label for pair in data if pair.label is not None]
    if not labels:
        return {}
    if data.kind is LabelKind.GRADED:
        return {"mean": float(np.mean(labels))}
    values, counts = np.unique(labels, return_counts=True)
    names = [data.classes[int(value)] if data.classes else f"{value:g}" for value in values.tolist()]
    return dict(zip(names, (counts / len(labels)).tolist(), strict=True))


def _side_files(data: PairSet, split: Split, table: Table, *, count: int) -> dict[str, _Writer]:
    """Writers of each side, given the table's number of rows."""
    sides = {name: [data.pairs[index].row for index in rows.tolist()] for name, rows in split.sides.items()}
    if errors.is_column_file(table.path):
        return {
            f"{name}{table.path.suffix}": partial(copy_rows, table.path, keep=_mask(rows, count))
            for name, rows in sides.items()
        }
    numbered = {row.row: row for row in table.rows()}
    return {
        f"{name}.tsv": partial(_write_side, table, [numbered[row] for row in rows])
        for name, rows in sides.items()
    }


def _mask(rows: Sequence[int], count: int) -> Bools:
    found = np.zeros(count, dtype=np.bool_)
    found[rows] = True
    return found


def _write_side(table: Table, rows: Sequence[TableRow], path: Path) -> None:
    """Write rows such that the reader finds the same cells: unchanged if it can be, else with quotes."""
    styles: list[Callable[[IO[str]], None]] = [
        partial(_write_quoted, table, rows, csv.QUOTE_MINIMAL),
        partial(_write_quoted, table, rows, csv.QUOTE_ALL),
    ]
    if table.format == "tsv":
        styles.insert(0, partial(_write_unchanged, table, rows))
    for style in styles:
        with path.open("w", encoding="utf-8", newline="") as stream:
            style(stream)
        if _reads_back(table, rows, path):
            return
    raise errors.OutputError(
        f"the rows of {table.path} can't be written as tab separated text that reads back the same",
        fix="remove line breaks and stray quotes from its cells",
    )


def _write_unchanged(table: Table, rows: Iterable[TableRow], stream: IO[str]) -> None:
    write = table.writer(stream)
    for row in rows:
        write(row)


def _write_quoted(table: Table, rows: Iterable[TableRow], quoting: Literal[0, 1], stream: IO[str]) -> None:
    writer = csv.writer(stream, delimiter="\t", quoting=quoting, lineterminator="\n")
    writer.writerows([*([table.header] if table.header else []), *(row.fields for row in rows)])


def _reads_back(table: Table, rows: Sequence[TableRow], path: Path) -> bool:
    try:
        written = open_table(path, ragged=table.ragged, named=table.header or ())
        return written.header == table.header and all(
            read is not None and row is not None and read.fields == row.fields
            for read, row in zip_longest(written.rows(), rows)
        )
    except errors.DataError:
        return False


def _write_plain(table: TsvFile, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines("\t".join(row) + "\n" for row in (table.header, *table.rows))
