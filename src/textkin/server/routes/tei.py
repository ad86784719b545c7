"""The dialect of text-embeddings-inference."""

from __future__ import annotations

from typing import Annotated, Any, Literal, final

import numpy as np
from pydantic import Field

from textkin import __version__
from textkin.encoding import PROMPT_NAMES
from textkin.errors import did_you_mean
from textkin.protocols import Side
from textkin.server.call import Call, Reply
from textkin.server.problems import RequestError, Trouble
from textkin.server.route import Body, NoBody, Route
from textkin.server.service import Service
from textkin.server.vectors import shortened
from textkin.text.token_ids import TokenPlace, decoded, token_places

Texts = str | tuple[str, ...]


@final
class EmbedBody(Body):
    """What ``POST /embed`` and ``/embed_all`` take."""

    inputs: Texts
    truncate: bool | None = None
    truncation_direction: Literal["right", "left", "Right", "Left"] = "right"
    normalize: bool | None = None
    prompt_name: str | None = None
    dimensions: int | None = None
    model: str | None = None


@final
class SimilarSentences(Body):
    """A sentence, and what it is compared with."""

    source_sentence: str
    sentences: tuple[str, ...]


@final
class SimilarityBody(Body):
    """What ``POST /similarity`` takes."""

    inputs: SimilarSentences
    parameters: dict[str, Any] = Field(default_factory=dict)
    model: str | None = None


@final
class RootBody(Body):
    """What Hugging Face's clients send to ``/``: texts to embed, or sentences to compare."""

    inputs: Texts | SimilarSentences
    parameters: dict[str, Any] = Field(default_factory=dict)
    truncate: bool | None = None
    normalize: bool | None = None
    prompt_name: str | None = None
    dimensions: int | None = None


Pairs = tuple[str, str] | Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)] | str


@final
class PredictBody(Body):
    """What ``POST /predict`` takes: a pair, or several."""

    inputs: Pairs
    raw_scores: bool = False
    truncate: bool | None = None
    model: str | None = None


@final
class TokenizeBody(Body):
    """What ``POST /tokenize`` takes."""

    inputs: Texts
    add_special_tokens: bool = True
    prompt_name: str | None = None
    model: str | None = None


@final
class DecodeBody(Body):
    """What ``POST /decode`` takes."""

    ids: tuple[int, ...] | tuple[tuple[int, ...], ...]
    skip_special_tokens: bool = True
    model: str | None = None


