"""Options of systems that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

from textkin.base.options import Option
from textkin.cli.output import emit_text
from textkin.cli.shared_options import AsJson, Download, FileLayout, Seed

if TYPE_CHECKING:
    from textkin.data.readers import Reading
    from textkin.kinds.exam_corpora import Corpora
    from textkin.kinds.measured_table import Measured
    from textkin.kinds.pair_figures import Sampling

Measures = Annotated[
    list[str] | None,
    Option(
        "Metrics of rankings: MAP, MRR, nDCG@10, ... The first one decides. May be repeated.",
        flag="--measure",
        short="-m",
        metavar="NAME",
    ),
]
Questions = Annotated[
    Literal["answered", "mixed", "all"],
    Option(
        "Questions to keep: with a right candidate, with right and wrong ones, or all.",
        flag="--questions",
    ),
]
Reference = Annotated[
    Path | None,
    Option("For WikiQA: a .ref file that lists the questions to use.", flag="--reference", metavar="FILE"),
]
Split = Annotated[
    str | None,
    Option("Split of BEIR, InsuranceQA, MovieQA, SICK.txt or quora-ir.", flag="--split", metavar="NAME"),
]
Labels = Annotated[
    Literal["entailment", "relatedness", "graded"],
    Option(
        "SICK: one of its two labels. SemEval: graded keeps potentially useful comments apart.",
        flag="--labels",
    ),
]
Baselines = Annotated[
    str | None,
    Option("Baselines. Default: those that fit the data.", flag="--baselines", metavar="NAME,..."),
]
AcceptLeaks = Annotated[
    bool,
    Option(
        "Continue, with a warning, if a model was trained on more than 1 % of the pairs.",
        flag="--accept-leaks",
    ),
]
Resamples = Annotated[
    int, Option("Bootstrap resamples for the intervals.", flag="--resamples", metavar="N", low=1)
]
Rounds = Annotated[
    int | None,
    Option(
        "Rounds of the randomisation test. Default: 10,000, or more for many tests.",
        flag="--rounds",
        metavar="N",
        low=1,
    ),
]

Corpus = Annotated[
    list[Path] | None,
    Option(
        "Answered questions in which lucene looks up similar ones. May be repeated.",
        flag="--corpus",
        metavar="FILE",
    ),
]
Support = Annotated[
    list[Path] | None,
    Option(
        "Sentences in which support:MODEL looks for support of a choice: a file, or a folder of "
        "tables. May be repeated.",
        flag="--support",
        metavar="PATH",
    ),
]
Voters = Annotated[
    int,
    Option("Number of similar questions that vote for lucene.", flag="--voters", metavar="N", low=1),
]
Depth = Annotated[
    int,
    Option(
        "Number of sentences per choice that support:MODEL scores, if the model can't search, such as"
        " a cross-encoder.",
        flag="--depth",
        metavar="N",
        low=1,
    ),
]
QuestionScorer = Annotated[
    str | None,
    Option(
        "Model that compares questions for lucene, instead of Lucene's score.",
        flag="--question-scorer",
        metavar="MODEL",
    ),
]
AnswerScorer = Annotated[
    str | None,
    Option(
        "Model that compares answers with choices, instead of Lucene's score.",
        flag="--answer-scorer",
        metavar="MODEL",
    ),
]
KeepLeaks = Annotated[
    bool,
    Option("Keep questions of the exam that also occur in a corpus; they are counted.", flag="--keep-leaks"),
]

Cache = Annotated[
    Path | None,
    Option(
        "File that caches what trained networks compute, so that interrupted and later commands on "
        "the same texts are faster.",
        flag="--cache",
        metavar="FILE",
    ),
]


@final
@dataclass(frozen=True, slots=True)
class PartOptions:
    """Selection of a part of a data set."""

    questions: Questions = "answered"
    reference: Reference = None
    split: Split = None
    labels: Labels = "entailment"

    def reading(self, layout: FileLayout) -> Reading:
        """The reading options of this part of a file.

        Raises:
            UsageError: the layout's columns can't be understood.
        """
        return layout.reading(
            questions=self.questions, reference=self.reference, split=self.split, labels=self.labels
        )


@final
@dataclass(frozen=True, slots=True)
class DrawOptions:
    """Numbers of draws for intervals and tests, and their seed."""

    resamples: Resamples = 1000
    rounds: Rounds = None
    seed: Seed = 0

    def sampling(self) -> Sampling:
        """The same as an argument of measuring functions."""
        from textkin.kinds.pair_figures import Sampling

        return Sampling(self.resamples, self.rounds, self.seed)


@final
@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Corpora for questions with choices."""

    corpus: Corpus = None
    support: Support = None
    k: Voters = 100
    depth: Depth = 10
    question_scorer: QuestionScorer = None
    answer_scorer: AnswerScorer = None
    keep_leaks: KeepLeaks = False

    def corpora(self) -> Corpora:
        """The same as an argument of measuring functions."""
        from textkin.kinds.exam_corpora import Corpora

        return Corpora(
            corpus=tuple(self.corpus or ()),
            support=tuple(self.support or ()),
            k=self.k,
            depth=self.depth,
            question_scorer=self.question_scorer,
            answer_scorer=self.answer_scorer,
            keep_leaks=self.keep_leaks,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOptions:
    """Options of systems, and of reading the data."""

    corpora: CorpusOptions
    cache: Cache = None
    accept_leaks: AcceptLeaks = False
    layout: FileLayout
    download: Download = False
    as_json: AsJson = False

    def named(self, part: PartOptions) -> dict[str, Any]:
        """The same by the names of the options of tasks.

        Raises:
            UsageError: a number is too small, or the layout's columns can't be understood.
        """
        return {
            "corpora": self.corpora.corpora(),
            "accept_leaks": self.accept_leaks,
            "reading": part.reading(self.layout),
            "download": self.download,
            "cache": self.cache,
        }


def names_of(baselines: str | None) -> tuple[str, ...] | None:
    """Names of baselines with commas between them; None for those that fit."""
    return None if baselines is None else tuple(name for name in baselines.split(",") if name)


def show(measured: Measured) -> None:
    """Print a table and its notes."""
    emit_text(measured.text())
