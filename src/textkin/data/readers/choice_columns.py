"""Column names and keys in files of multiple-choice questions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textkin.data.choice_records import FEWEST

QUESTION = "question"
ANSWERS = ("correctanswer", "answerkey", "correct_answer", "correct", "answer", "label", "gold")
CORRECT = ("correct_answer", "correct")

_CHOICE = re.compile(r"(?:answer|choice|option)?[ _-]?(?:([a-h])|([1-8]))", re.IGNORECASE)
_DISTRACTOR = re.compile(r"distractor[ _-]?([1-7])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExamColumns:
    """Positions of a table's columns, from 0.

    Attributes:
        question: column of the question.
        choices: columns of the choices, or of the wrong ones if the correct one is separate.
        question_id: column of the ids, or None.
        answer: column of the answer, or None.
        apart: True if that column contains the correct choice itself, missing from the others.
    """

    question: int
    choices: tuple[int, ...]
    question_id: int | None
    answer: int | None
    apart: bool = False


def exam_columns(header: Iterable[str]) -> ExamColumns | None:
    """The columns by a header; None if it has no multiple-choice questions."""
    names = [name.strip().lower() for name in header]
    if QUESTION not in names:
        return None
    by_id = next((names.index(name) for name in ("id", "question_id", "qid") if name in names), None)
    right = next((names.index(name) for name in CORRECT if name in names), None)
    if (wrong := distractor_columns(names)) and right is not None:
        return ExamColumns(names.index(QUESTION), wrong, by_id, right, apart=True)
    told = next((names.index(name) for name in ANSWERS if name in names), None)
    choices = choice_columns(names)
    return ExamColumns(names.index(QUESTION), choices, by_id, told) if choices else None


def choice_columns(names: Iterable[str]) -> tuple[int, ...]:
    """The columns of choices in order: all lettered ones, or all numbered ones; () for none."""
    found: dict[bool, dict[int, int]] = {False: {}, True: {}}
    for column, name in enumerate(names):
        if match := _CHOICE.fullmatch(name.strip()):
            letter, number = match.groups()
            place = int(number) - 1 if letter is None else ord(letter.lower()) - ord("a")
            found[letter is None].setdefault(place, column)
    for numbered in (False, True):
        places = found[numbered]
        if len(places) >= FEWEST and sorted(places) == list(range(len(places))):
            return tuple(places[place] for place in range(len(places)))
    return ()


def distractor_columns(names: Sequence[str]) -> tuple[int, ...]:
    """The columns of wrong choices by number, if the correct one is separate; () for none."""
    plain = [name.strip().lower() for name in names]
    if not any(name in plain for name in CORRECT):
        return ()
    found = {match[1]: column for column, name in enumerate(plain) if (match := _DISTRACTOR.fullmatch(name))}
    return tuple(found[number] for number in sorted(found))
