"""The argument MODEL: default, minilm, a folder, a cached name or a baseline.

Folders are textkin's, sentence-transformers', model2vec's, and those of Hugging Face transformers.
``default`` and ``minilm`` are the encoders in the box; other names are looked up as folders, then in the
Hugging Face cache.
Nothing here reaches the network but :func:`fetch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from textkin.choosers.names import LOOKING_UP, SUPPORT
from textkin.decision.abstention import SavedNoAnswer
from textkin.decision.reciprocal_ranks import ReciprocalRanks
from textkin.decision.saved import SavedDecision, SavedThreshold
from textkin.ensembles.opening import (
    needs_texts,
    open_ensemble,
    open_ensemble_chooser,
    open_ensemble_reader,
)
from textkin.ensembles.saved import Together, load_saved
from textkin.ensembles.scorer import EnsembleScorer
from textkin.errors import ModelError, UsageError, did_you_mean
from textkin.extras import has_torch
from textkin.files import sha256_of_json
from textkin.hub import DEFAULT, locate, located, name_of, searched
from textkin.hub import fetch as fetch_from_hub
from textkin.inputs import several
from textkin.interop.kinds import Kind, kind_of
from textkin.packed_weights import is_packed
from textkin.paths import exists
from textkin.progress import timed
from textkin.protocols import Chooser, Encoder, PhraseEncoder, Scorer, SpanReader, System
from textkin.provenance import hash_of_model, hash_of_scorer
from textkin.records import PairSet
from textkin.scorers import BASELINES, BY_FREQUENCY, build
from textkin.scorers.choices import CHOICE_BASELINES, ScoredChoices
from textkin.scorers.classes import CLASS_BASELINES, build_classifier
from textkin.scorers.given import given
from textkin.scorers.hybrid import hybrid_members
from textkin.scorers.spans import SPAN_BASELINES, build_span_reader
from textkin.training.untrained import Untrained

if TYPE_CHECKING:
    from textkin.ensembles.reader import EnsembleReader
    from textkin.inference import NeuralClassifier, NeuralEncoder, NeuralReader, NeuralScorer

PHRASE_BASELINES = ("tfidf",)
"""What gives vectors of phrases without a network."""

_WITH_TFIDF = "+tfidf:"

AnyModel = str | Path | System | SpanReader | Chooser | Untrained
"""A baseline, a folder, a cached model's name; an object, see ``scorers.given``; or a recipe untrained."""


class OtherChoosers(Protocol):
    """What knows choosers that are no scorers: they look things up, or read no question."""

    def chooser(self, word: str) -> Chooser | None:
        """The chooser of that name; None where it knows none."""
        ...

    def hash_of(self, word: str) -> str | None:
        """The hash of all that this chooser depends on; None where it knows none of that name."""
        ...


def named_systems(words: Sequence[AnyModel]) -> dict[str, tuple[AnyModel, ...]]:
    """The models of each system that a user names: MODEL, or NAME=MODEL,MODEL,... for the seeds of one.

    Raises:
        UsageError: it is one word rather than several; a name is empty, that of a baseline, or comes twice
            with different models; or an object can't stand for a model.
    """
    found: dict[str, tuple[AnyModel, ...]] = {}
    for word in several(words, "models"):
        name, seeds = _named(word)
        if not name or not seeds or (name in (*BASELINES, *CLASS_BASELINES) and seeds != (name,)):
            raise UsageError(f"{word!r} names no system", fix="write MODEL, or NAME=MODEL,MODEL,...")
        if found.setdefault(name, seeds) != seeds:
            raise UsageError(f"two systems are called {name!r}", fix="give them different names")
    return found


def _named(word: AnyModel) -> tuple[str, tuple[AnyModel, ...]]:
    """A system's name, and its models."""
    if isinstance(word, SpanReader | Chooser):
        return word.name, (word,)
    if not isinstance(word, str | Path):
        system = given(word)
        return system.name, (system,)
    name, equals, models = str(word).partition("=")
    if not equals or exists(word):
        return str(word), (str(word),)
    return name, tuple(one for one in models.split(",") if one)


