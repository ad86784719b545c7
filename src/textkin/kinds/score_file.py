"""A score file: one row per pair, with its label and every system's score.

A system trained with several seeds has a column for each, ``NAME/SEED``. Scores are written so that they are
read back exactly.
"""

import csv
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError
from textkin.base.files import atomic_text

_AGAIN = "run the study again"


class _Tabs(csv.excel_tab):
    lineterminator = "\n"


def write_scores(
    path: Path, labels: Floats, systems: Mapping[str, Floats], *, classes: Sequence[str] = ()
) -> None:
    """Write labels, shape [pairs], and every system's scores, shape [seeds, pairs].

    With ``classes``, labels and scores are class numbers, and the names are written.

    Raises:
        OutputError: the file can't be written.
    """
    columns = {
        system if len(scores) == 1 else f"{system}/{seed}": row
        for system, scores in systems.items()
        for seed, row in enumerate(scores)
    }
    rows = zip(labels.tolist(), *(row.tolist() for row in columns.values()), strict=True)
    with atomic_text(path) as stream:
        writer = csv.writer(stream, dialect=_Tabs)
        writer.writerow(["label", *columns])
        writer.writerows([classes[int(cell)] if classes else repr(cell) for cell in row] for row in rows)


def read_scores(path: Path, *, classes: Sequence[str] = ()) -> tuple[Floats, dict[str, Floats]]:
    """Read the file of :func:`write_scores`, if no system has a slash in its name.

    Raises:
        DataError: it isn't such a file, a score isn't a number, or a class isn't among ``classes``.
    """
    numbers = {name: str(number) for number, name in enumerate(classes)}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header, *rows = csv.reader(stream, dialect=_Tabs)
        cells = [[numbers.get(cell, "nan") for cell in row] for row in rows] if classes else rows
        values = np.array(cells, dtype=np.float64).T
    except (OSError, ValueError) as error:
        raise DataError(f"is not a table of scores: {error}", path=path, fix=_AGAIN) from error
    if header[:1] != ["label"] or len(values) != len(header):
        raise DataError("is not a table of scores", path=path, fix=_AGAIN)
    if not np.isfinite(values).all():
        line = int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0]) + 2
        what = "class is unknown" if classes else "score is not a number"
        raise DataError(f"a {what}", path=path, line=line, fix=_AGAIN)
    named = zip((name.partition("/")[0] for name in header[1:]), values[1:], strict=True)
    return values[0], {
        system: np.stack([row for _, row in group])
        for system, group in itertools.groupby(named, key=lambda item: item[0])
    }
