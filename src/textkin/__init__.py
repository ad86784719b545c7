"""textkin finds the kin of a text.

Train, test and use text-similarity models on your own data, offline. The public names load on first use, so
``import textkin`` costs next to nothing and loads neither torch nor numpy::

    import textkin as tk

    model = tk.load("runs/support/model")
    model.score([("reset my password", "I forgot my password")])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textkin.config import Recipe as Recipe
    from textkin.config import load_recipe as load_recipe
    from textkin.errors import TextkinError as TextkinError
    from textkin.evaluation.test_set import Sampling as Sampling
    from textkin.join.hamming import CodeTable as CodeTable
    from textkin.join.hamming import hamming as hamming
    from textkin.protocols import Classifier as Classifier
    from textkin.protocols import Encoder as Encoder
    from textkin.protocols import Scorer as Scorer
    from textkin.readers import Reading as Reading
    from textkin.readers import TextReading as TextReading
    from textkin.readers import load_pairs as load_pairs
    from textkin.readers import load_texts as load_texts
    from textkin.records import Candidates as Candidates
    from textkin.records import CandidateSet as CandidateSet
    from textkin.records import Collection as Collection
    from textkin.records import Hit as Hit
    from textkin.records import LabelKind as LabelKind
    from textkin.records import Pair as Pair
    from textkin.records import PairSet as PairSet
    from textkin.records import Qrels as Qrels
    from textkin.records import Run as Run
    from textkin.records import Triplet as Triplet
    from textkin.systems import fetch as fetch
    from textkin.systems import load as load
    from textkin.systems import load_encoder as load_encoder
    from textkin.tasks.data.lint import lint_files as lint_files
    from textkin.tasks.data.split import split_file as split_file
    from textkin.tasks.dedupe.dedupe import Deduped as Deduped
    from textkin.tasks.dedupe.dedupe import DedupeOptions as DedupeOptions
    from textkin.tasks.dedupe.dedupe import dedupe as dedupe
    from textkin.tasks.deploy.distil import Distilled as Distilled
    from textkin.tasks.deploy.distil import DistilOptions as DistilOptions
    from textkin.tasks.deploy.distil import distil as distil
    from textkin.tasks.deploy.export import Certificate as Certificate
    from textkin.tasks.deploy.export import export as export
    from textkin.tasks.evaluate.calibrate import Calibrated as Calibrated
    from textkin.tasks.evaluate.calibrate import calibrate as calibrate
    from textkin.tasks.evaluate.compare import Measured as Measured
    from textkin.tasks.evaluate.compare import Options as Options
    from textkin.tasks.evaluate.compare import compare as compare
    from textkin.tasks.evaluate.compare import evaluate as evaluate
    from textkin.tasks.evaluate.measure import measure as measure
    from textkin.tasks.evaluate.suite import MeasuredSuite as MeasuredSuite
    from textkin.tasks.evaluate.suite import compare_suite as compare_suite
    from textkin.tasks.experiments.contest import ContestOptions as ContestOptions
    from textkin.tasks.experiments.contest import ContestResult as ContestResult
    from textkin.tasks.experiments.contest import Sources as Sources
    from textkin.tasks.experiments.contest import contest as contest
    from textkin.tasks.experiments.study import StudyOptions as StudyOptions
    from textkin.tasks.experiments.study import StudyResult as StudyResult
    from textkin.tasks.experiments.study import study as study
    from textkin.tasks.experiments.verify import Verified as Verified
    from textkin.tasks.experiments.verify import verify as verify
    from textkin.tasks.hash.hash import Hashed as Hashed
    from textkin.tasks.hash.hash import HashOptions as HashOptions
    from textkin.tasks.hash.hash import hash_texts as hash_texts
    from textkin.tasks.mine.mine import MinedPairs as MinedPairs
    from textkin.tasks.mine.mine import mine as mine
    from textkin.tasks.negatives.negatives import Negatives as Negatives
    from textkin.tasks.negatives.negatives import negatives as negatives
    from textkin.tasks.negatives.options import NegativeOptions as NegativeOptions
    from textkin.tasks.train.train import train as train
    from textkin.tasks.train.train_files import TrainingFiles as TrainingFiles
    from textkin.tasks.train.train_files import train_files as train_files
    from textkin.tasks.train.training_data import Material as Material
    from textkin.tasks.use.doctor import Diagnosis as Diagnosis
    from textkin.tasks.use.doctor import doctor as doctor
    from textkin.text.truncation import Truncation as Truncation
    from textkin.vectors.long_texts import LongTexts as LongTexts
    from textkin.vectors.wanted import Wanted as Wanted

__version__ = "0.1.0"

# The same names for programs as for type checkers above.
_PUBLIC = {
    "config": ("Recipe", "load_recipe"),
    "errors": ("TextkinError",),
    "join.hamming": ("CodeTable", "hamming"),
    "protocols": ("Classifier", "Encoder", "Scorer"),
    "evaluation.test_set": ("Sampling",),
    "readers": ("Reading", "TextReading", "load_pairs", "load_texts"),
    "records": (
        *("CandidateSet", "Candidates", "Collection", "Hit", "LabelKind"),
        *("Pair", "PairSet", "Qrels", "Run", "Triplet"),
    ),
    "tasks.evaluate.calibrate": ("Calibrated", "calibrate"),
    "tasks.evaluate.compare": ("Measured", "Options", "compare", "evaluate"),
    "tasks.experiments.contest": ("ContestOptions", "ContestResult", "Sources", "contest"),
    "tasks.dedupe.dedupe": ("Deduped", "DedupeOptions", "dedupe"),
    "tasks.deploy.distil": ("DistilOptions", "Distilled", "distil"),
    "tasks.use.doctor": ("Diagnosis", "doctor"),
    "tasks.deploy.export": ("Certificate", "export"),
    "tasks.hash.hash": ("HashOptions", "Hashed", "hash_texts"),
    "tasks.data.lint": ("lint_files",),
    "tasks.train.training_data": ("Material",),
    "tasks.evaluate.measure": ("measure",),
    "tasks.mine.mine": ("MinedPairs", "mine"),
    "tasks.negatives.options": ("NegativeOptions",),
    "tasks.negatives.negatives": ("Negatives", "negatives"),
    "systems": ("fetch", "load", "load_encoder"),
    "tasks.data.split": ("split_file",),
    "tasks.experiments.study": ("StudyOptions", "StudyResult", "study"),
    "tasks.evaluate.suite": ("MeasuredSuite", "compare_suite"),
    "tasks.train.train": ("train",),
    "tasks.train.train_files": ("TrainingFiles", "train_files"),
    "tasks.experiments.verify": ("Verified", "verify"),
    "text.truncation": ("Truncation",),
    "vectors.long_texts": ("LongTexts",),
    "vectors.wanted": ("Wanted",),
}

__all__ = [name for names in _PUBLIC.values() for name in names]


def __getattr__(name: str) -> object:
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
