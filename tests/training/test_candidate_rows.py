"""Objectives over queries with candidates, and those of matchers."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from tests.training.making import pairs, recipe
from tests.training.rows import Product
from textkin.base.errors import ConfigError, TrainingError
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.data.splits.components import gold_components
from textkin.networks.losses.table import LOSSES
from textkin.networks.recipes.recipe import ObjectiveConfig
from textkin.training.assemble import assemble
from textkin.training.objectives import build_objective
from textkin.training.pair_data import training_data
from textkin.verbs.train.material import rows_of

pytestmark = pytest.mark.torch


def query(number, labels):
    docs = tuple(f"answer {number} {'very ' * place}long" for place in range(len(labels)))
    names = tuple(f"d{place}" for place in range(len(labels)))
    return Candidates(f"q{number}", f"question {number}", names, docs, tuple(labels))


CANDIDATES = CandidateSet(
    (query(1, [1, 0, 0]), query(2, [0, 1, 1, 0, 0]), query(3, [1, 1]), query(4, [0, 0]), query(5, [2, 1, 0])),
    name="five questions",
)


def objective(rows, loss, *, model=None, data=CANDIDATES, seed=0, taught=True, **options):
    material = rows_of(data)
    scores = np.linspace(-3, 3, len(material.pairs), dtype=np.float32) if taught else None
    texts = list(dict.fromkeys(text for pair in material.pairs.texts for text in pair))
    made = assemble(recipe(), texts, seed=0)
    rows_in_ids = training_data(
        replace(material, scores=scores),
        pipeline=made.pipeline,
        components=gold_components(material.pairs),
    )
    config = ObjectiveConfig(loss=loss, rows=rows, **options)
    model = made.module if model == "tower" else model or Product()
    return build_objective(config, rows_in_ids, model=model, seed=seed), model


def drawn(found, model, epoch=0):
    """Every (query, relevant, others) of an epoch by rows of the data."""
    for part in found.batches(epoch, model):
        ends = part.batch.offsets.tolist()
        for start, end in pairwise(ends):
            yield part.rows[start], tuple(part.rows[start + 1 : end])


def test_relevant_candidates_meet_less_relevant_ones_of_their_query_and_anew():
    found, model = objective("candidate-pairs", "rank-hinge", negatives_each=3, batch_size=2)
    first, again, second = (list(drawn(found, model, epoch)) for epoch in (0, 0, 1))
    assert first == again != second
    assert sorted(row for row, _ in first) == [0, 4, 5, 12, 13]
    data = found.data
    for row, others in first + second:
        assert len(others) == 3
        for other in others:
            assert data.query[other] == data.query[row]
            assert data.labels[other] < data.labels[row]
    assert found.steps == 3
    other_seed, _ = objective("candidate-pairs", "rank-hinge", negatives_each=3, batch_size=2, seed=5)
    assert list(drawn(other_seed, model)) != first


def test_all_pairs_of_relevant_and_less_relevant_candidates():
    found, model = objective("all-candidate-pairs", "rank-hinge", batch_size=4, repeats=2)
    labels, query = found.data.labels, found.data.query
    expected = [
        (i, (j,)) for i in range(15) for j in range(15) if query[i] == query[j] and labels[i] > labels[j]
    ]
    assert sorted(drawn(found, model)) == sorted(expected * 2)
    assert found.steps == -(-2 * len(expected) // 4)


@pytest.mark.parametrize("kind", ["matcher", "tower"])
def test_the_hinge_is_over_the_scores_of_the_right_texts(kind):
    found, model = objective(
        "candidate-pairs", "rank-hinge", model="tower" if kind == "tower" else None, negatives_each=2
    )
    (part,) = found.batches(0, model)
    data = found.data

    def score(row):
        a, b = data.batch(data.a[[row]]), data.batch(data.b[[row]])
        return model(a, b)[0, 0] if kind == "matcher" else model(a)[0] @ model(b)[0]

    rows = part.rows.reshape(-1, 3)
    each = [torch.relu(1 - score(row[0]) + (score(row[1]) + score(row[2])) / 2) for row in rows]
    torch.testing.assert_close(found.loss(model, part.batch), torch.stack(each).mean())


@pytest.mark.parametrize("kind", ["matcher", "tower"])
def test_lists_hold_whole_queries_that_have_an_answer(kind):
    found, model = objective(
        "lists", "listwise-softmax", batch_size=6, model="tower" if kind == "tower" else None
    )
    parts = list(found.batches(0, model))
    rows = np.concatenate([part.rows for part in parts])
    assert sorted(rows) == [*range(10), 12, 13, 14]  # question 4 has no answer
    assert all(len(part.rows) <= 6 for part in parts)
    assert found.steps == len(parts)
    data, part = found.data, parts[0]
    expected = []
    for start, end in pairwise(part.batch.offsets.tolist()):
        row = part.rows[start:end]
        assert len({*data.query[row]}) == 1
        a, b = data.batch(data.a[row]), data.batch(data.b[row])
        scores = model(a, b)[:, 0] if kind == "matcher" else (model(a) * model(b)).sum(1)
        shares = torch.from_numpy(data.labels[row] / data.labels[row].sum())
        kept = shares > 0
        expected.append((shares[kept] * (shares[kept].log() - scores.log_softmax(0)[kept])).sum())
    torch.testing.assert_close(found.loss(model, part.batch), torch.stack(expected).mean())


def test_classes_of_pairs_go_to_losses_over_classes():
    data = PairSet(
        (Pair("a b", "c", 2.0), Pair("d", "e", 0.0), Pair("f", "g h", 1.0)),
        LabelKind.CLASSES,
        ("x", "y", "z"),
    )
    found, model = objective("pairs", "cross-entropy", model=Product(3), data=data)
    (part,) = found.batches(0, model)
    assert part.batch.labels.tolist() == [[2, 0, 1][row] for row in part.rows]
    outputs = model(part.batch.a, part.batch.b)
    expected = nn.functional.cross_entropy(outputs, part.batch.labels)
    torch.testing.assert_close(found.loss(model, part.batch), expected)


def test_positives_may_count_more_than_once():
    found, model = objective("pairs", "logistic", repeat_positives=3, batch_size=4)
    rows = np.concatenate([part.rows for part in found.batches(0, model)])
    relevant = {*np.flatnonzero(rows_of(CANDIDATES).same)}
    assert sorted(rows) == sorted([*range(15), *[*relevant] * 2])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("rows", "fits"),
    [
        ("pairs", {"logistic", "mean-square", "hinge", "cosent", "cross-entropy", "categorical-hinge"}),
        ("positives", set()),
        ("random-triplets", {"rank-hinge"}),
        ("semi-hard-triplets", set()),
        ("candidate-pairs", {"rank-hinge", "margin-mean-square"}),
        ("all-candidate-pairs", {"rank-hinge", "margin-mean-square"}),
        ("hard-negatives", set()),
        ("texts", set()),
        ("groups", set()),
        ("lists", {"listwise-softmax"}),
    ],
)
def test_matchers_are_fed_with_what_fits_or_it_is_an_error(loss, rows, fits):
    if loss in fits:
        outputs = 2 if loss in ("cross-entropy", "categorical-hinge") else 1
        found, model = objective(rows, loss, model=Product(outputs))
        part = next(iter(found.batches(0, model)))
        found.loss(model, part.batch).backward()
        assert model.scale.grad.isfinite().all()
    else:
        with pytest.raises(ConfigError) as error:
            objective(rows, loss)
        assert (error.value.params, error.value.value) == (("loss", "rows"), (loss, rows))


@pytest.mark.parametrize(("rows", "loss"), [("lists", "listwise-softmax"), ("candidate-pairs", "rank-hinge")])
def test_rows_of_candidates_need_candidates_with_an_order(rows, loss):
    with pytest.raises(TrainingError):
        objective(rows, loss, data=pairs())
    with pytest.raises(TrainingError):
        objective(rows, loss, data=CandidateSet((query(4, [0, 0]),)))
