"""Training data for the built-in encoder's other languages: translated sentences, and words.

    python benchmarks/language_data.py CATALOGUES DESCRIPTIONS WORDS --out LANGUAGES

CATALOGUES holds unpacked packages of Debian 12: gnucash-common, evolution-common, gimp-data, inkscape,
iso-codes and gcompris-qt-data, whose messages are translated. DESCRIPTIONS holds the files Translation-* of
the package lists: descriptions of packages in several languages. WORDS is the folder data of the package
wordfreq 3.1.1.

LANGUAGES receives ``parallel.tsv`` (language, train or test, English, translation) and ``words-LL.txt``, the
words of each language, most frequent first. The test side is GCompris alone, an educational program.
"""

from __future__ import annotations

import argparse
import gettext
import gzip
import re
import struct
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgpack

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "tr")
PACKAGES = ("gnucash-common", "evolution-common", "gimp-data", "inkscape")
WORDS = 8_000
_ODD = re.compile(r"[%\\{}=/|$#@~]")
_SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-ZÄÖÜÀÉÈÊ])")
_QM = bytes([0x3C, 0xB8, 0x64, 0x18])  # the header of Qt's translation files
_MESSAGES, _END, _TRANSLATION, _SOURCE, _NUMBER = 0x69, 1, 3, 6, 5


class Translated(NamedTuple):
    """A sentence and its translation."""

    language: str
    side: str
    english: str
    other: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("catalogues", "descriptions", "words"):
        arguments.add_argument(name, type=Path)
    arguments.add_argument("--out", type=Path, required=True)
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[str, str], Translated] = {}
    for sources in (
        gcompris(given.catalogues),
        catalogues(given.catalogues),
        descriptions(given.descriptions),
    ):
        for one in sources:
            found.setdefault((one.language, one.english), one)
    held = {plain(one.english) for one in found.values() if one.side == "test"}
    rows = [one for one in found.values() if one.side == "test" or plain(one.english) not in held]
    lines = ("\t".join(row) for row in rows)
    (given.out / "parallel.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for language in LANGUAGES:
        words = "\n".join(frequent(given.words, language)) + "\n"
        (given.out / f"words-{language}.txt").write_text(words, encoding="utf-8")
        sides = [row.side for row in rows if row.language == language]
        learnt, tested = sides.count("train"), sides.count("test")
        print(f"{language}: {learnt:,} sentences to learn from, {tested:,} to test on")


def catalogues(folder: Path) -> Iterator[Translated]:
    """Messages of programs, from gettext's files."""
    for language in LANGUAGES:
        code = locale_of(language)
        for package in PACKAGES:
            for file in sorted(folder.glob(f"{package}/usr/share/locale/{code}/LC_MESSAGES/*.mo")):
                for key, text in messages(file):
                    yield from _kept(language, "train", cleaned(key), cleaned(text))
        for file in sorted(folder.glob(f"iso-codes/usr/share/locale/{code}/LC_MESSAGES/iso_3166-1.mo")):
            for key, text in messages(file):
                if key and key != text and len(key) < 40:
                    yield Translated(language, "train", key, text)


def messages(file: Path) -> Iterator[tuple[str, str]]:
    with file.open("rb") as stream:
        catalogue = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
    for key, text in catalogue.items():
        yield (key[0] if isinstance(key, tuple) else key).rpartition("\x04")[2], text


def gcompris(folder: Path) -> Iterator[Translated]:
    """Sentences of GCompris, from Qt's files."""
    for language in LANGUAGES:
        name = f"gcompris_{locale_of(language)}.qm"
        file = folder / "gcompris-qt-data/usr/share/gcompris-qt/translations" / name
        for english, other in qt_messages(file):
            ours, theirs = (re.split(r"(?<=[.!?])\s", cleaned(text)) for text in (english, other))
            if len(ours) == len(theirs):
                for a, b in zip(ours, theirs, strict=True):
                    if a.count(" ") >= 2:
                        yield from _kept(language, "test", a, b)


def qt_messages(file: Path) -> Iterator[tuple[str, str]]:
    data = file.read_bytes()
    if data[:4] != _QM:
        raise SystemExit(f"{file} is no file of Qt's translations")
    place, block = 16, b""
    while place < len(data):
        kind, size = struct.unpack(">BI", data[place : place + 5])
        if kind == _MESSAGES:
            block = data[place + 5 : place + 5 + size]
        place += 5 + size
    yield from _qt_messages(block)


def _qt_messages(block: bytes) -> Iterator[tuple[str, str]]:
    place, source, translation = 0, "", ""
    while place < len(block):
        kind, place = block[place], place + 1
        if kind == _END:
            if source and translation:
                yield source, translation
            source = translation = ""
        elif kind == _NUMBER:
            place += 4
        else:
            (size,) = struct.unpack(">i", block[place : place + 4])
            content = block[place + 4 : place + 4 + max(size, 0)]
            place += 4 + max(size, 0)
            if kind == _SOURCE:
                source = content.decode()
            elif kind == _TRANSLATION:
                translation = translation or content.decode("utf-16-be")


def descriptions(folder: Path) -> Iterator[Translated]:
    """Titles of Debian's packages, and the sentences of their first paragraphs."""
    english = described(folder, "en")
    for language in LANGUAGES:
        for key, (title, sentences) in described(folder, locale_of(language).replace("_", "%5f")).items():
            if key in english:
                ours, theirs = english[key]
                yield from _kept(language, "train", cleaned(ours), cleaned(title))
                if len(theirs) == len(sentences):
                    for a, b in zip(theirs, sentences, strict=True):
                        yield from _kept(language, "train", cleaned(a), cleaned(b))


def described(folder: Path, code: str) -> dict[str, tuple[str, list[str]]]:
    found = {}
    for file in sorted(folder.glob(f"*main_i18n_Translation-{code}")):
        for entry in file.read_text(encoding="utf-8").split("\n\n"):
            key = re.search(r"Description-md5: (\w{32})", entry)
            title = re.search(r"^Description-\S+: (.+)$", entry, re.MULTILINE)
            if key and title:
                first = re.split(r"\n \.\n|\n  ", entry[title.end() :].strip("\n"))[0]
                found[key[1]] = (title[1].strip(), _SENTENCE.split(" ".join(first.split())))
    return found


def cleaned(text: str) -> str:
    """Text without tags and accelerator marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).replace("_", "").replace("&", "").split())


def plain(text: str) -> str:
    return re.sub(r"\W", "", text.lower())


def locale_of(language: str) -> str:
    return "pt_BR" if language == "pt" else language


def frequent(folder: Path, language: str) -> list[str]:
    """The most frequent words of a language, letters only."""
    files = [folder / f"{size}_{language}.msgpack.gz" for size in ("large", "small")]
    with gzip.open(next(file for file in files if file.is_file())) as stream:
        buckets = msgpack.load(stream, raw=False)[1:]
    words = (word for bucket in buckets for word in bucket)
    return [word for word in words if all(map(_is_letter, word))][:WORDS]


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


def _kept(language: str, side: str, english: str, other: str) -> Iterator[Translated]:
    """A pair of short sentences of words; placeholders and code are skipped."""
    words = sum(character.isalpha() or character.isspace() for character in english)
    short = 8 <= len(english) <= 120 and 4 <= len(other) <= 160 and " " in english
    if short and english != other and not _ODD.search(english + other) and words > 0.85 * len(english):
        yield Translated(language, side, english, other)


if __name__ == "__main__":
    main()
