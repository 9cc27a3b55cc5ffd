"""Once: the same command twice, at once, after a kill, from another machine; and the way back."""

from __future__ import annotations

import json
import signal
import time
from datetime import UTC, datetime

import pytest

from tests import processes
from tests import trello_server as t
from tests.models import CHECKLISTS, PHRASE, TITLE, plan, writer
from tests.ollama_steps import say
from tools import trello as client
from tools.look import POS_STEP


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Wait less for what is late, and look twice sooner."""
    monkeypatch.setattr(client, "PATIENCE", client.Patience(late_s=0.5, twin_pause_s=0.1))


LISTS = CHECKLISTS[:2]
WRITES = 1 + sum(1 + len(items) for _, items in LISTS)


def planner(ollama, **more):
    return ollama(writer(checklists=LISTS), formats=lambda asked, nth: say(plan(checklists=LISTS, **more)))


def is_whole(card) -> bool:
    return [(c["name"], [i["name"] for i in c["checkItems"]]) for c in card["checklists"]] == LISTS


@pytest.mark.parametrize("mode", ["react", "plan", "outline"])
def test_the_same_command_twice_is_one_card_and_the_model_is_not_asked_again(run, trello, ollama, mode):
    server = planner(ollama)
    first = run(PHRASE, "--mode", mode, "--due", "2030-12-01 18:00")
    asked = len(server.chats)
    again = run(
        "  " + PHRASE.replace(" ", "  "), "--mode", mode, "--due", "01/12/2030 18h", "--list", "em PROGRESSO", "--json"
    )
    assert (first.code, again.code) == (0, 0), again.err
    assert again.json["url"] + "\n" == first.out
    assert again.json["created"] is False
    assert len(trello.cards) == 1
    assert len(server.chats) == asked


def test_another_due_date_is_another_card(run, trello, ollama):
    planner(ollama)
    for due in ("2030-12-01 18:00", "2030-12-02 18:00"):
        assert run(PHRASE, "--mode", "outline", "--due", due).code == 0
    assert len(trello.cards) == 2


def test_force_makes_a_second_card(run, trello, ollama):
    planner(ollama)
    first, second = run(PHRASE, "--mode", "plan"), run(PHRASE, "--mode", "plan", "--force")
    assert (first.code, second.code) == (0, 0)
    assert first.out != second.out
    assert len(trello.cards) == 2


def test_within_zero_looks_for_nothing(run, trello, ollama):
    planner(ollama)
    assert run(PHRASE, "--mode", "plan").code == 0
    assert run(PHRASE, "--mode", "plan", "--within", "0").code == 0
    assert len(trello.cards) == 2


@pytest.mark.parametrize("change", [("DELETE", {}), ("PUT", {"closed": True})])
def test_a_card_that_is_not_on_the_board_any_more_is_not_found(run, trello, ollama, change):
    planner(ollama)
    assert run(PHRASE, "--mode", "plan").code == 0
    method, values = change
    trello.request(method, f"/cards/{trello.cards[0]['id']}", **values)
    assert run(PHRASE, "--mode", "plan", "--json").json["created"] is True


def test_two_phrases_with_one_title_are_two_cards(run, trello, ollama):
    planner(ollama)
    assert run(PHRASE, "--mode", "plan").code == 0
    assert run("dockerizar a API e publicar sozinha", "--mode", "plan").code == 0
    assert [card["name"] for card in trello.cards] == [TITLE, TITLE]


@pytest.mark.parametrize("mode", ["react", "plan"])
def test_a_whole_card_of_the_same_title_from_another_machine_is_found(run, trello, ollama, home, monkeypatch, mode):
    planner(ollama)
    first = run(PHRASE, "--mode", "plan")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "other"))
    again = run(PHRASE, "--mode", mode, "--json")
    assert again.code == 0, again.err
    assert (again.json["url"] + "\n", again.json["created"]) == (first.out, False)
    assert len(trello.cards) == 1


def test_one_that_is_still_being_made_elsewhere_is_waited_for_and_then_named(run, trello, ollama, monkeypatch):
    monkeypatch.setattr(client, "PATIENCE", client.Patience(twin_s=0.2, twin_pause_s=0.05))
    planner(ollama)
    board = next(b for b in trello.snapshot()["boards"] if b["shortLink"] == "AbCd1234")
    other = trello.request("POST", "/cards", idList=trello.list_id("Em progresso", board["id"]), name=TITLE.upper())
    result = run(PHRASE, "--mode", "plan")
    assert result.code == 0
    assert other["shortUrl"] in result.err
    assert len(trello.cards) == 2


def test_three_at_once_are_one_card(trello, ollama):
    planner(ollama)
    running = [processes.start(PHRASE, "--mode", "plan") for _ in range(3)]
    ended = [processes.finish(process) for process in running]
    assert [code for code, _, _ in ended] == [0, 0, 0], ended
    assert len({out for _, out, _ in ended}) == 1
    assert len(trello.cards) == 1


def test_one_that_waits_longer_than_its_time_says_so(run, trello, ollama):
    planner(ollama)
    trello.fault = t.on("POST", "/cards", t.slow(1.5))
    first = processes.start(PHRASE, "--mode", "plan")
    while not any(call == "POST /cards" for call in trello.calls):
        time.sleep(0.01)
    second = run(PHRASE, "--mode", "plan", "--timeout", "0.5")
    assert (second.code, second.out) == (4, "")
    assert processes.finish(first)[0] == 0
    assert len(trello.cards) == 1


def kills():
    for nth in range(1, WRITES + 1):
        for mode in ("react", "plan"):
            for fault in (None, t.RESET_BEFORE):
                core = (nth, mode) == (5, "plan") and fault is None
                yield pytest.param(nth, mode, fault, marks=() if core else pytest.mark.slow)


@pytest.mark.parametrize(("nth", "mode", "fault"), list(kills()))
def test_killed_at_any_write_the_next_run_makes_one_whole_card(run, trello, ollama, nth, mode, fault):
    server = planner(ollama)
    trello.fault = kill = processes.Signaller(nth, signal.SIGKILL, fault)
    kill.process = processes.start(PHRASE, "--mode", mode)
    assert processes.finish(kill.process)[0] == -signal.SIGKILL
    asked = len(server.chats)
    result = run(PHRASE, "--mode", mode)
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert is_whole(card)
    assert result.out == f"https://trello.com/c/{card['shortLink']}\n"
    if mode == "plan" and (nth, fault) != (1, t.RESET_BEFORE):
        assert len(server.chats) == asked, "what the interrupted run had planned is completed"


def interruptions():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for nth in (1, 2, 5):
            for mode in ("react", "plan"):
                core = (number, nth, mode) in ((signal.SIGINT, 5, "plan"), (signal.SIGTERM, 1, "plan"))
                yield pytest.param(number, nth, mode, marks=() if core else pytest.mark.slow)


@pytest.mark.parametrize(("number", "nth", "mode"), list(interruptions()))
def test_interrupted_at_a_write_removes_what_was_made(trello, ollama, number, nth, mode):
    planner(ollama)
    trello.fault = interrupt = processes.Signaller(nth, number)
    interrupt.process = processes.start(PHRASE, "--mode", mode)
    code, out, err = processes.finish(interrupt.process)
    assert (code, out) == (130, ""), err
    assert trello.cards == []
    assert time.monotonic() - interrupt.sent_at < 15
    assert "Traceback" not in err


def test_what_a_person_changed_after_an_interruption_stays_and_is_named(run, trello, ollama):
    planner(ollama)
    trello.fault = kill = processes.Signaller(3, signal.SIGKILL)
    kill.process = processes.start(PHRASE, "--mode", "plan")
    processes.finish(kill.process)
    (card,) = trello.cards
    trello.request("PUT", f"/cards/{card['id']}", name="Agora é meu")
    result = run(PHRASE, "--mode", "react")
    assert (result.code, result.out) == (6, "")
    assert f"https://trello.com/c/{card['shortLink']}" in result.err
    assert [c["name"] for c in trello.cards] == ["Agora é meu"]
    assert run(PHRASE, "--mode", "plan", "--force").code == 0
    assert len(trello.cards) == 2


def test_a_card_moved_by_an_automation_is_still_found_after_a_lost_answer(run, trello, ollama):
    planner(ollama)
    board = next(b for b in trello.snapshot()["boards"] if b["shortLink"] == "AbCd1234")
    done = trello.list_id("Concluído", board["id"])

    def automation(method, path, body, nth):
        if method == "GET" and path.endswith("/cards") and trello.cards:
            trello.request("PUT", f"/cards/{trello.cards[0]['id']}", idList=done)
        return t.RESET_AFTER if (method, path) == ("POST", "/cards") else None

    trello.fault = automation
    result = run(PHRASE, "--mode", "plan")
    assert result.code == 0, result.err
    assert len(trello.cards) == 1
    assert is_whole(trello.cards[0])


def test_items_of_one_text_and_their_order_survive_lost_answers(run, trello, ollama):
    lists = [("Passos", ["Testar", "Publicar", "Testar", "Medir", "Testar"])]
    ollama([], formats=lambda asked, nth: say(plan(checklists=lists)))
    trello.fault = t.on("POST", "/checklists/.*", t.RESET_AFTER, t.RESET_AFTER, t.RESET_BEFORE, None)
    assert run(PHRASE, "--mode", "plan").code == 0
    (checklist,) = trello.cards[0]["checklists"]
    assert [i["name"] for i in checklist["checkItems"]] == lists[0][1]
    assert [i["pos"] for i in checklist["checkItems"]] == [n * POS_STEP for n in range(1, 6)]


@pytest.mark.slow
def test_six_processes_keep_within_trellos_window(trello, ollama):
    lists = [(title, [f"{title} {n}" for n in range(6)]) for title in ("Um", "Dois", "Três")]
    ollama([], formats=lambda asked, nth: say(plan(checklists=lists)))
    trello.rate = True
    running = [processes.start(f"tarefa número {n}", "--mode", "plan") for n in range(6)]
    ended = [processes.finish(process) for process in running]
    assert [code for code, _, _ in ended] == [0] * 6, ended
    assert len(trello.requests) == 144
    assert not [seen for seen in trello.requests if seen.status == 429]


def test_undo_archives_the_last_card_once(run, trello, ollama):
    planner(ollama)
    made = run(PHRASE, "--mode", "plan")
    undone = run("--undo")
    assert (undone.code, undone.out) == (0, made.out), undone.err
    assert [card["closed"] for card in trello.cards] == [True]
    again = run("--undo")
    assert (again.code, again.out) == (2, "")
    assert run(PHRASE, "--mode", "plan", "--json").json["created"] is True


CHANGES = [
    ("PUT", "/cards/{card}", {"name": "Outro título"}),
    ("PUT", "/cards/{card}", {"desc": "Outra descrição"}),
    ("PUT", "/cards/{card}", {"due": "2031-01-01T12:00:00.000Z"}),
    ("PUT", "/cards/{card}", {"idList": "{list}"}),
    ("POST", "/cards/{card}/actions/comments", {"text": "Comecei"}),
    ("PUT", "/cards/{card}/checkItem/{item}", {"state": "complete"}),
    ("PUT", "/cards/{card}/checkItem/{item}", {"name": "Outro item"}),
]


@pytest.mark.parametrize(("method", "path", "values"), CHANGES)
def test_undo_refuses_a_card_that_somebody_changed_unless_forced(run, trello, ollama, method, path, values):
    planner(ollama)
    run_id = run(PHRASE, "--mode", "plan", "--json").json["run"]
    (card,) = trello.cards
    ids = {
        "card": card["id"],
        "item": card["checklists"][0]["checkItems"][0]["id"],
        "list": trello.list_id("A fazer", card["idBoard"]),
    }
    trello.request(method, path.format(**ids), **{key: value.format(**ids) for key, value in values.items()})
    refused = run("--undo", run_id)
    assert (refused.code, refused.out) == (7, "")
    assert f"https://trello.com/c/{card['shortLink']}" in refused.err
    assert run("--undo", run_id, "--force").code == 0
    assert trello.cards[0]["closed"] is True


@pytest.mark.parametrize("run_id", ["", "20200101T000000-abcdef", "%"])
def test_nothing_to_undo_is_a_usage_error(run, trello, run_id):
    result = run("--undo", *([run_id] if run_id else []))
    assert (result.code, result.out) == (2, "")


def test_the_ledger_tells_what_became_of_each_run(run, trello, ollama):
    planner(ollama)
    done = run(PHRASE, "--mode", "plan", "--json").json
    trello.fault = t.on("POST", "/checklists", t.status(400, "invalid value for name"))
    assert run("outra tarefa", "--mode", "plan").code == 5
    trello.fault = kill = processes.Signaller(3, signal.SIGKILL)
    kill.process = processes.start("mais uma tarefa", "--mode", "plan")
    processes.finish(kill.process)
    trello.fault = None
    told = [json.loads(line) for line in run("--runs", "--json").out.splitlines()]
    assert [(record["state"], record["phrase"]) for record in told] == [
        ("done", PHRASE),
        ("removed", "outra tarefa"),
        ("interrupted", "mais uma tarefa"),
    ]
    assert (told[0]["id"], told[0]["url"], told[0]["step"]) == (done["run"], done["url"], None)
    assert told[2]["step"].startswith("checklist ")
    assert done["url"] in run("--runs").out.splitlines()[0]


def test_a_card_is_dated_by_trellos_clock_not_by_this_machines(run, home, monkeypatch, ollama):
    planner(ollama)
    skewed = t.TrelloServer(home / "skewed", clock=lambda: time.time() - 7200)
    with skewed:
        monkeypatch.setenv("TRELLO_API_URL", skewed.base_url)
        for name in ("TRELLO_KEY", "TRELLO_TOKEN"):
            monkeypatch.setenv(name, "x" * 32)
        monkeypatch.setenv("DEFAULT_BOARD", skewed.board_id)
        monkeypatch.setenv("DEFAULT_LIST", "A fazer")
        skewed.fault = t.on("POST", "/cards", t.RESET_AFTER)
        assert run(PHRASE, "--mode", "plan").code == 0
        (card,) = skewed.cards
        assert is_whole(card)
        assert datetime.now(UTC).timestamp() - client.created_at(card["id"]) > 7000
