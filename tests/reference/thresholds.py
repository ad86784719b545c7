"""Thresholds by trying every one of them."""

from __future__ import annotations


def tried(labels: list[float], scores: list[float]) -> list[dict[str, float]]:
    """The result of every distinct decision, from accepting nothing to accepting all."""
    results = []
    for threshold in [float("inf"), *sorted(set(scores), reverse=True)]:
        taken = [score >= threshold for score in scores]
        found = sum(label == 1 and one for label, one in zip(labels, taken, strict=True))
        right = sum((label == 1) == one for label, one in zip(labels, taken, strict=True))
        precision = found / sum(taken) if any(taken) else 0.0
        recall = found / sum(labels)
        f1 = 2 * precision * recall / (precision + recall) if found else 0.0
        results.append({"precision": precision, "recall": recall, "f1": f1, "accuracy": right / len(labels)})
    return results
