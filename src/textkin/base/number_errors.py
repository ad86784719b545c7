"""Errors about numbers in forms that only people read, with the form to use instead."""

import re
import unicodedata

_PER_CENT = re.compile(r"(\d*[.,]?\d+)\s*(%|percent|per cent)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[,.' ]\d{3})+")
_COMMA = re.compile(r"([+-]?\d*),(\d+)")
_SCALED = re.compile(r"(\d*[.,]?\d+)\s*([kKmM])")


def no_number(word: str, *, whole: bool) -> tuple[str, str]:
    """The problem with a word given as a number, and the form to use instead.

    Args:
        word: the given text.
        whole: True if an integer was expected.
    """
    expected = "a whole number" if whole else "a number"
    wanted = _meant(word.strip(), whole=whole)
    told = f"{word!r} is not {expected}"
    return told, f"write {wanted}" if wanted else f"give {expected}, such as {'10' if whole else '0.9'}"


def _meant(word: str, *, whole: bool) -> str:
    """The number that a word means, in a form that programs read; "" if unclear."""
    plain = unicodedata.normalize("NFKC", word).replace("−", "-").replace("–", "-")
    if match := _PER_CENT.fullmatch(plain):
        value = float(match[1].replace(",", ".")) / 100
        return "" if whole else _shown(value)
    if match := _SCALED.fullmatch(plain):
        value = float(match[1].replace(",", ".")) * (1e3 if match[2] in "kK" else 1e6)
        return _shown(value)
    if whole and _THOUSANDS.fullmatch(plain):
        return re.sub("[,.' ]", "", plain)
    if match := _COMMA.fullmatch(plain):
        plain = f"{match[1] or '0'}.{match[2]}"
    if plain.count("⁄") == 1:  # of a vulgar fraction in NFKC
        over, under = plain.split("⁄")
        return _shown(int(over) / int(under)) if over.isdecimal() and under.isdecimal() and not whole else ""
    try:
        value = float(plain)
    except ValueError:
        return ""
    return "" if whole and not value.is_integer() else _shown(value)


def _shown(value: float) -> str:
    return f"{value:.10g}"
