"""``split``: train, dev and test sides that share no text, or no article."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Columns, EncodingName, EqualTexts, Format, Near, Pairs, Quoting, Seed

if TYPE_CHECKING:
    from textkin.verbs.data.split_articles import ArticleSplit
    from textkin.verbs.data.split_file import SplitReport
    from textkin.verbs.data.split_pairs import SplitPairs

Out = Annotated[
    Path | None,
    Option("Folder for the files.", metavar="DIR"),
]
Size = Annotated[
    float | None,
    Option("Fraction of the pairs, 0.15 by default; for articles, their number.", metavar="X", low=0),
]
Scheme = Annotated[
    Literal["components", "quora-ir", "articles"],
    Option(
        "components: sides that share no text; quora-ir: the sentence-transformers split of Quora's pairs; "
        "articles: SQuAD's JSON by whole articles."
    ),
]
SplitRule = Annotated[
    Literal["auto", "whole", "cut"],
    Option(
        "whole keeps every pair; cut splits huge components at pairs that are known to differ; auto cuts "
        "only where it must.",
        rare=True,
    ),
]
Like = Annotated[
    Path | None,
    Option("For articles: put each on its side of this other split.", metavar="DIR", rare=True),
]


@verb
def split(
    pairs: Pairs,
    /,
    *,
    out: Out = None,
    dev_size: Size = None,
    test_size: Size = None,
    near: Near = None,
    seed: Seed = 42,
    scheme: Scheme = "components",
    equal: EqualTexts = "letters",
    rule: SplitRule = "auto",
    like: Like = None,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
) -> SplitPairs | SplitReport | ArticleSplit:
    """Split pairs into train, dev and test files that share no text.

    Texts that are linked by pairs, directly or through others, or that differ in case and punctuation only,
    stay on one side. Writes train.tsv, dev.tsv and test.tsv with the input's columns, or train.parquet and so
    on of such a file, and split.json, which proves that the sides share nothing.

    Returns:
        :class:`SplitPairs` with the sides in the form of ``pairs``; with ``out``, a :class:`SplitReport`, or
        for articles an :class:`ArticleSplit`.

    Raises:
        UsageError: an option is wrong or doesn't fit the scheme, or ``out`` would replace the input.
        DataError: the file can't be read, or can't be split.
        OutputError: the files can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> train, dev, test = tk.split(samples.pairs("support-desk"), test_size=0.2)
        >>> len(train) + len(dev) + len(test)
        1051
    """
    from textkin.base.text_equality import Equal
    from textkin.data.splits.partition import CutRule, KeptTogether, Shares
    from textkin.verbs.data.split_articles import split_articles
    from textkin.verbs.data.split_file import Scheme, check_scheme, split_file
    from textkin.verbs.data.split_pairs import split_pairs
    from textkin.verbs.pair_inputs import pair_reading, pairs_file

    given = {"out": out, "dev_size": dev_size, "test_size": test_size, "near": near, "like": like}
    chosen = {"equal": equal != "letters", "rule": rule != "auto", "columns": columns is not None}
    chosen |= {"format": format != "auto", "quoting": quoting != "auto", "encoding": encoding is not None}
    check_scheme(scheme, {name for name, value in given.items() if value is not None}, chosen)
    if scheme == "articles" and out is not None:
        return split_articles(pairs, out=out, dev=dev_size, test=test_size, seed=seed, like=like)
    together = KeptTogether(equal=Equal(equal), similarity=near)
    shares = Shares.of(dev_size, test_size)
    reading = pair_reading(pairs, columns=columns, format=format, quoting=quoting, encoding=encoding)
    if out is None:
        return split_pairs(
            pairs, columns, reading, seed=seed, shares=shares, rule=CutRule(rule), together=together
        )
    with pairs_file(pairs, columns) as path:
        return split_file(
            path,
            out,
            seed=seed,
            scheme=Scheme(scheme),
            shares=shares,
            rule=CutRule(rule),
            together=together,
            reading=reading,
        )
