"""``explain``: the words that make the score of two texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textkin.base.verbs import verb
from textkin.verbs.options import FitTexts, ScorerModel, Seed, WordVectors

if TYPE_CHECKING:
    from textkin.kinds.explanation import Explained


@verb
def explain(
    a: str,
    b: str,
    /,
    model: ScorerModel = "default",
    *,
    fit: FitTexts = None,
    vectors: WordVectors = None,
    seed: Seed = 0,
) -> Explained:
    """Show which words make the score of two texts.

    Of static embeddings, tfidf, bm25, models that add up vectors of tokens, and late interaction, each pair
    of tokens has a share, and the shares add up to the score. For other models each word is left out in turn,
    and its weight is the drop of the score.

    Returns:
        :class:`Explained`.

    Raises:
        UsageError: there is no such folder or baseline.
        ModelError: the folder can't be read.

    Example:
        >>> import textkin as tk
        >>> found = tk.explain("reset my password", "forgot my password", model="tfidf")
        >>> [one.token for one in found.first_tokens]
        ['reset', 'my', 'password']
    """
    from textkin.kinds.explanation import explain as explain_pair
    from textkin.kinds.systems import refuse_fit, refuse_vectors
    from textkin.verbs.inputs import fit_texts_from

    refuse_vectors(vectors, model)
    refuse_fit(fit, model)
    return explain_pair(model, a, b, fit_texts=fit_texts_from(fit) or (), vectors=vectors, seed=seed)
