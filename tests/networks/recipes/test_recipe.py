import json
import tomllib
import typing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import ConfigError
from textkin.base.files import sha256_of_json
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import (
    ModelConfig,
    ObjectiveConfig,
    Recipe,
    TextConfig,
    TrainingConfig,
    load_recipe,
)

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KEYS = st.text(st.sampled_from("ab_-. \"'\\\n\x7fé"), max_size=4)
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)
POSITIVE = st.floats(1e-12, 1e12)
KINDS = typing.get_args(ObjectiveConfig.model_fields["rows"].annotation)
FOR_ALL = {"loss": WORDS, "arguments": ARGUMENTS, "batch_size": st.integers(1, 9), "weight": POSITIVE}
OBJECTIVES = st.one_of(
    st.builds(ObjectiveConfig, rows=st.sampled_from(KINDS), **FOR_ALL),
    st.builds(
        ObjectiveConfig,
        rows=st.just("semi-hard-triplets"),
        score_shift=st.floats(-1e9, 1e9),
        min_margin=st.floats(-2, 0),
        max_margin=st.floats(0.1, 2),
        **FOR_ALL,
    ),
)
RECIPES = st.builds(
    Recipe,
    name=WORDS.filter(bool),
    description=WORDS,
    source=WORDS,
    text=st.builds(
        TextConfig,
        normalise=st.lists(WORDS, max_size=3).map(tuple),
        tokenise=WORDS,
        ngrams=st.none() | st.just((2, 5)),
        oov=st.just("hash"),
        oov_buckets=st.integers(1, 9),
        max_size=st.none() | st.integers(1, 9),
        oov_first=st.booleans(),
    ),
    model=st.builds(ModelConfig, architecture=WORDS, arguments=ARGUMENTS),
    objectives=st.lists(OBJECTIVES, min_size=1, max_size=3).map(tuple),
    training=st.builds(
        TrainingConfig,
        learning_rate=st.floats(1e-12, 1000),
        clip_norm=st.none() | POSITIVE,
        epochs=st.integers(1, 99),
    ),
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(RECIPES)
def test_toml_and_json_bring_every_recipe_back(recipe):
    assert Recipe.from_dict(tomllib.loads(recipe.to_toml())) == recipe
    assert Recipe.from_dict(recipe.to_dict()) == recipe


@pytest.mark.parametrize("name", bundled_recipes())
def test_bundled_recipes(name, tmp_path):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.description
    assert recipe.source
    path = tmp_path / "mine.toml"
    for text in (recipe.to_toml(), recipe.to_toml(stated=True)):
        path.write_text(text, encoding="utf-8")
        assert load_recipe(path) == load_recipe(str(path)) == recipe


@pytest.mark.slow
def test_bundled_recipes_are_what_they_were():
    """A change must be deliberate: old runs can't be resumed, and their results no longer apply."""
    known = json.loads(Path(__file__).with_name("recipe_hashes.json").read_text())
    assert {name: sha256_of_json(load_recipe(name).to_dict()) for name in bundled_recipes()} == known


def test_a_stated_default_stays_where_it_is_asked_for():
    recipe = Recipe.from_dict({**SMALL, "training": {"epochs": 10}})
    assert tomllib.loads(recipe.to_toml(stated=True)) == {**SMALL, "training": {"epochs": 10}}
    assert tomllib.loads(recipe.to_toml()) == SMALL


SMALL = {"name": "x", "objectives": [{"loss": "logistic"}]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nmae": "y"}, "unknown key 'nmae'; did you mean 'name'"),
        ({"text": {"normalize": []}}, "unknown key 'text.normalize'; did you mean 'normalise'"),
        ({"objectives": [{"loss": "x", "rwos": 1}]}, "'objectives.0.rwos'; did you mean 'rows'"),
        ({"model": {"lora": {"rnk": 4}}}, "'model.lora.rnk'; did you mean 'rank'"),
        ({"training": {"turns": "both"}}, "turns = 'both': .*'round-robin'"),
        ({"training": {"zzz": 1}}, "unknown key 'training.zzz'; choose one of: epochs, "),
        ({"objectives": []}, "objectives = "),
        ({"objectives": [{}]}, "'objectives.0.loss' is missing"),
        ({"objectives": "logistic"}, "objectives = 'logistic'"),
        ({"training": 3}, "training = 3"),
        ({"name": ""}, "name = ''"),
        ({"training": {"epochs": 0}}, "training.epochs = 0: .*greater than or equal to 1"),
        ({"training": {"epochs": "many"}}, "training.epochs: 'many' is not a whole number"),
        ({"training": {"learning_rate": float("inf")}}, "learning_rate = inf"),
        ({"training": {"learning_rate": float("nan")}}, "learning_rate = nan"),
        (
            {"model": {"arguments": {"widths": [1.0, float("inf")]}}},
            "model.arguments: inf is not a finite number",
        ),
        ({"training": {"optimiser": "lion"}}, "training.optimiser = 'lion': .*'adam'"),
        (
            {"training": {"decay": 0.5, "schedule": "linear"}},
            "decay = 0.5 means nothing to schedule = 'linear'; it is for 'exponential'",
        ),
        ({"training": {"decay_every": 3}}, "decay_every = 3 means nothing to schedule = 'constant'"),
        ({"training": {"average": 1.0}}, "training.average = 1.0: .*less than 1"),
        ({"training": {"steps_per_epoch": 0}}, "training.steps_per_epoch = 0: .*greater than or equal to 1"),
        (
            {
                "objectives": [{"loss": "triplet", "rows": "semi-hard-triplets"}],
                "training": {"evaluate_every": 9},
            },
            "evaluate_every = 9 doesn't go with rows = 'semi-hard-triplets', which the model chooses",
        ),
        ({"training": {"schedule": "rsqrt"}}, "warmup_steps, which must be 1 or more"),
        ({"text": {"ngrams": [3, 2]}}, r"ngrams = \[3, 2\]"),
        ({"text": {"oov_buckets": 3}}, "oov_buckets = 3 goes with oov = 'hash'"),
        ({"objectives": [{"loss": "x", "min_margin": 0.3}]}, "min_margin = 0.3 is not below"),
    ],
)
def test_wrong_recipes_name_the_key(change, words):
    with pytest.raises(ConfigError, match=f"my recipe: .*{words}"):
        Recipe.from_dict({**SMALL, **change}, where="my recipe")


