"""``attention``: the matrices that a model makes between two texts, as a table, a page or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.errors import invalid, required
from textkin.base.files import write_json, write_text
from textkin.base.paths import shown_output
from textkin.base.progress import note
from textkin.base.python_inputs import texts_of
from textkin.base.results import Result, ResultRow
from textkin.data.attention_map import AttentionMap
from textkin.kinds.reproduction import how_made
from textkin.kinds.systems import load_attending
from textkin.report.attention_page import TextMaps, attention_page, attention_path
from textkin.text.baselines.user_objects import called

_FORMAT = 1  # of the JSON


@dataclass(frozen=True, slots=True, repr=False)
class Attention(Result):
    """The matrices that a model makes between two texts.

    Attributes:
        model: its name in tables.
        first: the first text, or the question.
        second: the second text, or the passage.
        maps: the matrices.

    Example:
        >>> import textkin as tk
        >>> found = tk.attention("Open?", "Are you open?", "runs/esim/model")  # doctest: +SKIP
        >>> found.write("attention.html")  # doctest: +SKIP
    """

    model: str
    first: str
    second: str
    maps: tuple[AttentionMap, ...]

    def write(self, path: Path | str) -> Path:
        """Write a page of heat maps, or all numbers as JSON.

        Args:
            path: a file whose name ends in .html or .json.

        Raises:
            UsageError: it ends otherwise.
            OutputError: it can't be written.
        """
        target = attention_path(path)
        texts = {"model": self.model, "first": self.first, "second": self.second}
        if target.suffix.lower() == ".json":
            maps = [one.to_dict() for one in self.maps]
            write_json(target, {"kind": "attention", "format": _FORMAT, **texts, "maps": maps})
        else:
            made = how_made("score", models={self.model: [self.model]})
            write_text(target, attention_page(TextMaps(**texts, maps=self.maps, made=made)))
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


@checked
def attention(
    a: str,
    b: str,
    /,
    model: Any,
    *,
    layers: Sequence[int] = (),
    heads: Sequence[int] = (),
) -> Attention:
    """Show the attention or interaction matrices that a model makes between two texts.

    Args:
        a: a text; of a reader of answers the question.
        b: the other text; of a reader the passage.
        model: a folder, the name of a cached model, or what ``tk.load`` or ``tk.load_reader`` gave.
        layers: layers of a pretrained transformer, from 1, whose attention is averaged; default: all.
        heads: heads of each layer, likewise.

    Raises:
        UsageError: the model makes no such matrix, a text has no token, or there is no such layer or head.
        ModelError: there is no model that textkin can read.

    Example:
        >>> import textkin as tk
        >>> found = tk.attention("Open?", "Are you open?", "runs/esim/model")  # doctest: +SKIP
        >>> found.maps[0].weights.shape  # doctest: +SKIP
        (5, 5)
    """
    from textkin.models.inference.attention import HeadChoice
    from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, NeuralScorer
    from textkin.models.inference.span_readers import NeuralReader
    from textkin.models.light_reader import LightReader
    from textkin.models.light_scorers import LightClassifier, LightScorer
    from textkin.models.packed_encoder import PackedEncoder

    first, second = texts_of([a, b])
    choice = HeadChoice(layers=tuple(layers), heads=tuple(heads))
    network = load_attending(model) if isinstance(model, str | Path) else model
    if isinstance(network, PackedEncoder | LightReader | LightScorer | LightClassifier):
        network = network.network
    if not isinstance(network, NeuralEncoder | NeuralScorer | NeuralClassifier | NeuralReader):
        raise invalid("model", called(network), expected="the folder of a trained model with attention")
    maps = network.attention(first, second, choice=choice)
    return Attention(network.name, first, second, tuple(maps))


def check_attention(path: Path | None, layers: Sequence[int], heads: Sequence[int]) -> None:
    """Check, before anything is computed, that attention can be written.

    Raises:
        UsageError: the file's name has a wrong ending, or layers or heads are chosen for no file.
    """
    if path is not None:
        attention_path(path)
    elif layers or heads:
        raise required("attention", by="`layers` or `heads`", fix="name a file that ends in .html")


def write_attention(
    path: Path, pair: tuple[str, str], *, model: Any, layers: Sequence[int], heads: Sequence[int]
) -> None:
    """Write the attention between two texts, and note where.

    Raises:
        UsageError: the model has none.
        ModelError: it can't be read.
        OutputError: the file can't be written.
    """
    found = attention(*pair, model=model, layers=layers, heads=heads)
    found.write(path)
    count = len(found.maps)
    note(f"{count} attention {'matrix' if count == 1 else 'matrices'} written to {shown_output(path)}")
