"""The card of a model: what it is, what was measured, how it decides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textkin.report.content import FittedThreshold, StudyReport, Systems
from textkin.report.markdown import plain_text
from textkin.report.words import count, full, recall_paid, sentence

_DECISION = "## How it decides"
_USE = """## Use

```python
import textkin as tk

model = tk.load("this/folder")
model.score([("one text", "another text")])
```
"""


def card(report: StudyReport, name: str, seed: int, *, reads: str = "") -> str:
    """The card of the model that a study chose, in Markdown.

    Args:
        report: what was found.
        name: of the model.
        seed: which one it was trained with.
        reads: how much of a text it reads, in a sentence.
    """
    data = plain_text(report.data)
    about = f"A textkin model, seed {seed} of a study of {data}. {reads}".strip()
    parts = [f"# {plain_text(name)}", about]
    if report.verdict is not None:
        parts.append(plain_text(sentence(report.verdict)))
    if report.systems is not None:
        parts += ["## Measured", "\n".join(_table(report.systems, seeds=len(report.seeds)))]
    if report.threshold is not None:
        parts += [_DECISION, decision(report.threshold, fitted_on="dev")]
    if report.no_threshold:
        parts += [_DECISION, f"Not at all: {report.no_threshold}."]
    return "\n\n".join([*parts, _USE])


def with_decision(text: str, words: str) -> str:
    """The card with another decision rule."""
    section = f"{_DECISION}\n\n{words}\n"
    old = re.compile(rf"^{_DECISION}\n.*?(?=^## |\Z)", flags=re.DOTALL | re.MULTILINE)
    if old.search(text):
        return old.sub(lambda _: f"{section}\n", text)
    return f"{text.rstrip()}\n\n{section}"


def decision(threshold: FittedThreshold, *, fitted_on: str) -> str:
    """A threshold in words."""
    figures = ", ".join(f"{key} {full(value)}" for key, value in threshold.dev.items())
    said = (
        f"Threshold {threshold.value:.4f}, fitted on {plain_text(fitted_on)} for {threshold.goal}: {figures}."
    )
    if paid := recall_paid(threshold):
        said += f" {paid}"
    if threshold.test:
        figures = ", ".join(f"{key} {full(value)}" for key, value in threshold.test.items())
        said += f"\n\nOn test, unchanged: {figures}."
    return said


def _table(systems: Systems, *, seeds: int) -> Iterator[str]:
    names = list(systems.rows[0].measures)
    yield (
        f"On {count(systems.pairs or 0, 'test pair')} in {count(systems.components or 0, 'component')}, with "
        f"95 % intervals; what was trained is the mean of {count(seeds, 'seed')}."
    )
    yield ""
    yield f"| system | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for row in systems.rows:
        yield f"| {plain_text(row.name)} | {' | '.join(full(figure) for figure in row.measures.values())} |"
