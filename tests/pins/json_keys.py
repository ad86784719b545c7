"""JSON keys printed by commands with ``--json``, as paths; optional ones end with a question mark.

A mapping whose keys are data (names of measures, of files, of sides) counts as one key, ``*``.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.pins import pinned
from textkin.cli.commands import GROUPS

SEEN = "TEXTKIN_PINS_SEEN"  # a file that takes each object that a command printed, where the pins are written
BY_DATA = frozenset(
    {
        *("against", "arguments", "at_cosine", "dropped", "extras", "figures", "files", "folders"),
        *("hashes", "label_shares", "labels", "limits", "measures", "metadata", "packages", "passport"),
        *("per_query", "per_question", "recall", "rankings", "settings", "sides", "skipped", "test"),
        *("versions", "weights"),
    }
)
"""Keys of mappings whose own keys are data."""

Shapes = dict[str, list[frozenset[str]]]


def command_of(arguments: Iterable[object]) -> str:
    """The name of a command, including its subcommand."""
    first, *rest = map(str, arguments)
    return f"{first} {rest[0]}" if first in GROUPS else first


def shapes(value: Any, place: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """The keys of each object within a value, by the object's path."""
    if isinstance(value, list):
        for one in value:
            yield from shapes(one, f"{place}[]")
    elif isinstance(value, dict) and place.rpartition("/")[2] in BY_DATA:
        for one in value.values():
            yield from shapes(one, f"{place}/*")
    elif isinstance(value, dict):
        yield place, frozenset(value)
        for key, one in value.items():
            yield from shapes(one, f"{place}/{key}" if place else key)


def lines(seen: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """A line for each key of each command, from the commands' output."""
    found: dict[str, Shapes] = defaultdict(lambda: defaultdict(list))
    for command, value in seen:
        for place, keys in shapes(value):
            found[command][place].append(keys)
    for command, places in found.items():
        for place, instances in places.items():
            always = frozenset.intersection(*instances)
            for key in frozenset().union(*instances):
                path = f"{place}/{key}" if place else key
                yield f"{command}: {path}{'' if key in always else '?'}"


def check(arguments: tuple[object, ...], printed: str) -> None:
    """Compare a command's output with the pinned keys, or record it on request."""
    command = command_of(arguments)
    values = [json.loads(line) for line in printed.splitlines()]
    if place := os.environ.get(SEEN):
        with Path(place).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps([command, value]) + "\n" for value in values)
        return
    if found := [difference for value in values for difference in odd(command, value)]:
        raise AssertionError("\n".join(["keys of --json differ from tests/pins/json_keys.txt:", *found]))


def odd(command: str, value: Any) -> list[str]:
    """Keys that are not pinned, with a plus, and keys that are missing, with a minus."""
    known: dict[str, set[str]] = defaultdict(set)
    needed: dict[str, set[str]] = defaultdict(set)
    for line in pinned("json_keys"):
        name, _, path = line.partition(": ")
        if name == command:
            place, _, key = path.removesuffix("?").rpartition("/")
            known[place].add(key)
            if not path.endswith("?"):
                needed[place].add(key)
    found = []
    for place, keys in shapes(value):
        inside = f"{command}: {place}/" if place else f"{command}: "
        found += [f"+ {inside}{key}" for key in sorted(keys - known[place])]
        found += [f"- {inside}{key}" for key in sorted(needed[place] - keys)]
    return found
