"""The argument MODEL: default, minilm, a folder, a cached name or a baseline.

Folders may be from textkin, sentence-transformers, model2vec, or Hugging Face transformers. ``default`` and
``minilm`` are the built-in encoders; other names are looked up as folders, then in the Hugging Face cache.
Only :func:`fetch` accesses the network.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from textkin.base.errors import ModelError, either, inapplicable, invalid
from textkin.base.hub import ENCODERS, did_you_mean_model, locate, searched
from textkin.base.hub import fetch as fetch_from_hub
from textkin.base.paths import exists
from textkin.base.python_inputs import names_in
from textkin.data.choice_records import LOOKING_UP, SUPPORT, with_number
from textkin.data.protocols import Chooser, SpanReader
from textkin.kinds.systems.predictions import Predictions, as_table, bare_name, is_predictions
from textkin.models.ensembles.open_ensemble import needs_texts
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.text.baselines.choosers import CHOICE_BASELINES
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.hybrid import hybrid_members
from textkin.text.baselines.names import BASELINES, BY_FREQUENCY, BaselineNames
from textkin.text.baselines.own_systems import is_own, takes_fit_texts
from textkin.text.baselines.user_objects import given

AnyModel = Any
"""A baseline, a folder, a cached name; an object, see ``user_objects.py``; or an untrained recipe."""


def named_systems(words: AnyModel) -> dict[str, tuple[AnyModel, ...]]:
    """The models of each named system: MODEL, or NAME=MODEL,MODEL,... for several seeds.

    Files are predictions of another system, and so are records of such.

    Args:
        words: one model, several, also as MODEL,MODEL,..., or a mapping from names to models.

    Raises:
        UsageError: a name is empty, a baseline's, or repeated with different models; or an object can't serve
            as a model.
    """
    found: dict[str, tuple[AnyModel, ...]] = {}
    for name, seeds in _all_named(words):
        is_taken = name in (*BASELINES, *CLASS_BASELINES) and seeds != (name,)
        if not name or not seeds or (is_taken and not all(isinstance(one, Predictions) for one in seeds)):
            raise invalid("models", name, expected="MODEL, or NAME=MODEL,MODEL,...")
        if found.setdefault(name, seeds) != seeds:
            raise invalid("models", name, expected="a name that no other system has")
    return found


def _all_named(words: AnyModel) -> Iterator[tuple[str, tuple[AnyModel, ...]]]:
    """The names of several models, or of one, and the models of each."""
    if isinstance(words, Mapping):
        for name, seeds in words.items():
            given = seeds if isinstance(seeds, list | tuple) and not is_predictions(seeds) else (seeds,)
            yield str(name), tuple(_seed(str(name), one) for one in given)
    else:
        for word in words if isinstance(words, list | tuple | Iterator) else [words]:
            yield from map(_named, _apart(word))


def _apart(word: AnyModel) -> Sequence[AnyModel]:
    """The models of a list such as ``lucene:1,lucene:10``; one word with its seeds is a single system."""
    if not isinstance(word, str) or exists(word) or "=" in word.partition("(")[0]:
        return [word]
    return names_in(word) or [word]


def _named(word: AnyModel) -> tuple[str, tuple[AnyModel, ...]]:
    """A system's name, and its models."""
    if isinstance(word, SpanReader | Chooser):
        return word.name, (word,)
    if not isinstance(word, str | Path):
        system = given(word)
        return system.name, (system,)
    name, equals, models = str(word).partition("=")
    if not equals or "(" in name or exists(word):
        name, models = (bare_name(word) if is_predictions(word) else str(word)), str(word)
        return name, (_seed(name, models),)
    return name, tuple(_seed(name, one) for one in names_in(models))


def _seed(name: str, model: AnyModel) -> AnyModel:
    """A model, or the predictions of the system of this name."""
    return Predictions(name, as_table(model)) if is_predictions(model) and not is_own(model) else model


def ensemble_in(model: str | Path) -> Path | None:
    """The ensemble folder that a name leads to, if any.

    Raises:
        ModelError: a JSON file in the folder is invalid.
    """
    folder = locate(model)
    return folder if folder is not None and kind_of(folder) is Kind.ENSEMBLE else None


