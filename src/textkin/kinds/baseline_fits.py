"""Texts or labels that baselines are fitted on, and the systems of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from textkin.base.counts import count
from textkin.data.readers import load_texts
from textkin.kinds.judge import Judge
from textkin.kinds.measuring import Options
from textkin.kinds.systems import NONE_GIVEN, AnyModel, resolve
from textkin.text.baselines.terms import FitTexts


class Fitted(ABC):
    """Base class of sources that baselines are fitted on.

    Attributes:
        words: the source in words.
        further: names of baselines that the source makes possible, beside those of the judge.
    """

    words: str
    further: tuple[str, ...]

    @abstractmethod
    def open(self, model: AnyModel, *, named: bool = True, given: Mapping[str, Any] = NONE_GIVEN) -> Any:
        """The system of a name, a folder or an object.

        Args:
            model: the model.
            named: True if the user named it; False for a baseline put beside.
            given: predictions that members of ensembles stand for, by name.

        Raises:
            UsageError: a model isn't known, or doesn't fit the data.
            ModelError: it can't be read.
            DataError: a baseline can't be fitted.
        """

    def notes(self) -> tuple[str, ...]:
        """Notes on the source, after all systems are open."""
        return ()

    def hash_of(self, word: str) -> str | None:
        """The hash of all that a system of this name depends on beside its model; None for most."""
        return None


@dataclass(frozen=True, slots=True)
class FittedTexts(Fitted):
    """Texts that baselines take word frequencies from.

    Attributes:
        texts: the texts.
        words: their source in words.
        options: the user's options.
        opened: systems by their models, so that two names of one model share it.
    """

    texts: FitTexts
    words: str
    options: Options
    opened: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, judge: Judge, options: Options) -> FittedTexts:
        """The texts of the file ``fit``, or those of the data themselves.

        Raises:
            DataError: the file can't be read.
        """
        if options.fit is None:
            own = judge.texts
            return cls(
                FitTexts(own), f"the {count(len(own), 'text')} of the data itself (no labels)", options
            )
        texts = load_texts(options.fit).data.texts
        return cls(FitTexts(texts), f"{len(texts):,} texts of {options.fit.name}", options)

    @property
    def further(self) -> tuple[str, ...]:  # type: ignore[override]
        """The baseline that needs word vectors."""
        return ("mean-vectors",) if self.options.vectors is not None else ()

    def open(self, model: AnyModel, *, named: bool = True, given: Mapping[str, Any] = NONE_GIVEN) -> Any:
        """A scorer."""
        return resolve(
            model,
            fit_texts=self.texts,
            vectors=self.options.vectors,
            seed=self.options.sampling.seed,
            opened=self.opened,
            given_systems=given,
        )
