"""The names of the baselines."""

from textkin.text.baselines.analysers import LANGUAGES, analysed


class BaselineNames(tuple[str, ...]):
    """Names of baselines; one with BM25's parameters, such as ``bm25(k1=0.9)``, is among them, too.

    Raises:
        UsageError: in ``name in names``: a parameter is unknown or wrong.
    """

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(plain_name(name) if isinstance(name, str) else name)


def plain_name(name: str) -> str:
    """The name without BM25's parameters.

    Raises:
        UsageError: a parameter is unknown or wrong.
    """
    if "(" not in name:
        return name
    from textkin.text.baselines.bm25_parameters import Bm25Parameters

    return Bm25Parameters.in_name(name)[0]


LEXICAL = BaselineNames(("tfidf", "tfidf-char", "bm25"))
"""The baselines that need nothing but word counts."""

ANALYSED = BaselineNames(("tfidf", "bm25"))
"""Those of them that also accept an analyser of a language, as in ``bm25:english``."""

LUCENE_CLASSIC = "lucene-classic"
"""Lucene's classic similarity, see :mod:`textkin.text.baselines.lucene_classic`."""

BY_FREQUENCY = BaselineNames(
    (
        *LEXICAL,
        LUCENE_CLASSIC,
        *(analysed(name, language) for language in LANGUAGES for name in ANALYSED),
    )
)
"""All baselines that use word frequencies of texts."""

_NAMES = ("constant", "random", "order", *LEXICAL, LUCENE_CLASSIC, "minhash", "mean-vectors")
BASELINES = BaselineNames(dict.fromkeys((*_NAMES, *BY_FREQUENCY)))
