"""``classify``: labels of texts by their nearest examples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option, given
from textkin.base.verbs import verb
from textkin.verbs import options

if TYPE_CHECKING:
    from textkin.verbs.classify.classified import Classified
    from textkin.verbs.classify.classified_file import ClassifiedFile
    from textkin.verbs.classify.few_shot import FewShot


@verb
def classify(
    texts: options.Texts,
    /,
    examples: Annotated[
        Any, Option("Table of texts with labels.", metavar="EXAMPLES", command=Path, argument=True)
    ] = None,
    model: options.ScorerModel = "default",
    *,
    label: Annotated[
        str | int, Option("Column of labels.", metavar="COLUMN", panel="Input", command=str)
    ] = "label",
    text: options.TextColumn = None,
    id: options.IdColumn = None,
    out: Annotated[
        Path | None, Option("File to write: .tsv, .csv, .jsonl or .parquet.", metavar="FILE")
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            "Texts whose nearest example scores below T get the label none.", metavar="T", panel="Decision"
        ),
    ] = None,
    ways: Annotated[
        int | None,
        Option("Instead of examples: measure episodes of N random classes of the texts.", metavar="N", low=2),
    ] = None,
    shots: Annotated[
        int | None, Option("Examples of each class in an episode. Default: 1.", metavar="K", low=1)
    ] = None,
    rounds: Annotated[
        int | None, Option("Number of episodes. Default: 1,000.", metavar="N", low=1, rare=True)
    ] = None,
    baselines: Annotated[
        Sequence[str],
        Option(
            "Baselines to measure beside the model. May be repeated.",
            metavar="NAME",
            panel="Model",
            rare=True,
            command=list[str],
        ),
    ] = ("tfidf",),
    analyser: options.Analyser = "plain",
    fit: options.FitTexts = None,
    vectors: options.WordVectors = None,
    seed: options.Seed = 0,
    quoting: options.Quoting = "auto",
    encoding: options.EncodingName = None,
    download: options.Download = False,
) -> Classified | ClassifiedFile | FewShot:
    """Give texts the labels of their nearest examples.

    If examples are equally near, the first one decides. If the texts have labels of their own, accuracy is
    measured beside baselines, without texts that are also examples.

    With `ways`, N-way K-shot accuracy is measured instead: each episode draws N classes, K examples of each,
    and a further text of one of them.

    Returns:
        :class:`Classified`, a column of labels; with ``out`` a :class:`ClassifiedFile`; with ``ways`` a
        :class:`FewShot`. ``examples`` are a mapping from labels to texts, pairs of a text and its label, a
        frame with columns of texts and labels, or a path.

    Raises:
        UsageError: there is no such model or column, options exclude each other, or the data are no texts.
        DataError: a file can't be read, or there is no text or no example.
        ModelError: the model can't be read.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> examples = {"delivery": ["Where is my parcel?"], "account": ["I forgot my password"]}
        >>> found = tk.classify(["When does the parcel come?"], examples)
        >>> found[0], found.rows()[0].second
        ('delivery', 'account')
    """
    from textkin.base.errors import conflict, inapplicable, invalid, required
    from textkin.base.standard_streams import refuse_two_inputs
    from textkin.kinds.systems import fetch_named, refuse_vectors
    from textkin.text.truncation_account import note_truncation
    from textkin.verbs.argument_order import is_missing_file, is_model
    from textkin.verbs.classify.classified import ClassifyOptions, classify_texts
    from textkin.verbs.classify.classified_file import ClassifiedFile, check_classified_name
    from textkin.verbs.classify.few_shot import FewShotOptions, few_shot
    from textkin.verbs.classify.labelled_input import labelled_from, perhaps_labelled_from
    from textkin.verbs.collections.opened import readings
    from textkin.verbs.inputs import fit_texts_from, text_reading

    if examples is None and ways is None:
        fix = "give labelled texts, or measure with `ways`; `score()` gives the class of pairs of texts"
        raise required("examples", by="`classify()`", fix=fix)
    if is_missing_file(examples) and is_model(examples):
        fix = "name the model as `model`; `score()` gives the class of pairs of texts"
        raise invalid("examples", examples, expected="texts with labels", fix=fix)
    if examples is not None and ways is not None:
        raise conflict("examples", "ways", why="episodes draw their examples from the texts")
    if ways is None and (shots, rounds) != (None, None):
        raise required("ways", by="`shots` or `rounds`")
    if out is not None and ways is not None:
        raise inapplicable("out", to="`ways`, which gives no labels")
    if out is not None:
        check_classified_name(out)
    refuse_two_inputs({"texts": texts, "examples": examples})
    refuse_vectors(vectors, model, *baselines)
    how = ClassifyOptions(
        threshold=threshold,
        baselines=tuple(baselines),
        analyser=analyser,
        fit=fit_texts_from(fit),
        vectors=vectors,
        seed=seed,
    )
    label, reading = str(label), text_reading(text, id, quoting, encoding, texts, examples)
    fetch_named(model, download=download)
    if ways is not None:
        episodes = FewShotOptions(ways=ways, shots=shots or 1, rounds=rounds or 1000, seed=seed)
        return few_shot(model, labelled_from(texts, label, reading, "texts"), options=episodes, how=how)
    own, of_examples = readings(texts, examples, reading)
    known = labelled_from(examples, label, of_examples, "examples")
    asked = perhaps_labelled_from(texts, label, own)
    if how.baselines and not any(asked.labels) and given(classify, {"baselines": how.baselines}, "baselines"):
        raise inapplicable("baselines", to="texts without labels of their own, which measure nothing")
    found = classify_texts(model, asked, known, options=how)
    note_truncation(found.truncation)
    return found if out is None else ClassifiedFile.write(out, found)
