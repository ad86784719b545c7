"""What commands print: a table for people, or one JSON object with ``--json``; progress never goes here."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any


def emit_json(value: Any) -> None:
    """Print ``value`` as one JSON object on standard output; NaN becomes null."""
    sys.stdout.write(json.dumps(jsonable(value), ensure_ascii=False) + "\n")


def emit_text(text: str = "") -> None:
    """Print a line of text on standard output."""
    sys.stdout.write(text + "\n")


def emit_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "") -> None:
    """Print an aligned table; columns after the first are right-aligned when they look like numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", show_edge=False, pad_edge=False)
    for column, name in enumerate(header):
        cells = [row[column] for row in rows]
        table.add_column(name, justify="right" if all(map(_numeric, cells)) else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(soft_wrap=not sys.stdout.isatty(), markup=False, highlight=False).print(table)


def jsonable(value: Any) -> Any:
    """The value in JSON's types: dataclasses become objects, arrays lists, NaN null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: jsonable(getattr(value, field.name)) for field in fields}
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(item) for item in value]
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _numeric(cell: str) -> bool:
    return not cell or cell.lstrip("+-.<")[:1].isdigit() or cell in {"-", "yes", "no"}
