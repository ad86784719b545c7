import numpy as np
import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.framed_texts import FramedTexts

pytestmark = pytest.mark.torch

TEXTS = [[7, 8, 9], [], [5]]


def batch(texts, pad_id=4):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=pad_id)


@pytest.mark.parametrize(
    ("before", "after"), [([1], [2]), ([], [2]), ([1, 1, 3], []), ([], []), ([1], [2, 3])]
)
def test_special_tokens_stand_around_each_text(before, after):
    frame = FramedTexts(before=before, after=after, size=9, pad_id=6)
    found = frame(batch(TEXTS))
    width = 3 + len(before) + len(after)
    for row, text in enumerate(TEXTS):
        whole = [*before, *text, *after]
        assert found.ids[row].tolist() == whole + [6] * (width - len(whole))
        assert found.mask[row].tolist() == [True] * len(whole) + [False] * (width - len(whole))


def test_the_states_of_a_texts_own_tokens():
    frame = FramedTexts(before=[1, 1], after=[2], size=9, pad_id=6)
    made = frame(batch(TEXTS))
    inside = frame.inside(made.ids.unsqueeze(-1))
    assert inside.shape == (3, 3, 1)
    assert inside[0, :, 0].tolist() == [7, 8, 9]
    assert inside[2, 0, 0] == 5


def test_special_tokens_are_not_saved():
    assert not FramedTexts(before=[1], after=[2], size=9).state_dict()
    assert not list(FramedTexts(before=[1], after=[2], size=9).parameters())
    assert torch.equal(FramedTexts(before=[1], after=[2], size=9).before, torch.tensor([1]))


@pytest.mark.parametrize(
    "wrong", [{"before": [9]}, {"before": 1}, {"after": [[]]}, {"after": [-1]}, {"pad_id": 1.0}]
)
def test_only_tokens_that_the_network_knows_stand_around_texts(wrong):
    with pytest.raises(UsageError) as error:
        FramedTexts(**{"before": [1], "after": [2], "size": 9, **wrong})
    assert error.value.params == tuple(wrong)
