"""Triplets with a teacher's scores; and that each loss decreases."""

import numpy as np
import pytest
import torch

from tests.training.making import Teacher, pairs, prepare, recipe
from tests.training.rows import HARD, data_of, of_triplets, triplets
from textkin.base.errors import TrainingError
from textkin.training.assemble import assemble
from textkin.training.device import Device
from textkin.training.loop import Dev, train
from textkin.training.objectives import build_objective
from textkin.verbs.train.material import rows_of

pytestmark = pytest.mark.torch


def test_margins_are_those_of_the_teacher():
    config = {"loss": "margin-mean-square", "rows": "candidate-pairs", "batch_size": 5, "negatives_each": 3}
    found, tower = of_triplets({**config, "score_scale": 5.0})
    data, part = found.data, next(iter(found.batches(0, tower)))
    losses = []
    for right, *wrong in part.rows.reshape(-1, 4):
        vectors = [
            tower(data.batch(side[[row]]))[0].detach()
            for side, row in ((data.a, right), (data.b, right), *((data.b, row) for row in wrong))
        ]
        scores = [5 * float(vectors[0] @ other) for other in vectors[1:]]
        margins = [data.scores[right] - data.scores[row] for row in wrong]
        losses += [(scores[0] - s - m) ** 2 for s, m in zip(scores[1:], margins, strict=True)]
    assert float(found.loss(tower, part.batch).detach()) == pytest.approx(np.mean(losses), rel=1e-5)
    with pytest.raises(TrainingError):
        of_triplets(config, triplets(scores=False))


def test_given_triplets_go_to_losses_over_vectors():
    found, tower = of_triplets({"loss": "triplet", "rows": "candidate-pairs", "negatives_each": 2})
    part = next(iter(found.batches(0, tower)))
    data, rows = found.data, part.rows.reshape(-1, 3)
    a, p, *n = (
        tower(data.batch(texts)).detach()
        for texts in (data.a[rows[:, 0]], *(data.b[rows[:, at]] for at in range(3)))
    )
    expected = (found.criterion(a, p, n[0]) + found.criterion(a, p, n[1])) / 2
    torch.testing.assert_close(found.loss(tower, part.batch).detach(), expected)


OVER_PAIRS = [
    {"loss": "mean-square", "rows": "pairs"},
    {"loss": "cosent", "rows": "pairs"},
    {"loss": "angle", "rows": "pairs"},
    {"loss": "multiple-negatives", "rows": "positives", "symmetric": True, "mini_batch": 5},
    {"loss": "multiple-negatives", "rows": "positives", "widths": [4, 2], "mini_batch": 7},
    {"loss": "multiple-negatives", "rows": "texts"},
    {"loss": "distillation", "rows": "texts"},
    {"loss": "distillation", "rows": "texts", "arguments": {"measure": "cosine"}, "widths": [4]},
    {"loss": "batch-all-triplet", "rows": "groups"},
    {"loss": "batch-hard-triplet", "rows": "groups", "arguments": {"soft": True, "measure": "euclidean"}},
]
OVER_TRIPLETS = [
    HARD,
    {**HARD, "symmetric": True, "mini_batch": 5},
    {"loss": "triplet-in-batch", "rows": "hard-negatives"},
    {"loss": "margin-mean-square", "rows": "all-candidate-pairs", "score_scale": 5.0},
    {"loss": "triplet", "rows": "all-candidate-pairs"},
]


def trained(config, folder, *, epochs):
    """The mean losses of the epochs of training."""
    # Means of word vectors differ from the start, an LSTM must learn to distinguish texts.
    cell = {"cell": "lstm", "hidden": 8} if config["rows"] == "texts" else {"cell": "mean"}
    model = {"dropout": 0.1, **cell}
    made = recipe({"batch_size": 16, **config}, model=model, epochs=epochs, learning_rate=0.02)
    if config in OVER_PAIRS:
        tower, objectives, _ = prepare(made, data=pairs(10), teacher=Teacher())
    else:
        material = triplets()
        texts = list(dict.fromkeys(text for pair in rows_of(material).pairs.texts for text in pair))
        untrained = assemble(made, texts, seed=0)
        data, tower = data_of(material, untrained.pipeline), untrained.module
        objectives = [build_objective(made.objectives[0], data, model=tower, seed=0)]
    result = train(
        tower,
        objectives,
        settings=made.training,
        dev=Dev("none", lambda network: 0.0),
        folder=folder,
        seed=0,
        device=Device("cpu"),
    )
    return [next(iter(log.losses.values())) for log in result.history]


@pytest.mark.parametrize("config", [*OVER_PAIRS, *OVER_TRIPLETS], ids=lambda config: f"{config['loss']}")
def test_losses_go_down_and_runs_repeat(config, tmp_path):
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        losses = trained(config, tmp_path / "one", epochs=4)
        assert losses[-1] < 0.97 * losses[0]
        assert trained(config, tmp_path / "again", epochs=2) == losses[:2]
        torch.set_num_threads(2)
        # On some processors a product of matrices differs in the last digit with the number of threads.
        assert trained(config, tmp_path / "two", epochs=2) == pytest.approx(losses[:2], rel=1e-5)
    finally:
        torch.set_num_threads(threads)
