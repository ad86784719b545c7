"""Small datasets written for textkin, for the demo and the tests."""

import itertools
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from textkin.base.errors import unknown_choice

_NEIGHBOURS = 3


def path(name: str) -> Path:
    """The path of a bundled file, such as ``questions.tsv``.

    Raises:
        UsageError: the file is unknown.
    """
    folder = Path(str(resources.files(__name__)))
    names = sorted(
        item.name for item in folder.iterdir() if item.is_file() and item.suffix not in (".py", ".pyc")
    )
    if name not in names:
        raise unknown_choice("name", name, names)
    return folder / name


def rows(name: str) -> Iterator[tuple[str, ...]]:
    """The rows of a bundled table, such as ``questions.tsv``, without its header.

    Raises:
        UsageError: the file is unknown.
    """
    with path(name).open(encoding="utf-8", newline="") as stream:
        lines = (line.rstrip("\n").split("\t") for line in stream)
        next(lines)
        yield from map(tuple, lines)


def pairs(topic: str | None = None) -> list[tuple[str, str, int]]:
    """Labelled pairs of the bundled questions: 1 for the same, 0 for not the same.

    The positives are all pairs within a group. The negatives are the near misses, and all pairs of questions
    of neighbouring groups, in blocks of three groups.

    Args:
        topic: topic of the questions, such as ``support-desk``; None for all.

    Raises:
        UsageError: the topic is unknown.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for about, group, text in rows("questions.tsv"):
        groups.setdefault((about, group), []).append(text)
    chosen = {key: members for key, members in groups.items() if topic in (None, key[0])}
    near = [(a, b, 0) for about, a, b in rows("near_misses.tsv") if topic in (None, about)]
    if not chosen:
        names = dict.fromkeys(about for about, _ in groups)
        raise unknown_choice("topic", topic, names)
    same = [(a, b, 1) for members in chosen.values() for a, b in itertools.combinations(members, 2)]
    return [*same, *near, *_between(chosen)]


def _between(groups: dict[tuple[str, str], list[str]]) -> Iterator[tuple[str, str, int]]:
    """All pairs of questions of neighbouring groups of a topic.

    Only neighbours in the list are paired: otherwise all groups of a topic would be connected, and the topic
    couldn't be split.
    """
    by_topic: dict[str, list[list[str]]] = {}
    for (topic, _), members in groups.items():
        by_topic.setdefault(topic, []).append(members)
    for listed in by_topic.values():
        for start in range(0, len(listed), _NEIGHBOURS):
            for one, other in itertools.combinations(listed[start : start + _NEIGHBOURS], 2):
                for a, b in itertools.product(one, other):
                    yield a, b, 0
