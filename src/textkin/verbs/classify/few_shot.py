"""N-way K-shot accuracy: a text among N classes that are known by K examples each.

An episode draws N classes and K examples of each, and a further text of one of them, which gets the class of
its nearest example. That is how Siamese networks are tested (Koch, Zemel and Salakhutdinov 2015, "Siamese
neural networks for one-shot image recognition", section 4.2; Vinyals et al. 2016, section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Floats32, Ints
from textkin.base.counts import count
from textkin.base.errors import DataError, UsageError, inapplicable, not_finite
from textkin.base.results import Result, ResultRow, with_interval
from textkin.base.text_equality import keys_of
from textkin.base.text_table import text_table
from textkin.data.protocols import Scorer
from textkin.data.readers.labelled_texts import LabelledTexts
from textkin.kinds.systems import AnyModel
from textkin.measures.intervals.sampling import check_draws
from textkin.report.content import Estimate
from textkin.report.figure_words import full
from textkin.verbs.classify.classified import ClassifyOptions, label_accuracy
from textkin.verbs.classify.nearest_examples import space_of

MOST_ROUNDS = 100_000
MOST_SCORES = 20_000_000
"""So many examples are drawn in all episodes together, at most."""

CHANCE = "(chance)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FewShotOptions:
    """Options of episodes.

    Attributes:
        ways: classes of an episode.
        shots: examples of each class.
        rounds: episodes.
        seed: seed of the random draw.

    """

    ways: int = 20
    shots: int = 1
    rounds: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        check_draws("rounds", self.rounds, most=MOST_ROUNDS)
        if self.rounds * self.ways * self.shots > MOST_SCORES:
            raise UsageError(
                f"{self.rounds:,} `rounds` of {self.ways:,} `ways` and {self.shots:,} `shots` draw more than "
                f"{MOST_SCORES:,} examples",
                fix="give smaller numbers",
                params=("rounds", "ways", "shots"),
            )


@dataclass(frozen=True, slots=True, eq=False)
class Episodes:
    """The episodes that were drawn.

    Attributes:
        queries: the number of the query text. Shape [rounds].
        examples: the numbers of the examples, those of one class side by side. Shape [rounds, ways * shots].
        answers: the right class among the ways. Shape [rounds].
    """

    queries: Ints
    examples: Ints
    answers: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FewShot(Result):
    """Few-shot accuracy of the nearest example.

    Attributes:
        data: the name of the texts.
        options: options of the episodes.
        classes: that have enough texts to be drawn.
        small: classes with fewer than ``shots + 1`` texts, which are left out.
        repeated: texts left out as their class has them before, but for case and punctuation.
        accuracy: accuracy of the model, baselines and chance; intervals are over classes of the queries.

    Example:
        >>> import textkin as tk
        >>> texts = [(f"{thing} {verb}", thing) for thing in ("cats", "dogs") for verb in ("sleep", "eat")]
        >>> tk.classify(texts, ways=2, rounds=50).classes
        2
    """

    data: str
    options: FewShotOptions
    classes: int
    small: int
    repeated: int
    accuracy: tuple[tuple[str, Estimate], ...]

    def _rows(self) -> Iterator[ResultRow]:
        for name, figure in self.accuracy:
            yield {"system": name, **with_interval("accuracy", figure)}

    def _said(self) -> tuple[str, ...]:
        return tuple(episodes_in_words(self))

    def text(self) -> str:
        """The accuracies with their intervals, and the episodes."""
        table = text_table(("system", "accuracy"), [(name, full(figure)) for name, figure in self.accuracy])
        return "\n".join([table, "", *episodes_in_words(self)])

    def as_dict(self) -> dict[str, Any]:
        """The accuracies and the episodes."""
        return asdict(self)


def few_shot(
    model: AnyModel,
    data: LabelledTexts,
    *,
    options: FewShotOptions | None = None,
    how: ClassifyOptions | None = None,
) -> FewShot:
    """Measure N-way K-shot accuracy beside baselines, all on the same episodes.

    Args:
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        data: texts with labels, the classes.
        options: options of the episodes.
        how: the baselines and their sources; a threshold doesn't apply.

    Raises:
        UsageError: there is no such model, or a threshold is given.
        DataError: there are too few classes with enough texts, or scores are not finite.
        ModelError: the model can't be read.
    """
    options, how = options or FewShotOptions(), how or ClassifyOptions()
    if how.threshold is not None:
        raise inapplicable("threshold", to="episodes: every query has a class")
    groups, repeated = _classes(data)
    usable = {label: places for label, places in groups.items() if len(places) > options.shots}
    if len(usable) < options.ways:
        raise DataError(
            f"{data.name}: {len(usable):,} of {len(groups):,} classes have {options.shots + 1} texts or "
            f"more, and {options.ways} are needed",
            fix="give fewer ways or shots, or more texts",
        )
    drawn = draw_episodes(list(usable.values()), options)
    fit_texts = how.fit_texts(data.texts)
    rows: dict[str, Estimate] = {}
    clusters = [data.labels[place] for place in drawn.queries.tolist()]
    for name in (model, *how.baselines):
        scorer = how.scorer(name, fit_texts)
        if scorer.name not in rows:
            scores = _scores(scorer, data.texts, drawn)
            right = scores.argmax(axis=1) // options.shots == drawn.answers
            rows[scorer.name] = label_accuracy(right.tolist(), clusters)
    rows[CHANCE] = Estimate(1 / options.ways)
    return FewShot(data.name, options, len(usable), len(groups) - len(usable), repeated, tuple(rows.items()))


def episodes_in_words(found: FewShot) -> Iterator[str]:
    """Measured figures and excluded texts, one per line."""
    asked = found.options
    drawn = f"{count(asked.rounds, 'episode')} from {found.classes:,} classes, seed {asked.seed}"
    yield (
        f"{found.data}: {asked.ways}-way {asked.shots}-shot accuracy in {drawn}; intervals are over classes"
    )
    if found.small:
        yield f"left out: classes with fewer than {asked.shots + 1} texts, {found.small:,}"
    if found.repeated:
        yield f"left out: texts that their class has before, {found.repeated:,}"


def draw_episodes(classes: Sequence[Sequence[int]], options: FewShotOptions) -> Episodes:
    """Draw the episodes; no text is both query and example in an episode.

    Args:
        classes: the numbers of the texts of each, at least ``shots + 1``; at least as many classes as ways.
        options: the sizes of the episodes.
    """
    rng = np.random.default_rng(options.seed)
    rounds, ways, shots = options.rounds, options.ways, options.shots
    queries, answers = (np.empty(rounds, dtype=np.int64) for _ in range(2))
    examples = np.empty((rounds, ways, shots), dtype=np.int64)
    for episode in range(rounds):
        answers[episode] = rng.integers(ways)
        for way, one in enumerate(rng.choice(len(classes), ways, replace=False).tolist()):
            asked = way == answers[episode]
            texts = rng.choice(classes[one], shots + asked, replace=False)
            examples[episode, way] = texts[:shots]
            if asked:
                queries[episode] = texts[shots]
    return Episodes(queries, examples.reshape(rounds, -1), answers)


def _classes(data: LabelledTexts) -> tuple[dict[str, list[int]], int]:
    """The numbers of the distinct texts of each class, and of repeated ones."""
    keys = keys_of(data.texts)
    found: dict[str, dict[str, int]] = {}
    for place, (text, label) in enumerate(zip(data.texts, data.labels, strict=True)):
        found.setdefault(label, {}).setdefault(keys[text], place)
    groups = {label: list(places.values()) for label, places in found.items()}
    return groups, len(data) - sum(map(len, groups.values()))


def _scores(scorer: Scorer, texts: Sequence[str], drawn: Episodes) -> Floats32:
    """Scores of each query against its examples. Shape [rounds, examples]."""
    queries = np.repeat(drawn.queries, drawn.examples.shape[1])
    examples = drawn.examples.ravel()
    space = space_of(scorer, texts, texts)
    if space is not None:
        found = space.scores(queries, examples)
    else:
        asked, number = np.unique(np.stack((queries, examples)), axis=1, return_inverse=True)
        pairs = [(texts[one], texts[other]) for one, other in asked.T.tolist()]
        found = scorer.score(pairs)[number.ravel()]
    if not np.isfinite(found).all():
        raise not_finite(scorer.name)
    return found.reshape(drawn.examples.shape)
