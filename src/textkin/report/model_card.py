"""A model card: description, results, and decision rule."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from textkin.base.counts import count
from textkin.base.files import write_text
from textkin.base.paths import is_file
from textkin.report.content import Estimate, FittedThreshold, StudyReport, Systems
from textkin.report.figure_words import full, recall_paid, sentence
from textkin.report.markdown import plain_text

_DECISION = "## How it decides"
_USE = """## Use

```python
import textkin as tk

model = tk.load("this/folder")
model.score([("one text", "another text")])
```
"""


def card(report: StudyReport, name: str, seed: int, *, origin: str = "") -> str:
    """The card of the model selected by a study, in Markdown.

    Args:
        report: the study's report.
        name: the model's name.
        seed: its training seed.
        origin: its maximum text length and its pretraining, in sentences.
    """
    data = plain_text(report.data)
    about = f"A textkin model, seed {seed} of a study of {data}. {origin}".strip()
    parts = [f"# {plain_text(name)}", about]
    if report.verdict is not None:
        parts.append(plain_text(sentence(report.verdict)))
    if report.systems is not None:
        parts += ["## Measured", "\n".join(_table(report.systems, seeds=len(report.seeds)))]
    if report.threshold is not None:
        parts += [_DECISION, decision(report.threshold, fitted_on="dev")]
    if report.no_threshold:
        parts += [
            _DECISION,
            f"It has no threshold, so it scores pairs but decides nothing. {report.no_threshold}.",
        ]
    return "\n\n".join([*parts, _USE])


def tell_decision(path: Path, words: str, *, name: str) -> None:
    """Write a new decision rule into the card at ``path``; a model without a card gets one."""
    old = path.read_text(encoding="utf-8") if is_file(path) else f"# {plain_text(name)}\n"
    write_text(path, with_decision(old, words))


def with_decision(text: str, words: str) -> str:
    """The card with a new decision rule."""
    section = f"{_DECISION}\n\n{words}\n"
    old = re.compile(rf"^{_DECISION}\n.*?(?=^## |\Z)", flags=re.DOTALL | re.MULTILINE)
    if old.search(text):
        return old.sub(lambda _: f"{section}\n", text)
    return f"{text.rstrip()}\n\n{section}"


def decision(threshold: FittedThreshold, *, fitted_on: str) -> str:
    """A threshold in words."""
    said = (
        f"Threshold {threshold.value:.4f}, fitted on {plain_text(fitted_on)} for {threshold.goal}: "
        f"{_listed(threshold.dev)}."
    )
    if paid := recall_paid(threshold):
        said += f" {paid}"
    if threshold.test:
        said += f"\n\nOn test, unchanged: {_listed(threshold.test)}."
    return said


def no_answer(said: str, *, expected: Mapping[str, Estimate], test: Mapping[str, Estimate] | None) -> str:
    """A reader's no-answer rule, and its effect."""
    parts = [f"{plain_text(said)}.", f"Expected on other questions: {_listed(expected)}."]
    if test is not None:
        parts.append(f"On test, unchanged: {_listed(test)}.")
    return "\n\n".join(parts)


def _listed(figures: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{key} {full(value)}" for key, value in figures.items())


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
