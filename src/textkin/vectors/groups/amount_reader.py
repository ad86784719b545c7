"""Amounts in the tokens of a text: numbers with the words and signs around them."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from textkin.vectors.groups import amount_words as vocabulary

_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w.])\.)?\d+(?:[.,:/_]\d+|\^[-+]?\d+)*(?:[eE][-+]?\d+)?|\^[-+]?\d+)"
    rf"|(?P<han>[{vocabulary.HAN_DIGITS}][\u4e00{vocabulary.HAN_DIGITS}]*|\u4e00[\u4e00{vocabulary.HAN_DIGITS}]+)"
    rf"|(?P<word>[^\W\d_{vocabulary.HAN_DIGITS}]+(?:['\u2019][^\W\d_]+)?)"
    r"|(?P<sign>[-=]>|<=|>=|!=|<>|[A-Z]{1,2}\$|[^\w\s])"
)
_GROUPED = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?")
_DATE = re.compile(r"\d+/\d+/\d+")
_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MINUS = frozenset({"-", "\u2212", "\u2010", "\u2011", "\u2013"})
_SQUARED = {"2": "2", "3": "3", "^2": "2", "^3": "3"}
_POWERS = {"square": "2", "sq": "2", "squared": "2", "cubic": "3"}
_LENGTHS = frozenset({"m", "km", "cm", "mm", "ft", "in", "mi", "yd"})
_HEAT = {"celsius": "c", "centigrade": "c", "c": "c", "fahrenheit": "f", "f": "f", "kelvin": "k"}
_PRIMES = {"'": "\u2032", "\u2032": "\u2032", '"': "\u2033"}
_SCALES_OF_A_NUMBER = 3  # "hundred thousand million"
_OF_TIME = frozenset({"a", "per", "each", "every", "split", "any"})  # before "second"


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as a range of tokens.

    Attributes:
        start: its first token.
        end: the token after its last one.
        value: the number as written, with its sign.
        unit: unit of measure or currency, normalised.
        half: half of the day.
        comparison: comparison sign, such as "<".
        sure: True if it is certainly an amount; False for "one" and "first".
    """

    start: int
    end: int
    value: str
    unit: str = ""
    half: str = ""
    comparison: str = ""
    sure: bool = True

    def words(self) -> str:
        """The amount, normalised."""
        return " ".join(part for part in (self.comparison, self.value, self.unit, self.half) if part)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number, the token after it, whether it is certainly a number, and whether a unit may follow."""

    value: str
    end: int
    sure: bool = True
    counts: bool = True


class AmountReader:
    """The tokens of a text with the amounts they form.

    Args:
        text: prepared text, see ``guarded_words.prepared``.
    """

    def __init__(self, text: str) -> None:
        found = list(_TOKEN.finditer(text))
        self._raw = [one[0] for one in found]
        self._low = [one[0].lower() for one in found]
        self._kind = [one.lastgroup for one in found]
        self._start = [one.start() for one in found]
        self._end = [one.end() for one in found]
        self._closing = frozenset(self._closed("'") + self._closed('"'))

    def __len__(self) -> int:
        return len(self._raw)

    def amount(self, place: int, floor: int) -> Amount | None:
        """The amount whose number starts at a token; None if none does.

        Args:
            place: the token.
            floor: first token that may belong to the amount; earlier ones belong to another amount.
        """
        number = self._number(place)
        if number is None:
            return None
        start, currency, comparison, sign = self._before(place, floor)
        unit, half, end = "", "", number.end
        if number.counts:
            unit, end = self._unit(end)
            after, end = self._after(end)
            half, end = self._half(end)
            comparison = comparison or after
        value = f"{sign}{number.value}"
        return Amount(start, end, value, currency or unit, half, comparison, number.sure or bool(half))

    def word(self, place: int) -> str:
        """The token in lower case, "" outside the text."""
        return self._low[place] if 0 <= place < len(self._low) else ""

    def words(self, start: int, end: int) -> list[str]:
        """The tokens in lower case."""
        return self._low[start:end]

    def _number(self, place: int) -> _Number | None:
        kind, word = self._kind[place], self._low[place]
        if kind == "number":
            joined = self._adjacent(place) and self._kind[place - 1] in ("word", "han")
            value = written(self._raw[place])
            return _Number(value, place + 1, counts=False) if joined else self._digits(value, place + 1)
        if kind == "han":
            return _Number(_of_han(word), place + 1)
        if kind != "word":
            return None
        if word in vocabulary.SMALL or word in vocabulary.TENS:
            return self._spelt(place)
        return self._worded(word, place)

    def _worded(self, word: str, place: int) -> _Number | None:
        """A single word that is a number, except cardinals below a hundred."""
        if word in vocabulary.TIMES:
            return _Number(vocabulary.TIMES[word], place + 1, counts=False)
        if word in ("half", "quarter", "halves"):
            return _Number(f"1/{vocabulary.PARTS[word]}", place + 1)
        if word == "third" and self.word(place - 1) == "a" and self.word(place + 1) == "of":
            return _Number("1/3", place + 1)
        if word in vocabulary.ORDINALS:
            of_time = word == "second" and self.word(place - 1) in _OF_TIME
            ordinal = _Number(f"{vocabulary.ORDINALS[word]}th", place + 1, sure=word != "first", counts=False)
            return None if of_time else ordinal
        if _zeros(word) is not None or word in ("dozen", "dozens"):
            if word.endswith("s") and self.word(place + 1) == "of":
                return _Number(word, place + 1, counts=False)
            return _Number(*self._scaled("1", place))
        if word.endswith("ies") and (tens := vocabulary.TENS.get(f"{word[:-3]}y")):
            return _Number(f"{tens} s", place + 1, counts=False)  # "in the nineties" is "in the 90s"
        if (value := vocabulary.roman(self._raw[place])) is not None:
            return _Number(value, place + 1, counts=False)
        if self._raw[place] == "I" and place and self._kind_of(place + 1) != "word":
            return _Number("1", place + 1, sure=False, counts=False)  # "World War I", or a pronoun
        return None

    def _digits(self, value: str, after: int) -> _Number:
        following = self.word(after)
        if following in _ENDINGS and self._adjacent(after):
            return _Number(f"{value}th", after + 1, counts=False)
        if value.isdigit() and self._kind_of(after) == "number" and _is_part(following):
            return _Number(*self._scaled(f"{value} {following}", after + 1))
        if value.isdigit() and (part := self._part(value, after)):
            return _Number(*self._scaled(f"{value}/{part}", after + 1))
        sides = [value]
        while self.word(after) in ("x", "\u00d7") and self._kind_of(after + 1) == "number":
            sides.append(written(self._raw[after + 1]))
            after += 2
        return _Number(*self._scaled("x".join(sides), after))

    def _spelt(self, place: int) -> _Number:
        """A spelled number: "twenty-five", "two hundred and six", "two thirds", "twenty-first"."""
        number, after = self._below_hundred(place)
        if self.word(after) == "hundred":
            number, after = number * 100, after + 1
            further = after + (self.word(after) == "and")
            if self.word(further) in vocabulary.SMALL or self.word(further) in vocabulary.TENS:
                tail, after = self._below_hundred(further)
                number += tail
        step = after + self._hyphen(after)
        if 20 <= number < 100 and not number % 10 and vocabulary.ORDINALS.get(self.word(step), 10) < 10:
            return _Number(f"{number + vocabulary.ORDINALS[self.word(step)]}th", step + 1, counts=False)
        if part := self._part(str(number), step):
            return _Number(*self._scaled(f"{number}/{part}", step + 1))
        value, end = self._scaled(str(number), after)
        return _Number(value, end, sure=value != "1")

    def _below_hundred(self, place: int) -> tuple[int, int]:
        word = self._low[place]
        if word in vocabulary.SMALL:
            return vocabulary.SMALL[word], place + 1
        unit = place + 1 + self._hyphen(place + 1)
        if 0 < vocabulary.SMALL.get(self.word(unit), 0) < 10:
            return vocabulary.TENS[word] + vocabulary.SMALL[self.word(unit)], unit + 1
        return vocabulary.TENS[word], place + 1

    def _part(self, count: str, place: int) -> int | None:
        """The denominator of a fraction after a count: "one third", "two thirds"."""
        word = self.word(place)
        return vocabulary.PARTS.get(word) if word.endswith("s") is not (count == "1") else None

    def _scaled(self, value: str, place: int) -> tuple[str, int]:
        """A value with the scale words after it, and the token after them."""
        for _ in range(_SCALES_OF_A_NUMBER):
            step = place + self._hyphen(place)
            word = self.word(step)
            zeros = _zeros(word)
            if zeros is None and self._is_letter(place):
                zeros = vocabulary.SCALE_LETTERS[self._raw[place]]
            if word in ("dozen", "dozens"):
                value, place = f"{value} dozen", step + 1
            elif zeros is None:
                break
            else:
                whole = value.isdigit() and value[0] != "0"
                value, place = value + "0" * zeros if whole else f"{value} e{zeros}", step + 1
        return value, place

    def _is_letter(self, place: int) -> bool:
        """True if a letter after a number scales it: "5K", "5M", "5 B"."""
        if place >= len(self._raw) or self._raw[place] not in vocabulary.SCALE_LETTERS:
            return False
        return self._adjacent(place) or self._raw[place].isupper()

    def _unit(self, place: int) -> tuple[str, int]:
        """The unit or currency at a token, "" if there is none, and the token after it."""
        step = place + self._hyphen(place)
        word = self.word(step)
        if prime := self._prime(place):
            return prime, place + 1 + (word == self.word(step + 1) == "\u2032")
        if word in _POWERS and (unit := self._unit_word(step + 1)):
            return f"{unit}{_POWERS[word]}", step + 2
        if word == "per" and self.word(step + 1) == "cent":
            return "%", step + 2
        if not (unit := self._unit_word(step)):
            return "", place
        end = step + 1
        if unit == "\u00b0" and (heat := _HEAT.get(self.word(end))):
            return f"\u00b0{heat}", end + 1
        if unit in _LENGTHS and self._adjacent(end) and self.word(end) in _SQUARED:
            unit, end = f"{unit}{_SQUARED[self.word(end)]}", end + 1
        divides = self.word(end) in ("per", "a", "an") or (self.word(end) == "/" and self._adjacent(end))
        if divides and (each := self._unit_word(end + 1)):
            unit, end = f"{unit}/{each}", end + 2
        return unit, end

    def _prime(self, place: int) -> str:
        """The sign of feet, inches or minutes at a token; "" for other tokens and closing quotes."""
        word = self.word(place)
        if word not in _PRIMES or not self._adjacent(place) or place in self._closing:
            return ""
        doubled = word == self.word(place + 1) == "\u2032"  # the decomposed form of the inch sign
        return "\u2033" if doubled else _PRIMES[word]

    def _closed(self, quote: str) -> list[int]:
        """The positions of closing quotes whose opening quote follows a space or a sign."""
        closed, is_open = [], False
        for place in (place for place, word in enumerate(self._low) if word == quote):
            if not self._adjacent(place) or self._kind[place - 1] == "sign":
                is_open = True
            elif is_open:
                closed.append(place)
                is_open = False
        return closed

    def _unit_word(self, place: int) -> str:
        """The normalised word of a unit or a currency, "" for other words."""
        word = self.word(place)
        if not word or self._raw[place] in vocabulary.BY_CASE:
            return word and self._raw[place]
        if len(word) == 1 and word.isalpha() and self._raw[place] not in vocabulary.SHORT and word != "x":
            return ""
        return vocabulary.UNITS.get(word) or vocabulary.CURRENCIES.get(word) or ""

    def _after(self, place: int) -> tuple[str, int]:
        """The comparison after an amount, and the token after it: "18+", "18 or older"."""
        if self.word(place) == "+" and self._adjacent(place) and self._kind_of(place + 1) != "number":
            return ">=", place + 1
        found = vocabulary.COMPARED.get((self.word(place), self.word(place + 1)))
        return ("", place) if found is None else (found, place + 2)

    def _half(self, place: int) -> tuple[str, int]:
        """The half of the day after a time, and the token after it."""
        step = place + (self.word(place) == "o'clock")
        for length in (3, 2, 1):
            half = vocabulary.HALVES.get(tuple(self._low[step : step + length]))
            if half and not (self.word(step) == "am" and self.word(step + 1) == "i"):
                return half, step + length
        return "", place

    def _before(self, place: int, floor: int) -> tuple[int, str, str, str]:
        """The first token of an amount, with its currency, comparison and sign."""
        start, currency = self._currency(place, floor)
        sign, start = self._sign(start, floor)
        if not currency:
            start, currency = self._currency(start, floor)
        for length in (3, 2, 1):
            if (
                start - length >= floor
                and (words := tuple(self._low[start - length : start])) in vocabulary.COMPARING
            ):
                return start - length, currency, vocabulary.COMPARING[words], sign
        return start, currency, "", sign

    def _currency(self, place: int, floor: int) -> tuple[int, str]:
        before = place - 1 - (self.word(place - 1) == "." and self.word(place - 2) == "rs")
        if before >= floor and (currency := vocabulary.CURRENCIES.get(self._low[before])):
            return before, currency
        return place, ""

    def _sign(self, place: int, floor: int) -> tuple[str, int]:
        before = place - 1
        if before < floor:
            return "", place
        if self._low[before] in ("minus", "negative"):
            return "-", before
        if self._low[before] == "\u00b1":
            return "\u00b1", before
        if self._low[before] in _MINUS and self._adjacent(place) and not self._joins(before, floor):
            return "-", before
        return "", place

    def _joins(self, place: int, floor: int) -> bool:
        """True if a dash joins a token to the one before it: "10-20", "COVID-19", "2 am -5 am"."""
        if place == floor > 0:
            return True
        closes = self._kind[place - 1] != "sign" or self._raw[place - 1] in "-)]}."
        return self._adjacent(place) and closes

    def _adjacent(self, place: int) -> bool:
        """True if a token directly follows the one before it."""
        return 0 < place < len(self._raw) and self._end[place - 1] == self._start[place]

    def _hyphen(self, place: int) -> int:
        """1 if a hyphen joins the tokens before and after it, else 0."""
        return int(self.word(place) == "-" and self._adjacent(place) and self._adjacent(place + 1))

    def _kind_of(self, place: int) -> str | None:
        return self._kind[place] if place < len(self._kind) else None


def tables() -> dict[str, Any]:
    """Further words and signs that amounts are read by, as JSON values, for other languages."""
    return {
        "squared": _SQUARED,
        "powers": _POWERS,
        "heat": _HEAT,
        "primes": _PRIMES,
        "lengths": sorted(_LENGTHS),
        "of_time": sorted(_OF_TIME),
    }


def written(number: str) -> str:
    """A number in ASCII digits, without thousands separators; dates with hyphens."""
    if not number.isascii():
        number = "".join(str(unicodedata.decimal(one, one)) for one in number)
    if "," in number and _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    if "/" in number and _DATE.fullmatch(number):
        number = number.replace("/", "-")
    if number[0] == "0" and number[2:3] == ":":
        number = number[1:]
    return f"0{number}" if number[0] == "." else number


def _is_part(number: str) -> bool:
    """True if a number is a fraction below one, such as 1/2."""
    upper, _, lower = number.partition("/")
    small = upper.isdigit() and lower.isdigit() and len(upper) < 3 and len(lower) < 4
    return small and int(upper) < int(lower)


def _zeros(word: str) -> int | None:
    return (
        vocabulary.SCALES[word]
        if word in vocabulary.SCALES
        else vocabulary.SCALES.get(word.removesuffix("s"))
    )


def _of_han(run: str) -> str:
    """A number in Han characters, in ASCII digits if it consists of digits or is ten, else unchanged."""
    if run == "\u5341":
        return "10"
    return (
        "".join(str(vocabulary.HAN[one]) for one in run)
        if all(vocabulary.HAN.get(one, 10) < 10 for one in run)
        else run
    )
