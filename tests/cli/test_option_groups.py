"""The position of option groups in commands."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature

from textkin.cli.option_groups import spread


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: int = 3


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: str
    inner: Inner
    last: bool = False


def test_fields_of_groups_stand_in_their_place() -> None:
    def command(first: int, *, outer: Outer, end: str = "e") -> None:
        taken.append((first, outer, end))

    taken: list[tuple[int, Outer, str]] = []
    flat = spread(command)
    found = [(one.name, one.annotation, one.default) for one in signature(flat).parameters.values()]
    nothing = signature(command).parameters["first"].default
    assert found == [
        ("first", int, nothing),
        ("name", str, nothing),
        ("depth", int, 3),
        ("last", bool, False),
        ("end", str, "e"),
    ]
    flat(first=1, name="n", depth=7, last=True, end="x")
    assert taken == [(1, Outer(name="n", inner=Inner(depth=7), last=True), "x")]
