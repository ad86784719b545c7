"""A check whether a model was trained on the data it is measured on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.errors import LeakError
from textkin.data.choice_records import ChoiceSet
from textkin.data.pair_set_operations import content_hash, pairs_of
from textkin.data.records import CandidateSet, PairSet, RetrievalSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.training_texts import Seen

if TYPE_CHECKING:
    from textkin.data.splits.training_texts import Seen
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.model_folder import Model

MOST_LEARNT = 0.01
"""The largest fraction of measured pairs that may be training pairs by accident."""


def require_unseen(
    name: str,
    seen: Seen | None,
    data: PairSet | CandidateSet | RetrievalSet | SpanSet | ChoiceSet,
    *,
    accept_leaks: bool = False,
    fix: str = "give pairs that it has not seen, or accept it with `accept_leaks=True`",
) -> None:
    """Check that hardly any measured pairs were training pairs of a model.

    Args:
        name: the model's name.
        seen: its training data; None if unknown.
        data: the data to measure it on, or to fit its threshold on.
        accept_leaks: accept a leak; :func:`seen_in_words` still reports it.
        fix: the advice in the error.

    Raises:
        LeakError: more than ``MOST_LEARNT`` of the pairs were.
    """
    share = None if seen is None else seen.share(_texts(data))
    if share is None or accept_leaks or share.learnt <= MOST_LEARNT * share.pairs:
        return
    raise LeakError(
        f"{name} was trained on {share.learnt:,} of the {share.pairs:,} pairs of "
        f"{data.name or 'these data'}, and {MOST_LEARNT:.0%} is the most: its figures would be too good",
        fix=fix,
    )


def require_unseen_start(start: Path | None, *sides: PairSet | CandidateSet) -> None:
    """Check that the initial model of a training run hasn't seen the evaluation data.

    Raises:
        LeakError: it has, see :func:`require_unseen`.
    """
    from textkin.models.model_folder import read_seen

    if start is not None:
        for side in sides:
            require_unseen(str(start), read_seen(start), side, fix="start from a model that has not")


def seen_in_words(
    name: str, model: Model | SavedEnsemble, data: PairSet | CandidateSet | RetrievalSet
) -> Iterator[str]:
    """The part of these data a model was trained or selected on, in sentences."""
    share = None if model.seen is None else model.seen.share(_texts(data))
    if share is not None and share.learnt:
        yield (
            f"{name} was trained on {share.learnt:,} of these {share.pairs:,} pairs: its figures are too good"
        )
    if share is not None and share.sharing > share.learnt:
        yield (
            f"{share.sharing:,} of {share.pairs:,} pairs share a text with what {name} was trained on: its "
            "figures on other texts may be lower"
        )
    if not isinstance(data, RetrievalSet) and model.provenance.get("dev_sha256") == content_hash(data):
        yield f"{name} was chosen by these very pairs: its figures are too good"


def _texts(data: PairSet | CandidateSet | RetrievalSet | SpanSet | ChoiceSet) -> Sequence[tuple[str, str]]:
    """Pairs; for other data, queries with their counterparts: (query, document), (question, passage).

    For multiple-choice questions the right choices, if known.
    """
    if isinstance(data, ChoiceSet):
        right = [(one.question, one.choices[one.answer]) for one in data if one.answer is not None]
        return right or data.texts
    if isinstance(data, PairSet):
        return data.texts
    if isinstance(data, CandidateSet):
        return pairs_of(data).texts
    if isinstance(data, SpanSet):
        return [(one.question, data.passages[one.passage_id].text) for one in data]
    return judged_pairs(data)


def judged_pairs(data: RetrievalSet) -> list[tuple[str, str]]:
    """The texts of judged queries and documents, relevant or not."""
    return [
        (data.queries[query], data.corpus[doc])
        for query, judged in data.qrels.to_dict().items()
        for doc in judged
        if query in data.queries and doc in data.corpus
    ]
