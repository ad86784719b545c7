"""Arguments checked by their annotations."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import textkin as tk
from textkin.base.argument_checks import check_fields, checked
from textkin.base.errors import UsageError
from textkin.base.options import Option

Where = Annotated[str, Option("Entries that match, such as 'year >= 2020'; default: all.")]
Near = Annotated[float, Option("Least similarity, such as 0.9.")]


class Colour(StrEnum):
    """A list of words."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Given:
    """Checked fields, and one that isn't."""

    number: float | None = None
    count: int = 1
    flag: bool = False
    word: str | None = None
    colour: Colour = Colour.RED
    rule: Literal["loose", "tight"] = "loose"
    place: Path | None = None
    either: Path | str | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("number", np.float32(0.5), 0.5),
        ("number", 1, 1),
        ("number", Decimal("0.25"), 0.25),
        ("count", np.int64(3), 3),
        ("count", np.array(3), 3),
        ("flag", np.True_, True),
        ("word", np.str_("a"), "a"),
        ("colour", "blue", Colour.BLUE),
        ("rule", "tight", "tight"),
        ("place", "here", Path("here")),
        ("either", "here", "here"),
        ("names", 5, 5),  # checked by its user
    ],
)
def test_values_become_pythons(name: str, given: Any, expected: Any) -> None:
    found = getattr(Given(**{name: given}), name)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("number", "0.5"),
        ("number", True),
        ("number", float("nan")),
        ("number", [0.5]),
        ("count", 2.0),
        ("count", True),
        ("count", None),
        ("count", "2"),
        ("flag", 1),
        ("flag", "true"),
        ("word", 5),
        ("word", b"a"),
        ("colour", "green"),
        ("rule", "Loose"),
        ("rule", None),
        ("place", 5),
        ("either", 5),
    ],
)
def test_others_are_refused_by_name(name: str, given: Any) -> None:
    with pytest.raises(UsageError) as error:
        Given(**{name: given})
    assert error.value.params == (name,)


def test_functions() -> None:
    @checked
    def taking(data: Any, *rest: int, count: int = 1, given: Given | None = None, **more: str) -> Any:
        return data, rest, count, given, more

    assert taking([1], "a", count=np.int8(2), what="x") == ([1], ("a",), 2, None, {"what": "x"})  # type: ignore[arg-type]
    with pytest.raises(UsageError) as error:
        taking(1, given={})  # type: ignore[arg-type]
    assert error.value.params == ("given",)
    with pytest.raises(TypeError, match=r"taking\(\) missing 1 required positional argument: 'data'"):
        taking()  # type: ignore[call-arg]


def test_a_refusal_has_the_example_of_the_help() -> None:
    @checked
    def taking(where: Where = "", near: Near = 0.0) -> None: ...

    with pytest.raises(UsageError, match=r"^where is 2020, expected a text, such as 'year >= 2020'$"):
        taking(where=2020)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^near is \[\], expected a number, such as 0\.9$"):
        taking(near=[])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "verb", ["score", "mine", "dedupe", "cluster", "classify", "encode", "train", "split"]
)
def test_verbs_are_checked(verb: str) -> None:
    assert hasattr(getattr(tk, verb), "__wrapped__")
