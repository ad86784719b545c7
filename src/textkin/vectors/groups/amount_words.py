"""Words and signs of amounts: spelled numbers, scales, units, currencies, comparisons."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_ROMAN = re.compile("X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}
_SURE = frozenset({"ii", "iii", "vii", "viii"})  # Roman numerals that are not words in lower case either


def _listed(words: str, start: int) -> dict[str, int]:
    return {word: start + place for place, word in enumerate(words.split())}


def _units(table: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({word: name for name, words in table.items() for word in words.split()})


SMALL: Mapping[str, int] = MappingProxyType(
    _listed(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen",
        0,
    )
)
TENS: Mapping[str, int] = MappingProxyType(
    {
        word: 10 * number
        for word, number in _listed("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()
    }
)
ORDINALS: Mapping[str, int] = MappingProxyType(
    _listed(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth",
        1,
    )
    | {f"{word[:-1]}ieth": number for word, number in TENS.items()}
    | {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}
)
PARTS: Mapping[str, int] = MappingProxyType(
    {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
    | {word: number for word, number in ORDINALS.items() if number > 2}
    | {f"{word}s": number for word, number in ORDINALS.items() if number > 2}
)
TIMES: Mapping[str, str] = MappingProxyType(
    {"twice": "2 x", "thrice": "3 x", "double": "2 x", "triple": "3 x", "quadruple": "4 x"}
    | {"noon": "12 pm", "midday": "12 pm", "midnight": "12 am"}
)
SCALES: Mapping[str, int] = MappingProxyType(
    {"hundred": 2, "thousand": 3, "lakh": 5, "lac": 5, "million": 6, "mio": 6, "mn": 6, "mln": 6, "crore": 7}
    | {"billion": 9, "bn": 9, "trillion": 12, "tn": 12, "\u767e": 2, "\u5343": 3, "\u4e07": 4, "\u842c": 4}
    | {"\u4ebf": 8, "\u5104": 8, "\u5146": 12}
)
"""Number of zeros that a word adds to a number."""
SCALE_LETTERS: Mapping[str, int] = MappingProxyType({"K": 3, "k": 3, "M": 6, "B": 9, "T": 12})
HAN_DIGITS = (
    "\u3007\u96f6\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e\u5343\u4e07\u842c\u4ebf"
    "\u5104\u5169\u4e24"
)
"""Characters of numbers in Chinese and Japanese, except "one", which often isn't a number."""
HAN: Mapping[str, int] = MappingProxyType(
    _listed("\u4e00 \u4e8c \u4e09 \u56db \u4e94 \u516d \u4e03 \u516b \u4e5d \u5341", 1)
    | {"\u96f6": 0, "\u3007": 0, "\u4e24": 2, "\u5169": 2}
)

_ONE_SPELLING = (
    "mph sqm sqft kbps mbps gbps khz mhz ghz mw gw wh kwh mv kv ma mah kj pa kpa mpa psi bpm rpm fps"
)
UNITS: Mapping[str, str] = _units(
    {
        "%": "% percent pct",
        "\u2030": "\u2030 permille",
        "mg": "mg mgs milligram milligrams milligramme milligrammes",
        "\u00b5g": "\u03bcg mcg ug microgram micrograms",
        "g": "g gm gms gram grams gramme grammes",
        "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
        "t": "tonne tonnes ton tons",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "nm": "nm nanometre nanometres nanometer nanometers",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm cms centimetre centimetres centimeter centimeters",
        "m": "m metre metres meter meters",
        "km": "km kms kilometre kilometres kilometer kilometers",
        "in": "inch inches",
        "ft": "ft foot feet",
        "yd": "yd yard yards",
        "mi": "mi mile miles",
        "km/h": "kmh kmph kph",
        "ml": "ml millilitre millilitres milliliter milliliters",
        "cl": "cl centilitre centilitres",
        "l": "l litre litres liter liters",
        "gal": "gal gallon gallons",
        "ha": "ha hectare hectares",
        "acre": "acre acres",
        "ms": "ms millisecond milliseconds",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "d": "day days",
        "week": "week weeks wk wks",
        "month": "month months",
        "y": "year years yr yrs",
        "decade": "decade decades",
        "century": "century centuries",
        "bc": "bc bce",
        "ad": "ad ce",
        "bit": "bit bits",
        "byte": "byte bytes",
        "kb": "kb kilobyte kilobytes",
        "mb": "mb megabyte megabytes",
        "gb": "gb gig gigs gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
        "pb": "pb petabyte petabytes",
        "mp": "mp megapixel megapixels",
        "px": "px pixel pixels",
        "hz": "hz hertz",
        "w": "w watt watts",
        "kw": "kw kilowatt kilowatts",
        "v": "v volt volts",
        "amp": "amp amps ampere amperes",
        "cal": "cal cals calorie calories",
        "kcal": "kcal kcals",
        "bar": "bar bars",
        "db": "db decibel decibels",
        "\u00b0": "\u00b0 degree degrees",
        "x": "x times",
    }
    | {word: word for word in _ONE_SPELLING.split()}
)
"""Canonical name of each unit word or sign, in lower case."""

