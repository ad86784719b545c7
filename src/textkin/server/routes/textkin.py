"""textkin's own routes: scores with decisions, explanations, answers, and choices."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field, create_model

from textkin.collection.search.options import SearchOptions
from textkin.data.choice_records import ChoiceQuestion, letter_of
from textkin.data.choice_scores import chosen, scores_by
from textkin.data.readers.texts import Texts
from textkin.kinds.explanation import explain
from textkin.models.passports.document import PassportDecision
from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import FilledText, Route, StrictBody, verb_fields
from textkin.server.served_model import ScoredPairs, ServedModel
from textkin.server.service import Service
from textkin.text.baselines.choosers import ScoredChoices
from textkin.verbs.answer import answer as verbs
from textkin.verbs.answer.answers import Answered, answer_questions

ANSWER_OPTIONS = ("k", "most_passages")
"""The options of ``answer`` that clients may give; the others name files and models of the server."""

_MOST = 1_000


class ScoreBody(StrictBody):
    """The body of ``POST /score``; a pair with a blank text has no score, null."""

    pairs: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]
    model: str | None = None
    truncate: bool | None = None


class ExplainBody(StrictBody):
    """The body of ``POST /explain``: two texts, or a query and entries of a collection."""

    a: str | None = None
    b: str | None = None
    query: str | None = None
    ids: tuple[str, ...] = ()
    collection: str | None = None
    model: str | None = None


class _Question(StrictBody):
    """A question, with passages or a collection of them."""

    question: FilledText
    passages: Annotated[tuple[FilledText, ...], Field(min_length=1)] | None = None
    collection: str | None = None
    where: str | None = None
    model: str | None = None


AnswerBody: Any = create_model(
    "AnswerBody",
    __base__=_Question,
    __doc__="The body of ``POST /answer``; a collection is searched for the passages to read.",
    **verb_fields(verbs.answer, ANSWER_OPTIONS, most=dict.fromkeys(ANSWER_OPTIONS, _MOST)),
)


class ExamQuestion(StrictBody):
    """A question with its choices."""

    question: FilledText
    choices: Annotated[tuple[FilledText, ...], Field(min_length=2, max_length=26)]


class ChooseBody(StrictBody):
    """The body of ``POST /choose``."""

    questions: Annotated[tuple[ExamQuestion, ...], Field(min_length=1)]
    model: str | None = None


async def score(service: Service, body: ScoreBody, call: Call) -> Reply:
    """Score pairs, with the probability and the decision of the model's passport; or name their classes."""
    named = body.model is not None  # without a name, classes are not what is asked for
    model = service.model(body.model, lambda one: one.scorer or (named and one.classifier), "compare texts")
    service.count(call, [text for pair in body.pairs for text in pair], items=len(body.pairs))
    filled = [pair for pair in body.pairs if _is_filled(pair)]
    if model.scorer is None:
        found = await service.classify(call, model, filled, truncate=body.truncate)
        decision, told = PassportDecision(), _classes(model, found)
    else:
        found = await service.score(call, model, filled, truncate=body.truncate)
        decision, told = model.decision, _decided(model.decision, found)
    fitted, rest = decision.threshold, iter(told)
    return Reply(
        {
            "model": model.name,
            "passport": model.sha256,
            "pairs": [next(rest) if _is_filled(pair) else {"score": None} for pair in body.pairs],
            "threshold": None if fitted is None else fitted.threshold.value,
            "precision_interval": None if fitted is None else fitted.precision,
            "truncated": found.truncated,
        }
    )


def _is_filled(pair: tuple[str, str]) -> bool:
    """True for two texts that aren't blank; a blank one has no score."""
    return all(map(str.strip, pair))


def _decided(decision: PassportDecision, found: ScoredPairs) -> list[dict[str, Any]]:
    """The score of each pair, its probability, and whether it is the same, as far as they are known."""
    threshold = None if decision.threshold is None else decision.threshold.threshold
    same = None if threshold is None else threshold.decide(found.scores)
    likely = None if decision.calibration is None else decision.calibration.probability(found.scores)
    return [
        {"score": float(one)}
        | ({} if likely is None else {"probability": float(likely[place])})
        | ({} if same is None else {"same": bool(same[place])})
        for place, one in enumerate(found.scores)
    ]


def _classes(model: ServedModel, found: ScoredPairs) -> list[dict[str, Any]]:
    """The likeliest class of each pair; its probability is the score, as in ``textkin.score``."""
    labels = () if model.classifier is None else model.classifier.labels
    return [
        {"score": float(row[best]), "class": labels[best]}
        for row, best in zip(found.scores, found.scores.argmax(axis=1).tolist(), strict=True)
    ]


