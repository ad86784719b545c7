"""Ensembles of scorers, classifiers and choosers."""

from collections.abc import Callable, Sequence

import numpy as np

from textkin.base.arrays import Floats, Floats32, Ints
from textkin.base.errors import DataError, UsageError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of, scores_by
from textkin.data.protocols import Chooser, Classifier, Scorer
from textkin.data.records import Run
from textkin.measures.decisions.combination import Combination
from textkin.measures.decisions.conditional_logit import softmax_within
from textkin.models.ensembles.ensemble_folder import Ensemble, SavedEnsemble
from textkin.vectors.index.rank_fusion import fuse


class EnsembleScorer(Ensemble[Scorer]):
    """An ensemble of scorers.

    A pair's score depends only on its two texts, except for combinations that need the question's other
    candidates (``Combination.needs_questions``): those are the distinct second texts with the same first text
    in one call of :meth:`score`. Pass all candidates of a question at once then.

    Args:
        members: the scorers.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The combined score of each pair, any real number. Shape [pairs].

        Raises:
            UsageError: scores depend on the other candidates of a question, and no question has several.
            DataError: a member returns a number that isn't finite.
        """
        given = text_pairs_of(pairs)
        return self.score_within(given, enumerated(a for a, _ in given)[0])

    def score_within(self, pairs: Sequence[tuple[str, str]], questions: Ints) -> Floats32:
        """The combined score of each pair, with the question that it belongs to.

        Args:
            pairs: the pairs.
            questions: the number of each pair's question. Shape [pairs].

        Raises:
            UsageError: as :meth:`score`.
            DataError: as :meth:`score`.
        """
        if not len(pairs):
            return np.empty(0, dtype=np.float32)
        rows, distinct = enumerated(zip(questions.tolist(), pairs, strict=True))
        asked = np.array([question for question, _ in distinct])
        if self.combination.needs_questions and len(np.unique(asked)) == len(distinct):
            raise UsageError(
                f"{self.name} ranks the candidates of one question among each other, and here no text stands "
                "beside two others",
                fix="give several candidates for each first text, or make an ensemble by another rule",
            )
        own, texts = enumerated(pair for _, pair in distinct)
        values = np.stack([score_by(one, texts) for one in self.members], axis=1)[own]
        return self.combination.combine(values, asked)[rows].astype(np.float32)


class EnsembleClassifier(Ensemble[Classifier]):
    """An ensemble of classifiers.

    Args:
        members: classifiers of the same classes, in any order.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        labels: the classes.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.

    Raises:
        UsageError: a member has other classes.
    """

    def __init__(
        self,
        members: Sequence[Classifier],
        combination: Combination,
        *,
        labels: Sequence[str],
        name: str,
        model: SavedEnsemble | None = None,
    ) -> None:
        super().__init__(members, combination, name=name, model=model)
        self.labels = tuple(labels)
        for one in self.members:
            columns_of(one, self.labels)

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The probability of each class, rows sum to 1. Shape [pairs, labels].

        If the combination gives no probabilities, they are the softmax of its scores.

        Raises:
            DataError: a member returns a number that isn't finite.
        """
        given = text_pairs_of(pairs)
        if not given:
            return np.empty((0, len(self.labels)), dtype=np.float32)
        values = np.stack([classify_by(one, given, self.labels).ravel() for one in self.members], axis=1)
        questions = np.repeat(np.arange(len(given)), len(self.labels))
        combined = self.combination.combine(values, questions)
        if not self.combination.is_probability:
            combined = softmax_within(combined, questions)
        return combined.reshape(len(given), -1).astype(np.float32)


def score_by(member: Scorer, pairs: Sequence[tuple[str, str]]) -> Floats:
    """A member's scores of pairs, checked. Shape [pairs].

    Raises:
        DataError: it isn't one finite number per pair.
    """
    found = np.asarray(member.score(pairs), dtype=np.float64)
    return _finite(found, (len(pairs),), member.name)


def classify_by(member: Classifier, pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> Floats:
    """A member's probabilities for pairs, in the order of ``labels``. Shape [pairs, labels].

    Raises:
        UsageError: it has other classes.
        DataError: it isn't one finite number per pair and class.
    """
    found = np.asarray(member.classify(pairs), dtype=np.float64)
    return _finite(found, (len(pairs), len(labels)), member.name)[:, columns_of(member, labels)]


def columns_of(member: Classifier, labels: Sequence[str]) -> list[int]:
    """The column of each of ``labels`` in a member's probabilities, ignoring case.

    Raises:
        UsageError: it has other classes.
    """
    places = {label.casefold(): place for place, label in enumerate(member.labels)}
    if set(places) != set(map(str.casefold, labels)) or len(member.labels) != len(labels):
        raise UsageError(
            f"{member.name} tells the classes {', '.join(member.labels)} apart, another member "
            f"{', '.join(labels)}",
            fix="give members that know the same classes",
        )
    return [places[label.casefold()] for label in labels]


def _finite(found: Floats, shape: tuple[int, ...], name: str) -> Floats:
    if found.shape != shape or not np.isfinite(found).all():
        raise DataError(
            f"{name} gave numbers of shape {found.shape}, expected {shape} finite ones", fix="leave it out"
        )
    return found


def rank_together(scorer: Scorer, rank: Callable[[Scorer], Run], *, depth: int) -> Run:
    """A scorer's ranking of a corpus; for an ensemble, the combined ranking of its members.

    Args:
        scorer: any scorer that ranks a corpus, or a (nested) ensemble of such.
        rank: ranks the corpus with a scorer that isn't an ensemble.
        depth: the number of documents used from each member, and kept.

    Raises:
        UsageError: a member can't rank a corpus.
    """
    if not isinstance(scorer, EnsembleScorer):
        return rank(scorer)
    runs = [rank_together(one, rank, depth=depth) for one in scorer.members]
    return fuse(runs, scorer.combination, depth=depth, name=scorer.name)


class EnsembleChooser(Ensemble[Chooser | Scorer]):
    """An ensemble of choosers; ranks and probabilities are within a question's choices.

    Args:
        members: choosers, or scorers, which score each question with each of its choices.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The combined score of each choice, NaN without one. Shape [questions, choices].

        Raises:
            UsageError: a chooser doesn't return a row of numbers for each question.
            DataError: a scorer returns a number that isn't finite.
        """
        if not len(questions):
            return np.empty((0, 0), dtype=np.float32)
        values = np.stack([flat_scores(one, questions) for one in self.members], axis=1)
        return rows_of(self.combination.combine(values, numbers_of(questions)), questions)


def flat_scores(member: Chooser | Scorer, questions: Sequence[ChoiceQuestion]) -> Floats:
    """The score of each choice, question by question. Shape [choices of all].

    Raises:
        UsageError: a chooser doesn't return a row of numbers for each question.
        DataError: a scorer returns a number that isn't finite.
    """
    if isinstance(member, Chooser):
        found = scores_by(member, questions).astype(np.float64)
        return np.asarray(found[~np.isnan(found)])
    return score_by(member, [(one.question, choice) for one in questions for choice in one.choices])


def numbers_of(questions: Sequence[ChoiceQuestion]) -> Ints:
    """The number of each choice's question. Shape [choices of all]."""
    return np.repeat(np.arange(len(questions)), [len(one.choices) for one in questions])
