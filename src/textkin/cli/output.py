"""Output of commands: lines, or one JSON object with ``--json``; notes on standard error."""

import csv
import dataclasses
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import IO, Any

from textkin.base.printable import HARMFUL, visible, visible_line
from textkin.base.progress import is_quiet
from textkin.base.progress import note as note
from textkin.cli.process import output_is_taken
from textkin.collection.store.address import Address


def emit_json(value: Any) -> None:
    """Print a dataclass or mapping as one JSON object on standard output; NaN becomes null."""
    utf8 = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(jsonable(value), ensure_ascii=not utf8, allow_nan=False)
    _stream().write(HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def emit_text(text: str = "") -> None:
    """Print text on standard output, visible in all its characters.

    Where a command's table goes there, the text goes to standard error, unless that is to be quiet.
    """
    _stream().write(visible(text) + "\n")


def _stream() -> IO[str]:
    if not output_is_taken():
        return sys.stdout
    return io.StringIO() if is_quiet() else sys.stderr


def emit_tsv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print tab-separated values, for data too long for a table.

    Another program gets them as they are, a terminal without characters that act on it.
    """
    if sys.stdout.isatty():
        header = [visible_line(name) for name in header]
        rows = (["" if cell is None else visible_line(str(cell)) for cell in row] for row in rows)
    write_tsv(sys.stdout, header, rows)


def write_tsv(stream: IO[str], header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write tab separated values; cells with tabs, quotes or line breaks are quoted."""
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def jsonable(value: Any) -> Any:
    """The value in JSON's types: dataclasses become objects, arrays lists, NaN and infinities null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path | Address):
        return str(value)
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, set | frozenset):
        return [jsonable(item) for item in sorted(value)]
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
