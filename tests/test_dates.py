"""parse_due: the corpora, the flags, the echo and the refusals, and what must not change a reading."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tools.dates import Due, DueError, parse_due, zone_of

DATA = Path(__file__).parent / "data"
WEDNESDAY = datetime(2026, 6, 17, 10)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def by_kind(some: list[dict[str, Any]]) -> list[Any]:
    """One test for each kind of row: thousands of tests of a millisecond cost a minute to collect."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in some:
        kinds.setdefault(str(row.get("tag") or row.get("error") or row.get("language") or "more"), []).append(row)
    return [pytest.param(found, id=kind) for kind, found in kinds.items()]


def parse(row: dict[str, Any], text: str | None = None) -> Due:
    return parse_due(row["text"] if text is None else text, now=datetime.fromisoformat(row["reference"]), tz=row["tz"])


GIVEN = rows("due.jsonl")
MORE = rows("due_more.jsonl")
RIGHT = [row for row in GIVEN + MORE if row.get("expected")]
REFUSED = [row for row in GIVEN + MORE if not row.get("expected")]


@pytest.mark.parametrize("some", by_kind(RIGHT))
def test_right(some: list[dict[str, Any]]) -> None:
    for row in some:
        due = parse(row)
        assert due.rfc3339 == row["expected"], row
        assert due.flags <= {"past", "rolled", "assumed"}, row
        if "flags" in row:
            assert (due.flags, due.language) == (set(row["flags"]), row["language"]), row
        else:
            assert ("past" in due.flags) == row.get("flag_past", False), row
            # A row has another defensible value exactly where the reading is flagged.
            assert ("assumed" in due.flags) == ("alt" in row), row


@pytest.mark.parametrize("some", by_kind(REFUSED))
def test_refused(some: list[dict[str, Any]]) -> None:
    for row in some:
        with pytest.raises(DueError) as caught:
            pytest.fail(f"{row} was read as {parse(row)}")
        if isinstance(row["error"], str):
            assert caught.value.code == row["error"], row
        message = str(caught.value)
        assert message.isprintable(), row
        assert len(message) < 300, row
        assert caught.value.word in message, row


# What a person may write differently without meaning anything else.
MUTATIONS = {
    "upper": str.upper,
    "capital": str.capitalize,
    "no_accents": lambda text: "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)),
    "nfd": lambda text: unicodedata.normalize("NFD", text),
    "spaces": lambda text: f"  {text.replace(' ', '   ')} ",
    "no_break_space": lambda text: text.replace(" ", "\u00a0"),
    "full_stop": lambda text: f"{text}.",
    "exclamation": lambda text: f"{text}!",
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_spelling_changes_nothing(mutation: str) -> None:
    for row in RIGHT:
        text = MUTATIONS[mutation](row["text"].strip())
        # IANA names have their own case.
        if len(text) > 200 or ("/" in text and mutation in ("upper", "capital") and any(c.isalpha() for c in text)):
            continue
        assert parse(row, text).rfc3339 == row["expected"], text


PREFIXES = {
    "pt": ("até ", "para ", "prazo: ", "antes de ", "até no máximo "),
    "en": ("by ", "before ", "until ", "due ", "deadline: ", "no later than "),
    "es": ("hasta ", "para ", "antes de ", "plazo: "),
}


def test_what_opens_a_deadline_changes_nothing() -> None:
    for row in GIVEN:
        prefixes = PREFIXES[row["lang"]]
        if not row.get("expected") or row["text"].casefold().startswith(("ontem", "ate ", "antes ", "de ", *prefixes)):
            continue
        for prefix in prefixes:
            assert parse(row, prefix + row["text"].strip()).rfc3339 == row["expected"], prefix + row["text"]


def test_what_it_gives_it_reads() -> None:
    for row in RIGHT:
        due = parse(row)
        again = parse(row, due.rfc3339)
        assert again.instant == due.instant
        assert again.rfc3339 == due.rfc3339
        echoed = parse(row, due.echo().split(" (")[0])
        assert echoed.rfc3339 == due.rfc3339, due.echo()
        assert echoed.language == due.language, due.echo()


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("01/12/2026 18:00", "prazo: ter 01/12/2026 18:00 -03:00"),
        ("tomorrow 6pm UTC", "due: Thu 2026-06-18 18:00 +00:00"),
        ("mañana a las 18:00", "plazo: jue 18/06/2026 18:00 -03:00"),
        ("amanhã 18:30:15", "prazo: qui 18/06/2026 18:30:15 -03:00"),
        ("ontem", "prazo: ter 16/06/2026 09:00 -03:00 (já passou)"),
        (
            "próxima sexta",
            "prazo: sex 19/06/2026 09:00 -03:00 (o primeiro dia assim; para o outro: sexta da semana que vem)",
        ),
        ("at 9", "due: Thu 2026-06-18 09:00 -03:00 (that hour has passed today)"),
    ],
)
def test_the_echo_says_what_was_understood(text: str, echo: str) -> None:
    assert parse_due(text, now=WEDNESDAY).echo() == echo


