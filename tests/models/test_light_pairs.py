"""Two texts in one sequence without torch: joined and shortened as with torch."""

import json
import shutil

import numpy as np
import pytest
import torch

from textkin.base.errors import ModelError
from textkin.base.hub import PHRASES, RANKER, located
from textkin.models.light_pairs import LightPairs, kept_of
from textkin.networks.nn.joined_pair import JoinedPair

pytestmark = [pytest.mark.torch, pytest.mark.slow]

JOINT = {"start": [[101, 0]], "middle": [[102, 0]], "end": [[102, 1]], "types": [0, 1]}


@pytest.mark.parametrize("room", [0, 1, 2, 7, 8, 30])
def test_texts_are_shortened_as_with_torch(room):
    join = JoinedPair(**JOINT, pad_id=0, max_length=room + 3)
    sizes = torch.cartesian_prod(torch.arange(12), torch.arange(12))
    expected = torch.stack(join.kept(*sizes.T), dim=1).tolist()
    assert [list(kept_of(a, b, room=room)) for a, b in sizes.tolist()] == expected


def test_each_pair_is_read_in_order():
    pairs = LightPairs(located(RANKER))
    ids = pairs.pipeline.ids(["When was it built?", "a", "The mill was built in 1820.", ""])
    found = pairs.each(ids[:2], ids[2:], lambda states: states.shape)
    assert found == [(len(ids[0]) + len(ids[2]) + 3, 384), (1 + 3, 384)]
    short = pairs.each(ids[:1], ids[2:3], lambda states: states.shape, max_length=9)
    assert short == [(9, 384)]
    alone = pairs.each(ids[:1], ids[2:3], lambda states: states)[0]
    beside = pairs.each(ids[:2], ids[2:], lambda states: states)[0]
    np.testing.assert_allclose(alone, beside, atol=1e-5)


def test_another_adapter_reads_no_pairs(tmp_path):
    folder = tmp_path / "ranker"
    shutil.copytree(located(RANKER), folder)
    manifest = json.loads((folder / "textkin.json").read_text())
    (folder / "textkin.json").write_text(json.dumps({**manifest, "text": {"kind": "words"}}))
    with pytest.raises(ModelError):
        LightPairs(folder)
    with pytest.raises(ModelError) as error:
        LightPairs(located(PHRASES))
    assert error.value.path == located(PHRASES) / "textkin.json"
