"""From a recipe, texts and optionally a trained model to the start of training.

Three steps in order: the text pipeline (``pipelines.py``), the network, its first weights
(``initial_weights.py``).
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from textkin.base.errors import ConfigError, either
from textkin.models.model_folder import Model
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.own import Own, try_out
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.table import ARCHITECTURES, Network, architecture, argument_names, build
from textkin.networks.recipes.recipe import PRETRAINED, Recipe
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.training.initial_weights import initialise, take_over
from textkin.training.lora import add_adapters
from textkin.training.pipelines import Tokens, fit_pipeline, shortened, spelling_of
from textkin.training.transfer import begin
from textkin.training.transferred_parts import TakenOver


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """An untrained model.

    Attributes:
        pipeline: texts to ids.
        module: the network with its initial weights.
        arguments: the architecture's arguments, for the manifest.
        taken_over: the parts from a trained model, when continuing from one.
    """

    pipeline: TextPipeline
    module: Network
    arguments: Mapping[str, Any]
    taken_over: TakenOver | None = None


def assemble(
    recipe: Recipe,
    texts: Sequence[str],
    *,
    seed: int,
    vectors: Path | None = None,
    vocabulary: Path | None = None,
    outputs: int = 1,
) -> Assembled:
    """Build the pipeline and the network of a recipe.

    Args:
        recipe: the recipe.
        texts: training texts only; they provide the vocabulary unless one is given.
        seed: the seed of the initial weights.
        vectors: as in :func:`textkin.training.pipelines.fit_pipeline`.
        vocabulary: as in :func:`textkin.training.pipelines.fit_pipeline`.
        outputs: for a model that scores pairs: 1 for a score, otherwise the number of classes.

    Raises:
        ConfigError: the architecture doesn't take an argument, or starts only from a pretrained model.
        DataError: the vectors or the vocabulary can't be read.
    """
    _require_scratch(recipe)
    tokens = fit_pipeline(recipe.text, texts, vectors=vectors, seed=seed, vocabulary=vocabulary)
    arguments = _arguments(recipe, _ids(tokens), outputs)
    module = _network(recipe, arguments, seed)
    initialise(module, tokens, texts)
    if isinstance(module, Own):
        try_out(module, size=tokens.pipeline.size, pad_id=tokens.pipeline.pad_id)
    return Assembled(tokens.pipeline, module, arguments)


def continued(recipe: Recipe, start: Model, *, seed: int, outputs: int = 1) -> Assembled:
    """The pipeline of a trained model, and a network with its weights.

    Some architectures can also start from others, see :func:`textkin.training.transfer.begin`.

    Args:
        recipe: a recipe of the same architecture, or of one that contains the start's network.
        start: the trained model.
        seed: the seed of new weights.
        outputs: as in :func:`assemble`.

    Raises:
        ConfigError: the architecture is another, or none of the weights fit.
    """
    begun = begin(recipe.model.architecture, start, seed=seed)
    start = begun.model
    _require_same_architecture(recipe, start)
    pipeline = shortened(start.pipeline, start.module, recipe.text.max_length)
    # The width of word vectors is the model's, whatever the recipe has without vectors.
    fixed = {"dim", *begun.fixed} & start.arguments.keys()
    arguments = _arguments_from(recipe, start, pipeline, outputs, fixed=fixed)
    module = _network(recipe, arguments, seed)
    taken = take_over(module, begun, name=recipe.name)
    if recipe.model.lora is not None:
        add_adapters(module, recipe.model.lora)
    stated = recipe.model.arguments
    kept = tuple(f"{key} = {arguments[key]}" for key in stated if stated[key] != arguments[key])
    return Assembled(pipeline, module, arguments, replace(taken, kept=kept))


def few_words(recipe: Recipe, *, outputs: int = 1) -> Network:
    """The network of a recipe with all its layers, and a vocabulary of two tokens.

    The recipe doesn't start from a model.

    Raises:
        ConfigError: as :func:`assemble`.
    """
    _require_scratch(recipe)
    ids = {"size": 2, "pad_id": 0, "zero_ids": []}
    return build(recipe.model.architecture, **_arguments(recipe, ids, outputs))


def _require_scratch(recipe: Recipe) -> None:
    """Check that a recipe can be trained from scratch."""
    if recipe.model.architecture in PRETRAINED:
        raise ConfigError(
            f"recipe {recipe.name}: the architecture {recipe.model.architecture!r} starts from a "
            "pretrained model",
            fix=either("give its folder as `start`") or "choose another recipe",
            params=("start",),
        )
    if recipe.model.lora is not None:
        raise ConfigError(
            f"recipe {recipe.name}: [model.lora] adds to weights, and this model starts from none",
            fix=either("leave it out", "give a transformer as `start`"),
            params=("model.lora",),
        )


def _require_same_architecture(recipe: Recipe, start: Model) -> None:
    if recipe.model.architecture != start.architecture:
        raise ConfigError(
            f"recipe {recipe.name} has the architecture {recipe.model.architecture!r}, the model to start "
            f"from {start.architecture!r}",
            fix="start from a model of the same architecture",
            params=("start",),
            value=start.architecture,
            expected=recipe.model.architecture,
        )


def _ids(tokens: Tokens) -> dict[str, Any]:
    """An architecture's token settings."""
    pipeline = tokens.pipeline
    zero_ids = list(pipeline.vocabulary.zero_ids) if isinstance(pipeline, WordPipeline) else []
    known = {"size": pipeline.size, "pad_id": pipeline.pad_id, "zero_ids": zero_ids}
    return known if tokens.vectors is None else {**known, "dim": tokens.vectors.shape[1]}


