"""Reranking routes, compatible with text-embeddings-inference, Cohere, Jina and vLLM.

The first API has ``texts``, the others ``documents``; the body thereby tells them apart.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from textkin.server.call import Call, Reply
from textkin.server.request_errors import Dialect, RequestError
from textkin.server.route import Body, Route
from textkin.server.routes.tei import Direction, refuse_left, relevance
from textkin.server.served_model import ServedModel
from textkin.server.service import Service

_REFUSED = ("rank_fields", "max_chunks_per_doc", "max_tokens_per_doc", "truncate_prompt_tokens")


class Document(Body):
    """A document as an object, which some clients send."""

    text: str


class RerankBody(Body):
    """The body of ``/rerank``, ``/v1/rerank`` and ``/v2/rerank``."""

    query: str
    texts: tuple[str, ...] | None = None
    documents: tuple[str | Document, ...] | None = None
    model: str | None = None
    top_n: Annotated[int, Field(ge=1)] | None = None
    return_documents: bool = False
    return_text: bool = False
    raw_scores: bool = False
    truncate: bool | None = None
    truncation_direction: Direction = None
    rank_fields: Any = None
    max_chunks_per_doc: Any = None
    max_tokens_per_doc: Any = None
    truncate_prompt_tokens: Any = None

    @model_validator(mode="after")
    def _one_kind(self) -> RerankBody:
        if (self.texts is None) == (self.documents is None):
            raise ValueError("give texts or documents, one of them")
        if not any(map(str.strip, self.given)) or not self.query.strip():
            raise ValueError("query and texts must not be empty")
        return self

    @property
    def returns(self) -> bool:
        """True if the texts should be returned; each API has its own field for it."""
        return self.return_text or self.return_documents

    @property
    def given(self) -> list[str]:
        """The texts to rank."""
        if self.texts is not None:
            return list(self.texts)
        return [one if isinstance(one, str) else one.text for one in self.documents or ()]


async def rerank(service: Service, body: RerankBody, call: Call) -> Reply:
    """Order texts by how well they answer a query. Blank ones come last, with a relevance of 0."""
    texts = body.given
    refuse_left(body.truncation_direction)
    for name in _REFUSED:
        if getattr(body, name) is not None:
            raise RequestError(
                "documents are read as texts, up to what the model reads", fix=f"leave {name} out", param=name
            )
    model = _model(service, body.model)
    service.count_queries(call, [body.query], items=0)
    service.count(call, texts)
    is_tei = body.texts is not None
    truncate = True if not is_tei or body.truncate is None else body.truncate
    filled = np.flatnonzero([bool(text.strip()) for text in texts])
    pairs = [(body.query, texts[place]) for place in filled.tolist()]
    found = await service.score(call, model, pairs, ranks=True, truncate=truncate)
    calibration = model.decision.calibration
    if body.raw_scores:
        own = found.scores
    elif calibration is not None:
        own = calibration.probability(found.scores).astype(np.float32)
    else:
        own = relevance(found.scores, is_cosine=model.encoder is not None)
    scores = np.full(len(texts), own.min() if body.raw_scores else 0, dtype=np.float32)
    scores[filled] = own
    blank = np.setdiff1d(np.arange(len(texts)), filled)
    order = np.append(filled[np.argsort(-found.scores, kind="stable")], blank)[: body.top_n].tolist()
    if is_tei:
        told = [
            {"index": place, "score": float(scores[place])} | ({"text": texts[place]} if body.returns else {})
            for place in order
        ]
        return Reply(told)
    return Reply(_results(model.name, body, order, scores, texts, found.truncated))


def _model(service: Service, name: str | None) -> ServedModel:
    """The named model; by default the first that reads both texts together, otherwise any that compares."""
    joint = [one for one in service.models.values() if one.scorer and not one.encoder]
    if name is None and joint:
        return joint[0]
    return service.model(name, lambda one: one.scorer, "compare texts")


def _results(
    model: str, body: RerankBody, order: list[int], scores: Any, texts: list[str], truncated: int
) -> dict[str, Any]:
    results = [
        {"index": place, "relevance_score": float(scores[place])}
        | ({"document": {"text": texts[place]}} if body.returns else {})
        for place in order
    ]
    told: dict[str, Any] = {"id": os.urandom(8).hex(), "model": model, "results": results}
    if truncated:
        told["meta"] = {"warnings": [f"{truncated:,} texts are longer than {model} reads, and were cut"]}
    return told


ROUTES = (
    Route(method="POST", path="/rerank", body=RerankBody, answer=rerank),
    Route(method="POST", path="/v1/rerank", body=RerankBody, answer=rerank, dialect=Dialect.COHERE),
    Route(method="POST", path="/v2/rerank", body=RerankBody, answer=rerank, dialect=Dialect.COHERE),
)
