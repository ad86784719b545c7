"""Routes compatible with text-embeddings-inference; options for vectors of all routes."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from textkin.base.errors import did_you_mean
from textkin.data.encode_arguments import PROMPT_NAMES
from textkin.data.protocols import Side
from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import Body, NoBody, Route
from textkin.server.service import Service
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.token_ids import TokenPlace, decoded, token_places
from textkin.version import __version__

Floats = NDArray[np.float32]


def shortened(vectors: Floats, dimensions: int | None) -> Floats:
    """The first dimensions of vectors, renormalised to unit length; all of them if None.

    Raises:
        RequestError: there are fewer.
    """
    if dimensions is None or dimensions == vectors.shape[1]:
        return vectors
    if not 1 <= dimensions < vectors.shape[1]:
        raise RequestError(
            f"dimensions is {dimensions}", fix=f"give 1 to {vectors.shape[1]}", param="dimensions"
        )
    return unit_rows(np.ascontiguousarray(vectors[:, :dimensions]))


def relevance(scores: Floats, *, is_cosine: bool) -> Floats:
    """Scores as numbers from 0 to 1 in the same order: shifted cosines, logistic of logits."""
    wide = scores.astype(np.float64)
    found = (1 + wide) / 2 if is_cosine else 1 / (1 + np.exp(-np.clip(wide, -60, 60)))
    return np.clip(found, 0, 1).astype(np.float32)


def side_of(prompt_name: str | None) -> Side:
    """The side that a prompt is for; no prompt if none is named.

    Raises:
        RequestError: there is no such prompt.
    """
    if prompt_name is None:
        return Side.TEXT
    if prompt_name not in PROMPT_NAMES:
        raise RequestError(
            f"there is no prompt {prompt_name!r}",
            fix=did_you_mean(prompt_name, PROMPT_NAMES),
            param="prompt_name",
        )
    return PROMPT_NAMES[prompt_name]


def refuse_left(truncation_direction: str | None) -> None:
    """Check that texts are to be truncated at their end, if at all.

    Raises:
        RequestError: they are to be truncated at their beginning.
    """
    if truncation_direction is not None and truncation_direction.lower() == "left":
        raise RequestError(
            "texts are cut at their end", fix="leave truncation_direction out", param="truncation_direction"
        )


Texts = str | tuple[str, ...]


Direction = Literal["right", "left", "Right", "Left"] | None


class EmbedBodyOptions(Body):
    """Options of a request for vectors."""

    truncate: bool | None = None
    truncation_direction: Direction = None
    normalize: bool | None = None
    prompt_name: str | None = None
    dimensions: int | None = None


class Parameters(EmbedBodyOptions):
    """Options in an object of their own, as some clients send them."""

    model_config = ConfigDict(extra="forbid")


class EmbedBody(EmbedBodyOptions):
    """The body of ``POST /embed`` and ``/embed_all``."""

    inputs: Texts
    model: str | None = None


class SimilarSentences(Body):
    """A sentence and the sentences to compare it with."""

    source_sentence: str
    sentences: tuple[str, ...]


class SimilarityBody(EmbedBodyOptions):
    """The body of ``POST /similarity``."""

    inputs: SimilarSentences
    parameters: Parameters | None = None
    model: str | None = None


class RootBody(EmbedBodyOptions):
    """The body of Hugging Face clients' requests to ``/``: texts to embed, or sentences to compare."""

    inputs: Texts | SimilarSentences
    parameters: Parameters | None = None
    model: str | None = None


Pairs = tuple[str, str] | Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)] | str


class PredictBody(Body):
    """The body of ``POST /predict``: a pair, or several."""

    inputs: Pairs
    raw_scores: bool = False
    truncate: bool | None = None
    truncation_direction: Direction = None
    model: str | None = None


class TokenizeBody(Body):
    """The body of ``POST /tokenize``."""

    inputs: Texts
    add_special_tokens: bool = True
    prompt_name: str | None = None
    model: str | None = None


