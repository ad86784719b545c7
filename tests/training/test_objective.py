import numpy as np
import pytest

from tests.training.making import IN_BATCH, Teacher, pairs, recipe
from tests.training.rows import prepared
from textkin.base.errors import ConfigError, TrainingError
from textkin.data.readers.labels import NLI_CLASSES
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.networks.losses.table import LOSSES
from textkin.training.pair_data import document_frequencies, training_data
from textkin.verbs.train.material import rows_of

pytestmark = pytest.mark.torch


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
        found, tower = prepared(config, teacher=Teacher())
        value = found.loss(tower, next(iter(found.batches(0, tower))).batch)
        value.backward()
        assert value.ndim == 0
        assert value.isfinite()
    else:
        with pytest.raises(ConfigError) as error:
            prepared(config)
        assert (error.value.params, error.value.value) == (("loss", "rows"), (loss, rows))
        assert min(fits) in error.value.fix


def test_wrong_losses_and_missing_positives():
    with pytest.raises(ConfigError) as error:
        prepared({"loss": "logisitc"})
    assert (error.value.params, error.value.value) == (("loss",), "logisitc")
    with pytest.raises(ConfigError) as error:
        prepared({**IN_BATCH, "arguments": {"marign": 1}})
    assert error.value.params == ("marign",)
    negatives = pairs().select(range(48, 71))
    with pytest.raises(TrainingError):
        prepared(IN_BATCH, data=negatives)


def learnt(kind, *values, classes=(), grades=None):
    """Labels and similarities of pairs, on a recipe's scale."""
    data = PairSet(tuple(Pair(f"a{v}", f"b{v}", v) for v in values), kind, classes)

    class Nothing:
        pad_id = 0

        def ids(self, texts):
            return [np.array([1], dtype=np.int32) for _ in texts]

    made = training_data(
        rows_of(data, recipe=recipe(grades=grades)),
        pipeline=Nothing(),
        components=dict.fromkeys((text for pair in data.texts for text in pair), 0),
    )
    return made.labels.tolist(), made.similarities.tolist()


@pytest.mark.parametrize(
    ("kind", "values", "grades", "labels", "similarities"),
    [
        (LabelKind.BINARY, (0.0, 1.0, None), None, [0, 1, 1], None),
        (LabelKind.BINARY, (0.0, 1.0), [0, 4], [0, 0.25], None),
        (LabelKind.GRADED, (1.0, 5.0, 2.0, None), None, [0, 1, 0.25, 1], None),
        (LabelKind.GRADED, (1.0, 5.0, 2.0), [0, 5], [0.2, 1, 0.4], None),
        (LabelKind.GRADED, (0.5, 0.75, 0.5), None, [0.5, 0.75, 0.5], None),
        (LabelKind.GRADED, (-0.5, 1.0, 0.0), None, [0.25, 1, 0.5], [-0.5, 1, 0]),
        (LabelKind.GRADED, (0.5, 4.5), None, [0.1, 0.9], None),
    ],
)
def test_labels_are_between_0_and_1(kind, values, grades, labels, similarities):
    found = learnt(kind, *values, grades=grades)
    assert np.allclose(found, (labels, similarities or labels))


def test_classes_are_the_same_or_not():
    assert learnt(LabelKind.CLASSES, 1.0, 0.0, classes=NLI_CLASSES)[0] == [1, 0]


def test_document_frequencies_count_texts():
    texts = tuple(np.array(ids, dtype=np.int32) for ids in ([1, 1, 3], [3], []))
    assert document_frequencies(texts, size=5).tolist() == [0, 1, 0, 2, 0]