def takes_frequencies(model: AnyModel) -> bool:
    """True if a model or a member of an ensemble takes word frequencies from given texts.

    Raises:
        ModelError: it is an ensemble whose folder is damaged.
    """
    if not isinstance(model, str | Path):
        return False
    if is_own(str(model)):
        return takes_fit_texts(str(model))
    if (members := hybrid_members(str(model))) is not None:
        return any(map(takes_frequencies, members))
    folder = None if str(model) in BASELINES else ensemble_in(model)
    return str(model) in BY_FREQUENCY if folder is None else bool(needs_texts(folder))


def takes_vectors(model: AnyModel) -> bool:
    """True if a model may read word vectors: mean-vectors, alone or as a member, or a user's own class."""
    if not isinstance(model, str | Path):
        return False
    if (members := hybrid_members(str(model))) is not None:
        return any(map(takes_vectors, members))
    return is_own(str(model)) or str(model) == "mean-vectors" or ensemble_in(model) is not None


def refuse_vectors(vectors: object, *models: AnyModel) -> None:
    """Refuse word vectors that none of the models reads.

    Raises:
        UsageError: they were given.
    """
    if vectors is not None and not any(map(takes_vectors, models)):
        raise inapplicable(
            "vectors", to="systems that don't read word vectors", fix="leave it out, or name mean-vectors"
        )


def refuse_fit(fit: object, *models: AnyModel) -> None:
    """Refuse texts that none of the models takes word frequencies from.

    Raises:
        UsageError: they were given.
    """
    if fit is not None and not any(map(takes_frequencies, models)):
        raise inapplicable(
            "fit", to="systems that take no word frequencies from texts", fix="leave it out, or name tfidf"
        )


def fetch(*models: str) -> None:
    """Download models from the Hugging Face hub into the cache.

    Models at hand and names of baselines are skipped.

    Raises:
        ModelError: the hub can't be reached, or has no such model.

    Example:
        >>> from textkin.verbs import fetch
        >>> fetch("tfidf")  # nothing to do for a baseline
    """
    named = (with_number(one)[0].removeprefix(SUPPORT) for one in models)
    baselines = BaselineNames((*BASELINES, *CLASS_BASELINES, *CHOICE_BASELINES, *LOOKING_UP))
    for model in chain.from_iterable(hybrid_members(one) or (one,) for one in named):
        if not is_own(model) and model not in baselines:
            fetch_from_hub(model)


def fetch_named(*models: Any, download: bool) -> None:
    """Download the models that are given by name, if requested; objects and None need no download.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    if download:
        fetch(*(model for model in models if isinstance(model, str)))


def refuse_frequencies(folder: Path) -> None:
    """Check that an ensemble can be opened without texts.

    Raises:
        ModelError: a member takes word frequencies from texts.
    """
    if names := needs_texts(folder):
        raise ModelError(
            f"is an ensemble with {', '.join(names)}, which take word frequencies from the texts at hand",
            path=folder,
            fix="use it by compare, score or answer, which have texts, or combine models only",
        )


def refuse_baseline(model: str | Path) -> None:
    """Say that a baseline can't be opened alone, unless a model has its name.

    Raises:
        ModelError: the name is a baseline's.
    """
    if str(model) in BaselineNames(BASELINES) and locate(model) is None:
        raise ModelError(
            f"{model} is a baseline, not a model: it is made anew for the texts that it compares",
            fix="give its name to verbs that compare texts, such as score; for vectors take an encoder; "
            "to search by words: `search()` with `mode=words`",
            value=str(model),
        )


def refuse_box(model: str | Path, what: str, *, fix: str) -> None:
    """Say what the built-in encoders can't do, before torch is needed.

    Raises:
        ModelError: the model is one of them.
    """
    if model in ENCODERS:
        raise ModelError(f"{model} is an encoder of texts, which {what}", fix=fix)


def require(model: str, others: Sequence[str]) -> None:
    """Check that there is a model with that name.

    Raises:
        ModelError: there isn't.
    """
    if locate(model) is None and not exists(model):
        raise ModelError(
            f"there is no model or baseline {model!r} ({searched(model)})",
            fix=either("fetch it from the hub with `download`", did_you_mean_model(model, others)),
            value=model,
        )
