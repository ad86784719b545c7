"""``tk.explain``: why two texts score as they do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError
from textkin.base.hub import DEFAULT
from textkin.base.python_inputs import texts_of
from textkin.data.readers.from_python import GivenData, loaded_data
from textkin.data.records import PairSet
from textkin.kinds.explanation import Explained
from textkin.kinds.explanation import explain as explain_pair
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.systems import AnyModel
from textkin.verbs.use.faithfulness import Faithfulness
from textkin.verbs.use.faithfulness import faithfulness as faithfulness_on


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
        raise UsageError("an explanation is of two texts", fix="give a pair of them")
    return explain_pair(
        model, *texts, fit_texts=texts_of(fit_texts, name="fit_texts"), vectors=vectors, seed=seed
    )


@checked
def faithfulness(
    data: GivenData,
    *,
    model: AnyModel = DEFAULT,
    sample: int = 200,
    fit_texts: Sequence[str] = (),
    vectors: Path | None = None,
    sampling: Sampling | None = None,
) -> Faithfulness:
    """Whether a model's explanations name the words that its scores rest on.

    Args:
        data: pairs of texts, or the path of a file of them.
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        sample: so many pairs at the most, no two of which share a text.
        fit_texts: where a baseline takes its word frequencies from; all texts of the pairs if empty.
        vectors: for the baseline mean-vectors.
        sampling: of the pairs, random orders, tests and intervals.

    Raises:
        UsageError: there is no such model, or the sample is below 2.
        ModelError: the folder can't be read.
        DataError: the file can't be read, or fewer than two pairs have words.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.faithfulness(samples.pairs("travel"), model="tfidf", sample=20)
        >>> found.curves[1].area < found.curves[0].area
        True
    """
    pairs = loaded_data(data).data
    if not isinstance(pairs, PairSet):
        raise UsageError(f"{pairs.name or 'this'} holds no pairs of texts", fix="give a file of pairs")
    return faithfulness_on(
        model,
        pairs,
        sample=sample,
        fit_texts=texts_of(fit_texts, name="fit_texts"),
        vectors=vectors,
        sampling=sampling,
    )
