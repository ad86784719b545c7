import pytest


@pytest.fixture
def batch():
    """Texts of words in letter n-grams."""
    import torch  # here, as quick tests are collected without it

    from tests.networks.nn.letters import MASK, SIZE
    from textkin.networks.batches.padded import TextBatch

    torch.manual_seed(0)
    # Repeated n-grams, zeros between others, and noise at padding that must not count.
    return TextBatch(torch.ones(3, 5, dtype=torch.int64), MASK, torch.randint(0, SIZE, (3, 5, 6)))
