"""From characters to tokens: folding, and the shapes that numbers take in dates, hours and zones.

Each token knows where it stands in the original text, what it can be (its classes, with a value in each) and a one
character code for that set of classes. A text thus becomes a short string of codes, over which the patterns of
`tools.dates_grammar` are ordinary regular expressions: none of them ever sees the user's characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.dates_lexicon import Language, entries

UNKNOWN = "UNKNOWN"

_ACCENTS = range(0x0300, 0x0370)
_SAME: dict[str, str] = {
    "\u00a0": " ",
    "ª": "a",
    "º": "o",
    "°": "o",
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015", "-"),
}
_QUOTES = dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’", "'")

# "5 p.m.", "9 a. m." and "o'clock", each rewritten at its own length so that offsets stay true.
_DOTTED_HALF = re.compile(r"(?<![a-z.])([ap])\. *m(?:\.|(?![a-z]))")
_PIECE = re.compile(r"""(?:[^\s,;()\[\]{}"`|!?<>]|(?<=\d),(?=\d))+|[,;()\[\]{}"`|!?<>]""")
_PUNCTUATION = {
    ",": "COMMA",
    ":": "COLON",
    "(": "BRACKET",
    ")": "BRACKET",
    ".": "STOP",
    "-": "DASH",
    '"': "QUOTE",
    "`": "QUOTE",
    "'": "QUOTE",
}

_CLOCK = r"(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<s>\d{2})(?:[.,]\d{1,9})?)?(?:h|hs|hrs)?"
_AREAS = (
    "africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us"
)
_OFFSET = r"[+-]\d{2}:?\d{2}|[+-]\d{2}"
_ZONE = rf"z|brt|(?:utc|gmt)(?:[+-]\d{{1,2}}(?::?\d{{2}})?)?|{_OFFSET}|(?:{_AREAS})(?:/[a-z0-9_+-]+){{1,2}}"
_ISO = r"(?P<y>\d{4})(?P<sep>[-/])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})"
_END_OF_RANGE = (
    r"\d{1,2}/\d{1,2}(?:/\d{2}|/\d{4})?|\d{4}-\d{2}-\d{2}|\d{1,2}-\d{1,2}-\d{4}|"
    r"\d{1,2}:\d{2}|\d{1,3}h(?:\d{2})?|\d{1,2}"
)
_RANGE = re.compile(rf"(?:{_END_OF_RANGE})-(?:{_END_OF_RANGE})")

_MOMENT = re.compile(
    rf"(?:(?P<iso>{_ISO})t(?=\d))?"
    r"(?:(?P<clock>" + _CLOCK + r")|(?P<hm>\d{1,3}h\d{2}(?:min|m)?)|(?P<hours>\d{1,12}(?P<suffix>hs|hrs?|h)?))?"
    rf"(?P<half>am|pm)?(?P<zone>{_ZONE})?"
)
_NUMBER_WORD = re.compile(r"(\d{1,9})([a-z]+)")
_GLUED = re.compile(r"(p/|[a-z]+:)(?!/)(.+)")


@dataclass(slots=True)
class Token:
    """A word, a shape or a mark: `values` by class, `start` and `end` in the original text."""

    word: str
    start: int
    end: int
    values: dict[str, Any]
    languages: frozenset[Language] = frozenset()

    def is_a(self, *classes: str) -> bool:
        """Tell whether the token is in one of the classes."""
        return not self.values.keys().isdisjoint(classes)


def fold(text: str) -> tuple[str, list[int]]:
    """Return a text in lower case without accents, and the index of each of its characters in the original.

    No-break spaces and the hyphens and dashes U+2010..2015 become ASCII, as do ª, º and quotes. Whatever else is not
    ASCII becomes the replacement character, which no pattern matches.
    """
    characters: list[str] = []
    origins: list[int] = []
    for index, character in enumerate(text):
        for part in character if character.isascii() else _ascii_of(character):
            characters.append(part)
            origins.append(index)
    return "".join(characters).lower(), origins


def _ascii_of(character: str) -> str:
    known = _SAME.get(character) or _QUOTES.get(character)
    if known:
        return known
    plain = "".join(part for part in unicodedata.normalize("NFD", character) if ord(part) not in _ACCENTS)
    return plain if plain.isascii() else "\N{REPLACEMENT CHARACTER}"


def foreign(text: str) -> str:
    """Return the first character a deadline cannot contain (a control, or not ASCII once folded), or ""."""
    for character in text:
        code = ord(character)
        if code < 32 or code == 127 or (code > 127 and not _ascii_of(character).isascii()) or character in _QUOTES:
            return character
    return ""


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text, numbers in words already put together ("vinte e um" is one token)."""
    folded, origins = fold(text)
    folded = folded.replace("o'clock", "oclock ")
    folded = _DOTTED_HALF.sub(lambda match: f"{match[1]}m".ljust(len(match[0])), folded)
    found: list[Token] = []
    for piece in _PIECE.finditer(folded):
        for word, start, values, languages in _split(piece[0], piece.start()):
            end = origins[start + len(word) - 1] + 1
            found.append(Token(word, origins[start], end, values, languages))
    for token in found:
        if "ZONE" in token.values:
            token.values["ZONE"] = text[token.start : token.end]
    return _join_numbers(found)


Piece = tuple[str, int, dict[str, Any], frozenset[Language]]
_NO_LANGUAGE: frozenset[Language] = frozenset()


def _split(piece: str, start: int) -> Iterator[Piece]:
    """Yield what one run of characters without spaces is made of: marks at its edges, then what it contains."""
    core = piece.lstrip("'") if len(piece) > 1 else piece
    for offset in range(len(piece) - len(core)):
        yield _mark("'", start + offset)
    start += len(piece) - len(core)
    if not core:
        return
    body = core.rstrip("'.:") or core[:1]
    if body == core and body in _PUNCTUATION or not body.strip("'.:,;!?()[]{}|<>\"`-"):
        yield _mark(body, start)
        body_end = len(body)
    else:
        yield from _inside(body, start)
        body_end = len(body)
    for offset, character in enumerate(core[body_end:], start=body_end):
        if character == "." and offset == body_end and _is_abbreviation(body):
            continue
        yield _mark(character, start + offset)


def _mark(character: str, start: int) -> Piece:
    return character, start, {_PUNCTUATION.get(character[:1], "MARK"): True}, _NO_LANGUAGE


def _is_abbreviation(word: str) -> bool:
    entry = entries().get(word)
    return (
        entry is not None
        and len(word) <= 4
        and any(
            name in entry.values
            for name in ("WEEKDAY", "MONTH", "HALF_DAY", "HOUR", "MINUTE", "NEXT", "TUESDAY_OR_MARCH")
        )
    )


def _inside(body: str, start: int, glue: bool = True) -> Iterator[Piece]:
    """Yield the parts of a run that has no marks at its edges; only one word may be glued before the rest."""
    whole = _word(body, start) or _shape(body, start)
    if whole:
        yield from whole
        return
    glued = _GLUED.fullmatch(body) if glue else None
    if glued and (left := _word(glued[1].rstrip(":"), start)):
        yield from left
        if glued[1].endswith(":"):
            yield _mark(":", start + len(glued[1]) - 1)
        yield from _inside(glued[2], start + len(glued[1]), glue=False)
        return
    parts = _hyphened(body, start)
    yield from parts or [(body, start, {UNKNOWN: True}, _NO_LANGUAGE)]


def _word(body: str, start: int) -> list[Piece] | None:
    entry = entries().get(body)
    return [(body, start, dict(entry.values), frozenset(entry.languages))] if entry else None


def _hyphened(body: str, start: int) -> list[Piece] | None:
    """Return the words of "sexta-feira", "meio-dia", "twenty-one", or None if one of them is not known."""
    found: list[Piece] = []
    for part in body.split("-"):
        piece = _word(part, start) or (_ordinal(part, start) if part else None)
        if piece is None:
            return None
        found += piece
        start += len(part) + 1
    return found


def _shape(body: str, start: int) -> list[Piece] | None:
    """Return the tokens of a run with a digit or a zone in it, or None."""
    for reader in (_date, _moment, _ordinal, _number_and_word, _other_numbers):
        found = reader(body, start)
        if found:
            return found
    return None


_DATES = (
    re.compile(_ISO),
    re.compile(r"(?P<d>\d{1,2})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})"),
    re.compile(r"(?P<d>\d{1,2})/(?P<m>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})(?P<sep>[-/])(?P<m>[a-z]{3,10})(?:(?P=sep)(?P<y>\d{4}|\d{2}))?"),
)


def _date(body: str, start: int) -> list[Piece] | None:
    for match in filter(None, (pattern.fullmatch(body) for pattern in _DATES)):
        groups = match.groupdict()
        month = _month_number(groups["m"])
        if month is None:
            return None
        year = groups.get("y")
        if not year:
            return [(body, start, {"DM": (int(groups["d"]), month)}, _NO_LANGUAGE)]
        values: dict[str, Any] = {"DATE": (_full_year(year), month, int(groups["d"]))}
        if groups.get("sep") == ".":
            values["DOTTED_DATE"] = True
        return [(body, start, values, _NO_LANGUAGE)]
    return None


def _month_number(month: str) -> int | None:
    if month.isdigit():
        return int(month)
    entry = entries().get(month)
    return entry.values.get("MONTH") if entry else None


def _full_year(year: str) -> int:
    return int(year) + (2000 if len(year) == 2 else 0)


def _moment(body: str, start: int) -> list[Piece] | None:
    """Return the tokens of a clock with what may be glued to it: an ISO date before, am or pm and a zone after."""
    match = _MOMENT.fullmatch(body)
    if not match or _is_range(match):
        return None
    return [(match[name], start + match.start(name), values, _NO_LANGUAGE) for name, values in _moment_values(match)]


def _is_range(match: re.Match[str]) -> bool:
    """Tell whether "09:00-11:00" is more likely two hours than an hour and an offset.

    An offset is meant when a date or seconds stand before it, or when a second hour would lie before the first. A
    bare number has no offset at all: "dia 15-12" is no day in the zone -12:00.
    """
    zone = match["zone"] or ""
    if not zone or match["iso"] or match["s"]:
        return False
    if match["hours"] and not (match["suffix"] or match["half"]):
        return True
    first = re.match(r"\d+", match[0])
    return first is not None and zone.startswith("-") and int(zone[1:3]) > int(first[0])


def _moment_values(match: re.Match[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if match["iso"]:
        yield "iso", {"DATE": (int(match["y"]), int(match["m"]), int(match["d"]))}
    if match["clock"]:
        yield "clock", {"CLOCK": (int(match["h"]), int(match["min"]), int(match["s"] or 0))}
    if match["hm"]:
        hours, minutes = match["hm"].rstrip("min").split("h")
        yield "hm", {"HM": (int(hours), int(minutes), 0)}
    if match["hours"]:
        number = match["hours"].rstrip("hrs")
        if match["suffix"]:
            yield "hours", {"HOURS": int(number)}
        else:
            yield "hours", {"CLOCK": (int(number), 0, 0)} if match["iso"] else _digits(number)
    if match["half"]:
        yield "half", {"HALF_DAY": match["half"]}
    if match["zone"]:
        yield "zone", {"ZONE": match["zone"]}


def _digits(digits: str) -> dict[str, Any]:
    values: dict[str, Any] = {"NUM": int(digits), "DIGITS": int(digits)}
    if len(digits) <= 2:
        values["DAY"] = int(digits)
    if len(digits) == 2:
        values["SHORT_YEAR"] = 2000 + int(digits)
    if len(digits) == 4:
        values["YEAR"] = int(digits)
    return values


_ORDINAL = re.compile(r"(\d{1,2})\.?(?:o|er|ro|st|nd|rd|th)")
_FEMININE = re.compile(r"([2-6])\.?a")


def _ordinal(body: str, start: int) -> list[Piece] | None:
    if match := _FEMININE.fullmatch(body):
        return [(body, start, {"NUMBERED_WEEKDAY": int(match[1]) - 2}, frozenset({"pt"}))]
    if match := _ORDINAL.fullmatch(body):
        return [(body, start, {"ORDINAL": int(match[1]), "ORDINAL_DIGITS": int(match[1])}, _NO_LANGUAGE)]
    return None


_SHORT_UNITS: dict[str, dict[str, Any]] = {"d": {"UNIT": "day"}, "w": {"UNIT": "week"}}


def _number_and_word(body: str, start: int) -> list[Piece] | None:
    """Return the tokens of "30min", "5pm", "3d": a number with its unit glued to it."""
    match = _NUMBER_WORD.fullmatch(body)
    if not match:
        return None
    entry = entries().get(match[2])
    values = _SHORT_UNITS.get(match[2]) or (entry.values if entry else {})
    if not any(name in values for name in ("UNIT", "HOUR", "MINUTE", "SECOND", "HALF_DAY", "MONTH")):
        return None
    languages = frozenset(entry.languages) if entry else _NO_LANGUAGE
    return [
        (match[1], start, _digits(match[1]), _NO_LANGUAGE),
        (match[2], start + len(match[1]), dict(values), languages),
    ]


def _other_numbers(body: str, start: int) -> list[Piece] | None:
    if _RANGE.fullmatch(body):
        return [(body, start, {"RANGE": True}, _NO_LANGUAGE)]
    if re.fullmatch(r"\d{1,2}\.\d{1,2}", body):
        return [(body, start, {"DOTTED": True}, _NO_LANGUAGE)]
    if body.isdigit() and len(body) <= 12:
        return [(body, start, _digits(body), _NO_LANGUAGE)]
    return None


def _join_numbers(tokens: list[Token]) -> list[Token]:
    """Put "vinte e um", "twenty-one" and "treinta y uno" together, and "twenty-first"."""
    joined: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        step = 1
        if token.is_a("TENS") and token.values["TENS"] < 100:
            linked = index + 1 < len(tokens) and tokens[index + 1].word in ("e", "y")
            last = index + (2 if linked else 1)
            if last < len(tokens) and (number := _unit_of(tokens[last], linked)):
                token = _joined(token, tokens[last], number)
                step = last - index + 1
        joined.append(token)
        index += step
    return joined


def _unit_of(token: Token, linked: bool) -> tuple[str, int] | None:
    """Return the class and value of one to nine, in words, after a multiple of ten; without a link only in English."""
    if not linked and "en" not in token.languages:
        return None
    for name in ("NUMWORD", "ORDINAL"):
        value = token.values.get(name)
        if value is not None and value < 10 and not token.is_a("ORDINAL_DIGITS"):
            return name, value
    return None


def _joined(tens: Token, unit: Token, number: tuple[str, int]) -> Token:
    name, value = number
    total = tens.values["TENS"] + value
    values = {"ORDINAL": total} if name == "ORDINAL" else {"NUM": total, "NUMWORD": total}
    return Token(f"{tens.word} {unit.word}", tens.start, unit.end, values, tens.languages | unit.languages)
