"""``tk.split`` and ``tk.split_articles``: sides that share no text, or no article."""

from __future__ import annotations

from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.data.readers import Reading
from textkin.data.readers.from_python import GivenPairs, file_of_pairs
from textkin.data.splits.partition import CutRule, KeptTogether, Shares
from textkin.verbs.data.split import Scheme, SplitReport, split_file


@checked
def split(
    data: GivenPairs,
    *,
    out: Path | str,
    seed: int = 42,
    scheme: Scheme | str = Scheme.COMPONENTS,
    shares: Shares | None = None,
    rule: CutRule | str = CutRule.AUTO,
    together: KeptTogether | None = None,
    reading: Reading | None = None,
) -> SplitReport:
    """Split pairs into ``train.tsv``, ``dev.tsv`` and ``test.tsv`` that share no text, and prove it.

    Of a Parquet or Arrow file these are ``train.parquet`` and so on.

    Args:
        data: the path of a file of pairs, whose rows are written unchanged; a ``PairSet``, or rows of texts
            and labels.
        out: the folder; files of another split in it are replaced.
        seed: another seed gives another split.
        scheme: "components", or "quora-ir" for the rules of the sentence-transformers Quora split.
        shares: for components: the wanted shares of the pairs, 70 / 15 / 15 % by default.
        rule: for components: what happens to pairs known to differ, see ``partition.CutRule``.
        together: for components: which texts stand on one side: equal ones, and if asked near-identical
            ones; see :class:`KeptTogether`.
        reading: how the file is read.

    Raises:
        UsageError: an argument is unknown or doesn't fit the scheme, or ``out`` would replace the input.
        DataError: the file can't be read, or can't be split.
        OutputError: the files can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> report = tk.split(samples.pairs("support-desk"), out="split")
        >>> list(report.sides), report.shared.texts
        (['train', 'dev', 'test'], 0)
    """
    with file_of_pairs(data) as path:
        return split_file(
            path,
            out,
            seed=seed,
            scheme=scheme,
            shares=shares,
            rule=rule,
            together=together,
            reading=reading,
        )
