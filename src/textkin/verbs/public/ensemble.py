"""``tk.ensemble``: several systems as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.data.choice_records import ChoiceSet
from textkin.data.readers.from_python import GivenData
from textkin.verbs.ensemble.ensemble import Ensembled, EnsembleOptions
from textkin.verbs.ensemble.ensemble import ensemble as combine


@checked
def ensemble(
    data: GivenData | ChoiceSet,
    *,
    members: Sequence[str | Path],
    out: Path | str,
    rule: str = "weighted",
    options: EnsembleOptions | None = None,
) -> Ensembled:
    """Combine models and baselines into one system, in a directory that loads like a model.

    Args:
        data: dev, which no member has learnt from: labelled pairs, candidates, questions about passages or
            with choices; a path, records, or rows of texts and labels.
        members: folders, names of cached models, baselines; two or more, all of one kind.
        out: the directory; the members stay where they are.
        rule: "mean" of normalised scores; "rank" within the question, or of pairs among dev scores;
            "weighted", the mean by weights that are the best on dev; "logistic" regression; "sum" of
            probabilities.
        options: folds, intervals and more; see :class:`EnsembleOptions`.

    Raises:
        UsageError: there are too few members, they are of different kinds, or the rule doesn't suit the data.
        ModelError: a member can't be read.
        DataError: the data can't be read, or have too few groups to hold some out.
        LeakError: a member was trained on more than 1 % of the data.
        OutputError: ``out`` holds something else, or can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.EnsembleOptions(sampling=tk.Sampling(100, 100))
        >>> dev, members = samples.pairs("travel"), ["default", "minhash"]
        >>> found = tk.ensemble(dev, members=members, out="two", rule="mean", options=options)
        >>> tk.load("two").score([("one text", "another")]).shape
        (1,)
    """
    return combine(members, data, out=out, rule=rule, options=options)
