"""Settings of a comparison."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from textkin.base.argument_checks import check_fields
from textkin.base.errors import conflict
from textkin.base.files import refuse_overwriting
from textkin.base.python_inputs import path_of, several
from textkin.data.readers import Reading
from textkin.data.readers.from_python import GivenPairs
from textkin.kinds.exam_corpora import Corpora
from textkin.measures.decisions.user_thresholds import check_threshold
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines import read_by
from textkin.text.baselines.analysers import PLAIN


@dataclass(frozen=True, slots=True)
class Options:
    """Options of measuring.

    Attributes:
        baselines: names of baselines to put beside the models; None for those that fit the data.
        analyser: analyser of tfidf and bm25: plain, or a language whose words they stem and whose stop
            words they leave out; they are then called ``bm25:english`` and so on.
        reference: the system to compare with; None for the best baseline, or the first model without one.
        measures: for rankings; the first is the main one.
        fit: a file of texts for the baselines' word frequencies; None for the measured texts themselves.
            Where labels are classes: labelled training pairs, which add the baselines that learn from them.
        dev: yes-or-no pairs that each system's threshold is fitted on, for the best accuracy; then decisions
            are measured, not scores.
        decision: for questions about passages, of one model: a file of ``calibrate``, which says when
            the answer is none.
        threshold: for yes-or-no pairs, of one model: a fixed threshold for its decisions.
        vectors: for the baseline mean-vectors, which is added when it is given.
        drop_identical_ids: for collections: no query finds the document of its own id (BEIR's rule).
        out: folder for ``qrels.trec`` and one ``NAME.run.trec`` a system; for pairs, ``scores.tsv`` or
            ``classes.tsv``; for questions about passages, ``NAME.json`` in SQuAD's form. There it may end in
            ``.json``: a file for the one model's predictions.
        report: an HTML page with the table; for questions about passages, also what answering risks, and how
            far the probability of no answer can be believed. Not for three data sets at once.
        sampling: the draws for intervals and tests.
        group_by: for questions about passages: "paragraph" or "article", the unit of intervals and tests.
        corpora: for questions with choices: where ``lucene`` and ``support:MODEL`` look things up.
        accept_leaks: measure even where a model was trained on more than 1 % of the pairs.
        reading: of the data; other files are taken to have the same layout.
        download: fetch models from the hub that are not at hand.
        cache: a file that keeps outputs of trained networks, and from which they are taken again: so
            what was stopped goes on, and the next call on the same texts is quick.
    """

    baselines: tuple[str, ...] | None = None
    analyser: str = PLAIN
    reference: str | None = None
    measures: tuple[str, ...] = ()
    fit: Path | None = None
    dev: GivenPairs = None
    decision: Path | None = None
    threshold: float | None = None
    vectors: Path | None = None
    drop_identical_ids: bool = False
    out: Path | None = None
    report: Path | None = None
    sampling: Sampling = field(default_factory=Sampling)
    group_by: str = "paragraph"
    corpora: Corpora = field(default_factory=Corpora)
    accept_leaks: bool = False
    reading: Reading = field(default_factory=Reading)
    download: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        several(self.measures, "measures")
        several(self.baselines or (), "baselines")
        if self.threshold is not None:
            check_threshold(self.threshold)
            if self.dev is not None:
                raise conflict(
                    "threshold", "dev", why="`threshold` uses a fixed value, `dev` fits one per system"
                )

    @property
    def against(self) -> str | None:
        """The reference by the name that it has in tables."""
        return read_by(self.reference, self.analyser)


def overwriting_nothing(data: object, options: Options, *, further: Iterable[Path | None] = ()) -> Options:
    """The options, unless a page or a file of answers would take the place of what is read.

    Args:
        data: the measured data; its path for a file.
        options: further inputs, and outputs.
        further: further files that are read.

    Raises:
        UsageError: a file is both read and written.
    """
    read = (
        path_of(data),
        *further,
        *(options.fit, path_of(options.dev), options.decision, options.vectors, options.cache),
        *map(path_of, (*options.corpora.corpus, *options.corpora.support)),
    )
    for name, target in {"report": options.report, "out": options.out}.items():
        if target is not None:
            refuse_overwriting([target], read, param=name)
    return options
