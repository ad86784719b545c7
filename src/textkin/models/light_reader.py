"""The built-in reader without torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.arrays import Floats32, Ints32
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.models.interop.folder_kinds import CONFIG
from textkin.models.interop.head_settings import ReaderSettings
from textkin.models.light_pairs import LightPairs
from textkin.models.span_logits import WindowLogits
from textkin.models.span_reading import PointsAtSpans

if TYPE_CHECKING:
    from textkin.data.attention_map import AttentionMap
    from textkin.models.inference.attention import HeadChoice
    from textkin.models.inference.span_readers import NeuralReader


class LightReader(PointsAtSpans):
    """A reader of passages by an adapter of the built-in transformer; much is read with torch.

    Args:
        folder: the folder of the adapter.
        no_answer: the no-answer rule; None for the one saved with the model, if any.

    Attributes:
        model: what the folder says of its model.

    Raises:
        ModelError: a file is missing or broken.
    """

    def __init__(self, folder: Path, *, no_answer: NoAnswerRule | None = None) -> None:
        self._pairs = LightPairs(folder)
        self._head = self._pairs.adapter.layer("qa_outputs", outputs=2)
        self.model, settings = self._pairs.adapter.facts, ReaderSettings.of(folder / CONFIG)
        saved = self.model.no_answer
        super().__init__(
            self._pairs.pipeline,
            name=self.model.name,
            most=settings.most,
            answers_none=settings.answers_none,
            no_answer=no_answer or (None if saved is None else saved.rule),
        )

    def _window_logits(
        self, questions: Sequence[Ints32], windows: Sequence[Ints32]
    ) -> Sequence[WindowLogits]:
        tokens = sum(map(len, questions)) + sum(map(len, windows))
        if "network" in vars(self) or self._pairs.adapter.loading.pays(tokens):
            return self.network._window_logits(questions, windows)
        found = self._pairs.each(questions, windows, self._head)
        return [self._of_window(one, len(window)) for one, window in zip(found, windows, strict=True)]

    def _of_window(self, logits: Floats32, tokens: int) -> WindowLogits:
        """The logits of a window, from those of its sequence; no answer is its first token's."""
        end = len(logits) - len(self._pairs.joint.end)
        start, last = logits[end - tokens : end].T
        return WindowLogits(start, last, float(logits[0].sum()) if self.answers_none else None)

    @cached_property
    def network(self) -> NeuralReader:
        """The same reader with torch."""
        from textkin.models.inference.span_readers import load_reader

        return load_reader(self._pairs.adapter.folder, no_answer=self.no_answer)

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between a question and a passage; it needs torch."""
        return self.network.attention(a, b, choice=choice)

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return _again, (self._pairs.adapter.folder, self.no_answer)


def _again(folder: Path, no_answer: NoAnswerRule | None) -> LightReader:
    return LightReader(folder, no_answer=no_answer)