def load(path: Path | str = DEFAULT) -> Scorer:
    """The encoder, scorer or classifier in a folder, or in the Hugging Face cache by its name.

    Without a name, it is the static encoder in the box, which needs no torch.

    Raises:
        ModelError: there is no model that textkin can read, or it is an ensemble of which a member is
            missing, has changed, or takes word frequencies from texts.

    Example:
        >>> import textkin as tk
        >>> tk.load().name
        'default'
    """
    folder = located(path)
    with timed(f"model {path}, from {folder}"):
        return _loaded(folder)


def _loaded(folder: Path) -> Scorer:
    """The model in a folder."""
    kind = kind_of(folder)
    if kind is Kind.ENSEMBLE:
        _refuse_frequencies(folder)
        return cast("Scorer", open_ensemble(folder, lambda one: resolve(one, fit_texts=())))
    if kind is Kind.STATIC:
        from textkin.scorers.static import StaticEncoder
        from textkin.text.static import load_static

        return StaticEncoder(load_static(folder), name=name_of(folder), folder=folder.resolve())
    if not has_torch() and is_packed(folder):
        from textkin.light_transformer import LightTransformer

        return LightTransformer(folder.resolve(), name=name_of(folder))
    from textkin.inference import load_scorer

    return load_scorer(folder)


def load_encoder(path: Path | str = DEFAULT) -> Encoder:
    """:func:`load`, where a model without vectors is an error.

    Raises:
        ModelError: as :func:`load`, or the model compares texts without placing them in a space.

    Example:
        >>> import textkin as tk
        >>> vectors = tk.load_encoder().encode(["When do you open?"])
        >>> len(vectors)
        1
    """
    found = load(path)
    if isinstance(found, Encoder):
        return found
    raise ModelError(
        f"{path} holds {found.name}, which compares two texts and gives no vectors", fix="give an encoder"
    )


def encoder_of(model: str | Path | Encoder | None) -> Encoder:
    """An encoder, that of a folder or name, or the one in the box.

    Raises:
        ModelError: there is no such encoder.
    """
    if model is None or isinstance(model, str | Path):
        return load_encoder(DEFAULT if model is None else model)
    found = given(model)
    if isinstance(found, Encoder):
        return found
    raise ModelError(f"{found.name} gives no vectors", fix="give an encoder")


def load_attending(path: Path | str) -> NeuralEncoder | NeuralScorer | NeuralClassifier | NeuralReader:
    """The trained network in a folder, or in the cache by its name, to look into.

    Raises:
        UsageError: it is a baseline or a static encoder, in which there is nothing to look at.
        ModelError: there is no model that textkin can read.
    """
    static = f"{path} has no network with attention"
    fix = "give the folder of a trained model that compares tokens, such as esim or a cross-encoder"
    if str(path) in {*BASELINES, *CLASS_BASELINES, *SPAN_BASELINES}:
        raise UsageError(static, fix=fix)
    folder = located(path)
    if kind_of(folder) is Kind.STATIC:
        raise UsageError(static, fix=fix)
    from textkin.inference import NeuralReader, scorer_of
    from textkin.model_dir import load_model
    from textkin.models.span_network import SpanNetwork

    model = load_model(folder)
    if isinstance(model.module, SpanNetwork):
        return NeuralReader(model.module, model.pipeline, name=model.name, model=model)
    return scorer_of(model)


def load_reader(path: Path | str) -> NeuralReader | EnsembleReader:
    """The reader of spans in a folder, or in the Hugging Face cache by its name.

    Raises:
        ModelError: there is no model that textkin can read, or one that points at no answers; or it is an
            ensemble of which a member is missing, has changed, or takes word frequencies from texts.

    Example:
        >>> import textkin as tk
        >>> reader = tk.load_reader("runs/reader/model")  # doctest: +SKIP
        >>> reader.read(["When?"], ["It was built in 1911."])[0][0].text  # doctest: +SKIP
        '1911'
    """
    from textkin.inference import load_reader as load

    folder = located(path)
    with timed(f"reader {path}, from {folder}"):
        if kind_of(folder) is Kind.ENSEMBLE:
            _refuse_frequencies(folder)
            return open_ensemble_reader(folder, lambda one: reader_of(one, fit_texts=()))
        return load(folder)


