"""``tk.negatives``: hard negatives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError
from textkin.base.python_inputs import path_of, several, texts_of
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.readers import Reading
from textkin.data.readers.from_python import GivenData, loaded_data
from textkin.data.records import CandidateSet, PairSet, RetrievalSet, Suite
from textkin.kinds.systems import AnyModel
from textkin.vectors.on_ray.location import Workplace
from textkin.verbs.negatives.negatives import Negatives
from textkin.verbs.negatives.negatives import negatives as mine_negatives
from textkin.verbs.negatives.options import NegativeOptions


@checked
def negatives(
    data: GivenData,
    *,
    out: Path | str,
    models: Sequence[AnyModel] = ("bm25",),
    corpus: Any = None,
    vectors: Path | None = None,
    filter: AnyModel | None = None,
    options: NegativeOptions | None = None,
    reading: Reading | None = None,
    **where: Unpack[Workplace],
) -> Negatives:
    r"""Mine hard negatives: for every anchor texts that look like its positives and are not known to be.

    Args:
        data: labelled pairs (unlabelled ones count as the same), questions with candidates, or a collection:
            the path of a file or folder, records, or rows of texts and labels.
        out: the file to write, .tsv, .csv or .jsonl.
        models: what ranks the corpus: folders or names of models, baselines, or encoders.
        corpus: where negatives come from: texts, or the path of their file; the second texts of the pairs, or
            the collection's corpus, if left out.
        vectors: for the baseline mean-vectors.
        filter: a model that is asked about what passes everything else, such as a cross-encoder.
        options: which negatives are wanted; see :class:`NegativeOptions`.
        reading: how the file is read.
        where: ``on="ray"`` has the workers of Ray do the work, here or at an ``address``, with the same
            result. ``address="auto"`` finds a Ray that is running already.

    Raises:
        UsageError: a model is unknown or can't rank a corpus, or arguments don't go together.
        DataError: there is no positive pair, or no negative was found.
        ModelError: a model can't be read.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.NegativeOptions(ranks=(1, 20), each=2)
        >>> found = tk.negatives(samples.pairs("support-desk"), out="negatives.tsv", options=options)
        >>> found.out.read_text(encoding="utf-8").split("\t")[:3]
        ['anchor', 'positive', 'negative']
    """
    refuse_two_inputs({"data": data, "corpus": corpus})
    gold = path_of(data)
    texts = None if corpus is None else path_of(corpus)
    return mine_negatives(
        _records(data, reading) if gold is None else gold,
        out,
        models=several(models, "models"),
        corpus=texts if corpus is None or texts is not None else texts_of(corpus, name="corpus"),
        vectors=vectors,
        filter=filter,
        options=options,
        reading=reading,
        **where,
    )


def _records(data: GivenData, reading: Reading | None) -> PairSet | CandidateSet | RetrievalSet:
    found = loaded_data(data, reading=reading).data
    if isinstance(found, Suite):
        raise UsageError("a Suite holds three data sets", fix="give its pairs or its collection")
    return found