class DecodeBody(Body):
    """The body of ``POST /decode``."""

    ids: tuple[int, ...] | tuple[tuple[int, ...], ...]
    skip_special_tokens: bool = True
    model: str | None = None


async def embed(service: Service, body: EmbedBody, call: Call) -> Reply:
    """Embed texts, one vector each."""
    return await _embedded(service, _texts(body.inputs), call, _options_of(body))


async def embed_all(service: Service, body: EmbedBody, call: Call) -> Reply:
    """Embed the tokens of texts, one vector each, including special tokens."""
    texts, asked = _texts(body.inputs), _options_of(body)
    if body.dimensions is not None or body.normalize is not None:
        raise RequestError(
            "vectors of tokens come as the model has them",
            fix="leave dimensions and normalize out",
            param="dimensions" if body.normalize is None else "normalize",
        )
    model = service.model(asked.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)

    def work(items: list[Any]) -> tuple[list[Any], list[int]]:
        return model.token_vectors(items, asked.side)[0], model.lengths(items, side=asked.side).tolist()

    rows, lengths = await service.compute_all(call, model, work, texts)
    service.note_lengths(call, model, np.asarray(lengths), asked.truncate)
    return Reply(rows)


async def similarity(service: Service, body: SimilarityBody, call: Call) -> Reply:
    """Compare a sentence with others, one cosine each."""
    return await _similarities(service, body.inputs, call, _options_of(body, body.parameters))


async def root(service: Service, body: RootBody, call: Call) -> Reply:
    """Embed or compare texts, as Hugging Face's clients request at the server's root."""
    asked = _options_of(body, body.parameters)
    if isinstance(body.inputs, SimilarSentences):
        return await _similarities(service, body.inputs, call, asked)
    return await _embedded(service, _texts(body.inputs), call, asked)


async def predict(service: Service, body: PredictBody, call: Call) -> Reply:
    """Classify pairs of texts."""
    refuse_left(body.truncation_direction)
    many, pairs = _pairs(body.inputs)
    model = service.model(body.model, lambda one: one.classifier, "give classes")
    service.count(call, [text for pair in pairs for text in pair], items=len(pairs))
    found = (await service.classify(call, model, pairs, truncate=body.truncate)).scores
    if body.raw_scores:
        found = np.log(np.clip(found, np.finfo(np.float32).tiny, None))
    labels = () if model.classifier is None else model.classifier.labels
    told = []
    for row in found:
        order = np.argsort(-row, kind="stable").tolist()
        told.append([{"score": float(row[place]), "label": labels[place]} for place in order])
    return Reply(told if many else told[0])


async def tokenize(service: Service, body: TokenizeBody, call: Call) -> Reply:
    """Split texts into tokens, with their ids and offsets."""
    texts = _texts(body.inputs)
    side = None if body.prompt_name is None else side_of(body.prompt_name)
    model = service.model(body.model, lambda one: True, "read texts")
    service.count(call, texts)

    def work(items: list[Any]) -> tuple[list[list[TokenPlace]]]:
        return (token_places(model.pipeline, items, special=body.add_special_tokens, side=side),)

    (found,) = await service.compute_all(call, model, work, texts)
    return Reply([[_token(one) for one in tokens] for tokens in found])


async def decode(service: Service, body: DecodeBody, call: Call) -> Reply:
    """Decode token ids into texts."""
    ids: Any = [body.ids] if body.ids and isinstance(body.ids[0], int) else list(body.ids)
    model = service.model(body.model, lambda one: True, "read texts")
    service.count(call, [""] * len(ids))
    return Reply(decoded(model.pipeline, ids, skip_special=body.skip_special_tokens))


