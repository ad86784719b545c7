"""``textkin choose``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_text, note_accounts, note_read
from textkin.cli.shared_options import AnalyserName, AsJson, Download, Vectors
from textkin.cli.system_tables import (
    AcceptLeaks,
    Baselines,
    Cache,
    CorpusOptions,
    DrawOptions,
    Split,
    names_of,
    show,
)

if TYPE_CHECKING:
    from textkin.models.choosers.evidence import Explanation
    from textkin.verbs.choose.choose import Chosen

EXAMPLES = """
textkin choose bm25 exam.tsv --out predictions.csv
textkin choose runs/qa-gru/model exam.tsv --out submission.csv --kaggle
textkin choose choice-words exam.jsonl --fit train.jsonl
textkin choose lucene exam.tsv --corpus cards.tsv --corpus more.tsv --voters 100 --show-hits 3
textkin choose support:default exam.tsv --support facts/
"""


def command(
    method: Annotated[
        str,
        Option(
            "Model that compares texts, or a baseline: first, longest, shortest, popular, choice-words, "
            "random, tfidf, bm25, ...; lucene or lucene-best-pair with --corpus; support:MODEL with "
            "--support.",
            metavar="METHOD",
        ),
    ],
    questions: Annotated[
        Path,
        Option(
            "Table with the columns question, answerA, answerB, ..., JSON lines, or MovieQA.",
            metavar="QUESTIONS",
        ),
    ],
    /,
    *,
    out: Annotated[
        Path | None,
        Option("File for id, letter and scores, without a header.", metavar="FILE"),
    ] = None,
    kaggle: Annotated[bool, Option("Write id,correctAnswer with a header, as Kaggle wants it.")] = False,
    split: Split = None,
    baselines: Baselines = None,
    analyser: AnalyserName = "plain",
    fit: Annotated[
        Path | None,
        Option(
            "Answered questions, or texts for word frequencies, for baselines. Default: the questions "
            "without answers.",
            metavar="FILE",
        ),
    ] = None,
    vectors: Vectors = None,
    draws: DrawOptions,
    corpora: CorpusOptions,
    cache: Cache = None,
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    explain: Annotated[
        int | None,
        Option(
            "Show the N hits that counted most for each choice.",
            flag="--show-hits",
            metavar="N",
            low=1,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose an answer to each question of an exam.

    Of choices with equal scores the first is chosen. If the file has all answers, accuracy is printed
    with its interval, beside baselines.
    """
    from textkin.data.readers.choices import read_choices
    from textkin.kinds.measuring import Options
    from textkin.verbs.choose.choose import choose

    loaded = read_choices(questions, split=split)
    note_read(loaded.report)
    chosen = choose(
        loaded,
        method,
        out=out,
        kaggle=kaggle,
        explain=explain,
        options=Options(
            baselines=names_of(baselines),
            analyser=analyser,
            fit=fit,
            vectors=vectors,
            sampling=draws.sampling(),
            corpora=corpora.corpora(),
            accept_leaks=accept_leaks,
            download=download,
            cache=cache,
        ),
    )
    if as_json:
        emit_json(chosen)
        return
    for one in chosen.explanations:
        _explain(one)
    _show(chosen, out)


def _explain(found: Explanation) -> None:
    """Lines that explain the choice for a question."""
    from textkin.data.choice_records import letter_of

    emit_text(f"{found.question_id}  {found.question}")
    for place, choice in enumerate(found.choices):
        mark = ">" if place == found.chosen else " "
        emit_text(f"{mark} {letter_of(place)}  {choice.score:.4f}  {choice.choice}")
        for vote in choice.votes:
            answer = f" -> {vote.answer} ({vote.answer_score:.4f})" if vote.answer else ""
            emit_text(f"      {vote.source}: {vote.text} ({vote.question_score:.4f}){answer}")
        if choice.more:
            emit_text(f"      and {choice.more:,} others")
    emit_text()


def _show(chosen: Chosen, out: Path | None) -> None:
    """The table, or where no answers are known the choices."""
    from textkin.report.figure_words import count

    if chosen.measured is not None:
        show(chosen.measured)
    else:
        note_accounts(chosen.accounts.truncations, chosen.accounts.coverages)
        if out is None:
            for one in chosen.choices:
                emit_text(f"{one.question_id}\t{one.letter}\t{one.choice}")
        for line in chosen.notes:
            emit_text(line)
        if chosen.undecided:
            emit_text(
                f"{chosen.undecided:,} of {len(chosen.choices):,} questions have choices that score alike: "
                "the first is chosen"
            )
    if out is not None:
        emit_text(f"\n{count(len(chosen.choices), 'answer')}: {shown_output(out)}")
