"""A report with every part filled, from random scores, so that plots look realistic."""

import numpy as np

from textkin.report.content import (
    ByClass,
    CalibrationPlot,
    ClassRow,
    ConfusionCounts,
    Epoch,
    Estimate,
    FittedThreshold,
    FoundDuplicates,
    LabelCurve,
    LabelPoint,
    PrecisionRecall,
    PrecisionRecallCurve,
    ReferenceDifference,
    Reliability,
    ReliabilityBin,
    ScoredPair,
    ScoreHistogram,
    StudyReport,
    SystemRow,
    Systems,
    TrainingCurve,
    Verdict,
    VerdictKind,
    WorstErrors,
)
from textkin.report.data_facts import DataFacts, LintFinding, Reproduction, SplitSide

RECIPE = """[model]
name = "siamese-lstm"
dim = 128
pooling = "mean"

[train]
epochs = 6
batch_size = 256
learning_rate = 0.001
"""


def full_report() -> StudyReport:
    """Every part of a report, as in a study of 3,000 test pairs."""
    random = np.random.default_rng(7)
    return StudyReport(
        title="Study of quora_duplicate_questions.tsv",
        data="quora_duplicate_questions.tsv",
        made="2026-11-21",
        version="0.1.0",
        measure="AP",
        seeds=(1, 2, 3),
        verdict=verdict(),
        systems=systems(),
        by_class=by_class(),
        threshold=threshold(),
        precision_recall=PrecisionRecall(
            curves=(
                _curve(random, "siamese-lstm", 1.15, trained=True, area=Estimate(0.742, 0.731, 0.753)),
                _curve(random, "TF-IDF", 0.9, trained=False, area=Estimate(0.701, 0.689, 0.713)),
            ),
            positive_share=0.372,
        ),
        histogram=_histogram(random),
        calibration=CalibrationPlot(
            system="siamese-lstm",
            method="isotonic regression",
            after=_reliability(random, 0.01, Estimate(0.012, 0.008, 0.019), Estimate(0.163, 0.159, 0.168)),
            before=_reliability(random, 0.14, Estimate(0.131, 0.122, 0.14), Estimate(0.192, 0.187, 0.198)),
        ),
        training=tuple(_training(random, seed) for seed in (1, 2, 3)),
        label_curve=LabelCurve(
            system="siamese-lstm",
            points=(
                LabelPoint(0.12, 2613, Estimate(0.668, 0.655, 0.681)),
                LabelPoint(0.25, 5444, Estimate(0.699, 0.687, 0.711)),
                LabelPoint(0.5, 10889, Estimate(0.724, 0.712, 0.736)),
                LabelPoint(1.0, 21778, Estimate(0.742, 0.731, 0.753)),
            ),
            baseline="TF-IDF",
            baseline_value=0.701,
        ),
        errors=errors(),
        duplicates=FoundDuplicates(
            system="siamese-lstm",
            texts=120,
            threshold=0.8127,
            pairs=(
                ScoredPair("Where do I change my password?", "How can I set a new password?", 0.9431, 0.96),
                ScoredPair("ما هي عاصمة فرنسا؟", "What is the capital of France?", 0.871, 0.88),
                ScoredPair("Is the pool heated? 🏊", "Does the hotel warm its pool in winter?", 0.8204, 0.79),
            ),
        ),
        facts=facts(),
        reproduction=Reproduction(
            command="textkin study quora_duplicate_questions.tsv --out runs/quora --seeds 3",
            recipe=RECIPE,
            hashes={"data": "9f" * 32, "split": "03" * 32, "model seed 1": "c4" * 32},
            versions={"python": "3.11.9", "torch": "2.13.0", "numpy": "2.4.6", "textkin": "0.1.0"},
            machine="2 cores, 4 GiB, Linux x86-64, no GPU",
        ),
    )


def bare_report() -> StudyReport:
    """A report with only the required parts."""
    return StudyReport(
        title="Nothing yet", data="pairs.tsv", made="2026-11-21", version="0.1.0", measure="AP"
    )


def verdict(kind: VerdictKind = VerdictKind.BETTER) -> Verdict:
    return Verdict(kind, "siamese-lstm", "TF-IDF", "AP", 0.041, 0.028, 0.054, 0.0002, seeds=3)


def systems() -> Systems:
    def row(name, trained, ap, auc, f1, gain=None, **more):
        against = {}
        if gain is not None:
            against["TF-IDF"] = ReferenceDifference(
                Estimate(gain, gain - 0.012, gain + 0.012), 0.0002 if abs(gain) > 0.013 else 0.41
            )
        measures = {
            "accuracy": Estimate(0.6 + ap / 5, 0.59 + ap / 5, 0.61 + ap / 5),
            "AP": Estimate(ap, ap - 0.011, ap + 0.011),
            "ROC AUC": Estimate(auc, auc - 0.009, auc + 0.009),
            "F1": Estimate(f1, f1 - 0.012, f1 + 0.012),
        }
        return SystemRow(name, trained, measures, against=against, **more)

    cost = {"seeds_sd": 0.0031, "seconds": 131.0, "parameters": 1_240_512}
    return Systems(
        rows=(
            row("constant", False, 0.372, 0.5, 0.542, -0.329),
            row("random", False, 0.374, 0.501, 0.541, -0.327),
            row("TF-IDF", False, 0.701, 0.811, 0.702),
            row("TF-IDF, characters", False, 0.694, 0.807, 0.699, -0.007),
            row("BM25", False, 0.655, 0.779, 0.681, -0.046),
            row("mean-vectors", False, 0.682, 0.8, 0.694, -0.019, note="potion-base-4m-int8"),
            row("siamese-lstm", True, 0.742, 0.846, 0.731, 0.041, **cost),
            row(
                "siamese-mean",
                True,
                0.706,
                0.82,
                0.707,
                0.005,
                seeds_sd=0.0012,
                seconds=22.0,
                parameters=980_000,
            ),
        ),
        references=("TF-IDF",),
        pairs=4667,
        components=3981,
        detectable=0.0149,
    )


