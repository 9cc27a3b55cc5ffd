"""All or nothing: each write of a card meets each kind of fault, once and for ever, in both modes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests import trello_server as t
from tests.models import CHECKLISTS, PHRASE, plan, writer
from tests.ollama_steps import say
from tools import trello as client

LISTS = CHECKLISTS[:2]
WRITES = ["card", *(title for title, _ in LISTS), *(item for _, items in LISTS for item in items)]
FAULTS: dict[str, t.Fault] = {
    "500": t.status(500, "oops"),
    "503": t.status(503, ""),
    "429": t.status(429, '{"error":"API_TOKEN_LIMIT_EXCEEDED","message":"Rate limit exceeded"}'),
    "429 with Retry-After": t.status(429, "", Retry_After="0.05"),
    "reset before": t.RESET_BEFORE,
    "reset after": t.RESET_AFTER,
    "truncated": t.TRUNCATED,
    "html 502": t.HTML_502,
    "html 502 after": t.HTML_502_AFTER,
    "silent": t.SILENT,
    "silent after": t.SILENT_AFTER,
}
APPLIED = {"reset after", "truncated", "html 502 after", "silent after"}
SAMPLE = {("card", "reset after"), ("Preparação", "500"), ("Listar segredos", "truncated"), ("Rodar testes no CI", "429")}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing longer than the tests must."""
    monkeypatch.setattr(client, "PATIENCE", client.Patience(0.5, 0.3, (0.02, 0.02, 0.02), (0.05, 0.1), 0.3, 0.05))


def at(write: str, fault: t.Fault, times: int | None) -> t.FaultPlan:
    """Fail one write of a card: the card itself, or the checklist or item of a name."""
    left = [times]

    def plan(method: str, path: str, body: dict[str, Any], nth: int) -> t.Fault | None:
        hit = method == "POST" and (path == "/cards" if write == "card" else body.get("name") == write)
        if not hit or left[0] == 0:
            return None
        left[0] = None if left[0] is None else left[0] - 1
        return fault

    return plan


def start(ollama, mode: str):
    if mode == "plan":
        return ollama([], formats=lambda asked, nth: say(plan(checklists=LISTS)))
    return ollama(writer(checklists=LISTS))


def is_whole(card: dict[str, Any]) -> bool:
    return [(c["name"], [i["name"] for i in c["checkItems"]]) for c in card["checklists"]] == LISTS


def cases() -> list[Any]:
    every = [(write, fault) for write in WRITES for fault in FAULTS]
    return [pytest.param(*c, marks=() if c in SAMPLE else pytest.mark.slow, id=f"{c[0]}-{c[1]}") for c in every]


@pytest.mark.parametrize("mode", ["react", "plan"])
@pytest.mark.parametrize(("write", "fault"), cases())
def test_a_fault_that_passes_is_survived(run, trello, ollama, mode, write, fault):
    start(ollama, mode)
    trello.fault = at(write, FAULTS[fault], 1)
    result = run(PHRASE, "--mode", mode)
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert is_whole(card)
    assert result.out == f"https://trello.com/c/{card['shortLink']}\n"


@pytest.mark.parametrize("mode", ["react", "plan"])
@pytest.mark.parametrize(("write", "fault"), cases())
def test_a_fault_that_stays_leaves_nothing_and_the_next_run_is_whole(run, trello, ollama, mode, write, fault):
    start(ollama, mode)
    trello.fault = at(write, FAULTS[fault], None)
    result = run(PHRASE, "--mode", mode)
    if fault in APPLIED:  # it was read back, and so it counts as done
        assert result.code == 0, result.err
        assert is_whole(trello.cards[0])
        return
    assert (result.code, result.out) == (5, ""), result.err
    assert trello.cards == []
    assert 2 <= len(result.err.strip().splitlines()) <= 3
    trello.fault = None
    again = run(PHRASE, "--mode", mode)
    assert again.code == 0, again.err
    (card,) = trello.cards
    assert is_whole(card)


@pytest.mark.parametrize("fault", [pytest.param(f, marks=() if f == "500" else pytest.mark.slow) for f in FAULTS])
def test_a_removal_that_fails_for_ever_is_told_with_the_url(run, trello, ollama, fault):
    start(ollama, "plan")
    trello.fault = t.either(
        at("Escrever workflow", FAULTS["500"], None), t.on("DELETE", ".*", FAULTS[fault], repeat=True)
    )
    result = run(PHRASE, "--mode", "plan")
    if fault in APPLIED:
        assert (result.code, trello.cards) == (5, [])
        return
    (card,) = trello.cards
    assert (result.code, result.out) == (6, "")
    assert f"https://trello.com/c/{card['shortLink']}" in result.err
    trello.fault = None
    again = run(PHRASE, "--mode", "plan")
    assert again.code == 0, again.err
    (card,) = trello.cards
    assert is_whole(card)


def test_429_for_ever_ends_after_few_writes(run, trello, ollama):
    start(ollama, "plan")
    trello.fault = lambda method, path, body, nth: FAULTS["429"] if method == "POST" else None
    result = run(PHRASE, "--mode", "plan")
    assert (result.code, trello.cards) == (5, [])
    assert sum(seen.method != "GET" for seen in trello.requests) <= 15


def test_429_for_ever_from_the_items_on_ends_after_few_writes(run, trello, ollama):
    start(ollama, "plan")
    trello.fault = t.on("POST", "/checklists/.*", FAULTS["429"], repeat=True)
    result = run(PHRASE, "--mode", "plan")
    assert (result.code, trello.cards) == (5, [])
    assert sum(seen.status == 429 for seen in trello.requests) <= 15


def test_what_is_left_of_a_fault_names_what_to_do(run, trello, ollama):
    start(ollama, "plan")
    trello.fault = at("card", FAULTS["500"], None)
    err = run(PHRASE, "--mode", "plan").err
    assert re.search(r"^error: .*500", err, re.M)
    assert re.search(r"^hint: .+", err, re.M)
