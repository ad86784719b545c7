"""The terms of a text by a language's analyser, letter by letter."""

import unicodedata

import snowballstemmer

LATIN = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ħ": "h",
    "ı": "i",
}


def terms(text, language, left_out):
    """Words of two or more characters, without stop words, stemmed, Latin letters without accents."""
    found = []
    for word in words(unicodedata.normalize("NFKC", text).lower()):
        if word not in left_out:
            word = folded(word) if language == "english" else word
            found.append(folded(snowballstemmer.stemmer(language).stemWord(word)))
    return found


def words(text):
    """Runs that begin with a letter, digit or underscore and go on with these or marks."""
    found, current = [], ""
    for char in [*text, " "]:
        is_mark = unicodedata.category(char) in ("Mn", "Mc") and ord(char) < 0x10000
        if char.isalnum() or char == "_" or (is_mark and current):
            current += char
        else:
            found.append(current)
            current = ""
    return [word for word in found if len(word) > 1]


def folded(word):
    """Each Latin letter as the ASCII letter that it is made from."""
    letters = ""
    for char in word:
        for letter in LATIN.get(char, char):
            first = unicodedata.normalize("NFD", letter)[0]
            letters += first if first < "\x80" else letter
    return letters
