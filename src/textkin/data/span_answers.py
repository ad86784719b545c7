"""Validated input and output of span readers."""

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import numpy as np

from textkin.base.errors import UsageError, invalid
from textkin.base.import_path import called_method
from textkin.base.python_inputs import count_of, texts_of
from textkin.data.protocols import SpanReader
from textkin.data.span_records import SpanAnswer

_ROUNDED = 1e-6


def asked_of(questions: Sequence[str], passages: Sequence[str], k: int) -> list[tuple[str, str]]:
    """The pairs of questions and passages.

    Raises:
        UsageError: they are not strings or differ in number, or ``k`` is not a positive integer.
    """
    asked, texts = texts_of(questions, name="questions"), texts_of(passages, name="passages")
    if len(asked) != len(texts):
        raise invalid("passages", f"{len(texts):,} passages", expected=f"{len(asked):,}, one per question")
    count_of(k, "k")
    return list(zip(asked, texts, strict=True))


def answers_by(
    reader: SpanReader, questions: Sequence[str], passages: Sequence[str], *, k: int
) -> list[list[SpanAnswer]]:
    """The answers of a reader, possibly a user's object.

    Raises:
        UsageError: the result is not one list of answers per question, or an answer is not at its offsets or
            has invalid numbers.
    """
    found: Any = called_method(reader, "read", questions, passages, options={"k": k})
    if not isinstance(found, Sequence) or len(found) != len(questions):
        given = f"{len(found):,} lists" if isinstance(found, Sequence) else f"a {type(found).__name__}"
        raise UsageError(f"{reader.name} gave {given} of answers to {len(questions):,} questions")
    for question, passage, listed in zip(questions, passages, found, strict=True):
        if not isinstance(listed, Sequence) or not all(isinstance(one, SpanAnswer) for one in listed):
            raise UsageError(
                f"{reader.name} answers {question[:40]!r} with {str(listed)[:40]}",
                fix="give a list of tk.SpanAnswer",
            )
        for one in listed:
            _check(reader.name, question, passage, one)
    return [list(listed) for listed in found]


def _check(name: str, question: str, passage: str, one: SpanAnswer) -> None:
    whole = all(isinstance(place, int | np.integer) for place in (one.start, one.end))
    if not whole or not 0 <= one.start <= one.end or passage[one.start : one.end] != one.text:
        raise UsageError(
            f"{name} answers {question[:40]!r} with {str(one.text)[:40]!r}, which does not stand at "
            f"{str(one.start)[:40]} to {str(one.end)[:40]} of the passage",
            fix="count characters",
        )
    told = () if one.probability is None else (("probability", one.probability, 1 + _ROUNDED),)
    for what, value, most in (("score", one.score, inf), *told):
        least = 0 if what == "probability" else -inf
        if not isinstance(value, int | float | np.number) or not (isfinite(value) and least <= value <= most):
            raise UsageError(
                f"{name} gave {question[:40]!r} the {what} {str(value)[:40]}, expected "
                + ("0 to 1" if what == "probability" else "a number")
            )
