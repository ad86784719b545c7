"""The names of the baselines."""

from textkin.text.baselines.analysers import LANGUAGES, analysed

LEXICAL = ("tfidf", "tfidf-char", "bm25")
"""The baselines that need nothing but word counts."""

ANALYSED = ("tfidf", "bm25")
"""Those of them that also accept an analyser of a language, as in ``bm25:english``."""

LUCENE_CLASSIC = "lucene-classic"
"""Lucene's classic similarity, see :mod:`textkin.text.baselines.lucene_classic`."""

BY_FREQUENCY = (
    *LEXICAL,
    LUCENE_CLASSIC,
    *(analysed(name, language) for language in LANGUAGES for name in ANALYSED),
)
"""All baselines that use word frequencies of texts."""

_NAMES = ("constant", "random", "order", *LEXICAL, LUCENE_CLASSIC, "minhash", "mean-vectors")
BASELINES = tuple(dict.fromkeys((*_NAMES, *BY_FREQUENCY)))
