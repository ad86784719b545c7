"""Every exception that textkin raises on purpose.

::

    TextkinError
    ├── UsageError          a wrong argument, or arguments that exclude each other        exit 2
    ├── DataError           an invalid input file or record                               exit 3
    │   └── LeakError       two sets that must be disjoint share texts                    exit 3
    ├── ConfigError         a recipe or settings have an unknown key or a wrong value     exit 4
    ├── ModelError          a model directory is missing, truncated, foreign or too new   exit 5
    ├── TrainingError       training can't continue (NaN loss, nothing to learn from)     exit 6
    ├── OutputError         a result can't be written (disk full, read-only, exists)      exit 7
    ├── VerifyError         a recomputed metric or hash differs from the recorded one     exit 8
    ├── MissingExtraError   an optional package is not installed                          exit 9
    ├── PromiseError        the labels don't support the requested guarantee              exit 10
    └── WorkersError        workers on this or other machines fail or crash repeatedly    exit 13

A message gives the value, the expectation, and the fix. Options and verbs are written as marks, which each
interface spells in its own way (``spelling.py``). Parts taken from data, such as column names, are shown
without terminal control characters. A long message is shortened in the middle, and the address of a database
loses its password, here and nowhere else. The command line prints the message on one line and exits with the
code of its class.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import Enum
from pathlib import Path, PurePath
from reprlib import Repr

from textkin.base.paths import shown
from textkin.base.printable import shortened, visible
from textkin.base.spelling import is_offered, spelt

_LONGEST_MESSAGE = 1_500  # characters, as of a fix too
_MOST_NAMES = 20  # that an error lists
_LONGEST_VALUE = 80  # characters of an option's value
_LONGEST = 300  # characters of another library's error

# A path made from an address has one slash, and a password may contain anything but whitespace.
_PASSWORD = re.compile(r"((?:postgres(?:ql)?|(?<![\w.])[\w.]+:\w+):/{1,2}[^:@/\s]*):\S*@")
_PASSWORD_PARAMETER = re.compile(r"(\bpostgres(?:ql)?:/\S*[?&](?:ssl)?password=)[^&\s]*")


class TextkinError(Exception):
    """Base of all textkin errors.

    Args:
        message: the problem, with the offending value and the expectation; the path comes before it.
        fix: advice for the user, as an imperative sentence without a full stop.

    Attributes:
        path: path of the wrong file or folder, if there is one.
        line: 1-based number of its wrong line, or of a column file's row, if there is one.
        params: names of the wrong options in Python, of the wrong keys of a recipe or a file, or of what else
            is wrong.
        value: the offending value; None for options that exclude each other.
        expected: description of valid values; None for options that exclude each other.

    Example:
        >>> import textkin as tk
        >>> try:
        ...     tk.load("no/such/folder")
        ... except tk.TextkinError as error:
        ...     print(type(error).__name__, error.exit_code)
        ModelError 5
    """

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        fix: str | None = None,
        params: tuple[str, ...] = (),
        value: object = None,
        expected: str | None = None,
    ) -> None:
        place = "" if path is None else f"{shown(path)}: "
        if path is not None and line is not None:
            place = f"{shown(path)}: row {line}: " if has_rows(path) else f"{shown(path)}:{line}: "
        self.message = _shown(place + message)
        self.path = path
        self.line = line
        self.fix = None if fix is None else _shown(fix)
        self.params = params
        self.value = value
        self.expected = expected
        super().__init__(self.message)

    def __str__(self) -> str:
        return spelt(f"{self.message}; {self.fix}" if self.fix else self.message)


def without_passwords(text: str) -> str:
    """The text without the passwords of addresses in it."""
    return _PASSWORD_PARAMETER.sub(r"\1...", _PASSWORD.sub(r"\1@", text))


def _shown(text: str) -> str:
    return shortened(visible(without_passwords(text)), _LONGEST_MESSAGE)


def either(*ways: str) -> str | None:
    """A fix from several ways, without those that name an option which the verb that runs doesn't have.

    None if no way is left.

    Example:
        >>> either("check the path", "fetch it with `download`")
        'check the path, or fetch it with `download`'
    """
    offered = [way for way in ways if is_offered(way)]
    *first, last = offered or [""]
    return f"{', '.join(first)}, or {last}" if first else last or None


class UsageError(TextkinError):
    """A wrong argument, or arguments that exclude each other."""

    exit_code = 2


def invalid(param: str, value: object, *, expected: str, fix: str | None = None) -> UsageError:
    """An error for an invalid value of an option.

    Args:
        param: the option's name in Python; of a list's item with its place, such as "texts[3]".
        value: what it was given.
        expected: what it takes, such as "a number from 0 to 1".
        fix: what else the user can do.

    Example:
        >>> print(invalid("min_probability", 1.5, expected="a number from 0 to 1"))
        min_probability is 1.5, expected a number from 0 to 1
    """
    return _wrong(_mark(param), value, expected, fix, param.partition("[")[0])


def wrong_setting(name: str, value: object, *, expected: str, fix: str | None = None) -> UsageError:
    """An error for what a recipe sets: :func:`invalid` without a mark, as it is not an option.

    Example:
        >>> print(wrong_setting("bins", 1, expected="at least 2"))
        bins is 1, expected at least 2
    """
    return _wrong(name, value, expected, fix, name)


def _wrong(called: str, value: object, expected: str, fix: str | None, param: str) -> UsageError:
    told = f"{called} is {_value(value)}, expected {expected}"
    return UsageError(told, fix=fix, params=(param,), value=value, expected=expected)


def _mark(param: str) -> str:
    """The mark of an option, or of an item of it."""
    name, bracket, place = param.partition("[")
    return f"`{name}`{bracket}{place}" if name.isidentifier() else param


def _value(value: object) -> str:
    """A value as a user would write it: paths, words of a list and NumPy's numbers as texts and numbers."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, PurePath):
        value = str(value)
    elif hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    short = Repr()
    short.maxstring = short.maxother = _LONGEST_VALUE
    return " ".join(short.repr(value).split())


