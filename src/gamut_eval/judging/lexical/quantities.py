"""Numbers with their units: reading them, and whether two agree or conflict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from gamut_eval.judging.lexical.language import SCALES, SMALL_NUMBERS
from gamut_eval.judging.lexical.words import Word, has_content, is_dense, is_number

ROUNDING = 0.005
"""Relative difference that is no difference."""
CONVERTED = 0.03
"""Relative difference that changing units and rounding the result may make ("50 miles (80 km)")."""
ABOUT = 0.1
"""Relative difference that "about" allows."""
ABOUT_YEARS = 10.0
"""Years that "about" allows in a date of the common era, where a share of the date would mean nothing."""
DEGREES = 3.0
"""Degrees Celsius that a rounded conversion may be off by."""
SAME_SLOT = 10.0
"""Quantities in different units conflict only up to this ratio; 30 cm and 25 km do not speak of the same thing."""
LONGEST_NUMBER = 40
"""Digits from which on a number is a word like any other."""
LARGEST = 1e18
"""Where reading scale words stops ("million million …")."""

YEAR = "year"

_UNIT_LINES = """
    length 1 m metre meter; length 0.01 cm centimetre centimeter; length 0.001 mm millimetre millimeter;
    length 1000 km kilometre kilometer; length 1609.34 mi mile; length 0.3048 ft foot feet; length 0.0254 inch inche;
    length 0.9144 yd yard; mass 1 g gram gramme; mass 0.001 mg milligram; mass 1000 kg kilo kilogram kilogramme;
    mass 28.35 oz ounce; mass 453.6 lb pound lbs; mass 1000000 t ton tonne; volume 1 l litre liter;
    volume 0.001 ml millilitre milliliter; volume 0.01 cl centilitre centiliter; volume 0.1 dl decilitre deciliter;
    volume 0.2366 cup; volume 0.0148 tbsp tablespoon; volume 0.0049 tsp teaspoon; time 1 s sec second;
    time 60 min minute mins; time 3600 h hr hour hrs; time 86400 day; time 604800 week; time 2629800 month;
    time 31557600 yr; speed 1 km/h kph kmh; speed 1.60934 mph; speed 3.6 m/s; pressure 1 bar; pressure 0.06895 psi;
    pressure 1.01325 atm atmosphere; pressure 0.01 kpa kilopascal; share 1 % percent; energy 1 j joule;
    energy 1000 kj kilojoule; energy 4184 kcal calorie kilocalorie; power 1 w watt; power 1000 kw kilowatt;
    money-dollar 1 $ usd dollar; money-euro 1 € eur euro; money-pound 1 £ gbp; before-christ 1 bc bce;
    temperature 1 °c c celsius centigrade; temperature-f 1 °f f fahrenheit; area 1 m2; area 0.0001 cm2;
    area 1000000 km2; area 10000 ha hectare; volume 1000 m3;