BY_CASE = frozenset({"mW", "mHz", "mPa", "MV", "Mb", "Gb", "Tb", "Kb"})
"""Units that differ from a more common one only in case: "MW" is as common as "mw", "mW" isn't."""
SHORT = frozenset({"m", "g", "l", "h", "s", "w", "v"})
"""Single-letter units, only in lower case: "5 m" is a length, "5 M" means millions."""

CURRENCIES: Mapping[str, str] = _units(
    {
        "usd": "$ us$ usd dollar dollars buck bucks",
        "eur": "\u20ac eur euro euros",
        "gbp": "\u00a3 gbp quid sterling",
        "inr": "\u20b9 inr rs rupee rupees",
        "jpy": "\u00a5 jpy yen \u5186",
        "cny": "cny rmb yuan \u5143",
        "krw": "\u20a9 krw won",
        "rub": "\u20bd rub ruble rubles rouble roubles",
        "cad": "c$ ca$ cad",
        "aud": "a$ au$ aud",
        "sgd": "s$ sgd",
        "hkd": "hk$ hkd",
        "nzd": "nz$ nzd",
        "brl": "r$ brl",
        "try": "\u20ba",
        "ils": "\u20aa",
        "vnd": "\u20ab vnd",
        "ngn": "\u20a6",
        "php": "\u20b1",
        "btc": "\u20bf btc bitcoin bitcoins",
        "cent": "\u00a2 cent cents",
    }
    | {word: word for word in ("chf", "sek", "pln")}
)
"""Canonical name of each currency word or sign, in lower case."""

_MORE, _LESS = "more above over older higher up later", "less fewer below under younger lower earlier"
_PHRASES = {
    ">": "> over above exceeding exceeds more-than greater-than larger-than higher-than bigger-than "
    "longer-than older-than",
    "<": "< under below less-than fewer-than smaller-than lower-than shorter-than younger-than",
    ">=": ">= \u2265 \u2a7e at-least minimum minimum-of min no-less-than no-fewer-than no-lower-than "
    "no-younger-than not-less-than not-fewer-than",
    "<=": "<= \u2264 \u2a7d at-most maximum maximum-of max up-to no-more-than no-greater-than no-higher-than "
    "no-older-than no-later-than not-more-than",
    "!=": "!= \u2260 <>",
    "~": "~ \u2248",
    "before": "before",
    "after": "after",
    "until": "until till",
    "since": "since",
}
COMPARING: Mapping[tuple[str, ...], str] = MappingProxyType(
    {tuple(phrase.split("-")): name for name, phrases in _PHRASES.items() for phrase in phrases.split()}
)
"""Comparison words before an amount."""
COMPARED: Mapping[tuple[str, str], str] = MappingProxyType(
    {(link, word): ">=" for link in ("or", "and") for word in _MORE.split()}
    | {(link, word): "<=" for link in ("or", "and") for word in _LESS.split()}
)
"""Comparison words after an amount."""
HALVES: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        ("am",): "am",
        ("pm",): "pm",
        ("noon",): "pm",
        ("midday",): "pm",
        ("midnight",): "am",
        ("at", "night"): "pm",
    }
    | {("in", "the", "morning"): "am", ("in", "the", "afternoon"): "pm", ("in", "the", "evening"): "pm"}
)
"""Words for the half of the day."""


COUNTING = frozenset(
    {*SMALL, *TENS, *ORDINALS, *PARTS, *TIMES, *SCALES, *(f"{word}s" for word in SCALES), "dozen", "dozens"}
    | {f"{word[:-1]}ies" for word in TENS}
    | _SURE
)
"""Words that can form an amount without digits."""


def tables() -> dict[str, Any]:
    """The words and signs by the names of their tables, as JSON values, for other languages.

    Phrases are joined by spaces.
    """
    words: dict[str, Mapping[str, Any]] = {
        "small": SMALL,
        "tens": TENS,
        "ordinals": ORDINALS,
        "parts": PARTS,
        "times": TIMES,
    }
    words |= {"scales": SCALES, "scale_letters": SCALE_LETTERS, "han": HAN}
    words |= {"units": UNITS, "currencies": CURRENCIES}
    phrases: dict[str, Mapping[Any, str]] = {"comparing": COMPARING, "compared": COMPARED, "halves": HALVES}
    sets = {"counting": COUNTING, "by_case": BY_CASE, "short": SHORT, "roman": _SURE}
    return {
        **{name: dict(one) for name, one in words.items()},
        **{name: {" ".join(key): value for key, value in one.items()} for name, one in phrases.items()},
        **{name: sorted(one) for name, one in sets.items()},
        "han_digits": HAN_DIGITS,
    }


def roman(word: str) -> str | None:
    """The value of a Roman numeral of several letters; None for other words and for "I", "V" and "X"."""
    if len(word) < 2 or not (word.isupper() or word in _SURE):
        return None
    numeral = word.upper()
    if not _ROMAN.fullmatch(numeral):
        return None
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return str(sum(-one if one < after else one for one, after in zip(values, following, strict=True)))
