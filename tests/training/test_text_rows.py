"""Single texts, and groups of them."""

import numpy as np
import pytest
import torch

from tests.training.making import Teacher, prepare, recipe
from tests.training.rows import prepared, texts_of
from textkin.base.errors import ConfigError, TrainingError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.networks.losses.in_batch import in_batch
from textkin.training.text_rows import _pieces

pytestmark = pytest.mark.torch


def test_every_text_meets_itself_and_no_kin():
    config = {"loss": "multiple-negatives", "rows": "texts", "batch_size": 40, "repeats": 2}
    found, tower = prepared(config)
    data, parts = found.data, list(found.batches(0, tower))
    texts = [text for part in parts for text in texts_of(data, part.batch.texts)]
    assert sorted(texts) == sorted([*range(len(data.texts))] * 2)
    part = parts[0]
    own = texts_of(data, part.batch.texts)
    for row, text in zip(part.rows, own, strict=True):
        assert text in (data.a[row], data.b[row])
    vectors = tower(part.batch.texts).detach()
    groups = data.components[own]
    allowed = torch.from_numpy(groups[:, None] != groups)
    expected = in_batch(found.criterion, vectors, vectors, allowed)
    torch.testing.assert_close(found.loss(tower, part.batch).detach(), expected)
    naive, _ = prepared({**config, "negatives": "naive"})
    torch.testing.assert_close(
        naive.loss(tower, part.batch).detach(), in_batch(found.criterion, vectors, vectors)
    )


def test_dropout_is_drawn_twice():
    made = recipe({"loss": "multiple-negatives", "rows": "texts"}, model={"dropout": 0.5})
    tower, (found,), _ = prepare(made)
    batch = next(iter(found.batches(0, tower))).batch
    a, b = found.vectors(tower.train(), *found.sides(batch))
    assert not torch.allclose(a, b)


@pytest.mark.parametrize("sampler", ["length", "component"])
def test_texts_have_samplers_too(sampler):
    found, tower = prepared(
        {"loss": "multiple-negatives", "rows": "texts", "sampler": sampler, "batch_size": 9}
    )
    spread = []
    for part in found.batches(0, tower):
        groups = part.batch.groups.tolist()
        spread.append(int(part.batch.texts.lengths.max() - part.batch.texts.lengths.min()))
        assert sampler == "length" or len(set(groups)) == len(groups)
    assert sampler == "component" or np.mean(spread) < 3


def test_a_teacher_gives_vectors():
    config = {"loss": "distillation", "rows": "texts", "batch_size": 10, "widths": [3]}
    found, tower = prepared(config, teacher=Teacher())
    batch = next(iter(found.batches(0, tower))).batch
    taught = Teacher().encode([found.data.texts[text] for text in texts_of(found.data, batch.texts)])
    vectors = tower(batch.texts).detach().numpy()

    def apart(width):
        short = [
            side[:, :width] / np.linalg.norm(side[:, :width], axis=1)[:, None] for side in (vectors, taught)
        ]
        return np.square(short[0] - short[1]).mean()

    assert float(found.loss(tower, batch).detach()) == pytest.approx(apart(8) + apart(3), rel=1e-4)
    with pytest.raises(TrainingError):
        prepared(config)
    with pytest.raises(ConfigError) as error:
        prepare(recipe(config, model={"dim": 6}), teacher=Teacher())
    assert (error.value.params, error.value.value) == (("model.arguments",), 6)


@pytest.mark.parametrize("texts_each", [2, 3, 9])
def test_groups_are_kin_in_pieces(texts_each):
    config = {"loss": "batch-all-triplet", "rows": "groups", "batch_size": 12, "texts_each": texts_each}
    found, tower = prepared(config)
    data, parts = found.data, list(found.batches(0, tower))
    sizes = np.bincount(data.components)
    seen = []
    for part in parts:
        groups = part.batch.groups.tolist()
        assert len(groups) <= 12
        assert all(groups.count(group) >= 2 for group in groups)
        seen += texts_of(data, part.batch.texts)
    assert sorted(seen) == np.flatnonzero(sizes[data.components] > 1).tolist()
    assert abs(len(parts) - found.steps) <= 1
    vectors = tower(parts[0].batch.texts).detach()
    expected = found.criterion(vectors, parts[0].batch.groups)
    torch.testing.assert_close(found.loss(tower, parts[0].batch).detach(), expected)

    def order(epoch):
        return [texts_of(data, part.batch.texts) for part in found.batches(epoch, tower)]

    assert order(0) == order(0) != order(1)


def test_two_texts_are_a_group():
    same = [("a", "b"), ("c", "d"), ("d", "e")]
    other = [Pair("0", "a", 0.0), Pair("f", "g", 0.0)]
    data = PairSet((*other, *(Pair(*texts, 1.0) for texts in same)), LabelKind.BINARY)
    config = {"loss": "batch-all-triplet", "rows": "groups", "texts_each": 3}
    for size, batches in ((5, 1), (4, 2), (3, 2)):
        found, tower = prepared({**config, "batch_size": size}, data=data)
        parts = [texts_of(found.data, part.batch.texts) for part in found.batches(0, tower)]
        assert len(parts) == found.steps == batches
        assert sorted(found.data.texts[text] for part in parts for text in part) == ["a", "b", "c", "d", "e"]
        assert [len(group) for group in found.components] == [2, 3]
    alone = PairSet((Pair("a", "a", 1.0), Pair("b", "c", 0.0)), LabelKind.BINARY)
    with pytest.raises(TrainingError):
        prepared({**config, "batch_size": 5}, data=alone)


def test_no_piece_is_a_lone_text():
    for texts in range(2, 40):
        for size in range(2, 9):
            pieces = _pieces(texts, size)
            assert pieces.sum() == texts
            assert pieces.min() >= 2
            assert pieces.max() <= max(size, 3)
