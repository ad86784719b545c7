"""Exact match and F1 of answers, by the rules of SQuAD's two official scripts.

Each question first, totals from these; the totals are added up in the scripts' own order, so that they are
equal to the last digit. Sources: Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of
text" (2016), section 6.1; Rajpurkar et al., "Know what you don't know" (2018), section 5.

The two versions differ in three ways. Where an answer or a prediction has no words left, 2.0 asks whether
both have none, while 1.1 gives an F1 of 0. Gold answers without words count as "no answer" in 2.0. A question
without a prediction scores 0 in 1.1 and is left out in 2.0.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError

_Floats = NDArray[np.float64]
_Bools = NDArray[np.bool_]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


class SquadRules(StrEnum):
    """Which official script's rules hold."""

    V1 = "1.1"
    V2 = "2.0"


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """What predictions earn, question by question.

    Attributes:
        question_ids: in the order of the data.
        exact: 1 where a gold answer is matched, else 0. Shape [questions].
        f1: the largest F1 over the gold answers. Shape [questions].
        answerable: the data give an answer. Shape [questions].
        predicted: there is a prediction; without one the question earns 0. Shape [questions].
        abstains: the prediction is the empty text. Shape [questions].
        rules: of which version.
    """

    question_ids: tuple[str, ...]
    exact: _Floats
    f1: _Floats
    answerable: _Bools
    predicted: _Bools
    abstains: _Bools
    rules: SquadRules


def normalised(text: str) -> str:
    """The text in small letters without ASCII punctuation, articles and excess blanks.

    In this order: "The U.S." becomes "us". An article is a whole word by Unicode's word characters.
    """
    bare = _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(bare.split())


def exact_match(prediction: str, gold: str) -> bool:
    """Whether two answers are one after :func:`normalised`."""
    return normalised(prediction) == normalised(gold)


def score_answers(
    gold: Mapping[str, Sequence[str]], predictions: Mapping[str, str], *, rules: SquadRules
) -> SpanScores:
    """Score predictions against the gold answer of each question that fits best.

    Args:
        gold: question id to gold answers; none where the passage doesn't hold the answer.
        predictions: question id to answer; ids that are not in ``gold`` don't count.
        rules: of which version.

    Raises:
        DataError: there are no questions, or by the rules of 1.1 one has no gold answer.
    """
    if not gold:
        raise DataError("there are no questions to score answers to", fix="give other data")
    exact, f1 = np.zeros(len(gold)), np.zeros(len(gold))
    for place, (question, answers) in enumerate(gold.items()):
        if rules is SquadRules.V1 and not answers:
            raise DataError(f"question {question!r} has no answer, and SQuAD 1.1 wants one", fix="add one")
        if question not in predictions:
            continue
        found = normalised(predictions[question])
        wanted = [normalised(answer) for answer in answers]
        if rules is SquadRules.V2:
            wanted = [answer for answer in wanted if answer] or [""]
        words = found.split()
        exact[place] = found in wanted
        f1[place] = max(_word_f1(words, answer.split(), rules) for answer in wanted)
    return SpanScores(
        question_ids=tuple(gold),
        exact=exact,
        f1=f1,
        answerable=np.array([bool(answers) for answers in gold.values()]),
        predicted=np.array([question in predictions for question in gold]),
        abstains=np.array([predictions.get(question) == "" for question in gold]),
        rules=rules,
    )


def at_threshold(scores: SpanScores, no_answer: Mapping[str, float], threshold: float) -> SpanScores:
    """The scores where a high probability of "no answer" replaces the prediction.

    Args:
        scores: of the predictions.
        no_answer: question id to the probability, or to any number that is higher where it is likelier.
        threshold: the highest number with which the prediction still stands.

    Raises:
        DataError: a predicted question has no probability.
    """
    told = _probabilities(scores, no_answer)
    withheld = scores.predicted & (np.nan_to_num(told, nan=-np.inf) > threshold)
    right = (~scores.answerable).astype(np.float64)
    return replace(
        scores,
        exact=np.where(withheld, right, scores.exact),
        f1=np.where(withheld, right, scores.f1),
        abstains=scores.abstains | withheld,
    )


@final
@dataclass(frozen=True, slots=True)
class BestThreshold:
    """The threshold of "no answer" that is best on the labels it is measured on.

    Attributes:
        value: the figure there, in percent.
        threshold: the probability of the last question that is answered; 0 where none is.
    """

    value: float
    threshold: float


