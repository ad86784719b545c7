"""The words of a text, and its terms by a language's analyser, character by character."""

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
WORDS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HANGUL SYLLABLE", "YI SYLLABLE", "HANGZHOU NUMERAL")
WORDS += ("IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER", "VERTICAL IDEOGRAPHIC")
PAIRS = ("HIRAGANA", "KATAKANA", "COMBINING KATAKANA", "HANGUL", "THAI CHARACTER", "LAO", "MYANMAR", "KHMER")
PAIRS += ("BOPOMOFO", "TAI LE", "NEW TAI LUE", "TAI THAM", "TAI VIET", "BALINESE", "JAVANESE", "HENTAIGANA")
PAIRS += ("IDEOGRAPHIC CLOSING", "VERTICAL KANA")
ALONE = ("BALINESE MUSICAL", "JAVANESE PANGRANGKEP", "TAI THAM COMBINING", "NEW TAI LUE THAM DIGIT")
ALONE += ("KHMER SYMBOL LEK ATTAK", "HANGUL SINGLE DOT", "HANGUL DOUBLE DOT")
OPTIONAL = ("ARABIC FATHA", "ARABIC DAMMA", "ARABIC KASRA", "ARABIC SHADDA", "ARABIC SUKUN", "ARABIC TATWEEL")
SUPER, SUB = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"


def plain(text):
    """The terms of a text with unmodified words."""
    return [word.replace("ı", "i") for word in words(text)]


def terms(text, language, left_out):
    """Words without stop words, stemmed, Latin letters without accents."""
    stops = {word_form(word) for word in left_out}
    found = []
    for word in words(text):
        if word not in stops:
            word = folded(word) if language == "english" else word
            found.append(folded(snowballstemmer.stemmer(language).stemWord(word)))
    return found


def words(text):
    """Runs that begin with a letter, digit or underscore and continue with these or marks; some split in
    pairs.
    """
    runs, current = [], ""
    for char in [*word_form(text), " "]:
        if char.isalnum() or char == "_" or (is_mark(char) and current):
            current += char
        else:
            runs += [current] if current else []
            current = ""
    return [word for run in runs for word in cut(run)]


def cut(run):
    """The words of a run."""
    parts = []
    for char in run:
        paired = script(char, WORDS + PAIRS) and not script(char, ALONE) and not char.isdecimal()
        if not parts or parts[-1][0] != paired:
            parts.append((paired, ""))
        parts[-1] = (paired, parts[-1][1] + char)
    found = []
    for paired, part in parts:
        if not paired:
            while part and is_mark(part[0]):
                part = part[1:]
            found += [part] if part else []
            continue
        for place, char in enumerate(part):
            found += [part[place - 1 : place + 1]] if place else []
            found += [char] if len(part) == 1 or script(char, WORDS) else []
    return found


def word_form(text):
    """The comparable form of a text's words."""
    seen = "".join(char for char in text if not is_hidden(char))
    apart = ""
    for place, char in enumerate(seen):
        before, after = seen[place - 1 : place], seen[place + 1 : place + 2]
        if char in SUPER or char in SUB:
            own, other = (SUPER, SUB) if char in SUPER else (SUB, SUPER)
            split = [
                near != "" and (near in other or (near.isdecimal() and near not in own))
                for near in (before, after)
            ]
            apart += " " * split[0] + char + " " * split[1]
        elif is_sign(char):
            joins = is_letter(char)
            apart += "" if joins and before and is_letter(before) else " "
            apart += char
            apart += "" if joins and after and is_letter(after) else " "
        else:
            apart += char
    folded = unicodedata.normalize("NFKC", apart).casefold().replace("i\u0307", "i")
    kept = "".join(char for char in folded if not script(char, OPTIONAL))
    return unicodedata.normalize("NFC", kept)


def is_sign(char):
    """True if a symbol or number is written with letters or digits that join nothing."""
    form = unicodedata.normalize("NFKC", char)
    return unicodedata.category(char) in ("So", "No") and form != char and not script(form[0], WORDS)


def is_letter(char):
    """True if such a sign is one letter."""
    form = unicodedata.normalize("NFKC", char)
    return is_sign(char) and len(form) == 1 and form.isalpha()


def is_hidden(char):
    """True if a character is invisible."""
    if "\U000e0000" <= char <= "\U000e0fff":  # hidden by Unicode, whether assigned or not
        return True
    return unicodedata.category(char) in ("Cf", "Me") or "VARIATION SELECTOR" in unicodedata.name(char, "")


def is_mark(char):
    """True if a character continues a word."""
    return unicodedata.category(char) in ("Mn", "Mc")


def script(char, names):
    """True if the name of a character begins with one of some."""
    return unicodedata.name(char, "").startswith(names)


def folded(word):
    """Each Latin letter as its base ASCII letter."""
    letters = ""
    for char in word:
        for letter in LATIN.get(char, char):
            first = unicodedata.normalize("NFD", letter)[0]
            letters += first if first < "\x80" else letter
    return letters
