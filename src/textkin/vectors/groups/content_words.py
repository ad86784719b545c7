"""Content words of a text: all but function words, in any inflection and spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from textkin.text.baselines.stop_words import stop_words
from textkin.text.case_folding import class_of, marks
from textkin.text.invisible_characters import folded
from textkin.vectors.groups.guarded_words import ALONE

_ASCII_WORD = re.compile(r"[a-z]+|\d+")
_OPPOSITES = """
on off, in out, up down, before after, above below, over under, with without, more less, more fewer,
most least, all none, to from, he she, his her, him her
"""
_FORMS = """
be am is are was were been being, have has had having, do does did done doing, go goes went gone going,
make made, take took taken, get got gotten, give gave given, come came, see saw seen, know knew known,
think thought, say said, tell told, find found, buy bought, bring brought, teach taught, catch caught,
keep kept, leave left, lose lost, send sent, spend spent, build built, pay paid, sell sold, meet met,
feel felt, write wrote written, speak spoke spoken, break broke broken, choose chose chosen,
drive drove driven, eat ate eaten, fall fell fallen, forget forgot forgotten, grow grew grown,
begin began begun, run ran, become became, win won, hold held, mean meant, learn learnt,
understand understood, man men, woman women, child children, foot feet, tooth teeth, mouse mice,
life lives, wife wives, person people, good better best, bad worse worst, gray grey, tire tyre,
program programme, aluminum aluminium, mom mum, math maths, plow plough, judgment judgement,
airplane aeroplane, pajamas pyjamas, defense defence, offense offence, license licence, practice practise,
inquiry enquiry, sulfur sulphur, check cheque
"""
_ISE = re.compile(r"(?<=[a-z]{3})is(e|es|ed|ing|er|ers|ation|ations)$")
_OUR = re.compile(r"(?<=[a-z]{2})our(?=(?:s|ed|ing|ite|ites|able|ful|less)?$)")
_TRE = re.compile(r"(?<=[a-z]{3})tre(?=s?$)")
_OGUE = re.compile(r"ogue(?=s?$)")
_DOUBLED = re.compile(r"(?<=[a-z]{3})ll(?=(?:ed|ing|er|ers)$)")
_HISSING = re.compile(r"(?:s|x|z|ch|sh|o)es$")
_VOWEL = re.compile("[aeiouy]")


def _by_word(rows: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in rows.split(","):
        for word in row.split():
            found[word] = found.get(word, frozenset()) | (set(row.split()) - {word})
    return found


OPPOSITES: Mapping[str, frozenset[str]] = MappingProxyType(_by_word(_OPPOSITES))
"""Function words that reverse a meaning, with their opposites."""
_SHORTENED = re.compile(r"['\u2019](?:s|t|d|m|ll|re|ve)\b")
_OTHER_SENSES = frozenset({"may", "might", "will", "mine", "own", "down"})  # also content words
_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {word: row.split()[0] for row in _FORMS.split(",") for word in row.split()}
)
_EMPTY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The content words of a text.

    Attributes:
        words: content words in order.
        bases: possible base forms of all words.
        turning: function words that have an opposite.
    """

    words: tuple[str, ...]
    bases: frozenset[str]
    turning: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Content:
        """Read a text.

        Args:
            text: prepared text, see ``guarded_words.prepared``.
        """
        found = words_of(text)
        content = tuple(word for word in found if is_content(word))
        bases = _EMPTY.union(*map(bases_of, content)) if content else _EMPTY
        return cls(content, bases, frozenset(found) & OPPOSITES.keys())

    def differs(self, other: Content) -> bool:
        """True if each text has a content word that the other lacks, or if they have opposites."""
        ours, theirs = self._lacking(other), other._lacking(self)
        if ours and theirs and "".join(ours) != "".join(theirs):  # "web site" is "website"
            return True
        extra = other.turning - self.turning
        return any(not extra.isdisjoint(OPPOSITES[word]) for word in self.turning - other.turning)

    def _lacking(self, other: Content) -> list[str]:
        """The words that are not a form of any word of the other text."""
        if self.words == other.words:
            return []
        return [word for word in self.words if other.bases.isdisjoint(bases_of(word))]


def words_of(text: str) -> list[str]:
    """The words and numbers of a prepared text, case-folded; single characters in scripts without spaces."""
    plain = folded(text)
    if "'" in plain or "\u2019" in plain:
        plain = _SHORTENED.sub("", plain)
    return _ASCII_WORD.findall(plain) if plain.isascii() else _any_word().findall(plain)


@lru_cache(maxsize=1)
def _any_word() -> re.Pattern[str]:
    return re.compile(rf"[{ALONE}]|(?:(?![{ALONE}])[^\W\d_]{class_of(marks())}*)+|\d+")


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return (stop_words("english") | {"please", "a", "i"}) - _OTHER_SENSES


def is_content(word: str) -> bool:
    """True if a word is neither an English function word nor a number."""
    return not word.isdecimal() and word not in _stop_words()


@lru_cache(maxsize=65_536)
def bases_of(word: str) -> frozenset[str]:
    """The possible base forms of an English word, in American spelling.

    Words with a common base form count as forms of each other.
    """
    plain = _OGUE.sub("og", _TRE.sub("ter", _OUR.sub("or", _ISE.sub(r"iz\1", word))))
    plain = _DOUBLED.sub("l", plain)
    found = {plain, _IRREGULAR.get(word, plain)}
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss"):
        found.add(plain[:-1])
        if _HISSING.search(plain):
            found.add(plain[:-2])
    if len(plain) > 4 and plain.endswith(("ies", "ied")):
        found.add(plain[:-3] + "y")
    for ending in ("ed", "ing"):
        stem = plain.removesuffix(ending)
        if stem == plain or len(stem) < 3 or stem.endswith("e") or not _VOWEL.search(stem):
            continue
        found.update((stem, stem + "e"))
        if stem[-1] == stem[-2]:
            found.add(stem[:-1])
    return frozenset(found | {_IRREGULAR[base] for base in found if base in _IRREGULAR})
