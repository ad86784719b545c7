"""Named tokenisers that split texts into words, and words into character n-grams.

All are pure functions.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import get_type_hints

from textkin.base.errors import did_you_mean, invalid, wrong_setting
from textkin.base.import_path import called, import_path, imported

Tokeniser = Callable[[str], list[str]]
_KIND = "tokenise"

_WORDS = re.compile(r"\w+|[^\w\s]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_KERAS_BLANKS = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~', " "))

# A comma or colon stays inside a number ("1,000", "9:30"); all signs here are separate elsewhere.
_TREEBANK_CHUNKS = re.compile(
    r"""
    \.{2,} | --+
    | [;@#$%&?!"()\[\]{}<>“”«»…]
    | [,:](?!\d)
    | (?: [^\s;@#$%&?!"()\[\]{}<>“”«»…,:.-]+ | [,:](?=\d) | \.(?!\.) | -(?!-) )+
    """,
    re.VERBOSE,
)
_CLITIC = re.compile(r"(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))", re.IGNORECASE)
_JOINED = {"cannot": 3, "gimme": 3, "lemme": 3, "gonna": 3, "wanna": 3, "gotta": 3}
_BRACKETS = frozenset('"()[]{}“”«»')
_QUOTES = ("'", "’", "‘")
_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "inc", "ltd", "co"])


def words(text: str) -> list[str]:
    """Runs of Unicode word characters, and every other visible character by itself."""
    return _WORDS.findall(text)


def keras(text: str) -> list[str]:
    """The rule of the Keras Tokenizer: lower case, without ASCII punctuation except the apostrophe."""
    return text.lower().translate(_KERAS_BLANKS).split()


def treebank(text: str) -> list[str]:
    """Penn Treebank words with case: punctuation and contractions are split off.

    "Don't stop, Mr. Ray." gives ``Do n't stop , Mr. Ray .``: a full stop is split off at the end of the text
    and before a capital, unless the word is an initial, a title or contains another stop ("U.S."). Double
    quotes stay unchanged, where NLTK writes two back or forward ticks.
    """
    chunks: list[str] = _TREEBANK_CHUNKS.findall(text)
    tokens: list[str] = []
    for place, chunk in enumerate(chunks):
        if chunk[-1] != "." or len(chunk) == 1 or chunk[-2] == ".":
            tokens += _split_word(chunk)
        elif _ends_sentence(chunk[:-1], chunks[place + 1 : place + 4]):
            tokens += [*_split_word(chunk[:-1]), "."]
        else:
            tokens.append(chunk)
    return tokens


def _ends_sentence(word: str, rest: list[str]) -> bool:
    following = next((chunk for chunk in rest if chunk not in _BRACKETS), None)
    if following is None:
        return True
    known = len(word) == 1 or "." in word or word.lower() in _TITLES
    return following[0].isupper() and not known


def _split_word(word: str) -> list[str]:
    """Split a word into quotes at its ends, a clitic, and the halves of a joined word."""
    if word.isalnum() or len(word) == 1:
        cut = _JOINED.get(word.lower(), len(word))
        return [word[:cut], word[cut:]] if cut < len(word) else [word]
    if word[0] in _QUOTES and not _CLITIC.fullmatch("x" + word):
        return [word[0], *_split_word(word[1:])]
    if word[-1] in _QUOTES:
        return [*_split_word(word[:-1]), word[-1]]
    if clitic := _CLITIC.fullmatch(word):
        return [*_split_word(clitic[1]), clitic[2]]
    return [word]


TOKENISERS: Mapping[str, Tokeniser] = MappingProxyType(
    {"words": words, "whitespace": str.split, "treebank": treebank, "keras": keras}
)


def tokeniser(name: str) -> Tokeniser:
    """The tokeniser with the given name, or one's own by import path.

    Raises:
        UsageError: there is none, or one's own isn't annotated as ``(text: str) -> list[str]``.
    """
    if name in TOKENISERS:
        return TOKENISERS[name]
    path = import_path(name, kind=_KIND)
    if path is None:
        fix = f"{did_you_mean(name, TOKENISERS)} (an import path such as my_words:split does, too)"
        raise wrong_setting(_KIND, name, expected="a known tokeniser", fix=fix)
    return _own(path)


def _own(path: str) -> Tokeniser:
    """A user's tokeniser, whose results are checked.

    The annotations are required because a model folder can name the function: no other one is called.
    """
    split = imported(path, kind=_KIND)
    hints = get_type_hints(split) if callable(split) else {}
    if hints.pop("return", None) != list[str] or list(hints.values()) != [str]:
        raise invalid(_KIND, path, expected="a function (text: str) -> list[str], with these annotations")

    def checked(text: str) -> list[str]:
        found = called(path, split, text, kind=_KIND, options={})
        if not isinstance(found, list) or not all(isinstance(word, str) and word for word in found):
            raise invalid(_KIND, path, expected="a function that gives a list of words, none of them empty")
        if any(map(_SURROGATE.search, found)):
            raise invalid(_KIND, path, expected="a function that gives whole characters, no lone surrogates")
        return found

    return checked


def character_ngrams(word: str, low: int, high: int) -> list[str]:
    """The character n-grams of ``<word>`` with ``low`` to ``high`` characters, by start, then length.

    The marks distinguish prefixes from suffixes; a mark alone is not an n-gram (Bojanowski et al. 2017,
    section 3.2).
    """
    marked = f"<{word}>"
    return [
        marked[start:end]
        for start in range(len(marked))
        for end in range(start + low, min(start + high, len(marked)) + 1)
        if marked[start:end] not in "<>"
    ]
