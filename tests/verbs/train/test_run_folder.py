"""The ownership of a run folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.making import LOGISTIC, recipe
from textkin.base.errors import UsageError
from textkin.verbs.train.run_folder import RECIPE, RESULT, RUN, claim, require_own, run_json

pytestmark = pytest.mark.torch

MADE = recipe(LOGISTIC)
IDENTITY = {
    "recipe": MADE.to_dict(),
    "seed": 1,
    "start_sha256": None,
    "teacher_sha256": None,
    "suite": None,
    "chooses": None,
    "vocabulary_sha256": None,
}


def test_a_folder_is_its_own_runs_and_nobody_elses(tmp_path: Path) -> None:
    require_own(tmp_path, IDENTITY)  # without an owner yet
    claim(tmp_path, IDENTITY, MADE)
    assert run_json(tmp_path / RUN) == IDENTITY
    assert (tmp_path / RECIPE).read_text() == MADE.to_toml()
    require_own(tmp_path, IDENTITY)
    with pytest.raises(UsageError) as error:
        require_own(tmp_path, {**IDENTITY, "seed": 2})
    assert error.value.params == ("out",)
    other = recipe(LOGISTIC, epochs=9).to_dict()
    with pytest.raises(UsageError) as error:
        require_own(tmp_path, {**IDENTITY, "recipe": other, "teacher_sha256": "1f"})
    assert error.value.params == ("out",)


@pytest.mark.parametrize("content", [b"{", b"[]", b"[" * 100_000, b"\xff", b'{"seed": 1}'])
def test_a_folder_that_says_nothing_of_its_run_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / RUN).write_bytes(content)
    with pytest.raises(UsageError) as error:
        require_own(tmp_path, IDENTITY)
    assert error.value.params == ("out",)
    (tmp_path / RUN).unlink()
    (tmp_path / RESULT).write_text("{}")
    with pytest.raises(UsageError) as error:
        require_own(tmp_path, IDENTITY)
    assert error.value.params == ("out",)
