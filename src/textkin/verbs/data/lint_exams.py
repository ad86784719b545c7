"""Lint files of questions with choices: errors in each, and questions that occur elsewhere."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from textkin.base.spelling import spelt
from textkin.base.text_equality import key_of
from textkin.data.choice_records import ChoiceSet, letter_of
from textkin.data.readers.choice_rows import ExamRow
from textkin.data.readers.choices import read_asked, read_choices
from textkin.data.readers.datasets.movieqa import is_movieqa
from textkin.data.splits.corpus_leaks import corpus_leaks
from textkin.data.splits.findings import Example, Finding, Place, Severity, Topic
from textkin.data.splits.lint_checks import EXAMPLES, short

_FAVOURED = 1.5  # a letter is favoured at this multiple of its chance frequency
_FEWEST_TO_FAVOUR = 100  # questions


def asked_in(path: Path) -> list[ExamRow]:
    """The questions of a file with their faults; of MovieQA, whose reader lets none pass, without lines.

    Raises:
        DataError: it can't be read.
    """
    return rows_asked(read_choices(path).data) if is_movieqa(path) else read_asked(path)


def rows_asked(data: ChoiceSet) -> list[ExamRow]:
    """The questions of records, which have neither faults nor lines."""
    return [ExamRow(0, one.question_id, one.question, one.choices, one.letter) for one in data]


def lint_exam(path: str, asked: Sequence[ExamRow]) -> Iterator[Finding]:
    """Check a file of questions with choices for errors.

    Args:
        path: the file, or the name of records.
        asked: its questions, see :func:`asked_in`.
    """
    yield from _faulty(path, asked)
    yield from _repeated_choices(path, asked)
    yield from _repeated_questions(path, asked)
    yield from _favoured(path, asked)


def lint_between(
    path: str, asked: Sequence[ExamRow], others: Mapping[str, Mapping[str, Place]]
) -> Iterator[Finding]:
    """Find questions that also occur in other files, exactly or nearly.

    Args:
        path: the file of questions, or the name of records.
        asked: its questions.
        others: by the name of a file its texts, each with the place where it stands first.
    """
    for name, places in others.items():
        texts = list(places.items())
        found = corpus_leaks([one.question for one in asked], [text for text, _ in texts])
        pairs = (*found.same, *found.near)
        if not pairs:
            continue
        examples = (
            Example((place_of(path, asked[question]), texts[text][1]), short(texts[text][0]))
            for question, text in pairs[:EXAMPLES]
        )
        same = len({question for question, _ in found.same})
        yield Finding(
            Topic.SHARED_TEXT,
            Severity.WARNING,
            (path, name),
            len(found.questions),
            f"questions that stand in {name}: {len(found.questions):,} of {len(asked):,}, {same:,} of them "
            "word for word. What looks them up there finds the answer; "
            + spelt("`answer()` leaves them out of its corpus."),
            tuple(examples),
        )


def _faulty(path: str, asked: Sequence[ExamRow]) -> Iterator[Finding]:
    """Questions that no command would read."""
    faults = [(one, fault) for one in asked for fault in one.faults()]
    ids = Counter(one.question_id for one in asked)
    faults += [(one, f"the id {one.question_id!r} comes twice") for one in asked if ids[one.question_id] > 1]
    if faults:
        yield Finding(
            Topic.FAULTY_QUESTION,
            Severity.ERROR,
            (path,),
            len({id(one) for one, _ in faults}),
            f"questions that can't be used: {len({id(one) for one, _ in faults}):,} of {len(asked):,}. "
            "Correct them.",
            tuple(
                Example((place_of(path, one),), f"{short(one.question)}: {fault}")
                for one, fault in faults[:EXAMPLES]
            ),
        )


def _repeated_choices(path: str, asked: Sequence[ExamRow]) -> Iterator[Finding]:
    """Questions that offer one choice twice, case and punctuation aside; an error if it is the right one."""
    found: dict[Severity, list[ExamRow]] = {Severity.ERROR: [], Severity.WARNING: []}
    for one in asked:
        keys = [key_of(choice) for choice in one.choices]
        if len(set(keys)) < len(keys):
            right = one.answer is not None and keys.count(keys[one.answer]) > 1
            found[Severity.ERROR if right else Severity.WARNING].append(one)
    for severity, ones in found.items():
        if not ones:
            continue
        which = "the right choice" if severity is Severity.ERROR else "a wrong choice"
        yield Finding(
            Topic.REPEATED_CHOICE,
            severity,
            (path,),
            len(ones),
            f"questions that offer {which} twice, case and punctuation aside: {len(ones):,} of "
            f"{len(asked):,}. Change one of the two.",
            tuple(
                Example((place_of(path, one),), f"{short(one.question)}: {short(' | '.join(one.choices))}")
                for one in ones[:EXAMPLES]
            ),
        )


def _repeated_questions(path: str, asked: Sequence[ExamRow]) -> Iterator[Finding]:
    """Questions that come again with the same choices, and those of them whose answers differ."""
    alike: dict[tuple[str, frozenset[str]], list[ExamRow]] = defaultdict(list)
    for one in asked:
        alike[key_of(one.question), frozenset(map(key_of, one.choices))].append(one)
    again = [ones for ones in alike.values() if len(ones) > 1]
    clashing = [ones for ones in again if len({_right(one) for one in ones if one.answer is not None}) > 1]
    for topic, severity, groups, said in (
        (Topic.CONTRADICTORY_LABEL, Severity.ERROR, clashing, "have different right choices. Decide which"),
        (Topic.REPEATED_QUESTION, Severity.WARNING, again, "come with the same choices again. Keep one each"),
    ):
        if groups:
            yield Finding(
                topic,
                severity,
                (path,),
                len(groups),
                f"questions, case and punctuation aside, that {said}: {len(groups):,}.",
                tuple(
                    Example(tuple(place_of(path, one) for one in ones[:EXAMPLES]), short(ones[0].question))
                    for ones in groups[:EXAMPLES]
                ),
            )


def _favoured(path: str, asked: Sequence[ExamRow]) -> Iterator[Finding]:
    """A letter that is right far more often than by chance."""
    right = [one.answer for one in asked if one.answer is not None]
    expected: dict[int, float] = defaultdict(float)
    for one in asked:
        if one.answer is not None:
            for place in range(len(one.choices)):
                expected[place] += 1 / len(one.choices)
    if len(right) < _FEWEST_TO_FAVOUR:
        return
    place, count = max(Counter(right).items(), key=lambda item: item[1] / expected[item[0]])
    if count > _FAVOURED * expected[place]:
        yield Finding(
            Topic.LABEL_SHARE,
            Severity.INFO,
            (path,),
            count,
            f"{letter_of(place)} is right {count:,} times of {len(right):,}, by chance it would be "
            f"{expected[place]:,.0f}. Shuffle the choices, or a constant answer looks good.",
        )


def _right(one: ExamRow) -> str:
    return "" if one.answer is None else key_of(one.choices[one.answer])


def place_of(path: str, one: ExamRow) -> Place:
    """The location of a question."""
    return Place(path, -1, one.line) if one.line else Place(f"{path} {one.question_id}", -1)
