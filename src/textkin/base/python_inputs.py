"""Validation of Python input: texts and pairs in any sequence, names, paths."""

import re
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from dataclasses import fields
from functools import wraps
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from textkin.base.errors import COLUMN_FILES, UsageError, did_you_mean, invalid
from textkin.base.paths import exists
from textkin.base.python_values import cell_of, class_names_of, is_missing, label_of, shown
from textkin.base.results import Result

_AT_ONCE = 16_384
_ENDINGS = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".xml", ".npy", ".gz", *COLUMN_FILES)
_COMMA = re.compile(r",(?![^()]*\))")
_Method = TypeVar("_Method", bound=Callable[..., Any])
_TO_LIST = "to_list", "tolist", "to_pylist"  # polars and pandas, NumPy, Arrow
_NARROW = MappingProxyType(
    {"float16": np.float16, "halffloat": np.float16, "float32": np.float32, "float": np.float32}
)
MISSING_TEXTS = "leave missing texts out (in a data frame: dropna), or fill them"
"""The fix for a missing text."""
_DECODE = "decode bytes: value.decode()"
_SEQUENCE = "a list, a tuple, a NumPy array or a column of pandas or polars"


def path_of(data: object, *, or_text: bool = False) -> Path | None:
    """The path given as data, or None if the data themselves were given.

    Args:
        data: a string is a path, never a list of letters.
        or_text: True if a string may also be a text. It is a path if something exists there, if it has the
            ending of a text file, or if it is written like a path: with a slash and no space, or from the
            root or ``~``.
    """
    if not isinstance(data, str | Path) or (or_text and isinstance(data, str) and not _is_path(data)):
        return None
    return Path(data)


