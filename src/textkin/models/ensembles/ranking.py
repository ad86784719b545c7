"""An ensemble over a corpus: its members search, each by itself, and their rankings become one."""

from __future__ import annotations

from collections.abc import Callable

from textkin.data.protocols import Scorer
from textkin.data.records import Run
from textkin.models.ensembles.scorer import EnsembleScorer
from textkin.vectors.index.rank_fusion import fuse


def rank_together(scorer: Scorer, rank: Callable[[Scorer], Run], *, depth: int) -> Run:
    """A scorer's ranking of a corpus; of an ensemble the one that its members' make.

    Args:
        scorer: any that ranks a corpus, or an ensemble of such, or of such ensembles.
        rank: what ranks the corpus by a scorer that is no ensemble.
        depth: so many documents of each member count, and so many are kept.

    Raises:
        UsageError: a member can't rank a corpus.
    """
    if not isinstance(scorer, EnsembleScorer):
        return rank(scorer)
    runs = [rank_together(one, rank, depth=depth) for one in scorer.members]
    return fuse(runs, scorer.combination, depth=depth, name=scorer.name)
