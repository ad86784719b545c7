"""What a model looks at between two texts, as matrices, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from textkin.base.errors import UsageError
from textkin.base.files import write_json, write_text
from textkin.base.results import Result, ResultRow
from textkin.data.attention_map import AttentionMap
from textkin.kinds.systems import AnyModel, load_attending
from textkin.report.attention_page import AttentionReport, attention_page, attention_path

if TYPE_CHECKING:
    from textkin.models.inference import HeadChoice


@final
@dataclass(frozen=True, slots=True, repr=False)
class Attention(Result):
    """The matrices that a model makes between two texts.

    Attributes:
        model: how tables call it.
        first: the first text, or the question.
        second: the second text, or the passage.
        maps: the matrices.

    Example:
        >>> import textkin as tk
        >>> pair = ("When do you open?", "When are you open?")
        >>> found = tk.attention(pair, model="runs/esim/model")  # doctest: +SKIP
        >>> found.save("attention.html")  # doctest: +SKIP
    """

    model: str
    first: str
    second: str
    maps: tuple[AttentionMap, ...]

    def save(self, path: Path | str) -> Path:
        """Write a page of heat maps, or all numbers as JSON.

        Args:
            path: a file whose name ends in .html or .json.

        Raises:
            UsageError: it ends otherwise.
            OutputError: it can't be written.
        """
        target = attention_path(path)
        report = AttentionReport(model=self.model, first=self.first, second=self.second, maps=self.maps)
        if target.suffix.lower() == ".json":
            write_json(target, report.to_dict())
        else:
            write_text(target, attention_page(report))
        return target

    def _rows(self) -> Iterator[ResultRow]:
        """One row a matrix."""
        for one in self.maps:
            row, column, value = one.strongest(1)[0]
            yield {
                "matrix": one.name,
                "rows": len(one.rows),
                "columns": len(one.columns),
                "sums to 1": one.sums,
                "largest": value,
                "of": f"{row} → {column}",
            }

    def _said(self) -> tuple[str, ...]:
        return (f"what {self.model} looks at",)


def attention(
    model: AnyModel | Any, first: str, second: str, *, choice: HeadChoice | None = None
) -> Attention:
    """The matrices between the tokens of two texts.

    Args:
        model: a folder, the name of a cached model, or what :func:`textkin.load` or
            :func:`textkin.load_reader` gave.
        first: a text; of a reader, the question.
        second: the text beside it; of a reader, the passage.
        choice: of a pretrained transformer's layers and heads.

    Raises:
        UsageError: the model makes no such matrix, a text has no token, or there is no such layer or head.
        ModelError: there is no model that textkin can read.
    """
    from textkin.models.inference import NeuralClassifier, NeuralEncoder, NeuralReader, NeuralScorer

    network = load_attending(model) if isinstance(model, str | Path) else model
    if not isinstance(network, NeuralEncoder | NeuralScorer | NeuralClassifier | NeuralReader):
        raise UsageError(
            f"{getattr(network, 'name', type(network).__name__)} is no trained network with attention",
            fix="give the folder of a trained model",
        )
    maps = network.attention(first, second, choice=choice)
    return Attention(network.name, first, second, tuple(maps))
