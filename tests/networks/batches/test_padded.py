import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

TEXTS = st.lists(st.lists(st.integers(2, 99), max_size=9), max_size=6)


def arrays(texts):
    return [np.array(text, dtype=np.int32) for text in texts]


@given(TEXTS, st.sampled_from(["longest", "power-of-two"]))
def test_rows_hold_the_texts_and_padding_on_the_right(texts, pad_to):
    batch = TextBatch.from_ids(arrays(texts), pad_id=1, pad_to=pad_to)
    longest = max([1, *map(len, texts)])
    width = batch.ids.shape[1]
    assert batch.ids.dtype == torch.int64
    assert len(batch) == len(texts)
    assert batch.lengths.tolist() == [len(text) for text in texts]
    assert width == longest if pad_to == "longest" else (width & (width - 1) == 0 and longest <= width)
    for row, mask, text in zip(batch.ids.tolist(), batch.mask.tolist(), texts, strict=True):
        assert row == text + [1] * (width - len(text))
        assert mask == [True] * len(text) + [False] * (width - len(text))


@pytest.mark.parametrize(("longest", "width"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (64, 64)])
def test_power_of_two_is_the_smallest_that_holds_the_longest_text(longest, width):
    batch = TextBatch.from_ids(arrays([[7] * longest, []]), pad_id=0, pad_to="power-of-two")
    assert batch.ids.shape == (2, width)


def test_the_pad_id_may_also_be_a_token():
    batch = TextBatch.from_ids(arrays([[0, 5, 0], [0]]), pad_id=0)
    assert batch.lengths.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("ids", "mask", "message"),
    [
        (torch.zeros(1, 2, dtype=torch.int32), torch.ones(1, 2, dtype=torch.bool), "int64 and bool"),
        (torch.zeros(1, 2, dtype=torch.int64), torch.ones(1, 2), "int64 and bool"),
        (
            torch.zeros(1, 2, dtype=torch.int64),
            torch.ones(2, 1, dtype=torch.bool),
            r"\[1, 2\] and mask \[2, 1\]",
        ),
        (torch.zeros(2, dtype=torch.int64), torch.ones(2, dtype=torch.bool), "L >= 1"),
        (torch.zeros(1, 0, dtype=torch.int64), torch.ones(1, 0, dtype=torch.bool), "L >= 1"),
        (
            torch.zeros(2, 2, dtype=torch.int64),
            torch.tensor([[True, False], [False, True]]),
            "row 1 .* padding before a token; pad on the right",
        ),
    ],
)
def test_what_is_not_a_batch_is_refused(ids, mask, message):
    with pytest.raises(UsageError, match=message):
        TextBatch(ids, mask)


def test_an_unknown_width_rule_is_refused():
    with pytest.raises(UsageError) as error:
        TextBatch.from_ids(arrays([[1]]), pad_id=0, pad_to="widest")
    assert error.value.params == ("pad_to",)


def test_moving_keeps_the_batch_and_leaves_the_old_one():
    batch = TextBatch.from_ids(arrays([[1, 2], [3]]), pad_id=0)
    moved = batch.to("meta")
    assert moved.ids.device.type == moved.mask.device.type == "meta"
    assert moved.ids.shape == batch.ids.shape
    assert batch.ids.device.type == "cpu"
    assert torch.equal(batch.to("cpu").ids, batch.ids)


@given(TEXTS)
def test_units_stand_beside_their_tokens(texts):
    rows = [
        np.array([[token, token % 7, 0] for token in text], dtype=np.int32).reshape(-1, 3) for text in texts
    ]
    spelt, plain = (
        TextBatch.from_ids(rows, pad_id=1),
        TextBatch.from_ids([row[:, 0] for row in rows], pad_id=1),
    )
    assert torch.equal(spelt.ids, plain.ids)
    assert torch.equal(spelt.mask, plain.mask)
    if texts:
        expected = torch.stack([plain.ids % 7, torch.zeros_like(plain.ids)], dim=2)
        assert torch.equal(spelt.units, expected * plain.mask.unsqueeze(2))


def test_units_travel_with_their_texts():
    rows = [np.array([[5, 1], [6, 2]]), np.array([[7, 3]])]
    batch = TextBatch.from_ids(rows, pad_id=0)
    longer = TextBatch.from_ids([np.array([[8, 4]] * 3)], pad_id=0)
    both = TextBatch.joined([batch, longer], pad_id=0)
    assert both.units.squeeze(2).tolist() == [[1, 2, 0], [3, 0, 0], [4, 4, 4]]
    chosen = both.select(torch.tensor([2, 0, 2]))
    assert chosen.ids.tolist() == [[8, 8, 8], [5, 6, 0], [8, 8, 8]]
    assert chosen.units.squeeze(2).tolist() == [[4, 4, 4], [1, 2, 0], [4, 4, 4]]
    assert torch.equal(batch.to("cpu").units, batch.units)
    with pytest.raises(UsageError) as error:
        TextBatch(batch.ids, batch.mask, batch.units[:1])
    assert (error.value.params, error.value.value) == (("units",), [1, 2, 1])


@given(TEXTS, st.data())
def test_distinct_texts_and_their_places_give_the_batch_back(texts, data):
    spelt = [
        np.array([[token, token % 5 + 1] for token in text], dtype=np.int32).reshape(-1, 2) for text in texts
    ]
    rows = data.draw(st.lists(st.sampled_from(spelt), max_size=8)) if spelt else []
    if rows:
        rows.append(rows[0] + np.array([0, 1], dtype=np.int32))  # the same token, spelt in another way
    batch = TextBatch.from_ids(rows, pad_id=0)
    once, place = batch.distinct()
    assert len(once) == len({(row[:, 0].tobytes(), row[:, 1].tobytes()) for row in rows})
    assert list(dict.fromkeys(place.tolist())) == list(range(len(once)))  # in the order of first places
    again = once.select(place)
    assert torch.equal(again.ids, batch.ids) and torch.equal(again.mask, batch.mask)
    assert rows == [] or torch.equal(again.units, batch.units)
