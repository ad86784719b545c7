"""``tk.explain``: why two texts score as they do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.errors import invalid
from textkin.base.hub import DEFAULT
from textkin.base.python_inputs import texts_of
from textkin.kinds.explanation import Explained
from textkin.kinds.explanation import explain as explain_pair
from textkin.kinds.systems import AnyModel


@checked
def explain(
    data: Sequence[str],
    *,
    model: AnyModel = DEFAULT,
    fit_texts: Sequence[str] = (),
    vectors: Path | None = None,
    seed: int = 0,
) -> Explained:
    """The words that make the score of two texts.

    Args:
        data: two texts.
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        fit_texts: where a baseline takes its word frequencies from; the two texts if empty.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.

    Raises:
        UsageError: there are not two texts, or there is neither a folder nor a baseline of that name.
        ModelError: the folder can't be read.

    Example:
        >>> import textkin as tk
        >>> found = tk.explain(("reset my password", "forgot my password"), model="tfidf")
        >>> [one.token for one in found.first_tokens]
        ['reset', 'my', 'password']
    """
    texts = texts_of(data)
    if len(texts) != 2:
        raise invalid("data", f"{len(texts)} texts", expected="a pair of texts")
    return explain_pair(
        model, *texts, fit_texts=texts_of(fit_texts, name="fit_texts"), vectors=vectors, seed=seed
    )
