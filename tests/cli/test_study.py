"""textkin study."""

import inspect

from textkin.cli import study
from textkin.tasks.experiments.study import StudyOptions


def test_the_command_studies_what_the_function_studies_by_default():
    written = {name: one.default for name, one in inspect.signature(study.command).parameters.items()}
    options = StudyOptions()
    assert written["models"] is options.models is None
    assert written["seeds"] == options.seeds
    assert written["split_seed"] == options.split_seed
    assert (written["resamples"], written["rounds"]) == (options.sampling.resamples, options.sampling.rounds)
    assert written["near"] == options.similarity
