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

from textkin.version import __version__ as __version__

if TYPE_CHECKING:
    from textkin.base.errors import TextkinError as TextkinError
    from textkin.base.results import Result as Result
    from textkin.base.text_equality import Equal as Equal
    from textkin.collection.calibration.calibration_result import CalibratedCollection as CalibratedCollection
    from textkin.collection.collection import OpenCollection as OpenCollection
    from textkin.collection.match.match import Match as Match
    from textkin.collection.match.match import MatchResult as MatchResult
    from textkin.collection.match.match_rules import MatchLabels as MatchLabels
    from textkin.collection.match.match_rules import MatchOptions as MatchOptions
    from textkin.collection.open_collection import open_collection as open_collection
    from textkin.collection.search.explain import ExplainedHit as ExplainedHit
    from textkin.collection.search.options import SearchOptions as SearchOptions
    from textkin.collection.search.search import SearchResult as SearchResult
    from textkin.collection.watch.watch import Watched as Watched
    from textkin.collection.watch.watch import WatchOptions as WatchOptions
    from textkin.collection.watch.watch import WatchState as WatchState
    from textkin.collection.watch.watch import watch as watch
    from textkin.data.attention_map import AttentionMap as AttentionMap
    from textkin.data.choice_records import ChoiceQuestion as ChoiceQuestion
    from textkin.data.choice_records import ChoiceSet as ChoiceSet
    from textkin.data.entry_records import Added as Added
    from textkin.data.entry_records import Entry as Entry
    from textkin.data.protocols import Chooser as Chooser
    from textkin.data.protocols import Classifier as Classifier
    from textkin.data.protocols import Encoder as Encoder
    from textkin.data.protocols import Scorer as Scorer
    from textkin.data.protocols import SpanReader as SpanReader
    from textkin.data.protocols import Store as Store
    from textkin.data.readers import Reading as Reading
    from textkin.data.readers import TextReading as TextReading
    from textkin.data.readers import load_pairs as load_pairs
    from textkin.data.readers import load_texts as load_texts
    from textkin.data.readers.entries import EntryReading as EntryReading
    from textkin.data.readers.from_python import as_pairs as as_pairs
    from textkin.data.records import Candidates as Candidates
    from textkin.data.records import CandidateSet as CandidateSet
    from textkin.data.records import Hit as Hit
    from textkin.data.records import LabelKind as LabelKind
    from textkin.data.records import Pair as Pair
    from textkin.data.records import PairSet as PairSet
    from textkin.data.records import Qrels as Qrels
    from textkin.data.records import RetrievalSet as RetrievalSet
    from textkin.data.records import Run as Run
    from textkin.data.records import Triplet as Triplet
    from textkin.data.span_records import Passage as Passage
    from textkin.data.span_records import Span as Span
    from textkin.data.span_records import SpanAnswer as SpanAnswer
    from textkin.data.span_records import SpanQuestion as SpanQuestion
    from textkin.data.span_records import SpanSet as SpanSet
    from textkin.data.splits.findings import LintReport as LintReport
    from textkin.data.splits.partition import KeptTogether as KeptTogether
    from textkin.data.splits.partition import Shares as Shares
    from textkin.data.token_attributions import TokenShares as TokenShares
    from textkin.kinds.explanation import Explained as Explained
    from textkin.kinds.pair_figures import Sampling as Sampling
    from textkin.kinds.squad_measures import MeasuredSpans as MeasuredSpans
    from textkin.kinds.systems import fetch as fetch
    from textkin.kinds.systems import load as load
    from textkin.kinds.systems import load_encoder as load_encoder
    from textkin.kinds.systems import load_reader as load_reader
    from textkin.measures.decisions.goal import Goal as Goal
    from textkin.measures.decisions.match_rule import MatchGoal as MatchGoal
    from textkin.measures.decisions.match_rule import MatchRule as MatchRule
    from textkin.measures.decisions.match_rule import MatchVerdict as MatchVerdict
    from textkin.measures.labels.annotators import LabelAgreement as LabelAgreement
    from textkin.measures.labels.answer_file import LabelAnswer as LabelAnswer
    from textkin.measures.labels.draws import ThresholdProof as ThresholdProof
    from textkin.models.passports import Checked as Checked
    from textkin.models.passports import Passport as Passport
    from textkin.networks.recipes.recipe import Recipe as Recipe
    from textkin.networks.recipes.recipe import load_recipe as load_recipe
    from textkin.text.truncation_account import Truncation as Truncation
    from textkin.vectors.groups.keep_rule import KeepRule as KeepRule
    from textkin.vectors.groups.linkage import Linkage as Linkage
    from textkin.vectors.join.code_bands import BandTable as BandTable
    from textkin.vectors.join.hamming import CodeTable as CodeTable
    from textkin.vectors.join.hamming import hamming as hamming
    from textkin.vectors.long_texts import LongTexts as LongTexts
    from textkin.verbs.answer.answer import Answers as Answers
    from textkin.verbs.choose.choose import Chosen as Chosen
    from textkin.verbs.classify.classify import Classified as Classified
    from textkin.verbs.classify.classify import ClassifyOptions as ClassifyOptions
    from textkin.verbs.classify.few_shot import FewShot as FewShot
    from textkin.verbs.classify.few_shot import FewShotOptions as FewShotOptions
    from textkin.verbs.cluster.cluster import ClusterMethod as ClusterMethod
    from textkin.verbs.cluster.cluster import ClusterOptions as ClusterOptions
    from textkin.verbs.cluster.cluster import Clusters as Clusters
    from textkin.verbs.data.split import SplitReport as SplitReport
    from textkin.verbs.data.split_articles import ArticleSplit as ArticleSplit
    from textkin.verbs.data.split_articles import split_articles as split_articles
    from textkin.verbs.dedupe.dedupe import Deduped as Deduped
    from textkin.verbs.dedupe.dedupe import DedupeOptions as DedupeOptions
    from textkin.verbs.dedupe.deduped_file import DedupedFile as DedupedFile
    from textkin.verbs.dedupe.evidence import Evidence as Evidence
    from textkin.verbs.dedupe.review.groups import GroupOrder as GroupOrder
    from textkin.verbs.dedupe.review.groups import ReviewCounts as ReviewCounts
    from textkin.verbs.dedupe.review.groups import ReviewedGroup as ReviewedGroup
    from textkin.verbs.dedupe.review.groups import ReviewedText as ReviewedText
    from textkin.verbs.dedupe.review.review import DedupeReview as DedupeReview
    from textkin.verbs.dedupe.review.review import review as review
    from textkin.verbs.dedupe.review.state import DecidedBy as DecidedBy
    from textkin.verbs.deploy.distil import Distilled as Distilled
    from textkin.verbs.deploy.distil import DistilOptions as DistilOptions
    from textkin.verbs.deploy.distil import distil as distil
    from textkin.verbs.deploy.export import Certificate as Certificate
    from textkin.verbs.deploy.export import export as export
    from textkin.verbs.deploy.passport import check_passport as check_passport
    from textkin.verbs.deploy.passport import passport as passport
    from textkin.verbs.ensemble.ensemble import Ensembled as Ensembled
    from textkin.verbs.ensemble.ensemble import EnsembleOptions as EnsembleOptions
    from textkin.verbs.ensemble.ensemble import ensemble as ensemble
    from textkin.verbs.evaluate.agree import AgreementResult as AgreementResult
    from textkin.verbs.evaluate.agree import agree as agree
    from textkin.verbs.evaluate.calibrate import Calibrated as Calibrated
    from textkin.verbs.evaluate.calibrate import CalibrateOptions as CalibrateOptions
    from textkin.verbs.evaluate.calibrate_spans import CalibratedReader as CalibratedReader
    from textkin.verbs.evaluate.calibrate_spans import ReaderOptions as ReaderOptions
    from textkin.verbs.evaluate.calibrate_spans import calibrate_reader as calibrate_reader
    from textkin.verbs.evaluate.compare import compare as compare
    from textkin.verbs.evaluate.compare import evaluate as evaluate
    from textkin.verbs.evaluate.corpora import Corpora as Corpora
    from textkin.verbs.evaluate.measure_run import MeasureResult as MeasureResult
    from textkin.verbs.evaluate.measure_run import measure as measure
    from textkin.verbs.evaluate.measure_runs import MeasuredRuns as MeasuredRuns
    from textkin.verbs.evaluate.measure_runs import measure_runs as measure_runs
    from textkin.verbs.evaluate.measure_spans import measure_spans as measure_spans
    from textkin.verbs.evaluate.measured_table import Measured as Measured
    from textkin.verbs.evaluate.options import Options as Options
    from textkin.verbs.evaluate.suite import MeasuredSuite as MeasuredSuite
    from textkin.verbs.evaluate.suite import compare_suite as compare_suite
    from textkin.verbs.experiments.contest import ContestOptions as ContestOptions
    from textkin.verbs.experiments.contest import ContestResult as ContestResult
    from textkin.verbs.experiments.contest import contest as contest
    from textkin.verbs.experiments.study import StudyOptions as StudyOptions
    from textkin.verbs.experiments.study import StudyResult as StudyResult
    from textkin.verbs.experiments.verify import Verified as Verified
    from textkin.verbs.experiments.verify import verify as verify
    from textkin.verbs.hash.hash import Hashed as Hashed
    from textkin.verbs.hash.hash import HashedFile as HashedFile
    from textkin.verbs.hash.hash import HashOptions as HashOptions
    from textkin.verbs.label.progress import LabelState as LabelState
    from textkin.verbs.label.session import LabelSession as LabelSession
    from textkin.verbs.label.session import label as label
    from textkin.verbs.mine.mine import mine as mine
    from textkin.verbs.mine.mined_file import MinedFile as MinedFile
    from textkin.verbs.mine.mined_pairs import MinedPairs as MinedPairs
    from textkin.verbs.negatives.negatives import Negatives as Negatives
    from textkin.verbs.negatives.negatives import negatives as negatives
    from textkin.verbs.negatives.options import NegativeOptions as NegativeOptions
    from textkin.verbs.public.answer import answer as answer
    from textkin.verbs.public.calibrate import calibrate as calibrate
    from textkin.verbs.public.choose import choose as choose
    from textkin.verbs.public.classify import classify as classify
    from textkin.verbs.public.classify import few_shot as few_shot
    from textkin.verbs.public.cluster import cluster as cluster
    from textkin.verbs.public.dedupe import dedupe as dedupe
    from textkin.verbs.public.encode import encode as encode
    from textkin.verbs.public.explain import explain as explain
    from textkin.verbs.public.hash import hash_texts as hash_texts
    from textkin.verbs.public.lint import lint as lint
    from textkin.verbs.public.mteb import as_mteb as as_mteb
    from textkin.verbs.public.score import score as score
    from textkin.verbs.public.split import split as split
    from textkin.verbs.public.study import study as study
    from textkin.verbs.public.train import TrainOptions as TrainOptions
    from textkin.verbs.public.train import train as train
    from textkin.verbs.train.dataset_splits import Sources as Sources
    from textkin.verbs.train.train import TrainingRun as TrainingRun
    from textkin.verbs.use.attention import Attention as Attention
    from textkin.verbs.use.attention import attention as attention
    from textkin.verbs.use.doctor import Diagnosis as Diagnosis
    from textkin.verbs.use.doctor import doctor as doctor
    from textkin.verbs.use.encode import Encoded as Encoded
    from textkin.verbs.use.faithfulness import Faithfulness as Faithfulness
    from textkin.verbs.use.faithfulness import faithfulness as faithfulness
    from textkin.verbs.use.score import Scored as Scored


