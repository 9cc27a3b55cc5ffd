"""Local means local: what the phrase may be sent to, and every address the program connects to."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ear import Ear
from tests.models import PHRASE, plan, writer
from tests.ollama_server import FakeModel
from tests.ollama_steps import say


@pytest.fixture
def ear() -> Iterator[Ear]:
    with Ear() as ear:
        yield ear


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, int]]:
    """Every address that is connected to, or sent to, from here on; and every name that is looked up, with port 0."""
    seen: set[tuple[str, int]] = set()
    connect, lookup = socket.socket.connect, socket.getaddrinfo

    def noted(self: socket.socket, address: Any) -> None:
        seen.add(address[:2])
        connect(self, address)

    def looked_up(host: Any, *more: Any, **named: Any) -> Any:
        if host not in ("127.0.0.1", None):
            seen.add((str(host), 0))
        return lookup(host, *more, **named)

    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    return seen


def port_of(url: str) -> tuple[str, int]:
    return "127.0.0.1", int(url.partition("//")[2].partition("/")[0].rpartition(":")[2])


@pytest.mark.parametrize("mode", ["react", "plan"])
def test_it_connects_to_ollama_and_trello_and_to_nothing_else(run, trello, ollama, connected, monkeypatch, mode):
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_key")
    server = ollama(writer(), formats=lambda asked, nth: say(plan()))
    assert run(PHRASE, "--mode", mode).code == 0
    assert connected == {port_of(server.host), port_of(trello.base_url)}


def test_outline_and_sandbox_connect_to_nothing_but_the_sandbox(run, connected):
    assert run(PHRASE, "--board", "sandbox", "--mode", "outline").code == 0
    assert len(connected) == 1
    assert {host for host, _ in connected} == {"127.0.0.1"}


def test_a_dry_run_asks_nothing_of_trello(run, trello, ollama, connected, monkeypatch):
    server = ollama(writer())
    for name in ("TRELLO_KEY", "TRELLO_TOKEN", "DEFAULT_BOARD", "DEFAULT_LIST"):
        monkeypatch.delenv(name)
    assert run(PHRASE, "--dry-run").code == 0
    assert connected == {port_of(server.host)}


@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_loopback_is_never_proxied_and_no_key_of_ollama_is_sent(run, trello, ollama, ear, monkeypatch, case):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(case(name), ear.url)
    monkeypatch.setenv("OLLAMA_API_KEY", "chave-da-ollama")
    server = ollama(writer())
    result = run(PHRASE)
    assert result.code == 0, result.err
    assert ear.heard == []
    assert len(server.requests) > 2
    assert "chave-da-ollama" not in json.dumps([(seen.headers, seen.body) for seen in server.requests])
    assert not any(name.title() == "Authorization" for seen in server.requests for name in seen.headers)


FOREIGN = [
    "8.8.8.8",
    "8.8.8.8:11434",
    "http://8.8.8.8",
    "https://93.184.216.34:443/ollama",
    "172.32.0.1",
    "192.169.0.1",
    "100.128.0.1",
    "[2001:db8::1]:11434",
    "2001:db8::1",
    "::ffff:8.8.8.8",
    "[::ffff:8.8.8.8]:11434",
    "64:ff9b::7f00:1",
    "255.255.255.255",
    "224.0.0.1",
    "ollama.com",
    "OLLAMA.com",
    "ollama.com.",
    "https://ollama.com",
    "https://api.ollama.com/v1",
]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("mode", [pytest.param("react", marks=pytest.mark.slow), "plan"])
def test_a_host_that_is_not_ones_own_is_refused_before_anything_is_sent(
    run, trello, connected, monkeypatch, host, mode
):
    monkeypatch.setenv("OLLAMA_HOST", host)
    result = run(PHRASE, "--mode", mode)
    assert (result.code, result.out, trello.cards) == (7, "", [])
    assert "error: OLLAMA_HOST is " in result.err
    assert "hint: set OLLAMA_HOST to a server of your own network, or pass --allow-remote" in result.err
    assert connected <= {port_of(trello.base_url)}


@pytest.mark.parametrize(
    "host", ["user:senha@8.8.8.8", "http://a:senha@127.0.0.1:11434", "ssh://127.0.0.1", "a b", "h:99999"]
)
def test_what_is_no_host_is_refused_and_its_password_not_shown(run, trello, connected, monkeypatch, host):
    monkeypatch.setenv("OLLAMA_HOST", host)
    result = run(PHRASE)
    assert (result.code, result.out) == (2, "")
    assert "OLLAMA_HOST" in result.err
    assert "senha" not in result.err
    assert connected <= {port_of(trello.base_url)}


MORE = ["--mode=react", "--dry-run", "--fallback=outline", "--demo"]
CLOUD = {
    "cloud tag": FakeModel("glm-4.6:cloud"),
    "cloud suffix": FakeModel("gpt-oss:120b-cloud"),
    "in capitals": FakeModel("GPT-OSS:120B-CLOUD"),
    "of a registry": FakeModel("registry.local:5000/team/gpt-oss:cloud"),
    "remote host": FakeModel("minha-copia", remote_host="https://ollama.com:443"),
    "remote model": FakeModel("minha-copia", remote_model="gpt-oss:120b"),
}


@pytest.mark.parametrize("model", CLOUD)
@pytest.mark.parametrize("more", ["--mode=plan", *(pytest.param(m, marks=pytest.mark.slow) for m in MORE)])
def test_a_model_that_runs_in_the_cloud_is_refused_before_the_phrase_leaves(run, trello, ollama, model, more):
    server = ollama(writer(), model=CLOUD[model])
    result = run(PHRASE, more)
    assert (result.code, result.out, trello.cards) == (7, "", [])
    assert "--allow-remote" in result.err
    assert server.chats == []
    assert PHRASE not in json.dumps([seen.body for seen in server.requests], ensure_ascii=False)


def test_allow_remote_is_a_flag_and_no_variable(run, trello, ollama, monkeypatch):
    server = ollama(writer(), model=CLOUD["remote host"])
    for name in ("AGENTIC_ALLOW_REMOTE", "ALLOW_REMOTE", "OLLAMA_ALLOW_REMOTE"):
        monkeypatch.setenv(name, "1")
    assert run(PHRASE).code == 7
    assert run(PHRASE, "--allow-remote").code == 0
    assert len(server.chats) > 1


TRELLOS = [
    "https://example.org/1",
    "http://api.trello.com/1",
    "https://api.trello.com.example.org/1",
    "https://api.trello.com/2",
    "https://api.trello.com@example.org/1",
    "http://127.0.0.1@example.org/1",
    "http://127.0.0.1.example.org/1",
    "http://127.0.0.1\\@example.org/1",
    "http://localhost.example.org/1",
    "http://0.0.0.0/1",
    "http://192.168.0.2/1",
    "http://127.0.0.1:70000/1",
    "http://127.0.0.1/1?x=",
    "ftp://127.0.0.1/1",
    "127.0.0.1/1",
    "sandbox",
]


@pytest.mark.parametrize("url", TRELLOS)
def test_a_trello_that_is_neither_trellos_nor_this_machine_is_refused(run, trello, ollama, connected, monkeypatch, url):
    server = ollama(writer())
    monkeypatch.setenv("TRELLO_API_URL", url)
    for flags in ((), ("--dry-run",)):
        result = run(PHRASE, *flags)
        assert (result.code, result.out) == (7, "")
        assert "error: TRELLO_API_URL is neither Trello nor this machine\nhint: unset it" in result.err
    assert server.chats == []
    assert connected <= {port_of(server.host)}