def _arguments(recipe: Recipe, ids: Mapping[str, Any], outputs: int) -> dict[str, Any]:
    """The arguments of a recipe's architecture."""
    name = recipe.model.architecture
    arguments, kind = {**recipe.model.arguments, **ids}, architecture(name)
    if issubclass(kind, Matcher):
        arguments["outputs"] = outputs
        if recipe.model.overlap:
            arguments["overlap"] = True
    elif recipe.model.overlap or outputs > 1:
        raise ConfigError(
            f"the architecture {recipe.model.architecture!r} gives no score of a pair: it takes no overlap "
            "features and tells no classes apart",
            fix="use an architecture that looks at two texts together, such as compare-aggregate",
        )
    if issubclass(kind, Matcher | SpanNetwork) and (spelling := spelling_of(recipe.text)) is not None:
        arguments["unit_size"] = spelling.rows
    if name in ARCHITECTURES:
        return arguments
    known = argument_names(name)
    if outputs > 1 and "outputs" not in known:
        raise ConfigError(
            f"the architecture {name!r} takes no outputs, the number of classes",
            fix="add that argument to it",
        )
    # One's own network takes what it needs of the tokens.
    return {
        key: value
        for key, value in arguments.items()
        if key in known | {"overlap"} | recipe.model.arguments.keys()
    }


def _arguments_from(
    recipe: Recipe, start: Model, pipeline: TextPipeline, outputs: int, *, fixed: Set[str]
) -> dict[str, Any]:
    """The arguments of the architecture if a recipe continues from a model."""
    wanted = {key: value for key, value in recipe.model.arguments.items() if key not in fixed}
    arguments = dict(start.arguments) | wanted
    if isinstance(pipeline, PairPipeline) and "max_length" in arguments:
        arguments["max_length"] = pipeline.max_length
    if "outputs" in arguments:
        arguments["outputs"] = outputs
    if recipe.model.overlap:
        arguments["overlap"] = True
    return arguments


def _network(recipe: Recipe, arguments: Mapping[str, Any], seed: int) -> Network:
    """The network as initialised with a seed."""
    torch.manual_seed(seed)
    return build(recipe.model.architecture, **arguments)
