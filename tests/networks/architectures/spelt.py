"""A few pairs of texts whose tokens come with characters, for tests that compute a score by hand."""

import numpy as np
import torch

from textkin.networks.batches.padded import TextBatch

SPELT = {2: [1, 2, 3], 3: [4], 4: [5, 1], 5: []}
PAIRS = [([2, 3, 4], [5, 2]), ([3], [4, 4, 2, 3]), ([5, 2], [3])]
SIZE, UNITS = 6, 7


def batch(texts):
    rows = [[[token, *SPELT[token], *[0] * (3 - len(SPELT[token]))] for token in text] for text in texts]
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in rows], pad_id=0)


def assert_computed(model, one_by_one):
    """Check that the pairs in a padded batch score what ``one_by_one`` gives each of them alone."""
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)  # larger differences between pairs
        found = model(batch([a for a, _ in PAIRS]), batch([b for _, b in PAIRS]))
        expected = torch.stack([one_by_one(model, a, b) for a, b in PAIRS])
    assert expected[:, 0].std() > 1e-3
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
