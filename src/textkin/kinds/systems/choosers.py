"""From a word or object to a system that chooses answers."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from textkin.base.hub import BOX
from textkin.data.protocols import Chooser
from textkin.kinds.systems.model_names import AnyModel, ensemble_in, require
from textkin.kinds.systems.predictions import NONE_GIVEN, given_member
from textkin.kinds.systems.scorers import resolve
from textkin.models.ensembles.ensemble_folder import Together, load_saved
from textkin.models.ensembles.open_ensemble import open_ensemble_chooser
from textkin.text.baselines.choosers import CHOICE_BASELINES, ScoredChoices
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.own_systems import is_own, own_system


class OtherChoosers(Protocol):
    """Choosers that aren't scorers: they look up answers or ignore the question."""

    def chooser(self, word: str) -> Chooser | None:
        """The chooser with that name; None if unknown."""

    def hash_of(self, word: str) -> str | None:
        """The hash of everything this chooser depends on; None if unknown."""


def chooser_of(
    model: AnyModel,
    *,
    fit_texts: Sequence[str],
    vectors: Path | None = None,
    seed: int = 0,
    others: OtherChoosers,
    given: Mapping[str, Any] = NONE_GIVEN,
) -> Chooser:
    """The chooser for a user's word or object; a scorer chooses the best-scored choice.

    Args:
        model: a folder, a cached model's name, one of ``text.baselines.choosers.CHOICE_BASELINES``, or an
            object.
        fit_texts: the source of a baseline's word frequencies.
        vectors: word vectors for the baseline mean-vectors.
        seed: the seed of the baseline random, and of the weights of an untrained recipe.
        others: knows the choosers that aren't scorers.
        given: predictions that members of ensembles stand for, by name.

    Raises:
        UsageError: the object can't choose.
        ModelError: the folder can't be read.
        DataError: a baseline learns from answered questions, and there are none.
    """
    if isinstance(model, Chooser):
        return model
    word = str(model) if isinstance(model, str | Path) else ""
    if (predicted := given_member(word, given)) is not None:
        return chooser_of(predicted, fit_texts=fit_texts, others=others)
    if (found := others.chooser(word)) is not None:
        return found
    if is_own(word):
        own = own_system(word, fit_texts=fit_texts, vectors=vectors, seed=seed)
        return chooser_of(own, fit_texts=fit_texts, others=others)
    if word and word not in CHOICE_BASELINES and (folder := ensemble_in(word)) is not None:
        again = partial(
            chooser_of, fit_texts=fit_texts, vectors=vectors, seed=seed, others=others, given=given
        )
        if load_saved(folder).kind is Together.CHOICES:
            return open_ensemble_chooser(folder, again, hash_of=others.hash_of)
    if word and word not in CHOICE_BASELINES and word not in BASELINES:
        require(word, (*BOX, *CHOICE_BASELINES))
    return ScoredChoices(resolve(model, fit_texts=fit_texts, vectors=vectors, seed=seed))
