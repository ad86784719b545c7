"""What ``evaluate`` and ``compare`` share: their options, and how a table of systems is printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, note, note_read
from textkin.cli.shared_options import AnalyserName, AsJson, Download, FileLayout, Seed, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textkin.data.readers import Reading
    from textkin.kinds.pair_figures import Sampling
    from textkin.kinds.systems import AnyModel
    from textkin.verbs.evaluate.corpora import Corpora
    from textkin.verbs.evaluate.measured_table import Measured, SystemTable
    from textkin.verbs.evaluate.options import Options

Measures = Annotated[
    list[str] | None,
    Option(
        "For rankings: AP, RR, nDCG@10, ...; the first one decides. May be repeated.",
        flag="--measure",
        short="-m",
        metavar="NAME",
    ),
]
Questions = Annotated[
    Literal["answered", "mixed", "all"],
    Option(
        "For candidates: questions with a right candidate, with right and wrong ones, or all.",
        flag="--questions",
    ),
]
Reference = Annotated[
    Path | None,
    Option("For WikiQA: a .ref file that says which questions to take.", flag="--reference", metavar="FILE"),
]
Split = Annotated[
    str | None,
    Option(
        "For BEIR, InsuranceQA, MovieQA, SICK.txt, quora-ir: which split.", flag="--split", metavar="NAME"
    ),
]
Labels = Annotated[
    Literal["entailment", "relatedness", "graded"],
    Option(
        "For SICK: which of its two labels. For SemEval: graded, to tell potentially useful comments "
        "from bad ones.",
        flag="--labels",
    ),
]
Baselines = Annotated[
    str | None,
    Option(
        "Which baselines to put beside; those that fit if left out.", flag="--baselines", metavar="NAME,..."
    ),
]
Against = Annotated[
    str | None,
    Option("What to compare with; the best baseline here if left out.", flag="--against", metavar="NAME"),
]
DropIdentical = Annotated[
    bool,
    Option(
        "Leave the document out whose id is the query's own, as BEIR does where queries are documents.",
        flag="--drop-identical-ids",
    ),
]
Out = Annotated[
    Path | None,
    Option(
        "Write qrels.trec and runs, scores.tsv, classes.tsv or mined pairs here; for SQuAD, predictions "
        "as JSON, or only the model's to a file that ends in .json.",
        flag="--out",
        metavar="DIR",
    ),
]
ReportPage = Annotated[
    Path | None,
    Option(
        "The table as a page, for any kind of data; for SQuAD with plots of no answer.",
        flag="--report",
        metavar="FILE.html",
    ),
]
Fit = Annotated[
    Path | None,
    Option(
        "What baselines are fitted on: texts for word frequencies (the given ones if left out) or, "
        "where labels are classes, labelled training pairs.",
        flag="--fit",
        metavar="FILE",
    ),
]
Dev = Annotated[
    Path | None,
    Option(
        "Fit a threshold for each system on these pairs, for the best accuracy, and measure decisions.",
        flag="--dev",
        metavar="PAIRS",
    ),
]
GroupBy = Annotated[
    Literal["paragraph", "article"],
    Option("For SQuAD: which questions are drawn together.", flag="--group-by"),
]
TableFile = Annotated[
    Path | None,
    Option(
        "Also write the table: .md, .tex (booktabs), or with every digit .csv, .tsv, .jsonl, .parquet.",
        flag="--table",
        metavar="FILE",
    ),
]
AcceptLeaks = Annotated[
    bool,
    Option(
        "Go on where a model was trained on more than 1 % of the pairs; it is said.", flag="--accept-leaks"
    ),
]
Resamples = Annotated[
    int, Option("Bootstrap resamples for the intervals.", flag="--resamples", metavar="N", low=1)
]
Rounds = Annotated[
    int | None,
    Option(
        "Rounds of the randomisation test; left out: 10,000, or more where there are many tests.",
        flag="--rounds",
        metavar="N",
        low=1,
    ),
]

Corpus = Annotated[
    list[Path] | None,
    Option(
        "For questions with choices: questions with their answers, in which lucene looks up similar "
        "ones. May be repeated.",
        flag="--corpus",
        metavar="FILE",
    ),
]
Support = Annotated[
    list[Path] | None,
    Option(
        "For questions with choices: sentences in which support:MODEL looks for the best one for a "
        "choice: a file, or a folder of tables. May be repeated.",
        flag="--support",
        metavar="PATH",
    ),
]
Voters = Annotated[
    int,
    Option("So many of the questions most similar vote for lucene.", flag="--voters", metavar="N", low=1),
]
Depth = Annotated[
    int,
    Option(
        "So many sentences that Lucene's score finds are judged for a choice, where the model of "
        "support:MODEL can't search, such as a cross-encoder.",
        flag="--depth",
        metavar="N",
        low=1,
    ),
]
QuestionScorer = Annotated[
    str | None,
    Option(
        "What compares questions for lucene, not Lucene's score.", flag="--question-scorer", metavar="MODEL"
    ),
]
AnswerScorer = Annotated[
    str | None,
    Option(
        "What compares answers with choices, not Lucene's score.", flag="--answer-scorer", metavar="MODEL"
    ),
]
KeepLeaks = Annotated[
    bool,
    Option(
        "Leave questions of the exam that stand in a corpus there; they are counted.", flag="--keep-leaks"
    ),
]

Runs = Annotated[
    list[str] | None,
    Option(
        "For rankings: a TREC run of another system, measured beside the models. May be repeated.",
        flag="--run",
        metavar="NAME=FILE",
    ),
]
Cache = Annotated[
    Path | None,
    Option(
        "Keep what trained networks say of texts in this file, and take it from there: what was stopped "
        "goes on, and the next command on the same texts is quick.",
        flag="--cache",
        metavar="FILE",
    ),
]


@final
@dataclass(frozen=True, slots=True)
class PartOptions:
    """Which part of a data set is taken."""

    questions: Questions = "answered"
    reference: Reference = None
    split: Split = None
    labels: Labels = "entailment"

    def reading(self, layout: FileLayout) -> Reading:
        """How this part of a file is read.

        Raises:
            UsageError: the layout's columns can't be understood.
        """
        return layout.reading(
            questions=self.questions, reference=self.reference, split=self.split, labels=self.labels
        )


@final
@dataclass(frozen=True, slots=True)
class DrawOptions:
    """What is drawn for intervals and tests."""

    resamples: Resamples = 1000
    rounds: Rounds = None
    seed: Seed = 0

    def sampling(self) -> Sampling:
        """The same for what measures."""
        from textkin.kinds.pair_figures import Sampling

        return Sampling(self.resamples, self.rounds, self.seed)


@final
@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Where questions with choices are looked up."""

    corpus: Corpus = None
    support: Support = None
    k: Voters = 100
    depth: Depth = 10
    question_scorer: QuestionScorer = None
    answer_scorer: AnswerScorer = None
    keep_leaks: KeepLeaks = False

    def corpora(self) -> Corpora:
        """The same for what measures."""
        from textkin.verbs.evaluate.corpora import Corpora

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
    """What systems are made with, and how the data are read."""

    corpora: CorpusOptions
    cache: Cache = None
    accept_leaks: AcceptLeaks = False
    layout: FileLayout
    download: Download = False
    as_json: AsJson = False

    def named(self, part: PartOptions) -> dict[str, Any]:
        """The same by the names that the options of tasks have for it.

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """What is measured, and beside which baselines."""

    run: Runs = None
    measures: Measures = None
    part: PartOptions
    baselines: Baselines = None
    analyser: AnalyserName = "plain"
    fit: Fit = None
    dev: Dev = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How the table comes about, and where it goes."""

    vectors: Vectors = None
    drop_identical_ids: DropIdentical = False
    out: Out = None
    report: ReportPage = None
    table: TableFile = None
    draws: DrawOptions
    group_by: GroupBy = "paragraph"


