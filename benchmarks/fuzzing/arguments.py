"""Arguments for the command line, drawn from each command's declared options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .files import Folder
from .mutate import mutated_bytes

_LONG = ("study", "train", "distil")
"""Commands that run long: their inputs are always invalid."""
_WITH_MODELS: tuple[str, ...] = ("calibrate", "export", "answer")
_WITH_MODELS += ("phrases embed",)
_WITHOUT_INPUT = ("demo", "doctor")  # they train, or measure the machine, in any case
_NEVER = ("--download", "--help", "-h")  # the one accesses the network, the others end everything
_VALUES = tuple(
    [
        "0",
        "-1",
        "1",
        "2",
        "7",
        "0.5",
        "1.5",
        "nan",
        "inf",
        "1e999",
        "1_000",
        "９",
        "a",
        "auto",
        "a=1,b=2",
        "a=1,b=2,label=3",
        "a=99",
        "=",
        "f1",
    ]
)
_VALUES += ("", "9" * 25, "precision=0.9", "\x1b[31mx", "\u202ex", "x" * 5_000, "é漢🙂", "constant", "tfidf")
_NOWHERE = ("loop", "missing.tsv", "x" * 300, "a/" * 3_000 + "b", "\x1b[2Jname", "", ".", "/dev/null")
_ODD_PATHS = (*_NOWHERE, "\x1b[2Jname.tsv", "escapes.tsv")
_MODELS: tuple[str, ...] = (
    "constant",
    "random",
    "tfidf",
    "tfidf-char",
    "bm25",
    "default",
    "sentence-bm25",
    "sliding-window",
    "pairs.tsv",
)
_MODELS += ("no/such", *_NOWHERE)


@dataclass(frozen=True)
class Command:
    """A command's positional arguments and options, each with True if it takes a value."""

    name: str
    positional: int
    options: Mapping[str, bool]


def commands() -> tuple[Command, ...]:
    """Every command with what its signature declares."""
    from textkin.cli.app import commands as all_commands

    found = []
    for command in all_commands():
        name = " ".join(command.path)
        if name in _WITHOUT_INPUT:
            continue
        options = {
            flag: one.kind is not bool
            for one in command.options
            if not one.positional
            for flag in one.flags
            if flag not in _NEVER
        }
        found.append(Command(name, sum(one.positional for one in command.options), options))
    return tuple(found)


def write_inputs(place: Path, samples: Mapping[str, Folder]) -> tuple[str, ...]:
    """Write every sample, and misleading names, into a folder.

    Returns:
        The names.
    """
    for name, content in samples.items():
        for inner, data in content.items():
            path = place / name / inner if len(content) > 1 else place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    (place / "loop").symlink_to("loop")
    row = "\x1b[31m\u202ered\tno\x07"
    odd = f"question1\tquestion2\tis_duplicate\n{row}\t1\n{row}\t0\nx\ty\t1\n"
    (place / "escapes.tsv").write_text(odd)
    (place / "\x1b[2Jname.tsv").write_text(odd)
    return (*samples, *_ODD_PATHS)


def drawn(draw: Random, known: tuple[Command, ...], inputs: tuple[str, ...]) -> list[str]:
    """The words after the program name."""
    command = draw.choice(known)
    pool = _NOWHERE if command.name in _LONG else inputs
    words = command.name.split()
    for place in range(command.positional + draw.choice((-1, 0, 0, 0, 0, 1))):
        models = place == 0 and command.name in _WITH_MODELS
        words.append(draw.choice(_MODELS if models else pool))
    if command.name in _LONG:
        words += ["--out", "missing/\0"] if draw.random() < 0.1 else []
    for option in draw.sample(
        sorted(command.options), k=min(len(command.options), draw.choice((0, 1, 1, 2, 4)))
    ):
        words.append(option)
        if command.options[option]:
            words.append(draw.choice((*_VALUES, *pool)))
    if draw.random() < 0.1:
        place = draw.randrange(len(words))
        words[place] = mutated_bytes(draw, os.fsencode(words[place])).decode(errors="replace")[:100_000]
    return words