async def info(service: Service, body: NoBody, call: Call) -> Reply:
    """Describe the served model and the limits."""
    limits = service.limits
    first = service.model(None, lambda one: True, "answer")
    longest = None
    if first.max_tokens is not None:
        longest = first.max_tokens + first.special_tokens
    return Reply(
        {
            "model_id": first.name,
            "model_sha": first.sha256 or None,
            "model_dtype": "bfloat16" if first.precision.startswith("bf16") else "float32",
            "model_type": first.kind,
            "max_concurrent_requests": limits.requests,
            "max_input_length": longest,
            "max_batch_tokens": limits.batch_tokens,
            "max_batch_requests": None,
            "max_client_batch_size": limits.texts,
            "auto_truncate": service.auto_truncate,
            "tokenization_workers": 1,
            "version": __version__,
        }
    )


@dataclass(frozen=True, slots=True)
class _Options:
    """Embedding options, after validation."""

    model: str | None
    side: Side
    truncate: bool | None
    dimensions: int | None


def _options_of(body: Any, parameters: Parameters | None = None) -> _Options:
    """Read the options of a body or its parameters; unsupported ones are rejected.

    Raises:
        RequestError: an option occurs in both, or the model doesn't support it.
    """
    given = {}
    for name in Parameters.model_fields:
        found = [value for one in (body, parameters) if (value := getattr(one, name, None)) is not None]
        if len(found) > 1:
            raise RequestError(f"{name} is given twice", fix="leave it out of parameters", param=name)
        given[name] = found[0] if found else None
    refuse_left(given["truncation_direction"])
    if given["normalize"] is False:
        raise RequestError("vectors always have length 1 here", fix="leave normalize out", param="normalize")
    return _Options(body.model, side_of(given["prompt_name"]), given["truncate"], given["dimensions"])


async def _embedded(service: Service, texts: list[str], call: Call, asked: _Options) -> Reply:
    model = service.model(asked.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    found = await service.embed(call, model, texts, side=asked.side, truncate=asked.truncate)
    return Reply(shortened(found.vectors, asked.dimensions))


async def _similarities(service: Service, given: SimilarSentences, call: Call, asked: _Options) -> Reply:
    texts = [given.source_sentence, *given.sentences]
    if not given.sentences or "" in texts:
        raise _empty("source_sentence" if given.source_sentence == "" else "sentences")
    model = service.model(asked.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    found = await service.embed(call, model, texts, side=asked.side, truncate=asked.truncate)
    vectors = shortened(found.vectors, asked.dimensions)
    return Reply((vectors[1:] @ vectors[0]).clip(-1, 1).astype(np.float32))


def _texts(given: Texts) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    if not texts or any(one == "" for one in texts):
        raise _empty("inputs")
    return texts


def _empty(field: str) -> RequestError:
    return RequestError(
        f"`{field}` cannot be empty", trouble=Trouble.EMPTY, fix="send at least one text, none empty"
    )


def _pairs(given: Any) -> tuple[bool, list[tuple[str, str]]]:
    """The pairs, and True if several were sent."""
    lone = isinstance(given, str) or (len(given) == 2 and all(isinstance(one, str) for one in given))
    listed = [given] if lone else list(given)
    if any(isinstance(one, str) or len(one) != 2 for one in listed):
        raise RequestError(
            "these models sort pairs of texts, and a single text was sent", fix="send inputs: [[a, b], ...]"
        )
    return not lone, [(str(a), str(b)) for a, b in listed]


def _token(one: TokenPlace) -> dict[str, Any]:
    return {
        "id": one.token_id,
        "text": one.text,
        "special": one.is_special,
        "start": one.start,
        "stop": one.stop,
    }


ROUTES = (
    Route(method="POST", path="/", body=RootBody, answer=root),
    Route(method="POST", path="/embed", body=EmbedBody, answer=embed),
    Route(method="POST", path="/embed_all", body=EmbedBody, answer=embed_all),
    Route(method="POST", path="/similarity", body=SimilarityBody, answer=similarity),
    Route(method="POST", path="/predict", body=PredictBody, answer=predict),
    Route(method="POST", path="/tokenize", body=TokenizeBody, answer=tokenize),
    Route(method="POST", path="/decode", body=DecodeBody, answer=decode),
    Route(method="GET", path="/info", answer=info),
)
