"""Options that a network would ignore."""

import pytest

from textkin.base.errors import ConfigError, UsageError
from textkin.networks.architectures.table import build
from textkin.networks.nn.ignored_options import refuse_ignored
from textkin.networks.recipes.recipe import Recipe

pytestmark = pytest.mark.torch


def make(*, width: int = 3, sizes: tuple[int, ...] = (1, 2)) -> None:
    """An object with options."""


def test_options_with_their_defaults_state_nothing():
    refuse_ignored(make, {"width": 3, "sizes": [1, 2]}, why="here")
    for given in ({"width": 4}, {"sizes": [2, 1]}):
        with pytest.raises(UsageError) as error:
            refuse_ignored(make, given, why="here")
        assert (error.value.params, error.value.value) == (tuple(given), next(iter(given.values())))


WORDS = {"size": 9, "pad_id": 0}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mv-lstm", {"interaction": "cosine", "slices": 2}),
        ("word-means", {"head": "regression", "hidden": [3]}),
        ("word-means", {"head": "cosine", "dropout": 0.5}),
        ("bimpm", {"char_dim": 3}),
        ("bidaf-t", {"char_filters": 3}),
        ("piqa", {"char_dim": 3}),
    ],
)
def test_architectures_refuse_what_they_would_ignore(name, options):
    with pytest.raises(ConfigError) as error:
        build(name, **WORDS, **options)
    assert len(error.value.params) == 1 and options.keys() >= {*error.value.params}


@pytest.mark.parametrize(
    ("architecture", "text"),
    [
        ("siamese", {"ngram_buckets": 99}),
        ("siamese", {"spelling_rows": 99}),
        ("siamese", {"spelling": "characters", "spelling_lengths": [2, 3]}),
        ("static", {"normalise": ["nfkc"]}),
        ("transformer", {"tokenise": "keras"}),
    ],
)
def test_recipes_refuse_text_options_without_effect(architecture, text):
    objectives = [{"loss": "logistic", "rows": "pairs"}]
    with pytest.raises(ConfigError, match="has no effect"):
        Recipe.from_dict(
            {
                "name": "small",
                "text": text,
                "model": {"architecture": architecture},
                "objectives": objectives,
            }
        )
