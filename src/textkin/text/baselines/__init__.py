"""Text similarity without neural networks: the baselines that every trained model must beat."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from textkin.base.errors import UsageError, inapplicable, unknown_choice
from textkin.data.protocols import Scorer
from textkin.text.baselines.analysers import CHARACTERS, PLAIN, analysed, analyser_of
from textkin.text.baselines.hybrid import hybrid_members, hybrid_of
from textkin.text.baselines.names import ANALYSED, BASELINES

_Model = TypeVar("_Model")


def build(
    name: str,
    *,
    fit_texts: Sequence[str],
    vectors: Path | str | None = None,
    sif: bool = False,
    seed: int = 0,
) -> Scorer:
    """The baseline with the given name.

    Args:
        name: one of :data:`BASELINES`; of BM25 with parameters, if any: ``bm25:english(k1=0.9,b=0.4)``.
        fit_texts: source of word frequencies: training texts, or the corpus to search. Baselines that share a
            :class:`textkin.text.baselines.terms.FitTexts` read it once.
        vectors: for mean-vectors: a text file of word vectors, or a model2vec folder.
        sif: for mean-vectors: True to weight words by rarity and remove the common direction (Arora et al.
            2017).
        seed: seed of the random scorer.

    Raises:
        UsageError: the name or a parameter is unknown, or the baseline needs ``vectors``.
    """
    from textkin.text.baselines import trivial
    from textkin.text.baselines.bm25 import Bm25
    from textkin.text.baselines.bm25_parameters import Bm25Parameters
    from textkin.text.baselines.lucene_classic import LuceneClassic
    from textkin.text.baselines.minhash import MinHash
    from textkin.text.baselines.terms import fitted_terms
    from textkin.text.baselines.tfidf import TfIdf

    if name not in BASELINES:
        raise unknown_choice("model", name, BASELINES)
    plain, parameters = Bm25Parameters.in_name(name)
    kind, _, language = plain.partition(":")
    made: dict[str, Callable[[], Scorer]] = {
        "constant": trivial.Constant,
        "random": lambda: trivial.Random(seed=seed),
        "order": trivial.SourceOrder,
        "tfidf": lambda: TfIdf(fitted_terms(fit_texts, language or PLAIN)),
        "tfidf-char": lambda: TfIdf(fitted_terms(fit_texts, CHARACTERS)),
        "bm25": lambda: Bm25(fitted_terms(fit_texts, language or PLAIN), parameters),
        "lucene-classic": lambda: LuceneClassic.fit(fit_texts),
        "minhash": MinHash,
        "mean-vectors": lambda: _mean_vectors(fit_texts, vectors, sif=sif),
    }
    return made[kind]()


def with_analyser(models: Sequence[_Model], analyser: str) -> tuple[_Model, ...]:
    """The models with an analyser applied to :data:`ANALYSED` baselines that name none themselves.

    It is applied within hybrids, too.

    Raises:
        UsageError: the analyser is unknown, or no model takes one.
    """
    analyser_of(analyser)
    found = tuple(read_by(one, analyser) for one in models)
    if analyser != PLAIN and not any(isinstance(one, str) and f":{analyser}" in one for one in found):
        raise inapplicable(
            "analyser", to="any of these models", fix=f"leave it out, or add one of: {', '.join(ANALYSED)}"
        )
    return found


def read_by(model: _Model, analyser: str) -> _Model:
    """A lexical baseline, or a hybrid with one, with the analyser; other models unchanged."""
    if model in ANALYSED:
        return cast("_Model", analysed(str(model), analyser))
    members = hybrid_members(model) or ()
    if analyser == PLAIN or not any(one in ANALYSED for one in members):
        return model
    return cast("_Model", hybrid_of(tuple(read_by(one, analyser) for one in members)))


def _mean_vectors(fit_texts: Sequence[str], vectors: Path | str | None, *, sif: bool) -> Scorer:
    from textkin.text.baselines.mean_vectors import MeanVectors
    from textkin.text.baselines.static_encoder import StaticEncoder
    from textkin.text.static_embeddings import load_static
    from textkin.text.word_vectors import load_vectors

    if vectors is None:
        raise UsageError(
            "mean-vectors needs `vectors`",
            fix="give a GloVe, word2vec or fastText file, or a model2vec folder",
            params=("vectors",),
        )
    if Path(vectors).is_dir():
        if sif:
            raise UsageError(
                f"{vectors} is a static embedding with weights of its own", fix="leave out the SIF weighting"
            )
        return StaticEncoder(load_static(vectors), name="mean-vectors", folder=Path(vectors).resolve())
    loaded = load_vectors(vectors)
    return MeanVectors.fit_sif(loaded, fit_texts) if sif else MeanVectors(loaded)
