"""Options for searching a collection."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from textkin.base.argument_checks import check_fields
from textkin.base.errors import conflict, inapplicable, invalid
from textkin.base.python_inputs import count_of
from textkin.kinds.systems import AnyModel
from textkin.text.baselines.bm25_parameters import Bm25Parameters

Mode = Literal["hybrid", "vectors", "words"]

_BY = {"hybrid": "words and vectors", "words": "words"}

LEAST_DEPTH = 100
"""The minimum depth of the fused rankings."""


class SearchArguments(TypedDict, total=False):
    """Options of a search, by name; see :class:`SearchOptions`."""

    k: int
    mode: Mode
    where: str | None
    min_probability: float | None
    min_score: float | None
    rerank: AnyModel | None
    rerank_depth: int
    probe: int | None
    bm25: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Options for searching.

    Attributes:
        k: the number of entries to find for each query, if the collection has that many.
        mode: words (BM25), vectors (cosines), or both. Both are fused by their ranks, or by the weights
            fitted by ``textkin calibrate``.
        where: a filter of metadata, such as ``lang = "en" and year >= 2020``; None for all entries.
        min_probability: hits that are relevant with a lower probability are left out; None for all. It needs
            a collection that was calibrated, and the mode hybrid.
        min_score: hits of a lower cosine are left out; None for all. It needs the mode vectors.
        rerank: a scorer of pairs, such as a cross-encoder, by whose scores the first hits are put in order.
        rerank_depth: so many of each query's hits.
        probe: search vectors approximately: look at so many of the cells that were made with
            ``approximate``; None to look at all vectors.
        bm25: parameters of BM25, such as "k1=0.9,b=0.4"; None for its defaults.

    Example:
        >>> SearchOptions(k=3, where='lang = "en"').mode
        'hybrid'
    """

    k: int = 10
    mode: Mode = "hybrid"
    where: str | None = None
    min_probability: float | None = None
    min_score: float | None = None
    rerank: AnyModel | None = None
    rerank_depth: int = LEAST_DEPTH
    probe: int | None = None
    bm25: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def check(self) -> None:
        """Reject options that are out of range or don't go together.

        Raises:
            UsageError: ``k`` is below 1, there is no such mode, or options don't go together.
        """
        count_of(self.k, "k")
        self._check_floors()
        Bm25Parameters.parsed(self.bm25)
        if self.bm25 is not None and self.mode == "vectors":
            raise inapplicable("bm25", to="the mode vectors")
        if self.probe is not None:
            if self.probe < 1:
                raise invalid("probe", self.probe, expected="at least 1")
            if self.mode == "words":
                raise conflict("probe", "mode", why="a search by words uses no vectors")
        if self.rerank is None and self.rerank_depth != LEAST_DEPTH:
            raise inapplicable("rerank_depth", to="a search without `rerank`")
        if self.rerank is not None and self.rerank_depth < self.k:
            raise invalid("rerank_depth", self.rerank_depth, expected=f"at least `k`, which is {self.k:,}")

    def _check_floors(self) -> None:
        if self.min_probability is not None:
            if not 0 <= self.min_probability <= 1:
                raise invalid("min_probability", self.min_probability, expected="a number from 0 to 1")
            if self.mode != "hybrid":
                raise inapplicable("min_probability", to=f"the mode {self.mode}", fix="leave `mode` out")
        if self.min_score is not None:
            if not -1 <= self.min_score <= 1:
                raise invalid("min_score", self.min_score, expected="a cosine from -1 to 1")
            if self.mode != "vectors":
                raise inapplicable(
                    "min_score",
                    to=f"a search by {_BY[self.mode]}, whose scores are no cosines",
                    fix="give `mode=vectors`",
                )
