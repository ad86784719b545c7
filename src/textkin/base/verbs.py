"""Public verbs: functions whose signature is what every interface offers."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import PurePath
from typing import Any, ParamSpec, TypeVar, get_origin

from textkin.base.argument_checks import checked
from textkin.base.errors import did_you_mean
from textkin.base.frames import tabular
from textkin.base.neighbour_words import meant_option
from textkin.base.options import Declared, options_of
from textkin.base.progress import one_call
from textkin.base.spelling import offering

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def verb(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """A public function with its arguments checked and its options described.

    Values are checked by their annotations and by the bounds of their options. The options' help becomes the
    docstring's ``Args:``, so it is written once.

    Raises:
        TypeError: an argument has no such name, or stands in no place; it says the right call.
        UsageError: a value is of another type, out of bounds, or none of the choices.
    """
    checking = checked(function)
    signature = inspect.signature(function)
    names = {other: one.name for one in options_of(function) for other in one.option.also}
    places = [name for name, one in signature.parameters.items() if one.kind is one.POSITIONAL_ONLY]

    @wraps(function)
    def called(*arguments: _Given.args, **named: _Given.kwargs) -> _Result:
        for other in names.keys() & named.keys():
            if names[other] not in named:
                named[names[other]] = named.pop(other)
        given: list[Any] = list(arguments)
        for name in places[len(given) :]:  # these have places, but may be named as well
            if name not in named:
                break
            given.append(named.pop(name))
        try:
            signature.bind(*given, **named)
        except TypeError as error:
            raise TypeError(_right_call(function, signature, len(given), named, error)) from None
        taken = {name: tabular(value) for name, value in named.items()}
        with one_call(), offering(signature.parameters):
            return checking(*map(tabular, given), **taken)

    called.__doc__ = _described(function.__doc__ or "", options_of(function))
    return called


def written_call(function: Callable[..., object], given: Mapping[str, Any]) -> str:
    """The call of a verb as a user would write it, without arguments that have their defaults.

    Data in memory stand by the names of their arguments.

    Args:
        function: the verb.
        given: the values of its arguments, by their names; others are left out.

    Example:
        >>> import textkin as tk
        >>> written_call(tk.study, {"pairs": [("a", "b", 1)], "out": "run", "seeds": 3, "models": "static"})
        "tk.study(pairs, out='run', models='static')"
    """
    words = []
    for name, one in inspect.signature(function).parameters.items():
        value = given.get(name, one.default)
        is_default = value is one.default or (type(value) is type(one.default) and value == one.default)
        if not is_default:
            written = _written(value) or name
            words.append(written if one.kind is one.POSITIONAL_ONLY else f"{name}={written}")
    return f"tk.{function.__name__}({', '.join(words)})"


def _written(value: Any) -> str:
    """A number, a text, a path, or several of them, as in source text; "" of anything else."""
    if isinstance(value, str | int | float | PurePath):
        return repr(str(value) if isinstance(value, PurePath) else value)
    if isinstance(value, Mapping):
        parts = [(repr(name), _written(one)) for name, one in value.items()]
        return f"{{{', '.join(map(': '.join, parts))}}}" if all(one for _, one in parts) else ""
    if not isinstance(value, list | tuple):
        return ""
    items = [_written(one) for one in value if not isinstance(one, list | tuple | Mapping)]
    return f"[{', '.join(items)}]" if len(items) == len(value) and all(items) else ""


def _right_call(
    function: Callable[..., object],
    signature: inspect.Signature,
    count: int,
    named: dict[str, object],
    error: TypeError,
) -> str:
    """Words on how to call a verb."""
    name, parameters = function.__name__, signature.parameters
    for given in named:
        if given not in parameters:
            return unknown_option(name, given, parameters)
    places = [one for one in parameters.values() if one.kind is not one.KEYWORD_ONLY]
    if count > len(places):
        others = [one.name for one in parameters.values() if one.kind is one.KEYWORD_ONLY]
        lists = {one.name for one in options_of(function) if get_origin(one.option.command) is list}
        first = (f"[{one.name}, ...]" if one.name in lists else one.name for one in places)
        shown = ", ".join([*first, f"{next(iter(others), 'option')}=..."])
        unit = "argument" if len(places) == 1 else "arguments"
        return f"{name}() takes {len(places)} {unit} without a name; write {name}({shown})"
    return f"{name}(): {error}"


def unknown_option(verb: str, given: str, known: Iterable[str]) -> str:
    """Words on an option that a verb doesn't have, with the one that is meant, or all."""
    names = list(known)
    other = meant_option(given, names)
    near = f"did you mean {other!r}?" if other else did_you_mean(given, names)
    return f"{verb}() has no option {given!r}; {near}"


def _described(doc: str, options: tuple[Declared, ...]) -> str:
    """A docstring with the options' help as its arguments, before what it raises."""
    if not options or "Args:" in doc:
        return doc
    lines = [f"    {one.name}: {one.option.help} {one.option.python}".rstrip() for one in options]
    text = inspect.cleandoc(doc)
    section = re.search(r"\n\n(Returns|Raises|Example):\n", text)
    place = section.start() if section else len(text)
    return "\n".join([text[:place], "", "Args:", *lines]) + text[place:]