def reader_of(
    model: AnyModel, *, fit_texts: Sequence[str], seed: int = 0, decision: Path | str | None = None
) -> SpanReader:
    """The reader of spans that a user's word or object means.

    Args:
        model: a folder, a cached model's name, one of ``scorers.spans.SPAN_BASELINES``, or an object.
        fit_texts: where a baseline takes its word frequencies from.
        seed: of the baseline random.
        decision: a file of ``calibrate`` that says when the answer is none, instead of the model's own rule.

    Raises:
        UsageError: the object can't read.
        ModelError: the folder can't be read, or holds another kind of model; or the decision is another's.
        DataError: the decision can't be read.
    """
    if isinstance(model, Untrained):
        return model.reader(fit_texts, seed=seed)
    if decision is not None:
        return _deciding(model, decision)
    if not isinstance(model, str | Path):
        if isinstance(model, SpanReader):
            return model
        raise UsageError(
            f"{getattr(model, 'name', type(model).__name__)} reads no answers out of passages",
            fix="give an object with name and read(questions, passages, k)",
        )
    if str(model) in SPAN_BASELINES:
        return build_span_reader(str(model), fit_texts=fit_texts, seed=seed)
    _require(str(model), SPAN_BASELINES)
    if (folder := ensemble_in(model)) is not None:
        return open_ensemble_reader(folder, lambda one: reader_of(one, fit_texts=fit_texts, seed=seed))
    return load_reader(model)


def chooser_of(
    model: AnyModel,
    *,
    fit_texts: Sequence[str],
    vectors: Path | None = None,
    seed: int = 0,
    others: OtherChoosers,
) -> Chooser:
    """The chooser that a user's word or object means; of a scorer, that of the likest choice.

    Args:
        model: a folder, a cached model's name, one of ``scorers.choices.CHOICE_BASELINES``, or an object.
        fit_texts: where a baseline takes its word frequencies from.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random, and of the weights of a recipe untrained.
        others: what knows the choosers that are no scorers.

    Raises:
        UsageError: the object can't choose.
        ModelError: the folder can't be read.
        DataError: a baseline learns from answered questions, and there are none.
    """
    if isinstance(model, Chooser):
        return model
    word = str(model) if isinstance(model, str | Path) else ""
    if (found := others.chooser(word)) is not None:
        return found
    if word and word not in CHOICE_BASELINES and (folder := ensemble_in(word)) is not None:
        again = partial(chooser_of, fit_texts=fit_texts, vectors=vectors, seed=seed, others=others)
        if load_saved(folder).kind is Together.CHOICES:
            return open_ensemble_chooser(folder, again, hash_of=others.hash_of)
    if word and word not in (*CHOICE_BASELINES, *BASELINES):
        _require(word, CHOICE_BASELINES)
    return ScoredChoices(resolve(model, fit_texts=fit_texts, vectors=vectors, seed=seed))


def phrase_encoder_of(model: str, *, fit_texts: Sequence[str] = ()) -> PhraseEncoder:
    """The phrase encoder that a user's word means.

    Args:
        model: ``tfidf``, the baseline of phrases; a folder; or a cached model's name. ``MODEL+tfidf:WEIGHT``
            adds TF-IDF to a model, see :class:`textkin.scorers.phrases_with_tfidf.PhrasesWithTfidf`.
        fit_texts: where the baseline takes its word frequencies from; for questions it needs none.

    Raises:
        UsageError: the weight is none.
        ModelError: there is neither a model nor a baseline of that name, the folder
            can't be read, or its model gives no vectors of phrases.
    """
    model, weight = _phrases_and_weight(model)
    if weight is not None:
        from textkin.scorers.phrase_tfidf import TfidfPhrases
        from textkin.scorers.phrases_with_tfidf import PhrasesWithTfidf

        return PhrasesWithTfidf(phrase_encoder_of(model), TfidfPhrases.fit(fit_texts), weight=weight)
    if model in PHRASE_BASELINES:
        from textkin.scorers.phrase_tfidf import TfidfPhrases

        return TfidfPhrases.fit(fit_texts)
    _require(model, PHRASE_BASELINES)
    from textkin.inference.phrases import load_phrase_encoder

    return load_phrase_encoder(located(model))


