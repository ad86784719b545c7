"""Options for searching a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict, final

from textkin.base.argument_checks import check_fields
from textkin.base.errors import UsageError, did_you_mean
from textkin.base.python_inputs import count_of
from textkin.kinds.systems import AnyModel

Mode = Literal["hybrid", "vectors", "words"]
MODES: tuple[Mode, ...] = ("hybrid", "vectors", "words")

_BY = {"hybrid": "words and vectors", "words": "words"}

LEAST_DEPTH = 100
"""The minimum depth of the fused rankings."""


class SearchArguments(TypedDict, total=False):
    """Further arguments of a search; see :class:`SearchOptions`."""

    min_probability: float | None
    min_score: float | None
    rerank: AnyModel | None
    rerank_depth: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Options for searching.

    Attributes:
        k: the number of entries to find for each query, if the collection has that many.
        mode: words (BM25), vectors (cosines), or both. Both are fused by their ranks, or by the weights
            fitted by ``textkin calibrate``.
        where: a filter of metadata, such as ``lang = "en" and year >= 2020``; None for all entries.
        min_probability: drop hits with a lower probability of relevance; None for all. It needs a calibrated
            collection, and the mode hybrid.
        min_score: drop hits with a lower cosine; None for all. It needs the mode vectors.
        rerank: a scorer of pairs, such as a cross-encoder, that reorders the first hits.
        rerank_depth: the number of hits per query to rerank.
        probe: search approximately, in this many of the cells made by ``textkin inspect --approximate``; None
            to search all vectors.

    Example:
        >>> import textkin as tk
        >>> tk.SearchOptions(k=3, where='lang = "en"').mode
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

    def __post_init__(self) -> None:
        check_fields(self)

    def check(self) -> None:
        """Reject options that are out of range or don't go together.

        Raises:
            UsageError: ``k`` is below 1, there is no such mode, or options don't go together.
        """
        count_of(self.k, "k")
        if self.mode not in MODES:
            raise UsageError(f"mode is {self.mode!r}", fix=did_you_mean(self.mode, MODES))
        self._check_floors()
        if self.probe is not None:
            if self.probe < 1:
                raise UsageError(f"{self.probe} cells to look at", fix="give at least 1")
            if self.mode == "words":
                raise UsageError("a search by words knows no cells", fix="leave the cells or the mode out")
        if self.rerank is not None and self.rerank_depth < self.k:
            raise UsageError(
                f"{self.k:,} hits of {self.rerank_depth:,} that are reranked",
                fix="have as many reranked as you ask for: --rerank-depth",
            )

    def _check_floors(self) -> None:
        if self.min_probability is not None:
            if not 0 <= self.min_probability <= 1:
                raise UsageError(
                    f"min_probability is {self.min_probability}, expected 0 to 1", fix="give a probability"
                )
            if self.mode != "hybrid":
                raise UsageError(
                    f"probabilities are of the mode hybrid, and {self.mode} was asked for",
                    fix="leave the mode out",
                )
        if self.min_score is not None:
            if not -1 <= self.min_score <= 1:
                raise UsageError(
                    f"min_score is {self.min_score}, expected a cosine from -1 to 1", fix="give one"
                )
            if self.mode != "vectors":
                raise UsageError(
                    f"min_score is a cosine, and a search by {_BY[self.mode]} ranks by other scores",
                    fix="search by vectors: --mode vectors",
                )
