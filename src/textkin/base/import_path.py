"""A user's own parts by import path, such as ``my_model:Net``, or by the name of an entry point.

Modules are found where Python finds them; for a command, also in the current directory. A module in a model
folder is never imported: a model is data, and may come from anyone. An installed package can name a part by
an entry point of the group ``textkin.architecture``, ``textkin.loss`` and so on.
"""

import ast
import inspect
import json
import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module, invalidate_caches
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType, ModuleType
from typing import Any

from textkin.base.errors import TextkinError, UsageError, did_you_mean, invalid, said
from textkin.base.files import sha256_of_file
from textkin.base.python_values import plain
from textkin.base.spelling import is_command

MODEL_FILE = "textkin.json"
"""The file that makes a folder a model of textkin."""

_OURS = "textkin"
_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Origin:
    """The code of an own part, as it is noted with a model.

    Attributes:
        path: the import path.
        version: the version of its package, if it has one.
        sha256: the hash of its module's file; None if it has none.
    """

    path: str
    version: str | None
    sha256: str | None


def is_import_path(name: object) -> bool:
    """True for ``module:name`` and ``package.module:name``."""
    return isinstance(name, str) and _PATH.fullmatch(name) is not None


def import_path(name: str, *, kind: str) -> str | None:
    """The import path in a name, or that of the entry point with this name; None for other names."""
    if is_import_path(name):
        return name
    from importlib import metadata  # slow to import, and seldom needed

    found = next(iter(metadata.entry_points(group=f"textkin.{kind}", name=name)), None)
    return None if found is None or not is_import_path(found.value) else found.value


def imported(path: str, *, kind: str) -> Any:
    """The object at an import path.

    Args:
        path: as ``my_model:Net``.
        kind: the option that names it, such as "architecture".

    Raises:
        UsageError: there is no such module or name, the module can't be imported, or it is in a model folder.
    """
    module, _, name = path.partition(":")
    with _current_folder():
        _file_of(path, kind)
        try:
            found = import_module(module)
        except Exception as error:  # a user's module may raise anything
            raise UsageError(
                f"`{kind}` {path}: importing {module} failed: {type(error).__name__}: {said(error)}",
                fix="correct the module",
                params=(kind,),
                value=path,
                expected="a module that can be imported",
            ) from error
    if not hasattr(found, name):
        names = [
            one
            for one, value in vars(found).items()
            if not one.startswith("_") and not isinstance(value, ModuleType)
        ]
        raise invalid(kind, path, expected=f"a name in the module {module}", fix=did_you_mean(name, names))
    return getattr(found, name)


def origin_of(path: str, *, kind: str) -> Origin:
    """The version and the hash of the code at an import path, which isn't imported for that.

    Raises:
        UsageError: there is no such module, or it is in a model folder.
    """
    with _current_folder():
        file = _file_of(path, kind)
    from importlib import metadata

    package = path.partition(":")[0].partition(".")[0]
    version = None
    with suppress(metadata.PackageNotFoundError):
        version = metadata.version(package)
    return Origin(path, version, None if file is None else sha256_of_file(file))


def path_of_object(part: Any, *, kind: str) -> tuple[str, dict[str, Any]]:
    """The import path and the options of a part given as an object.

    Args:
        part: a class or function of a module, a ``functools.partial`` of one, its import path, or this with
            options, such as ``"my_model:Net(hidden=32)"``.
        kind: the option that names it.

    Raises:
        UsageError: other programs couldn't find it by a path, or its options are no plain values.
    """
    options: dict[str, Any] = {}
    if isinstance(part, str):
        return parsed(part, kind=kind)
    if isinstance(part, partial):
        if part.args:
            raise invalid(kind, part, expected="options by name")
        options = {name: plain(value) for name, value in part.keywords.items()}
        try:
            json.dumps(options)
        except (TypeError, ValueError):
            raise invalid(
                kind, part, expected="options that JSON has: numbers, texts, lists of them"
            ) from None
        part = part.func
    module, name = getattr(part, "__module__", None), getattr(part, "__qualname__", "")
    path = f"{module}:{name}"
    if not is_import_path(path) or getattr(sys.modules.get(str(module)), name, None) is not part:
        raise invalid(
            kind, part, expected="a class or function of a module", fix="define it at the top of a file"
        )
    return path, options


