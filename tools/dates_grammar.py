"""The table of patterns: what a due date is made of, and which words make each component.

A pattern is written over classes of tokens (`tools.dates_lexicon`): `WEEKDAY:w` is a token of that class whose value
is called `w`, `( … )` a group, `?` what may be missing, `|` a choice, `<…>` one of the phrases below. Each row emits
typed components and has an example; whoever adds a form adds a row. What the components mean at a given moment is
`tools.dates_resolve`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

Unit = Literal["day", "week", "month", "year"]


class Relative(NamedTuple):
    """A day counted from today."""

    days: int


class Weekday(NamedTuple):
    """A day of the week (Monday is 0); `which` is first, next, this, this_week or next_week."""

    day: int
    which: str = "first"


class DayOfMonth(NamedTuple):
    """A day without a month, or with the month counted from this one."""

    day: int
    months: int | None = None


class Calendar(NamedTuple):
    """A day and month, with a year, a year counted from this one, or neither."""

    day: int
    month: int
    year: int | None = None
    years: int | None = None


class Period(NamedTuple):
    """The start, the end or the last day of a week, month or year counted from this one; "next week" is "whole"."""

    edge: str
    unit: Unit
    ahead: int


class NamedPeriod(NamedTuple):
    """The start, end or last day of a month with a name (`month`), or of a year."""

    edge: str
    month: int | None
    year: int | None = None


class Later(NamedTuple):
    """So many days, weeks, months or years from today."""

    number: int
    unit: Unit


class Elapsed(NamedTuple):
    """So many seconds from now."""

    seconds: int


class Clock(NamedTuple):
    """An hour as it was written; minutes before it are negative ("quinze para as oito").

    A bare one ("18 horas") is a duration unless a day stands with it.
    """

    hour: int
    minute: int = 0
    second: int = 0
    bare: bool = False


class DayPart(NamedTuple):
    """Morning, afternoon, evening, night or dawn. A bare one ("noite") needs a day."""

    name: str
    bare: bool = False


class HalfDay(NamedTuple):
    """am or pm."""

    name: str


class EndOfDay(NamedTuple):
    """The last minute of a day."""


class Midnight(NamedTuple):
    """Twelve at night in words, and minutes after it."""

    minute: int = 0


class Zone(NamedTuple):
    """An offset, an abbreviation or an IANA name, as it was written."""

    name: str


class Lead(NamedTuple):
    """What opens a deadline: until, before, para, label."""

    kind: str


Date = Relative | DayOfMonth | Calendar | Period | NamedPeriod | Later
Component = Date | Weekday | Elapsed | Clock | DayPart | HalfDay | EndOfDay | Midnight | Zone | Lead
Values = dict[str, Any]
Emitted = Component | list[Component] | None


class Row(NamedTuple):
    """A pattern, a text it is there for, and what it emits (None: these values are no such component)."""

    pattern: str
    example: str
    emit: Callable[[Values], Emitted]


PHRASES = {
    "on": "(IN|A|AT)? (IN|ARTICLE)?",
    "day": "(NUMBERED_WEEKDAY:w FEIRA?|WEEKDAY:w FEIRA?)",
    "number": "(DAY:d|NUMWORD:d|ORDINAL:d)",
    "next_week": "ARTICLE? (NEXT WEEK|WEEK (QUE VEM|NEXT))",
    "next_month": "ARTICLE? (NEXT MES|MES (QUE VEM|NEXT))",
    "next_year": "ARTICLE? (NEXT ANO|ANO (QUE VEM|NEXT))",
    # "fim de semana" is the weekend, "fim da semana" is not: the end of a week needs its article.
    "the": "(OF_THE|DE ARTICLE|OF_ENGLISH ARTICLE?)",
    "of": "(OF ARTICLE?|IN ARTICLE?)",
    "within": "(DAQUI (A|HA)?|DE AQUI A|DENTRO DE|WITHIN|IN UNTIL?)",
    "at": "AT AT?",
    "minutes": "AND (HALF:half|QUARTER:quarter|NUM:m MINUTE?)",
    "sharp": "(SHARP|IN PONTO|OCLOCK)",
    "hour": "(NUM:h|NOON:noon|MEIO DIA:noon|MIDNIGHT:midnight|HALF NOITE:midnight)",
    "part": "(OF ARTICLE?|IN ARTICLE?|AT ARTICLE?|A|PELA|POR ARTICLE)",
    "morning": "(OF|POR|IN|AT) ARTICLE MANANA",
    # Named, yet no day that can be told: "natal", "ano novo", "meados de dezembro".
    "feast": "(FEAST|ANO NEW|NEW ANO|(MIDDLE|MEIO OF) OF? ARTICLE? (MONTH|MES|ANO|WEEK))",
}


def _minutes(v: Values) -> int:
    return 30 if "half" in v else 15 if "quarter" in v else int(v.get("m", 0))


def _hour(v: Values) -> int:
    return 12 if "noon" in v else 24 if "midnight" in v else int(v["h"])


def _clock(v: Values) -> Clock:
    return Clock(v["h"], _minutes(v))


def _before(v: Values) -> Clock | None:
    """Emit "quinze para as oito", in fives up to half an hour: "nine to five" is no hour."""
    minutes = _minutes(v)
    return Clock(_hour(v), -minutes) if minutes in range(5, 35, 5) else None


def _before_noon(v: Values) -> Clock | None:
    """Emit "ten to eight", on the twelve-hour clock only: "ten to twenty" are two numbers."""
    return _before(v) if v.get("h", 12) <= 12 else None


def _calendar(v: Values) -> Calendar:
    return Calendar(v["d"], v["month"], v.get("year"))


def _elapsed(v: Values) -> Elapsed:
    return Elapsed(v.get("hours", 1) * 3600 + _minutes(v) * 60)


def _edges(edge: str, opening: str, ahead: int) -> tuple[Row, ...]:
    """Return the rows of one edge of a month and a year; `ahead` is what "of the month" counts from this one."""
    return (
        Row(f"<on> {opening} (OF ARTICLE?)? THIS? MES", "fim do mês", lambda v: Period(edge, "month", ahead)),
        Row(f"<on> {opening} OF? <next_month>", "final do mês que vem", lambda v: Period(edge, "month", 1)),
        Row(f"<on> {opening} (OF ARTICLE?)? THIS? ANO", "fim do ano", lambda v: Period(edge, "year", ahead)),
        Row(f"<on> {opening} OF? <next_year>", "fim do próximo ano", lambda v: Period(edge, "year", 1)),
        Row(f"<on> {opening} OF MONTH:m (OF? YEAR:y)?", "fim de maio", lambda v: NamedPeriod(edge, v["m"], v.get("y"))),
        Row(f"<on> {opening} OF (ARTICLE? ANO OF?)? YEAR:y", "fim de 2026", lambda v: NamedPeriod(edge, None, v["y"])),
    )


LEADS = (
    Row("(IN? MAXIMUM)? UNTIL (IN? MAXIMUM)?", "no máximo até", lambda v: Lead("until")),
    Row("IN? MAXIMUM", "no máximo", lambda v: Lead("until")),
    Row("(NOT|NO) LATER THAN", "no later than", lambda v: Lead("until")),
    Row("PARA", "para", lambda v: Lead("para")),
    Row("POR", "por", lambda v: Lead("por")),
    Row("BEFORE OF?", "antes de", lambda v: Lead("before")),
    Row("LABEL (LIMIT|DATA)? (OF LABEL)? (COLON|IS COLON?)?", "prazo:", lambda v: Lead("label")),
    Row("DATA (LIMIT|OF LABEL) (COLON|IS COLON?)?", "data limite:", lambda v: Lead("label")),
)

ROWS = (
    # Days counted from today.
    Row("STILL? TODAY SAME?", "hoje", lambda v: Relative(0)),
    Row("TOMORROW SAME?", "amanhã", lambda v: Relative(1)),
    Row("IN? DIA OF (TODAY|TOMORROW:t)", "dia de hoje", lambda v: Relative(1 if "t" in v else 0)),
    Row("AFTER DE TOMORROW", "depois de amanhã", lambda v: Relative(2)),
    Row("ARTICLE? DIA AFTER TOMORROW", "day after tomorrow", lambda v: Relative(2)),
    Row("PASADO TOMORROW", "pasado mañana", lambda v: Relative(2)),
    Row("YESTERDAY", "ontem", lambda v: Relative(-1)),
    Row("(ANTEONTEM|BEFORE DE YESTERDAY)", "anteontem", lambda v: Relative(-2)),
    Row("ARTICLE? DIA BEFORE YESTERDAY", "day before yesterday", lambda v: Relative(-2)),
    Row("TONIGHT", "tonight", lambda v: [Relative(0), DayPart("night")]),
    Row("THIS DAYPART:part", "esta noite", lambda v: [Relative(0), DayPart(v["part"])]),
    Row("THIS MANANA", "esta mañana", lambda v: [Relative(0), DayPart("morning")]),
    # Weekdays.
    Row("<on> <day>", "na sexta-feira", lambda v: Weekday(v["w"])),
    Row("IN? THIS <day>", "nesta sexta", lambda v: Weekday(v["w"], "this")),
    Row("<on> THIS? NEXT <day>", "próxima sexta", lambda v: Weekday(v["w"], "next")),
    Row("<on> <day> (QUE VEM|NEXT)", "sexta que vem", lambda v: Weekday(v["w"], "next")),
    Row("<on> <day> <of>? THIS WEEK", "sexta desta semana", lambda v: Weekday(v["w"], "this_week")),
    Row("<on> THIS WEEK COMMA? <on> <day>", "this week on friday", lambda v: Weekday(v["w"], "this_week")),
    Row("<on> <day> <of>? <next_week>", "sexta da semana que vem", lambda v: Weekday(v["w"], "next_week")),
    Row("<on> <next_week> COMMA? <on> <day>", "semana que vem, na sexta", lambda v: Weekday(v["w"], "next_week")),
    Row("<on> TUESDAY_OR_MARCH COMMA? (?=(DATE|DM))", "mar 01/12/2026", lambda v: Weekday(1)),
    # Days of a month.
    Row("<on> NEXT? DIA <number>", "dia 15", lambda v: DayOfMonth(v["d"])),
    Row("<on> ORDINAL_DIGITS:d", "the 15th", lambda v: DayOfMonth(v["d"])),
    Row("EL DAY:d", "el 15", lambda v: DayOfMonth(v["d"])),
    Row("<on> (DIA <number>|ORDINAL:d|EL DAY:d) OF? THIS MES", "dia 15 deste mês", lambda v: DayOfMonth(v["d"], 0)),
    Row(
        "<on> (DIA <number>|ORDINAL:d|EL DAY:d) OF? <next_month>",
        "dia 5 do mês que vem",
        lambda v: DayOfMonth(v["d"], 1),
    ),
    Row("<on> <next_month> COMMA? <on> DIA <number>", "mês que vem, dia 5", lambda v: DayOfMonth(v["d"], 1)),
    Row("<on> (NEXT? DIA)? DM:dm", "15/12", lambda v: Calendar(*v["dm"])),
    Row("<on> DIA? DM:dm OF? <next_year>", "15/03 do ano que vem", lambda v: Calendar(v["dm"][0], v["dm"][1], years=1)),
    Row("<on> DIA? DATE:date", "15/12/2026", lambda v: Calendar(v["date"][2], v["date"][1], v["date"][0])),
    Row("<on> (NEXT? DIA)? <number> OF? MONTH:month", "15 de dezembro", _calendar),
    Row("<on> DIA? <number> OF? MONTH:month OF? COMMA? YEAR:year", "15 de dezembro de 2026", _calendar),
    Row("<on> DIA? <number> OF? MONTH:month OF SHORT_YEAR:year", "15 de dezembro de 26", _calendar),
    Row(
        "<on> DIA? <number> OF? MONTH:month OF? <next_year>",
        "1 de maio do ano que vem",
        lambda v: Calendar(v["d"], v["month"], years=1),
    ),
    Row("IN? MONTH_ENGLISH:month ARTICLE? (DAY:d|ORDINAL:d)", "december 15", _calendar),
    Row("IN? MONTH_ENGLISH:month ARTICLE? (DAY:d|ORDINAL:d) COMMA? YEAR:year", "december 15, 2026", _calendar),
    # Weeks, months and years.
    Row("<on> <next_week>", "semana que vem", lambda v: Period("whole", "week", 1)),
    Row("<on> <next_month>", "mês que vem", lambda v: Period("whole", "month", 1)),
    Row("<on> <next_year>", "ano que vem", lambda v: Period("whole", "year", 1)),
    Row("<on> START OF? ARTICLE? WEEK", "início da semana", lambda v: Period("start", "week", 1)),
    Row("<on> START OF? <next_week>", "início da semana que vem", lambda v: Period("start", "week", 1)),
    Row("<on> END (<the> WEEK|OF? THIS WEEK)", "fim da semana", lambda v: Period("end", "week", 0)),
    Row(
        "<on> END (<the> WEEK (QUE VEM|NEXT)|OF? ARTICLE? NEXT WEEK)",
        "fim da semana que vem",
        lambda v: Period("end", "week", 1),
    ),
    Row("EOW", "EOW", lambda v: Period("end", "week", 0)),
    Row("EOM", "EOM", lambda v: Period("end", "month", 0)),
    Row("EOY", "EOY", lambda v: Period("end", "year", 0)),
    *_edges("start", "(START|FIRST DIA)", 1),
    *_edges("end", "END", 0),
    *_edges("last", "LAST DIA", 0),
    # So much from now.
    Row("<within> (NUM:n|AN) UNIT:unit RUNNING?", "em 3 dias", lambda v: Later(v.get("n", 1), v["unit"])),
    Row("(NUM:n|AN) UNIT:unit FROM NOW", "3 days from now", lambda v: Later(v.get("n", 1), v["unit"])),
    Row("<within> (NUM:hours|AN) HOUR (<minutes>|NUM:m MINUTE|AND AN HALF:half)?", "em uma hora e meia", _elapsed),
    Row("(NUM:hours|AN) HOUR FROM NOW", "2 hours from now", _elapsed),
    Row("<within> HOURS:hours", "em 48h", _elapsed),
    Row("<within> HM:hm", "em 1h30", lambda v: Elapsed(v["hm"][0] * 3600 + v["hm"][1] * 60)),
    Row("<within> HALF AN? HOUR", "em meia hora", lambda v: Elapsed(1800)),
    Row("<within> (NUM|AN)? QUARTER OF AN? HOUR", "in a quarter of an hour", lambda v: Elapsed(900)),
    Row("<within> (NUM:m|AN) MINUTE", "em 90 minutos", lambda v: Elapsed(v.get("m", 1) * 60)),
    Row("NUM:m MINUTE FROM NOW", "30 minutes from now", lambda v: Elapsed(v["m"] * 60)),
    Row("<within> NUM:s SECOND", "em 30 segundos", lambda v: Elapsed(v["s"])),
    # Hours.
    Row("<at>? CLOCK:t HOURS_OF_CLOCK? <sharp>?", "às 18:00", lambda v: Clock(*v["t"])),
    Row("<at>? HM:t <sharp>?", "18h30", lambda v: Clock(*v["t"])),
    Row("<at>? HOURS:h <minutes>? <sharp>?", "18h", _clock),
    Row("<at> NUM:h HOURS_OF_CLOCK? <minutes>? <sharp>?", "às três e meia", _clock),
    Row("<at> NUM:h NUMWORD:m", "at three fifteen", _clock),
    Row("<at> NUM:h OF_THE NOON", "a las 12 del mediodía", lambda v: Clock(12) if v["h"] == 12 else None),
    Row("<at>? NUM:h H <minutes>? <sharp>?", "18 h", _clock),
    Row("NUM:h OCLOCK", "5 o'clock", _clock),
    Row("NUM:h HOURS_OF_CLOCK <minutes>?", "18 horas", lambda v: Clock(v["h"], _minutes(v), bare=True)),
    Row("NUM:h HOURS_OF_CLOCK? <minutes>? (?=(<part>? DAYPART|<morning>|HALF_DAY))", "8 da noite", _clock),
    Row("<at>? NUM:m MINUTE? (PARA (AT|ARTICLE)|PRAS) <hour>", "quinze para as oito", _before),
    Row(
        "<at>? NUMWORD:m PARA (NUMWORD:h|NOON:noon|MEIO DIA:noon|HALF NOITE:midnight)", "quinze para uma", _before_noon
    ),
    Row("<at>? (NUM|ARTICLE)? QUARTER:quarter PARA AT <hour>", "cuarto para las ocho", _before),
    Row("<at>? AN? (QUARTER:quarter|NUMWORD:m MINUTE?|NUM:m MINUTE) TO <hour>", "quarter to eight", _before_noon),
    Row("<at> NUM:h MENOS (QUARTER:quarter|NUM:m)", "las ocho menos cuarto", _before),
    Row("<at>? AN? (HALF:half|QUARTER:quarter|NUM:m MINUTE?) PAST NUM:h", "half past three", _clock),
    Row("(NOON_PREPOSITION|<at>)? (MEIO DIA|NOON) <minutes>?", "meio-dia e meia", lambda v: Clock(12, _minutes(v))),
    Row("(<at>|ARTICLE)? (HALF NOITE|MIDNIGHT) <minutes>?", "meia-noite", lambda v: Midnight(_minutes(v))),
    Row("<on> END OF ARTICLE? DIA (?!(DAY|NUMWORD|ORDINAL|DM|DATE))", "fim do dia", lambda v: EndOfDay()),
    Row(
        "<on> END OF ARTICLE? (?=(TODAY|TOMORROW|WEEKDAY|DIA <number>|DIA DM))", "end of tomorrow", lambda v: EndOfDay()
    ),
    Row("EOD", "EOD", lambda v: EndOfDay()),
    Row("<on> (END|CLOSE) OF ARTICLE? WORKDAY DIA?", "fim do expediente", lambda v: Clock(18)),
    Row("COB", "COB", lambda v: Clock(18)),
    # Parts of the day, and zones.
    Row("<part> DAYPART:part", "à tarde", lambda v: DayPart(v["part"])),
    Row("DAYPART:part", "tomorrow morning", lambda v: DayPart(v["part"], bare=True)),
    Row("<morning>", "por la mañana", lambda v: DayPart("morning")),
    Row("HALF_DAY:part", "5 pm", lambda v: HalfDay(v["part"])),
    Row("IN? ZONE:zone", "UTC-3", lambda v: Zone(v["zone"])),
    Row("IN? ARTICLE? CLOCK_OF OF? CITY:zone", "horário de Brasília", lambda v: Zone(v["zone"])),
    Row("CITY:zone TIME", "Brasilia time", lambda v: Zone(v["zone"])),
)
