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
    from textkin.data.records import Collection as Collection
    from textkin.data.records import Hit as Hit
    from textkin.data.records import LabelKind as LabelKind
    from textkin.data.records import Pair as Pair
    from textkin.data.records import PairSet as PairSet
    from textkin.data.records import Qrels as Qrels
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
    from textkin.data.token_shares import TokenShares as TokenShares
    from textkin.kinds.explanation import Explained as Explained
    from textkin.kinds.span_predictions import MeasuredSpans as MeasuredSpans
    from textkin.kinds.systems import fetch as fetch
    from textkin.kinds.systems import load as load
    from textkin.kinds.systems import load_encoder as load_encoder
    from textkin.kinds.systems import load_reader as load_reader
    from textkin.kinds.test_set import Sampling as Sampling
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
    from textkin.tasks.answer.answer import Answers as Answers
    from textkin.tasks.choose.choose import Chosen as Chosen
    from textkin.tasks.classify.classify import Classified as Classified
    from textkin.tasks.classify.classify import ClassifyOptions as ClassifyOptions
    from textkin.tasks.classify.few_shot import FewShot as FewShot
    from textkin.tasks.classify.few_shot import FewShotOptions as FewShotOptions
    from textkin.tasks.cluster.cluster import ClusterMethod as ClusterMethod
    from textkin.tasks.cluster.cluster import ClusterOptions as ClusterOptions
    from textkin.tasks.cluster.cluster import Clusters as Clusters
    from textkin.tasks.data.split import SplitReport as SplitReport
    from textkin.tasks.data.split_articles import ArticleSplit as ArticleSplit
    from textkin.tasks.dedupe.dedupe import Deduped as Deduped
    from textkin.tasks.dedupe.dedupe import DedupeOptions as DedupeOptions
    from textkin.tasks.dedupe.deduped_file import DedupedFile as DedupedFile
    from textkin.tasks.dedupe.evidence import Evidence as Evidence
    from textkin.tasks.dedupe.review.groups import GroupOrder as GroupOrder
    from textkin.tasks.dedupe.review.groups import ReviewCounts as ReviewCounts
    from textkin.tasks.dedupe.review.groups import ReviewedGroup as ReviewedGroup
    from textkin.tasks.dedupe.review.groups import ReviewedText as ReviewedText
    from textkin.tasks.dedupe.review.review import DedupeReview as DedupeReview
    from textkin.tasks.dedupe.review.review import review as review
    from textkin.tasks.dedupe.review.state import DecidedBy as DecidedBy
    from textkin.tasks.deploy.distil import Distilled as Distilled
    from textkin.tasks.deploy.distil import DistilOptions as DistilOptions
    from textkin.tasks.deploy.export import Certificate as Certificate
    from textkin.tasks.ensemble.ensemble import Ensembled as Ensembled
    from textkin.tasks.ensemble.ensemble import EnsembleOptions as EnsembleOptions
    from textkin.tasks.evaluate.agree import AgreementResult as AgreementResult
    from textkin.tasks.evaluate.calibrate import Calibrated as Calibrated
    from textkin.tasks.evaluate.calibrate import CalibrateOptions as CalibrateOptions
    from textkin.tasks.evaluate.calibrate_spans import CalibratedReader as CalibratedReader
    from textkin.tasks.evaluate.calibrate_spans import ReaderOptions as ReaderOptions
    from textkin.tasks.evaluate.corpora import Corpora as Corpora
    from textkin.tasks.evaluate.measure import MeasureResult as MeasureResult
    from textkin.tasks.evaluate.measure_runs import MeasuredRuns as MeasuredRuns
    from textkin.tasks.evaluate.measure_runs import measure_runs as measure_runs
    from textkin.tasks.evaluate.measured import Measured as Measured
    from textkin.tasks.evaluate.options import Options as Options
    from textkin.tasks.evaluate.suite import MeasuredSuite as MeasuredSuite
    from textkin.tasks.experiments.contest import ContestOptions as ContestOptions
    from textkin.tasks.experiments.contest import ContestResult as ContestResult
    from textkin.tasks.experiments.study import StudyOptions as StudyOptions
    from textkin.tasks.experiments.study import StudyResult as StudyResult
    from textkin.tasks.experiments.verify import Verified as Verified
    from textkin.tasks.experiments.verify import verify as verify
    from textkin.tasks.hash.hash import Hashed as Hashed
    from textkin.tasks.hash.hash import HashedFile as HashedFile
    from textkin.tasks.hash.hash import HashOptions as HashOptions
    from textkin.tasks.label.begin import label as label
    from textkin.tasks.label.session import LabelSession as LabelSession
    from textkin.tasks.label.state import LabelState as LabelState
    from textkin.tasks.mine.mine import MinedPairs as MinedPairs
    from textkin.tasks.mine.mine_file import MinedFile as MinedFile
    from textkin.tasks.negatives.negatives import Negatives as Negatives
    from textkin.tasks.negatives.options import NegativeOptions as NegativeOptions
    from textkin.tasks.train.dataset import Sources as Sources
    from textkin.tasks.train.train import TrainingRun as TrainingRun
    from textkin.tasks.use.attention import Attention as Attention
    from textkin.tasks.use.doctor import Diagnosis as Diagnosis
    from textkin.tasks.use.doctor import doctor as doctor
    from textkin.tasks.use.encode import Encoded as Encoded
    from textkin.tasks.use.faithful import Faithfulness as Faithfulness
    from textkin.tasks.use.score import Scored as Scored
    from textkin.text.truncation import Truncation as Truncation
    from textkin.vectors.groups.keep_rule import Keep as Keep
    from textkin.vectors.groups.linkage import Linkage as Linkage
    from textkin.vectors.join.code_bands import BandTable as BandTable
    from textkin.vectors.join.hamming import CodeTable as CodeTable
    from textkin.vectors.join.hamming import hamming as hamming
    from textkin.vectors.long_texts import LongTexts as LongTexts
    from textkin.verbs.agree import agree as agree
    from textkin.verbs.answer import answer as answer
    from textkin.verbs.attention import attention as attention
    from textkin.verbs.calibrate import calibrate as calibrate
    from textkin.verbs.calibrate import calibrate_reader as calibrate_reader
    from textkin.verbs.choose import choose as choose
    from textkin.verbs.classify import classify as classify
    from textkin.verbs.classify import few_shot as few_shot
    from textkin.verbs.cluster import cluster as cluster
    from textkin.verbs.compare import compare as compare
    from textkin.verbs.compare import compare_suite as compare_suite
    from textkin.verbs.compare import evaluate as evaluate
    from textkin.verbs.dedupe import dedupe as dedupe
    from textkin.verbs.deploy import check_passport as check_passport
    from textkin.verbs.deploy import distil as distil
    from textkin.verbs.deploy import export as export
    from textkin.verbs.deploy import passport as passport
    from textkin.verbs.encode import encode as encode
    from textkin.verbs.ensemble import ensemble as ensemble
    from textkin.verbs.explain import explain as explain
    from textkin.verbs.explain import faithfulness as faithfulness
    from textkin.verbs.hash import hash_texts as hash_texts
    from textkin.verbs.lint import lint as lint
    from textkin.verbs.measure import measure as measure
    from textkin.verbs.measure import measure_spans as measure_spans
    from textkin.verbs.mine import MineOptions as MineOptions
    from textkin.verbs.mine import mine as mine
    from textkin.verbs.mteb import as_mteb as as_mteb
    from textkin.verbs.negatives import negatives as negatives
    from textkin.verbs.score import score as score
    from textkin.verbs.split import split as split
    from textkin.verbs.split import split_articles as split_articles
    from textkin.verbs.study import contest as contest
    from textkin.verbs.study import study as study
    from textkin.verbs.train import TrainOptions as TrainOptions
    from textkin.verbs.train import train as train


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
        "Collection",
        "Hit",
        "LabelKind",
        "Pair",
        "PairSet",
        "Qrels",
        "Run",
        "Triplet",
    ),
    "data.span_records": ("Passage", "Span", "SpanAnswer", "SpanQuestion", "SpanSet"),
    "data.splits.findings": ("LintReport",),
    "data.splits.partition": ("KeptTogether", "Shares"),
    "data.token_shares": ("TokenShares",),
    "kinds.explanation": ("Explained",),
    "kinds.span_predictions": ("MeasuredSpans",),
    "kinds.systems": ("fetch", "load", "load_encoder", "load_reader"),
    "kinds.test_set": ("Sampling",),
    "measures.decisions.goal": ("Goal",),
    "measures.decisions.match_rule": ("MatchGoal", "MatchRule", "MatchVerdict"),
    "measures.labels.annotators": ("LabelAgreement",),
    "measures.labels.answer_file": ("LabelAnswer",),
    "measures.labels.draws": ("ThresholdProof",),
    "models.passports": ("Checked", "Passport"),
    "networks.recipes.recipe": ("Recipe", "load_recipe"),
    "tasks.answer.answer": ("Answers",),
    "tasks.choose.choose": ("Chosen",),
    "tasks.classify.classify": ("Classified", "ClassifyOptions"),
    "tasks.classify.few_shot": ("FewShot", "FewShotOptions"),
    "tasks.cluster.cluster": ("ClusterMethod", "ClusterOptions", "Clusters"),
    "tasks.data.split": ("SplitReport",),
    "tasks.data.split_articles": ("ArticleSplit",),
    "tasks.dedupe.dedupe": ("Deduped", "DedupeOptions"),
    "tasks.dedupe.deduped_file": ("DedupedFile",),
    "tasks.dedupe.evidence": ("Evidence",),
    "tasks.dedupe.review.groups": ("GroupOrder", "ReviewCounts", "ReviewedGroup", "ReviewedText"),
    "tasks.dedupe.review.review": ("DedupeReview", "review"),
    "tasks.dedupe.review.state": ("DecidedBy",),
    "tasks.deploy.distil": ("Distilled", "DistilOptions"),
    "tasks.deploy.export": ("Certificate",),
    "tasks.ensemble.ensemble": ("Ensembled", "EnsembleOptions"),
    "tasks.evaluate.agree": ("AgreementResult",),
    "tasks.evaluate.calibrate": ("Calibrated", "CalibrateOptions"),
    "tasks.evaluate.calibrate_spans": ("CalibratedReader", "ReaderOptions"),
    "tasks.evaluate.corpora": ("Corpora",),
    "tasks.evaluate.measure": ("MeasureResult",),
    "tasks.evaluate.measure_runs": ("MeasuredRuns", "measure_runs"),
    "tasks.evaluate.measured": ("Measured",),
    "tasks.evaluate.options": ("Options",),
    "tasks.evaluate.suite": ("MeasuredSuite",),
    "tasks.experiments.contest": ("ContestOptions", "ContestResult"),
    "tasks.experiments.study": ("StudyOptions", "StudyResult"),
    "tasks.experiments.verify": ("Verified", "verify"),
    "tasks.hash.hash": ("Hashed", "HashedFile", "HashOptions"),
    "tasks.label.begin": ("label",),
    "tasks.label.session": ("LabelSession",),
    "tasks.label.state": ("LabelState",),
    "tasks.mine.mine": ("MinedPairs",),
    "tasks.mine.mine_file": ("MinedFile",),
    "tasks.negatives.negatives": ("Negatives",),
    "tasks.negatives.options": ("NegativeOptions",),
    "tasks.train.dataset": ("Sources",),
    "tasks.train.train": ("TrainingRun",),
    "tasks.use.attention": ("Attention",),
    "tasks.use.doctor": ("Diagnosis", "doctor"),
    "tasks.use.encode": ("Encoded",),
    "tasks.use.faithful": ("Faithfulness",),
    "tasks.use.score": ("Scored",),
    "text.truncation": ("Truncation",),
    "vectors.groups.keep_rule": ("Keep",),
    "vectors.groups.linkage": ("Linkage",),
    "vectors.join.code_bands": ("BandTable",),
    "vectors.join.hamming": ("CodeTable", "hamming"),
    "vectors.long_texts": ("LongTexts",),
    "verbs.agree": ("agree",),
    "verbs.answer": ("answer",),
    "verbs.attention": ("attention",),
    "verbs.calibrate": ("calibrate", "calibrate_reader"),
    "verbs.choose": ("choose",),
    "verbs.classify": ("classify", "few_shot"),
    "verbs.cluster": ("cluster",),
    "verbs.compare": ("compare", "compare_suite", "evaluate"),
    "verbs.dedupe": ("dedupe",),
    "verbs.deploy": ("check_passport", "distil", "export", "passport"),
    "verbs.encode": ("encode",),
    "verbs.ensemble": ("ensemble",),
    "verbs.explain": ("explain", "faithfulness"),
    "verbs.hash": ("hash_texts",),
    "verbs.lint": ("lint",),
    "verbs.measure": ("measure", "measure_spans"),
    "verbs.mine": ("MineOptions", "mine"),
    "verbs.mteb": ("as_mteb",),
    "verbs.negatives": ("negatives",),
    "verbs.score": ("score",),
    "verbs.split": ("split", "split_articles"),
    "verbs.study": ("contest", "study"),
    "verbs.train": ("TrainOptions", "train"),
}

__all__ = [name for names in _PUBLIC.values() for name in names]


def __getattr__(name: str) -> object:
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