def hash_of_phrase_encoder(model: str) -> str:
    """The hash of what vectors of phrases depend on, beside the texts.

    Raises:
        UsageError: the weight is none.
        ModelError: there is no such phrase encoder.
    """
    model, weight = _phrases_and_weight(model)
    if weight is not None:
        return sha256_of_json({"phrases by": hash_of_phrase_encoder(model), "tfidf": weight})
    if model in PHRASE_BASELINES:
        encoder = phrase_encoder_of(model)
        return sha256_of_json({"phrases by": encoder.name, "dim": encoder.dim})
    _require(model, PHRASE_BASELINES)
    return hash_of_model(located(model))


def place_of_phrase_encoder(model: str) -> str:
    """The same encoder as a word that holds in every working directory."""
    name, weight = _phrases_and_weight(model)
    place = str(Path(name).resolve()) if exists(name) else name
    return place if weight is None else f"{place}{_WITH_TFIDF}{weight!r}"


def _phrases_and_weight(model: str) -> tuple[str, float | None]:
    """What a word for a phrase encoder names, and the weight of TF-IDF beside it."""
    name, plus, weight = model.rpartition(_WITH_TFIDF)
    if not plus or exists(model):
        return model, None
    try:
        return name, float(weight)
    except ValueError:
        raise UsageError(f"{model} names no weight", fix="write MODEL+tfidf:WEIGHT, such as 2.5") from None


def _deciding(model: AnyModel, decision: Path | str) -> NeuralReader:
    """A reader in a folder by the rule in a file."""
    if not isinstance(model, str | Path) or str(model) in SPAN_BASELINES:
        raise UsageError(
            f"{decision} is a decision of a saved reader, and {getattr(model, 'name', model)} is none",
            fix="leave the decision out, or give the reader's folder",
        )
    from textkin.inference import load_reader as load

    _require(str(model), SPAN_BASELINES)
    if ensemble_in(model) is not None:
        raise UsageError(
            f"{model} is an ensemble of readers, and no rule of no answer is fitted to one",
            fix="leave the decision out, or give a reader's folder",
        )
    found = SavedNoAnswer.read(decision, model=str(model), model_sha256=hash_of_scorer(model))
    return load(located(model), no_answer=found.rule)


def resolve(
    model: AnyModel,
    *,
    fit_texts: Sequence[str],
    vectors: Path | None = None,
    seed: int = 0,
    opened: dict[str, Scorer] | None = None,
) -> Scorer:
    """The scorer that a user's word or object means.

    Args:
        model: a folder, a cached model's name, one of ``scorers.BASELINES``, a hybrid, or an object.
        fit_texts: where a baseline takes its word frequencies from.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random, and of the weights of a recipe untrained.
        opened: scorers by their words, which are not opened again; what is opened goes in.

    Raises:
        ModelError: there is neither a model nor a baseline of that name, or the folder can't be read.
    """
    if isinstance(model, Untrained):
        return model.system(fit_texts, seed=seed, vectors=vectors)
    if not isinstance(model, str | Path):
        found = given(model)
        if isinstance(found, Scorer):
            return found
        raise _classes_only(found.name)
    word, known = str(model), {} if opened is None else opened
    if word not in known:
        again = partial(resolve, fit_texts=fit_texts, vectors=vectors, seed=seed, opened=known)
        if word in BASELINES:
            known[word] = build(word, fit_texts=fit_texts, vectors=vectors, seed=seed)
        elif (members := hybrid_members(word)) is not None:
            rule = ReciprocalRanks(len(members))
            known[word] = EnsembleScorer([again(one) for one in members], rule, name=word)
        elif (folder := ensemble_in(word)) is not None:
            together = open_ensemble(folder, again)
            if not isinstance(together, Scorer):
                raise _classes_only(together.name)
            known[word] = together
        else:
            known[word] = _saved(word, BASELINES)
    return known[word]


