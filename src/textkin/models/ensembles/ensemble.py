"""The common base of all ensembles."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Generic, TypeVar

from textkin.measures.decisions.combination import Combination
from textkin.models.ensembles.ensemble_folder import SavedEnsemble

_Member = TypeVar("_Member")


class Ensemble(ABC, Generic[_Member]):
    """Base class of ensembles.

    Args:
        members: the systems.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    def __init__(
        self,
        members: Sequence[_Member],
        combination: Combination,
        *,
        name: str,
        model: SavedEnsemble | None = None,
    ) -> None:
        self.members, self.combination = tuple(members), combination
        self.name, self.model = name, model
