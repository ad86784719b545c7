"""The parts of a model in another library's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from textkin.networks.architectures.table import Network
from textkin.text.pipeline import TextPipeline


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A model without its threshold, calibration and provenance.

    Attributes:
        architecture: a name of ``networks.architectures.table.ARCHITECTURES``.
        arguments: the architecture's keyword arguments, as JSON types.
        module: the network with its weights.
        pipeline: texts to ids.
        classes: the classes of a classifier's outputs, in order; otherwise empty.
    """

    architecture: str
    arguments: Mapping[str, Any]
    module: Network
    pipeline: TextPipeline
    classes: tuple[str, ...] = ()