# The same names for programs as for type checkers above.
_PUBLIC = {
    "base.errors": ("TextkinError",),
    "base.results": ("Result",),
    "base.text_equality": ("Equal",),
    "collection.calibration.calibration_result": ("CalibratedCollection",),
    "collection.collection": ("OpenCollection",),
    "collection.match.match": ("Match", "MatchResult"),
    "collection.match.match_rules": ("MatchLabels", "MatchOptions"),
    "collection.open_collection": ("open_collection",),
    "collection.search.explain": ("ExplainedHit",),
    "collection.search.options": ("SearchOptions",),
    "collection.search.search": ("SearchResult",),
    "collection.watch.watch": ("Watched", "WatchOptions", "WatchState", "watch"),
    "data.attention_map": ("AttentionMap",),
    "data.choice_records": ("ChoiceQuestion", "ChoiceSet"),
    "data.entry_records": ("Added", "Entry"),
    "data.protocols": ("Chooser", "Classifier", "Encoder", "Scorer", "SpanReader", "Store"),
    "data.readers": ("Reading", "TextReading", "load_pairs", "load_texts"),
    "data.readers.entries": ("EntryReading",),
    "data.readers.from_python": ("as_pairs",),
    "data.records": (
        "Candidates",
        "CandidateSet",
        "Hit",
        "LabelKind",
        "Pair",
        "PairSet",
        "Qrels",
        "RetrievalSet",
        "Run",
        "Triplet",
    ),
    "data.span_records": ("Passage", "Span", "SpanAnswer", "SpanQuestion", "SpanSet"),
    "data.splits.findings": ("LintReport",),
    "data.splits.partition": ("KeptTogether", "Shares"),
    "data.token_attributions": ("TokenShares",),
    "kinds.explanation": ("Explained",),
    "kinds.pair_figures": ("Sampling",),
    "kinds.squad_measures": ("MeasuredSpans",),
    "kinds.systems": ("fetch", "load", "load_encoder", "load_reader"),
    "measures.decisions.goal": ("Goal",),
    "measures.decisions.match_rule": ("MatchGoal", "MatchRule", "MatchVerdict"),
    "measures.labels.annotators": ("LabelAgreement",),
    "measures.labels.answer_file": ("LabelAnswer",),
    "measures.labels.draws": ("ThresholdProof",),
    "models.passports": ("Checked", "Passport"),
    "networks.recipes.recipe": ("Recipe", "load_recipe"),
    "text.truncation_account": ("Truncation",),
    "vectors.groups.keep_rule": ("KeepRule",),
    "vectors.groups.linkage": ("Linkage",),
    "vectors.join.code_bands": ("BandTable",),
    "vectors.join.hamming": ("CodeTable", "hamming"),
    "vectors.long_texts": ("LongTexts",),
    "verbs.answer.answer": ("Answers",),
    "verbs.choose.choose": ("Chosen",),
    "verbs.classify.classify": ("Classified", "ClassifyOptions"),
    "verbs.classify.few_shot": ("FewShot", "FewShotOptions"),
    "verbs.cluster.cluster": ("ClusterMethod", "ClusterOptions", "Clusters"),
    "verbs.data.split": ("SplitReport",),
    "verbs.data.split_articles": ("ArticleSplit", "split_articles"),
    "verbs.dedupe.dedupe": ("Deduped", "DedupeOptions"),
    "verbs.dedupe.deduped_file": ("DedupedFile",),
    "verbs.dedupe.evidence": ("Evidence",),
    "verbs.dedupe.review.groups": ("GroupOrder", "ReviewCounts", "ReviewedGroup", "ReviewedText"),
    "verbs.dedupe.review.review": ("DedupeReview", "review"),
    "verbs.dedupe.review.state": ("DecidedBy",),
    "verbs.deploy.distil": ("Distilled", "DistilOptions", "distil"),
    "verbs.deploy.export": ("Certificate", "export"),
    "verbs.deploy.passport": ("check_passport", "passport"),
    "verbs.ensemble.ensemble": ("Ensembled", "EnsembleOptions", "ensemble"),
    "verbs.evaluate.agree": ("AgreementResult", "agree"),
    "verbs.evaluate.calibrate": ("Calibrated", "CalibrateOptions"),
    "verbs.evaluate.calibrate_spans": ("CalibratedReader", "ReaderOptions", "calibrate_reader"),
    "verbs.evaluate.compare": ("compare", "evaluate"),
    "verbs.evaluate.corpora": ("Corpora",),
    "verbs.evaluate.measure_run": ("MeasureResult", "measure"),
    "verbs.evaluate.measure_runs": ("MeasuredRuns", "measure_runs"),
    "verbs.evaluate.measure_spans": ("measure_spans",),
    "verbs.evaluate.measured_table": ("Measured",),
    "verbs.evaluate.options": ("Options",),
    "verbs.evaluate.suite": ("MeasuredSuite", "compare_suite"),
    "verbs.experiments.contest": ("ContestOptions", "ContestResult", "contest"),
    "verbs.experiments.study": ("StudyOptions", "StudyResult"),
    "verbs.experiments.verify": ("Verified", "verify"),
    "verbs.hash.hash": ("Hashed", "HashedFile", "HashOptions"),
    "verbs.label.progress": ("LabelState",),
    "verbs.label.session": ("LabelSession", "label"),
    "verbs.mine.mined_pairs": ("MinedPairs",),
    "verbs.mine.mined_file": ("MinedFile",),
    "verbs.negatives.negatives": ("Negatives", "negatives"),
    "verbs.negatives.options": ("NegativeOptions",),
    "verbs.public.answer": ("answer",),
    "verbs.public.calibrate": ("calibrate",),
    "verbs.public.choose": ("choose",),
    "verbs.public.classify": ("classify", "few_shot"),
    "verbs.public.cluster": ("cluster",),
    "verbs.public.dedupe": ("dedupe",),
    "verbs.public.encode": ("encode",),
    "verbs.public.explain": ("explain",),
    "verbs.public.hash": ("hash_texts",),
    "verbs.public.lint": ("lint",),
    "verbs.mine.mine": ("mine",),
    "verbs.public.mteb": ("as_mteb",),
    "verbs.public.score": ("score",),
    "verbs.public.split": ("split",),
    "verbs.public.study": ("study",),
    "verbs.public.train": ("TrainOptions", "train"),
    "verbs.train.dataset_splits": ("Sources",),
    "verbs.train.train": ("TrainingRun",),
    "verbs.use.attention": ("Attention", "attention"),
    "verbs.use.doctor": ("Diagnosis", "doctor"),
    "verbs.use.encode": ("Encoded",),
    "verbs.use.faithfulness": ("Faithfulness", "faithfulness"),
    "verbs.use.score": ("Scored",),
}

__all__ = [name for names in _PUBLIC.values() for name in names]


def __getattr__(name: str) -> object:
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
