"""The wall clock holds against a model that is silent, drips, or works for ever (row 25)."""

from __future__ import annotations

import time

import pytest

from tests.hostile.checks import check_safe
from tests.hostile.script import add, create, only
from tests.ollama_steps import call, drip, say, silent, slow

WAITS = {
    "never answers": only(silent()),
    "answers in twenty minutes": only(slow(1200, say("Pronto!"))),
    "headers and no more": only(silent(headers=True)),
    "drips for ever": only(drip(0.05)),
    "drips a call's text": only(drip(0.05, '{"name": "create_card", "arguments": ' + "x" * 10_000)),
    "works for ever": lambda asked, nth: slow(0.3, call("resolve_list_id", {"list_name": str(nth)})),
    "silent after the card": only(create(), silent()),
    "drips after the card": only(create(), drip(0.05)),
}


@pytest.mark.parametrize("mode", ["react", "plan"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "drips for ever" else pytest.mark.slow) for n in WAITS]
)
def test_the_wall_clock_holds(run, trello, ollama, mode, name):
    script = WAITS[name]
    ollama(script, formats=only(slow(1200, say(""))) if "card" in name else script)
    start = time.monotonic()
    result = run("implementar pipeline", "--mode", mode, "--timeout", "1")
    assert time.monotonic() - start < 6
    check_safe(result, trello, "Em progresso")
    if (mode, name) != ("plan", "works for ever"):  # three answers that are no plan may come in time
        assert result.code == 4
        assert "--timeout" in result.err


def test_a_card_that_is_whole_when_the_time_is_up_is_kept(run, trello, ollama):
    ollama(only(create(), add(0), silent()))
    result = run("implementar pipeline CI/CD", "--timeout", "1.5")
    check_safe(result, trello, "Em progresso")
    assert result.code == 0
    assert "out of time" in result.err


def test_the_time_that_is_up_before_a_tool_runs_is_told(run, trello, ollama, monkeypatch):
    from tools.clock import Clock, OutOfTime
    from tools.desk import Desk

    def out(self: Clock) -> None:
        raise OutOfTime

    real = Desk.call

    def late(self: Desk, name: str, arguments: dict[str, object]) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(Clock, "check", out)
            return real(self, name, arguments)

    monkeypatch.setattr(Desk, "call", late)
    ollama(only(create()))
    result = run("implementar pipeline CI/CD")
    check_safe(result, trello, "Em progresso")
    assert result.code == 4


@pytest.mark.slow
def test_a_server_that_is_silent_when_asked_for_the_model_is_told(run, trello, ollama, monkeypatch):
    from tests import ollama_server

    server = ollama(only(create()))
    monkeypatch.setitem(ollama_server._ROUTES, ("POST", "/api/show"), silent().serve)
    result = run("implementar pipeline CI/CD", "--timeout", "1")
    check_safe(result, trello, "Em progresso")
    assert result.code == 4
    assert server.chats == []