def are_texts(data: object) -> bool:
    """True for a list of strings that are texts rather than paths: none exists, and not all look like one."""
    if not isinstance(data, list | tuple) or not data or not all(isinstance(one, str) for one in data):
        return False
    return not all(map(_is_path, data)) and not any(map(exists, data))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text with commas between them; commas in parentheses belong to a name.

    Example:
        >>> names_in("tfidf, bm25(k1=0.9,b=0.4)")
        ('tfidf', 'bm25(k1=0.9,b=0.4)')
    """
    return tuple(filter(None, map(str.strip, _COMMA.split(text))))


def a_path(value: object, name: str) -> Path:
    """The value of a path argument, given as a string or a path.

    Args:
        value: the argument.
        name: name of the argument, for the error.

    Raises:
        UsageError: it has another type.
    """
    if isinstance(value, str | Path):
        return Path(value)
    raise invalid(name, value, expected="a path")


def _is_path(name: str) -> bool:
    if name.strip().lower().endswith(_ENDINGS) or name.startswith(("/", "./", "../", "~/")):
        return True
    return ("/" in name and not any(map(str.isspace, name))) or exists(name)


def refuse_unknown(
    arguments: Iterable[str], known: Iterable[str], *, options: type[Any] | None = None
) -> None:
    """Raise for unknown argument names, as Python does for a function's own arguments.

    Args:
        arguments: names of the arguments.
        known: known names.
        options: type of the function's ``options``.

    Raises:
        TypeError: a name is unknown; the error suggests the nearest known one, or the options that have it.
    """
    names = list(known)
    for name in arguments:
        if options is not None and name in {one.name for one in fields(options)}:
            given = f"give options=tk.{options.__name__}({name}=...)"
            raise TypeError(f"got an unexpected keyword argument {name!r}; {given}")
        if name not in names:
            raise TypeError(f"got an unexpected keyword argument {name!r}; {did_you_mean(name, names)}")


def is_pair(data: object) -> bool:
    """True for a single pair of texts rather than several: a tuple of two strings, or a pair record."""
    if isinstance(data, tuple) and len(data) == 2:
        return all(isinstance(text, str) for text in data)
    return isinstance(getattr(data, "a", None), str) and isinstance(getattr(data, "b", None), str)


def one_or_several(method: _Method) -> _Method:
    """Let a method of texts or pairs also accept a single one, and return its result alone.

    The method must return one result per item, in order.

    Raises:
        TypeError: the method is called with several texts side by side; it says the right call.
    """
    [_, several, *_] = signature(method).parameters
    item = "(a, b)" if several == "pairs" else "a, b"

    @wraps(method)
    def taking(self: object, given: Any, *others: Any, **named: str) -> Any:
        if others:
            name = method.__name__
            raise TypeError(f"{name}() takes {several} in one argument; write {name}([{item}, ...])")
        if isinstance(given, str) or is_pair(given):
            return method(self, [given], **named)[0]
        return method(self, given, **named)

    return cast("_Method", taking)


def texts_of(data: Any, *, name: str = "texts") -> list[str]:
    """The texts of a sequence, in order.

    Lists, tuples, NumPy arrays, and columns of pandas and polars, with any index. An iterator is exhausted,
    and a string is one text.

    Args:
        data: one string per text.
        name: name in errors.

    Raises:
        UsageError: it is not such a sequence, or an item is not a text; positions count from 0.
    """
    found: list[str] = [data] if isinstance(data, str) else _items(data, name)
    if not set(map(type, found)) <= {str}:
        found = [_text(value, f"{name}[{place}]") for place, value in enumerate(found)]
    _refuse_surrogates(found, name)
    return found


def text_pairs_of(data: Any, *, name: str = "pairs") -> list[tuple[str, str]]:
    """The pairs of a sequence, in order.

    Each item is a tuple or list of two texts, or has the fields ``a`` and ``b``, like :class:`textkin.Pair`.
    A ``PairSet``, an array of shape [pairs, 2], a data frame with two columns and a single pair are accepted
    as well.

    Args:
        data: the pairs.
        name: name in errors.

    Raises:
        UsageError: it is not such a sequence, or an item is not a pair of texts; positions count from 0.
    """
    found = [data] if is_pair(data) else _items(data, name, width=2)
    if not (set(map(type, found)) <= {tuple} and set(map(len, found)) <= {2}):
        found = [_pair(value, f"{name}[{place}]") for place, value in enumerate(found)]
    sides = [a for a, _ in found], [b for _, b in found]
    if not set(map(type, (*sides[0], *sides[1]))) <= {str}:
        found = [
            (_text(a, f"{name}[{place}][0]"), _text(b, f"{name}[{place}][1]"))
            for place, (a, b) in enumerate(found)
        ]
    for side, texts in enumerate(sides):
        _refuse_surrogates(texts, name, of=f"[{side}]")
    return found


def named_texts_of(data: Any, *, name: str) -> list[tuple[str, str]]:
    """Texts with the names of their classes, see :func:`class_names_of`.

    Raises:
        UsageError: as :func:`text_pairs_of` and :func:`class_names_of`, or a class name is missing.
    """
    wanted = "a text with its class: (text, class)"
    found = [
        _pair(item, f"{name}[{place}]", wanted) for place, item in enumerate(_items(data, name, width=2))
    ]
    texts = texts_of([text for text, _ in found], name=f"the texts of {name}")
    labels = class_names_of([label for _, label in found], f"the label of {name}")
    return list(zip(texts, labels, strict=True))


def labelled_pairs_of(
    data: Any, *, name: str = "pairs"
) -> tuple[list[tuple[str, str]], list[str], list[tuple[str, str]]]:
    """The pairs of a sequence, their labels as in a file (if every item has one), and their ids or "".

    Args:
        data: as in :func:`text_pairs_of`; a data frame may have three columns, and an item a third part or
            the field ``label``.
        name: name in errors.

    Raises:
        UsageError: as :func:`text_pairs_of`, or a label is missing or invalid.
    """
    items = [data] if is_pair(data) else _items(data, name, width=3 if _columns(data) == 3 else 2)
    pairs = text_pairs_of([_without_label(item) for item in items], name=name)
    ids = [(getattr(item, "id_a", ""), getattr(item, "id_b", "")) for item in items]
    given = [_label(item) for item in items]
    missing = [is_missing(label) or (isinstance(label, str) and not label.strip()) for label in given]
    if all(missing) and not any(map(_is_triple, items)):
        return pairs, [], ids
    if any(missing):
        place = missing.index(True)
        raise invalid(f"{name}[{place}]", given[place], expected="a label, as other pairs have")
    labels = [label_of(label, f"the label of {name}[{place}]") for place, label in enumerate(given)]
    return pairs, labels, ids


def several(value: Any, name: str) -> tuple[Any, ...]:
    """Several names or objects; rejects a single string, which would be a sequence of letters.

    Raises:
        UsageError: it is a single string or path, or not a sequence.
    """
    if isinstance(value, str | Path):
        raise invalid(name, value, expected="several", fix=f"write [{str(value)!r}]")
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise invalid(name, value, expected="several, in a list")
    return tuple(value)


def listed(data: Any, name: str) -> Any:
    """A column, an array or a one-column data frame as a list; other values, such as iterators, unchanged.

    Otherwise a pandas column would resolve ``[0]`` by its index, and iterating over a data frame would give
    its column names.

    Raises:
        UsageError: an array or a data frame has several columns.
    """
    is_column = isinstance(data, np.ndarray) or _is_table(data) or any(hasattr(data, way) for way in _TO_LIST)
    return _items(data, name) if is_column else data


def cells_of(column: Any, name: str) -> list[Any]:
    """The cells of a frame's column as a file would have them, see :func:`cell_of`."""
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower().removesuffix("[pyarrow]")
    narrow = _NARROW.get(kind, lambda same: same)  # lists of columns have doubles
    return [None if is_missing(one) else cell_of(narrow(one)) for one in listed(column, name)]