def resolve_for_classes(model: AnyModel, *, train: PairSet, seed: int = 0) -> System:
    """What a user's word or object means for classes; a folder may hold no classifier.

    Args:
        model: a folder, a cached model's name, one of ``scorers.classes.CLASS_BASELINES``, or an object.
        train: labelled pairs that a baseline is fitted on.
        seed: of the baseline random, and of the weights of a recipe untrained.

    Raises:
        ModelError: there is neither a model nor a baseline of that name, or the folder can't be read.
        DataError: a baseline can't be fitted on ``train``.
    """
    if isinstance(model, Untrained):
        texts = [text for pair in train.texts for text in pair]
        return model.system(texts, seed=seed, classes=train.classes)
    if not isinstance(model, str | Path):
        return given(model)
    model = str(model)
    if model in CLASS_BASELINES:
        return build_classifier(model, train=train, seed=seed)
    if (folder := ensemble_in(model)) is not None:
        return open_ensemble(folder, lambda one: resolve_for_classes(one, train=train, seed=seed))
    return _saved(model, CLASS_BASELINES)


def ensemble_in(model: str | Path) -> Path | None:
    """The folder of an ensemble, if that is what a name leads to.

    Raises:
        ModelError: a file that says what is in a folder is not JSON.
    """
    folder = locate(model)
    return folder if folder is not None and kind_of(folder) is Kind.ENSEMBLE else None


def takes_frequencies(model: AnyModel) -> bool:
    """Whether a model takes word frequencies from the texts at hand, or an ensemble's member does.

    Raises:
        ModelError: it is an ensemble whose directory is damaged.
    """
    if not isinstance(model, str | Path):
        return False
    if (members := hybrid_members(str(model))) is not None:
        return any(map(takes_frequencies, members))
    folder = None if str(model) in BASELINES else ensemble_in(model)
    return str(model) in BY_FREQUENCY if folder is None else bool(needs_texts(folder))


def decision_of(path: Path | str, model: str | Path | Encoder | None) -> SavedThreshold:
    """The threshold in a file of ``calibrate``, which must be for this encoder.

    Args:
        path: the file.
        model: the encoder's folder or name; None for the one in the box.

    Raises:
        DataError: it is no such file.
        ModelError: it was made for another model, or an object can't be known again.
    """
    found = SavedDecision.read(path)
    if model is not None and not isinstance(model, str | Path):
        raise ModelError(
            f"{model.name} is given as an object, so {path} may have been made for another model",
            fix="give the model's folder or name",
        )
    name = DEFAULT if model is None else model
    found.require(hash_of_scorer(name), path=path, name=str(name))
    return found.threshold


def fetch(*models: str) -> None:
    """Download models of the Hugging Face hub into the cache.

    Those that are at hand are left as they are, and so are the names of baselines.

    Raises:
        ModelError: the hub can't be reached, or has no such model.

    Example:
        >>> import textkin as tk
        >>> tk.fetch("tfidf")  # nothing to do for a baseline
    """
    named = (one.removeprefix(SUPPORT) for one in models)
    for model in chain.from_iterable(hybrid_members(one) or (one,) for one in named):
        if model not in (*BASELINES, *CLASS_BASELINES, *CHOICE_BASELINES, *LOOKING_UP):
            fetch_from_hub(model)


def _classes_only(name: str) -> UsageError:
    return UsageError(f"{name} gives classes, expected a score", fix="give a model that compares texts")


def _refuse_frequencies(folder: Path) -> None:
    """See that an ensemble can be opened without texts.

    Raises:
        ModelError: a member takes word frequencies from texts.
    """
    if names := needs_texts(folder):
        raise ModelError(
            f"{folder} is an ensemble with {', '.join(names)}, which take word frequencies from the texts at "
            "hand",
            fix="use it by evaluate, compare, score or answer, which have texts, or combine models only",
        )


def _saved(model: str, baselines: Sequence[str]) -> Scorer:
    """The model that the user must have meant, since it is none of the baselines."""
    _require(model, (DEFAULT, *baselines))
    return load(model)


def _require(model: str, others: Sequence[str]) -> None:
    """Make sure that there is something of that name.

    Raises:
        ModelError: there isn't.
    """
    if locate(model) is None and not exists(model):
        raise ModelError(
            f"there is no model directory {model!r} and no baseline of that name ({searched(model)})",
            fix=f"fetch it from the hub with --download, or {did_you_mean(model, others)}",
        )
