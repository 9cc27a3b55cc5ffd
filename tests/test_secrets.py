"""Key and token: in the Authorization header to Trello, and nowhere else, whatever Trello answers."""

from __future__ import annotations

import itertools
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import trello_server as t
from tests.conftest import KEY, QUICK, TOKEN
from tests.ear import Ear
from tests.models import PHRASE, plan, writer
from tests.ollama_steps import say
from tools import trello as client

AUTHORIZATION = f'OAuth oauth_consumer_key="{KEY}", oauth_token="{TOKEN}"'
ECHO = f"invalid value for key={KEY}&token={TOKEN}"
ANSWERS: dict[str, t.Fault] = {
    "400": t.status(400, ECHO),
    "400 in JSON": t.status(400, json.dumps({"message": ECHO, "error": "ERROR"})),
    "401": t.status(401, f"invalid token {TOKEN}"),
    "404": t.status(404, f"The requested resource was not found. {ECHO}"),
    "429": t.status(429, ECHO),
    "500": t.status(500, ECHO),
    "page": t.status(502, f"<html><a href='/1/cards?{ECHO}'>"),
    "redirect": t.status(302, ECHO, Location=f"http://127.0.0.1:9/?{ECHO}"),
    "reset": t.RESET_AFTER,
}
REQUESTS = {"reading": ("GET", "/boards/.*"), "card": ("POST", "/cards"), "items": ("POST", "/checklists/.*")}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", QUICK)


@pytest.fixture
def ear() -> Iterator[Ear]:
    with Ear() as ear:
        yield ear


def leaks(text: str) -> list[str]:
    forms = [
        form for secret in (KEY, TOKEN) for form in (secret, secret[:20], b64encode(secret.encode()).decode()[:24])
    ]
    return [form for form in forms if form in text]


def files(home: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in home.rglob("*") if path.is_file())


def cases() -> Iterator[Any]:
    """Every answer to every request in both modes; the loop meets most of it in the full matrix."""
    for mode, where, answer in itertools.product(("plan", "react"), REQUESTS, ANSWERS):
        core = (where, answer) == ("card", "400") if mode == "react" else where == "card"
        marks = () if core else pytest.mark.slow
        yield pytest.param(mode, where, answer, marks=marks)


@pytest.mark.parametrize(("mode", "where", "answer"), list(cases()))
def test_they_are_in_the_header_to_trello_and_nowhere_else(run, trello, ollama, home, mode, where, answer):
    server = ollama(writer(), formats=lambda asked, nth: say(plan()))
    trello.fault = t.on(*REQUESTS[where], ANSWERS[answer], repeat=True)
    result = run(PHRASE, "--mode", mode, "-v", "--json")
    assert result.code in (0, 2, 3, 5), result.err
    assert leaks(result.out + result.err) == []
    assert leaks(json.dumps([(seen.path, seen.body, seen.headers) for seen in server.requests])) == []
    for seen in trello.requests:
        headers = dict(seen.headers)
        assert headers.pop("Authorization") == AUTHORIZATION
        assert leaks(json.dumps([seen.path, seen.query, headers, seen.body])) == []
    assert leaks(files(home)) == []


def test_a_run_whose_card_stays_keeps_no_secret_in_the_ledger(run, trello, ollama, home):
    ollama((), formats=lambda asked, nth: say(plan()))
    trello.fault = t.either(
        t.on("POST", "/checklists/.*", t.status(400, ECHO), repeat=True),
        t.on("DELETE", ".*", t.status(400, ECHO), repeat=True),
    )
    result = run(PHRASE, "--mode", "plan", "-v")
    assert result.code == 6
    assert "invalid value" in result.err
    assert leaks(result.err + files(home)) == []


def test_netrc_is_not_used(run, trello, ollama, home):
    (home / ".netrc").write_text("machine 127.0.0.1 login alguem password outra-senha\ndefault login a password b\n")
    ollama(writer())
    assert run(PHRASE).code == 0
    assert {seen.headers["Authorization"] for seen in trello.requests} == {AUTHORIZATION}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(run, trello, ollama, ear, status):
    ollama(writer())
    trello.fault = t.on("POST", "/cards", t.status(status, "", Location=f"{ear.url}/1/cards"), repeat=True)
    result = run(PHRASE)
    assert (result.code, result.out, trello.cards) == (5, "", [])
    assert f"(POST, {status})" in result.err
    assert ear.heard == []


def test_a_proxy_is_asked_for_a_tunnel_and_told_nothing(run, trello, ollama, ear, monkeypatch):
    ollama(writer())
    monkeypatch.delenv("TRELLO_API_URL")
    monkeypatch.setenv("HTTPS_PROXY", ear.url)
    result = run(PHRASE, "-v")
    assert (result.code, result.out) == (5, "")
    assert "error: the proxy on the way to Trello does not let it through\nhint: check HTTPS_PROXY" in result.err
    assert ear.heard
    assert all(heard.startswith("CONNECT api.trello.com:443 HTTP/1.") for heard in ear.heard)
    assert leaks("".join(ear.heard) + result.err) == []


def test_settings_and_access_do_not_show_them():
    from tools.options import build_parser
    from tools.settings import read_settings

    flags = build_parser("0").parse_args([PHRASE, "--dry-run"])
    settings = read_settings(flags, {"TRELLO_KEY": KEY, "TRELLO_TOKEN": TOKEN}, lambda: b"")
    assert (settings.key, settings.token) == (KEY, TOKEN)
    access = client.Access("https://api.trello.com/1", KEY, TOKEN)
    assert leaks(f"{settings!r} {settings} {access!r} {access}") == []


@pytest.mark.parametrize(
    "arguments", [(f"guardar {TOKEN} no cofre",), (PHRASE, "--board", TOKEN), (PHRASE, "--due", KEY)]
)
def test_a_credential_in_what_is_given_is_refused_and_not_shown(run, trello, ollama, home, arguments):
    server = ollama(writer())
    result = run(*arguments, "--mode", "outline")
    assert (result.code, result.out) == (2, "")
    assert leaks(result.err + files(home)) == []
    assert (server.chats, trello.cards) == ([], [])
