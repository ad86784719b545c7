"""A check whether a model was trained on the data it is measured on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textkin.base.counts import percent
from textkin.base.errors import LeakError
from textkin.data.pair_set_operations import HasContent, content_hash
from textkin.models.provenance import folder_of

if TYPE_CHECKING:
    from textkin.data.protocols import AnySystem
    from textkin.data.splits.training_texts import Seen
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts

MOST_LEARNT = 0.01
"""The largest fraction of measured pairs that may be training pairs by accident."""


class HasTexts(HasContent, Protocol):
    """Records of pairs, of queries with documents, or of questions with passages or choices."""

    @property
    def name(self) -> str:
        """Their source."""

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs."""


def require_unseen(
    name: str,
    seen: Seen | None,
    data: HasTexts,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    accept_leaks: bool = False,
    harm: str = "its figures would be too good",
    fix: str = "give pairs that it has not seen, or accept it with `accept_leaks=True`",
) -> None:
    """Check that hardly any measured pairs were training pairs of a model.

    Args:
        name: the model's name.
        seen: its training data; None if unknown.
        data: the data to measure it on, or to fit its threshold on.
        pairs: the pairs that count; None for all of the data.
        accept_leaks: accept a leak; :func:`seen_in_words` still reports it.
        harm: the consequence, for the error.
        fix: the advice in the error.

    Raises:
        LeakError: more than ``MOST_LEARNT`` of the pairs were.
    """
    share = None if seen is None else seen.share(data.texts if pairs is None else pairs)
    if share is None or accept_leaks or share.learnt <= MOST_LEARNT * share.pairs:
        return
    raise LeakError(
        f"{name} was trained on {share.learnt:,} of the {share.pairs:,} pairs of "
        f"{data.name or 'these data'}, and {percent(MOST_LEARNT, 0)} is the most: {harm}",
        fix=fix,
    )


def require_unseen_dev(
    name: str, seen: Seen | None, dev: HasTexts, *, accept_leaks: bool = False
) -> tuple[str, ...]:
    """Check that hardly any pairs that a threshold is fitted on were training pairs of the model.

    Its scores of pairs that it has learnt lie further apart than those of others, and so need another
    threshold.

    Returns:
        An accepted leak in words.

    Raises:
        LeakError: more than ``MOST_LEARNT`` of the pairs were, see :func:`require_unseen`.
    """
    fix = "give dev pairs that it has not seen, or accept it with `accept_leaks=True`"
    harm = "a threshold fitted on them would suit others less"
    require_unseen(name, seen, dev, accept_leaks=accept_leaks, harm=harm, fix=fix)
    share = seen.share(dev.texts) if seen is not None and accept_leaks else None
    if share is None or share.learnt <= MOST_LEARNT * share.pairs:
        return ()
    return (
        f"{name} was trained on {share.learnt:,} of the {share.pairs:,} pairs of {dev.name}, which its "
        "threshold is fitted on: it suits other pairs less",
    )


def require_unseen_start(start: Path | None, *sides: HasTexts) -> None:
    """Check that the initial model of a training run hasn't seen the evaluation data.

    Raises:
        LeakError: it has, see :func:`require_unseen`.
    """
    from textkin.models.manifest import read_seen

    if start is not None:
        for side in sides:
            require_unseen(str(start), read_seen(start), side, fix="start from a model that has not")


def pretraining_on_file(name: str, system: AnySystem, path: Path) -> Iterator[str]:
    """The public data set that a model was pretrained on, if the file is called like one, in a sentence."""
    from textkin.models.pretraining import named_in, pretraining_of

    folder = folder_of(system)
    if folder is not None and (found := named_in(pretraining_of(folder), path)):
        yield (
            f"{name} was pretrained on {' and '.join(found)}: its figures are not those of a model that "
            "never saw such data"
        )


def seen_in_words(name: str, model: ModelFacts | SavedEnsemble, data: HasTexts) -> Iterator[str]:
    """The part of these data a model was trained or selected on, in sentences."""
    share = None if model.seen is None else model.seen.share(data.texts)
    if share is not None and share.learnt:
        told = f"{share.learnt:,} of these {share.pairs:,} pairs"
        if share.may_be_chance:
            yield f"{name} may have been trained on {told}: hashes can match that often by chance"
        else:
            yield f"{name} was trained on {told}: its figures are too good"
    if share is not None and share.sharing > share.learnt:
        yield (
            f"{share.sharing:,} of {share.pairs:,} pairs share a text with what {name} was trained on: its "
            "figures on other texts may be lower"
        )
    if model.provenance.get("dev_sha256") == content_hash(data):
        yield f"{name} was chosen by these very pairs: its figures are too good"
