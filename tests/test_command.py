"""The command as its user sees it: the demo, the dry run, the JSON, the outline, the deadline, the texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import trello_server as t
from tests.conftest import QUICK
from tests.models import CHECKLISTS, DESC, PHRASE, TITLE, plan, writer
from tests.ollama_server import FakeModel
from tests.ollama_steps import say
from tools import trello as client

KEYS = {"url", "id", "run", "title", "due", "created", "warnings"}


def page_of(url: str) -> str:
    return Path(urlsplit(url.strip()).path).read_text(encoding="utf-8")


# The demo and the sandbox.


def test_the_first_command_of_all_on_a_machine_without_a_model(run):
    result = run(PHRASE, "--demo", "--due", "amanhã 18:00-03:00")
    assert result.code == 0, result.err
    assert re.fullmatch(r"file:///\S+/board\.html#\S+\n", result.out)
    page = page_of(result.out)
    for text in ("ipeline CI/CD dockerizado para FastAPI", "Critérios de aceite", "Preparação", "Entrega"):
        assert text in page
    assert "18:00" in page
    assert re.search(r"^prazo: \w{3} \d\d/\d\d/\d{4} 18:00 -03:00$", result.err, re.M)
    assert "warning: Ollama does not answer at 127.0.0.1:9: the outline is used instead" in result.err
    assert "no model wrote this card" in result.err


def test_the_demo_uses_a_model_that_is_ready(run, ollama):
    server = ollama(writer())
    result = run(PHRASE, "--demo")
    assert (result.code, result.err) == (0, "")
    assert TITLE in page_of(result.out)
    assert "Workflow de CI" in page_of(result.out)
    assert len(server.chats) > 1


@pytest.mark.parametrize("model", [FakeModel("outro:1b"), FakeModel("gemma3:4b", ("completion",))])
def test_the_demo_falls_back_where_the_model_is_not_ready(run, ollama, monkeypatch, model):
    ollama(writer(), model=model)
    if model.name == "outro:1b":
        monkeypatch.setenv("OLLAMA_MODEL", "gpt-oss:20b")
    result = run(PHRASE, "--demo")
    assert result.code == 0, result.err
    assert "the outline is used instead" in result.err


def test_the_sandbox_keeps_its_cards_and_makes_each_once(run):
    first = run(PHRASE, "--demo")
    again = run(PHRASE, "--demo")
    other = run("revisar o contrato de hospedagem", "--board", "sandbox", "--mode", "outline", "--list", "concluido")
    assert (first.code, again.code, other.code) == (0, 0, 0)
    assert first.out == again.out
    assert "the card is there already; --force makes another" in again.err
    assert other.out != first.out
    page = page_of(other.out)
    assert "dockerizado" in page
    assert "contrato de hospedagem" in page


def test_the_demo_does_not_mind_the_list_of_the_users_own_board(run, monkeypatch):
    monkeypatch.setenv("DEFAULT_BOARD", "AbCd1234")
    monkeypatch.setenv("DEFAULT_LIST", "Backlog do time")
    assert run(PHRASE, "--demo").code == 0
    refused = run(PHRASE, "--demo", "--list", "Backlog do time")
    assert (refused.code, refused.out) == (2, "")
    assert "its open lists are: " in refused.err


# The dry run and the JSON.


@pytest.mark.parametrize("mode", ["react", "plan", "outline"])
def test_a_dry_run_shows_the_whole_card_and_asks_nothing_of_trello(run, trello, ollama, monkeypatch, mode):
    ollama(writer(), formats=lambda asked, nth: say(plan()))
    for name in ("TRELLO_KEY", "TRELLO_TOKEN"):
        monkeypatch.delenv(name)
    result = run(PHRASE, "--dry-run", "--mode", mode, "--due", "01/12/2030 18:00")
    assert result.code == 0, result.err
    title, due, *rest = [line for line in result.out.splitlines() if line]
    assert re.fullmatch(r"# .*ipeline CI/CD.*", title)
    assert due == "**prazo: dom 01/12/2030 18:00 -03:00**"
    headings = [line for line in rest if line.startswith("## ")]
    assert headings == ["## Objetivos", "## Entregáveis", "## Critérios de aceite", "## Riscos"]
    assert [line for line in rest if line.startswith("### ")][0] == "### Preparação"
    assert sum(line.startswith("- [ ] ") for line in rest) == 12
    assert trello.requests == []


def test_a_dry_run_needs_neither_board_nor_list_nor_state(run, ollama, home):
    ollama(writer())
    assert run(PHRASE, "--dry-run").code == 0
    assert not (home / "state").exists()


def test_the_json_of_a_card_of_one_that_was_there_and_of_a_dry_run(run, trello, ollama):
    ollama(writer())
    made = run(PHRASE, "--json", "--due", "01/12/2030 18:00").json
    (card,) = trello.cards
    assert set(made) == KEYS
    assert (made["url"], made["id"]) == (f"https://trello.com/c/{card['shortLink']}", card["id"])
    assert (made["title"], made["due"], made["created"]) == (TITLE, "2030-12-01T18:00:00-03:00", True)
    assert made["warnings"] == []
    found = run(PHRASE, "--json", "--due", "01/12/2030 18:00").json
    assert set(found) == KEYS
    assert found | {"created": True} == made
    dry = run(PHRASE, "--json", "--dry-run").json
    assert set(dry) == KEYS | {"card"}
    assert (dry["url"], dry["id"], dry["run"], dry["due"], dry["created"]) == (None, None, None, None, False)
    assert dry["card"]["desc"] == DESC
    assert [c["title"] for c in dry["card"]["checklists"]] == [title for title, _ in CHECKLISTS]


def test_what_a_card_should_have_is_a_warning_and_with_strict_a_refusal(run, trello, ollama, monkeypatch):
    poor = plan(checklists=[("Preparação", ["Definir imagem base"])])
    ollama((), formats=lambda asked, nth: say(poor))
    result = run(PHRASE, "--mode", "plan", "--json")
    assert result.code == 0
    (warning,) = result.json["warnings"]
    assert "Preparação" in warning
    assert f"warning: {warning}\n" in result.err
    monkeypatch.setenv("AGENTIC_STRICT", "sim")
    trello.clear()
    refused = run(PHRASE, "--mode", "plan", "--force")
    assert (refused.code, refused.out) == (1, "")
    assert len(trello.cards) == 1


# The other flags.


def test_the_same_phrase_is_one_card_unless_forced_or_longer_ago(run, trello, ollama):
    ollama((), formats=lambda asked, nth: say(plan()))
    first = run(PHRASE, "--mode", "plan")
    assert run(PHRASE, "--mode", "plan").out == first.out
    assert len(trello.cards) == 1
    for flags in (("--force",), ("--within", "0")):
        result = run(PHRASE, "--mode", "plan", *flags)
        assert result.code == 0, result.err
        assert result.out != first.out
    assert len(trello.cards) == 3


@pytest.mark.parametrize("mode", ["react", "plan"])
def test_model_and_temperature_are_what_ollama_is_asked_for(run, trello, ollama, monkeypatch, mode):
    server = ollama(writer(), formats=lambda asked, nth: say(plan()), model=FakeModel("qwen3:8b"))
    monkeypatch.setenv("OLLAMA_MODEL", "outro:1b")
    result = run(PHRASE, "--mode", mode, "--model", "qwen3:8b", "--temperature", "0.7")
    assert result.code == 0, result.err
    assert {asked["model"] for asked in server.chats} == {"qwen3:8b"}
    assert {asked["options"]["temperature"] for asked in server.chats} == {0.7}


def test_board_and_list_by_every_name_they_have(run, trello):
    board = next(b["id"] for b in trello.snapshot()["boards"] if b["shortLink"] == "AbCd1234")
    wanted = trello.list_id("Concluído", board)
    names = ["Concluído", "Conclui\u0301do", "CONCLUIDO", "conclu", wanted]
    boards = [
        "AbCd1234",
        board,
        "https://trello.com/b/AbCd1234",
        "trello.com/b/AbCd1234/minha-equipe?menu=1",
        "AbCd1234",
    ]
    for nth, (a_board, name) in enumerate(zip(boards, names, strict=True)):
        result = run(f"revisar o contrato {nth}", "--mode", "outline", "--board", a_board, "--list", name)
        assert result.code == 0, result.err
    assert [card["idList"] for card in trello.cards] == [wanted] * 5


# The outline.


@pytest.mark.parametrize(
    ("phrase", "title", "heading"),
    [
        ("criar a tela de login", "Tela de login", "## Critérios de aceite"),
        ("please create a login screen for the app", "Login screen for the app", "## Acceptance criteria"),
        ("crear la pantalla de inicio y el menú del usuario", "Pantalla de inicio", "## Criterios de aceptación"),
        ("corrigir o login", "Tarefa: Corrigir o login", "## Riscos"),
        ("fix the login", "Task: Fix the login", "## Risks"),
    ],
)
def test_the_outline_is_in_the_language_of_the_phrase_and_its_title_is_not_the_phrase(run, phrase, title, heading):
    result = run(phrase, "--mode", "outline", "--dry-run")
    assert result.code == 0
    assert result.out.startswith(f"# {title}")
    assert heading in result.out
    assert result.out == run(phrase, "--mode", "outline", "--dry-run").out


def test_different_phrases_have_different_outlines(run):
    phrases = ["criar a tela de login", "criar a tela de cadastro", "revisar a tela de login"]
    assert len({run(phrase, "--mode", "outline", "--dry-run").out for phrase in phrases}) == 3


def test_the_fallback_makes_a_card_of_a_machine_whose_ollama_is_down(run, trello):
    refused = run(PHRASE)
    assert (refused.code, trello.cards) == (4, [])
    result = run(PHRASE, "--fallback", "outline", "--json")
    assert result.code == 0
    assert [card["name"] for card in trello.cards] == [result.json["title"]]
    assert any("outline is used instead" in warning for warning in result.json["warnings"])


# The deadline.


def test_the_deadline_of_the_flag_is_echoed_and_set(run, trello, ollama, monkeypatch):
    ollama(writer())
    monkeypatch.setenv("AGENTIC_TZ", "America/New_York")
    assert run(PHRASE, "--due", "2030-12-01 18:00").code == 0
    assert trello.cards[0]["due"] == "2030-12-01T23:00:00.000Z"


@pytest.mark.parametrize(
    ("due", "echo"),
    [
        ("01/12/2030 18:00", "prazo: dom 01/12/2030 18:00 -03:00"),
        ("december 1, 2030 at 6pm", "due: Sun 2030-12-01 18:00 -03:00"),
        ("1 de diciembre de 2030 a las 18:00", "plazo: dom 01/12/2030 18:00 -03:00"),
    ],
)
def test_what_was_understood_is_echoed_in_the_deadlines_language(run, due, echo):
    result = run(PHRASE, "--mode", "outline", "--dry-run", "--due", due)
    assert result.code == 0
    assert echo in result.err.splitlines()


def test_the_deadline_of_a_long_phrase_is_found(run):
    phrase = "revisar o contrato " + "com muito cuidado " * 300 + "até 01/12/2030 18h"
    result = run(phrase, "--mode", "outline", "--dry-run", "--json")
    assert result.json["due"] == "2030-12-01T18:00:00-03:00"
    assert result.json["warnings"] == []


# Texts on their way.


def test_a_description_of_16384_characters_with_accents_arrives_whole(run, trello, ollama):
    long = DESC + "\n- " + "ção " * 5000
    desc = long[:16384].rstrip()
    ollama(writer(desc=desc))
    result = run(PHRASE)
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert card["desc"] == desc
    assert len(desc) > 16300
    assert all(len(seen.path) + len(json.dumps(seen.query)) < 1000 for seen in trello.requests)
    assert all(seen.query == {} for seen in trello.requests if seen.method != "GET")


def test_control_characters_of_the_model_and_of_trello_do_not_reach_the_terminal(run, trello, ollama):
    evil = "\x1b[2J\x1b]0;dono\x07\u202eoculto\x9b31m\r"
    board = next(b["id"] for b in trello.snapshot()["boards"] if b["shortLink"] == "AbCd1234")
    trello.add_list(board, f"Em pausa{evil}")
    ollama(writer(title=f"Título{evil} da API", desc=DESC + evil))
    dry, made, lost = run(PHRASE, "--dry-run"), run(PHRASE, "-v"), run(PHRASE, "--list", "Em paus")
    missing = run(PHRASE, "--list", f"Nada{evil}")
    assert [dry.code, made.code, lost.code, missing.code] == [0, 0, 0, 2]
    for result in (dry, made, lost, missing):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", result.out + result.err)


def test_errors_of_trello_are_shown_clean_and_short(run, trello, ollama, monkeypatch):
    monkeypatch.setattr(client, "PATIENCE", QUICK)
    ollama((), formats=lambda asked, nth: say(plan()))
    trello.fault = t.on("POST", "/cards", t.status(400, "invalid \x1b[31mvalue\n" * 500), repeat=True)
    result = run(PHRASE, "--mode", "plan")
    assert result.code == 5
    assert len(result.err.splitlines()) == 2
    assert "(POST, 400): invalid value invalid" in result.err
    assert len(result.err) < 500


def test_verbose_tells_each_request_and_a_traceback_comes_only_with_it(run, trello, ollama):
    server = ollama(writer())
    told = run(PHRASE, "-v")
    assert "trello: GET /boards/AbCd1234 -> 200" in told.err
    assert told.err.count("trello: POST ") == 1 + 3 + 12
    assert len(server.chats) > 1
    assert "Traceback" not in run("").err
    assert "Traceback" in run("", "-v").err


def test_a_fault_of_the_program_itself_is_told_in_two_lines(run, trello, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("dividido\nem dois")

    monkeypatch.setattr("tools.outline.outline", broken)
    result = run(PHRASE, "--mode", "outline")
    assert (result.code, result.out, trello.cards) == (1, "", [])
    assert result.err.splitlines()[-2:] == [
        "error: unexpected ZeroDivisionError: dividido em dois",
        "hint: run it again with -v to see where, and report it",
    ]
    assert "broken" in run(PHRASE, "--mode", "outline", "-v").err


def test_a_run_that_has_no_time_left_says_so(run, trello, ollama):
    from tests.ollama_steps import silent

    ollama([silent()])
    result = run(PHRASE, "--timeout", "0.4")
    assert (result.code, result.out, trello.cards) == (4, "", [])
    assert "out of time" in result.err
    assert "--timeout" in result.err
