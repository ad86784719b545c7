"""``tk.score``: how similar the texts of pairs are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.hub import DEFAULT
from textkin.base.python_inputs import path_of, text_pairs_of, texts_of
from textkin.data.readers import Reading
from textkin.data.readers.from_python import loaded_pairs
from textkin.kinds.systems import AnyModel
from textkin.text.baselines.analysers import PLAIN
from textkin.verbs.use.score import Scored
from textkin.verbs.use.score import score as score_pairs


@checked
def score(
    data: Any,
    *,
    model: AnyModel = DEFAULT,
    fit_texts: Any = None,
    vectors: Path | None = None,
    seed: int = 0,
    analyser: str = PLAIN,
    decision: Path | str | float | None = None,
    reading: Reading | None = None,
) -> Scored:
    """Score pairs of texts; higher is more similar.

    Args:
        data: pairs in any sequence, one pair, a ``PairSet``, or the path of a file of pairs.
        model: a folder, the name of a cached model, a baseline, or an object with ``name`` and
            ``score(pairs)``; the encoder in the box if left out.
        fit_texts: where a baseline takes its word frequencies from: texts, or the path of their file; the
            pairs' own texts if left out.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.
        analyser: how tfidf and bm25 read: plain, or a language whose words they stem.
        decision: a file that :func:`textkin.calibrate` made for this scorer; it stands for what is saved with
            the model. Or a number: pairs that score as much are the same. It is then marked as not fitted.
        reading: how the file is read.

    Raises:
        UsageError: ``data`` holds what is no pair, or a threshold is no finite number.
        DataError: the file can't be read.
        ModelError: there is neither a model nor a baseline of that name, or the model can't be read.

    Example:
        >>> import textkin as tk
        >>> pairs = [("When do you open?", "When are you open?"), ("When do you open?", "Where can I park?")]
        >>> near, far = tk.score(pairs).scores
        >>> bool(near > far)
        True
        >>> tk.score(pairs, decision=0.7).threshold_fitted
        False
    """
    if path_of(data) is not None:
        pairs = loaded_pairs(data, reading=reading).data.texts
    else:
        pairs = text_pairs_of(data)
    known = path_of(fit_texts)
    if known is None and fit_texts is not None:
        fit_texts = texts_of(fit_texts, name="fit_texts")
    return score_pairs(
        model,
        pairs,
        fit_texts=known or fit_texts,
        vectors=vectors,
        seed=seed,
        analyser=analyser,
        decision=decision,
    )
