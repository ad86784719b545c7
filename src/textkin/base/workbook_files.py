"""Excel and OpenDocument spreadsheets as rows of cells; python-calamine reads them.

Only the first non-empty sheet of a workbook is read, a hidden one only if no other holds a cell. Its rows
become lines, with cells separated by a character that texts don't contain, so everything that reads tables
reads spreadsheets, too. Row numbers take the place of line numbers.
"""

import datetime
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, said
from textkin.base.extras import imported
from textkin.base.gzip_input import MOST_BYTES, MOST_TIMES
from textkin.base.paths import shown
from textkin.base.progress import note_once
from textkin.base.python_values import date_text

SEPARATOR = "\x1f"
"""Separator of the cells of a row: ASCII's unit separator."""

_FORMULA = re.compile(
    rb'<c r="([A-Z]+[0-9]+)"(?![^>]* t="str")[^>]*>'  # a text that is empty is a value
    rb"<f(?:[^>]*/>|[^>]*>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>"
)
_BREAK = re.compile(rb"<text:(tab|line-break)\b")  # within a cell of an OpenDocument spreadsheet
_CHUNK, _LONGEST_CELL = 1 << 20, 1 << 16  # bytes of a sheet
_EXACT = 2**53  # whole numbers below it are themselves in double precision
_WRITTEN_OUT = 1e22  # whole numbers below it are written with all digits
_EXTRA = "excel"
_AGAIN = "save it again, or save the sheet as CSV"


def workbook_rows(path: Path | str) -> Iterator[str]:
    """Yield the rows of the first non-empty sheet, "" for a blank row, without empty columns.

    Raises:
        DataError: the file is broken, password-protected or empty, or expands far beyond its size.
        MissingExtraError: python-calamine isn't installed.
    """
    rows = _filled_sheet(path)
    columns = list(zip(*rows, strict=True))
    used = [any(cell != "" for cell in column) for column in columns]
    timed = [any(isinstance(cell, datetime.datetime) for cell in column) for column in columns]
    if (
        inexact := next((at for at, row in enumerate(rows, 1) if any(map(_is_inexact, row))), None)
    ) is not None:
        note_once(
            f"{shown(path)}: row {inexact}: numbers of more than 15 digits aren't exact in a spreadsheet; "
            "store ids as text"
        )
    for number, row in enumerate(rows, 1):
        placed = zip(row, used, timed, strict=True)
        cells = [_text(cell, has_times=has_times) for cell, there, has_times in placed if there]
        if any("\0" in cell for cell in cells):
            raise DataError("a NUL character, expected text", path=path, line=number, fix="remove it")
        yield SEPARATOR.join(cells) if any(cells) else ""


def _filled_sheet(path: Path | str) -> Sequence[Sequence[Any]]:
    """The rows of the first sheet with cells; prints a note about others."""
    calamine = imported("python_calamine", extra=_EXTRA)
    _refuse_bombs(path)
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as workbook:
            sheets = {name: workbook.get_sheet_by_name(name) for name in workbook.sheet_names}
            held = [one for one in workbook.sheets_metadata if sheets[one.name].height]
            held.sort(key=lambda sheet: sheet.visible != calamine.SheetVisibleEnum.Visible)
            filled = [one.name for one in held]
            rows = sheets[filled[0]].to_python(skip_empty_area=False) if filled else []
            if filled:
                _fill_merged(rows, sheets[filled[0]].merged_cell_ranges or ())
    except calamine.PasswordError as error:
        raise DataError("has a password", path=path, fix="save it without one") from error
    except Exception as error:  # on broken files, the library raises any error of its parsers
        raise DataError(f"can't be read as a spreadsheet ({said(error)})", path=path, fix=_AGAIN) from error
    if not filled:
        raise DataError("the spreadsheet holds no cells", path=path, fix="give at least one row")
    if len(filled) > 1:
        others = ", ".join(repr(name) for name in filled[1:])
        note_once(
            f"{shown(path)}: sheet {filled[0]!r} is read, and {others} not; save a sheet as CSV to read it"
        )
    if (found := _first(_FORMULA, path, within="xl/worksheets/")) is not None:
        note_once(
            f"{shown(path)}: formulas that no program has computed, as in cell {found}, are blank; open the "
            "file in a spreadsheet program and save it"
        )
    if _first(_BREAK, path, within="content.xml") is not None:
        note_once(
            f"{shown(path)}: tabs and line breaks inside cells are lost, so words run together; "
            "save the file as .xlsx or CSV to keep them"
        )
    return rows


def _first(pattern: re.Pattern[bytes], path: Path | str, *, within: str) -> str | None:
    """The first group of a pattern's first match in the XML of sheets; None without, or of other files."""
    try:
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                if not name.startswith(within) or not name.endswith(".xml"):
                    continue
                with packed.open(name) as stream:
                    left = b""
                    while chunk := stream.read(_CHUNK):
                        left = left[-_LONGEST_CELL:] + chunk
                        if found := pattern.search(left):
                            return found[1].decode()
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError, zlib.error):
        pass  # what is broken or locked is left to the library
    return None


def _fill_merged(rows: list[list[Any]], ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """Give each row that a merged cell spans its value, unless it spans all that the row has."""
    held = [any(cell != "" for cell in row) for row in rows]
    for (top, column), (bottom, _) in ranges:
        for place in range(top + 1, min(bottom + 1, len(rows))):
            row = rows[place]
            if not held[place] or column >= len(row):
                continue
            if row[column] != "":  # ranges that overlap, which no spreadsheet has
                break
            row[column] = rows[top][column]


def _refuse_bombs(path: Path | str) -> None:
    """Raise if a zip file expands too far; other files are left to the library."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(member.file_size for member in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return
    if size > max(4 * MOST_BYTES, MOST_TIMES * Path(path).stat().st_size):
        raise DataError(f"unpacks to {size:,} bytes", path=path, fix=_AGAIN)


def _is_inexact(cell: Any) -> bool:
    """True for a whole number of so many digits that a spreadsheet has rounded the last of them."""
    return isinstance(cell, float) and _EXACT <= abs(cell) < _WRITTEN_OUT


def _text(cell: Any, *, has_times: bool = False) -> str:
    """A cell as written in CSV; in a column that has times, a day is its midnight."""
    if isinstance(cell, datetime.timedelta):
        minutes, seconds = divmod(cell, datetime.timedelta(minutes=1))
        return f"{minutes // 60}:{minutes % 60:02}:{str(seconds)[5:]}"  # Python would count days
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < _WRITTEN_OUT else repr(cell)
    if has_times and isinstance(cell, datetime.date) and not isinstance(cell, datetime.datetime):
        return f"{cell} 00:00:00"
    if isinstance(cell, datetime.date | datetime.time):
        return date_text(str(cell), has_times=has_times)
    return str(cell).replace(SEPARATOR, " ")