@pytest.mark.parametrize(
    ("text", "code", "word", "language", "form"),
    [
        ("amanhã se der", "leftover", "se", "pt", "amanhã 18h"),
        ("tomorrow maybe", "vague", "maybe", "en", "tomorrow 6pm"),
        ("el viernes quizás", "vague", "quizás", "es", "el viernes a las 17h"),
        ("em 5 dias úteis", "business_days", "5 dias úteis", "pt", "em 7 dias"),
        ("sexta à meia-noite", "midnight", "sexta à meia-noite", "pt", "sexta 23:59"),
        ("12/31/2026", "invalid_date", "12/31/2026", "pt", "dia/mês/ano"),
        ("every friday", "recurrence", "every", "en", "friday 10pm"),
    ],
)
def test_a_refusal_names_the_word_and_a_form_that_works(
    text: str, code: str, word: str, language: str, form: str
) -> None:
    with pytest.raises(DueError) as caught:
        parse_due(text, now=WEDNESDAY)
    error = caught.value
    assert (error.code, error.word, error.language, error.text) == (code, word, language, text)
    assert word in str(error)
    assert form in str(error)


def test_a_refusal_shows_no_control_characters() -> None:
    with pytest.raises(DueError) as caught:
        parse_due("amanhã \x1b[31m18h", now=WEDNESDAY)
    assert caught.value.code == "bad_character"
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("weekday", range(7))
def test_a_weekday_is_never_today_and_within_a_week(weekday: int) -> None:
    names = ("segunda", "terça-feira", "qua", "thursday", "viernes", "sábado", "sunday")
    for day in range(1, 29):
        now = datetime(2026, 2, day, 12)
        due = parse_due(names[weekday], now=now).instant.replace(tzinfo=None)
        assert due.weekday() == weekday
        assert 1 <= (due.date() - now.date()).days <= 7


def test_every_hour_of_the_day_is_read_as_it_is_written() -> None:
    for hour in range(24):
        for text in (f"amanhã {hour}h", f"amanhã às {hour}", f"tomorrow at {hour}:00", f"mañana a las {hour} horas"):
            assert parse_due(text, now=WEDNESDAY).rfc3339 == f"2026-06-18T{hour:02}:00:00-03:00", text
    for hour in range(1, 13):
        afternoon = hour % 12 + 12
        assert parse_due(f"tomorrow {hour}pm", now=WEDNESDAY).instant.hour == afternoon
        assert parse_due(f"tomorrow at {hour} a.m.", now=WEDNESDAY).instant.hour == hour % 12


NUMBERS = {
    "um": 1, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9,
    "dez": 10, "onze": 11, "doze": 12, "treze": 13, "catorze": 14, "quatorze": 14, "quinze": 15, "dezesseis": 16,
    "dezessete": 17, "dezoito": 18, "dezenove": 19, "vinte": 20, "vinte e um": 21, "trinta": 30, "trinta e cinco": 35,
    "quarenta e quatro": 44, "cinquenta": 50, "noventa e nove": 99, "cem": 100,
}  # fmt: skip


@pytest.mark.parametrize(("word", "value"), list(NUMBERS.items()))
def test_numbers_in_words(word: str, value: int) -> None:
    in_digits = parse_due(f"em {value} dias", now=WEDNESDAY)
    assert parse_due(f"em {word} dias", now=WEDNESDAY).instant == in_digits.instant
    assert parse_due(f"daqui a {word} dias", now=WEDNESDAY).instant == in_digits.instant


MONTHS = {
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "en": "january february march april may june july august september october november december",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}


@pytest.mark.parametrize("language", MONTHS)
def test_every_month_in_every_language(language: str) -> None:
    for number, name in enumerate(MONTHS[language].split(), start=1):
        expected = f"2027-{number:02}-05T09:00:00-03:00"
        forms = [
            f"5 de {name} de 2027",
            f"5 {name} 2027",
            f"5-{name[:3]}-2027",
            f"5/{name[:3]}/2027",
            f"5 {name[:3]}. 2027",
        ]
        if language == "en":
            forms += [f"{name} 5, 2027", f"{name[:3]} 5th 2027", f"the 5th of {name} 2027"]
        for text in forms:
            assert parse_due(text, now=WEDNESDAY).rfc3339 == expected, text


@pytest.mark.parametrize("name", ["-03:00", "UTC", "Z", "+05:30", "UTC-3", "America/New_York", "Europe/Lisbon"])
def test_a_zone_by_name(name: str) -> None:
    assert datetime(2026, 6, 17, tzinfo=zone_of(name)).utcoffset() is not None


@pytest.mark.parametrize("name", ["", "+15:00", "Mars/Base", "../etc/passwd", "EST/../x", "\0", "America"])
def test_no_such_zone(name: str) -> None:
    with pytest.raises(ValueError, match="no such"):
        zone_of(name)


def test_now_is_naive() -> None:
    with pytest.raises(ValueError, match="naive"):
        parse_due("amanhã", now=datetime(2026, 6, 17, tzinfo=UTC))


def test_due_is_a_value() -> None:
    due = parse_due("amanhã 18h", now=WEDNESDAY)
    assert due == parse_due("amanhã às 18h", now=WEDNESDAY).__class__(due.rfc3339, due.flags, "pt", "amanhã 18h")
    assert due.span == "amanhã 18h"
    assert hash(due) == hash(parse_due("amanhã 18h", now=WEDNESDAY))
    with pytest.raises(AttributeError):
        due.rfc3339 = ""  # type: ignore[misc]
