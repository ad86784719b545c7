"""What all trained networks share, whatever they say of texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from textkin.base.cpu import product_speeds
from textkin.base.errors import ModelError, UsageError
from textkin.models.inference.engine import Computes
from textkin.models.model_folder import Model
from textkin.text.pipeline import TextPipeline
from textkin.text.unknown_tokens import UnknownOf


class TrainedNetwork(ABC):
    """A network with the pipeline of its texts, and a name.

    Args:
        module: the network.
        pipeline: texts to ids.
        name: how tables call it.
        model: the model directory's content, where it comes from one.
    """

    def __init__(self, module: nn.Module, pipeline: TextPipeline, *, name: str, model: Model | None) -> None:
        self._module, self._pipeline, self._name = module, pipeline, name
        self.model = model

    @property
    def name(self) -> str:
        """How tables call it."""
        return self._name

    @property
    def pipeline(self) -> TextPipeline:
        """Texts to ids."""
        return self._pipeline

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts."""
        return self._pipeline.unknown(texts)

    @abstractmethod
    def __reduce__(self) -> Any:
        """Pickled as its folder.

        Raises:
            UsageError: it is in memory only.
        """

    def _folder(self) -> Path:
        """Where it was loaded from, which is what is pickled of it.

        Raises:
            UsageError: nowhere.
        """
        if self.model is None or self.model.folder is None:
            raise UsageError(
                f"{self._name} is in memory only, and a model is pickled as the folder that holds it",
                fix="save it, and load it from there",
            )
        return self.model.folder


def finite(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """What a network gave.

    Raises:
        ModelError: a number is not finite, since the network's own numbers are too large.
    """
    if not np.isfinite(rows).all():
        raise ModelError(
            f"{name} gives numbers that are not finite", fix="train it anew, or choose another model"
        )
    return rows


def slowness_of(module: nn.Module, computes: Computes) -> str | None:
    """Measure whether a precision is slower than fp32 on this processor; words for it, or None."""
    if computes == "fp32" or next(module.parameters()).device.type != "cpu":
        return None
    speeds = product_speeds()
    return None if speeds.bf16_pays else speeds.words
