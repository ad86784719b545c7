"""Trained networks that extract answers from passages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from textkin.base.errors import ModelError
from textkin.base.hub import shown_model
from textkin.base.python_inputs import texts_of
from textkin.data.attention_map import AttentionMap
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.models.inference.attention import HeadChoice, attention_maps
from textkin.models.inference.engine import Computes, Ids
from textkin.models.inference.faster_way import sample_of
from textkin.models.inference.precision import reader_check
from textkin.models.inference.span_engine import SpanEngine, centred
from textkin.models.inference.trained_network import InPrecision
from textkin.models.model_folder import Model, load_model
from textkin.models.self_check import SelfCheck
from textkin.models.span_logits import WindowLogits, best_spans
from textkin.models.span_reading import PointsAtSpans
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.text.pipeline import TextPipeline
from textkin.text.span_windows import homes, windows
from textkin.text.token_texts import located_tokens

_CHECKED = 1_024


class NeuralReader(PointsAtSpans, InPrecision[SpanEngine]):
    """A trained network that points at spans.

    Args:
        module: the network; it is put into evaluation mode while it reads.
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.
        computes: the precision of matrix products.
        no_answer: the no-answer rule; None to answer none if it scores higher than every span.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
        UsageError: at the first question, if bf16 is requested and unsupported by the network or this
            machine.
    """

    _module: SpanNetwork

    def __init__(
        self,
        module: SpanNetwork,
        pipeline: TextPipeline,
        *,
        name: str,
        loaded: Model | None = None,
        computes: Computes = "fp32",
        no_answer: NoAnswerRule | None = None,
    ) -> None:
        InPrecision.__init__(self, module, pipeline, name=name, loaded=loaded)
        PointsAtSpans.__init__(
            self,
            pipeline,
            name=name,
            most=module.most,
            answers_none=module.answers_none,
            no_answer=no_answer,
        )
        self.computes: Computes = computes

    def check(self, questions: Sequence[str], passages: Sequence[str]) -> SelfCheck:
        """Measure the best precision on a few questions; see :func:`precision.reader_check`."""
        step = slice(None, None, max(1, len(questions) // _CHECKED))
        located = self._find.located(texts_of(passages[step]))
        asked = self._asked(texts_of(questions[step]))
        known = [place for place, passage in enumerate(located) if len(passage)]
        sides = (
            [asked[place] for place in known],
            [located[place].ids[: self._limits.passage] for place in known],
        )
        module = self._placed(*sides, texts=len(questions))
        return reader_check(module, *sides, pad_id=self._pipeline.pad_id, texts=len(questions))

    def computing(self, computes: Computes) -> Self:
        """The same reader with matrix products in ``computes``.

        Raises:
            UsageError: the network or this machine doesn't support it.
        """
        found = type(self)(
            self._module,
            self._pipeline,
            name=self._name,
            loaded=self.loaded,
            computes=computes,
            no_answer=self.no_answer,
        )
        found._for_many = self._for_many
        if computes != "fp32":
            _ = found._engine  # created now, so that a lack of support is reported before texts are read
        return found

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between a question and a passage.

        For a passage in several windows, it is that of the window with the best answer; see
        :func:`attention.attention_maps`.

        Args:
            a: the question.
            b: the passage.
            choice: the layers and heads.
        """
        located = self._find.located(texts_of([a, b]))
        question, passage = (located_tokens(one, text) for one, text in zip(located, (a, b), strict=True))
        question = question.part(slice(self._limits.question))
        parts = windows(len(passage), self._limits.passage)
        if len(parts) > 1:
            (logits,) = self._logits([question.ids], [located[1]])
            best = next(one for one in best_spans(logits, most=self._most) if one.first >= 0)
            home = int(homes(parts, np.array(best.first), np.array(best.last)))
            passage = passage.part(slice(*parts[home]))
        return attention_maps(self._module, question, passage, pad_id=self._pipeline.pad_id, choice=choice)

    def _engine_of(self, module: Any) -> SpanEngine:
        return SpanEngine(module, pad_id=self._pipeline.pad_id, computes=self.computes)

    def _placed(self, questions: Ids, windows: Ids, *, texts: int) -> SpanNetwork:
        """The network for so many windows, of which these are some."""
        tokens = sum(map(len, questions)) + sum(map(len, windows))
        step = sample_of(tokens)
        module: SpanNetwork = self._network_for(
            tokens * texts // max(1, len(windows)),
            lambda module: centred(self._engine_of(module).logits(questions[step], windows[step])),
        )
        return module

    def _window_logits(self, questions: Ids, windows: Ids) -> Sequence[WindowLogits]:
        module = self._placed(questions, windows, texts=len(windows))
        return self._engine_on(module).logits(questions, windows)

    def __reduce__(self) -> Any:
        """Pickle as the folder.

        Raises:
            UsageError: it is in memory only.
        """
        return load_reader, (self._folder(), self.computes, self.no_answer)


def load_reader(
    folder: Path | str, computes: Computes = "fp32", no_answer: NoAnswerRule | None = None
) -> NeuralReader:
    """Load the reader in a model folder, or in a question-answering folder of transformers.

    Args:
        folder: its location.
        computes: the precision of matrix products.
        no_answer: the no-answer rule; None for the one saved with the model, if any.

    Raises:
        ModelError: the folder is missing, incomplete, truncated or foreign, or contains another kind of
            model.
    """
    model = load_model(folder)
    if not isinstance(model.module, SpanNetwork):
        raise ModelError(
            f"holds a model of the kind {model.architecture!r}, which points at no answers",
            path=shown_model(folder),
            fix="take reader, or train a recipe for spans",
        )
    rule = None if model.facts.no_answer is None else model.facts.no_answer.rule
    return NeuralReader(
        model.module,
        model.pipeline,
        name=model.name,
        loaded=model,
        computes=computes,
        no_answer=no_answer or rule,
    )
