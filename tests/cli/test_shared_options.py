"""Options shared by several commands: one name has one meaning."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from textkin.base.options import Declared
from textkin.cli.app import commands

MEANINGS = {
    "--accept-drift": "go on with a model that is not the expected one",
    "--against": "what something is compared or paired with",
    "--analyser": "how words are read: plainly or by a language",
    "--base-rate": "which share of the texts to come has a duplicate",
    "--baselines": "baselines that are measured beside models",
    "--corpus": "texts in which others are looked up",
    "--dev": "data that chooses or fits, beside training and test",
    "--dtype": "the type of numbers that a network computes in, or is stored in",
    "--error": "how probable it may be that something is said wrongly",
    "--explain": "show beside the answer why it is so",
    "--fit": "what baselines are fitted on",
    "--format": "what kind of file the input is",
    "--gold": "known groups, with which others are compared",
    "--id": "the table's column of ids",
    "--labelled": "a file of what people have answered",
    "--method": "which algorithm",
    "--model": "the model or encoder that is used",
    "--port": "where a server listens",
    "--precision": "a goal: a precision that is to be reached",
    "--probe": "how many cells a search looks at",
    "--recall": "a recall that is to be reached, or to be known",
    "--resamples": "draws of a bootstrap interval",
    "--sample": "how many are drawn at random",
    "--seed": "what random draws depend on",
    "--start": "the model that training starts from",
    "--test": "data that measures at the end",
    "--texts": "a file of texts without labels",
    "--threshold": "the score from which on two texts are the same",
    "--train": "training data",
    "--vocabulary": "a file of words",
    "-k": "so many results at most",
}
"""Options with different declarations by command, and their common meaning. A new one needs either the
declaration of the others (``cli/shared_options.py``), or an entry here if its meaning is the same, or another
name.
"""

KINDS_DIFFER = {
    "--against": "a model or run by its name, or a file of texts",
    "--gold": "a file of groups, or a column of the texts' own table",
    "--recall": "the recall to be reached, or none where it is only bounded",
}
"""A value of these is a file here and a word there."""


def declarations() -> dict[str, dict[tuple[Any, ...], list[str]]]:
    """Every option of every command, each with its declarations: type, metavar and help."""
    found: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for command in commands():
        for one in command.options:
            if not one.positional:
                declared = kind(one), one.option.metavar, one.option.help
                for flag in one.flags:
                    found[flag][declared].append(command.words)
    return found


def by_verbs() -> set[str]:
    """Options of verbs, which ``verbs/options.py`` declares anew for the commands that are no verbs yet."""
    verbs = [one for one in commands() if ".cli." not in one.function.__module__]
    return {one.flag for verb in verbs for one in verb.options}


def kind(one: Declared) -> str:
    """Whether a value is a file, a number, a word, or none is taken."""
    if one.choices:
        return "word"
    return {Path: "file", bool: "none", int: "number", float: "number"}.get(one.kind, "word")


def test_an_option_that_is_declared_in_several_ways_has_one_meaning() -> None:
    several = {name for name, ways in declarations().items() if len(ways) > 1}
    assert several - {"--out"} - set(MEANINGS) - by_verbs() == set(), "rename it, or share its declaration"
    assert set(MEANINGS) - several == set(), "no longer declared in several ways"


def test_an_option_takes_one_kind_of_value() -> None:
    differ = {name for name, ways in declarations().items() if len({taken for taken, _, _ in ways}) > 1}
    assert differ == set(KINDS_DIFFER)


def test_no_option_differs_from_another_by_an_s_alone_where_both_take_columns() -> None:
    names = set(declarations())
    assert "--columns" in names and "--column" not in names
