"""Recipes: the model and its training, as TOML, validated on entry.

A recipe names its text pipeline, its architecture, one or more objectives and the training settings. Unknown
keys and values out of range are errors that name the key. Builders turn a recipe into flat keyword arguments;
no class ever holds one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.number_errors import no_number
from textkin.networks.recipes.files import BASE, WITHOUT, merged, read_recipe_files, where_stated

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _finite(value: Any) -> Any:
    """Reject numbers that JSON, and so a model's manifest, can't represent."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _finite(item)
    return value


Task = Literal["pairs", "ranking", "classes", "spans"]
Rows = Literal[
    "pairs",
    "positives",
    "hard-negatives",
    "groups",
    "texts",
    "random-triplets",
    "semi-hard-triplets",
    "candidate-pairs",
    "all-candidate-pairs",
    "lists",
    "spans",
]
Turns = Literal["together", "round-robin", "proportional"]
FOR_POSITIVES = frozenset({"positives", "groups", "random-triplets", "semi-hard-triplets"})
"""The kinds of rows made from pairs of duplicates."""
_READ_BY: Mapping[str, frozenset[str]] = {
    "sampler": frozenset(get_args(Rows)) - {"groups", "lists", "semi-hard-triplets"},
    "negatives": frozenset({"positives", "hard-negatives", "texts", "semi-hard-triplets"}),
    **dict.fromkeys(
        ("score_scale", "score_shift"),
        frozenset(get_args(Rows)) - {"positives", "hard-negatives", "groups", "texts", "spans"},
    ),
    "in_batch": frozenset({"spans"}),
    "repeat_positives": frozenset({"pairs"}),
    "negatives_each": frozenset({"hard-negatives", "candidate-pairs"}),
    "texts_each": frozenset({"groups"}),
    "symmetric": frozenset({"positives", "hard-negatives", "texts"}),
    **dict.fromkeys(("macrobatch", "min_margin", "max_margin"), frozenset({"semi-hard-triplets"})),
}
"""Options of an objective that apply only to some kinds of rows, with these kinds."""

MINED = frozenset({"semi-hard-triplets"})
"""The kinds of rows selected by the model in training."""

FOR_TEXTS = FOR_POSITIVES | {"texts"}
"""The kinds of rows that accept further pairs, known only to be duplicates."""

PRETRAINED = frozenset(
    {
        "static",
        "transformer",
        "cross-encoder",
        "late-interaction",
        "reader",
        "piqa-contextual",
        "piqa-transformer",
    }
)
"""Architectures that always start from a pretrained model."""

_Whole = Annotated[int, Field(strict=True, le=10**9)]
"""A positive integer of a practical size; true and false are rejected."""

_Number = Annotated[float, Field(strict=True, le=1e12)]
_Rate = Annotated[float, Field(strict=True, le=1e3)]

_Arguments = Annotated[dict[str, Any], AfterValidator(_finite)]


