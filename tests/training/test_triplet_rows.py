"""Triplets that are drawn or mined."""

import numpy as np
import pytest
import torch

from tests.training.making import SEMI_HARD, pairs
from tests.training.rows import matched, prepared
from textkin.base.errors import UsageError
from textkin.models.inference.engine import encode_ids
from textkin.networks.batches.negatives import semi_hard_macrobatch
from textkin.networks.batches.samplers import ShuffledSampler

pytestmark = pytest.mark.torch


def test_random_triplets_come_from_elsewhere_and_anew():
    found, tower = prepared({"loss": "triplet", "rows": "random-triplets", "batch_size": 10})
    data = found.data
    text_of = {tuple(ids.tolist()): text for text, ids in enumerate(data.ids)}

    def negatives(epoch):
        for drawn in found.batches(epoch, tower):
            for row, ids, mask in zip(
                drawn.rows, drawn.batch.negative.ids, drawn.batch.negative.mask, strict=True
            ):
                yield row, text_of[tuple(ids[mask].tolist())]

    first, again, second = dict(negatives(0)), dict(negatives(0)), dict(negatives(1))
    assert first == again
    assert first != second
    assert len(first) == 48
    for row, text in first.items():
        assert data.components[text] != data.components[data.a[row]]


@pytest.mark.parametrize("macrobatch", [11, 20, 1000])
def test_semi_hard_triplets_are_all_that_were_mined(macrobatch):
    found, tower = prepared({**SEMI_HARD, "macrobatch": macrobatch, "max_margin": 0.3, "batch_size": 5})
    data = found.data
    drawn = list(found.batches(3, tower))
    assert all(len(part.rows) == 5 for part in drawn[:-1])
    assert 1 <= len(drawn[-1].rows) <= 5
    rows = np.concatenate([part.rows for part in drawn])
    assert len(set(rows)) == len(rows)
    # Exactly the tower's findings in a macrobatch are trained on, in their order.
    expected = []
    for chosen in ShuffledSampler(48, batch_size=macrobatch, seed=0).batches(3):
        a, b = (
            torch.from_numpy(encode_ids(tower, [data.ids[text] for text in side[chosen]], pad_id=data.pad_id))
            for side in (data.a, data.b)
        )
        mined = semi_hard_macrobatch(
            a,
            b,
            positive_texts=[data.texts[text] for text in data.b[chosen]],
            components=data.components[data.b[chosen]],
            max_margin=0.3,
        )
        expected += list(zip(chosen[mined.pairs], data.b[chosen][mined.negatives], strict=True))
    assert rows.tolist() == [row for row, _ in expected]
    ids = [
        list(map(int, row[mask]))
        for part in drawn
        for row, mask in zip(part.batch.negative.ids, part.batch.negative.mask, strict=True)
    ]
    assert ids == [data.ids[text].tolist() for _, text in expected]


@pytest.mark.parametrize("loss", ["triplet", "rank-hinge"])
def test_a_tower_gives_vectors_or_scores(loss):
    config = {"loss": loss, "rows": "random-triplets", "score_scale": 3.0, "score_shift": 0.5}
    found, tower = prepared(config)
    batch = next(iter(found.batches(0, tower))).batch
    anchor, positive, negative = (
        tower(side).detach() for side in (batch.anchor, batch.positive, batch.negative)
    )
    if loss == "triplet":
        expected = found.criterion(anchor, positive, negative)
    else:
        scores = (3 * ((anchor * other).sum(dim=1) - 0.5) for other in (positive, negative))
        expected = found.criterion(*scores)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)


def test_a_matcher_scores_both_pairs_of_a_triplet():
    found, model = matched({"loss": "rank-hinge", "rows": "random-triplets", "batch_size": 5}, pairs())
    batch = next(iter(found.batches(0, model))).batch
    positive, negative = model(batch.anchor, batch.positive)[:, 0], model(batch.anchor, batch.negative)[:, 0]
    torch.testing.assert_close(found.loss(model, batch), torch.relu(1 - positive + negative).mean())


def test_only_a_tower_has_vectors_to_mine_with():
    found, _ = prepared(SEMI_HARD)
    with pytest.raises(UsageError, match="Linear has no vectors to mine with; train a tower"):
        next(found.batches(0, torch.nn.Linear(1, 1)))


def test_a_batch_is_drawn_as_soon_as_it_is_full(monkeypatch):
    found, tower = prepared({**SEMI_HARD, "batch_size": 6, "macrobatch": 6})
    mined = []

    def mine(self, rows, model):
        mined.append(len(rows))
        return rows, found.data.b[rows][::-1]

    monkeypatch.setattr(type(found), "_mine", mine)
    for number, drawn in enumerate(found.batches(0, tower), start=1):
        assert len(drawn.rows) == 6
        assert mined == [6] * number  # by the current model
    assert number == 8
