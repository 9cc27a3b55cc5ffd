"""Whatever the text: DueError or a due date that reads back, in little time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from time import thread_time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.test_dates import WEDNESDAY
from tools.dates import Due, DueError, find_due, parse_due
from tools.dates_grammar import LEADS, ROWS
from tools.dates_lexicon import entries

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ZONES = ("-03:00", "+14:00", "-12:00", "America/New_York", "Europe/Lisbon", "America/Sao_Paulo")

words = st.sampled_from(sorted(entries()))
shapes = st.from_regex(r"[0-9]{1,4}([/:.h-][0-9]{0,4}){0,3}[hzap]?m?", fullmatch=True)
marks = st.sampled_from(list(" ,.:;-()'\"!?/#@ªº+"))
texts = st.lists(st.one_of(words, shapes, marks), max_size=14).map(" ".join)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)).map(lambda moment: moment.replace(microsecond=0))


# What a row emits that is no due date alone is read behind a day.
BEHIND_A_DAY = ("18 horas", "tomorrow morning", "UTC-3", "horário de Brasília", "Brasilia time")


def checked(due: Due | None, now: datetime, tz: str) -> None:
    if due is None:
        return
    again = parse_due(due.rfc3339, now=now, tz=tz)
    assert again.instant == due.instant
    assert again.rfc3339 == due.rfc3339
    assert due.echo().isprintable()


Read = Callable[..., Due | None]


def outcome(read: Read, text: str, now: datetime = WEDNESDAY, tz: str = "-03:00") -> Due | DueError | None:
    try:
        return read(text, now=now, tz=tz)
    except DueError as error:
        return error


def both(text: str, now: datetime, tz: str) -> None:
    for read in (parse_due, find_due):
        result = outcome(read, text, now, tz)
        if isinstance(result, DueError):
            assert str(result).isprintable()
            assert result.code
        else:
            checked(result, now, tz)


@QUICK
@given(st.text(max_size=220))
@example("'")
@example("''''")
@example("a:" * 100)
@example("\u0301" * 50)
@example("🙂" * 50)
@example("\ud800")
def test_any_text(text: str) -> None:
    both(text, WEDNESDAY, "-03:00")


@QUICK
@given(texts, moments, st.sampled_from(ZONES))
def test_any_words_of_dates(text: str, now: datetime, tz: str) -> None:
    both(text, now, tz)


@QUICK
@given(moments, st.sampled_from(ZONES), st.sampled_from([row.example for row in ROWS]))
def test_every_row_has_an_example_that_is_read_at_any_time(now: datetime, tz: str, text: str) -> None:
    result = outcome(parse_due, text, now, tz)
    if isinstance(result, DueError):
        assert text in BEHIND_A_DAY or result.code == "dst_gap"
    else:
        checked(result, now, tz)


def test_every_row_reads_its_example() -> None:
    for row in ROWS:
        day = "amanhã " if row.example in BEHIND_A_DAY and row.example != "tomorrow morning" else ""
        assert parse_due(day + row.example, now=WEDNESDAY).instant
    for lead in LEADS:
        assert parse_due(f"{lead.example} sexta", now=WEDNESDAY).rfc3339 == "2026-06-19T09:00:00-03:00"


@QUICK
@given(st.integers(0, 400), st.sampled_from(["dias", "semanas", "meses", "anos", "horas", "minutos"]), moments)
def test_so_much_from_now_is_ahead(number: int, unit: str, now: datetime) -> None:
    result = outcome(parse_due, f"em {number} {unit}", now)
    if number == 0:
        assert isinstance(result, DueError)
        assert result.code == "duration"
    else:
        assert isinstance(result, Due)
        assert result.instant.replace(tzinfo=None) > now
        assert "past" not in result.flags


HOSTILE = (
    "a ", "1 ", "1", "de ", "até ", "em ", "às ", "sexta ", "amanhã ", "18:", "18h ", "2026-", "10/12 ", "10/12-", "a-",
    "dia 1 ", "na próxima semana ", "às 9 ", "e ", "a e ", "no ", "vinte e ", "America/Xx ", "z/", "(", ",", '"', "p/",
    "a:", "quinze para as ", "em 1 hora e ", "fim do ", "prazo ", "prazo: ", "todo ", "não ", "que ", "a.m", "a. m. ",
    "\u0301", "ã", "🙂 ", "1.", "-03:00 ", "'", "até o mês de ", "entre 1 ", "até a a ", "um um ", "-", "\0",
    "\t", "9" * 50,
)  # fmt: skip


@pytest.mark.parametrize("read", [parse_due, find_due])
@pytest.mark.parametrize("length", [200, 20_000])
def test_a_hostile_text_takes_little_time(read: Read, length: int) -> None:
    slow: list[tuple[float, str]] = []
    for piece in HOSTILE:
        text = (piece * length)[:length]
        slow.append((min(timed(read, text) for _ in range(3)), piece))
    # 5 ms is the bound; a busy machine is given four times that for the worst, the bound for the middle one. Measuring
    # the coverage of each line costs several times as much again.
    slow.sort()
    spare = 4 if sys.gettrace() else 1
    assert slow[-1][0] < 0.020 * spare, slow[-1]
    assert slow[len(slow) // 2][0] < 0.005 * spare, slow[len(slow) // 2]


def test_the_time_grows_with_the_length_only() -> None:
    for piece in ("às 9 ", "até sexta ", "dia 1 ", "amanhã e "):
        short, long = piece * 4, piece * 40
        ratio = min(timed(find_due, long) for _ in range(5)) / min(timed(find_due, short) for _ in range(5))
        assert ratio < 30, piece


def timed(read: Read, text: str) -> float:
    started = thread_time()
    outcome(read, text, tz="America/Sao_Paulo")
    return thread_time() - started