"""
_UNITS = {
    name: (dimension, float(scale), names[0])
    for dimension, scale, *names in (entry.split() for entry in _UNIT_LINES.split(";") if entry.strip())
    for name in names
}
UNIT_NAMES = _UNITS.keys()
"""Every spelling of a unit, in the singular."""
_PHRASES = {
    "kilometre per hour": "km/h", "kilometer per hour": "km/h", "mile per hour": "mph", "meter per second": "m/s",
    "metre per second": "m/s", "degree celsius": "celsius", "degree centigrade": "celsius", "degree c": "celsius",
    "degree fahrenheit": "fahrenheit", "degree f": "fahrenheit", "per cent": "%", "square metre": "m2",
    "square meter": "m2", "square kilometre": "km2", "square kilometer": "km2", "km/h": "km/h", "m/s": "m/s",
}  # fmt: skip
_ABOUT = frozenset("about around approximately roughly nearly almost circa c ca some usually typically often".split())
_MORE = "more greater longer higher larger bigger farther further faster later older heavier taller deeper".split()
_LESS = "less fewer lower shorter smaller slower earlier younger lighter nearer".split()
_ABOVE = frozenset("over above exceeding minimum".split())
_BELOW = frozenset("under below within maximum".split())
_ABOVE_PHRASES = frozenset(("at least", "upwards of", *(f"{more} than" for more in _MORE)))
_BELOW_PHRASES = frozenset(("at most", "up to", *(f"{less} than" for less in _LESS)))
_ABBREVIATED_BOUNDS = {">": 1, "≥": 1, "<": -1, "≤": -1}
_BOUND_REACH = 4
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_RANGE_MARKS = frozenset(("-", "–", "—", "‑", "−", "~", "to", "or", "and"))
_RANGE_REACH = 12
"""Characters between the two ends of a range."""


class Quantity(NamedTuple):
    """A number or a range in its dimension's base unit.

    ``unit`` is the unit as written, in one spelling; ``bound`` is 1 for "at least", -1 for "at
    most"; ``words`` are the places ``[first, last)`` of its words in the sentence.
    """

    low: float
    high: float
    dimension: str | None
    unit: str | None
    about: bool
    bound: int
    first: int
    last: int


def quantities(text: str, words: Sequence[Word]) -> list[Quantity]:
    """The quantities in one sentence, ranges joined.

    >>> from gamut_eval.judging.lexical.words import words_of
    >>> text = "Brew at 90-96 °C for twenty-five seconds"
    >>> [(q.low, q.high, q.unit) for q in quantities(text, words_of(text))]
    [(90.0, 96.0, '°c'), (25.0, 25.0, 's')]
    """
    found: list[Quantity] = []
    place = 0
    while place < len(words):
        quantity = _quantity(text, words, place)
        if quantity is None:
            place += 1
            continue
        place = quantity.last
        joined = _join(text, words, found[-1], quantity) if found else None
        if joined:
            found[-1] = joined
        else:
            found.append(quantity)
    return found


def _quantity(text: str, words: Sequence[Word], place: int) -> Quantity | None:
    value, last = _value(words, place)
    if value is None:
        return None
    if _minus(text, words[place].start):
        value = -value
    dimension, scale, unit, after = _unit(text, words, place, last)
    if dimension is None and words[place].low == "one":
        return None
    if dimension == "temperature-f":
        dimension, value = "temperature", (value - 32) / 1.8
    about, bound = _modifiers(text, words, place)
    return Quantity(value * scale, value * scale, dimension, unit, about, bound, place, after)


def _minus(text: str, start: int) -> bool:
    return text[max(0, start - 1) : start] in {"-", "−"} and (start < 2 or text[start - 2].isspace())


def _value(words: Sequence[Word], place: int) -> tuple[float | None, int]:
    """The number that starts here and the place after it."""
    word = words[place]
    if is_number(word):
        value = _digits(word.low)
        if value is None:
            return None, place + 1
        if place + 1 < len(words) and words[place + 1].low in SCALES:
            return value * SCALES[words[place + 1].low], place + 2
        return value, place + 1
    if word.low in SMALL_NUMBERS or word.low in SCALES:
        return _spelled(words, place)
    return None, place + 1


def _digits(low: str) -> float | None:
    if len(low) > LONGEST_NUMBER:
        return None
    try:
        return float(low.replace(",", "") if _THOUSANDS.fullmatch(low) else low.replace(",", "."))
    except ValueError:
        return None


def _spelled(words: Sequence[Word], place: int) -> tuple[float, int]:
    total = current = 0.0
    start = place
    while place < len(words) and total + current < LARGEST:
        low = words[place].low
        if low in SMALL_NUMBERS:
            if place > start and (words[place - 1].low not in SCALES and not (current % 10 == 0 and current >= 20)):
                break
            current += SMALL_NUMBERS[low]
        elif low in SCALES:
            current = max(current, 1.0) * SCALES[low]
            if SCALES[low] >= SCALES["thousand"]:
                total, current = total + current, 0.0
        else:
            break
        place += 1
    return total + current, place


def _unit(text: str, words: Sequence[Word], first: int, last: int) -> tuple[str | None, float, str | None, int]:
    """Dimension, scale and name of the unit after (or before) the number, and the place after it."""
    if first and words[first - 1].low in {"$", "€", "£"}:
        return (*_UNITS[words[first - 1].low], last)
    ordinal = last < len(words) and words[last].start == words[last - 1].end
    if ordinal and words[last].low in {"st", "nd", "rd", "th"}:
        return "ordinal", 1.0, "ordinal", last + 1
    gap = text[words[last - 1].end : words[last].start] if last < len(words) else "."
    if not gap.strip(" -\u00a0\u202f") and (known := _known_unit(text, words, last)):
        return known
    if _is_year(words[first], last - first):
        decade = ordinal and words[last].low == "s"
        return YEAR, 1.0, YEAR, last + decade
    if gap in {" ", "-", "\u00a0"} and _counts(words[last]):
        return f"noun {words[last].stem}", 1.0, None, last
    return None, 1.0, None, last


def _counts(word: Word) -> bool:
    """Whether it can be what a number counts."""
    spelled_number = is_number(word) or word.low in SMALL_NUMBERS or word.low in SCALES
    return has_content(word) and not is_dense(word) and not spelled_number


def _known_unit(text: str, words: Sequence[Word], place: int) -> tuple[str, float, str, int] | None:
    singular = [word.low if word.low in _UNITS else word.low.removesuffix("s") for word in words[place : place + 3]]
    if len(singular) > 1 and text[words[place].end : words[place + 1].start] == "/":
        singular[:2] = [f"{words[place].low}/{words[place + 1].low}"]
        if singular[0] in _PHRASES:
            return (*_UNITS[singular[0]], place + 2)
    for length in (3, 2):
        if name := _PHRASES.get(" ".join(singular[:length])):
            return (*_UNITS[name], place + length)
    name = "".join(singular[:1]).replace(" ", "")
    if name not in _UNITS or _is_decade(words, place):
        return None
    return (*_UNITS[name], place + 1)


def _is_decade(words: Sequence[Word], place: int) -> bool:
    """Whether this is the s of "the 1950s"."""
    return words[place].low == "s" and words[place].start == words[place - 1].end and _is_year(words[place - 1], 1)


def _is_year(word: Word, length: int) -> bool:
    return length == 1 and len(word.low) == 4 and word.low.isdecimal() and 1000 <= int(word.low) <= 2100


def _modifiers(text: str, words: Sequence[Word], place: int) -> tuple[bool, int]:
    """Whether "about" stands before the number, and the bound that it is."""
    start = words[place].start
    sign = text[max(0, start - 2) : start].strip()
    about = sign in {"~", "≈"}
    bound = _ABBREVIATED_BOUNDS.get(sign, 0)
    before = [word.low for word in words[max(0, place - _BOUND_REACH) : place]]
    about = about or not _ABOUT.isdisjoint(before)
    return about, bound or _bound(before)


def _bound(before: list[str]) -> int:
    """1 for "at least", -1 for "at most" in the words before the number; "no more than" turns "more than" round."""
    if before and before[-1] in _ABOUT:
        before = before[:-1]
    last, pair = " ".join(before[-1:]), " ".join(before[-2:])
    sign = -1 if pair.endswith(" than") and not {"no", "not"}.isdisjoint(before) else 1
    if last in _ABOVE or pair in _ABOVE_PHRASES:
        return sign
    return -sign if last in _BELOW or pair in _BELOW_PHRASES else 0


def _join(text: str, words: Sequence[Word], a: Quantity, b: Quantity) -> Quantity | None:
    """The range from ``a`` to ``b``, if that is what they are."""
    gap = text[words[a.last - 1].end : words[b.first].start]
    if len(gap) > _RANGE_REACH or gap.strip() not in _RANGE_MARKS or a.low != a.high:
        return None
    if gap.strip() == "and" and not _opens_range(text, words, a):
        return None
    low = _in_unit_of(a, b)
    if low is None or low > b.high:
        return None
    return b._replace(low=low, about=a.about or b.about, bound=0, first=a.first)


def _opens_range(text: str, words: Sequence[Word], a: Quantity) -> bool:
    """Whether the "and" after it joins a range: "between 2 and 3", or as in "2 and 3 m (6 and 10 ft)"."""
    before = {word.low for word in words[max(0, a.first - _BOUND_REACH) : a.first]}
    return "between" in before or text[max(0, words[a.first].start - 1) : words[a.first].start] == "("


def _in_unit_of(a: Quantity, b: Quantity) -> float | None:
    """``a`` read with the unit of ``b`` where it has none of its own."""
    if a.dimension == b.dimension:
        return a.low
    if a.dimension not in (None, YEAR):
        return None
    if b.unit == "°f":
        return (a.low - 32) / 1.8
    scale = _UNITS[b.unit][1] if b.unit in _UNITS else 1.0
    return a.low * scale


def agree(a: Quantity, b: Quantity) -> bool:
    """Whether both can be the same: ranges overlap, within what "about" and conversions allow."""
    if a.dimension != b.dimension and (a.dimension is None) == (b.dimension is None):
        return False
    slack = _slack(a, b)
    if a.bound and a.bound == b.bound:
        return abs(a.low - b.low) <= slack
    (a_low, a_high), (b_low, b_high) = _interval(a), _interval(b)
    return a_low - slack <= b_high and b_low <= a_high + slack


def _interval(q: Quantity) -> tuple[float, float]:
    return (q.low if q.bound >= 0 else -inf, q.high if q.bound <= 0 else inf)


def _slack(a: Quantity, b: Quantity) -> float:
    size = max(abs(a.low), abs(a.high))
    about = a.about or b.about
    if YEAR in (a.dimension, b.dimension):
        return ABOUT_YEARS if about else 0.0
    if a.dimension == "temperature":
        return DEGREES if about or a.unit != b.unit else ROUNDING
    return (ABOUT if about else CONVERTED if a.unit != b.unit else ROUNDING) * size


def conflict(a: Quantity, b: Quantity) -> bool:
    """Whether both fill the same slot, a unit or a counted noun, with different values."""
    if a.dimension is None or a.dimension != b.dimension or agree(a, b):
        return False
    small, large = sorted((abs(a.high), abs(b.high)))
    return a.unit == b.unit or large <= SAME_SLOT * small