def parsed(word: str, *, kind: str) -> tuple[str, dict[str, Any]]:
    """A name and the options in parentheses after it: ``my_model:Net(hidden=32)``.

    Raises:
        UsageError: an option is not a plain value by name.
    """
    name, bracket, rest = word.partition("(")
    if not bracket:
        return word, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if isinstance(call, ast.Call) and not call.args and all(one.arg for one in call.keywords):
            return name, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError):
        pass
    raise invalid(kind, word, expected="options such as (hidden=32) after the name")


def called(path: str, function: Any, *arguments: Any, kind: str, options: Mapping[str, Any]) -> Any:
    """The result of calling an own part, with all its errors as textkin's.

    Raises:
        UsageError: it can't be called so, or fails.
    """
    if not callable(function):
        raise invalid(kind, path, expected=f"a function or class, not a {type(function).__name__}")
    try:
        return function(*arguments, **options)
    except (TextkinError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a program of the user that ends would end this one
        raise failed(path, error, kind=kind) from error


def takes(function: Any, count: int) -> bool:
    """True if something can be called with so many arguments, as far as its signature says."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # from compiled code
        return callable(function)
    return True


def called_method(
    part: Any, name: str, *arguments: Any, options: Mapping[str, Any] = MappingProxyType({})
) -> Any:
    """The result of a method of a system; if it is a user's, with all its errors as textkin's.

    Raises:
        UsageError: a user's method can't be called so, or fails.
    """
    method = getattr(part, name)
    if type(part).__module__.partition(".")[0] == _OURS:
        return method(*arguments, **options)
    return called(f"{type(part).__name__}.{name}", method, *arguments, kind="model", options=options)


def failed(path: str, error: BaseException, *, kind: str) -> UsageError:
    """An error for own code that raised one, with the line that did."""
    return UsageError(
        f"`{kind}` {path} failed: {type(error).__name__}: {said(error)}",
        fix=f"correct {line_of(error) or 'it'}",
        params=(kind,),
        value=path,
    )


def line_of(error: BaseException) -> str:
    """The last line outside of textkin and of installed packages that an error came from; "" without one."""
    installed = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    others = (*installed, f"{Path(__file__).parents[1]}{os.sep}", "<")
    own = [one for one in extract_tb(error.__traceback__) if not one.filename.startswith(others)]
    if not own:
        return ""
    line = f": {own[-1].line}" if own[-1].line else ""
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}{line}"


def _file_of(path: str, kind: str) -> Path | None:
    """The file of a module, found without importing it.

    Raises:
        UsageError: there is no such module, or it is in a model folder.
    """
    module = path.partition(":")[0]
    loaded = sys.modules.get(module)
    places = _places(module) if loaded is None else [getattr(loaded, "__file__", None) or ""]
    if not places:
        raise invalid(
            kind,
            path,
            expected=f"a module {module} that Python finds",
            fix=f"put {module.replace('.', '/')}.py in the current directory, or its folder into PYTHONPATH",
        )
    files = [Path(one).resolve() for one in places if one]
    for file in files:
        if any((folder / MODEL_FILE).is_file() for folder in (file, *file.parents)):
            raise invalid(
                kind,
                path,
                expected="a module outside of model folders, whose code is never run",
                fix=f"look at {file} first, and put it elsewhere",
            )
    return next((file for file in files if file.is_file()), None)


def _places(module: str) -> list[str]:
    """The file of a module, or the folders of a package without one; empty if there is none."""
    parts, folders, found = module.split("."), None, []
    for depth in range(len(parts)):
        spec = _spec(".".join(parts[: depth + 1]), folders)
        if spec is None:
            return []
        folders = spec.submodule_search_locations
        found = [spec.origin] if spec.has_location and spec.origin else list(folders or ["frozen"])
        if folders is None and depth < len(parts) - 1:
            return []
    return found


def _spec(name: str, folders: Any) -> Any:
    """The specification of a module as Python's import finds it, without importing its packages."""
    finders = (finder for finder in sys.meta_path if hasattr(finder, "find_spec"))
    return next((spec for finder in finders if (spec := finder.find_spec(name, folders))), None)


@contextmanager
def _current_folder() -> Iterator[None]:
    """Let a command find modules in the current directory, after all others."""
    invalidate_caches()
    folder = None
    with suppress(OSError):
        folder = str(Path.cwd()) if is_command() else None
    if folder is None or folder in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
