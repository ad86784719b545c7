"""Choosing negatives as plain loops."""

from __future__ import annotations

from tests.reference.losses import cosine


def semi_hard(anchors, positives, texts, components, *, min_margin, max_margin):
    """(pair, negative) of each triplet, and the number of skipped pairs."""
    found, skipped = [], 0
    for i, anchor in enumerate(anchors):
        right = 1 - cosine(anchor, positives[i])
        distances = [1 - cosine(anchor, positive) for positive in positives]
        for j in sorted(range(len(positives)), key=lambda j: (distances[j], j)):
            same_text = texts[j].lower().strip() == texts[i].lower().strip()
            same_component = components is not None and components[i] == components[j]
            if not same_text and not same_component and distances[j] - right > min_margin:
                break
        else:
            skipped += 1
            continue
        if distances[j] - right < max_margin:
            found.append((i, j))
        else:
            skipped += 1
    return found, skipped
