"""A recipe's untrained network, as a system to measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.errors import UsageError, invalid

if TYPE_CHECKING:
    from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, NeuralScorer
    from textkin.models.inference.span_readers import NeuralReader
    from textkin.models.model_folder import Model
    from textkin.networks.recipes.recipe import Recipe

_YES_OR_NO = ("0", "1")


@dataclass(frozen=True, slots=True, eq=False)
class Untrained:
    """The "random" row next to trained models in tables of the field.

    Attributes:
        recipe: the recipe of the network, without a pretrained model.

    Raises:
        UsageError: the recipe starts from a pretrained model.
    """

    recipe: Recipe

    def __post_init__(self) -> None:
        from textkin.networks.recipes.recipe import PRETRAINED

        if self.recipe.model.architecture in PRETRAINED:
            raise UsageError(
                f"the recipe {self.recipe.name} starts from a pretrained model, so none is untrained",
                fix="compare that model by its own name",
                params=("models",),
                value=self.recipe.name,
            )

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.recipe.name} untrained"

    def system(
        self, texts: Sequence[str], *, seed: int, vectors: Path | None = None, classes: tuple[str, ...] = ()
    ) -> NeuralEncoder | NeuralScorer | NeuralClassifier:
        """The network with its initial weights.

        Args:
            texts: the source of the vocabulary; training would use that of the training texts.
            seed: the seed of the initial weights.
            vectors: pretrained word vectors, as training would use them.
            classes: the data's classes, for recipes with classes; default: yes and no.

        Raises:
            ConfigError: the architecture doesn't take an argument.
            DataError: the vectors can't be read.
        """
        from textkin.models.inference.scorers import scorer_of
        from textkin.networks.losses.common import LossInput
        from textkin.networks.losses.table import find

        takes = [find(one.loss).takes for one in self.recipe.objectives]
        if LossInput.CLASS_SCORES not in takes:
            classes = ()
        elif not classes:
            classes = _YES_OR_NO
        return scorer_of(self._model(texts, seed=seed, vectors=vectors, classes=classes))

    def reader(self, texts: Sequence[str], *, seed: int) -> NeuralReader:
        """The network of a recipe for spans with its initial weights.

        Raises:
            UsageError: the recipe is for something else.
            ConfigError: the architecture doesn't take an argument.
        """
        from textkin.models.inference.span_readers import NeuralReader
        from textkin.networks.architectures.span_network import SpanNetwork

        model = self._model(texts, seed=seed)
        if not isinstance(model.module, SpanNetwork):
            raise invalid("models", self.name, expected="a recipe for spans")
        return NeuralReader(model.module, model.pipeline, name=self.name)

    def _model(
        self, texts: Sequence[str], *, seed: int, vectors: Path | None = None, classes: tuple[str, ...] = ()
    ) -> Model:
        from textkin.models.manifest import ModelFacts
        from textkin.models.model_folder import Model
        from textkin.training.assemble import assemble

        outputs, distinct = max(1, len(classes)), list(dict.fromkeys(texts))
        made = assemble(self.recipe, distinct, seed=seed, vectors=vectors, outputs=outputs)
        return Model(
            ModelFacts(self.name, classes=classes),
            architecture=self.recipe.model.architecture,
            arguments=made.arguments,
            module=made.module,
            pipeline=made.pipeline,
        )
