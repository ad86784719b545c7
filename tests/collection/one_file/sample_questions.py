"""The questions of a bundled sample, with their groups of duplicates."""

from __future__ import annotations

from textkin.data import samples


def sample_questions(count=400):
    """Texts, and the metadata of each: its topic, its group, a number."""
    rows = list(samples.rows("questions.tsv"))[:count]
    about = [
        {"topic": topic, "group": group, "number": place, "odd": place % 2 == 1}
        for place, (topic, group, _) in enumerate(rows)
    ]
    return [text for _, _, text in rows], about
