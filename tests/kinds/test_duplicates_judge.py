from __future__ import annotations

from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sentence_transformers.sentence_transformer.evaluation import ParaphraseMiningEvaluator

from tests.reference.mining import walked
from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import Side
from textkin.data.records import DuplicateSet
from textkin.kinds.duplicates_judge import Gold, MiningJudge
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.binary_pairs import average_precision_by_weight
from textkin.text.baselines import build
from textkin.vectors.index.exact_search import mine_pairs

pytestmark = pytest.mark.torch

SAMPLING = Sampling(60, 60)


class Drawn:
    """An encoder with random vectors, close together for texts with the same beginning."""

    name = "drawn"
    dim = 6

    def __init__(self, noise: float, *, seed: int = 0) -> None:
        self.noise, self.seed = noise, seed

    def encode(self, texts: list[str], *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        rows = []
        for text in texts:
            topic, number = map(int, text.split("-"))
            own = np.random.default_rng([self.seed, topic, number]).normal(size=self.dim)
            rows.append(np.random.default_rng(topic).normal(size=self.dim) + self.noise * own)
        return np.array(rows, dtype=np.float32).reshape(-1, self.dim)

    def score(self, pairs: list[tuple[str, str]]) -> NDArray[np.float32]:
        raise NotImplementedError


def duplicates(topics: int = 30, *, start: int = 0) -> DuplicateSet:
    """Every third topic has three texts, the others one or two."""
    sizes = {topic: (3, 1, 2)[topic % 3] for topic in range(start, start + topics)}
    texts = {
        f"{topic}:{number}": f"{topic}-{number}" for topic, size in sizes.items() for number in range(size)
    }
    pairs = [
        pair
        for topic, size in sizes.items()
        for pair in combinations([f"{topic}:{n}" for n in range(size)], 2)
    ]
    return DuplicateSet(texts, tuple(pairs), "drawn")


@pytest.mark.parametrize("depth", [3, 100])
def test_equals_sentence_transformers(depth: int) -> None:
    data, encoder = duplicates(), Drawn(0.6)
    theirs = ParaphraseMiningEvaluator(dict(data.texts), list(data.pairs), top_k=depth, write_csv=False)
    model = SimpleNamespace(
        encode=lambda texts, **_: torch.from_numpy(encoder.encode(texts)),
        model_card_data=SimpleNamespace(set_evaluation_metrics=lambda *_: None),
        similarity_fn_name="cosine",
    )
    expected = theirs(model)
    mined = mine_pairs(encoder, list(data.texts.values()), depth=depth)
    judged = Gold(data).judged(mined)
    judge = MiningJudge(data, sampling=SAMPLING)
    judge.take_mined("drawn", [mined])
    assert judge.value("drawn") == pytest.approx(expected["average_precision"])
    fitted = fit_threshold(judged.labels, judged.scores, Goal.parse("f1"))
    for key, value in (("f1", fitted.f1), ("precision", fitted.precision), ("recall", fitted.recall)):
        assert value == pytest.approx(expected[key])
    assert fitted.value == pytest.approx(expected["threshold"], abs=1e-6)


def test_pairs_are_mined_once_best_first() -> None:
    texts = list(duplicates().texts.values())
    vectors = Drawn(0.6).encode(texts)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    near = [
        {int(one) for one in np.argsort(-row, kind="stable")[:5] if one != place}
        for place, row in enumerate(cosines)
    ]
    expected = {(min(a, b), max(a, b)) for a, others in enumerate(near) for b in others}
    found = mine_pairs(Drawn(0.6), texts, depth=4)
    pairs = list(zip(found.a.tolist(), found.b.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    assert found.score.tolist() == sorted(found.score.tolist(), reverse=True)
    assert found.score == pytest.approx([cosines[pair] for pair in pairs])
    few = mine_pairs(Drawn(0.6), texts, depth=4, most=7)
    assert (few.a.tolist(), few.b.tolist()) == (found.a[:7].tolist(), found.b[:7].tolist())


def test_of_two_directions_the_higher_score_counts() -> None:
    texts = ["red box", "red box box cat", "cat dog", "egg"]
    bm25 = build("bm25", fit_texts=texts)
    found = mine_pairs(bm25, texts)
    both = np.stack([bm25.score([(texts[a], texts[b]), (texts[b], texts[a])]) for a, b in [(0, 1), (1, 2)]])
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert found.score == pytest.approx(both.max(axis=1))


def test_a_resample_counts_copies_of_groups() -> None:
    gold = Gold(duplicates(9))
    judged = gold.judged(mine_pairs(Drawn(0.6), list(gold.data.texts.values()), depth=4))
    counts = np.random.default_rng(0).integers(0, 3, (gold.groups, 2)).astype(float)
    weights = judged.weights(counts)
    for draw in range(2):
        scores, same, all_gold = [], [], 0
        for label, score, a, b in zip(*(getattr(judged, one) for one in judged.__slots__), strict=True):
            copies = counts[a, draw] if a == b else counts[a, draw] * counts[b, draw]
            all_gold += int(copies * label)
            if np.isfinite(score):
                scores += [score] * int(copies)
                same += [label == 1] * int(copies)
        figure = average_precision_by_weight(judged.labels, judged.scores)(weights)
        assert figure[draw] == pytest.approx(walked(scores, same, all_gold)[0])


def test_seeds_thresholds_and_differences(tmp_path: Path) -> None:
    dev, data = duplicates(15, start=90), duplicates()
    judge = MiningJudge(data, sampling=SAMPLING, dev=dev)
    judge.take("good", Drawn(0.4), Drawn(0.4, seed=1))
    judge.take("bad", Drawn(3.0))
    assert judge.value("good") == pytest.approx(np.mean(judge.by_seed("good")))
    figures = judge.figures("good")
    assert list(figures) == ["AP", "F1", "precision", "recall"]
    assert all(one.low <= one.value <= one.high for one in figures.values())
    threshold = MiningJudge(data, sampling=SAMPLING, dev=dev)
    threshold.take("good", Drawn(0.4))
    on_dev = Gold(dev).judged(mine_pairs(Drawn(0.4), list(dev.texts.values())))
    fitted = fit_threshold(on_dev.labels, on_dev.scores, Goal.parse("f1")).value
    judged = judge.gold.judged(mine_pairs(Drawn(0.4), list(data.texts.values())))
    taken = judged.scores >= fitted
    assert threshold.figures("good")["recall"].value == pytest.approx(taken[judged.labels == 1].mean())
    assert threshold.figures("good")["precision"].value == pytest.approx(judged.labels[taken].mean())
    gain = judge.difference("good", "bad")
    assert gain.value == pytest.approx(judge.value("good") - judge.value("bad"))
    assert gain.low > 0
    assert gain.p == pytest.approx(1 / 61)
    assert judge.difference("good", "good").p == 1.0
    judge.write(tmp_path)
    again = MiningJudge(data, sampling=SAMPLING, dev=dev)
    again.read(tmp_path, ["good", "bad"])
    assert again.table("bad", trained=["good"]) == judge.table("bad", trained=["good"])
    with pytest.raises(DataError) as error:
        again.read(tmp_path, ["other"])
    assert str(error.value.path).endswith("thresholds.json")
    (tmp_path / "thresholds.json").unlink()
    with pytest.raises(DataError) as error:
        again.read(tmp_path, ["other"])
    assert error.value.path == tmp_path


def test_what_can_not_be_measured() -> None:
    judge = MiningJudge(duplicates(6), sampling=SAMPLING)
    with pytest.raises(UsageError) as error:
        judge.take("constant", build("constant", fit_texts=[]))
    assert error.value.params == ("model",)
    with pytest.raises(DataError, match="no duplicates to find"):
        Gold(DuplicateSet({"1": "a"}, ()))
