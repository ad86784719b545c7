"""From a word or object to a reader of spans."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.errors import inapplicable, invalid
from textkin.base.hub import located
from textkin.base.progress import timed
from textkin.data.protocols import SpanReader
from textkin.kinds.systems.model_names import AnyModel, ensemble_in, refuse_box, refuse_frequencies, require
from textkin.kinds.systems.predictions import NONE_GIVEN, given_member
from textkin.measures.decisions.no_answer import NoAnswerRule, SavedNoAnswer
from textkin.models.ensembles.open_ensemble import open_ensemble_reader
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.models.interop.head_settings import READS_PASSAGES
from textkin.models.light_adapter import adapted_architecture
from textkin.models.light_reader import LightReader
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines.own_systems import is_own, own_system
from textkin.text.baselines.span_readers import SPAN_BASELINES, build_span_reader
from textkin.training.untrained_network import Untrained

if TYPE_CHECKING:
    from textkin.models.ensembles.reader import EnsembleReader
    from textkin.models.inference.span_readers import NeuralReader


def load_reader(path: Path | str) -> NeuralReader | LightReader | EnsembleReader:
    """Load the span reader in a folder, or in the Hugging Face cache by name.

    Raises:
        ModelError: there is no readable model, or one that doesn't extract answers; or it is an ensemble of
            which a member is missing, has changed, or takes word frequencies from texts.

    Example:
        >>> import textkin as tk
        >>> reader = tk.load_reader("reader")
        >>> reader.read(["When was it built?"], ["It was built in 1911."])[0][0].text
        '1911'
    """
    refuse_box(
        path,
        "points at no answers",
        fix="take reader, or train a recipe for spans",
    )
    folder = located(path)
    with timed(f"reader {path}, from {folder}"):
        if kind_of(folder) is Kind.ENSEMBLE:
            refuse_frequencies(folder)
            return open_ensemble_reader(folder, lambda one: reader_of(one, fit_texts=()))
        return _opened(folder)


def reader_of(
    model: AnyModel,
    *,
    fit_texts: Sequence[str],
    seed: int = 0,
    decision: Path | str | None = None,
    given: Mapping[str, Any] = NONE_GIVEN,
) -> SpanReader:
    """The span reader for a user's word or object.

    Args:
        model: a folder, a cached model's name, one of ``text.baselines.span_readers.SPAN_BASELINES``, or an
            object.
        fit_texts: the source of a baseline's word frequencies.
        seed: the seed of the baseline random.
        decision: a no-answer rule in a file of ``calibrate``, instead of the model's own.
        given: predictions that members of ensembles stand for, by name.

    Raises:
        UsageError: the object can't read.
        ModelError: the folder can't be read, or contains another kind of model; or the decision is another's.
        DataError: the decision can't be read.
    """
    if isinstance(model, Untrained):
        return model.reader(fit_texts, seed=seed)
    if decision is not None:
        return _deciding(model, decision)
    if not isinstance(model, str | Path):
        if isinstance(model, SpanReader):
            return model
        raise invalid(
            "model",
            getattr(model, "name", type(model).__name__),
            expected="an object with name and read(questions, passages, k)",
        )
    if (predicted := given_member(str(model), given)) is not None:
        return reader_of(predicted, fit_texts=fit_texts)
    if is_own(model):
        return reader_of(own_system(str(model), fit_texts=fit_texts, seed=seed), fit_texts=fit_texts)
    if str(model) in SPAN_BASELINES:
        return build_span_reader(str(model), fit_texts=fit_texts, seed=seed)
    require(str(model), SPAN_BASELINES)
    if (folder := ensemble_in(model)) is not None:
        return open_ensemble_reader(folder, partial(reader_of, fit_texts=fit_texts, seed=seed, given=given))
    return load_reader(model)


def _deciding(model: AnyModel, decision: Path | str) -> NeuralReader | LightReader:
    """A reader in a folder with the rule of a file."""
    if not isinstance(model, str | Path) or str(model) in SPAN_BASELINES:
        raise inapplicable(
            "decision",
            to=f"{getattr(model, 'name', model)}, which isn't a saved model",
            fix="leave it out, or give the folder of the model that it was fitted for",
        )
    require(str(model), SPAN_BASELINES)
    if ensemble_in(model) is not None:
        raise inapplicable("decision", to=f"{model}, which is an ensemble")
    found = SavedNoAnswer.read(decision, model=str(model), model_sha256=hash_of_scorer(model))
    return _opened(located(model), found.rule)


def _opened(folder: Path, no_answer: NoAnswerRule | None = None) -> NeuralReader | LightReader:
    """The reader in a folder, with torch if that is loaded already, or needed."""
    if sys.modules.get("torch") is None and adapted_architecture(folder) == READS_PASSAGES:
        return LightReader(folder, no_answer=no_answer)
    from textkin.models.inference.span_readers import load_reader as load

    return load(folder, no_answer=no_answer)
