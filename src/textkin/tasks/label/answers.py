"""The file of answers: a line each, on the disk before the next question is asked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, final

from textkin.errors import DataError, OutputError
from textkin.progress import note

_KIND, _FORMAT = "textkin labels", 1


class LabelAnswer(StrEnum):
    """What a person says of a pair.

    Example:
        >>> import textkin as tk
        >>> tk.LabelAnswer("same") is tk.LabelAnswer.SAME
        True
    """

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


@final
@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair that was drawn and answered.

    Attributes:
        row: the pair, by its place among all, the highest score first.
        among: of how many first pairs it was drawn.
        answer: what was said.
        by: who said it.
        note: what else was said.
        again: whether the pair had been answered before, and was drawn once more.
    """

    row: int
    among: int
    answer: LabelAnswer
    by: str = ""
    note: str = ""
    again: bool = False


@final
class AnswerFile:
    """Answers in the order in which they came; nothing in the file is ever changed.

    Args:
        path: the file; it is made with the first answer.
        made_of: what the draws depend on, by which another set of pairs is recognised.

    Raises:
        DataError: it can't be read, or was made for other pairs, another goal or another seed.
    """

    def __init__(self, path: Path | str, made_of: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._made_of = dict(made_of)
        self._listed: list[Labelled] = []
        self._count = 0
        if self.path.exists():
            self._read()

    @property
    def listed(self) -> tuple[Labelled, ...]:
        """All answers that stand."""
        return tuple(self._listed)

    @property
    def lines(self) -> int:
        """How many there were, those that were taken back included, and the taking back."""
        return self._count

    def add(self, found: Labelled) -> None:
        """Write an answer; when this returns, it is on the disk.

        Raises:
            OutputError: it can't be written.
        """
        self._append(asdict(found))
        self._listed.append(found)

    def take_back(self) -> bool:
        """Take the last answer back, with the repeated draws that followed it; False if there is none."""
        if not any(not one.again for one in self._listed):
            return False
        self._append({"undo": True})
        self._undo()
        return True

    def _undo(self) -> None:
        while self._listed and self._listed[-1].again:
            self._listed.pop()
        if self._listed:
            self._listed.pop()

    def _append(self, line: Mapping[str, Any]) -> None:
        head = {"kind": _KIND, "format": _FORMAT, **self._made_of}
        lines = [line] if self.path.exists() else [head, line]
        try:
            with self.path.open("ab") as stream:
                stream.write("".join(json.dumps(one) + "\n" for one in lines).encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(f"can't write {self.path}: {error.strerror}") from error
        self._count += 1

    def _read(self) -> None:
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=self.path) from error
        whole, end, torn = content.rpartition(b"\n")
        if torn:
            # The last write was cut off by a kill: what it held was never acknowledged.
            note(f"{self.path}: the last line is not whole, and is left out")
            self._cut(len(whole) + len(end))
        lines = whole.split(b"\n") if end else []
        if not lines:
            self.path.unlink()
            return
        self._check_head(self._parsed(lines[0], 1))
        for number, line in enumerate(lines[1:], 2):
            self._take(self._parsed(line, number), number)

    def _cut(self, size: int) -> None:
        try:
            os.truncate(self.path, size)
        except OSError as error:
            raise OutputError(f"can't write {self.path}: {error.strerror}") from error

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise DataError("is no JSON object", path=self.path, line=number, fix="start a new file")
        return found

    def _check_head(self, head: Mapping[str, Any]) -> None:
        if head.get("kind") != _KIND or head.get("format") != _FORMAT:
            raise DataError(
                "holds no labels of textkin label", path=self.path, line=1, fix="name another file"
            )
        for name, value in self._made_of.items():
            if head.get(name) != value:
                raise DataError(
                    f"was begun with {name} {head.get(name)!r}, not {value!r}",
                    path=self.path,
                    line=1,
                    fix="go on as it was begun, or name another file: --answers",
                )

    def _take(self, values: Mapping[str, Any], number: int) -> None:
        self._count += 1
        if values.get("undo") is True:
            self._undo()
            return
        try:
            self._listed.append(self._labelled(values))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"is no answer: {error}", path=self.path, line=number) from error

    @classmethod
    def _labelled(cls, values: Mapping[str, Any]) -> Labelled:
        row, among = int(values["row"]), int(values["among"])
        if not 0 <= row < among:
            raise ValueError(f"the pair {row} of {among}")
        return Labelled(
            row=row,
            among=among,
            answer=LabelAnswer(values["answer"]),
            by=str(values.get("by", "")),
            note=str(values.get("note", "")),
            again=values.get("again") is True,
        )
