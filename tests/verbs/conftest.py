from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.verbs.making import rows, write_pairs, write_recipe
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.experiments.study_file import study_file
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.study_result import StudyResult


@pytest.fixture(scope="session")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StudyOptions, StudyResult]:
    """A finished study with two recipes, two seeds and a label curve: its source, options and result.

    It is read-only: see ``copy``.
    """
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("studied")
    source = write_pairs(folder / "pairs.tsv", rows())
    recipes = write_recipe(folder), write_recipe(folder, "other", epochs=2)
    options = StudyOptions(models=recipes, seeds=2, sampling=Sampling(40, 40), curve=True)
    return source, options, study_file(source, folder / "study", options=options)


@pytest.fixture
def copy(studied: tuple[Path, StudyOptions, StudyResult], tmp_path: Path) -> Path:
    """A copy of its run directory."""
    return Path(shutil.copytree(studied[2].folder, tmp_path / "study"))
