"""The file of answers: a line each, on the disk before the next question is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, final

from textkin.errors import DataError
from textkin.line_file import LineFile

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

    Several processes may answer in turn: each reads what the others have answered before it adds to it.

    Args:
        path: the file; it is made with the first answer.
        made_of: what the draws depend on, by which another set of pairs is recognised.

    Raises:
        DataError: it can't be read, or was made for other pairs, another goal or another seed.
    """

    def __init__(self, path: Path | str, made_of: Mapping[str, Any]) -> None:
        self._file = LineFile(path)
        self._made_of = dict(made_of)
        self._listed: list[Labelled] = []
        self._has_head = False
        self.catch_up()

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def listed(self) -> tuple[Labelled, ...]:
        """All answers that stand."""
        return tuple(self._listed)

    @property
    def lines(self) -> int:
        """How many there were, those that were taken back included, and the taking back."""
        return max(0, self._file.lines - 1)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from answering while the block runs; what they have answered is read first.

        Raises:
            OutputError: another process holds it, or it can't be written.
        """
        with self._file.held():
            self.catch_up()
            yield

    def catch_up(self) -> None:
        """Read what other processes have added.

        Raises:
            DataError: a line is no answer.
        """
        for number, line in self._file.fresh():
            if self._has_head:
                self._take(line, number)
            else:
                self._check_head(line)
                self._has_head = True

    def add(self, found: Labelled) -> None:
        """Write an answer; when this returns, it is on the disk.

        Raises:
            OutputError: it can't be written.
        """
        self._append(asdict(found))

    def take_back(self) -> bool:
        """Take the last answer back, with the repeated draws that followed it; False if there is none."""
        with self.held():
            if not any(not one.again for one in self._listed):
                return False
            self._append({"undo": True})
        return True

    def _undo(self) -> None:
        while self._listed and self._listed[-1].again:
            self._listed.pop()
        if self._listed:
            self._listed.pop()

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.held():
            head = [] if self._has_head else [{"kind": _KIND, "format": _FORMAT, **self._made_of}]
            self._file.add([*head, line])
            self.catch_up()

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
