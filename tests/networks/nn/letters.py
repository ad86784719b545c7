"""Texts of words in letter n-grams."""

import torch

from tests.reference.windows import counts

SIZE = 9
LENGTHS = [4, 1, 0]
MASK = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


def words(batch, row):
    return [counts(units, SIZE) for units in batch.units[row, : LENGTHS[row]].tolist()]
