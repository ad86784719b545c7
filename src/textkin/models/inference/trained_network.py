"""The common base of all trained networks."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from torch import nn

from textkin.base.arrays import Floats32
from textkin.base.cpu import product_speeds
from textkin.base.errors import UsageError
from textkin.models.inference.engine import Computes
from textkin.models.inference.faster_way import GPU_REPAYS, placed
from textkin.models.model_folder import Model
from textkin.text.pipeline import NamedPipeline, TextPipeline
from textkin.text.unknown_tokens import UnknownOf

_Engine = TypeVar("_Engine")


class TrainedNetwork(NamedPipeline):
    """A network with its text pipeline, and a name.

    Args:
        module: the network.
        pipeline: texts to ids.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.

    Attributes:
        loaded: the same.
        model: what the folder says of its model, if loaded from one.
    """

    def __init__(
        self, module: nn.Module, pipeline: TextPipeline, *, name: str, loaded: Model | None = None
    ) -> None:
        self._module, self._pipeline, self._name = module, pipeline, name
        self.loaded, self.model = loaded, None if loaded is None else loaded.facts
        self._for_many: nn.Module | None = None

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """Unknown tokens of texts."""
        return self._pipeline.unknown(texts)

    def _network_for(self, tokens: int, rows: Callable[[Any], Floats32]) -> Any:
        """The network for so many tokens: on the GPU where that is better, which is measured once.

        Args:
            tokens: the tokens to compute.
            rows: see :func:`faster_way.placed`.
        """
        if tokens < GPU_REPAYS:
            return self._module
        if self._for_many is None:
            self._for_many = placed(self._module, rows)
        return self._for_many

    @abstractmethod
    def __reduce__(self) -> Any:
        """Pickle as the folder.

        Raises:
            UsageError: it is in memory only.
        """

    def _folder(self) -> Path:
        """The folder it was loaded from, which is its pickled form.

        Raises:
            UsageError: there is none.
        """
        if self.model is None or self.model.folder is None:
            raise UsageError(
                f"{self._name} is in memory only, and a model is pickled as the folder that holds it",
                fix="save it, and load it from there",
            )
        return self.model.folder


class InPrecision(TrainedNetwork, Generic[_Engine]):
    """A network whose engine computes in a chosen precision, and many tokens on a GPU where that is better.

    Attributes:
        computes: the precision of matrix products.
    """

    computes: Computes

    def slowness(self) -> str | None:
        """A warning if its precision is measured to be slower than fp32 here, or None."""
        return slowness_of(self._module, self.computes)

    @abstractmethod
    def _engine_of(self, module: Any) -> _Engine:
        """The engine of the network, or of its copy on a GPU."""

    @cached_property
    def _engine(self) -> _Engine:
        return self._engine_of(self._module)

    @cached_property
    def _engine_for_many(self) -> _Engine:
        return self._engine_of(self._for_many)

    def _engine_on(self, module: nn.Module) -> _Engine:
        """The same, made once."""
        return self._engine if module is self._module else self._engine_for_many


def slowness_of(module: nn.Module, computes: Computes) -> str | None:
    """A warning if a precision is measured to be slower than fp32 here, or None."""
    if computes == "fp32" or next(module.parameters()).device.type != "cpu":
        return None
    speeds = product_speeds()
    return None if speeds.bf16_pays else speeds.words
