import numpy as np
import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.batches.batch import ListBatch, PairBatch, TextsBatch, TripletBatch
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch


def texts(count):
    return TextBatch.from_ids([np.array([2, 3], dtype=np.int32)] * count, pad_id=0)


def lists(offsets, docs, labels=None):
    return ListBatch(
        texts(len(offsets) - 1),
        texts(docs),
        torch.tensor(offsets),
        torch.zeros(docs if labels is None else labels),
    )


def test_batches_move_whole():
    off_diagonal = ~torch.eye(2, dtype=torch.bool)
    pairs = PairBatch(texts(2), texts(2), torch.ones(2), off_diagonal).to("meta")
    assert len(pairs) == 2
    assert {pairs.a.ids.device.type, pairs.b.mask.device.type, pairs.labels.device.type} == {"meta"}
    assert pairs.allowed.device.type == "meta"
    assert PairBatch(texts(2), texts(2)).to("meta").labels is None
    triplets = TripletBatch(texts(3), texts(3), texts(3)).to("meta")
    assert len(triplets) == 3
    assert triplets.negative.ids.device.type == "meta"
    single = TextsBatch(texts(2), torch.ones(2), torch.ones(2, 5)).to("meta")
    assert len(single) == 2
    assert single.groups.device.type == single.teacher.device.type == "meta"
    ranked = lists([0, 2, 3], 3).to("meta")
    assert len(ranked) == 2
    assert ranked.offsets.device.type == ranked.labels.device.type == "meta"


def test_each_candidate_knows_its_query():
    assert lists([0, 2, 2, 5], 5).query_of_doc.tolist() == [0, 0, 2, 2, 2]
    assert lists([0], 0).query_of_doc.tolist() == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PairBatch(texts(2), texts(3)), "b: found 3, expected 2"),
        (lambda: PairBatch(texts(2), texts(2), torch.ones(2, 1)), r"labels: found \[2, 1\], expected \[2\]"),
        (
            lambda: PairBatch(texts(2), texts(2), allowed=torch.zeros(2, 3, dtype=torch.bool)),
            "allowed: found",
        ),
        (
            lambda: PairBatch(texts(2), texts(2), None, torch.zeros(2, 2, dtype=torch.bool), texts(1)),
            r"allowed: found \[2, 2\], expected \[2, 3\]",
        ),
        (lambda: TextsBatch(texts(2), torch.ones(3)), "rows of groups: found 3, expected 2"),
        (lambda: TextsBatch(texts(2), teacher=torch.ones(3, 1)), "rows of teacher: found 3, expected 2"),
        (lambda: PairBatch(texts(2), texts(2), allowed=torch.zeros(2, 2)), "dtype of allowed"),
        (lambda: PairBatch(texts(2), texts(2), allowed=torch.ones(2, 2, dtype=torch.bool)), "own anchor"),
        (lambda: TripletBatch(texts(2), texts(1), texts(2)), "positive: found 1, expected 2"),
        (lambda: TripletBatch(texts(2), texts(2), texts(1)), "negative: found 1, expected 2"),
        (lambda: lists([0, 2], 3), "last offset: found 2, expected 3"),
        (lambda: lists([1, 3], 3), "first offset: found 1, expected 0"),
        (lambda: lists([0, 3, 2, 3], 3), "go down"),
        (lambda: lists([0, 3], 3, labels=2), "labels: found"),
        (lambda: ListBatch(texts(2), texts(3), torch.tensor([0, 3]), torch.zeros(3)), "offsets: found"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()