def unknown_choice(param: str, value: object, known: Iterable[str]) -> UsageError:
    """An error for a value outside of an option's choices, with the nearest choice.

    Example:
        >>> print(unknown_choice("keep", "longst", ["longest", "first"]))
        keep is 'longst', expected longest or first; did you mean 'longest'?
    """
    names = list(map(str, known))
    if len(names) > _MOST_NAMES:
        words = f"{', '.join(names[:_MOST_NAMES])} or one of {len(names) - _MOST_NAMES:,} more"
    else:
        words = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    near = nearest(str(value), names)
    return invalid(param, value, expected=words, fix=near and f"did you mean {near!r}?")


def conflict(*params: str, why: str = "", fix: str | None = None) -> UsageError:
    """An error for options that exclude each other.

    Example:
        >>> print(conflict("threshold", "dev", why="dev fits a threshold"))
        threshold and dev can't be combined: dev fits a threshold; give one of them
    """
    reason = f": {why}" if why else ""
    return UsageError(
        f"{_listed(params)} can't be combined{reason}",
        fix=fix or "give one of them",
        params=params,
    )


def inapplicable(*params: str, to: str, fix: str | None = None) -> UsageError:
    """An error for options that the data, the model or another option have no use for.

    Args:
        params: the options, by their names in Python.
        to: what they don't apply to, such as "collections".
        fix: what else the user can do than leave them out.

    Example:
        >>> print(inapplicable("dev", to="multiple-choice questions"))
        dev doesn't apply to multiple-choice questions; leave it out
    """
    several = len(params) > 1
    return UsageError(
        f"{_listed(params)} {'do' if several else 'does'}n't apply to {to}",
        fix=fix or f"leave {'them' if several else 'it'} out",
        params=params,
    )


