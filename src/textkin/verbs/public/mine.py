"""``tk.mine``: pairs of texts that say nearly the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Unpack, final, overload

from textkin.base.argument_checks import check_fields, checked
from textkin.base.standard_streams import refuse_two_inputs
from textkin.base.text_equality import Equal
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.vectors.batched_encoding import Precision
from textkin.vectors.long_texts import LongTexts
from textkin.vectors.on_ray.location import Workplace, check_where
from textkin.vectors.pair_limits import PairLimits
from textkin.verbs.mine.mine import MinedPairs
from textkin.verbs.mine.mine import mine as mine_texts
from textkin.verbs.mine.mine_file import MinedFile, mine_file
from textkin.verbs.mine.mining_account import Vectors, VectorsFrom
from textkin.verbs.public.texts import file_of_texts, given_texts, given_vectors


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MineOptions:
    """Which pairs are wanted: one of the first four, or none.

    With none, the model's own threshold decides, or else the 1,000 best pairs are found.

    Attributes:
        threshold: pairs with at least this cosine.
        precision: pairs above the threshold that was fitted for this precision and saved with the model.
        top: the best so many pairs.
        per_text: the pairs of each text with the best so many others.
        decision: a file that :func:`textkin.calibrate` made for this model; its threshold stands for the
            model's own.
        recall: with a threshold: it is enough to find about this share of the pairs, sooner.
        long: what becomes of texts that are longer than the encoder reads: None to withhold their pairs;
            windows go with a threshold.
        equal: which texts count as one, which is found once and with score 1: "exact", "form", "case" or
            "letters".
        vectors_in: what a transformer computes in; "auto" measures whether bf16 pays.
        ids_only: write no texts into the file ``out``.

    Example:
        >>> import textkin as tk
        >>> tk.MineOptions(threshold=0.9).threshold
        0.9
    """

    threshold: float | None = None
    precision: float | None = None
    top: int | None = None
    per_text: int | None = None
    decision: Path | str | None = None
    recall: float | None = None
    long: LongTexts | None = None
    equal: Equal = Equal.EXACT
    vectors_in: Precision = "auto"
    ids_only: bool = False

    def __post_init__(self) -> None:
        check_fields(self)

    def wanted(self) -> PairLimits:
        """The choice of pairs alone."""
        return PairLimits(**{field.name: getattr(self, field.name) for field in fields(PairLimits)})


@overload
def mine(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: Vectors | None = None,
    against: Any = None,
    against_embeddings: Vectors | None = None,
    options: MineOptions | None = None,
    out: None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedPairs: ...


@overload
def mine(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: Vectors | None = None,
    against: Any = None,
    against_embeddings: Vectors | None = None,
    options: MineOptions | None = None,
    out: Path | str,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedFile: ...


@checked
def mine(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: Vectors | None = None,
    against: Any = None,
    against_embeddings: Vectors | None = None,
    options: MineOptions | None = None,
    out: Path | str | None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> MinedPairs | MinedFile:
    """Find the pairs of texts that say nearly the same, each once.

    Args:
        data: texts in any sequence, or the path of a file of texts.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given.
        embeddings: vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        against: other texts, or one, or their file, that the texts are paired with; else with each other.
            With them a string is a path if something is there or it is written like one, else a text.
        against_embeddings: the vectors of these.
        options: which pairs; see :class:`MineOptions`.
        out: for files: the file to write, .tsv, .csv or .jsonl, as ``textkin mine`` does; a killed call
            resumes. Left out, the pairs are in the result.
        reading: how the files are read.
        where: ``on="ray"`` has the workers of Ray do the work, here or at an ``address``, with the same
            result. ``address="auto"`` finds a Ray that is running already.

    Raises:
        UsageError: arguments are out of range or don't go together, or ``data`` holds what is no text.
        DataError: there are no texts, vectors don't fit them, or far too many pairs were found.
        ModelError: the model can't be read, gives no vectors, or has no threshold for the precision.
        OutputError: the pairs can't be written.

    Example:
        >>> import textkin as tk
        >>> questions = ["When do you open?", "Where can I park?", "When do you open today?"]
        >>> found = tk.mine(questions, options=tk.MineOptions(top=1))
        >>> [(pair["text_a"], pair["text_b"]) for pair in found.rows()]
        [('When do you open today?', 'When do you open?')]
    """
    check_where(MineOptions, **where)
    refuse_two_inputs({"data": data, "against": against})
    options = options or MineOptions()
    embeddings, against_embeddings = given_vectors(embeddings), given_vectors(against_embeddings)
    if out is not None:
        source, beside = file_of_texts(data), None if against is None else file_of_texts(against)
        vectors = VectorsFrom(
            model=model,
            embeddings=embeddings,
            against_embeddings=against_embeddings,
            precision=options.vectors_in,
        )
        return mine_file(
            source,
            out,
            wanted=options.wanted(),
            vectors=vectors,
            against=beside,
            ids_only=options.ids_only,
            reading=reading,
            **where,
        )
    texts = given_texts(data, reading, or_text=against is not None, vectors=embeddings).texts
    others = None
    if against is not None:
        others = given_texts(against, reading, name="against", or_text=True, vectors=against_embeddings).texts
    return mine_texts(
        texts,
        model,
        embeddings=embeddings,
        against=others,
        against_embeddings=against_embeddings,
        precision_of_vectors=options.vectors_in,
        wanted=options.wanted(),
        **where,
    )