class TextConfig(_Section):
    """Settings of the text pipeline; see ``text/pipeline.py``."""

    normalise: tuple[str, ...] = ("nfkc", "lower")
    tokenise: str = "words"
    whole_words: bool = True
    ngrams: tuple[_Whole, _Whole] | None = None
    ngram_buckets: _Whole = Field(default=1 << 16, gt=0)
    order: Literal["frequency", "appearance"] = "frequency"
    oov: Literal["unk", "zero", "hash", "drop"] = "unk"
    oov_buckets: _Whole = Field(default=1, gt=0)
    oov_first: bool = False
    min_count: _Whole = Field(default=1, ge=1)
    max_size: _Whole | None = Field(default=None, gt=0)
    max_length: _Whole | None = Field(default=None, gt=0)
    truncate: Literal["head", "tail"] = "head"
    pad_to: Literal["longest", "power-of-two"] = "longest"
    spelling: Literal["none", "characters", "ngrams"] = "none"
    spelling_rows: _Whole = Field(default=4096, ge=2)
    spelling_units: _Whole = Field(default=16, ge=1)
    spelling_lengths: tuple[_Whole, _Whole] = (3, 3)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        low, high = self.spelling_lengths
        if not 1 <= low <= high:
            raise ValueError(f"spelling_lengths = {[low, high]}: expected 1 <= shortest <= longest")
        if self.ngrams is not None and self.spelling != "none":
            raise ValueError(f"ngrams = {list(self.ngrams)} don't go with spelling = {self.spelling!r}")
        if self.ngrams is not None and not 1 <= self.ngrams[0] <= self.ngrams[1]:
            raise ValueError(f"ngrams = {list(self.ngrams)}: expected 1 <= shortest <= longest")
        if self.oov_buckets > 1 and self.oov != "hash":
            raise ValueError(f"oov_buckets = {self.oov_buckets} goes with oov = 'hash' only")
        if self.ngrams is None:
            self._refuse_changed(("ngram_buckets",), "without ngrams")
        if self.spelling == "none":
            self._refuse_changed(("spelling_rows", "spelling_units", "spelling_lengths"), "without spelling")
        if self.spelling == "characters":
            self._refuse_changed(("spelling_lengths",), "with spelling = 'characters'")
        return self

    def changed(self) -> list[str]:
        """The options that differ from their defaults."""
        return [
            name for name, field in type(self).model_fields.items() if getattr(self, name) != field.default
        ]

    def _refuse_changed(self, options: tuple[str, ...], why: str) -> None:
        """Reject options without effect.

        Raises:
            ValueError: one differs from its default.
        """
        for name in (name for name in self.changed() if name in options):
            raise ValueError(f"{name} = {getattr(self, name)!r} has no effect {why}")


class LoraConfig(_Section):
    """Low-rank adapters in a pretrained transformer; see ``training/lora.py``.

    ``targets`` are the last name parts of linear layers; none for all of them.
    """

    rank: _Whole = Field(default=16, ge=1)
    alpha: _Number = Field(default=32.0, gt=0)
    dropout: _Number = Field(default=0.1, ge=0, lt=1)
    targets: tuple[str, ...] = ()


class ModelConfig(_Section):
    """The architecture's name; the architecture itself checks its keyword arguments."""

    architecture: str = "siamese"
    overlap: bool = False
    arguments: _Arguments = Field(default_factory=dict)
    lora: LoraConfig | None = None


class ObjectiveConfig(_Section):
    """A loss and its rows; see ``training/objectives.py``."""

    loss: str
    rows: Rows = "positives"
    arguments: _Arguments = Field(default_factory=dict)
    batch_size: _Whole = Field(default=64, ge=1)
    weight: _Number = Field(default=1.0, gt=0)
    sampler: Literal["shuffled", "length", "component", "passage"] = "shuffled"
    negatives: Literal["gold", "naive"] = "gold"
    in_batch: bool = False
    score_scale: _Number = Field(default=1.0, gt=0)
    score_shift: _Number = 0.0
    repeats: _Whole = Field(default=1, ge=1)
    repeat_positives: _Whole = Field(default=1, ge=1)
    negatives_each: _Whole = Field(default=1, ge=1)
    texts_each: _Whole = Field(default=4, ge=2)
    symmetric: bool = False
    mini_batch: _Whole | None = Field(default=None, ge=1)
    widths: tuple[Annotated[_Whole, Field(ge=1)], ...] = ()
    width_weights: tuple[Annotated[_Number, Field(gt=0)], ...] = ()
    macrobatch: _Whole = Field(default=1000, ge=2)
    min_margin: _Number = 0.0
    max_margin: _Number = 0.2

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.min_margin >= self.max_margin:
            raise ValueError(f"min_margin = {self.min_margin} is not below max_margin = {self.max_margin}")
        for option, readers in _READ_BY.items():
            is_default = getattr(self, option) == type(self).model_fields[option].default
            if self.rows not in readers and not is_default:
                raise ValueError(
                    f"{option} = {getattr(self, option)!r} means nothing to rows = {self.rows!r}; "
                    f"it is for {', '.join(sorted(readers))}"
                )
        if self.sampler == "passage" and self.rows != "spans":
            raise ValueError(f"sampler = 'passage' means nothing to rows = {self.rows!r}; it is for spans")
        if self.width_weights and len(self.width_weights) != len(self.widths):
            raise ValueError(f"{len(self.width_weights)} width_weights for {len(self.widths)} widths")
        return self


