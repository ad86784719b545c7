"""``textkin agree``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text
from textkin.cli.shared_options import AnalyserName, Seed, Vectors
from textkin.cli.system_tables import Dev, Fit, PartOptions, Resamples, SystemOptions

EXAMPLES = """
textkin agree test.tsv runs/a/model runs/b/model tfidf --dev dev.tsv
textkin agree WikiQA-test.tsv bm25 tfidf default --report agreement.html
textkin agree test.tsv gru=runs/g0/model,runs/g1/model default --dev dev.tsv --json
"""


def command(
    data: Annotated[
        Path,
        Option(
            "Pairs labelled yes or no, or with classes; candidates to rank; questions with choices.",
            metavar="DATA",
        ),
    ],
    methods: Annotated[
        list[str],
        Option(
            "Folders with models, names of cached ones, baselines; NAME=MODEL,... for several seeds, "
            "each a system of its own.",
            metavar="METHOD...",
        ),
    ],
    /,
    *,
    report: Annotated[
        Path | None,
        Option("Heat maps and all figures as a page.", metavar="FILE.html"),
    ] = None,
    part: PartOptions,
    analyser: AnalyserName = "plain",
    fit: Fit = None,
    dev: Dev = None,
    vectors: Vectors = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    systems: SystemOptions,
) -> None:
    """Tell who decides as whom, and errs as whom.

    A decision is a choice, a pair's class, the candidate that comes first, or yes or no by each system's
    threshold: the one saved with the model, or that of the best accuracy on --dev. Kappa corrects for chance;
    shared errors are the errors in common over all errors of the two. The oracle counts where some system is
    right; what a system adds is the accuracy of the vote of all minus that of the vote without it.
    """
    from textkin.kinds.pair_figures import Sampling
    from textkin.verbs.evaluate.agree import agree
    from textkin.verbs.evaluate.options import Options, overwriting_nothing

    chosen = Options(
        analyser=analyser,
        fit=fit,
        dev=dev,
        vectors=vectors,
        sampling=Sampling(resamples, seed=seed),
        **systems.named(part),
    )
    found = agree(data, models=methods, options=overwriting_nothing(data, chosen, report=report))
    if report is not None:
        found.write(report)
    if systems.as_json:
        emit_json(found)
        return
    for grid in (found.pairs_grid(), found.systems_grid()):
        emit_table(grid.header, grid.rows, title=found.data if grid.header[0] == "a" else "")
        emit_text()
    for line in found.sentences():
        emit_text(line)
    if report is not None:
        emit_text(f"Heat maps are in {report}")
