"""Phrase index routes."""

from typing import Annotated, Any

from pydantic import Field, create_model

from textkin.collection.phrases.search import PhraseHits
from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError
from textkin.server.route import Route, StrictBody, verb_fields
from textkin.server.served_phrases import ServedPhrases
from textkin.server.service import Service
from textkin.verbs.phrases import indexes as verbs

PHRASES_OPTIONS = ("k",)
"""The options of ``phrases.search`` that clients may give; the others name files and models of the server."""

_MOST = 1_000

_FACTS = ("passages", "phrases", "metric", "cells", "probe", "bytes_per_vector", "bytes_per_phrase")


class _Questions(StrictBody):
    """A question, or several."""

    question: Annotated[str, Field(min_length=1)] | None = None
    questions: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    index: str | None = None


PhrasesBody: Any = create_model(
    "PhrasesBody",
    __base__=_Questions,
    __doc__="The body of ``POST /phrases/search``.",
    **verb_fields(verbs.search, PHRASES_OPTIONS, most={"k": _MOST}),
)


async def search(service: Service, body: Any, call: Call) -> Reply:
    """Find the phrases of an index that answer a question, each in its passage, or none."""
    if (body.question is None) == (not body.questions):
        raise RequestError("give question or questions, one of them")
    index = service.phrase_index(body.index)
    questions = list(body.questions) or [body.question or ""]
    service.count_queries(call, questions)
    asked = await index.ask(call, questions, body.k)
    listed = [_told(one) for one in asked.found]
    about = {**about_index(index), "milliseconds": asked.milliseconds}
    return Reply({**about, **(listed[0] if body.question is not None else {"results": listed})})


def about_index(index: ServedPhrases) -> dict[str, Any]:
    """Describe the size of an index, and its search method."""
    facts = index.facts
    return {
        "index": index.name,
        "model": index.model,
        "passport": index.passport,
        **{name: getattr(facts, name) for name in _FACTS},
    }


def _told(found: PhraseHits) -> dict[str, Any]:
    return {
        "is_none": found.is_none,
        "no_answer_score": found.no_answer,
        "recall": [one.sentence() for one in found.recall],
        "hits": [
            {
                "text": one.phrase,
                "score": one.score,
                "passage_id": one.passage_id,
                "start": one.start,
                "end": one.end,
                "passage": one.passage,
            }
            for one in found.hits
        ],
    }


ROUTES = (Route(method="POST", path="/phrases/search", body=PhrasesBody, answer=search),)