class TrainingConfig(_Section):
    """Training settings: duration, optimiser, schedule, and selection on dev.

    ``turns`` distributes the steps among several objectives, and defines an epoch: see
    ``objective_schedule.py``. With ``steps_per_epoch`` an epoch is that many steps, whatever the data's size;
    with ``evaluate_every`` dev is evaluated after that many steps, too, and ``patience`` counts these
    evaluations. ``average`` is the decay of a moving average of the weights, which is used on dev and on
    disk. ``grades`` are the lowest and the highest grade of graded labels, of train and dev alike; see
    ``label_grades.py`` for the default.
    """

    epochs: _Whole = Field(default=10, ge=1)
    turns: Turns = "together"
    least_steps: _Whole = Field(default=0, ge=0)
    steps_per_epoch: _Whole | None = Field(default=None, ge=1)
    evaluate_every: _Whole | None = Field(default=None, ge=1)
    optimiser: Literal["adam", "adamw", "adadelta", "adamax", "rmsprop", "sgd"] = "adam"
    learning_rate: _Rate = Field(default=1e-3, gt=0)
    schedule: Literal["constant", "linear", "cosine", "rsqrt", "exponential"] = "constant"
    warmup_steps: _Whole = Field(default=0, ge=0)
    decay: _Number = Field(default=1.0, gt=0, le=1)
    decay_every: _Whole = Field(default=1, ge=1)
    weight_decay: _Rate = Field(default=0.0, ge=0)
    clip_norm: _Number | None = Field(default=None, gt=0)
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    patience: _Whole | None = Field(default=None, ge=1)
    average: _Number | None = Field(default=None, ge=0, lt=1)
    grades: tuple[_Number, _Number] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.grades is not None and self.grades[0] >= self.grades[1]:
            raise ValueError(f"grades = {list(self.grades)}: expected lowest < highest")
        if self.schedule == "rsqrt" and not self.warmup_steps:
            raise ValueError("schedule = 'rsqrt' counts from warmup_steps, which must be 1 or more")
        for option in ("decay", "decay_every"):
            if self.schedule != "exponential" and getattr(self, option) != 1:
                raise ValueError(
                    f"{option} = {getattr(self, option)} means nothing to schedule = {self.schedule!r}; "
                    "it is for 'exponential'"
                )
        return self

    def lasting(self, steps_per_epoch: int) -> Self:
        """A copy with enough epochs for ``least_steps``: small training data are repeated more often."""
        epochs = max(self.epochs, math.ceil(self.least_steps / steps_per_epoch))
        return self.model_copy(update={"epochs": epochs})


class Recipe(_Section):
    """Everything that determines a training run except the data and the seed.

    Example:
        >>> import textkin as tk
        >>> recipe = tk.load_recipe("siamese-bag")
        >>> recipe.name, recipe.task
        ('siamese-bag', 'pairs')
    """

    name: str = Field(min_length=1)
    task: Task = "pairs"
    description: str = ""
    source: str = ""
    text: TextConfig = TextConfig()
    model: ModelConfig = ModelConfig()
    objectives: tuple[ObjectiveConfig, ...] = Field(min_length=1)
    training: TrainingConfig = TrainingConfig()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        every, mined = (
            self.training.evaluate_every,
            [one.rows for one in self.objectives if one.rows in MINED],
        )
        ignored = [name for name in self.text.changed() if name not in ("max_length", "pad_to")]
        if self.model.architecture in PRETRAINED and ignored:
            name = ignored[0]
            raise ValueError(
                f"text.{name} = {getattr(self.text, name)!r} has no effect: {self.model.architecture} reads "
                "texts by the tokenizer of the model that it starts from"
            )
        # Rows selected by the model before a crash can't be selected again: it has learnt since.
        if every is not None and mined:
            raise ValueError(
                f"training.evaluate_every = {every} doesn't go with rows = {mined[0]!r}, which the model "
                "chooses: an interrupted epoch could not be gone on with"
            )
        return self

    @classmethod
    def from_dict(cls, values: dict[str, Any], *, where: str = "recipe") -> Self:
        """Validate ``values`` and create a recipe.

        Raises:
            ConfigError: a key is unknown or missing, or a value is out of range.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise _config_error(error, where) from error

    def to_dict(self) -> dict[str, Any]:
        """All values, including defaults, as JSON types."""
        return self.model_dump(mode="json")

    def to_toml(self, *, stated: bool = False) -> str:
        """The recipe as TOML, without defaults; with ``stated``, values in the recipe's files are kept."""
        values = self.model_dump(mode="json", exclude_defaults=not stated, exclude_unset=stated)
        lines = list(_toml(values, prefix=""))
        return "\n".join(lines).strip() + "\n"


