"""Compiled loops of the word cache: from texts to word numbers, and from these to token ids."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Ints, Ints32
from textkin.base.numba_cache import compiled

# Effect of a character on the words around it.
LETTER = 1  # belongs to a word
BLANK = 2  # separates words and is dropped
ALONE = 3  # separates words and is a word itself
HARD = 4  # none of these: a text with it stays whole

_SEED = 14695981039346656037 - (1 << 64)
_PRIME = 1099511628211
_ROOM = 1 << 12


class WordTable(NamedTuple):
    """Words with their numbers: a hash table with open addressing.

    Attributes:
        slots: number of the word in each slot, or -1, shape [a power of 2].
        hashes: hash of each word, shape [room], of which ``size`` are in use.
        letters: bytes of the words, concatenated.
        ends: word n is ``letters[ends[n] : ends[n + 1]]``, shape [room + 1].
        size: number of words.
    """

    slots: Ints32
    hashes: Ints
    letters: NDArray[np.uint8]
    ends: Ints
    size: int


class Marks(NamedTuple):
    """Strings that keep a text whole.

    Attributes:
        first: True for bytes that any of them begins with, shape [256].
        letters: their bytes, concatenated.
        ends: end of each string, after a 0, shape [strings + 1].
    """

    first: Bools
    letters: NDArray[np.uint8]
    ends: Ints


def no_words() -> WordTable:
    """A table without words."""
    return WordTable(
        slots=np.full(2 * _ROOM, -1, dtype=np.int32),
        hashes=np.empty(_ROOM, dtype=np.int64),
        letters=np.empty(_ROOM, dtype=np.uint8),
        ends=np.zeros(_ROOM + 1, dtype=np.int64),
        size=0,
    )


@compiled
def cut_words(
    data: NDArray[np.uint8], lengths: Ints, kinds: NDArray[np.uint8], marks: Marks
) -> tuple[Ints, Ints]:
    """Find the words of texts; one with a hard character or a mark is one word.

    Args:
        data: texts in UTF-8, concatenated.
        lengths: lengths of the texts in characters.
        kinds: class of each character, shape [0x110000].
        marks: strings that keep a text whole.

    Returns:
        Start and end of each word in the data, shape [words, 2], and the end of each text's words.
    """
    spans = np.empty((len(data), 2), dtype=np.int64)
    ends = np.empty(len(lengths), dtype=np.int64)
    ascii_only = lengths.sum() == len(data)
    found = start = 0
    for text in range(len(lengths)):
        stop = start + lengths[text] if ascii_only else end_of(data, start, lengths[text])
        found = ends[text] = _cut(data, start, stop, kinds, marks, spans, found)
        start = stop
    return spans[:found], ends


@compiled
def number_words(data: NDArray[np.uint8], spans: Ints, table: WordTable) -> tuple[Ints32, WordTable]:
    """Look up the numbers of words, adding new ones.

    Args:
        data: bytes that contain the words.
        spans: start and end of each word, shape [words, 2].
        table: the current table, which must not be used afterwards.

    Returns:
        The number of each word, and the new table.
    """
    numbers = np.empty(len(spans), dtype=np.int32)
    word = _look_up(data, spans, 0, table, numbers)
    while word < len(spans):
        table = _added(data, spans[word, 0], spans[word, 1], table)
        word = _look_up(data, spans, word, table, numbers)
    return numbers, table


@compiled
def gather(numbers: Ints32, ends: Ints, ids: Ints32, id_ends: Ints) -> tuple[Ints32, Ints]:
    """Replace word numbers by token ids.

    Args:
        numbers: word numbers of the texts.
        ends: end of each text's words, shape [texts].
        ids: token ids of the words, concatenated.
        id_ends: end of each word's ids, after a 0, shape [words + 1].

    Returns:
        The token ids, and the end of each text's ids.
    """
    total = 0
    for number in numbers:
        total += id_ends[number + 1] - id_ends[number]
    found = np.empty(total, dtype=np.int32)
    found_ends = np.empty(len(ends), dtype=np.int64)
    place = word = 0
    for text in range(len(ends)):
        while word < ends[text]:
            number = numbers[word]
            for source in range(id_ends[number], id_ends[number + 1]):
                found[place] = ids[source]
                place += 1
            word += 1
        found_ends[text] = place
    return found, found_ends


@compiled
def _cut(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    kinds: NDArray[np.uint8],
    marks: Marks,
    spans: Ints,
    found: int,
) -> int:
    """Add the words of one text; return the number of words."""
    first, word, place = found, start, start
    while place < stop:
        code, width = character(data, place)
        kind = kinds[code]
        if kind == HARD or (marks.first[data[place]] and _marked(data, place, stop, marks)):
            return with_span(spans, first, start, stop)
        if kind != LETTER:
            found = with_span(spans, found, word, place)
            word = place + width
        if kind == ALONE:
            found = with_span(spans, found, place, word)
        place += width
    return with_span(spans, found, word, stop)


@compiled
def with_span(spans: Ints, found: int, start: int, stop: int) -> int:
    """Add a word unless it is empty; return the number of words."""
    if start == stop:
        return found
    spans[found, 0], spans[found, 1] = start, stop
    return found + 1


@compiled
def end_of(data: NDArray[np.uint8], start: int, characters: int) -> int:
    """The end of a text with a given number of characters."""
    place = start
    for _ in range(characters):
        place += 1
        while place < len(data) and data[place] & 0xC0 == 0x80:
            place += 1
    return place


@compiled
def character(data: NDArray[np.uint8], place: int) -> tuple[np.int64, int]:
    """The character that starts at a position, and its number of bytes."""
    first = np.int64(data[place])
    if first < 0x80:
        return first, 1
    width = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    code = first & (0x7F >> width)
    for step in range(1, width):
        code = code << 6 | np.int64(data[place + step]) & 0x3F
    return code, width


@compiled
def _marked(data: NDArray[np.uint8], start: int, stop: int, marks: Marks) -> bool:
    """True if one of the marks starts at a position."""
    for mark in range(len(marks.ends) - 1):
        first, length = marks.ends[mark], marks.ends[mark + 1] - marks.ends[mark]
        if length <= stop - start and _same(data, start, marks.letters, first, length):
            return True
    return False


@compiled
def _same(a: NDArray[np.uint8], a_start: int, b: NDArray[np.uint8], b_start: int, length: int) -> bool:
    """True if a number of bytes are equal."""
    for place in range(length):  # noqa: SIM110 - the compiler knows loops
        if a[a_start + place] != b[b_start + place]:
            return False
    return True


@compiled
def _key(data: NDArray[np.uint8], start: int, stop: int) -> np.int64:
    """The hash of a word (FNV-1a)."""
    key = np.int64(_SEED)
    for place in range(start, stop):
        key = (key ^ np.int64(data[place])) * np.int64(_PRIME)
    return key


@compiled
def _look_up(
    data: NDArray[np.uint8],
    spans: Ints,
    first: int,
    table: WordTable,
    numbers: Ints32,
) -> int:
    """Write the numbers of words until one is missing; return its position, or the end.

    It is a separate loop since it changes no table: otherwise it would take three times as long.
    """
    slots, hashes, letters, ends, _ = table
    for word in range(first, len(spans)):
        start, stop = spans[word, 0], spans[word, 1]
        key = _key(data, start, stop)
        slot = _first_slot(key, slots)
        number = np.int64(slots[slot])
        while number >= 0 and not (
            hashes[number] == key
            and ends[number + 1] - ends[number] == stop - start
            and _same(data, start, letters, ends[number], stop - start)
        ):
            slot = (slot + 1) & (len(slots) - 1)
            number = np.int64(slots[slot])
        if number < 0:
            return word
        numbers[word] = number
    return len(spans)


@compiled
def _added(data: NDArray[np.uint8], start: int, stop: int, table: WordTable) -> WordTable:
    """The table with one more word."""
    slots, hashes, letters, ends, size = _with_room(table, stop - start)
    place = ends[size]
    for source in range(start, stop):
        letters[place] = data[source]
        place += 1
    ends[size + 1] = place
    hashes[size] = _key(data, start, stop)
    _put(slots, hashes[size], size)
    return WordTable(slots, hashes, letters, ends, size + 1)


@compiled
def _first_slot(key: np.int64, slots: Ints32) -> np.int64:
    return (key ^ key >> 32) & (len(slots) - 1)


@compiled
def _put(slots: Ints32, key: np.int64, number: int) -> None:
    """Insert the number of a new word."""
    slot = _first_slot(key, slots)
    while slots[slot] >= 0:
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = number


@compiled
def _with_room(table: WordTable, length: int) -> WordTable:
    """The table with space for one more word of given length; at most half of the slots are in use."""
    slots, hashes, letters, ends, size = table
    if size == len(hashes):
        hashes, ends = _longer(hashes, 2 * size), _longer(ends, 2 * size + 1)
        slots = np.full(2 * len(slots), -1, dtype=np.int32)
        for number in range(size):
            _put(slots, hashes[number], number)
    if ends[size] + length > len(letters):
        letters = _longer(letters, 2 * len(letters) + length)
    return WordTable(slots, hashes, letters, ends, size)


@compiled
def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The same array with space at the end."""
    longer = np.empty(length, dtype=array.dtype)
    for place in range(len(array)):
        longer[place] = array[place]
    return longer