async def explained(service: Service, body: ExplainBody, call: Call) -> Reply:
    """Explain a score by tokens, for two texts or a query's hits."""
    if body.query is not None and body.ids and body.a is None and body.b is None:
        if body.model is not None:
            raise RequestError(
                "a collection explains hits by its own model", fix="leave model out", param="model"
            )
        collection = service.collection(body.collection)
        service.count_queries(call, [body.query], items=len(body.ids))
        told = await collection.explain(call, body.query, body.ids, "hybrid")
        there = {one["id"] for one in told}
        missing = [one for one in body.ids if one not in there]
        if not told:
            raise RequestError(f"there is no document {missing[0]!r}", trouble=Trouble.NOT_FOUND, param="ids")
        about = {"model": collection.model, "passport": collection.passport}
        return Reply({**about, "explained": told, "missing": missing})
    if body.a is None or body.b is None or body.query is not None or body.ids:
        raise RequestError("there is nothing to explain", fix="give a and b, or query and ids")
    if body.collection is not None:
        raise RequestError("two texts need no collection", fix="leave collection out", param="collection")
    model = service.model(body.model, lambda one: one.scorer, "compare texts")
    service.count(call, [body.a, body.b], items=1)

    def work(items: list[Any]) -> tuple[list[Any]]:
        return ([explain(model.system, a, b) for a, b in items],)

    ((found,),) = await service.compute_all(call, model, work, [(body.a, body.b)])
    return Reply({"model": model.name, "passport": model.sha256, **found.to_dict()})


async def answered(service: Service, body: Any, call: Call) -> Reply:
    """Find the words that answer a question, in passages or in a collection, or none."""
    model = service.model(body.model, lambda one: one.reader, "read answers out of passages")
    service.count_queries(call, [body.question])
    if body.passages is not None:
        for name in ("collection", "where"):
            if getattr(body, name) is not None:
                raise RequestError(
                    f"passages are given, and {name} chooses others", fix=f"leave {name} out", param=name
                )
        ids, texts, odd = tuple(map(str, range(len(body.passages)))), body.passages, []
    else:
        if not body.most_passages:
            raise RequestError(
                "0 reads all passages, and in a collection they are searched for",
                fix=f"give 1 to {_MOST:,}",
                param="most_passages",
            )
        options = SearchOptions(k=body.most_passages, where=body.where)
        found = await service.collection(body.collection).search(call, [body.question], options)
        ids = tuple(hit.entry_id for hit in found.hits[0])
        texts = tuple(hit.text for hit in found.hits[0])
        odd = list(map(str, found.filter_notes))
    if not texts:
        return Reply({**_told(model, None, {}), "filter_notes": odd})
    service.count(call, texts)

    def work(items: list[Any]) -> tuple[list[Any]]:
        told = [
            answer_questions(
                model.reading(), [body.question], one, k=body.k, most_passages=body.most_passages or None
            )
            for one in items
        ]
        return ([one.questions[0] for one in told],)

    ((best,),) = await service.compute_all(call, model, work, [Texts(ids, texts)])
    return Reply({**_told(model, best, dict(zip(ids, texts, strict=True))), "filter_notes": odd})


async def choose(service: Service, body: ChooseBody, call: Call) -> Reply:
    """Choose an answer to each question, by the score of question and choice."""
    model = service.model(body.model, lambda one: one.scorer, "compare texts")
    asked = [
        ChoiceQuestion(str(place), one.question, one.choices) for place, one in enumerate(body.questions)
    ]
    texts = [text for one in body.questions for text in (one.question, *one.choices)]
    service.count(call, texts, items=sum(len(one.choices) for one in body.questions))

    def work(items: list[Any]) -> tuple[Any]:
        return (scores_by(ScoredChoices(model.comparing()), items),)

    (scores,) = await service.compute_all(call, model, work, asked)
    best = chosen(np.asarray(scores))
    return Reply(
        {
            "model": model.name,
            "passport": model.sha256,
            "questions": [
                {
                    "letter": letter_of(int(place)),
                    "choice": one.choices[int(place)],
                    "scores": [float(value) for value in row[: len(one.choices)]],
                }
                for one, place, row in zip(asked, best, scores, strict=True)
            ],
        }
    )


def _told(model: ServedModel, found: Answered | None, texts: dict[str, str]) -> dict[str, Any]:
    """The answers found, with their passages."""
    answers = () if found is None else found.answers
    return {
        "model": model.name,
        "passport": model.sha256,
        "is_none": found is None or found.is_none,
        "no_answer": None if found is None else found.no_answer,
        "threshold": None if found is None else found.threshold,
        "nothing_in_common": found is not None and found.nothing_in_common,
        "answers": [
            {
                "text": one.text,
                "probability": one.probability,
                "score": one.score,
                "passage_id": one.passage_id,
                "start": one.start,
                "end": one.end,
                "passage": texts[one.passage_id],
            }
            for one in answers
        ],
    }


ROUTES = (
    Route(method="POST", path="/score", body=ScoreBody, answer=score),
    Route(method="POST", path="/explain", body=ExplainBody, answer=explained),
    Route(method="POST", path="/answer", body=AnswerBody, answer=answered),
    Route(method="POST", path="/choose", body=ChooseBody, answer=choose),
)
