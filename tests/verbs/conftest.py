import pytest

import textkin as tk
from tests.verbs.making import LEAKING, TRAIN


@pytest.fixture(scope="package")
def run(tmp_path_factory):
    """A model that was trained while dev shared texts with what it learnt from."""
    import torch

    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("trained") / "run"
    return tk.train(TRAIN, dev=LEAKING, recipe="static", out=out)
