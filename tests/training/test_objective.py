import numpy as np
import pytest
import torch

from tests.training.making import IN_BATCH, LOGISTIC, SEMI_HARD, Teacher, pairs, prepare, recipe
from textkin.batches.negatives import semi_hard_macrobatch
from textkin.errors import ConfigError, TrainingError
from textkin.inference import encode_ids
from textkin.losses.table import LOSSES
from textkin.records import LabelKind, Pair, PairSet
from textkin.training.data import document_frequencies, training_data


def objective(config, **options):
    module, (found,), _ = prepare(recipe(config), **options)
    return found, module.eval()


def vectors(tower, batch):
    with torch.no_grad():
        return tower(batch)


def test_every_pair_comes_with_its_label():
    found, tower = objective({**LOGISTIC, "score_shift": 0.25, "repeats": 2})
    drawn = list(found.batches(0, tower))
    rows = np.concatenate([part.rows for part in drawn])
    assert sorted(rows) == sorted([*range(71)] * 2)
    assert len(drawn) == found.steps == 9
    batch, data = drawn[0].batch, found.data
    assert batch.labels.tolist() == data.labels[drawn[0].rows].tolist()
    a, b = vectors(tower, batch.a), vectors(tower, batch.b)
    logits = 4.0 * ((a * b).sum(dim=1) - 0.25)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)


def test_distances_go_to_losses_over_distances():
    found, tower = objective({"loss": "contrastive", "rows": "pairs"})
    batch = next(iter(found.batches(0, tower))).batch
    a, b = vectors(tower, batch.a), vectors(tower, batch.b)
    expected = found.criterion(1 - (a * b).sum(dim=1), batch.labels)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)


@pytest.mark.parametrize("negatives", ["gold", "naive"])
def test_negatives_in_the_batch_know_the_gold_graph(negatives):
    found, tower = objective({**IN_BATCH, "batch_size": 48, "negatives": negatives})
    (drawn,) = found.batches(0, tower)
    data = found.data
    a, b = (data.components[side[drawn.rows]] for side in (data.a, data.b))
    assert sorted(drawn.rows) == list(range(48))  # the positives stand first
    kin = torch.from_numpy(a[:, None] == b)
    assert int(kin.sum()) == 96  # two positives of each anchor
    expected = ~torch.eye(48, dtype=torch.bool) if negatives == "naive" else ~kin
    assert torch.equal(drawn.batch.allowed, expected)


def test_random_triplets_come_from_elsewhere_and_anew():
    found, tower = objective({"loss": "triplet", "rows": "random-triplets", "batch_size": 10})
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
    found, tower = objective({**SEMI_HARD, "macrobatch": macrobatch, "max_margin": 0.3, "batch_size": 5})
    data = found.data
    drawn = list(found.batches(3, tower))
    assert all(len(part.rows) == 5 for part in drawn[:-1])
    assert 1 <= len(drawn[-1].rows) <= 5
    rows = np.concatenate([part.rows for part in drawn])
    assert len(set(rows)) == len(rows)
    # Whatever the tower finds in a macrobatch, no more and no less, is trained on, in its order.
    from textkin.batches.samplers import ShuffledSampler

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


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "rows", ["pairs", "positives", "texts", "groups", "random-triplets", "semi-hard-triplets"]
)
def test_losses_take_what_the_rows_give_or_are_refused(loss, rows):
    fits = {
        "pairs": {
            *("angle", "cosent", "logistic", "mean-square", "hinge", "contrastive", "online-contrastive")
        },
        "positives": {"triplet-in-batch", "multiple-negatives"},
        "texts": {"triplet-in-batch", "multiple-negatives", "distillation"},
        "groups": {"batch-all-triplet", "batch-hard-triplet"},
    }.get(rows, {"triplet", "cosine-ranking", "rank-hinge"})
    config = {"loss": loss, "rows": rows}
    if rows == "semi-hard-triplets":
        config["max_margin"] = 2.0
    if loss in fits:
        found, tower = objective(config, teacher=Teacher())
        value = found.loss(tower, next(iter(found.batches(0, tower))).batch)
        value.backward()
        assert value.ndim == 0
        assert value.isfinite()
    else:
        with pytest.raises(
            ConfigError, match=f"'{loss}' can't be fed with rows = '{rows}' of an encoder; .*{min(fits)}"
        ):
            objective(config)


def test_wrong_losses_and_missing_positives():
    with pytest.raises(ConfigError, match="did you mean 'logistic'"):
        objective({"loss": "logisitc"})
    with pytest.raises(ConfigError, match="marign"):
        objective({**IN_BATCH, "arguments": {"marign": 1}})
    negatives = pairs().select(range(48, 71))
    with pytest.raises(TrainingError, match="no pair of texts that mean the same"):
        objective(IN_BATCH, data=negatives)


def labels(kind, *values, classes=(), same=None):
    data = PairSet(tuple(Pair(f"a{v}", f"b{v}", v) for v in values), kind, classes)

    class Nothing:
        pad_id = 0

        def ids(self, texts):
            return [np.array([1], dtype=np.int32) for _ in texts]

    made = training_data(
        data,
        pipeline=Nothing(),
        components=dict.fromkeys((text for pair in data.texts for text in pair), 0),
        same=np.array(same if same is not None else [value == 1 for value in values]),
    )
    return made.labels.tolist()


def test_labels_are_between_0_and_1():
    assert labels(LabelKind.BINARY, 0.0, 1.0, None, same=[False, True, True]) == [0, 1, 1]
    assert labels(LabelKind.GRADED, 1.0, 5.0, 2.0, None) == [0, 1, 0.25, 1]
    assert labels(LabelKind.GRADED, -1.0, 1.0, 0.0) == [0, 1, 0.5]
    assert labels(LabelKind.GRADED, 3.0) == [0]
    assert labels(LabelKind.CLASSES, 2.0, 0.0, classes=("a", "b", "c"), same=[True, False]) == [1, 0]


def test_document_frequencies_count_texts():
    texts = tuple(np.array(ids, dtype=np.int32) for ids in ([1, 1, 3], [3], []))
    assert document_frequencies(texts, size=5).tolist() == [0, 1, 0, 2, 0]
