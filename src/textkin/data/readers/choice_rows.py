"""Multiple-choice questions as read from files, with their faults."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from textkin.base.progress import note
from textkin.data.choice_records import FEWEST, MOST, ChoiceQuestion, letter_of


@dataclass(frozen=True, slots=True)
class ExamRow:
    """A question as read from a file.

    Attributes:
        line: its line, from 1; 0 if the format has no lines.
        question_id: its id; its number from 1 if the file has none.
        question: its text.
        choices: texts to choose from, without blank ones at the end.
        told: the answer as written in the file, "" if it has none.
        labels: the file's labels of the choices; empty if these are A, B, ... or 1, 2, ...
        support: texts that imply the answer.
        broken: reason why it can't be read; "" if it can.
        first: number of the first choice, if the file gives answers by number.
    """

    line: int
    question_id: str
    question: str = ""
    choices: tuple[str, ...] = ()
    told: str = ""
    labels: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    broken: str = ""
    first: int = 1

    def faults(self) -> Iterator[str]:
        """The faults of the question, in words."""
        if self.broken:
            yield self.broken
            return
        if not self.question.strip():
            yield "the question is empty"
        if not FEWEST <= len(self.choices) <= MOST:
            yield f"{len(self.choices)} choices, expected {FEWEST} to {MOST}"
        elif any(not choice.strip() for choice in self.choices):
            yield "a choice before the last one is empty"
        elif len(set(self.labels)) < len(self.labels):
            again = next(one for one in self.labels if self.labels.count(one) > 1)
            yield f"two choices are called {again[:40]!r}"
        elif self.told and self.answer is None:
            yield f"the answer {self.told[:40]!r} is none of the {len(self.choices)} choices"
        elif self.told and len(self._told()) > 1:
            kind = "number" if self.told.strip().isdecimal() else "letter"
            yield f"the answer {self.told[:40]!r} is the {kind} of one choice and the text of another"

    @property
    def answer(self) -> int | None:
        """The index of the correct choice, by its label, letter, number or text; None if unknown."""
        return next(iter(self._told()), None)

    @property
    def names_number(self) -> int | None:
        """The answer's number, if the file gives answers by number; None for a label or a text."""
        told = self.told.strip()
        known = told in self.labels or told in self.choices
        return int(told) if not known and told.isascii() and told.isdecimal() else None

    @property
    def record(self) -> ChoiceQuestion:
        """The question as a record; it must have no faults."""
        return ChoiceQuestion(self.question_id, self.question, self.choices, self.answer, self.support)

    def _told(self) -> list[int]:
        """The indexes that the file's answer may refer to: one by label or letter, or several."""
        count, told = len(self.choices), self.told.strip()
        named = [name.strip() for name in self.labels or tuple(map(letter_of, range(count)))][:count]
        exact = [place for place, name in enumerate(named) if name == told]
        if len(exact) == 1:
            return exact
        bare = told.strip("()[].: ").casefold()  # "b", "(B)", "B."
        loose = [place for place, name in enumerate(named) if name.casefold() == bare]
        numbers = [place for place in range(count) if str(place + self.first) == told]
        texts = [place for place, text in enumerate(self.choices) if text.strip() == told]
        found = [places[0] for places in (loose, numbers, texts) if len(places) == 1]
        return list(dict.fromkeys(found))


def counted(rows: Sequence[ExamRow]) -> list[ExamRow]:
    """The questions of a file; answers count from 0 if one of them is 0.

    A warning says if nothing shows from where they count: none is 0, and none the last of its choices.
    """
    told = [(number, len(row.choices)) for row in rows if (number := row.names_number) is not None]
    if any(number == 0 for number, _ in told):
        return [replace(row, first=0) for row in rows]
    if told and all(number < last for number, last in told):
        note(
            "warning: answers are given by numbers, none of which is 0 or the number of the last choice; "
            "they are counted from 1: if they count from 0, write letters instead"
        )
    return list(rows)


def without_blank_end(choices: Sequence[str]) -> tuple[str, ...]:
    """Choices without blank ones at the end, which pad shorter questions."""
    listed = list(choices)
    while listed and not listed[-1].strip():
        listed.pop()
    return tuple(listed)


def mixed(right: str, wrong: Sequence[str], question: str) -> tuple[str, ...]:
    """Insert a separate correct choice among the wrong ones, at a position derived from the question."""
    choices = list(without_blank_end(wrong))
    digest = hashlib.sha256(question.encode(errors="surrogatepass")).digest()
    choices.insert(int.from_bytes(digest[:8], "little") % (len(choices) + 1), right)
    return tuple(choices)
