from importlib.util import find_spec

import pytest

from textkin.base.errors import MissingExtraError
from textkin.training.tensorboard import require_tensorboard, write_events
from textkin.verbs.train.train_recipe import EvaluationFigures


@pytest.mark.skipif(find_spec("tensorboard") is not None, reason="tensorboard is installed")
def test_a_missing_package_is_named_with_its_extra(tmp_path):
    with pytest.raises(MissingExtraError):
        require_tensorboard()
    with pytest.raises(MissingExtraError):
        write_events(tmp_path / "events", [EvaluationFigures(1, 0.5, 0.6, 3, 1.0)])
    assert not (tmp_path / "events").exists()


@pytest.mark.skipif(find_spec("tensorboard") is None, reason="tensorboard is not installed")
def test_events_are_written(tmp_path):
    write_events(tmp_path / "events", [EvaluationFigures(1, 0.5, 0.6, 3, 1.0)])
    assert list((tmp_path / "events").iterdir())