async def embed(service: Service, body: EmbedBody, call: Call) -> Reply:
    """Embed texts: a vector each."""
    texts = _texts(body.inputs)
    _check_options(body)
    model = service.model(body.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    found = await service.embed(call, model, texts, side=_side(body.prompt_name), truncate=body.truncate)
    return Reply(shortened(found.vectors, body.dimensions))


async def embed_all(service: Service, body: EmbedBody, call: Call) -> Reply:
    """Embed the tokens of texts: a vector each, special ones included."""
    texts = _texts(body.inputs)
    _check_options(body)
    model = service.model(body.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    side = _side(body.prompt_name)

    def work(items: list[Any]) -> tuple[list[Any], list[int]]:
        return model.token_vectors(items, side)[0], model.lengths(items, side=side).tolist()

    rows, lengths = await service.compute_all(call, model, work, texts)
    service.note_lengths(call, model, np.asarray(lengths), body.truncate)
    return Reply(rows)


async def similarity(service: Service, body: SimilarityBody, call: Call) -> Reply:
    """Compare a sentence with others: a cosine each."""
    return await _similarities(service, body.inputs, call, body.model)


async def root(service: Service, body: RootBody, call: Call) -> Reply:
    """Embed or compare texts, as Hugging Face's clients ask at the server's root."""
    if isinstance(body.inputs, SimilarSentences):
        return await _similarities(service, body.inputs, call, None)
    given = {name: value for name, value in body.model_dump().items() if name != "parameters"}
    return await embed(service, EmbedBody(**{**given, **_known(body.parameters)}), call)


async def predict(service: Service, body: PredictBody, call: Call) -> Reply:
    """Sort pairs of texts into classes."""
    many, pairs = _pairs(body.inputs)
    model = service.model(body.model, lambda one: one.classifier, "give classes")
    service.count(call, [text for pair in pairs for text in pair], items=len(pairs))
    found = await service.classify(call, model, pairs, truncate=body.truncate)
    if body.raw_scores:
        found = np.log(np.clip(found, np.finfo(np.float32).tiny, None))
    labels = () if model.classifier is None else model.classifier.labels
    told = []
    for row in found:
        order = np.argsort(-row, kind="stable").tolist()
        told.append([{"score": float(row[place]), "label": labels[place]} for place in order])
    return Reply(told if many else told[0])


async def tokenize(service: Service, body: TokenizeBody, call: Call) -> Reply:
    """Cut texts into tokens, with their ids and places."""
    texts = _texts(body.inputs)
    model = service.model(body.model, lambda one: True, "read texts")
    service.count(call, texts)

    def work(items: list[Any]) -> tuple[list[list[TokenPlace]]]:
        return (token_places(model.pipeline, items, special=body.add_special_tokens),)

    (found,) = await service.compute_all(call, model, work, texts)
    return Reply([[_token(one) for one in tokens] for tokens in found])


async def decode(service: Service, body: DecodeBody, call: Call) -> Reply:
    """Turn token ids back into texts."""
    ids: Any = [body.ids] if body.ids and isinstance(body.ids[0], int) else list(body.ids)
    model = service.model(body.model, lambda one: True, "read texts")
    service.count(call, [""] * len(ids))
    return Reply(decoded(model.pipeline, ids, skip_special=body.skip_special_tokens))


async def info(service: Service, body: NoBody, call: Call) -> Reply:
    """Say what is served, and what is taken at most."""
    del body, call
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


async def _similarities(service: Service, given: SimilarSentences, call: Call, name: str | None) -> Reply:
    texts = [given.source_sentence, *given.sentences]
    if not given.sentences:
        raise _empty("sentences")
    model = service.model(name, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    vectors = (await service.embed(call, model, texts)).vectors
    return Reply((vectors[1:] @ vectors[0]).clip(-1, 1).astype(np.float32))


def _texts(given: Texts) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    if not texts or any(one == "" for one in texts):
        raise _empty("inputs")
    return texts


def _empty(field: str) -> RequestError:
    return RequestError(
        f"`{field}` cannot be empty",
        status=400,
        trouble=Trouble.EMPTY,
        fix="send at least one text, none empty",
    )


def _pairs(given: Any) -> tuple[bool, list[tuple[str, str]]]:
    """Whether several were sent, and the pairs."""
    lone = isinstance(given, str) or (len(given) == 2 and all(isinstance(one, str) for one in given))
    listed = [given] if lone else list(given)
    if any(isinstance(one, str) or len(one) != 2 for one in listed):
        raise RequestError(
            "these models sort pairs of texts, and a single text was sent", fix="send inputs: [[a, b], ...]"
        )
    return not lone, [(str(a), str(b)) for a, b in listed]


def _side(prompt_name: str | None) -> Side:
    if prompt_name is None:
        return Side.TEXT
    if prompt_name not in PROMPT_NAMES:
        raise RequestError(
            f"there is no prompt {prompt_name!r}",
            fix=did_you_mean(prompt_name, PROMPT_NAMES),
            param="prompt_name",
        )
    return PROMPT_NAMES[prompt_name]


def _check_options(body: EmbedBody) -> None:
    """Refuse what a model can't do, rather than do something else."""
    if body.normalize is False:
        raise RequestError("vectors always have length 1 here", fix="leave normalize out", param="normalize")
    if body.truncation_direction.lower() == "left":
        raise RequestError(
            "texts are cut at their end", fix="leave truncation_direction out", param="truncation_direction"
        )


def _known(parameters: dict[str, Any]) -> dict[str, Any]:
    names = ("truncate", "normalize", "prompt_name", "dimensions")
    return {name: parameters[name] for name in names if name in parameters}


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
