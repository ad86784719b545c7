import os
import subprocess
import sys
import tempfile

import pytest

from textkin.base.environment import no_compiler_folder

pytestmark = pytest.mark.long

NAME = "TORCHINDUCTOR_CACHE_DIR"


def test_a_chosen_folder_stays_and_none_is_left(monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    with no_compiler_folder():
        assert os.environ[NAME] == tempfile.gettempdir()
    assert NAME not in os.environ
    monkeypatch.setenv(NAME, "/theirs")
    with no_compiler_folder():
        assert os.environ[NAME] == "/theirs"
    assert os.environ[NAME] == "/theirs"


@pytest.mark.torch
def test_an_optimiser_leaves_nothing_among_the_temporary_files(tmp_path):
    pytest.importorskip("torch")
    code = (
        "import sys, torch\n"
        "from textkin.networks.recipes.recipe import TrainingConfig\n"
        "from textkin.training.optimisers import build_optimiser\n"
        "build_optimiser(torch.nn.Linear(2, 2).parameters(), TrainingConfig())\n"
        "assert 'torch._dynamo' in sys.modules\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop(NAME, None)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
