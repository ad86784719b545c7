"""Operations on pair sets: conversion from candidates, new classes, joins, and content hashes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from textkin.base.errors import DataError
from textkin.base.files import sha256_of_json
from textkin.data.choice_records import ChoiceSet, letter_of
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.components import bonds
from textkin.data.splits.label_grades import GradeScale


class HasContent(Protocol):
    """Records that say what they hold, as JSON values."""

    def content(self) -> list[object]:
        """Texts and labels in order."""


def pairs_of(data: CandidateSet) -> PairSet:
    """Convert queries with candidates to labelled (query, candidate) pairs."""
    pairs = tuple(
        Pair(one.query, text, float(max(label, 0)), one.query_id, doc_id)
        for one in data
        for doc_id, text, label in zip(one.doc_ids, one.docs, one.labels, strict=True)
    )
    graded = any((pair.label or 0) > 1 for pair in pairs)
    return PairSet(pairs, LabelKind.GRADED if graded else LabelKind.BINARY, name=data.name)


def candidates_of(data: ChoiceSet) -> CandidateSet:
    """Convert multiple-choice questions to queries with candidates, whose ids are the choices' letters.

    Raises:
        DataError: the correct choice of a question is unknown.
    """
    if not data.is_answered:
        raise DataError(
            f"{data.name or 'the data'} doesn't tell the right choice of every question",
            fix="give answered questions",
        )
    return CandidateSet(
        tuple(
            Candidates(
                one.question_id,
                one.question,
                tuple(map(letter_of, range(len(one.choices)))),
                one.choices,
                tuple(int(place == one.answer) for place in range(len(one.choices))),
            )
            for one in data
        ),
        data.name,
    )


def with_classes(data: PairSet, classes: Sequence[str]) -> PairSet:
    """Renumber the labels of pairs by ``classes``, whose names may differ in case.

    Raises:
        DataError: a class of the data is missing from ``classes``.
    """
    if data.kind is not LabelKind.CLASSES or data.classes == tuple(classes):
        return data
    places = {name.casefold(): index for index, name in enumerate(classes)}
    if unknown := [name for name in data.classes if name.casefold() not in places]:
        raise DataError(
            f"{data.name or 'the data'} has the class {unknown[0]!r}, the model knows {', '.join(classes)}",
            fix="give data with the same classes",
        )
    number = [float(places[name.casefold()]) for name in data.classes]
    pairs = tuple(
        pair if pair.label is None else replace(pair, label=number[int(pair.label)]) for pair in data
    )
    return PairSet(pairs, data.kind, tuple(classes), data.name, data.id_name)


def join(data: PairSet, more: Sequence[PairSet], *, scale: GradeScale | None = None) -> PairSet:
    """Labelled pairs plus the positive pairs of ``more``, without their labels.

    Args:
        data: the labelled pairs.
        more: further pair sets.
        scale: scale of grades in ``more``; None to infer it from the grades.
    """
    further = (
        Pair(pair.a, pair.b)
        for others in more
        for pair, same in zip(others, _same(others, scale), strict=True)
        if same
    )
    return PairSet((*data.pairs, *further), data.kind, data.classes, data.name)


def _same(data: PairSet, scale: GradeScale | None) -> list[bool]:
    return bonds(data, scale if data.kind is LabelKind.GRADED else None).tolist()


def join_spans(data: SpanSet, more: Sequence[SpanSet]) -> SpanSet:
    """Join the questions of several sets with their passages.

    Ids of further sets get the set's number as a prefix.
    """
    passages, questions = dict(data.passages), list(data.questions)
    for number, other in enumerate(more, 1):
        for name, passage in other.passages.items():
            key = f"{number}/{name}"
            passages[key] = replace(passage, passage_id=key)
        questions += (
            replace(one, question_id=f"{number}/{one.question_id}", passage_id=f"{number}/{one.passage_id}")
            for one in other
        )
    return SpanSet(passages, tuple(questions), data.name)


def content_hash(data: HasContent) -> str:
    """A hash of texts and labels in order, independent of the file they came from."""
    return sha256_of_json(data.content())
