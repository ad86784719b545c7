"""The surface that users and programs rely on, as lines: commands, public names, keys of JSON, errors.

``python -m tests.pins`` writes the current lines into ``tests/pins/*.txt``. A commit that changes a line on
purpose includes the new file, and documents it in CHANGELOG.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent


def pinned(name: str) -> list[str]:
    """The pinned lines."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def write(name: str, lines: Iterable[str]) -> None:
    """Pin these lines, sorted."""
    (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def differences(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Missing lines, with a minus, and new ones, with a plus; similar ones side by side."""
    old, new = set(before), set(after)
    changed = [("-", line) for line in old - new] + [("+", line) for line in new - old]
    # Both lines of one option begin alike; its old one comes first.
    changed.sort(key=lambda one: (one[1].partition(": ")[0], one[0] == "+", one[1]))
    return [f"{sign} {line}" for sign, line in changed]