def by_class() -> ByClass:
    def row(name: str, pairs: int, figure: float, called: tuple[int, ...]) -> ClassRow:
        precision, recall, f1 = (
            Estimate(value, value - 0.02, value + 0.02) for value in (figure + 0.03, figure - 0.02, figure)
        )
        return ClassRow(name, pairs, precision, recall, f1, called)

    return ByClass(
        system="siamese-lstm",
        classes=("not the same", "same", "can't <tell>"),
        rows=(row("not the same", 2931, 0.82, (2703, 228, 0)), row("same", 1736, 0.58, (902, 830, 4))),
        seeds=3,
    )


def threshold() -> FittedThreshold:
    return FittedThreshold(
        system="siamese-lstm",
        goal="precision of at least 0.9",
        value=0.81274,
        dev={"precision": Estimate(0.9003, 0.879, 0.921), "recall": Estimate(0.31, 0.288, 0.331)},
        test={
            "precision": Estimate(0.894, 0.872, 0.915),
            "recall": Estimate(0.305, 0.284, 0.327),
            "F1": Estimate(0.455, 0.431, 0.479),
            "accuracy": Estimate(0.728, 0.716, 0.74),
        },
        confusion=ConfusionCounts(530, 63, 1206, 2868),
        goal_measure="precision",
        goal_value=0.9,
        by_estimate=0.402,
    )


def errors() -> WorstErrors:
    return WorstErrors(
        system="siamese-lstm",
        false_positives=(
            ScoredPair("How do I reset my password?", "How do I reset my router?", 0.981, 0.95),
            ScoredPair("Is it safe to eat raw eggs?", "Is it not safe to eat raw eggs? " * 5, 0.967, 0.94),
            ScoredPair("<script>alert('a')</script>", "Supercalifragilistic" * 9, 0.955, 0.93),
        ),
        false_negatives=(
            ScoredPair(
                "Why won't my bread rise?", "My loaves always come out flat, what's wrong?", 0.104, 0.03
            ),
            ScoredPair("איך מבשלים אורז?", "How is rice cooked? 🍚", 0.131, 0.04),
        ),
    )


def facts() -> DataFacts:
    return DataFacts(
        files=("quora_duplicate_questions.tsv",),
        rows=31_114,
        skipped={"a text is empty": 2, "the label is missing": 1},
        sides=(
            SplitSide("train", 21_778, 18_602, {"same": 0.3714, "not the same": 0.6286}),
            SplitSide("dev", 4_666, 3_978, {"same": 0.3721, "not the same": 0.6279}),
            SplitSide("test", 4_667, 3_981, {"same": 0.3719, "not the same": 0.6281}),
        ),
        dropped=0,
        proof=(
            "No normalised text of test is in train or dev: 0 of 8,931 texts.",
            "No group of duplicates and shared questions has pairs on two sides: 0 of 26,561.",
        ),
        lint=(
            LintFinding("repeated pair", 14, "How do I cook rice? | How do I cook rice well?"),
            LintFinding("contradictory labels", 3, "Is 5 > 3? | Is five more than three?"),
        ),
    )


def _curve(random, name, gap, *, trained, area) -> PrecisionRecallCurve:
    labels = random.random(3000) < 0.372
    scores = random.normal(0, 1, 3000) + gap * 1.3 * labels
    hits = np.cumsum(labels[np.argsort(-scores)])
    recall, precision = hits / hits[-1], hits / np.arange(1, 3001)
    return PrecisionRecallCurve(name, trained, tuple(recall.tolist()), tuple(precision.tolist()), area)


def _histogram(random) -> ScoreHistogram:
    edges = np.linspace(-0.2, 1, 31)
    same = np.histogram(np.clip(random.normal(0.72, 0.16, 1736), -0.2, 1), edges)[0]
    other = np.histogram(np.clip(random.normal(0.45, 0.2, 2931), -0.2, 1), edges)[0]
    return ScoreHistogram(
        "siamese-lstm", tuple(edges.tolist()), tuple(same.tolist()), tuple(other.tolist()), 0.81274
    )


def _reliability(random, bend, ece, brier) -> Reliability:
    said = np.linspace(0.05, 0.95, 10)
    true = np.clip(said - bend * np.sin(said * np.pi) + random.normal(0, 0.012, 10), 0, 1)
    counts = random.integers(90, 900, 10)
    bins = zip(said.tolist(), true.tolist(), counts.tolist(), strict=True)
    return Reliability(tuple(ReliabilityBin(*each) for each in bins), ece, brier)


def _training(random, seed) -> TrainingCurve:
    epochs = tuple(
        Epoch(
            epoch,
            float(0.31 * 0.72**epoch + random.normal(0.05, 0.004)),
            float(0.74 - 0.12 * 0.5**epoch - 0.004 * max(0, epoch - 4) + random.normal(0, 0.003)),
        )
        for epoch in range(1, 7)
    )
    return TrainingCurve("siamese-lstm", seed, epochs, best_epoch=4)
