"""Pairs with negatives from the same batch."""

import numpy as np
import pytest
import torch

from tests.training.making import IN_BATCH, pairs, prepare, recipe
from tests.training.rows import HARD, of_triplets, prepared, texts_of, triplets
from textkin.base.errors import TrainingError
from textkin.data.records import Candidates, CandidateSet, LabelKind, PairSet
from textkin.networks.losses.in_batch import in_batch

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("negatives", ["gold", "naive"])
def test_negatives_in_the_batch_know_the_gold_graph(negatives):
    found, tower = prepared({**IN_BATCH, "batch_size": 48, "negatives": negatives})
    (drawn,) = found.batches(0, tower)
    data = found.data
    a, b = (data.components[side[drawn.rows]] for side in (data.a, data.b))
    assert sorted(drawn.rows) == list(range(48))  # the positives come first
    kin = torch.from_numpy(a[:, None] == b)
    assert int(kin.sum()) == 96  # two positives of each anchor
    expected = ~torch.eye(48, dtype=torch.bool) if negatives == "naive" else ~kin
    assert torch.equal(drawn.batch.allowed, expected)
    assert drawn.batch.negatives is None and len(found.sides(drawn.batch)) == 2


@pytest.mark.parametrize(
    ("changes", "groups", "count", "found"),
    [
        ({"batch_size": 1}, 24, 48, (1, 24)),
        ({}, 1, 2, (7, 1)),
        ({"negatives": "naive"}, 24, 1, (7, 1)),
        ({"loss": "multiple-negatives", "rows": "texts"}, 1, 2, (7, 1)),
    ],
)
def test_batches_without_negatives_teach_nothing(changes, groups, count, found):
    data = PairSet(pairs(groups).pairs[:count], LabelKind.BINARY)  # the positives come first
    with pytest.raises(TrainingError) as error:
        prepare(recipe({**IN_BATCH, **changes}), data=data)
    size, different = found
    assert f"batch_size is {size}, and the texts have {different} different" in error.value.message
    if count > 1:
        prepare(recipe({**IN_BATCH, **changes, "batch_size": 2, "negatives": "naive"}), data=data)


def test_hard_negatives_join_the_batch_and_know_the_gold_graph():
    for negatives in ("gold", "naive"):
        found, tower = of_triplets({**HARD, "negatives": negatives})
        data, seen = found.data, []
        for drawn in found.batches(0, tower):
            batch, rows = drawn.batch, drawn.rows
            seen += rows.tolist()
            hard = texts_of(data, batch.negatives)
            assert len(set(hard)) == len(hard)
            allowed_here = {data.b[row] for row in np.flatnonzero(data.labels == 0)}
            assert set(hard) <= allowed_here
            of_rows = [{*data.b[(data.query == data.query[row]) & (data.labels == 0)]} for row in rows]
            assert all(len(own & set(hard)) >= min(2, len(own)) for own in of_rows)
            assert set(hard) <= set.union(*of_rows)
            others = data.components[np.concatenate([data.b[rows], hard])]
            kin = data.components[data.a[rows]][:, None] == others
            expected = ~np.eye(len(rows), len(others), dtype=bool)
            assert batch.allowed.tolist() == (expected if negatives == "naive" else ~kin).tolist()
        assert sorted(seen) == np.flatnonzero(data.labels == 1).tolist()


def test_hard_negatives_are_drawn_anew_every_epoch_and_by_seed():
    def draws(epoch, seed=0):
        found, tower = of_triplets({**HARD, "negatives_each": 1}, seed=seed)
        return [texts_of(found.data, part.batch.negatives) for part in found.batches(epoch, tower)]

    assert draws(0) == draws(0) != draws(1)
    assert draws(0, seed=4) != draws(0)


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_loss_is_over_all_of_them(symmetric):
    found, tower = of_triplets({**HARD, "symmetric": symmetric})
    batch = next(iter(found.batches(0, tower))).batch
    a, b, hard = (tower(side).detach() for side in (batch.a, batch.b, batch.negatives))
    expected = in_batch(found.criterion, a, torch.cat([b, hard]), batch.allowed, symmetric=symmetric)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)
    swapped = in_batch(found.criterion, b, a, batch.allowed[:, : len(a)].T)
    there = in_batch(found.criterion, a, torch.cat([b, hard]), batch.allowed)
    torch.testing.assert_close(expected, (there + swapped) / 2 if symmetric else there)


def test_queries_without_wrong_candidates_stay_positives():
    only = Candidates("x", "what is it", ("1",), ("it is this",), (1,))
    found, tower = of_triplets(HARD, CandidateSet((*triplets(4).queries, only)))
    rows = np.concatenate([drawn.rows for drawn in found.batches(0, tower)])
    assert len(rows) == 5
    with pytest.raises(TrainingError):
        of_triplets(HARD, CandidateSet((only,)))
    with pytest.raises(TrainingError):
        prepare(recipe(HARD))
