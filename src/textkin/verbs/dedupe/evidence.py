"""Evidence on the quality of a deduplication: a sample to label, labels, known groups."""

from dataclasses import dataclass
from pathlib import Path

from textkin.base.argument_checks import check_fields
from textkin.base.errors import conflict, required
from textkin.measures.decisions.goal import GoalRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Evidence on the quality of a deduplication.

    Attributes:
        sample: number of pairs to draw for labelling; None for no sample. With ``labelled`` its pairs and
            answers are kept, and only as many more are drawn.
        labelled: a labelled sample.
        rule: the figure that must reach the precision: the lower bound, or the estimate.
        gold: a table with the columns id and group.
        seed: seed of the sample.
        proof: take the precision for reached only where the answers prove it, by a test that holds however
            often one looks.
    """

    sample: int | None = None
    labelled: Path | None = None
    rule: GoalRule = GoalRule.LOWER_END
    gold: Path | None = None
    seed: int = 0
    proof: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.proof and (self.labelled is None or self.rule is GoalRule.ESTIMATE):
            if self.labelled is None:
                raise required("labelled", by="`proof`")
            raise conflict("proof", "rule", why="an estimate proves nothing", fix="leave `rule` out")

    def refuse_without_out(self) -> None:
        """Refuse what is written to, or reported in, the folder of a deduplication.

        Raises:
            UsageError: some of it is asked for.
        """
        for name in ("sample", "labelled", "gold"):
            if getattr(self, name) is not None:
                raise required("out", by=f"`{name}`", fix="give a folder as `out`")
