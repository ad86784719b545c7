"""Checks of answers against the passage that they are to stand in."""

from textkin.base.errors import DataError
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.span_records import Passage, SpanQuestion

_MISPLACED = "answer that does not stand where its offset says"
_BEYOND = "answer whose offset is beyond the passage"
_NO_PASSAGE = "empty passage"


def objection_to(question: SpanQuestion, passage: Passage) -> str:
    """The reason why a question can't be used for training, or ""."""
    if not passage.text.strip():
        return _NO_PASSAGE
    if any(span.end > len(passage.text) for span in question.answers):
        return _BEYOND
    if any(not passage.text.startswith(span.text, span.start) for span in question.answers):
        return _MISPLACED
    return "" if question.question.strip() else EMPTY_TEXT


def occurrences(text: str, answer: str) -> list[int]:
    """The offsets of all whole-word occurrences of an answer in a text.

    A letter or digit at either end of the answer has no adjacent letter or digit in the text: "art" is not
    found in "party". Occurrences may overlap.

    Raises:
        DataError: the answer is empty.
    """
    if not answer:
        raise DataError("an empty answer stands nowhere", fix="leave it out")
    found, start = [], text.find(answer)
    while start >= 0:
        if not _goes_on(text, start) and not _goes_on(text, start + len(answer)):
            found.append(start)
        start = text.find(answer, start + 1)
    return found


def _goes_on(text: str, place: int) -> bool:
    """True if a word continues across the position between two characters."""
    return 0 < place < len(text) and _is_word(text[place - 1]) and _is_word(text[place])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
