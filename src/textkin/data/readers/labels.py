"""Labels as numbers; their meaning is inferred from the whole file."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError, either
from textkin.data.records import LabelKind

ONE_SPELLING = "write the same class in the same way"
NLI_CLASSES = ("contradiction", "entailment", "neutral")

_TRUE = frozenset({"true", "t", "yes", "y", "duplicate", "same", "similar", "paraphrase", "match"})
_FALSE = frozenset(
    {"false", "f", "no", "n", "not duplicate", "non duplicate", "not same", "not the same", "different"}
    | {"dissimilar", "not similar", "not paraphrase", "non paraphrase", "no match", "not match"}
)
_MAX_CLASSES = 50
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_FOREIGN = re.compile(r"[+-]?(?:[0-9]*,[0-9]+|[0-9]+(?:[.,][0-9]+)?\s*%)")  # 0,8 or 80 %


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a column with their meaning.

    Attributes:
        kind: meaning of the values.
        classes: names of the classes if ``kind`` is CLASSES, else empty.
        values: one per cell.
    """

    kind: LabelKind
    classes: tuple[str, ...]
    values: tuple[float, ...]


def two_values(values: Iterable[float]) -> str:
    """A hint for labels with two values other than 0 and 1, which are read as grades; else "".

    Example:
        >>> two_values([-1, 1, 1])
        'labels are -1 and 1, which are read as grades; for yes and no write 1 and 0'
    """
    found = sorted({float(one) for one in values})
    if len(found) != 2 or found == [0.0, 1.0]:
        return ""
    return f"labels are {found[0]:g} and {found[1]:g}, which are read as grades; for yes and no write 1 and 0"


def is_label(cell: str) -> bool:
    """True if ``cell`` is a number, a yes-or-no word or an entailment class."""
    return number(cell) is not None or binary(cell) is not None or _plain(cell) in NLI_CLASSES


def binary(cell: str) -> float | None:
    """1.0 or 0.0 for a word with this meaning (also ``1``, ``0.0``), else None."""
    word = _plain(cell)
    if word in _TRUE:
        return 1.0
    if word in _FALSE:
        return 0.0
    value = number(cell)
    return value if value in (0.0, 1.0) else None


def number(cell: str) -> float | None:
    """The finite number in ``cell``, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None  # Python would read 1_000 as a number


def whole_number(cell: str) -> int | None:
    """The integer in ``cell``, in ASCII with at most 18 digits, or None."""
    return int(cell) if _WHOLE.fullmatch(cell) else None


def is_missing_cell(cell: str) -> bool:
    """True for a blank cell, and for pandas' mark for a missing value."""
    return cell.strip().casefold() in ("", "nan")


def decide(cells: Sequence[str], lines: Sequence[int], path: Path | str) -> Labels:
    """Infer the meaning of the labels of a whole file.

    All are 1 or 0, or words for them: BINARY. All are numbers: GRADED. All are words: CLASSES, sorted, where
    entailment labels are contradiction 0, entailment 1, neutral 2 in any file, and in any case. Models know
    classes by their names in any case, so that others must not differ in case only.

    Args:
        cells: cells of the label column, none blank.
        lines: line of each cell, for error messages.
        path: path for error messages.

    Raises:
        DataError: numbers and words are mixed, numbers have decimal commas or percent signs, there are too
            many distinct words for classes, or two of these differ in case only.
    """
    binaries = [binary(cell) for cell in cells]
    if None not in binaries:
        return Labels(LabelKind.BINARY, (), tuple(value for value in binaries if value is not None))
    numbers = [number(cell) for cell in cells]
    numeric = sum(value is not None for value in numbers)
    if numeric == len(cells):
        return Labels(LabelKind.GRADED, (), tuple(value for value in numbers if value is not None))
    _refuse_notation(cells, lines, path, numbers)
    if numeric:
        _refuse_mixture(cells, lines, path, numbers)
    words = [cell.strip() for cell in cells]
    if {_plain(word) for word in words} <= set(NLI_CLASSES):
        words = [_plain(word) for word in words]
        classes: tuple[str, ...] = NLI_CLASSES
    else:
        classes = tuple(sorted(set(words)))
    if len(classes) > _MAX_CLASSES:
        raise DataError(
            f"{len(classes):,} different words in the label column, expected at most {_MAX_CLASSES}",
            path=path,
            fix=either("name the right column: `columns=label=NAME`") or "call the right column label",
        )
    if (pair := differ_in_case(words)) is not None:
        raise DataError(
            f"labels {pair[0][:40]!r} and {pair[1][:40]!r} differ in case only",
            path=path,
            line=lines[words.index(pair[1])],
            fix=ONE_SPELLING,
        )
    index = {name: float(position) for position, name in enumerate(classes)}
    return Labels(LabelKind.CLASSES, classes, tuple(index[word] for word in words))


def differ_in_case(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two names that differ in case only, if there are two.

    Example:
        >>> differ_in_case(["Same", "other", "same"])
        ('Same', 'same')
    """
    first: dict[str, str] = {}
    pairs = ((first.setdefault(name.casefold(), name), name) for name in names)
    return next(((one, other) for one, other in pairs if one != other), None)


def _refuse_notation(
    cells: Sequence[str], lines: Sequence[int], path: Path | str, numbers: Sequence[float | None]
) -> None:
    """Raise if all labels are numbers, some with a decimal comma or a percent sign: they would be classes."""
    foreign = [place for place, value in enumerate(numbers) if value is None]
    if all(_FOREIGN.fullmatch(cells[place].strip()) for place in foreign):
        cell = cells[foreign[0]].strip()
        raise DataError(
            f"label {cell[:40]!r}, expected a number with a decimal point, without a percent sign",
            path=path,
            line=lines[foreign[0]],
            fix="write 0.8 for 0,8 or 80 %",
        )


def _refuse_mixture(
    cells: Sequence[str], lines: Sequence[int], path: Path | str, numbers: Sequence[float | None]
) -> None:
    mostly_numbers = 2 * sum(value is not None for value in numbers) >= len(cells)
    odd = next(i for i, value in enumerate(numbers) if (value is None) is mostly_numbers)
    others = "finite numbers" if mostly_numbers else "words"
    raise DataError(
        f"label {cells[odd][:40]!r}, where most labels of the file are {others}",
        path=path,
        line=lines[odd],
        fix=either("correct the row", "name the right column: `columns=label=NAME`"),
    )


def _plain(cell: str) -> str:
    return " ".join(cell.casefold().replace("_", " ").replace("-", " ").split())
