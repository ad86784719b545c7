"""The dev figure that chooses the epoch, for every kind of data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import TrainingError
from textkin.data.choice_records import ChoiceSet
from textkin.data.choice_scores import answers_of, chosen, rows_of
from textkin.data.ranking import qrels_of, run_of
from textkin.data.records import CandidateSet, LabelKind, PairSet, RetrievalSet, Suite
from textkin.data.span_records import SpanSet
from textkin.kinds.first_stage import FirstStage
from textkin.kinds.pair_figures import main_figure, test_set
from textkin.kinds.suite_figures import Part, name_of_figure, suite_figures
from textkin.measures.metrics.measure_names import parse
from textkin.measures.metrics.ranked import evaluate
from textkin.measures.metrics.spans import SquadRules, score_answers
from textkin.vectors.index.corpus_ranking import rank_corpus

if TYPE_CHECKING:
    from textkin.networks.architectures.table import Network
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev


def dev_of_pairs(data: PairSet, pipeline: TextPipeline) -> Dev:
    """Accuracy on classes, AP or Spearman on other pairs.

    Raises:
        TrainingError: no epoch could be chosen by these data.
    """
    labels = data.labels
    if len(np.unique(labels)) < 2:
        raise TrainingError(
            f"dev ({data.name or 'the dev file'}) has one kind of label only: no epoch could be chosen by it",
            fix="give dev pairs of every kind",
        )
    if data.kind is LabelKind.CLASSES:
        return _dev(
            "accuracy", data.texts, pipeline, lambda out: float((out.argmax(axis=1) == labels).mean())
        )
    judged = test_set(data)
    return _dev(judged.main, data.texts, pipeline, lambda out: main_figure(judged, as_score(out)))


def dev_of_candidates(data: CandidateSet, pipeline: TextPipeline) -> Dev:
    """MAP, the mean AP of the queries.

    Raises:
        TrainingError: no epoch could be chosen by these data.
    """
    measure = parse("MAP")
    if not any(len({label > 0 for label in one.labels}) > 1 for one in data):
        raise TrainingError(
            f"dev ({data.name or 'the dev file'}) has no query with right and wrong candidates: "
            "no epoch could be chosen by it",
            fix="give other dev data",
        )
    qrels = qrels_of(data)

    def figure(outputs: Floats) -> float:
        return evaluate(run_of(data, as_score(outputs)), qrels, [measure]).figure(measure)

    return _dev(str(measure), data.texts, pipeline, figure)


def dev_of_choices(data: ChoiceSet, pipeline: TextPipeline) -> Dev:
    """The proportion of questions whose right choice scores highest; of equal choices the first counts."""
    right = answers_of(data)

    def figure(outputs: Floats) -> float:
        return float((chosen(rows_of(as_score(outputs), data.questions)) == right).mean())

    return _dev("accuracy", data.texts, pipeline, figure)


def dev_of_corpus(data: RetrievalSet, pipeline: TextPipeline) -> Dev:
    """nDCG@10 of searching the corpus.

    An encoder searches itself; any other network ranks the 100 documents that BM25 finds for each query.

    Raises:
        TrainingError: no query has a relevant document.
    """
    from textkin.models.inference.scorers import NeuralEncoder
    from textkin.networks.architectures.tower import Tower
    from textkin.training.loop import Dev

    measure = parse("nDCG@10")
    if not (data.qrels.relevance > 0).any():
        raise TrainingError(
            f"dev ({data.name}) has no relevant document: no epoch could be chosen by it",
            fix="give other judgements",
        )

    @cache
    def first_stage() -> tuple[FirstStage, Callable[[Network], Floats]]:
        found = FirstStage.of(data)
        return found, _outputs_of(found.texts, pipeline)

    def score(network: Network) -> float:
        if isinstance(network, Tower):
            run = rank_corpus(NeuralEncoder(network, pipeline, name="dev"), data, depth=10)
        else:
            first, outputs = first_stage()
            run = first.reranked(as_score(outputs(network)))
        return evaluate(run, data.qrels, [measure]).figure(measure)

    return Dev(str(measure), score)


def _dev(
    measure: str,
    texts: Sequence[tuple[str, str]],
    pipeline: TextPipeline,
    figure: Callable[[Floats], float],
) -> Dev:
    """A figure of a network's outputs [pairs, outputs] for pairs of texts."""
    from textkin.training.loop import Dev

    outputs = _outputs_of(texts, pipeline)
    return Dev(measure, lambda network: figure(outputs(network)))


def _outputs_of(texts: Sequence[tuple[str, str]], pipeline: TextPipeline) -> Callable[[Network], Floats]:
    """What a network gives for these pairs, shape [pairs, outputs]; the texts are read once."""
    from textkin.models.inference.engine import compare_ids
    from textkin.networks.architectures.span_network import SpanNetwork

    unique = list(dict.fromkeys(text for pair in texts for text in pair))
    ids = dict(zip(unique, pipeline.ids(unique), strict=True))
    a, b = [ids[one] for one, _ in texts], [ids[other] for _, other in texts]

    def outputs(network: Network) -> Floats:
        assert not isinstance(network, SpanNetwork)  # noqa: S101 - objectives over pairs refuse it
        return compare_ids(network, a, b, pad_id=pipeline.pad_id).astype(np.float64)

    return outputs


def dev_of_spans(data: SpanSet, pipeline: TextPipeline) -> Dev:
    """The mean F1 of SQuAD over questions; where a passage holds no answer, by the rules of version 2.0.

    Raises:
        TrainingError: there are no questions.
    """
    from textkin.models.inference.span_readers import NeuralReader
    from textkin.networks.architectures.span_network import SpanNetwork
    from textkin.training.loop import Dev

    if not len(data):
        raise TrainingError("dev has no questions: no epoch could be chosen by it", fix="give other dev data")
    questions, passages = zip(*data.texts, strict=True)
    gold = {one.question_id: [answer.text for answer in one.answers] for one in data}
    rules = SquadRules.V1 if all(gold.values()) else SquadRules.V2

    def score(network: Network) -> float:
        assert isinstance(network, SpanNetwork)  # noqa: S101 - objectives over spans refuse all others
        found = NeuralReader(network, pipeline, name="dev").read(questions, passages)
        texts = {one: best[0].text if best else "" for one, best in zip(gold, found, strict=True)}
        return float(score_answers(gold, texts, rules=rules).f1.mean())

    return Dev("F1", score)


def dev_of_suite(suite: Suite, pipeline: TextPipeline, *, choose_by: Part) -> Dev:
    """The main figures of pairs, of duplicate search and of retrieval; one of them chooses the epoch.

    They are those of ``textkin compare``: an encoder, which adds what is unknown by its spelling.
    """
    from textkin.models.inference.scorers import NeuralEncoder
    from textkin.networks.architectures.tower import Tower
    from textkin.training.loop import Dev

    def figures(network: Network) -> dict[str, float]:
        assert isinstance(network, Tower)  # noqa: S101 - train() has seen to it
        return suite_figures(NeuralEncoder(network, pipeline, name="dev"), suite)

    return Dev(name_of_figure(choose_by), figures)


def as_score(outputs: Floats) -> Floats:
    """One number per pair from a network's outputs: the score, or the log-odds of the second class of two."""
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]