def in_order(data: Any, name: str) -> Iterable[Any]:
    """An iterable with an order of its own, as :func:`listed`; rejects a single text, sets and mappings.

    Raises:
        UsageError: it isn't one, or as :func:`listed`.
    """
    found = listed(data, name)
    is_view = isinstance(found, KeysView | ValuesView | ItemsView)
    if isinstance(found, str | bytes | Mapping) or (isinstance(found, AbstractSet) and not is_view):
        raise invalid(name, found, expected=_SEQUENCE)
    if not isinstance(found, Iterable):
        raise invalid(name, found, expected=_SEQUENCE)
    return found


def count_of(value: Any, name: str) -> int:
    """A positive integer.

    Raises:
        UsageError: it is not an integer, or below 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise invalid(name, value, expected="a whole number of at least 1")
    return int(value)


def _items(data: Any, name: str, *, width: int = 1) -> list[Any]:
    """The items of a sequence; arrays may have ``width`` columns."""
    if isinstance(data, list):
        return data
    if isinstance(data, str | bytes | bytearray):
        one = "text" if width == 1 else "pair"
        fix = f"give a list, even of one {one}" if isinstance(data, str) else _DECODE
        raise invalid(name, data, expected="several", fix=fix)
    if isinstance(data, KeysView | ValuesView | ItemsView):
        return list(data)
    if isinstance(data, Mapping | AbstractSet):
        raise invalid(name, data, expected=_SEQUENCE)
    if isinstance(data, np.ma.MaskedArray):
        raise invalid(name, data, expected="no masked values", fix="leave them out: array.compressed()")
    if _is_table(data) or isinstance(data, np.ndarray):
        return _of_array(data if isinstance(data, np.ndarray) else data.to_numpy(), name, width)
    for method in _TO_LIST:
        if hasattr(data, method):
            listed = getattr(data, method)()
            return listed if isinstance(listed, list) else [listed]
    if (isinstance(data, Sequence | Iterator) and not isinstance(data, Result)) or (
        width > 1 and hasattr(data, "pairs")
    ):
        return list(data)
    raise invalid(name, data, expected=_SEQUENCE)


def _columns(data: Any) -> int:
    """The number of columns of a data frame or an array; 0 for other types."""
    shape: tuple[int, ...] = getattr(data, "shape", ())
    return int(shape[1]) if len(shape) == 2 else 0


def _is_triple(item: Any) -> bool:
    return isinstance(item, tuple | list | np.ndarray) and len(item) == 3


def _without_label(item: Any) -> Any:
    return (item[0], item[1]) if _is_triple(item) else item


def _label(item: Any) -> Any:
    """The third part of an item, or its field ``label``; None if it has neither."""
    if isinstance(item, tuple | list | np.ndarray):
        return item[2] if _is_triple(item) else None
    return getattr(item, "label", None)


def _is_table(data: Any) -> bool:
    """True for a data frame of pandas or polars."""
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def _of_array(values: Any, name: str, width: int) -> list[Any]:
    shape = values.shape
    if not ((width == 1 and len(shape) == 1) or (len(shape) == 2 and shape[1] == width)):
        wanted = "one column" if width == 1 else f"[pairs, {width}]"
        raise invalid(name, f"an array of shape {list(shape)}", expected=wanted)
    if width == 1:
        return list(values.ravel().tolist())
    return [tuple(row) for row in values.tolist()]


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return str(value)
    fix = MISSING_TEXTS if is_missing(value) else None
    if isinstance(value, bytes | bytearray):
        fix = _DECODE
    raise invalid(where, value, expected="a text", fix=fix)


def _pair(value: Any, where: str, wanted: str = "two texts: (text, text)") -> tuple[Any, Any]:
    if hasattr(value, "a") and hasattr(value, "b"):
        return value.a, value.b
    if isinstance(value, tuple | list | np.ndarray) and len(value) == 2:
        return value[0], value[1]
    raise invalid(where, value, expected=wanted)


def _refuse_surrogates(texts: Sequence[str], name: str, *, of: str = "") -> None:
    """Raise for lone surrogates, as left by invalid JSON escapes, which have no bytes and no tokens."""
    for start in range(0, len(texts), _AT_ONCE):
        part = texts[start : start + _AT_ONCE]
        try:
            "".join(part).encode()
        except UnicodeEncodeError:
            place = next(place for place, text in enumerate(part, start) if not _is_whole(text))
            raise UsageError(
                f"{name}[{place}]{of} is {shown(texts[place])}, with half a character (a lone surrogate)",
                fix="repair it, or leave it out",
                params=(name,),
                value=texts[place],
            ) from None


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
