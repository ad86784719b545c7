"""Parquet and Arrow files as rows, and rows as such files, in batches; pyarrow reads and writes them.

Readers receive a file's rows as JSON lines, so everything that reads these reads column files, too. Row
numbers take the place of line numbers.
"""

import json
import re
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from textkin.base.arrays import Bools
from textkin.base.errors import DataError, UsageError, is_column_file, said
from textkin.base.extras import imported
from textkin.base.gzip_input import LONGEST_LINE, MOST_BYTES, MOST_TIMES
from textkin.base.python_values import date_text, has_time

Cell = str | int | float | None
_Chosen = Callable[[Any, Path | str, Any], list[str]]

_ROWS = 4096  # rows per batch
_CHUNK = 16_384  # rows written together
_EXACT = 2**53  # larger integers are not exact as floats
_EXTRA = "parquet"
_ZONE = re.compile(r"([+-]\d\d)(\d\d)$")
_AGAIN = "fetch or write the file again"


def require_columns(*paths: Path | str | None) -> None:
    """Check that pyarrow is installed if one of the files is a column file.

    Raises:
        MissingExtraError: pyarrow isn't installed.
    """
    if any(path is not None and is_column_file(path) for path in paths):
        imported("pyarrow", extra=_EXTRA)


def json_lines(path: Path | str) -> Iterator[str]:
    """Yield each row as a JSON object, with null for missing values.

    Columns of maps or bytes, and of lists or structs without a text, are omitted.

    Raises:
        DataError: the file is broken, has no columns of text, numbers or dates, or expands far beyond its
            size; the row is named if there is one.
        MissingExtraError: pyarrow isn't installed.
    """
    left = max(MOST_BYTES, MOST_TIMES * Path(path).stat().st_size)
    number, have_times = 0, _with_times(path)
    for batch in _batches(path, _cells_of):
        columns = [
            _values(column, path, number, has_times=name in have_times)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        for cells in zip(*columns, strict=True):
            number += 1
            line = json.dumps(dict(zip(batch.schema.names, cells, strict=True)), ensure_ascii=False)
            if "\\u0000" in line and any(isinstance(cell, str) and "\0" in cell for cell in cells):
                raise DataError("a NUL character, expected text", path=path, line=number, fix="remove it")
            left -= len(line)
            if left < 0:
                raise DataError(
                    f"the rows hold more than {MOST_BYTES >> 20} MiB and {MOST_TIMES} times the file's size",
                    path=path,
                    line=number,
                    fix="write the table as a text file, such as .tsv",
                )
            if len(line) > LONGEST_LINE:
                raise DataError(
                    f"the row has more than {LONGEST_LINE >> 20} MiB", path=path, line=number, fix="cut it"
                )
            yield line


def copy_rows(path: Path, target: Path, keep: Bools) -> None:
    """Copy selected rows of a file to another one with the same columns, types and format.

    Args:
        path: the file.
        target: the new file.
        keep: True for rows to copy. Shape [rows].
    """
    arrow, start = imported("pyarrow", extra=_EXTRA), 0
    writer = None
    try:
        for batch in _batches(path):
            writer = writer or _sink(target, batch.schema, path.suffix)
            stays = keep[start : start + batch.num_rows]
            writer.write_batch(batch.filter(arrow.array(stays)))
            start += batch.num_rows
    finally:
        if writer is not None:
            writer.close()


class ColumnWriter:
    """Rows that become a column file when complete; until then they are in an unnamed temporary file.

    Columns of integers become int64, of numbers float64, of booleans bool, all others text. Empty cells among
    numbers are missing values.

    Args:
        spool: the temporary file, opened as text.
        columns: names of the columns.
    """

    def __init__(self, spool: IO[str], columns: Sequence[str]) -> None:
        self._spool, self._columns = spool, tuple(columns)
        self._kinds = [""] * len(self._columns)
        self._waiting: list[Sequence[Cell]] = []

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write rows, each as wide as the columns."""
        for row in rows:
            self._kinds = [_wider(kind, _kind(cell)) for kind, cell in zip(self._kinds, row, strict=True)]
            self._waiting.append(row)
            if len(self._waiting) == _CHUNK:
                self._put_down()

    def save(self, target: Path, ending: str) -> None:
        """Write all rows to a file."""
        arrow = imported("pyarrow", extra=_EXTRA)
        self._put_down()
        types = {"bool": arrow.bool_(), "int": arrow.int64(), "float": arrow.float64()}
        schema = arrow.schema(
            [
                (name, types.get(kind, arrow.string()))
                for name, kind in zip(self._columns, self._kinds, strict=True)
            ]
        )
        self._spool.seek(0)
        with _sink(target, schema, ending) as writer:
            for line in self._spool:
                cells = zip(*json.loads(line), strict=True)
                arrays = [
                    arrow.array(_typed(column, kind), field.type)
                    for column, kind, field in zip(cells, self._kinds, schema, strict=True)
                ]
                writer.write_batch(arrow.record_batch(arrays, schema=schema))

    def _put_down(self) -> None:
        if self._waiting:
            self._spool.write(json.dumps(self._waiting) + "\n")
            self._waiting = []


@contextmanager
def column_writer(temporary: Path, ending: str, columns: Sequence[str]) -> Iterator[ColumnWriter]:
    """Yield a writer of rows for ``temporary``, in the format given by ``ending``.

    Raises:
        MissingExtraError: pyarrow isn't installed.
        UsageError: two columns have one name.
    """
    require_columns(f"rows{ending}")
    if len(set(columns)) < len(columns):
        raise UsageError("two columns have one name", fix="write a .tsv file")
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=temporary.parent) as spool:
        writer = ColumnWriter(spool, columns)
        yield writer
        writer.save(temporary, ending)


def _sink(target: Path, schema: Any, ending: str) -> Any:
    """A writer of record batches for a file."""
    if ending.lower() == ".parquet":
        return imported("pyarrow.parquet", extra=_EXTRA).ParquetWriter(target, schema)
    ipc = imported("pyarrow.ipc", extra=_EXTRA)
    packed = "lz4" if ending.lower() == ".feather" else None
    return ipc.new_file(str(target), schema, options=ipc.IpcWriteOptions(compression=packed))


def _batches(path: Path | str, chosen: _Chosen | None = None) -> Generator[Any]:
    """Yield the rows of a file in validated batches.

    Args:
        path: the file.
        chosen: the columns to read, of the file's schema; None for all. Without any there are no rows.
    """
    arrow = imported("pyarrow", extra=_EXTRA)
    kind = "Parquet" if Path(path).suffix.lower() == ".parquet" else "Arrow"
    row = 0
    try:
        with arrow.OSFile(str(path)) as stream:
            found = _opened(stream, path, arrow, chosen)
            for batch in found:
                batch.validate(full=True)  # in a hostile file, offsets may point anywhere
                yield batch
                row += batch.num_rows
    except (arrow.ArrowException, OSError, ValueError, MemoryError, EOFError) as error:
        raise DataError(
            f"can't be read as {kind} ({said(error)})", path=path, line=row + 1 if row else None, fix=_AGAIN
        ) from error


def _opened(stream: Any, path: Path | str, arrow: Any, chosen: _Chosen | None) -> Iterator[Any]:
    """Yield the rows of an open file; other columns aren't even decompressed if the format allows it."""
    if Path(path).suffix.lower() == ".parquet":
        file = imported("pyarrow.parquet", extra=_EXTRA).ParquetFile(stream, pre_buffer=False)
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        largest = max((group.total_byte_size for group in groups), default=0)
        if largest > max(MOST_BYTES, MOST_TIMES * stream.size()):
            raise DataError(
                f"a row group unpacks to {largest:,} bytes, more than {MOST_TIMES} times the file's size",
                path=path,
                fix=_AGAIN,
            )
        names = chosen and chosen(file.schema_arrow, path, arrow)
        if names != []:
            yield from file.iter_batches(_ROWS, columns=names, use_threads=False)
        return
    ipc = imported("pyarrow.ipc", extra=_EXTRA)
    start = stream.read(6)
    stream.seek(0)
    if start == b"ARROW1":
        whole = ipc.open_file(stream)
        schema, found = whole.schema, (whole.get_batch(number) for number in range(whole.num_record_batches))
    else:
        flow = ipc.open_stream(stream)  # the format of tables cached by datasets
        schema, found = flow.schema, iter(flow)
    names = chosen and chosen(schema, path, arrow)
    for batch in () if names == [] else found:
        yield batch if names is None else batch.select(names)


def _cells_of(schema: Any, path: Path | str, arrow: Any) -> list[str]:
    """The columns of text, numbers, dates, and lists or structs with text; rejects a table without any."""
    is_ = arrow.types
    plain: list[Callable[[Any], bool]] = [
        *(is_.is_string, is_.is_large_string, is_.is_string_view, is_.is_boolean, is_.is_null),
        *(is_.is_integer, is_.is_floating, is_.is_decimal, is_.is_date, is_.is_time, is_.is_timestamp),
    ]
    found = []
    for field in schema:
        inner = field.type.value_type if is_.is_dictionary(field.type) else field.type
        if any(test(inner) for test in plain) or _nests_text(inner, is_):
            found.append(field.name)
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise DataError(f"two columns are called {twice!r}", path=path, fix="rename one of them")
    if len(schema) and not found:
        raise DataError(
            f"the column {schema[0].name!r} holds {schema[0].type}, expected text, numbers or dates",
            path=path,
            fix="write it as text",
        )
    return found


def _times_of(schema: Any, path: Path | str, arrow: Any) -> list[str]:
    """The columns of points in time among those with cells."""
    names = _cells_of(schema, path, arrow)
    return [name for name in names if arrow.types.is_timestamp(schema.field(name).type)]


def _with_times(path: Path | str) -> frozenset[str]:
    """The columns of points in time of which some is no midnight; the others hold days.

    Only columns of days are read to their end.
    """
    found: set[str] = set()
    with closing(_batches(path, _times_of)) as batches:
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                if name not in found and any(map(has_time, _told(column))):
                    found.add(name)
            if len(found) == batch.num_columns:
                break
    return frozenset(found)


def _told(column: Any) -> list[str | None]:
    """The cells of a column as text, with time zones as Python writes them."""
    found: list[str | None] = column.cast(imported("pyarrow", extra=_EXTRA).string()).to_pylist()
    if getattr(column.type, "tz", None) is None:
        return found
    return [cell and _ZONE.sub(r"\1:\2", cell.replace("Z", "+0000")) for cell in found]


def _nests_text(kind: Any, is_: Any) -> bool:
    """True for lists and structs of texts, integers and booleans, a text among them: choices, answers."""
    leaves = _leaves(kind, is_)
    texts = [is_.is_string(one) or is_.is_large_string(one) for one in leaves]
    others = [is_.is_integer(one) or is_.is_boolean(one) for one in leaves]
    return leaves != [kind] and any(texts) and all(map(max, texts, others))


def _leaves(kind: Any, is_: Any, depth: int = 4) -> list[Any]:
    """The types inside lists and structs, down to some depth."""
    lists = is_.is_list(kind) or is_.is_large_list(kind) or is_.is_fixed_size_list(kind)
    inner = [field.type for field in kind] if is_.is_struct(kind) else [kind.value_type] if lists else []
    if not inner or depth == 0:
        return [kind]
    return [leaf for one in inner for leaf in _leaves(one, is_, depth - 1)]


def _values(column: Any, path: Path | str, start: int, *, has_times: bool) -> list[Any]:
    """A column's cells as JSON-compatible values: text, integers, numbers, booleans, null."""
    arrow = imported("pyarrow", extra=_EXTRA)
    is_ = arrow.types
    if is_.is_dictionary(column.type):
        column = column.dictionary_decode()
    if is_.is_float32(column.type) or is_.is_float16(column.type):
        # The fewest digits that identify a float32, since as a float64 it would have many more.
        kind = np.float32 if is_.is_float32(column.type) else np.float16
        return [None if cell is None else float(str(kind(cell))) for cell in column.to_pylist()]
    if is_.is_temporal(column.type) or is_.is_decimal(column.type):
        is_time = is_.is_timestamp(column.type) or is_.is_time(column.type)
        told = _told(column)
        return [cell and date_text(cell, has_times=has_times) for cell in told] if is_time else told
    try:
        found: list[Any] = column.to_pylist()
    except UnicodeDecodeError as error:
        raise DataError(
            f"a text from row {start + 1} on is not UTF-8", path=path, fix="write the file again"
        ) from error
    return found


def _kind(cell: Cell) -> str:
    """The column type required for a cell; "" if any type will do."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, int):
        return "int" if abs(cell) <= _EXACT else "text"
    return "float" if isinstance(cell, float) else "text"


def _wider(kind: str, other: str) -> str:
    if kind == other or not other:
        return kind
    if not kind:
        return other
    return "float" if {kind, other} == {"int", "float"} else "text"


def _typed(cells: Sequence[Cell], kind: str) -> list[Any]:
    if not kind:
        return list(cells)
    if kind == "text":
        return ["" if cell is None else str(cell) for cell in cells]
    return [None if cell is None or cell == "" else cell for cell in cells]
