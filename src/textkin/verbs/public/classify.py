"""``tk.classify`` and ``tk.few_shot``: the label of a text by its nearest example."""

from __future__ import annotations

from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, required
from textkin.base.hub import DEFAULT
from textkin.base.python_inputs import named_texts_of, path_of
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.readers import TextReading
from textkin.data.readers.labelled_texts import LabelledTexts
from textkin.kinds.systems import AnyModel
from textkin.verbs.classify.classify import Classified, ClassifyOptions
from textkin.verbs.classify.classify import classify as classify_given
from textkin.verbs.classify.few_shot import FewShot, FewShotOptions
from textkin.verbs.classify.few_shot import few_shot as measure_episodes
from textkin.verbs.classify.labelled_files import read_labelled, read_texts
from textkin.verbs.inputs import given_texts


@checked
def classify(
    data: Any,
    *,
    examples: Any,
    model: AnyModel = DEFAULT,
    label: str | None = None,
    options: ClassifyOptions | None = None,
    reading: TextReading | None = None,
) -> Classified:
    """Give each text the label of its nearest example; of equally near ones the first.

    Args:
        data: a text or several, or pairs of a text and its own label, which is only compared with; or the
            path of a file.
        examples: pairs of a text and its label, or the path of a table.
        model: a folder, the name of a cached model, a baseline, or an object with ``name`` and
            ``encode(texts)`` or ``score(pairs)``; the encoder in the box if left out.
        label: of tables: the name or number of the column of labels.
        options: a threshold, and which baselines stand beside; see :class:`ClassifyOptions`.
        reading: how the files are read.

    Raises:
        UsageError: there is no such model or column, or what was given are no texts with labels.
        DataError: a file can't be read, or there is no text or no example.
        ModelError: the model can't be read.

    Example:
        >>> import textkin as tk
        >>> examples = [("Where is my parcel?", "delivery"), ("I forgot my password", "account")]
        >>> found = tk.classify(["When does the parcel come?"], examples=examples)
        >>> found.rows()[0]["label"], found.rows()[0]["second"]
        ('delivery', 'account')
    """
    refuse_two_inputs({"data": data, "examples": examples})
    return classify_given(
        model, _texts(data, label, reading), _labelled(examples, label, reading, "examples"), options=options
    )


@checked
def few_shot(
    data: Any,
    *,
    model: AnyModel = DEFAULT,
    label: str | None = None,
    options: FewShotOptions | None = None,
    how: ClassifyOptions | None = None,
    reading: TextReading | None = None,
) -> FewShot:
    """Measure how often the nearest of a few examples has a text's class, in episodes drawn at random.

    Args:
        data: pairs of a text and its label, or the path of a table.
        model: as :func:`classify` takes it.
        label: of a table: the name or number of the column of labels.
        options: classes and examples of an episode, how many episodes, the seed.
        how: which baselines stand beside, and what they know.
        reading: how the table is read.

    Raises:
        UsageError: as :func:`classify`.
        DataError: as :func:`classify`, or too few classes have enough texts.
        ModelError: the model can't be read.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> options = tk.FewShotOptions(ways=20, rounds=100)
        >>> found = tk.few_shot(samples.path("questions.tsv"), label="group", options=options)
        >>> found.rows()[0]["accuracy"] > 0.5
        True
    """
    return measure_episodes(model, _labelled(data, label, reading, "data"), options=options, how=how)


def _texts(data: Any, label: str | None, reading: TextReading | None) -> LabelledTexts:
    """Texts, with labels where they have some."""
    if (path := path_of(data, or_text=True)) is not None:
        return read_texts(path, label, reading)
    if _holds_labels(data):
        return _labelled(data, label, reading, "texts")
    found = given_texts(data, reading, or_text=True)
    return LabelledTexts(found.ids, found.texts, ("",) * len(found.texts), found.name)


def _labelled(data: Any, label: str | None, reading: TextReading | None, name: str) -> LabelledTexts:
    """Texts that all have a label."""
    if isinstance(data, LabelledTexts):
        return data
    if (path := path_of(data)) is not None:
        if label is None:
            raise required("label", by=f"the file {path}", fix="give the column that holds the labels")
        return read_labelled(path, label, reading)
    if label is not None and reading is None and not _holds_labels(data):
        raise UsageError(
            f"`{name}` has no labels", fix="give pairs of a text and its label, or a path", params=(name,)
        )
    pairs = named_texts_of(data, name=name)
    ids = tuple(str(place) for place in range(1, len(pairs) + 1))
    texts, labels = (tuple(pair[side] for pair in pairs) for side in (0, 1))
    return LabelledTexts(ids, texts, tuple(one.strip() for one in labels), name)


def _holds_labels(data: Any) -> bool:
    """Whether a sequence holds pairs; a text is one thing, however many characters it has."""
    if isinstance(data, LabelledTexts):
        return True
    return isinstance(data, list | tuple) and bool(data) and isinstance(data[0], list | tuple)