def best_threshold(scores: SpanScores, values: _Floats, no_answer: Mapping[str, float]) -> BestThreshold:
    """The first best place on the way from answering nothing to answering all.

    As the script for 2.0: questions are answered by rising probability of "no answer", equal ones in the
    order of ``no_answer``. It stops between equal ones too, where no threshold may reach the value.

    Args:
        scores: of the predictions, before any threshold.
        values: ``scores.exact`` or ``scores.f1``.
        no_answer: question id to the probability of "no answer".

    Raises:
        DataError: a predicted question has no probability.
    """
    _probabilities(scores, no_answer)
    places = {question: place for place, question in enumerate(scores.question_ids)}
    known = [one for one in no_answer if one in places and scores.predicted[places[one]]]
    told = np.array([no_answer[one] for one in known], dtype=np.float64)
    order = np.argsort(told, kind="stable")
    rows = np.array([places[one] for one in known], dtype=np.int64)[order]
    gains = np.where(scores.answerable[rows], values[rows], np.where(scores.abstains[rows], 0.0, -1.0))
    # One sum after the other from the start, as the script adds: another order has other last digits.
    reached = np.cumsum(np.concatenate(([float(np.sum(~scores.answerable))], gains)))
    best = int(np.argmax(reached))
    threshold = float(told[order[best - 1]]) if best else 0.0
    return BestThreshold(100.0 * float(reached[best]) / int(scores.predicted.sum()), threshold)


def official_figures(
    scores: SpanScores, *, no_answer: Mapping[str, float] | None = None, threshold: float = 1.0
) -> dict[str, float]:
    """What the official script prints, by its names, in its order and in percent.

    Of 1.1: ``exact_match`` and ``f1``. Of 2.0: ``exact``, ``f1``, ``total``, the same of the questions with
    and without answer as ``HasAns_`` and ``NoAns_`` where there are such, and with ``no_answer`` the best
    figures of any threshold, which is chosen on the labels that they are measured on. Questions without
    prediction are left out of all figures of 2.0; the script itself says which they are and then fails.

    Args:
        scores: of the predictions.
        no_answer: for 2.0: question id to the probability of "no answer".
        threshold: for 2.0: see :func:`at_threshold`.

    Raises:
        DataError: no question is predicted (2.0), or one has no probability.
    """
    if scores.rules is SquadRules.V1:
        return {"exact_match": _added(scores.exact), "f1": _added(scores.f1)}
    if not scores.predicted.any():
        raise DataError("no question has a prediction", fix="give the predictions for these data")
    decided = scores if no_answer is None else at_threshold(scores, no_answer, threshold)
    found = _part(decided, decided.predicted, "")
    for name, part in (("HasAns_", scores.answerable), ("NoAns_", ~scores.answerable)):
        if (inside := part & decided.predicted).any():
            found |= _part(decided, inside, name)
    if no_answer is not None:
        for name, values in (("exact", scores.exact), ("f1", scores.f1)):
            best = best_threshold(scores, values, no_answer)
            found |= {f"best_{name}": best.value, f"best_{name}_thresh": best.threshold}
    return found


def _part(scores: SpanScores, inside: _Bools, prefix: str) -> dict[str, float]:
    return {
        f"{prefix}exact": _added(scores.exact[inside]),
        f"{prefix}f1": _added(scores.f1[inside]),
        f"{prefix}total": int(inside.sum()),
    }


def _added(values: _Floats) -> float:
    """The mean in percent, added as the scripts do: NumPy's sum has other last digits."""
    return 100.0 * float(np.cumsum(values)[-1]) / len(values)


def _word_f1(found: list[str], wanted: list[str], rules: SquadRules) -> float:
    if rules is SquadRules.V2 and not (found and wanted):
        return float(found == wanted)
    same = sum((Counter(found) & Counter(wanted)).values())
    if not same:
        return 0.0
    precision, recall = same / len(found), same / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _probabilities(scores: SpanScores, no_answer: Mapping[str, float]) -> _Floats:
    """What is told of each question, NaN where nothing is; shape [questions]."""
    told = np.array([no_answer.get(one, np.nan) for one in scores.question_ids], dtype=np.float64)
    lacking = np.flatnonzero(scores.predicted & np.isnan(told))
    if len(lacking):
        raise DataError(
            f"{len(lacking):,} predicted questions have no probability of no answer, the first is "
            f"{scores.question_ids[int(lacking[0])]!r}",
            fix="give one number for each prediction",
        )
    return told
