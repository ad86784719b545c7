"""``watch``: tell when a collection's matches are no longer as they were at calibration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import CollectionModel, CollectionPlace, Seed

if TYPE_CHECKING:
    from textkin.collection.watch.watch import Watched

Matches = Annotated[
    Any,
    Option(
        "Table of new matches, as match writes it. A file is used once. - reads the JSON lines of match.",
        metavar="[MATCHES]",
        command=Path,
        python="Or the matches themselves.",
    ),
]
Labelled = Annotated[
    Path | str | None,
    Option(
        "New labels of texts that match called duplicates, drawn at random: a table with the column label, 1 "
        "or 0. A file is used once.",
        metavar="FILE",
        command=Path,
    ),
]
Precision = Annotated[
    float | None,
    Option(
        "Required precision of duplicates. Default: as calibrated, else 0.95.",
        metavar="SHARE",
        low=0,
        high=1,
        panel="Decision",
    ),
]
Error = Annotated[
    float,
    Option(
        "Probability of ever raising a false alarm.",
        metavar="SHARE",
        low=0,
        high=1,
        panel="Decision",
    ),
]
BaseRate = Annotated[
    float | None,
    Option(
        "Expected fraction of texts with a duplicate. Default: as at calibration.",
        metavar="SHARE",
        low=0,
        high=1,
        panel="Decision",
    ),
]
Against = Annotated[
    Path | str | None,
    Option(
        "Earlier matches, from a time without drift, to compare with. Default: the scores at calibration.",
        metavar="MATCHES",
        command=Path,
    ),
]
State = Annotated[
    Path | str | None,
    Option(
        "File that keeps what was watched. Default: COLLECTION.watch.jsonl.", metavar="FILE", command=Path
    ),
]
Restart = Annotated[bool, Option("Start over, and forget what was watched before.")]


@verb
def watch(
    collection: CollectionPlace,
    matches: Matches = None,
    /,
    *,
    labelled: Labelled = None,
    against: Against = None,
    state: State = None,
    restart: Restart = False,
    precision: Precision = None,
    error: Error = 0.05,
    base_rate: BaseRate = None,
    model: CollectionModel = None,
    seed: Seed = 0,
) -> Watched:
    r"""Detect drift in match scores since calibration.

    The result is ok, drifting or broken, with advice. Scores of new matches are compared with those at
    calibration, labels test the precision, and the model encodes the texts of its fingerprint again. The
    tests hold at any time: however often you look, the probability of ever raising a false alarm is at most
    `error`.

    The exit code is 0 for ok, 11 for drifting, 12 for broken.

    Returns:
        :class:`Watched`.

    Raises:
        UsageError: there is no collection, or there are no scores to compare with.
        DataError: a file can't be read, or the watch was started with other options.
        ModelError: the model doesn't exist.
        OutputError: the state can't be written.

    Example:
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> added = tk.add("asked", ["Where can I park?", "When do you open?"])
        >>> matches = tk.match("asked", ["Where to park?"], threshold=0.8).matches
        >>> written = Path("well.csv").write_text("score\n" + "0.75\n" * 60)
        >>> tk.watch("asked", matches, against="well.csv").scores.events
        1
    """
    from textkin.collection.watch.watch import WatchOptions, watch_matches
    from textkin.verbs.collections.opened import place_in

    options = WatchOptions(
        precision=precision,
        error=error,
        base_rate=base_rate,
        against=against,
        state=state,
        restart=restart,
        model=model,
        seed=seed,
    )
    return watch_matches(place_in(collection), matches, labelled=labelled, options=options)
