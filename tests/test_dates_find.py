"""find_due: which words of a phrase are its deadline, which are not, and when to ask."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.test_dates import WEDNESDAY, by_kind, rows
from tools.dates import DueError, find_due, parse_due

ROWS = rows("due_in_phrase.jsonl") + rows("due_in_phrase_more.jsonl")
DEADLINES = [row for row in ROWS if row.get("expected")]
NONE = [row for row in ROWS if row.get("on_null") == "no_deadline"]
ASK = [row for row in ROWS if row.get("on_null") == "ask"]


def now_of(row: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(row["reference"])


@pytest.mark.parametrize("some", by_kind(DEADLINES))
def test_a_deadline_is_found(some: list[dict[str, Any]]) -> None:
    for row in some:
        due = find_due(row["phrase"], now=now_of(row), tz=row["tz"])
        assert due is not None, row
        assert (due.rfc3339, due.span) == (row["expected"], row["span"]), row


@pytest.mark.parametrize("some", by_kind(NONE))
def test_what_is_no_deadline_is_left_alone(some: list[dict[str, Any]]) -> None:
    for row in some:
        assert find_due(row["phrase"], now=now_of(row), tz=row["tz"]) is None, row


@pytest.mark.parametrize("some", by_kind(ASK))
def test_what_cannot_be_decided_is_asked(some: list[dict[str, Any]]) -> None:
    for row in some:
        with pytest.raises(DueError) as caught:
            pytest.fail(f"{row} gave {find_due(row['phrase'], now=now_of(row), tz=row['tz'])}")
        assert caught.value.code == row.get("error", caught.value.code), row
        assert caught.value.word in str(caught.value), row


def test_the_words_found_mean_the_same_alone() -> None:
    for row in DEADLINES:
        if "…" not in row["span"]:
            assert parse_due(row["span"], now=now_of(row), tz=row["tz"]).rfc3339 == row["expected"], row["span"]


TASKS = (
    "corrigir o login {}",
    "subir a release 2.3.1 {}",
    "revisar PR #77 do João {}",
    "migrar Postgres 14 para 16 {}",
    "liberar porta 8080 em 10.0.0.1 {}",
    "analisar vendas de maio {}",
    "{}: corrigir o login",
    "corrigir o login ({})",
    "corrigir o login, {}",
    "corrigir o login - {}",
    "corrigir o login {}, por favor",
)
DATES = (
    "até sexta",
    "até sexta-feira às 18h",
    "até dia 20",
    "até o dia 5 do mês que vem",
    "até as 18h",
    "até 10/12",
    "até 10/12/2026 18:00",
    "até o fim do mês",
    "até amanhã ao meio-dia",
    "antes de segunda",
    "para 2ª feira",
    "p/ amanhã 18h",
    "prazo: 10/12",
    "vence dia 20",
    "amanhã",
    "hoje às 17h",
    "sexta às 17h",
    "na próxima sexta",
    "semana que vem",
    "em 3 dias",
    "daqui a duas semanas",
    "dia 20",
    "15 de dezembro",
    "amanhã 18:00 -03:00",
)


@pytest.mark.parametrize("date", DATES)
def test_a_deadline_is_found_wherever_it_stands(date: str) -> None:
    alone = parse_due(date, now=WEDNESDAY)
    for task in TASKS:
        found = find_due(task.format(date), now=WEDNESDAY)
        assert found is not None, task.format(date)
        assert (found.rfc3339, found.span) == (alone.rfc3339, date), task.format(date)


THINGS = (
    "ata de {}",
    "revisar ata de {} do time",
    "backup da {}",
    "relatório do {}",
    "bug relatado na {} no login",
    'trocar o texto "{}" do botão',
    "teste que falha {}",
)


@pytest.mark.parametrize("date", ["sexta", "segunda", "10/06", "10/12", "quinta-feira", "terça"])
def test_what_belongs_to_a_thing_is_no_deadline(date: str) -> None:
    for thing in THINGS:
        assert find_due(thing.format(date), now=WEDNESDAY) is None, thing.format(date)


def test_a_past_deadline_is_returned_and_flagged() -> None:
    due = find_due("entregar até 10/06/2026", now=WEDNESDAY)
    assert due is not None
    assert due.flags == {"past"}


def test_the_span_is_the_phrases_own_words() -> None:
    phrase = "\N{PARTY POPPER} Entregar  ATE\u0301 Sexta-Feira \N{EN DASH} urgente"
    due = find_due(phrase, now=WEDNESDAY)
    assert due is not None
    assert due.span in phrase
    assert due.span == "ATE\u0301 Sexta-Feira"


@pytest.mark.parametrize(
    ("phrase", "language"),
    [("entregar até sexta e sábado", "pt"), ("ship friday or saturday", "en"), ("entregar entre lunes y martes", "es")],
)
def test_it_asks_in_the_language_of_the_phrase(phrase: str, language: str) -> None:
    with pytest.raises(DueError) as caught:
        find_due(phrase, now=WEDNESDAY)
    assert caught.value.language == language
