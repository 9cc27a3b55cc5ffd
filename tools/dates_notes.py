"""The one line that says what was understood: weekday, date, hour, zone, and what was assumed, rolled or is past."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tools.dates_lexicon import Language
from tools.dates_resolve import Note

_HEAD: dict[Language, str] = {"pt": "prazo", "en": "due", "es": "plazo"}
_DATE: dict[Language, str] = {"pt": "%d/%m/%Y", "en": "%Y-%m-%d", "es": "%d/%m/%Y"}
_SHORT: dict[Language, tuple[str, ...]] = {
    "pt": ("seg", "ter", "qua", "qui", "sex", "sáb", "dom"),
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "es": ("lun", "mar", "mié", "jue", "vie", "sáb", "dom"),
}
_LONG: dict[Language, tuple[str, ...]] = {
    "pt": ("segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}

_NOTES: dict[str, dict[Language, str]] = {
    "past": {"pt": "já passou", "en": "in the past", "es": "ya pasó"},
    "next_weekday": {
        "pt": "o primeiro dia assim; para o outro: {day} da semana que vem",
        "en": "the first such day; for the other: {day} next week",
        "es": "el primer día así; para el otro: {day} de la semana que viene",
    },
    "weekday_today": {
        "pt": "hoje é {day}: é o dia da próxima semana; para hoje: hoje",
        "en": "today is {day}: next week's is meant; for today: today",
        "es": "hoy es {day}: es el de la próxima semana; para hoy: hoy",
    },
    "this_is_today": {
        "pt": "hoje; para o outro: {day} da semana que vem",
        "en": "today; for the other: {day} next week",
        "es": "hoy; para el otro: {day} de la semana que viene",
    },
    "next_week_on_sunday": {
        "pt": "a semana que vem começa amanhã",
        "en": "next week begins tomorrow",
        "es": "la semana que viene empieza mañana",
    },
    "today_no_time": {
        "pt": "sem hora: até o fim de hoje",
        "en": "no time given: by the end of today",
        "es": "sin hora: hasta el final de hoy",
    },
    "end_of_day": {
        "pt": "o fim do dia; para as 18:00: fim do expediente",
        "en": "the end of the day; for 18:00: close of business",
        "es": "el fin del día; para las 18:00: fin de la jornada",
    },
    "period_end": {
        "pt": "a manhã do último dia; para o fim dele, acrescente 23:59",
        "en": "the morning of the last day; for its end, add 23:59",
        "es": "la mañana del último día; para su final, añada 23:59",
    },
    "next_week_whole": {
        "pt": "a segunda dessa semana; para o fim dela: fim da semana que vem",
        "en": "the Monday of that week; for its end: end of next week",
        "es": "el lunes de esa semana; para su final: fin de la semana que viene",
    },
    "next_month_whole": {
        "pt": "o dia 1º desse mês; para o fim dele: fim do mês que vem",
        "en": "the first of that month; for its end: end of next month",
        "es": "el día 1 de ese mes; para su final: fin del mes que viene",
    },
    "next_year_whole": {
        "pt": "o dia 1º desse ano; para o fim dele: fim do ano que vem",
        "en": "the first day of that year; for its end: end of next year",
        "es": "el primer día de ese año; para su final: fin del año que viene",
    },
    "midnight_am": {
        "pt": "o começo desse dia; para o fim dele: 23:59",
        "en": "the beginning of that day; for its end: 23:59",
        "es": "el comienzo de ese día; para su final: 23:59",
    },
    "hour_passed": {"pt": "essa hora já passou hoje", "en": "that hour has passed today", "es": "esa hora ya pasó hoy"},
    "next_month": {
        "pt": "já passou ou não existe neste mês: um mês seguinte",
        "en": "passed, or not in this month: a following month",
        "es": "ya pasó o no existe este mes: un mes siguiente",
    },
    "next_year": {
        "pt": "já passou ou não existe neste ano: um ano seguinte",
        "en": "passed, or not in this year: a following year",
        "es": "ya pasó o no existe este año: un año siguiente",
    },
    "clamped": {
        "pt": "o último dia de um mês mais curto",
        "en": "the last day of a shorter month",
        "es": "el último día de un mes más corto",
    },
}


def echo_of(instant: datetime, notes: Iterable[Note], language: Language) -> str:
    """Return a line such as "prazo: ter 01/12/2026 18:00 -03:00", with the notes in a parenthesis.

    Args:
        instant: The due date, with its zone.
        notes: Keys of the table above with the values they need ("day" is a weekday's number).
        language: The language of the line.
    """
    clock = instant.strftime("%H:%M:%S" if instant.second else "%H:%M")
    weekday = _SHORT[language][instant.weekday()]
    line = f"{_HEAD[language]}: {weekday} {instant.strftime(_DATE[language])} {clock} {instant.isoformat()[-6:]}"
    said = "; ".join(_said(note, language) for note in notes)
    return f"{line} ({said})" if said else line


def _said(note: Note, language: Language) -> str:
    key, values = note
    day = _LONG[language][int(values["day"])] if "day" in values else ""
    return _NOTES[key][language].format(day=day)
