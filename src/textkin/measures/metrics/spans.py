"""Exact match and F1 of answers, by the rules of SQuAD's two official scripts.

Questions are scored first, then totals are summed in the order of the scripts, so that all digits agree.
Sources: Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text" (2016), section 6.1;
Rajpurkar et al., "Know what you don't know" (2018), section 5.

The two versions differ in three ways. If an answer or a prediction has no words left, 2.0 checks whether both
have none, while 1.1 gives an F1 of 0. Gold answers without words count as "no answer" in 2.0. A question
without a prediction scores 0 in 1.1 and is skipped in 2.0.
"""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from textkin.base.arrays import Bools, Floats
from textkin.base.errors import DataError

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


class SquadRules(StrEnum):
    """Official script whose rules apply."""

    V1 = "1.1"
    V2 = "2.0"


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """The scores of predictions, question by question.

    Attributes:
        question_ids: ids in the order of the data.
        exact: 1 if the prediction matches a gold answer, else 0. Shape [questions].
        f1: the largest F1 over the gold answers. Shape [questions].
        answerable: True if the data give an answer. Shape [questions].
        predicted: True if there is a prediction; without one the question scores 0. Shape [questions].
        abstains: True if the prediction is the empty text. Shape [questions].
        rules: version of the rules.
    """

    question_ids: tuple[str, ...]
    exact: Floats
    f1: Floats
    answerable: Bools
    predicted: Bools
    abstains: Bools
    rules: SquadRules


def normalised(text: str) -> str:
    """The text in lower case without ASCII punctuation, articles and extra whitespace.

    The steps run in this order: "The U.S." becomes "us". An article is a whole word by Unicode's word
    characters.
    """
    bare = _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(bare.split())


def score_answers(
    gold: Mapping[str, Sequence[str]], predictions: Mapping[str, str], *, rules: SquadRules
) -> SpanScores:
    """Score predictions against the best-matching gold answer of each question.

    Args:
        gold: gold answers by question id; none if the passage doesn't contain the answer.
        predictions: answer by question id; ids that are not in ``gold`` don't count.
        rules: version of the rules.

    Raises:
        DataError: there are no questions, or a question has no gold answer (1.1).
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
    """The scores after a high probability of "no answer" replaces the prediction.

    Args:
        scores: scores of the predictions.
        no_answer: probability by question id, or any number that increases with it.
        threshold: the highest number at which the prediction is kept.

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


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """The best "no answer" threshold on the labels that it is evaluated on.

    Attributes:
        value: the metric at the threshold, in percent.
        threshold: the probability of the last answered question; 0 if none is answered.
    """

    value: float
    threshold: float


def best_threshold(scores: SpanScores, values: Floats, no_answer: Mapping[str, float]) -> BestThreshold:
    """The first best point on the way from answering no question to answering all.

    As in the script for 2.0, questions are answered by increasing probability of "no answer", ties in the
    order of ``no_answer``. The best point may lie between ties, where no threshold may reach the value.

    Args:
        scores: scores of the predictions, before any threshold.
        values: ``scores.exact`` or ``scores.f1``.
        no_answer: probability of "no answer" by question id.

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
    # Sums one by one from the start, like the script: another order changes the last digits.
    reached = np.cumsum(np.concatenate(([float(np.sum(~scores.answerable))], gains)))
    best = int(np.argmax(reached))
    threshold = float(told[order[best - 1]]) if best else 0.0
    return BestThreshold(100.0 * float(reached[best]) / int(scores.predicted.sum()), threshold)


def official_figures(
    scores: SpanScores, *, no_answer: Mapping[str, float] | None = None, threshold: float = 1.0
) -> dict[str, float]:
    """The output of the official script, with its names and order, in percent.

    For 1.1: ``exact_match`` and ``f1``. For 2.0: ``exact``, ``f1``, ``total``, the same for questions with
    and without answer as ``HasAns_`` and ``NoAns_`` if there are any, and with ``no_answer`` the best metrics
    over all thresholds, which are chosen on the labels that they are evaluated on. Metrics of 2.0 skip
    questions without prediction; the script itself lists them and then fails.

    Args:
        scores: scores of the predictions.
        no_answer: for 2.0: probability of "no answer" by question id.
        threshold: for 2.0: see :func:`at_threshold`.

    Raises:
        DataError: no question has a prediction (2.0), or one has no probability.
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


def _part(scores: SpanScores, inside: Bools, prefix: str) -> dict[str, float]:
    return {
        f"{prefix}exact": _added(scores.exact[inside]),
        f"{prefix}f1": _added(scores.f1[inside]),
        f"{prefix}total": int(inside.sum()),
    }


def _added(values: Floats) -> float:
    """The mean in percent, summed like the scripts do: NumPy's sum has other last digits."""
    return 100.0 * float(np.cumsum(values)[-1]) / len(values)


def _word_f1(found: list[str], wanted: list[str], rules: SquadRules) -> float:
    if rules is SquadRules.V2 and not (found and wanted):
        return float(found == wanted)
    same = sum((Counter(found) & Counter(wanted)).values())
    if not same:
        return 0.0
    precision, recall = same / len(found), same / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _probabilities(scores: SpanScores, no_answer: Mapping[str, float]) -> Floats:
    """The probability of each question, NaN if unknown; shape [questions]."""
    told = np.array([no_answer.get(one, np.nan) for one in scores.question_ids], dtype=np.float64)
    lacking = np.flatnonzero(scores.predicted & np.isnan(told))
    if len(lacking):
        raise DataError(
            f"{len(lacking):,} predicted questions have no probability of no answer, the first is "
            f"{scores.question_ids[int(lacking[0])]!r}",
            fix="give one number for each prediction",
        )
    return told
