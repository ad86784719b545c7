"""``tk.evaluate``, ``tk.compare`` and ``tk.compare_suite``: models beside baselines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.data.readers.from_python import GivenData
from textkin.kinds.systems import AnyModel
from textkin.verbs.evaluate import compare as task
from textkin.verbs.evaluate.measured_table import Measured
from textkin.verbs.evaluate.options import Options
from textkin.verbs.evaluate.suite import MeasuredSuite
from textkin.verbs.evaluate.suite import compare_suite as measure_suite


@checked
def evaluate(data: GivenData, *, model: AnyModel, options: Options | None = None) -> Measured:
    """Measure one model beside the baselines; see :func:`compare`.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.Options(sampling=tk.Sampling(100, 100))
        >>> found = tk.evaluate(samples.pairs("support-desk"), model="default", options=options)
        >>> found.measure, found.systems.pairs
        ('AP', 1051)
    """
    return task.compare(data, [model], options=options)


@checked
def compare(data: GivenData, *, models: Sequence[AnyModel], options: Options | None = None) -> Measured:
    """Measure models and baselines on a data set, and test the differences.

    Args:
        data: labelled pairs, candidates, a collection or questions about passages: the path of a file or
            folder, records, or rows of texts and labels.
        models: folders, names of cached models, baselines, or objects with ``name`` and ``score(pairs)``,
            ``encode(texts)``, or ``read(questions, passages, k=...)`` for questions about passages;
            NAME=MODEL,MODEL,... for a system that was trained with several seeds, whose figures are the means
            over them.
        options: see :class:`Options`.

    Raises:
        UsageError: a model or measure is not known, or does not fit the data.
        DataError: the data can't be read or have no labels, or no classes that a model knows.
        LeakError: thresholds are fitted on some of the measured pairs.
        ModelError: a model can't be read.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> class Overlap:
        ...     name = "overlap"
        ...     def score(self, pairs):
        ...         return [len(set(a.lower().split()) & set(b.lower().split())) for a, b in pairs]
        >>> options = tk.Options(sampling=tk.Sampling(100, 100))
        >>> found = tk.compare(samples.pairs("travel"), models=["default", Overlap()], options=options)
        >>> {"default", "overlap", "tfidf"} <= {row["system"] for row in found.rows()}
        True
    """
    return task.compare(data, models, options=options)


@checked
def compare_suite(
    data: Path | str, *, models: Sequence[AnyModel], options: Options | None = None
) -> MeasuredSuite:
    """Measure models and baselines on a suite: tell pairs apart, find duplicates, search.

    What can't place a text alone, such as a cross-encoder, is measured on the pairs only.

    Args:
        data: the folder that ``split`` writes by the scheme "quora-ir".
        models: as :func:`compare` takes them.
        options: likewise; measures are those of the collection.

    Raises:
        UsageError: a model or measure is not known, or an option does not go with a suite.
        DataError: the folder is not what it must be.
        ModelError: a model can't be read.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> ids = {text: str(place) for place, (_, _, text) in enumerate(samples.rows("questions.tsv"))}
        >>> rows = [(a, b, same) for a, b, same in samples.pairs() if a in ids and b in ids]
        >>> pairs = tuple(tk.Pair(a, b, float(same), ids[a], ids[b]) for a, b, same in rows)
        >>> _ = tk.split(tk.PairSet(pairs, tk.LabelKind.BINARY), out="suite", scheme="quora-ir")
        >>> options = tk.Options(baselines=("constant",), sampling=tk.Sampling(100, 100))
        >>> found = tk.compare_suite("suite", models=["default"], options=options)
        >>> [part.kind for part in found.parts]
        ['pairs', 'duplicates', 'collection']
    """
    return measure_suite(data, models, options=options)
