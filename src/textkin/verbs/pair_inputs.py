"""Input of verbs of pairs: files, records and data frames, and lists of names and paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textkin.base.errors import inapplicable, invalid, required, unknown_choice
from textkin.base.python_inputs import listed, path_of, several
from textkin.data.readers import Reading
from textkin.data.readers.columns import ROLES, parse_columns
from textkin.data.readers.from_python import file_of_pairs
from textkin.data.readers.read_options import Labels, Questions, QuotingOption
from textkin.data.records import PairSet
from textkin.verbs.inputs import column_names

_FRAME_ROLES = ("a", "b", "label")


def pair_reading(
    data: Any,
    *,
    columns: Any = None,
    format: str = "auto",
    quoting: QuotingOption = "auto",
    encoding: str | None = None,
    questions: Questions = "answered",
    labels: Labels = "entailment",
    split: str | None = None,
) -> Reading:
    """The options for reading ``data``: those of a file, and none for records and frames.

    Args:
        data: the given data.
        columns: roles to columns, as a mapping or in the form of the command line.
        format: as in :class:`textkin.data.readers.Reading`, and so are the others.
        quoting: interpretation of double quotes.
        encoding: text encoding.
        questions: the question set of candidates.
        labels: the label of SICK or SemEval.
        split: the split of a data set.

    Raises:
        UsageError: an option is wrong, or given for data in memory.
    """
    if path_of(data) is None:
        given = {"format": format != "auto", "quoting": quoting != "auto", "encoding": encoding is not None}
        given["split"] = split is not None
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise inapplicable(*wrong, to="data in memory")
        return Reading()
    return Reading(
        columns=roles_of(columns),
        format=format,
        quoting=quoting,
        encoding=encoding,
        questions=questions,
        labels=labels,
        split=split,
    )


def roles_of(columns: Any) -> Mapping[str, str] | None:
    """Roles to columns, of a mapping or of ``a=question1,b=question2``.

    Raises:
        UsageError: it is neither, or a role is unknown.
    """
    if columns is None or isinstance(columns, str):
        return None if columns is None else parse_columns(columns)
    if not isinstance(columns, Mapping):
        raise invalid("columns", columns, expected="roles and their columns", fix="write {'a': 'question1'}")
    for role in columns:
        if role not in ROLES:
            raise unknown_choice("columns", role, ROLES)
    return columns


def framed_pairs(data: Any, columns: Any) -> Any:
    """A data frame's rows of two texts and a label; other data unchanged.

    The columns have the roles that are given, or are called a, b and label, or are the only two or three.

    Raises:
        UsageError: there are no columns, or no such column.
    """
    names, roles = column_names(data), roles_of(columns)
    if names is None:
        if roles is not None:
            raise inapplicable("columns", to="data without columns")
        return data
    if roles is None:
        roles = {role: role for role in _FRAME_ROLES if role in names}
        if not {"a", "b"} <= roles.keys():
            roles = dict(zip(_FRAME_ROLES, names, strict=False))
            if not 2 <= len(names) <= len(_FRAME_ROLES):
                raise required(
                    "columns",
                    by=f"a table with the columns {', '.join(map(repr, names))}",
                    fix="write {'a': 'question1', 'b': 'question2', 'label': 'same'}",
                )
    for column in roles.values():
        if column not in names:
            raise unknown_choice("columns", column, map(str, names))
    wanted = [listed(data[roles[role]], role) for role in _FRAME_ROLES if role in roles]
    return list(zip(*wanted, strict=True))


def given_pairs(data: Any, columns: Any) -> Any:
    """The path of a file as it is, and a data frame's rows.

    Raises:
        UsageError: there are no columns, or no such column.
    """
    return data if path_of(data) is not None else framed_pairs(data, columns)


@contextmanager
def pairs_file(data: Any, columns: Any) -> Iterator[Path]:
    """Yield the file of pairs, or a temporary file with pairs given in memory.

    Raises:
        UsageError: the data are neither.
    """
    with file_of_pairs(given_pairs(data, columns)) as path:
        yield path


def names_of(given: Any, name: str) -> tuple[str, ...]:
    """Names from a list, or from one text with commas between them.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(given, str):
        return tuple(one.strip() for one in given.split(",") if one.strip())
    return tuple(str(one) for one in several([given] if isinstance(given, Path) else given, name))


def paths_of(given: Any, name: str) -> tuple[Path, ...]:
    """Paths from a list, or from one path; none from None.

    Raises:
        UsageError: it is neither.
    """
    if given is None:
        return ()
    return tuple(Path(one) for one in several([given] if isinstance(given, str | Path) else given, name))


def in_memory(given: Any, name: str) -> tuple[Any, ...]:
    """Paths or records from a list of them, or from one; none from None.

    Raises:
        UsageError: it is neither.
    """
    if given is None:
        return ()
    return several([given] if isinstance(given, str | Path | PairSet) else given, name)


def models_of(given: Any, name: str) -> tuple[Any, ...]:
    """Models from a list of them, or from one.

    Raises:
        UsageError: it is neither.
    """
    is_one = isinstance(given, str | Path) or any(hasattr(given, way) for way in ("encode", "score"))
    return several([given] if is_one else given, name)
