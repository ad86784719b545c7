"""What compares two texts without a neural network: the baselines that every trained model must beat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.errors import UsageError, did_you_mean
from textkin.protocols import Scorer

BASELINES = ("constant", "random", "order", "tfidf", "tfidf-char", "bm25", "minhash", "mean-vectors")
BY_FREQUENCY = ("tfidf", "tfidf-char", "bm25")
"""Those that compare by words or letters and weight them by how frequent they are."""


def build(
    name: str,
    *,
    fit_texts: Sequence[str],
    vectors: Path | str | None = None,
    sif: bool = False,
    seed: int = 0,
) -> Scorer:
    """The baseline of that name.

    Args:
        name: one of :data:`BASELINES`.
        fit_texts: where word frequencies come from; training texts, or the corpus to search.
        vectors: for mean-vectors: a text file of word vectors, or a model2vec folder.
        sif: for mean-vectors: weight words by rarity and remove the common direction (Arora et al. 2017).
        seed: of the random scorer.

    Raises:
        UsageError: there is no such baseline, or it needs ``vectors``.
    """
    from textkin.scorers import trivial
    from textkin.scorers.bm25 import Bm25
    from textkin.scorers.minhash import MinHash
    from textkin.scorers.tfidf import TfIdf

    match name:
        case "constant":
            return trivial.Constant()
        case "random":
            return trivial.Random(seed=seed)
        case "order":
            return trivial.SourceOrder()
        case "tfidf":
            return TfIdf.fit(fit_texts, analyzer="word")
        case "tfidf-char":
            return TfIdf.fit(fit_texts, analyzer="char")
        case "bm25":
            return Bm25.fit(fit_texts)
        case "minhash":
            return MinHash()
        case "mean-vectors":
            return _mean_vectors(fit_texts, vectors, sif=sif)
        case _:
            raise UsageError(f"unknown baseline {name!r}", fix=did_you_mean(name, BASELINES))


def _mean_vectors(fit_texts: Sequence[str], vectors: Path | str | None, *, sif: bool) -> Scorer:
    from textkin.scorers.mean_vectors import MeanVectors
    from textkin.scorers.static import StaticEncoder
    from textkin.text.static import load_static
    from textkin.text.vectors import load_vectors

    if vectors is None:
        raise UsageError(
            "mean-vectors needs word vectors",
            fix="pass --vectors with a GloVe, word2vec or fastText text file, or a model2vec folder",
        )
    if Path(vectors).is_dir():
        if sif:
            raise UsageError(
                f"{vectors} is a static embedding with weights of its own", fix="leave out the SIF weighting"
            )
        return StaticEncoder(load_static(vectors), name="mean-vectors", folder=Path(vectors).resolve())
    loaded = load_vectors(vectors)
    return MeanVectors.fit_sif(loaded, fit_texts) if sif else MeanVectors(loaded)
