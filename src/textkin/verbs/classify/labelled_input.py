"""Texts with labels from mappings, pairs, frames and files; rows that readers skip are reported."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.base.frames import column_names, known_column
from textkin.base.python_inputs import listed, named_texts_of, path_of, texts_of
from textkin.base.python_values import class_names_of, is_missing
from textkin.data.readers import TextReading, load_texts
from textkin.data.readers.labelled_texts import LabelledTexts, has_column, load_labelled
from textkin.data.readers.pairs import NO_LABEL
from textkin.data.readers.read_report import SkipCounter, note_read
from textkin.data.readers.table import EMPTY_TEXT
from textkin.verbs.inputs import texts_from


def labelled_from(data: Any, label: str, reading: TextReading, name: str) -> LabelledTexts:
    """Texts that all have a label.

    Args:
        data: a mapping from labels to texts, pairs of a text and its label, a frame, or a path.
        label: the column of labels of a frame or file.
        reading: the columns of texts and ids, and the reading options of a file.
        name: name of the argument, for errors.

    Raises:
        UsageError: it is none of these, or there is no such column.
        DataError: the file can't be read.
    """
    if (path := path_of(data)) is not None:
        return _told(path, label, reading, all_labelled=True)
    found = _in_memory(data, label, reading, name)
    counter, kept = SkipCounter(name, unit="row"), list[int]()
    for place, (text, label_of) in enumerate(zip(found.texts, found.labels, strict=True)):
        counter.rows += 1
        if not text.strip() or not label_of:
            counter.skip(counter.rows, NO_LABEL if text.strip() else EMPTY_TEXT)
        else:
            kept.append(place)
    if len(kept) == len(found):
        return found
    note_read(counter.report())
    ids, texts, labels = ([one[place] for place in kept] for one in (found.ids, found.texts, found.labels))
    index = None if found.index is None else found.index[kept]
    return LabelledTexts(ids, tuple(texts), tuple(labels), name, index)


def _in_memory(data: Any, label: str, reading: TextReading, name: str) -> LabelledTexts:
    """Texts with labels, "" where there is none."""
    if isinstance(data, LabelledTexts):
        return data
    if isinstance(data, Mapping):
        classes = class_names_of(data, f"the key of {name}")
        pairs = [
            (text, one)
            for one, (key, texts) in zip(classes, data.items(), strict=True)
            for text in texts_of(texts, name=f"{name}[{key!r}]")
        ]
        return _of_pairs(pairs, name)
    if column_names(data) is not None:
        return _of_frame(data, label, reading, name)
    return _of_pairs(data, name)


def perhaps_labelled_from(data: Any, label: str, reading: TextReading) -> LabelledTexts:
    """Texts, with labels where pairs are given, or a frame or file has a column of them.

    Raises:
        UsageError: it is none of what :func:`labelled_from` takes, and no texts.
        DataError: the file can't be read, or holds no text.
    """
    if (path := path_of(data, or_text=True)) is not None:
        return _read_texts(path, label, reading)
    columns = column_names(data)
    paired = isinstance(data, list | tuple) and bool(data) and isinstance(data[0], list | tuple)
    if isinstance(data, LabelledTexts | Mapping) or paired or label in map(str, columns or ()):
        return _in_memory(data, label, reading, "texts")
    found = texts_from([data] if isinstance(data, str) else data, reading, or_text=True)
    return LabelledTexts(found.ids, tuple(found.texts), ("",) * len(found), "texts", found.index)


def _of_pairs(data: Any, name: str) -> LabelledTexts:
    pairs = named_texts_of(data, name=name)
    texts, labels = (tuple(pair[side] for pair in pairs) for side in (0, 1))
    return LabelledTexts(range(len(pairs)), texts, labels, name)


def _of_frame(data: Any, label: str, reading: TextReading, name: str) -> LabelledTexts:
    """The texts of a frame; rows without a label have ""."""
    columns = column_names(data) or []
    chosen = known_column(columns, label, "label")
    if name != "texts" and str(reading.id) not in map(str, columns):  # it is the texts' column
        reading = replace(reading, id=None)
    found = texts_from(data, reading, name=name, but=(chosen,))
    cells = ["" if is_missing(one) else one for one in listed(data[chosen], name)]
    labels = class_names_of(cells, f"{name}[{label!r}]")
    return LabelledTexts(found.ids, tuple(found.texts), tuple(labels), name, found.index)


def _read_texts(path: Path | str, label: str, reading: TextReading | None) -> LabelledTexts:
    """Texts, with labels where the file has a column of them.

    Raises:
        UsageError: there is no such column of texts.
        DataError: the file can't be read, or holds no text.
    """
    if has_column(path, label, reading=reading):
        return _told(path, label, reading, all_labelled=False)
    loaded = load_texts(path, reading=reading)
    note_read(loaded.report)
    found = loaded.data
    return LabelledTexts(found.ids, found.texts, ("",) * len(found.texts), found.name)


def _told(path: Path | str, label: str, reading: TextReading | None, *, all_labelled: bool) -> LabelledTexts:
    loaded = load_labelled(path, label, reading=reading, all_labelled=all_labelled)
    note_read(loaded.report)
    return loaded.data
