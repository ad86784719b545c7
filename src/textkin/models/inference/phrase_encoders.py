"""Trained networks as phrase encoders, which encode phrases and questions independently."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.models.inference.engine import Ids, by_tokens, evaluating
from textkin.models.inference.trained_network import TrainedNetwork
from textkin.models.model_folder import Model, load_model
from textkin.models.phrase_reading import EncodesPhrases, PhraseShape
from textkin.networks.architectures.phrase_network import PhraseNetwork
from textkin.networks.batches.padded import TextBatch
from textkin.text.pipeline import TextPipeline

_TOKENS_PER_BATCH = 8_192


class NeuralPhraseEncoder(EncodesPhrases, TrainedNetwork):
    """A trained network for both ends of phrases.

    Args:
        module: the network; it is put into evaluation mode while it reads.
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
    """

    _module: PhraseNetwork

    def __init__(
        self, module: PhraseNetwork, pipeline: TextPipeline, *, name: str, loaded: Model | None = None
    ) -> None:
        TrainedNetwork.__init__(self, module, pipeline, name=name, loaded=loaded)
        shape = PhraseShape(
            width=module.width,
            most=module.most,
            learns_priors=module.learns_priors,
            has_priors=module.has_priors,
        )
        EncodesPhrases.__init__(self, pipeline, name=name, shape=shape)

    @property
    def nothing(self) -> Floats32 | None:
        """The vector of no answer, the same for all passages; None if there always is an answer."""
        if self._module.nothing is None:
            return None
        vectors, prior = self._module.nothing.vectors, self._module.nothing.prior
        row = torch.cat([vectors.detach().flatten(), prior.detach().sum()[None]])
        return row.float().cpu().numpy()

    def _tokens(self, passages: Ids) -> list[Floats32]:
        found = self._each(passages, self._known)
        return [rows[: len(one)] for rows, one in zip(found, passages, strict=True)]

    def _asked(self, questions: Ids) -> list[Floats32]:
        return self._each(questions, lambda batch: torch.cat(self._module.questions(batch), dim=1))

    def _known(self, batch: TextBatch) -> Tensor:
        """Both vectors of tokens, and the terms for each end, all and learnt: [B, T, 2D + 4]."""
        ends = self._module.passages(batch)
        start, end, *priors = self._module.compared(ends)
        none = torch.zeros_like(start[..., 0])
        numbers = [none if one is None else one for one in (*priors, ends.start_prior, ends.end_prior)]
        return torch.cat([start, end, torch.stack(numbers, dim=-1)], dim=-1)

    def _each(self, ids: Ids, network: Callable[[TextBatch], Tensor]) -> list[Floats32]:
        """The network's output for each text, padding included."""
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        device = next(self._module.parameters()).device
        outputs: dict[int, Floats32] = {}
        with evaluating(self._module), torch.inference_mode():
            for rows in by_tokens(np.argsort(-lengths, kind="stable"), lengths, most=_TOKENS_PER_BATCH):
                batch = TextBatch.from_ids([ids[row] for row in rows], pad_id=self._pipeline.pad_id)
                found = network(batch.to(device)).float().cpu().numpy()
                outputs.update(zip(rows.tolist(), found, strict=True))
        return [outputs[place] for place in range(len(ids))]

    def __reduce__(self) -> Any:
        """Pickle as the folder.

        Raises:
            UsageError: it is in memory only.
        """
        return load_phrase_encoder, (self._folder(),)


def load_phrase_encoder(folder: Path | str) -> NeuralPhraseEncoder:
    """The phrase encoder in a model directory.

    Raises:
        ModelError: the folder is missing, incomplete, truncated or foreign, or contains another kind of
            model.
    """
    model = load_model(folder)
    if not isinstance(model.module, PhraseNetwork):
        raise ModelError(
            f"holds a model of the kind {model.architecture!r}, which reads a passage together with "
            "its question",
            path=folder,
            fix="take phrases, or train a recipe for phrases, such as spans-piqa",
        )
    return NeuralPhraseEncoder(model.module, model.pipeline, name=model.name, loaded=model)
