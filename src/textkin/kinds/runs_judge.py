"""The judge of rankings with known judgements, but no texts."""

from collections.abc import Sequence

from textkin.base.errors import UsageError
from textkin.data.protocols import Scorer
from textkin.data.records import Qrels, Run
from textkin.kinds.ranking_judge import RankingJudge, given_run
from textkin.measures.intervals.sampling import Sampling


class RunsJudge(RankingJudge):
    """A judge of runs only; it has no texts for a system to rank."""

    kind = "runs"
    defaults = ("MAP", "MRR", "P@10", "nDCG@10")
    baselines = ()

    def __init__(self, qrels: Qrels, *, measures: Sequence[str], sampling: Sampling) -> None:
        super().__init__(qrels, name="", measures=measures, sampling=sampling)

    @property
    def texts(self) -> list[str]:
        """No texts: runs hold ids alone."""
        return []

    def rank(self, scorer: Scorer) -> Run:
        """A given ranking.

        Raises:
            UsageError: the system has none.
        """
        if (given := given_run(scorer)) is not None:
            return given
        raise UsageError(f"{scorer.name} has no texts to rank here", fix="give its run")
