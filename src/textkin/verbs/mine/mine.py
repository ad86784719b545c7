"""``mine``: find pairs of texts that mean nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option, given
from textkin.base.verbs import verb
from textkin.verbs import options

if TYPE_CHECKING:
    from textkin.verbs.mine.mined_file import MinedFile
    from textkin.verbs.mine.mined_pairs import MinedPairs


Against = Annotated[
    Any,
    Option("Pair the texts with these, not with each other.", metavar="OTHER", command=Path),
]
Out = Annotated[
    Path | None,
    Option(
        "File to write: .tsv, .csv, .jsonl or .parquet. For a folder of files part-*, also a folder.",
        metavar="FILE",
    ),
]
Threshold = Annotated[
    float | None, Option("All pairs with at least this cosine.", metavar="T", low=-1, high=1)
]
Precision = Annotated[
    float | None,
    Option("All pairs above the threshold fitted for this precision.", metavar="P", low=0, high=1),
]
Top = Annotated[int | None, Option("The N best pairs.", metavar="N", low=1, high=1 << 24)]
PerText = Annotated[
    int | None, Option("Each text with its K most similar others.", metavar="K", low=1, high=1000)
]
Recall = Annotated[
    float | None,
    Option(
        "Accept approximate search with about this recall, which is measured. For a million texts or more.",
        metavar="R",
        low=0,
        high=1,
        panel="Decision",
        rare=True,
    ),
]
AgainstEmbeddings = Annotated[
    Any, Option("Vectors of the other texts.", metavar="W.npy", panel="Model", rare=True, command=Path)
]
Report = Annotated[
    Path | None,
    Option("HTML file for a histogram of the scores.", metavar="FILE.html", panel="Output", rare=True),
]
IdsOnly = Annotated[bool, Option("Leave the texts out of the file.", panel="Output", rare=True)]


@verb
def mine(
    texts: options.Texts,
    /,
    model: options.EncoderModel = None,
    *,
    against: Against = None,
    out: Out = None,
    threshold: Threshold = None,
    precision: Precision = None,
    top: Top = None,
    per_text: PerText = None,
    text: options.TextColumn = None,
    id: options.IdColumn = None,
    long: options.LongTextRule = None,
    decision: options.DecisionFile = None,
    equal: options.EqualTexts = "exact",
    recall: Recall = None,
    unknown: options.UnknownTokens = "withhold",
    embeddings: options.Embeddings = None,
    against_embeddings: AgainstEmbeddings = None,
    dtype: options.Dtype = "auto",
    report: Report = None,
    ids_only: IdsOnly = False,
    quoting: options.Quoting = "auto",
    encoding: options.EncodingName = None,
    download: options.Download = False,
    on: options.Ray = None,
    address: options.RayAddress = None,
) -> MinedPairs | MinedFile:
    """Find pairs of texts that mean nearly the same.

    Each pair is listed once, best first. Without `threshold`, `precision`, `top` or `per_text`, the model's
    own threshold decides, else the 1,000 best pairs are listed. Equal texts are paired with the first of
    them; with `against`, only the first is. An interrupted call that writes a file resumes.

    Returns:
        :class:`MinedPairs`; with ``out``, a :class:`MinedFile`.

    Raises:
        UsageError: options exclude each other, or ``texts`` holds something other than strings.
        DataError: there are no texts, vectors don't fit them, or far too many pairs were found.
        ModelError: the model can't be read, gives no vectors, or has no threshold for the precision.
        OutputError: the pairs can't be written.

    Example:
        >>> import textkin as tk
        >>> questions = ["When do you open?", "Where can I park?", "When do you open today?"]
        >>> [(pair.text_a, pair.text_b) for pair in tk.mine(questions, top=1)]
        [('When do you open today?', 'When do you open?')]
    """
    from textkin.base.errors import inapplicable, invalid, required
    from textkin.base.standard_streams import refuse_two_inputs
    from textkin.base.text_equality import Equal
    from textkin.kinds.systems import fetch_named
    from textkin.report.notebook_plots import histogram
    from textkin.vectors.long_texts import LongTexts
    from textkin.vectors.on_ray.location import check_where
    from textkin.vectors.pair_limits import PairLimits
    from textkin.vectors.unknown_token_report import UnknownTexts
    from textkin.verbs.inputs import given_vectors, text_reading
    from textkin.verbs.mine.mined_file import mine_to_file
    from textkin.verbs.mine.mined_pairs import mine_texts
    from textkin.verbs.mine.mining import VectorsFrom

    if isinstance(model, list | tuple):  # two lists, as neighbouring libraries take them
        raise invalid("model", model, expected="a model", fix="give the other texts as `against`")
    if embeddings is not None and (wrong := given(mine, locals(), ("long", "unknown", "dtype"))):
        raise inapplicable(*wrong, to="given vectors")
    if ids_only and out is None:
        raise required("out", by="`ids_only`")
    check_where(on=on, address=address)
    refuse_two_inputs({"texts": texts, "against": against})
    fetch_named(model, download=download)
    reading = text_reading(text, id, quoting, encoding, texts, against)
    wanted = PairLimits(
        threshold=threshold,
        precision=precision,
        top=top,
        per_text=per_text,
        decision=decision,
        recall=recall,
        long=None if long is None else LongTexts(long),
        equal=Equal(equal),
    )
    vectors = VectorsFrom(
        model=model,
        embeddings=given_vectors(embeddings, texts),
        against_embeddings=given_vectors(against_embeddings, against, "against_embeddings"),
        precision=dtype,
        unknown=UnknownTexts(unknown),
    )
    where: Any = {"against": against, "reading": reading, "on": on, "address": address}
    found: MinedPairs | MinedFile
    if out is None:
        found = mine_texts(texts, vectors, wanted, **where)
    else:
        found = mine_to_file(texts, out, vectors, wanted, ids_only=ids_only, **where)
    if report is not None:
        histogram(_scores(found), title="Scores of pairs", label="cosine", noun="pair").save(report)
    return found


def _scores(found: MinedPairs | MinedFile) -> Sequence[float]:
    """The score of each pair."""
    from textkin.data.readers.table import open_table
    from textkin.verbs.mine.mined_pairs import MinedPairs

    if isinstance(found, MinedPairs):
        return found.pairs.score.tolist()
    if not found.about.pairs:
        return []
    table = open_table(found.out)
    place = (table.header or ()).index("score")
    return [float(row.fields[place]) for row in table.rows()]
