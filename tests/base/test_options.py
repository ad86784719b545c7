from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from textkin.base.options import REQUIRED, Option, between, flat, gathered, options_of


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark blue"


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: Annotated[int, Option("Depth.", low=0)] = 3


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: Annotated[str, Option("Name.")]
    inner: Inner


def command(
    data: Annotated[Any, Option("Data.", command=Path)],
    /,
    models: Annotated[tuple[str, ...], Option("Models.", argument=True)] = (),
    *,
    outer: Outer,
    ways: Annotated[Literal["a", "b"], Option("Ways.")] = "a",
    colour: Annotated[Colour, Option("Colour.")] = Colour.RED,
    pair_of: Annotated[tuple[Path, Path] | None, Option("Two files.", flag="--pair", short="-p")] = None,
    loud: Annotated[bool, Option("Loud.")] = False,
    unknown: "Unknown" = None,  # type: ignore[name-defined]  # noqa: F821
) -> Any:
    return data, models, outer, ways, colour, pair_of, loud, unknown


@pytest.mark.parametrize(
    ("name", "flags", "kind", "choices", "several", "together", "positional", "default"),
    [
        ("data", ("DATA",), Path, (), False, 1, True, REQUIRED),
        ("models", ("MODELS",), str, (), True, 1, True, ()),
        ("name", ("--name",), str, (), False, 1, False, REQUIRED),
        ("depth", ("--depth",), int, (), False, 1, False, 3),
        ("ways", ("--ways",), str, ("a", "b"), False, 1, False, "a"),
        ("colour", ("--colour",), Colour, ("red", "dark blue"), False, 1, False, Colour.RED),
        ("pair_of", ("--pair", "-p"), Path, (), False, 2, False, None),
        ("loud", ("--loud",), bool, (), False, 1, False, False),
    ],
)
def test_an_option_is_read_off_the_signature(
    name, flags, kind, choices, several, together, positional, default
):
    (one,) = [each for each in options_of(command) if each.name == name]
    assert (one.flags, one.kind, one.choices) == (flags, kind, choices)
    assert (one.several, one.together, one.positional) == (several, together, positional)
    assert one.default is default or one.default == default


def test_fields_of_groups_stand_in_their_place():
    assert list(flat(command).parameters) == [
        *("data", "models", "name", "depth", "ways", "colour", "pair_of", "loud", "unknown")
    ]
    assert flat(command).parameters["depth"].kind is Parameter.KEYWORD_ONLY
    found = gathered(command, {"data": 1, "name": "n", "depth": 7, "loud": True})
    assert found == (1, (), Outer(name="n", inner=Inner(depth=7)), "a", Colour.RED, None, True, None)
    assert signature(command).parameters["outer"].kind is Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 1, "a number from 0 to 1"),
        (1, None, "a number of at least 1"),
        (None, 1000, "a number of at most 1,000"),
    ],
)
def test_bounds_in_words(low, high, words):
    assert between(low, high) == words
