"""Public verbs: functions whose signature is what every interface offers."""

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from textkin.base.argument_checks import checked
from textkin.base.errors import did_you_mean
from textkin.base.options import Declared, options_of

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_ELSEWHERE = {
    "top_k": "k",
    "limit": "top",
    "model_name": "model",
    "cutoff": "threshold",
    "min_score": "threshold",
    "random_state": "seed",
    "valid_size": "dev_size",
    "validation_size": "dev_size",
}
"""Names of options in neighbouring libraries."""


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

    @wraps(function)
    def called(*arguments: _Given.args, **named: _Given.kwargs) -> _Result:
        for other in names.keys() & named.keys():
            if names[other] not in named:
                named[names[other]] = named.pop(other)
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(_right_call(function.__name__, signature, len(arguments), named, error)) from None
        return checking(*arguments, **named)

    called.__doc__ = _described(function.__doc__ or "", options_of(function))
    return called


def _right_call(
    name: str, signature: inspect.Signature, count: int, named: dict[str, object], error: TypeError
) -> str:
    """Words on how to call a verb."""
    parameters = signature.parameters
    for given in named:
        if given not in parameters:
            other = _ELSEWHERE.get(given, "")
            near = f"did you mean {other!r}?" if other in parameters else did_you_mean(given, parameters)
            return f"{name}() has no option {given!r}; {near}"
    places = [one for one in parameters.values() if one.kind is not one.KEYWORD_ONLY]
    if count > len(places):
        others = [one.name for one in parameters.values() if one.kind is one.KEYWORD_ONLY]
        shown = ", ".join([*(one.name for one in places), f"{next(iter(others), 'option')}=..."])
        unit = "argument" if len(places) == 1 else "arguments"
        return f"{name}() takes {len(places)} {unit} without a name; write {name}({shown})"
    return f"{name}(): {error}"


def _described(doc: str, options: tuple[Declared, ...]) -> str:
    """A docstring with the options' help as its arguments, before what it raises."""
    if not options or "Args:" in doc:
        return doc
    lines = [f"    {one.name}: {one.option.help} {one.option.python}".rstrip() for one in options]
    text = inspect.cleandoc(doc)
    section = re.search(r"\n\n(Returns|Raises|Example):\n", text)
    place = section.start() if section else len(text)
    return "\n".join([text[:place], "", "Args:", *lines]) + text[place:]
