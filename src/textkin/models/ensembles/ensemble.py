"""What all ensembles have, on whatever kind of data."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Generic, TypeVar

from textkin.measures.decisions.combination import Combination
from textkin.models.ensembles.ensemble_folder import SavedEnsemble

_Member = TypeVar("_Member")


class Ensemble(ABC, Generic[_Member]):
    """Several systems as one.

    Args:
        members: the systems.
        combination: fitted, see ``measures.decisions.combination_fit``.
        name: how tables call it.
        model: what is saved of it, where it comes from a directory.
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