def required(*params: str, by: str, fix: str | None = None) -> UsageError:
    """An error for options that are missing.

    Args:
        params: the options, by their names in Python.
        by: what needs them.
        fix: what else the user can do.

    Example:
        >>> print(required("precision", by="`proof`"))
        proof needs precision
    """
    return UsageError(f"{by} needs {_listed(params)}", fix=fix, params=params)


def _listed(params: tuple[str, ...]) -> str:
    *first, last = (f"`{param}`" for param in params)
    return f"{', '.join(first)} and {last}" if first else last


COLUMN_FILES = (".parquet", ".arrow", ".feather")
"""File name endings of column files, which have numbered rows and no lines."""


WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""File name endings of spreadsheets, which have rows as well."""


def is_column_file(path: Path | str) -> bool:
    """True if a file is named like Parquet or Arrow files."""
    return str(path).lower().endswith(COLUMN_FILES)


def is_workbook(path: Path | str) -> bool:
    """True if a file is named like Excel or OpenDocument spreadsheets."""
    return str(path).lower().endswith(WORKBOOKS)


def has_rows(path: Path | str) -> bool:
    """True if a file has numbered rows rather than lines."""
    return is_column_file(path) or is_workbook(path)


class DataError(TextkinError):
    """An invalid input file or record."""

    exit_code = 3


def not_finite(name: str, what: str = "scores") -> DataError:
    """An error for a system whose numbers are not finite."""
    told = f"{name} gives {what} that are not finite"
    return DataError(told, fix="leave it out", params=(name,), expected="finite numbers")


class LeakError(DataError):
    """Two sets that must be disjoint share texts."""


class ConfigError(TextkinError):
    """A recipe or a settings file has an unknown key, or a value out of range."""

    exit_code = 4


class ModelError(TextkinError):
    """A model directory is missing, truncated, foreign or too new."""

    exit_code = 5


class TrainingError(TextkinError):
    """Training can't continue."""

    exit_code = 6


class OutputError(TextkinError):
    """A result can't be written."""

    exit_code = 7


class VerifyError(TextkinError):
    """A recomputed metric or hash differs from the recorded one."""

    exit_code = 8


class MissingExtraError(TextkinError):
    """An optional package is not installed, or broken.

    Args:
        package: name of the package.
        extra: the extra of textkin that installs it.
        why: its error message, if it is installed.
    """

    exit_code = 9

    def __init__(self, package: str, *, extra: str, why: str | None = None) -> None:
        if why is None:
            what, fix = "is not installed", f"run: pip install 'textkin[{extra}]'"
        else:
            what, fix = f"can't be imported: {why}", f"run: pip install --force-reinstall {package}"
        super().__init__(f"this needs the package {package!r}, which {what}", fix=fix)


class PromiseError(TextkinError):
    """The labels don't support the requested guarantee, such as a precision.

    Attributes:
        found: the :class:`Result` that was written nevertheless; None if there is none.
    """

    exit_code = 10
    found: object = None


class WorkersError(TextkinError):
    """Workers on this or other machines fail, or crash repeatedly."""

    exit_code = 13


def said(error: BaseException, *, whole: bool = False) -> str:
    """Another library's error in one short line: its first sentence, or all of them."""
    if isinstance(error, KeyError):
        return f"the key {str(error)[:_LONGEST]} is missing"
    words = " ".join(str(error).split()) or type(error).__name__
    if not whole:
        words = words.partition(". ")[0].removesuffix(".")
    return words if len(words) <= _LONGEST else words[:_LONGEST].rstrip() + " ..."


def nearest(value: str, known: Sequence[str]) -> str | None:
    """The known name that is spelt like a value, ignoring case; None if there is none."""
    folded = {name.casefold(): name for name in reversed(known)}
    near = get_close_matches(value.casefold(), folded, n=1)
    return folded[near[0]] if near else None


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """The fix for an unknown name: the nearest known one, ignoring case, or the first ones."""
    names = list(known)
    if near := nearest(value, names):
        return f"did you mean {near!r}?"
    if not names:
        return "leave it out"
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return "choose one of: " + ", ".join(names[:_MOST_NAMES]) + more
