"""``score``: compare texts with a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option, given
from textkin.base.verbs import verb
from textkin.verbs import options

if TYPE_CHECKING:
    from textkin.kinds.explanation import Explained
    from textkin.verbs.use.faithfulness import Faithfulness
    from textkin.verbs.use.scored import Score, Scored, ScoredFile

_OF_SCORES = "threshold", "decision", "attention", "layers", "heads"


@verb
def score(
    a: Annotated[Any, Option("A text.", metavar="A", command=str)] = None,
    b: Annotated[Any, Option("The text to compare it with.", metavar="B", command=str)] = None,
    /,
    model: options.ScorerModel = "default",
    *,
    pairs: Annotated[Any, Option("Score the pairs of a file instead.", metavar="FILE", command=Path)] = None,
    out: Annotated[
        Path | None,
        Option("File to write: .tsv, .csv or .parquet; of an explanation: .html or .json.", metavar="FILE"),
    ] = None,
    threshold: Annotated[
        float | None,
        Option("Decide that pairs with at least this score mean the same.", metavar="T", panel="Decision"),
    ] = None,
    decision: options.DecisionFile = None,
    explain: Annotated[
        bool,
        Option("Show how much each word adds to the score; for a file, measure how faithful that is."),
    ] = False,
    sample: Annotated[
        int, Option("Pairs of the file to explain.", metavar="N", low=2, panel="Output", rare=True)
    ] = 200,
    attention: options.AttentionFile = None,
    layers: options.Layers = (),
    heads: options.Heads = (),
    fit: options.FitTexts = None,
    analyser: options.Analyser = "plain",
    vectors: options.WordVectors = None,
    seed: options.Seed = 0,
    columns: options.Columns = None,
    format: options.Format = "auto",
    quoting: options.Quoting = "auto",
    encoding: options.EncodingName = None,
    download: options.Download = False,
) -> Score | Scored | ScoredFile | Explained | Faithfulness:
    """Score two texts, or the pairs of a file.

    A higher score means more similar. A calibrated model also gives the probability that two texts mean the
    same, and a model with a threshold decides.

    Returns:
        :class:`Score`, a number, for two texts; :class:`Scored`, an array, for several pairs; with ``out`` a
        :class:`ScoredFile`; with ``explain`` an :class:`Explained` or :class:`Faithfulness`. ``a`` and ``b``
        are texts, or lists or columns of texts of the same length; one text is compared with each of several.
        ``a`` alone, or with the model after it, is a list of pairs, a frame with two columns of texts, or the
        path of a file of pairs.

    Raises:
        UsageError: there are no texts, options exclude each other, or the model reads none of them.
        DataError: a file can't be read.
        ModelError: there is no such model, it can't be read, or the decision is another model's.
        OutputError: a file can't be written.

    Example:
        >>> import textkin as tk
        >>> tk.score("When do you open?", "When are you open?") > 0.5
        True
        >>> tk.score(["Hello!", "Hello!"], ["Hello!", "Goodbye."]).shape
        (2,)
    """
    from textkin.base.errors import inapplicable
    from textkin.data.readers import Reading
    from textkin.kinds.systems import fetch_named, refuse_fit, refuse_vectors
    from textkin.verbs.pair_inputs import format_name, pairs_and_model, roles_of
    from textkin.verbs.use.scoring import Scoring

    if wrong := given(score, locals(), _OF_SCORES if explain else ("sample",)):
        raise inapplicable(*wrong, to="explanations" if explain else "scores without `explain`")
    a, b, model = pairs_and_model(a, b, model)
    refuse_vectors(vectors, model)
    refuse_fit(fit, model)
    fetch_named(model, download=download)
    return Scoring(
        model=model,
        out=out,
        threshold=threshold,
        decision=decision,
        fit=fit,
        vectors=vectors,
        seed=seed,
        analyser=analyser,
        attention=attention,
        layers=tuple(layers),
        heads=tuple(heads),
        sample=sample,
        reading=Reading(
            columns=roles_of(columns), format=format_name(format), quoting=quoting, encoding=encoding
        ),
    ).of(a, b, pairs, explain=explain)
