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
    from textkin.join.hamming import CodeTable as CodeTable
    from textkin.join.hamming import hamming as hamming
    from textkin.protocols import Classifier as Classifier
    from textkin.protocols import Encoder as Encoder
    from textkin.protocols import Scorer as Scorer
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
    from textkin.tasks.calibrate import Calibrated as Calibrated
    from textkin.tasks.calibrate import calibrate as calibrate
    from textkin.tasks.compare import Measured as Measured
    from textkin.tasks.compare import Options as Options
    from textkin.tasks.compare import compare as compare
    from textkin.tasks.compare import evaluate as evaluate
    from textkin.tasks.contest import ContestOptions as ContestOptions
    from textkin.tasks.contest import ContestResult as ContestResult
    from textkin.tasks.contest import Sources as Sources
    from textkin.tasks.contest import contest as contest
    from textkin.tasks.dedupe import Deduped as Deduped
    from textkin.tasks.dedupe import DedupeOptions as DedupeOptions
    from textkin.tasks.dedupe import dedupe as dedupe
    from textkin.tasks.distil import Distilled as Distilled
    from textkin.tasks.distil import DistilOptions as DistilOptions
    from textkin.tasks.distil import distil as distil
    from textkin.tasks.doctor import Diagnosis as Diagnosis
    from textkin.tasks.doctor import doctor as doctor
    from textkin.tasks.export import Certificate as Certificate
    from textkin.tasks.export import export as export
    from textkin.tasks.hash import Hashed as Hashed
    from textkin.tasks.hash import HashOptions as HashOptions
    from textkin.tasks.hash import hash_texts as hash_texts
    from textkin.tasks.lint import lint_files as lint_files
    from textkin.tasks.material import Material as Material
    from textkin.tasks.measure import measure as measure
    from textkin.tasks.mine import MinedPairs as MinedPairs
    from textkin.tasks.mine import mine as mine
    from textkin.tasks.negative_options import NegativeOptions as NegativeOptions
    from textkin.tasks.negatives import Negatives as Negatives
    from textkin.tasks.negatives import negatives as negatives
    from textkin.tasks.resolve import load as load
    from textkin.tasks.resolve import load_encoder as load_encoder
    from textkin.tasks.split import split_file as split_file
    from textkin.tasks.study import StudyOptions as StudyOptions
    from textkin.tasks.study import StudyResult as StudyResult
    from textkin.tasks.study import study as study
    from textkin.tasks.suite import MeasuredSuite as MeasuredSuite
    from textkin.tasks.suite import compare_suite as compare_suite
    from textkin.tasks.train import train as train
    from textkin.tasks.verify import Verified as Verified
    from textkin.tasks.verify import verify as verify

__version__ = "0.1.0"

# The same names for programs as for type checkers above.
_PUBLIC = {
    "config": ("Recipe", "load_recipe"),
    "errors": ("TextkinError",),
    "join.hamming": ("CodeTable", "hamming"),
    "protocols": ("Classifier", "Encoder", "Scorer"),
    "readers": ("load_pairs", "load_texts"),
    "records": (
        *("CandidateSet", "Candidates", "Collection", "Hit", "LabelKind"),
        *("Pair", "PairSet", "Qrels", "Run", "Triplet"),
    ),
    "tasks.calibrate": ("Calibrated", "calibrate"),
    "tasks.compare": ("Measured", "Options", "compare", "evaluate"),
    "tasks.contest": ("ContestOptions", "ContestResult", "Sources", "contest"),
    "tasks.dedupe": ("Deduped", "DedupeOptions", "dedupe"),
    "tasks.distil": ("DistilOptions", "Distilled", "distil"),
    "tasks.doctor": ("Diagnosis", "doctor"),
    "tasks.export": ("Certificate", "export"),
    "tasks.hash": ("HashOptions", "Hashed", "hash_texts"),
    "tasks.lint": ("lint_files",),
    "tasks.material": ("Material",),
    "tasks.measure": ("measure",),
    "tasks.mine": ("MinedPairs", "mine"),
    "tasks.negative_options": ("NegativeOptions",),
    "tasks.negatives": ("Negatives", "negatives"),
    "tasks.resolve": ("load", "load_encoder"),
    "tasks.split": ("split_file",),
    "tasks.study": ("StudyOptions", "StudyResult", "study"),
    "tasks.suite": ("MeasuredSuite", "compare_suite"),
    "tasks.train": ("train",),
    "tasks.verify": ("Verified", "verify"),
}

__all__ = [name for names in _PUBLIC.values() for name in names]


def __getattr__(name: str) -> object:
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
