"""What is found on the board when things went wrong before: late writes, other machines, automations, people."""

from __future__ import annotations

import signal
import time
import unicodedata
from typing import Any

import pytest

from tests import processes
from tests import trello_server as t
from tests.conftest import QUICK
from tests.models import CHECKLISTS, PHRASE, plan
from tests.ollama_steps import say
from tools import trello as client
from tools.look import POS_STEP

LISTS = CHECKLISTS[:2]
WRITES = 1 + sum(1 + len(items) for _, items in LISTS)
FOR_EVER = {"401": t.status(401, "invalid token"), "429": t.status(429, ""), "500": t.status(500, "")}


@pytest.fixture(autouse=True)
def planner(ollama, monkeypatch):
    monkeypatch.setattr(client, "PATIENCE", QUICK)
    return ollama([], formats=lambda asked, nth: say(plan(checklists=LISTS)))


def make(run, *flags: str):
    return run(PHRASE, "--mode", "plan", *flags)


def interrupted_at(trello, nth: int, **more: Any) -> None:
    trello.fault = kill = processes.Signaller(nth, signal.SIGKILL, **more)
    kill.process = processes.start(PHRASE, "--mode", "plan")
    processes.finish(kill.process)


def items(card) -> list[tuple[str, list[str]]]:
    return [(c["name"], [i["name"] for i in c["checkItems"]]) for c in card["checklists"]]


@pytest.mark.slow
@pytest.mark.parametrize("nth", [1, 3, 7])
def test_a_write_that_is_applied_after_its_process_was_killed_is_not_doubled(run, trello, monkeypatch, nth):
    monkeypatch.setattr(client, "PATIENCE", client.Patience(late_s=4.0))
    interrupted_at(trello, nth, late_s=1.0)
    result = make(run)
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert items(card) == LISTS


@pytest.mark.parametrize("name", [None, "Preparação", "Listar segredos"])
def test_a_write_that_is_applied_after_it_was_given_up_on_is_not_left_double(run, trello, name):
    late: list[str] = []

    def slow_once(method, path, body, nth):
        hit = path == "/cards" if name is None else body.get("name") == name
        if method != "POST" or not hit or late:
            return None
        late.append(path)
        return t.slow(QUICK.write_s + 0.1)

    trello.fault = slow_once
    result = make(run)
    assert result.code == 0, result.err
    time.sleep(0.2)
    (card,) = trello.cards
    assert items(card) == LISTS


@pytest.mark.parametrize("fault", ["401", pytest.param("500", marks=pytest.mark.slow)])
def test_completing_an_interrupted_card_is_all_or_nothing_too(run, trello, fault):
    interrupted_at(trello, 2)  # no item is begun before both checklists are there
    trello.fault = t.on("POST", "/checklists/.*", FOR_EVER[fault], repeat=True)
    result = make(run)
    assert (result.code, result.out) == (5 if fault == "500" else 3, ""), result.err
    assert trello.cards == []
    trello.fault = None
    assert make(run).code == 0
    assert items(trello.cards[0]) == LISTS


@pytest.mark.slow
def test_an_interruption_while_completing_removes_the_card(run, trello):
    interrupted_at(trello, 2)  # no item is begun before both checklists are there
    trello.fault = stop = processes.Signaller(2, signal.SIGTERM)
    stop.process = processes.start(PHRASE, "--mode", "plan")
    assert processes.finish(stop.process)[0] == 130
    assert trello.cards == []


@pytest.mark.parametrize("nth", [pytest.param(WRITES - 1, marks=pytest.mark.slow), WRITES])
def test_an_interruption_at_the_last_writes_is_heeded(trello, nth):
    trello.fault = stop = processes.Signaller(nth, signal.SIGINT)
    stop.process = processes.start(PHRASE, "--mode", "plan")
    code, out, _ = processes.finish(stop.process)
    assert (code, out, trello.cards) == (130, "", [])


@pytest.mark.parametrize(("fault", "code"), [("401", 3), ("429", 5), ("500", 6)])
def test_all_that_fails_from_the_card_on_leaves_nothing_to_look_for(run, trello, fault, code):
    failing: list[bool] = []

    def from_the_card_on(method, path, body, nth):
        failing.extend([True] if (method, path) == ("POST", "/cards") else [])
        return FOR_EVER[fault] if failing else None

    trello.fault = from_the_card_on
    assert (make(run).code, trello.cards) == (code, [])  # a 500 may have been applied, and nobody can look


