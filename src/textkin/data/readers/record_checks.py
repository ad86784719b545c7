"""Validation of records created by users."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.python_inputs import texts_of
from textkin.base.python_values import id_of, ids_of, is_missing, number_of, relevance_of, shown
from textkin.data.records import (
    Candidates,
    CandidateSet,
    DuplicateSet,
    LabelKind,
    Pair,
    PairSet,
    Qrels,
    RetrievalSet,
)


def checked_pairs(data: PairSet) -> PairSet:
    """The pairs with labels converted to Python's numbers.

    Raises:
        UsageError: a text is not a string, or a label doesn't fit the set's kind.
    """
    name, pairs = data.name or "pairs", tuple(data.pairs)
    for place, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise invalid(f"{name}[{place}]", pair, expected="a tk.Pair", fix="or use tk.as_pairs")
    for side in ("a", "b"):
        texts_of([getattr(pair, side) for pair in pairs], name=f"the texts {side} of {name}")
    if data.kind not in list(LabelKind):
        raise invalid("kind", data.kind, expected=f"a LabelKind, for {name}")
    kind = LabelKind(data.kind)
    known = _known_labels(kind, len(data.classes))
    labels = [
        _label(pair.label, kind, known, f"the label of {name}[{place}]") for place, pair in enumerate(pairs)
    ]
    ids = [
        [id_of(one, f"the ids of {name}[{place}]") for one in (pair.id_a, pair.id_b)]
        for place, pair in enumerate(pairs)
    ]
    clean = (
        pair
        if (pair.label, [pair.id_a, pair.id_b]) == (label, own) and type(pair.label) is type(label)
        else replace(pair, label=label, id_a=own[0], id_b=own[1])
        for pair, label, own in zip(pairs, labels, ids, strict=True)
    )
    return PairSet(tuple(clean), kind, tuple(data.classes), data.name, data.id_name)


def _known_labels(kind: LabelKind, classes: int) -> tuple[float, ...]:
    """The valid labels; empty if any number is valid."""
    if kind is LabelKind.CLASSES:
        return tuple(map(float, range(classes)))
    return (0.0, 1.0) if kind is LabelKind.BINARY else ()


def _label(value: Any, kind: LabelKind, known: tuple[float, ...], where: str) -> float | None:
    if value is None or kind is LabelKind.NONE:
        return None
    number = math.nan if is_missing(value) else number_of(value, where)
    if not math.isfinite(number) or (known and number not in known):
        expected = f"one of {', '.join(f'{one:g}' for one in known[:5])}" if known else "a finite number"
        raise UsageError(
            f"{where} is {shown(value)}, and {kind.value} labels are {expected}",
            fix="give None for no label, or another kind",
        )
    return number


def checked_candidates(data: CandidateSet) -> CandidateSet:
    """The queries with ids converted to strings and labels to integers.

    Raises:
        UsageError: a text is not a string, an id is repeated, lengths differ, or a label is not an integer.
    """
    queries = tuple(_checked_query(one, place) for place, one in enumerate(data.queries))
    ids_of([one.query_id for one in queries], "query id")
    return replace(data, queries=queries)


def _checked_query(one: Any, place: int) -> Candidates:
    if not isinstance(one, Candidates):
        raise invalid(f"queries[{place}]", one, expected="a tk.Candidates")
    where = f"query {one.query_id!r}"
    texts_of([one.query], name=f"the text of {where}")
    sizes = {len(one.doc_ids), len(one.docs), len(one.labels), len(one.scores) or len(one.docs)}
    if len(sizes) > 1:
        raise UsageError(
            f"{where} has {len(one.doc_ids)} ids, {len(one.docs)} texts, {len(one.labels)} labels and "
            f"{len(one.scores)} scores",
            fix="give one of each, or no scores",
        )
    return replace(
        one,
        query_id=id_of(one.query_id, "query id"),
        doc_ids=tuple(ids_of(one.doc_ids, f"{where}: document id")),
        docs=tuple(texts_of(list(one.docs), name=f"{where}: documents")),
        labels=tuple(_each(one.labels, relevance_of, f"{where}: relevance")),
        scores=tuple(_each(one.scores, number_of, f"{where}: score")),
    )


def _each(values: Iterable[Any], read: Any, where: str) -> list[Any]:
    return [read(value, f"{where} [{place}]") for place, value in enumerate(values)]


def checked_collection(data: RetrievalSet) -> RetrievalSet:
    """The corpus and the queries with ids converted to strings.

    Raises:
        UsageError: they are not dictionaries of strings, or the judgements are not ``Qrels``.
        DataError: a judged query is blank; a model would rank all documents by chance for it.
    """
    if not isinstance(data.qrels, Qrels):
        raise invalid("qrels", data.qrels, expected="a tk.Qrels", fix="use tk.Qrels.from_dict")
    corpus, queries = _texts(data.corpus, "corpus"), _texts(data.queries, "queries")
    blank = next((one for one in data.qrels.query_ids if not queries.get(one, one).strip()), None)
    if blank is not None:
        raise DataError(
            f"{data.name}: the query {blank!r} is blank",
            fix="give its text, or remove it and its judgements",
            params=("queries",),
            value=blank,
        )
    return replace(data, corpus=corpus, queries=queries)


def checked_duplicates(data: DuplicateSet) -> DuplicateSet:
    """The texts and the pairs of duplicates with ids converted to strings.

    Raises:
        UsageError: the texts are not a dictionary of strings, or a pair is not of two of its ids, or comes
            twice.
    """
    texts = _texts(data.texts, "texts")
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for place, one in enumerate(data.pairs):
        ends = tuple(map(str, one)) if isinstance(one, tuple | list) else ()
        if len(ends) != 2 or not set(ends) <= texts.keys() or len(set(ends)) < 2:
            raise invalid(f"pairs[{place}]", one, expected="two different ids of the texts")
        if frozenset(ends) in pairs:
            raise invalid(f"pairs[{place}]", one, expected="each pair once")
        pairs[frozenset(ends)] = (ends[0], ends[1])
    return replace(data, texts=texts, pairs=tuple(pairs.values()))


def _texts(given: Any, name: str) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise invalid(name, given, expected="{id: text}")
    ids = ids_of(given, f"the ids of {name}:")
    return dict(zip(ids, texts_of(list(given.values()), name=name), strict=True))
