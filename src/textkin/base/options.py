"""Options of public functions, declared once, in the function's signature.

``Annotated[float | None, Option("Minimum cosine of duplicates.", low=-1, high=1)]`` is what the command line,
settings files and the environment offer, and what a route's body takes. This module reads such signatures. It
knows no command line.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from enum import Enum
from inspect import Parameter, Signature, signature, unwrap
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

REQUIRED = Parameter.empty
"""The default of an option that has none."""


@dataclass(frozen=True, slots=True)
class Option:
    """Metadata of an option in a signature: help, bounds, flag and metavar.

    Attributes:
        help: one or more sentences for people.
        flag: its word on the command line; made of the parameter's name if None.
        short: a second flag, such as "-k".
        metavar: a word for the value.
        low: the least value of a number.
        high: the greatest value of a number.
        panel: the heading that it stands below in help.
        rare: True to show it in the complete help only.
        parse: makes the value of a word on the command line; None to go by the type.
        command: the type on the command line, where the signature's is wider; None to go by that.
        argument: True if the command line takes it without a flag, although Python may name it.
        required: True if the command line needs it, although Python doesn't.
        also: names of the same option in other libraries, which Python takes, too.
        python: a sentence on what Python takes besides.
    """

    help: str
    flag: str | None = None
    short: str | None = None
    metavar: str | None = None
    low: float | None = None
    high: float | None = None
    panel: str = "Options"
    rare: bool = False
    parse: Callable[[str], Any] | None = None
    command: Any = None
    argument: bool = False
    required: bool = False
    also: tuple[str, ...] = ()
    python: str = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """An option as a signature declares it.

    Attributes:
        name: of the parameter.
        kind: str, int, float, bool, Path, or an Enum.
        choices: the words that a value may be, if only some.
        several: True for any number of values.
        together: the number of values that stand together, such as 2 for a pair of files.
        positional: True for an argument that is given without its name.
        default: the value if it isn't given; ``REQUIRED`` if it must be.
        option: what else is said of it.
    """

    name: str
    kind: type
    choices: tuple[str, ...]
    several: bool
    together: int
    positional: bool
    default: Any
    option: Option

    @property
    def flag(self) -> str:
        """The flag on the command line; of an argument its name in capitals."""
        if self.positional:
            return self.name.upper().replace("_", "-")
        word = self.option.flag or self.name.replace("_", "-")
        return word if word.startswith("-") else f"--{word}"

    @property
    def flags(self) -> tuple[str, ...]:
        """All flags, the long one first."""
        return (self.flag, self.option.short) if self.option.short else (self.flag,)

    @property
    def required(self) -> bool:
        """True if it must be given."""
        return self.default is REQUIRED


def between(low: float | None, high: float | None) -> str:
    """The numbers between two bounds, in words."""
    if high is None:
        return f"a number of at least {low:,}"
    return f"a number of at most {high:,}" if low is None else f"a number from {low:,} to {high:,}"


def given(function: Callable[..., Any], values: Mapping[str, Any], names: Container[str]) -> list[str]:
    """The options among ``names`` whose values differ from their defaults."""
    options = (one for one in options_of(function) if one.name in names)
    return [one.name for one in options if not _is_default(values[one.name], one.default)]


def given_besides(
    function: Callable[..., Any], values: Mapping[str, Any], names: Container[str]
) -> list[str]:
    """The options that are not among ``names`` and whose values differ from their defaults."""
    return given(function, values, {one.name for one in options_of(function) if one.name not in names})


def _is_default(value: Any, default: Any) -> bool:
    """True for the default of an option; what may be an array isn't compared with None."""
    return value is None if default is None else bool(value == default)


def rarely(annotation: Any) -> Option:
    """The option of an annotation, for a verb whose short help leaves it out."""
    option: Option = annotation.__metadata__[-1]
    return replace(option, rare=True)


def options_of(function: Callable[..., Any]) -> tuple[Declared, ...]:
    """The options that a signature declares, in its order; other parameters are left out."""
    return tuple(_declared(flat(function)))


def _declared(shape: Signature) -> Iterator[Declared]:
    for one in shape.parameters.values():
        found = [each for each in getattr(one.annotation, "__metadata__", ()) if isinstance(each, Option)]
        if not found:
            continue
        option = found[-1]
        annotation = option.command or get_args(one.annotation)[0]
        kind, choices, several, together = _kind(annotation)
        positional = one.kind is Parameter.POSITIONAL_ONLY or option.argument
        default = REQUIRED if option.required else one.default
        yield Declared(one.name, kind, choices, several, together, positional, default, option)


def flat(function: Callable[..., Any]) -> Signature:
    """A signature in which groups of options are taken apart.

    A parameter whose type is a dataclass with options as fields stands for a parameter a field.
    """
    return Signature(list(_parameters(function)))


def gathered(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The value of a function or group for the values of all its options.

    Args:
        function: a function or a group, as :func:`flat` takes it.
        given: values by the names of the flat signature. What is missing has its default.
    """
    hints = _hints(function)
    positional, named = [], {}
    for name, one in signature(function).parameters.items():
        group = hints.get(name)
        if is_dataclass(group) and not isinstance(one.default, Enum):
            named[name] = gathered(group, given)  # type: ignore[arg-type]
        elif name in given:
            if one.kind is Parameter.POSITIONAL_ONLY:
                positional.append(given[name])
            else:
                named[name] = given[name]
    return function(*positional, **named)


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    hints = _hints(function)
    of_group = isinstance(function, type)
    for one in signature(function).parameters.values():
        hint = hints.get(one.name, Any)
        if is_dataclass(hint):
            yield from _parameters(hint)  # type: ignore[arg-type]
        else:
            kind = Parameter.KEYWORD_ONLY if of_group else one.kind
            yield one.replace(kind=kind, annotation=hint)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function or a group; those that only type checkers know are Any."""
    if isinstance(function, type):
        return get_type_hints(function, include_extras=True)
    inner = unwrap(function)
    return {name: _evaluated(one, inner.__globals__) for name, one in inner.__annotations__.items()}


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)
    except NameError:
        return Any


def _kind(annotation: Any) -> tuple[type, tuple[str, ...], bool, int]:
    """The type of a value, its choices, True for any number of values, the number that stand together."""
    several, together = False, 1
    while (origin := get_origin(annotation)) is not None:
        inner = [one for one in get_args(annotation) if one is not NoneType]
        if origin is Literal:
            return type(inner[0]), tuple(map(str, inner)), several, together
        if origin not in (list, tuple, Union, UnionType):
            break
        if origin is tuple and Ellipsis not in inner:
            together = len(inner)
        elif origin in (list, tuple):
            several = True
        annotation = inner[0]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return annotation, tuple(str(member.value) for member in annotation), several, together
    kind = annotation if annotation in (bool, int, float, Path) else str
    return kind, (), several, together