@pytest.mark.parametrize(
    ("option", "value", "rows"),
    [
        ("sampler", "length", "lists groups semi-hard-triplets"),
        ("sampler", "passage", " ".join(sorted(set(KINDS) - {"spans"}))),
        (
            "negatives",
            "naive",
            "pairs groups random-triplets candidate-pairs all-candidate-pairs lists spans",
        ),
        ("score_scale", 2.0, "positives hard-negatives groups texts spans"),
        ("score_shift", 0.5, "positives hard-negatives groups texts spans"),
        ("repeat_positives", 2, " ".join(sorted(set(KINDS) - {"pairs"}))),
        ("negatives_each", 2, " ".join(sorted(set(KINDS) - {"hard-negatives", "candidate-pairs"}))),
        ("texts_each", 3, " ".join(sorted(set(KINDS) - {"groups"}))),
        ("symmetric", True, " ".join(sorted(set(KINDS) - {"positives", "hard-negatives", "texts"}))),
        ("macrobatch", 10, " ".join(sorted(set(KINDS) - {"semi-hard-triplets"}))),
        ("min_margin", 0.1, " ".join(sorted(set(KINDS) - {"semi-hard-triplets"}))),
        ("max_margin", 0.3, " ".join(sorted(set(KINDS) - {"semi-hard-triplets"}))),
    ],
)
def test_options_that_the_rows_ignore_are_refused(option, value, rows):
    for kind in KINDS:
        change = {"objectives": [{"loss": "x", "rows": kind, option: value}]}
        if kind not in rows.split():
            assert getattr(Recipe.from_dict({**SMALL, **change}).objectives[0], option) == value
            continue
        with pytest.raises(ConfigError, match=f"{option} = .* means nothing to rows = '{kind}'; it is for"):
            Recipe.from_dict({**SMALL, **change}, where="my recipe")


def test_a_recipe_without_objectives_is_refused():
    with pytest.raises(ConfigError) as error:
        Recipe.from_dict({"name": "x"})
    assert error.value.params == ("objectives",)


def test_recipes_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError) as error:
        load_recipe("siamese-ltsm")
    assert (error.value.params, error.value.value) == (("recipe",), "siamese-ltsm")
    assert "'siamese-lstm'" in error.value.fix
    with pytest.raises(ConfigError) as error:
        load_recipe(tmp_path / "none.toml")
    assert (error.value.params, error.value.value) == (("recipe",), str(tmp_path / "none.toml"))
    path = tmp_path / "broken.toml"
    for content, words in (
        (b"name = \n", "is not TOML: .*line 1"),
        (b"name = " + b"7" * 5_000, "holds a number of too many digits"),
        (b"a = " + b"[" * 100_000, "nests too deep|is not TOML"),
        (b'name = "\xff"', "not UTF-8 at byte 8"),
    ):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=f"broken.toml .*{words}|broken.toml is {words}"):
            load_recipe(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("training", "learning_rate"), 9e18),
        (("training", "weight_decay"), 1e300),
        (("training", "epochs"), True),
        (("training", "epochs"), 10**30),
        (("training", "clip_norm"), 1e300),
        (("text", "ngram_buckets"), 10**18),
        (("objectives", 0, "batch_size"), True),
        (("objectives", 0, "weight"), 1e30),
        (("objectives", 0, "widths"), [True]),
    ],
)
def test_numbers_that_no_training_has_are_named(place, value):
    values = load_recipe("siamese-bag").to_dict()
    found = values
    for key in place[:-1]:
        found = found[key]
    found[place[-1]] = value
    with pytest.raises(ConfigError) as error:
        Recipe.from_dict(values)
    key = ".".join(map(str, place))
    assert error.value.params in ((key,), (f"{key}.0",))
