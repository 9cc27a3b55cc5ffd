"""The deadline that a phrase names: every date in it, judged by its neighbours, then all of them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache

from tools.dates_clause import negated, ordering
from tools.dates_context import ACCEPT, IGNORE, Candidate, is_infinitive, verdict
from tools.dates_errors import Refused
from tools.dates_grammar import Calendar, Clock
from tools.dates_read import Reading, compile_pattern, encode, read
from tools.dates_resolve import Resolved, resolve
from tools.dates_text import UNKNOWN, Token

_OPENING = "(UNTIL|BEFORE OF?|LABEL COLON?)"
# What names a deadline that cannot be decided, though no date is read from it. Not what belongs to a thing.
_SIGNS: tuple[tuple[str, str], ...] = (
    ("EVERY (DIA|WEEK|MES|ANO|WEEKDAY|WEEKDAYS)", "recurrence"),
    ("EVERY ARTICLE (DIAS|WEEKDAYS)", "recurrence"),
    ("WEEKDAYS", "recurrence"),
    ("(<within>|UNTIL|LABEL (OF|COLON)?) ARTICLE? (NEXT|FIRST|LAST)? NUM? (UNIT|DIA)? BUSINESS", "business_days"),
    (f"{_OPENING} ARTICLE? (MES OF)? NEXT? MONTH (OF? YEAR)?", "month_only"),
    ("(UNTIL|BEFORE OF?|LABEL COLON?|PARA|IN) ARTICLE? NEXT? (END DE WEEK|WEEKEND)", "weekend"),
    (f"{_OPENING} ARTICLE? END? (OF ARTICLE?)? (THIS|NEXT)? SEASON", "vague"),
    (f"{_OPENING} ARTICLE? (THIS|NEXT)? <feast>", "vague"),
    # "para o almoço de sexta" is an occasion, not when it is due; so is "para o feriado" beside a date.
    ("(PARA ARTICLE|PRO) (THIS|NEXT)? <feast> (?!OF)", "vague"),
    # What is made "para a black friday" is for it; only "até" and "antes de" make it a deadline.
    (f"{_OPENING} ARTICLE? (THIS|NEXT)? EVENT WEEKDAY", "vague"),
    (f"{_OPENING} DOTTED", "dotted"),
    (f"{_OPENING} YEAR (?!UNKNOWN)", "month_only"),
    ("IN? THIS (WEEK|MES|ANO)", "vague"),
    ("LABEL (OF|COLON)? NUM UNIT", "duration"),
    ("(IN|AT|OF|UNTIL|PARA|BETWEEN|LABEL COLON?) RANGE", "range"),
    ("DIAS DAY (A|AND|OR|UNTIL|DASH) DAY", "range"),
)
# A phrase with more dates than this is refused before they are judged: no task has so many, and each takes time.
_MOST_DATES = 12
_SEEN_AFTER = ("two_dates", "two_times", "bare_number", "business_days")
_VERSION = re.compile(r"0?\d\.\d{1,2}")


@cache
def _signs() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((compile_pattern(pattern), code) for pattern, code in _SIGNS)


def find(phrase: str, tokens: list[Token], now: datetime, zone: tzinfo) -> tuple[Resolved, str] | None:
    """Return the deadline of a phrase with its words, or None if it names none.

    Args:
        phrase: The text the tokens are of.
        tokens: All tokens of the phrase.
        now: Local date and time in `zone`, without a zone of its own.
        zone: The user's zone.

    Raises:
        Refused: if a deadline is named but not decidable.
    """
    tokens = _without_quotes(tokens)
    codes = encode(tokens)
    candidates = _candidates(phrase, tokens, codes)
    if len(candidates) > _MOST_DATES:
        raise Refused("two_dates", _words(phrase, candidates[0]))
    answers = [verdict(candidate) for candidate in candidates]
    _pair_up(candidates, answers, now)
    accepted = [c for c, answer in zip(candidates, answers, strict=True) if answer == ACCEPT]
    accepted = [c for c in accepted if not _is_gone_shape(c, now)]
    _refuse_undecidable(phrase, tokens, codes, candidates, answers, accepted)
    if not accepted:
        return None
    return _one_of(phrase, accepted, now, zone)


def _without_quotes(tokens: list[Token]) -> list[Token]:
    """Return the tokens with what stands between quotes made unknown: it is text to be handled, not a deadline."""
    marks = [i for i, token in enumerate(tokens) if token.is_a("QUOTE")]
    quoted = {i for a, b in zip(marks[::2], marks[1::2], strict=False) for i in range(a + 1, b)}
    return [replace(token, values={UNKNOWN: True}) if i in quoted else token for i, token in enumerate(tokens)]


def _candidates(phrase: str, tokens: list[Token], codes: str) -> list[Candidate]:
    """Return each longest date in the phrase, from left to right."""
    found: list[Candidate] = []
    at = 0
    while at < len(tokens):
        reading = None if _is_length(tokens, at) or _is_event(tokens, at) else read(tokens, codes, at)
        if reading:
            _give_back_number(phrase, reading, tokens)
        if reading and reading.parts:
            found.append(Candidate(reading, tokens, phrase))
            at = reading.end
        else:
            at += 1
    return found


def _is_length(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether an hour is how long a thing is ("reunião de 2h amanhã às 10h"), and no end of a range."""
    if at == 0 or tokens[at - 1].word != "de" or not tokens[at].is_a("HOURS", "HM"):
        return False
    return at + 1 == len(tokens) or not tokens[at + 1].is_a("A", "AT", "UNTIL", "DASH", "PARA", "TO", "AND", "OF")


