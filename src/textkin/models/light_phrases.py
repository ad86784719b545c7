"""The built-in encoder of phrases without torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, blaming, flag, table, whole
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.light_adapter import LightAdapter
from textkin.models.phrase_reading import EncodesPhrases, PhraseShape
from textkin.text.tokenizer_pipeline import TokenizerPipeline

if TYPE_CHECKING:
    from textkin.models.inference.phrase_encoders import NeuralPhraseEncoder

ENCODES_PHRASES = "piqa-transformer"
"""The architecture's name in manifests."""


@final
class LightPhrases(EncodesPhrases):
    """An encoder of phrases by an adapter of the built-in transformer; much is encoded with torch.

    It reads what ``benchmarks/adapters.py`` makes: inner products, learnt priors, one network for both sides,
    the first token's state for a question.

    Args:
        folder: the folder of the adapter.

    Attributes:
        model: what the folder says of its model.

    Raises:
        ModelError: a file is missing or broken.
    """

    nothing = None  # the built-in network takes for granted that there is an answer

    def __init__(self, folder: Path) -> None:
        self._adapter = LightAdapter(folder)
        self.model = self._adapter.facts
        path = folder / MANIFEST
        with blaming(folder):
            arguments = table(self._adapter.manifest, "arguments", path)
            priors = flag(arguments, "prior", path)
            width, most = whole(arguments, "width", path), whole(arguments, "most", path)
        pipeline = self._adapter.pipeline
        if not isinstance(pipeline, TokenizerPipeline):
            raise ModelError("has no tokenizer", path=path, fix=AGAIN)
        self._before, self._after = pipeline.frame
        shape = PhraseShape(width=width, most=most, learns_priors=priors, has_priors=priors)
        self._of_passages = self._adapter.layer("of_passages", outputs=2 * width)
        self._of_questions = self._adapter.layer("of_questions", outputs=2 * width)
        self._of_priors = self._adapter.layer("of_priors", outputs=2)
        super().__init__(pipeline, name=self.model.name, shape=shape)

    def _tokens(self, passages: Sequence[Ints32]) -> Sequence[Floats32]:
        if self._takes_network(passages):
            return self.network._tokens(passages)
        return self._adapter.each(self._framed(passages), self._ends)

    def _asked(self, questions: Sequence[Ints32]) -> Sequence[Floats32]:
        if self._takes_network(questions):
            return self.network._asked(questions)
        return self._adapter.each(self._framed(questions), lambda states: self._of_questions(states[0]))

    def _ends(self, states: Floats32) -> Floats32:
        """Both vectors of the tokens of a text, and their terms, all of them learnt priors."""
        states = states[len(self._before) : len(states) - len(self._after)]
        priors = self._of_priors(states)
        return np.concatenate((self._of_passages(states), priors, priors), axis=1)

    def _framed(self, ids: Sequence[Ints32]) -> list[Ints32]:
        return [np.concatenate((self._before, one, self._after)) for one in ids]

    def _takes_network(self, ids: Sequence[Ints32]) -> bool:
        return "network" in vars(self) or self._adapter.loading.pays(sum(map(len, ids)))

    @cached_property
    def network(self) -> NeuralPhraseEncoder:
        """The same encoder with torch."""
        from textkin.models.inference.phrase_encoders import load_phrase_encoder

        return load_phrase_encoder(self._adapter.folder)

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return LightPhrases, (self._adapter.folder,)