def options_of(measured: MeasureOptions, shown: TableOptions, systems: SystemOptions) -> Options:
    """How to measure, from what the user wrote.

    Raises:
        UsageError: a value makes no sense.
    """
    from textkin.kinds.foreign_runs import named_runs
    from textkin.verbs.evaluate.options import Options

    return Options(
        baselines=names_of(measured.baselines),
        analyser=measured.analyser,
        measures=tuple(measured.measures or ()),
        fit=measured.fit,
        dev=measured.dev,
        vectors=shown.vectors,
        drop_identical_ids=shown.drop_identical_ids,
        out=shown.out,
        report=shown.report,
        sampling=shown.draws.sampling(),
        group_by=shown.group_by,
        runs=named_runs(measured.run or ()),
        **systems.named(measured.part),
    )


def names_of(baselines: str | None) -> tuple[str, ...] | None:
    """Names of baselines with commas between them; None for those that fit."""
    return None if baselines is None else tuple(name for name in baselines.split(",") if name)


def measure_and_show(
    data: Path, models: Sequence[AnyModel], chosen: Options, *, as_json: bool, table: Path | None = None
) -> None:
    """Measure systems on a data set or a suite, and print the tables, or all of them as JSON.

    Args:
        data: what they are measured on.
        models: the systems.
        chosen: how they are measured.
        as_json: whether to print JSON.
        table: the file to write the tables to as well, if any.
    """
    from textkin.verbs.evaluate.compare import compare
    from textkin.verbs.evaluate.suite import compare_suite, is_suite

    runs = [run for run in chosen.runs.values() if isinstance(run, Path | str)]
    check_table(table, data, chosen.fit, chosen.dev, chosen.decision, chosen.vectors, *runs)
    if not is_suite(data, chosen):
        measured = compare(data, models=models, options=chosen)
        note_read(measured.read)
        save_tables(table, [measured])
        if as_json:
            emit_json(measured)
        else:
            show(measured)
        return
    suite = compare_suite(data, models=models, options=chosen)
    save_tables(table, suite.parts)
    if as_json:
        emit_json(suite)
        return
    for part in suite.parts:
        show(part)
        emit_text()
    for line in suite.notes:
        emit_text(line)


