"""Places of the words that a text shares with a query, to be marked where people read them."""

from collections.abc import Iterator, Sequence

from textkin.text.baselines.analysers import Analyser, marked_runs
from textkin.text.case_folding import word_form
from textkin.text.unspaced_scripts import has_paired, is_paired, parts_of_run

Places = list[tuple[int, int]]
"""Start and end of parts of a text, in characters; in order, and apart."""


def shared_words(query: str, texts: Sequence[str], analyser: Analyser) -> list[Places]:
    """The words in each text that have a term of the query.

    Args:
        query: the query.
        texts: the texts.
        analyser: the analyser of the words.

    Example:
        >>> from textkin.text.baselines.analysers import analyser_of
        >>> shared_words("parked cars", ["A car. No parking!"], analyser_of("english"))
        [[(2, 5), (10, 17)]]
    """
    asked = set(analyser.terms_of(query))
    known: dict[str, bool] = {}

    def is_shared(word: str) -> bool:
        if word not in known:
            is_pair = len(word) > 1 and is_paired(word[0])  # whose characters don't count by themselves
            terms = analyser.terms(word_form(word)) if is_pair else analyser.terms_of(word)
            known[word] = not asked.isdisjoint(terms)
        return known[word]

    def places(text: str) -> Places:
        found: Places = []
        for start, word in _words(text):
            if not is_shared(word):
                continue
            begin = found.pop()[0] if found and start < found[-1][1] else start
            found.append((begin, start + len(word)))
        return found

    return [places(text) for text in texts]


def _words(text: str) -> Iterator[tuple[int, str]]:
    """Words with their starts; those of scripts without spaces are pairs of characters, which overlap."""
    for found in marked_runs().finditer(text):
        start = found.start()
        for part in parts_of_run(found[0]) if has_paired(found[0]) else (found[0],):
            if is_paired(part[0]) and len(part) > 1:
                yield from ((start + place, part[place : place + 2]) for place in range(len(part) - 1))
            else:
                yield start, part
            start += len(part)