def load_recipe(name: str | Path) -> Recipe:
    """Load a recipe with all its bases, by the name of a bundled one or the path of a TOML file.

    Raises:
        ConfigError: there is none, it isn't TOML, or it or its base has an invalid key or value.

    Example:
        >>> import textkin as tk
        >>> tk.load_recipe("static").model.architecture
        'static'
    """
    if not isinstance(name, str | Path):
        raise ConfigError(
            f"a recipe is of type {type(name).__name__}, expected a name or a path", fix="give a string"
        )
    files = read_recipe_files(name)
    try:
        return Recipe.model_validate(merged(files))
    except ValidationError as error:
        where = where_stated(files, error.errors()[0]["loc"])
        raise _config_error(error, where, further_keys=(BASE, WITHOUT)) from error


def _config_error(error: ValidationError, where: str, *, further_keys: Sequence[str] = ()) -> ConfigError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"], further_keys)
        near = did_you_mean(str(first["loc"][-1]), known)
        return ConfigError(f"{where}: unknown key {key!r}", fix=near, params=(key,))
    if first["type"] == "missing":
        return ConfigError(f"{where}: the key {key!r} is missing", fix="add it", params=(key,))
    if first["type"] == "value_error":  # from one of our checks, which names the value
        told = first["ctx"]["error"]
        return ConfigError(f"{where}: {key}: {told}", fix="change the value", params=(key,))
    value = first.get("input")
    if isinstance(value, str) and first["type"].startswith(("int_", "float_")):
        told, fix = no_number(value, whole=first["type"].startswith("int_"))
        return ConfigError(f"{where}: {key}: {told}", fix=fix, params=(key,), value=value)
    return ConfigError(
        f"{where}: {key} = {value!r}: {first['msg']}", fix="change the value", params=(key,), value=value
    )


def _known_keys(place: tuple[int | str, ...], further: Sequence[str]) -> list[str]:
    sections: dict[str, type[BaseModel]] = {
        "text": TextConfig,
        "model": ModelConfig,
        "objectives": ObjectiveConfig,
        "training": TrainingConfig,
    }
    if len(place) == 1:
        return [*Recipe.model_fields, *further]
    section = LoraConfig if place[1] == "lora" and len(place) > 2 else sections[str(place[0])]
    return list(section.model_fields)


def _toml(table: dict[str, Any], *, prefix: str) -> Iterator[str]:
    """The lines of a table: its values, then its tables and lists of tables, each under a header."""
    tables = {key: value for key, value in table.items() if _is_table(value)}
    for key, value in table.items():
        if key not in tables and value is not None:
            yield f"{_toml_key(key)} = {_toml_value(value)}"
    for key, value in tables.items():
        name = f"{prefix}{_toml_key(key)}"
        for item in [value] if isinstance(value, dict) else value:
            yield f"\n[{name}]" if isinstance(value, dict) else f"\n[[{name}]]"
            yield from _toml(item, prefix=f"{name}.")


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    )


def _toml_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _toml_value(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    # Strings, integers and booleans are spelt as in JSON, except DEL, which TOML requires escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