def _is_event(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a weekday is the last word of what an event is called: "Black Friday", "cyber monday"."""
    return at > 0 and tokens[at - 1].is_a("EVENT") and tokens[at].is_a("WEEKDAY") and "en" in tokens[at].languages


def _give_back_number(phrase: str, reading: Reading, tokens: Sequence[Token]) -> None:
    """Take from a reading an hour whose number counts what follows: "hoje as 3 telas", "at 5 servers"."""
    clock, following = reading.parts.get("clock"), reading.end
    if not isinstance(clock, Clock) or reading.where["clock"][1] != reading.end:
        return
    last = tokens[reading.end - 1]
    counts = following < len(tokens) and tokens[following].is_a(UNKNOWN) and not is_infinitive(tokens[following])
    opening = tokens[reading.where["clock"][0]]
    unaccented = phrase[opening.start : opening.end].casefold() == "as" and last.is_a("DIGITS")
    if last.is_a("NUM") and (counts or (unaccented and reading.parts.keys() == {"clock"} and not reading.leads)):
        del reading.parts["clock"]
        del reading.where["clock"]
        reading.end = max((end for _, end in reading.where.values()), default=reading.start)


def _is_gone_shape(c: Candidate, now: datetime) -> bool:
    """Tell whether a candidate is a past date that only stands there: "ata 10/06/2026" names a thing."""
    return not c.lead and c.first.is_a("DATE", "IN") and _is_past(c, now)


def _is_past(c: Candidate, now: datetime) -> bool:
    """Tell whether a candidate is a day with its year that lies before today."""
    date = c.reading.parts.get("date")
    if not isinstance(date, Calendar) or date.year is None:
        return False
    return (date.year, date.month, date.day) < (now.year, now.month, now.day)


def _pair_up(candidates: list[Candidate], answers: list[str], now: datetime) -> None:
    """See two dates that touch: the ends of a range, or a change from one to the other."""
    for index in range(len(candidates) - 1):
        first, second = candidates[index], candidates[index + 1]
        gap = second.tokens[first.end : second.start]
        if len(gap) > 1 or any(not token.is_a("DASH", "A", "AT", "TO", "UNTIL") for token in gap):
            continue
        linked = bool(gap) or second.tokens[second.start].is_a("A", "AT", "UNTIL", "PARA", "TO")
        hours = first.slots == {"clock"} and "clock" in second.slots
        if not linked or not (first.kind == second.kind or second.slots < first.slots or hours):
            continue
        if "para" in second.reading.leads:
            changed = bool({"weekday", "date"} & second.slots) and not second.first.is_a("DM")
            answers[index], answers[index + 1] = IGNORE, "target" if changed else IGNORE
        else:
            answers[index], answers[index + 1] = IGNORE, IGNORE if _is_past_range(first, second, now) else "range"


def _is_past_range(first: Candidate, second: Candidate, now: datetime) -> bool:
    """Tell whether a range is over: "NF de 01/11 a 30/11" in the end of November or the months after it.

    Without a year a range that ended longer ago than half a year is more likely the next one.
    """
    end, before = second.reading.parts.get("date"), first.before()
    if _is_past(second, now):
        return True
    if second.lead or not (before and before.is_a("OF")) or not isinstance(end, Calendar) or end.years:
        return False
    if end.year:
        return (end.year, end.month, end.day) == (now.year, now.month, now.day)
    months = (now.month - end.month) % 12
    return 0 < months < 6 or (months == 0 and end.day <= now.day)


def _refuse_undecidable(
    phrase: str,
    tokens: list[Token],
    codes: str,
    candidates: list[Candidate],
    answers: list[str],
    accepted: list[Candidate],
) -> None:
    """Raise what the context of the dates, or a sign beside them, refuses."""
    settled = any(c.lead for c in accepted)
    for index, (c, answer) in enumerate(zip(candidates, answers, strict=True)):
        if answer in (ACCEPT, IGNORE) or (answer == "recurrence" and settled):
            continue
        touched = {candidates[max(index - 1, 0)].start, c.start}
        touching = any(other.end in touched for other in accepted)
        if answer == "range" and settled and not touching:
            continue
        raise Refused(answer, _around(phrase, c, answer))
    if not settled:
        _refuse_signs(phrase, tokens, codes, accepted)
    order = ordering(tokens) if accepted else None
    if order:
        raise Refused("injection", phrase[order.start : order.end])
    for c in accepted:
        if word := negated(c):
            raise Refused("negation", phrase[word.start : word.end])


def _refuse_signs(phrase: str, tokens: list[Token], codes: str, accepted: list[Candidate]) -> None:
    for regex, code in _signs():
        for match in regex.finditer(codes):
            start, end = match.span()
            inside = any(c.start < end and start < c.end for c in accepted)
            owned = (start > 0 and tokens[start - 1].is_a("OF")) or (
                tokens[start].is_a("THIS") and tokens[start].word.startswith("d")
            )
            last = tokens[end - 1]
            name = code == "recurrence" and _is_name(phrase, tokens, start)
            occasion = code == "vague" and bool(accepted) and tokens[start].is_a("PARA")
            amount = last.is_a("YEAR") and not 2020 <= last.values["YEAR"] < 2100
            if not (
                inside or owned or name or occasion or amount or (code == "dotted" and _VERSION.fullmatch(last.word))
            ):
                raise Refused(code, phrase[tokens[start].start : tokens[end - 1].end])


def _is_name(phrase: str, tokens: list[Token], at: int) -> bool:
    """Tell whether a plural weekday is somebody: "ligar para Domingos". English writes all weekdays with a capital."""
    token = tokens[at]
    written = phrase[token.start : token.end]
    if at == 0 or not token.is_a("WEEKDAYS") or "en" in token.languages or written.isupper():
        return False
    return written[:1].isupper() and (tokens[at - 1].is_a("PARA", "OF") or tokens[at - 1].word in ("com", "con"))


def _one_of(phrase: str, accepted: list[Candidate], now: datetime, zone: tzinfo) -> tuple[Resolved, str]:
    """Return the one deadline of the accepted dates: a day and an hour that stand apart are one."""
    joined = _joined(accepted) if len(accepted) == 2 else None
    words = " … ".join(_words(phrase, c) for c in accepted)
    if joined:
        return resolve(joined.parts, now, zone, _slot_words(phrase, accepted)), words
    found = [resolve(c.reading.parts, now, zone, _slot_words(phrase, [c])) for c in accepted]
    if len({resolved.instant for resolved in found}) > 1:
        raise Refused("two_dates", words)
    return found[0], _words(phrase, accepted[0])


def _joined(accepted: list[Candidate]) -> Reading | None:
    """Return one reading of "amanhã … às 15h": a day without an hour, and an hour without a day."""
    hours = [c for c in accepted if c.slots <= {"clock", "part", "half", "zone"}]
    days = [c for c in accepted if c.slots <= {"date", "weekday"}]
    if len(hours) != 1 or len(days) != 1:
        return None
    return replace(days[0].reading, parts=days[0].reading.parts | hours[0].reading.parts)


def _words(phrase: str, c: Candidate) -> str:
    """Return the words of a date, with the bracket that closes one it opened."""
    last = c.end - 1
    opened = any(token.word == "(" for token in c.tokens[c.start : c.end])
    closing = c.after()
    if opened and closing is not None and closing.word == ")":
        last += 1
    return phrase[c.tokens[c.start].start : c.tokens[last].end]


def _around(phrase: str, c: Candidate, code: str) -> str:
    """Return the words of a date with the two that make it undecidable: those after it, or before."""
    before, after = (0, 2) if code in _SEEN_AFTER else (2, 0)
    last = min(c.end - 1 + after, len(c.tokens) - 1)
    return phrase[c.tokens[max(c.start - before, 0)].start : c.tokens[last].end]


def _slot_words(phrase: str, accepted: list[Candidate]) -> dict[str, str]:
    return {
        slot: phrase[c.tokens[start].start : c.tokens[end - 1].end]
        for c in accepted
        for slot, (start, end) in c.reading.where.items()
    }