@pytest.mark.parametrize("body", ["", "null", "[]"])
def test_an_empty_answer_to_a_read_is_asked_for_again(run, trello, body):
    trello.fault = t.either(
        t.on("GET", "/boards/.*", t.status(200, body)),
        t.on("POST", "/checklists", t.RESET_BEFORE),
        t.on("GET", "/cards/.*", t.status(200, body)),
    )
    result = make(run)
    assert result.code == 0, result.err
    assert items(trello.cards[0]) == LISTS


def test_the_same_outline_of_another_machine_is_found_not_taken_over(run, trello, home, monkeypatch):
    first = run(PHRASE, "--mode", "outline")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "other"))
    looked: list[str] = []

    def blind_at_first(method, path, body, nth):
        if method == "GET" and path.endswith("/cards"):
            looked.append(path)
            return t.status(200, "[]") if len(looked) == 1 else None
        return t.RESET_BEFORE if (method, path) == ("POST", "/cards") else None

    trello.fault = blind_at_first
    again = run(PHRASE, "--mode", "outline", "--json")
    assert again.code == 0, again.err
    assert (again.json["url"] + "\n", again.json["created"]) == (first.out, False)
    assert len(trello.cards) == 1
    assert len(trello.cards[0]["checklists"]) == 3


def test_a_half_made_card_that_a_person_archived_stays_archived(run, trello):
    interrupted_at(trello, 2)  # no item is begun before both checklists are there
    trello.request("PUT", f"/cards/{trello.cards[0]['id']}", closed=True)
    result = make(run, "--json")
    assert result.json["created"] is True
    assert sorted(card["closed"] for card in trello.cards) == [False, True]


def test_a_card_that_is_growing_elsewhere_is_not_whole_yet(run, trello, home, monkeypatch):
    assert make(run).code == 0
    (card,) = trello.cards
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "other"))
    monkeypatch.setattr(client, "PATIENCE", QUICK.__class__(**(vars(QUICK) | {"twin_s": 2.0})))
    grown: list[str] = []

    def growing(method, path, body, nth):
        if method == "GET" and path.endswith("/cards") and len(grown) < 3:
            grown.append(path)
            trello.request("POST", f"/checklists/{card['checklists'][0]['id']}/checkItems", name=f"mais {nth}")
        return

    trello.fault = growing
    result = make(run, "--json")
    assert (result.code, result.json["created"]) == (0, False)
    assert sum(call.endswith("/cards") for call in trello.calls if call.startswith("GET")) >= 4


def test_text_that_trello_normalises_is_still_known(run, trello, monkeypatch):
    real = trello.answer

    def decomposing(request):
        response = real(request)
        body = response.body.decode().replace("\\n", "\\r\\n")
        return response.__class__(response.status, unicodedata.normalize("NFD", body).encode(), response.kind)

    monkeypatch.setattr(trello, "answer", decomposing)
    trello.fault = t.either(t.on("POST", "/cards", t.RESET_AFTER), t.on("POST", "/checklists", t.RESET_AFTER))
    assert make(run).code == 0
    assert len(trello.cards) == 1
    trello.fault = t.on("POST", "/checklists/.*", t.status(500, ""), repeat=True)
    assert run("outra tarefa de revisão", "--mode", "plan").code == 5
    assert len(trello.cards) == 1


def test_a_checklist_that_an_automation_added_is_nobodys_change(run, trello):
    added: list[Any] = []

    def automation(method, path, body, nth):
        if path == "/checklists" and not added:
            added.append(trello.request("POST", "/checklists", idCard=body["idCard"], name=LISTS[0][0], pos=99))
            trello.request("POST", f"/checklists/{added[0]['id']}/checkItems", name="da automação")
        return t.status(500, "") if path.endswith("/checkItems") else None

    trello.fault = automation
    assert (make(run).code, trello.cards) == (5, [])


def test_a_card_that_is_deleted_while_it_is_made_is_trellos_failure(run, trello):
    def person(method, path, body, nth):
        if path.endswith("/checkItems") and trello.cards:
            trello.request("DELETE", f"/cards/{trello.cards[0]['id']}")

    trello.fault = person
    result = make(run)
    assert (result.code, result.out) == (5, "")


def test_an_undo_that_was_killed_is_done_by_the_next(run, trello):
    made = make(run)
    trello.fault = kill = processes.Signaller(1, signal.SIGKILL)
    kill.process = processes.start("--undo")
    processes.finish(kill.process)
    while not trello.cards[0]["closed"]:
        time.sleep(0.01)
    assert (run("--undo").out, run("--undo").code) == (made.out, 2)


def test_positions_are_trellos_own_steps(run, trello):
    assert make(run).code == 0
    assert [c["pos"] for c in trello.cards[0]["checklists"]] == [POS_STEP, 2 * POS_STEP]
