"""A user's own back end, by import path, guarded so that its errors become textkin's."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, ParamSpec, TypeVar

from textkin.base.errors import OutputError, TextkinError, invalid, said
from textkin.base.import_path import called, failed, imported
from textkin.collection.store.address import Address
from textkin.collection.store.back_end import BackEnd

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_KIND = "collection"
_METHODS = tuple(name for name, value in vars(BackEnd).items() if callable(value) and name[0] != "_")


def own_back_end(address: Address) -> BackEnd:
    """A user's back end. Whatever it raises that isn't textkin's becomes an error that names it.

    Args:
        address: its address, ``my_store:Lines://notes.jsonl``; the class is called with what follows ``://``.

    Raises:
        UsageError: there is no such class, it lacks a method, or it fails.
    """
    path = address.scheme
    found = imported(path, kind=_KIND)
    if not (isinstance(found, type) and issubclass(found, BackEnd)):
        raise invalid(_KIND, path, expected="a class derived from textkin.verbs.BackEnd")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise invalid(_KIND, path, expected=f"a class that also has {', '.join(missing)}")
    own: BackEnd = called(path, found, address.secret, kind=_KIND, options={})
    own.place = address
    for name in _METHODS:
        setattr(own, name, _guarded(path, getattr(own, name), name))
    return own


def _guarded(
    path: str, method: Callable[_Given, _Result], name: str
) -> Callable[_Given, _Result | Iterator[Any] | AbstractContextManager[None]]:
    """A method whose errors are textkin's, and whose result is checked where a wrong one would do harm."""

    def guarded(
        *arguments: _Given.args, **options: _Given.kwargs
    ) -> _Result | Iterator[Any] | AbstractContextManager[None]:
        with _told(path):
            found = method(*arguments, **options)
            if name == "write" and not isinstance(found, bool):
                raise TypeError(f"write gave {found!r}, expected True or False")
        if name == "locked":
            return _entered(path, found)
        if name == "rows":
            return _rows(path, found, arguments[1])
        return _each(path, found) if isinstance(found, Iterator) else found

    return guarded


def _rows(path: str, rows: Any, columns: Any) -> Iterator[tuple[Any, ...]]:
    for row in _each(path, rows):
        with _told(path):
            if len(row) != len(columns):
                raise ValueError(f"rows gave {row!r}, expected {', '.join(columns)}")
        yield row


@contextmanager
def _entered(path: str, context: Any) -> Iterator[None]:
    with ExitStack() as stack:
        with _told(path):
            stack.enter_context(context)
        yield


def _each(path: str, values: Any) -> Iterator[Any]:
    with _told(path):
        yield from values


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except TextkinError:
        raise
    except OSError as error:
        raise OutputError(
            f"`{_KIND}` {path} failed: {said(error)}",
            fix="try again, and check that its dependencies are there",
        ) from error
    except Exception as error:  # a user's code may raise anything
        raise failed(path, error, kind=_KIND) from error