def check_table(table: Path | None, *read: Path | str | None) -> None:
    """Refuse a file for tables before anything is measured: an unknown ending, or a file that is read.

    Raises:
        UsageError: it is one.
    """
    if table is None:
        return
    from textkin.base.files import overwritten
    from textkin.report.table_file import check_table_file

    check_table_file(table)
    if overwritten([table], read) is not None:
        raise UsageError(f"--table {table} would overwrite what is read", fix="give another file")


def save_tables(table: Path | None, found: Sequence[SystemTable]) -> None:
    """Write tables to the file that was asked for, if any."""
    if table is None:
        return
    from textkin.report.table_file import write_tables

    write_tables(table, [one.titled() for one in found])
    note(f"table: {table}")


def show_tested(found: SystemTable) -> None:
    """Print a table of systems, on what they were measured, and what was tested."""
    from textkin.report.figure_words import outcome
    from textkin.report.tables import differences_caption, systems_caption, systems_grid

    grid = systems_grid(found.systems, found.measure)
    emit_table(grid.header, grid.rows, title=found.title)
    emit_text()
    emit_text(systems_caption(found.systems, found.measure))
    emit_text(differences_caption(found.rival))
    if said := outcome(found.systems, found.measure):
        emit_text(said)


def show(measured: Measured) -> None:
    """Print a table and what must be known of it."""
    from textkin.report.fixed_threshold import fixed_caption, fixed_grid, fixed_title
    from textkin.report.tables import by_class_caption, by_class_grids

    show_tested(measured)
    if measured.suggestion:
        emit_text(measured.suggestion)
    emit_text(f"Baselines are fitted on {measured.fitted_on}.")
    for line in measured.notes:
        emit_text(line)
    if measured.decisions is not None:
        decided = fixed_grid(measured.decisions)
        emit_text()
        emit_table(decided.header, decided.rows, title=fixed_title(measured.decisions))
        emit_text()
        emit_text(fixed_caption(measured.decisions))
    for one in measured.by_class:
        emit_text()
        emit_text(by_class_caption(one))
        for part in by_class_grids(one):
            emit_text()
            emit_table(part.header, part.rows)
