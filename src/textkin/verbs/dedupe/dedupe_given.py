"""Duplicates among given texts, a sequence, a frame or a file, with the result in memory."""

from typing import Any, Unpack

from textkin.data.readers import TextReading
from textkin.vectors.on_ray.location import Workplace
from textkin.verbs.dedupe.deduped import Deduped, DedupeOptions, dedupe_texts
from textkin.verbs.dedupe.kept_values import values_in_memory
from textkin.verbs.inputs import given_vectors, texts_from


def dedupe_given(
    texts: Any,
    model: Any,
    *,
    embeddings: Any,
    options: DedupeOptions,
    highest: Any,
    reading: TextReading,
    **where: Unpack[Workplace],
) -> Deduped:
    """Find duplicates and keep the result in memory.

    Args:
        texts: a sequence, a column, a data frame, or a file.
        model: an encoder, its folder or name; the built-in one if neither it nor ``embeddings`` is given.
        embeddings: vectors of the texts, or their file.
        options: the definition of duplicates, and the texts to keep.
        highest: a column's name or numbers, of which the highest is kept; None for another rule.
        reading: the columns of texts and ids.
        where: the workplace: this process or Ray.

    Raises:
        UsageError: options exclude each other, or ``texts`` holds something other than strings.
        ModelError: there is no such encoder.
        PromiseError: it has no threshold for the wanted precision.
        DataError: there is no text, vectors don't fit, or too many pairs are similar.
    """
    embeddings = given_vectors(embeddings, texts)
    came = texts_from(texts, reading, vectors=embeddings).told_apart()
    return dedupe_texts(
        came.texts,
        model,
        embeddings=embeddings,
        options=options,
        ids=came.ids,
        index=came.index,
        values=values_in_memory(texts, highest, reading),
        **where,
    )
