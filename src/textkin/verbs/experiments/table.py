"""``table``: a folder of recipes and other systems as one table, with ensembles and their agreement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import AcceptLeaks, Device, Download, Resamples, Rounds

if TYPE_CHECKING:
    from textkin.verbs.experiments.table_folder import TableResult

Folder = Annotated[
    Path,
    Option("Folder with table.toml, and the recipes and files that it names.", metavar="FOLDER"),
]
Out = Annotated[
    Path, Option("Folder for models, ensembles, tables and pages. The same call resumes.", metavar="DIR")
]


@verb
def table(
    folder: Folder,
    /,
    *,
    out: Out,
    device: Device = "auto",
    accept_leaks: AcceptLeaks = False,
    download: Download = False,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
) -> TableResult:
    """Train the recipes of a folder, and compare them with other systems and with ensembles of all.

    table.toml names train, dev and test, the systems (recipes, models, baselines, predictions of other
    programs) and the ensembles, which are fitted on dev. The result shows the figures on test, and
    which systems agree.

    Returns:
        :class:`TableResult`, a row for each system.

    Raises:
        ConfigError: table.toml or a recipe is wrong.
        DataError: a file can't be read, or predictions don't fit the data.
        UsageError: a system is unknown, or an ensemble names one that isn't in the table.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from pathlib import Path
        >>> def write(name, *lines):
        ...     with Path(name).open("w") as file:
        ...         print(*lines, sep=chr(10), file=file)
        >>> asked = "What melts?,ice,stone,A", "What burns?,tea,wood,B"
        >>> write("test.csv", "question,answerA,answerB,correctAnswer", *asked)
        >>> write("table.toml", 'test = "test.csv"', 'systems = ["longest", "tfidf"]')
        >>> found = tk.table(Path("."), out="out", resamples=100, rounds=100)
        >>> {"longest", "tfidf"} <= {row.system for row in found}
        True
    """
    from textkin.measures.intervals.sampling import Sampling
    from textkin.verbs.experiments.table_folder import TableOptions, make_table

    options = TableOptions(device, accept_leaks, download, Sampling(resamples, rounds))
    return make_table(folder, out, options)
