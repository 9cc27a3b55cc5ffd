"""Why a text was refused: the first of an ordered table of signs that is in it, and the word that shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tools.dates_errors import Refused
from tools.dates_read import Reading, compile_pattern
from tools.dates_text import Token

# Sign -> code. A sign is written as the patterns of the grammar are, and is looked for anywhere in the text.
_SIGNS: tuple[tuple[str, str], ...] = (
    ("(EVERY|WEEKDAYS|LOS (WEEKDAY|DIAS))", "recurrence"),
    ("(NUM|DIA|DIAS|FIRST|LAST|NEXT|IN)? (DIA|DIAS)? BUSINESS", "business_days"),
    ("(BETWEEN|RANGE)", "range"),
    ("(DATE|DM|WEEKDAY|FEIRA|DIGITS|ORDINAL) (DASH|A|UNTIL|TO) (DATE|DM|WEEKDAY|DIGITS|ORDINAL)", "range"),
    ("(CLOCK|HM|HOURS) (DASH|A|AT|UNTIL|TO) (CLOCK|HM|HOURS|NUM)", "range"),
    ("FROM (DATE|DM|WEEKDAY|TODAY|TOMORROW|CLOCK|HOURS|NEXT|MONTH)", "start"),
    ("(A? PARTIR|AFTER (?!DE TOMORROW|TOMORROW)|SINCE)", "start"),
    ("NOT", "negation"),
    ("END DE WEEK|WEEKEND", "weekend"),
    ("NUM UNIT AGO|HA (NUM|AN) UNIT|AGO NUM? (UNIT|WEEKDAY)|(UNIT|WEEKDAY|FEIRA) (AGO|PASADO)", "ago"),
    ("THIS (WEEK|MES|ANO)", "vague"),
    ("OR", "two_dates"),
    ("DOTTED", "dotted"),
)
# A deadline with a name, alone: what is no day here, behind what opens a deadline.
_NAMED = "(UNTIL|BEFORE OF?|LABEL COLON?|PARA ARTICLE|PRO) ARTICLE? (THIS|NEXT)? (<feast>|EVENT WEEKDAY)"
_LINKS = ("COMMA", "OF", "UNTIL", "PARA", "POR", "LABEL", "COLON", "ARTICLE", "IN", "AT")
# What the first token that was not understood is, if none of the signs is there.
_KINDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("SEASON", "VAGUE"), "vague"),
    (("MONTH",), "month_only"),
    (("NUM",), "bare_number"),
    (("BEFORE", *_LINKS), "dangling"),
)


@cache
def _signs() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((compile_pattern(pattern), code) for pattern, code in _SIGNS)


@cache
def _named() -> re.Pattern[str]:
    return compile_pattern(_NAMED)


def why_not(text: str, tokens: Sequence[Token], codes: str, reading: Reading | None) -> Refused:
    """Return the refusal of a text that was not read to its end."""
    if reading is None and (match := _named().match(codes)):
        return Refused("vague", text[tokens[0].start : tokens[match.end() - 1].end])
    for regex, code in _signs():
        if match := regex.search(codes):
            return Refused(code, text[tokens[match.start()].start : tokens[match.end() - 1].end])
    if reading and reading.clash:
        return Refused(reading.clash, text[tokens[reading.start].start :])
    return _not_understood(text, tokens, reading.end if reading else 0)


def _not_understood(text: str, tokens: Sequence[Token], at: int) -> Refused:
    """Return the refusal of the first token, from one on, that is not only a link to the next."""
    first = tokens[min(at, len(tokens) - 1)]
    while at < len(tokens) - 1 and tokens[at].is_a(*_LINKS):
        at += 1
    token = tokens[at]
    if token.is_a("NUM") and at + 1 < len(tokens) and tokens[at + 1].is_a("UNIT", "HOUR", "MINUTE"):
        return Refused("duration", text[token.start : tokens[at + 1].end])
    for classes, code in _KINDS:
        if token.is_a(*classes):
            return Refused(code, text[(first if code == "dangling" else token).start : token.end])
    return Refused("leftover", text[token.start : token.end])
