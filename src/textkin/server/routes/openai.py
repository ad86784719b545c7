"""OpenAI-compatible routes: embeddings and models."""

import base64
from typing import Any, Literal

import numpy as np

from textkin.server.call import Call, Reply
from textkin.server.request_errors import Dialect, RequestError
from textkin.server.route import Body, NoBody, Route, StrictBody
from textkin.server.routes.tei import shortened, side_of
from textkin.server.served_model import ServedModel
from textkin.server.service import Service

_MOST = 2_048  # inputs per request, as in OpenAI's API


class EmbeddingsBody(Body):
    """The body of ``POST /v1/embeddings``; ``user`` is ignored, the last two fields are textkin's."""

    input: str | tuple[str, ...] | tuple[int, ...] | tuple[tuple[int, ...], ...]
    model: str | None = None
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None
    truncate: bool | None = None
    prompt_name: str | None = None


class NamedModel(StrictBody):
    """The address of ``GET /v1/models/{model}``."""

    model: str


async def embeddings(service: Service, body: EmbeddingsBody, call: Call) -> Reply:
    """Embed texts, as OpenAI does."""
    texts, side = _texts(body.input), side_of(body.prompt_name)
    model = service.model(body.model, lambda one: one.encoder, "give vectors")
    service.count(call, texts)
    found = await service.embed(call, model, texts, side=side, truncate=body.truncate)
    vectors = shortened(found.vectors, body.dimensions)
    if body.encoding_format == "base64":
        told: Any = [base64.b64encode(row.tobytes()).decode() for row in vectors.astype("<f4")]
    else:
        told = list(vectors.astype(np.float32))
    used = int(found.tokens.sum())
    return Reply(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(told)
            ],
            "model": model.name,
            "usage": {"prompt_tokens": used, "total_tokens": used},
        }
    )


async def models(service: Service, body: NoBody, call: Call) -> Reply:
    """List the served models."""
    return Reply({"object": "list", "data": list(map(_described, service.models.values()))})


async def named_model(service: Service, body: NamedModel, call: Call) -> Reply:
    """Describe a served model."""
    return Reply(_described(service.named_model(body.model)))


def _described(model: ServedModel) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.opened, "owned_by": "textkin"}


def _texts(given: Any) -> list[str]:
    """The texts of a request.

    Raises:
        RequestError: there is none, one is empty, or they are the token ids of another tokenizer.
    """
    texts = [given] if isinstance(given, str) else list(given)
    if not texts or any(one == "" for one in texts):
        raise RequestError(
            "input is empty", status=400, fix="send at least one text, none empty", param="input"
        )
    if len(texts) > _MOST:
        raise RequestError(
            f"{len(texts):,} inputs, of {_MOST:,} at most", status=400, fix="send fewer", param="input"
        )
    if not isinstance(texts[0], str):
        raise RequestError(
            "input holds token ids, which are those of another model's tokenizer",
            fix="send texts: in LangChain OpenAIEmbeddings(check_embedding_ctx_length=False)",
            param="input",
        )
    return texts


ROUTES = (
    Route(
        method="POST",
        path="/v1/embeddings",
        body=EmbeddingsBody,
        answer=embeddings,
        dialect=Dialect.OPENAI,
    ),
    Route(method="GET", path="/v1/models", answer=models, dialect=Dialect.OPENAI),
    Route(
        method="GET",
        path="/v1/models/{model}",
        body=NamedModel,
        answer=named_model,
        dialect=Dialect.OPENAI,
    ),
)
