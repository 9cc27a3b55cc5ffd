"""Each error of the exit table: its code, its words, and that nothing was touched."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable
from typing import Any, NamedTuple

import pytest

from tests import trello_server as t
from tests.conftest import QUICK
from tests.models import PHRASE, plan, writer
from tests.ollama_server import FakeModel
from tests.ollama_steps import say
from tools import trello as client


class World(NamedTuple):
    """What a case may put out of order before the command runs."""

    trello: t.TrelloServer
    ollama: Callable[..., Any]
    env: pytest.MonkeyPatch


class Case(NamedTuple):
    """One thing that is wrong: how it is made so, the flags, and what the user is told."""

    exit: int
    error: str
    hint: str
    flags: tuple[str, ...] = ()
    disorder: Callable[[World], object] = lambda world: None
    phrase: str = PHRASE


def unset(*names: str) -> Callable[[World], object]:
    return lambda world: [world.env.delenv(name) for name in names]


def having(name: str, value: str) -> Callable[[World], object]:
    return lambda world: world.env.setenv(name, value)


def refusing(method: str, path: str, fault: t.Fault) -> Callable[[World], object]:
    return lambda world: setattr(world.trello, "fault", t.on(method, path, fault, repeat=True))


def read_only(world: World) -> None:
    board = world.trello.add_board("De leitura", read_only=True, short_link="Le1tura0")
    world.trello.add_list(board, "Em progresso")


def closed_board(world: World) -> None:
    world.trello.add_list(world.trello.add_board("Fechado", closed=True, short_link="Fechado0"), "Em progresso")


def lists(*names: str, closed: str = "") -> Callable[[World], object]:
    def add(world: World) -> None:
        board = next(b["id"] for b in world.trello.snapshot()["boards"] if b["shortLink"] == "AbCd1234")
        for name in names:
            world.trello.add_list(board, name, closed=name == closed)

    return add


def pulled(model: FakeModel, asked_for: str = "") -> Callable[[World], object]:
    def start(world: World) -> None:
        world.ollama(writer(), model=model)
        world.env.setenv("OLLAMA_MODEL", asked_for or model.name)

    return start


NO_BOARD = ("--board", "ZzZzZzZz")
CASES: dict[str, Case] = {
    "no phrase": Case(2, "phrase is empty", 'agentic "corrigir o login"', phrase="  \t"),
    "phrase without a word": Case(2, "phrase is empty", "agentic", phrase="\u200b … !"),
    "phrase too long": Case(2, "too long for the model's context: 9000 bytes", "shorten", phrase="é" * 4500),
    "phrase not in UTF-8": Case(2, "not valid UTF-8", "encoding", phrase="corrigir \udce3"),
    "unquoted phrase": Case(2, "unrecognized arguments: o login", "quotes", ("o", "login")),
    "unquoted due date": Case(2, "unrecognized arguments: 18:00", '--due "amanhã 18:00"', ("--due", "amanhã", "18:00")),
    "unknown flag": Case(2, "--lista", "--help", ("--lista", "x")),
    "key missing": Case(2, "TRELLO_KEY is not set", "https://trello.com/app-key", disorder=unset("TRELLO_KEY")),
    "token missing": Case(2, "TRELLO_TOKEN is not set", ".env", disorder=unset("TRELLO_TOKEN")),
    "key with a line break": Case(2, "TRELLO_KEY has characters", "copy", disorder=having("TRELLO_KEY", "ab\ncd")),
    "board missing": Case(2, "no board is given", "DEFAULT_BOARD", disorder=unset("DEFAULT_BOARD")),
    "list missing": Case(2, "no list is given", "DEFAULT_LIST", disorder=unset("DEFAULT_LIST")),
    "board not found": Case(2, "no board ZzZzZzZz", "--board", NO_BOARD),
    "board closed": Case(2, "is closed", "reopen", ("--board", "Fechado0"), closed_board),
    "a card's url": Case(2, "--board is the url of a card", "trello.com/b/", ("--board", "https://trello.com/c/AbCd1234")),
    "an invitation": Case(
        2, "DEFAULT_BOARD is an invitation", "trello.com/b/",
        disorder=having("DEFAULT_BOARD", "https://trello.com/invite/b/AbCd1234/ATTIx/minha-equipe"),
    ),
    "no board at all": Case(2, "--board 'minha equipe' is not a board", "shortlink", ("--board", "minha equipe")),
    "list not found": Case(
        2, 'no open list "Em andamento"', "Em progresso, A fazer, Concluído", ("--list", "Em andamento")
    ),
    "list ambiguous": Case(
        2, 'fits 2 lists: "Em progresso", "Em produção"', "whole name", ("--list", "em pro"), lists("Em produção")
    ),
    "list archived": Case(
        2, 'the list "antiga" is archived', "Em progresso", ("--list", "antiga"), lists("Antiga", closed="Antiga")
    ),
    "due not understood": Case(2, "--due: Não entendi «qualquer»", "", ("--due", "qualquer dia desses")),
    "due empty": Case(2, "--due: O prazo está vazio", "", ("--due", "")),
    "due past": Case(2, "--due: prazo: qua 01/01/2020", "já passou", ("--due", "01/01/2020 18:00")),
    "due past in English": Case(2, "--due: due: Wed 2020-01-01", "is past", ("--due", "january 1, 2020 at 6pm")),
    "unknown mode": Case(2, "--mode 'rect' is not a mode", "react, plan, outline", ("--mode", "rect")),
    "unknown mode by variable": Case(2, "AGENTIC_MODE 'x'", "plan", disorder=having("AGENTIC_MODE", "x")),
    "timeout": Case(2, "--timeout 'já'", "0.1 to 86400", ("--timeout", "já")),
    "timeout by variable": Case(2, "AGENTIC_TIMEOUT 'nan'", "86400", disorder=having("AGENTIC_TIMEOUT", "nan")),
    "temperature": Case(2, "LLM_TEMPERATURE '9'", "0 to 2", disorder=having("LLM_TEMPERATURE", "9")),
    "within": Case(2, "--within '15'", "15m", ("--within", "15")),
    "strict": Case(2, "AGENTIC_STRICT 'talvez'", "1 or 0", disorder=having("AGENTIC_STRICT", "talvez")),
    "zone": Case(2, "AGENTIC_TZ 'Brasilia'", "America/Sao_Paulo", disorder=having("AGENTIC_TZ", "Brasilia")),
    "model's name": Case(2, "--model 'gpt oss'", "ollama list", ("--model", "gpt oss")),
    "kind": Case(2, "no kind of card called 'epic'", "bug, task", ("--agent", "epic")),
    "no such host": Case(2, "ftp:// is not a scheme", "http://", disorder=having("OLLAMA_HOST", "ftp://127.0.0.1")),
    "token refused": Case(
        3, "TRELLO_TOKEN is not valid", "https://trello.com/app-key", disorder=having("TRELLO_TOKEN", "wr0ng")
    ),
    "key refused": Case(
        3, "TRELLO_KEY is not valid", "app-key", disorder=refusing("GET", ".*", t.status(401, "invalid key"))
    ),
    "read-only board": Case(3, "may not do that on this board", "read,write", ("--board", "Le1tura0"), read_only),
    "Ollama not running": Case(
        4, "Ollama does not answer at 127.0.0.1:9", "ollama serve", disorder=having("OLLAMA_HOST", "127.0.0.1:9")
    ),
    "model not pulled": Case(
        4, "qwen3:8b is not on this machine", "ollama pull qwen3:8b", disorder=pulled(FakeModel(), "qwen3:8b")
    ),
    "model without tools": Case(
        4, "cannot call tools", "--mode plan", disorder=pulled(FakeModel("gemma3:4b", ("completion",)))
    ),
    "Trello down": Case(5, "500", "try again later", disorder=refusing("GET", ".*", t.status(500, "oops"))),
    "Trello not there": Case(
        5, "Trello cannot be reached", "network", disorder=having("TRELLO_API_URL", "http://127.0.0.1:9/1")
    ),
    "Trello answers a page": Case(
        5, "something on the way to Trello answered 403", "HTTPS_PROXY",
        disorder=refusing("GET", ".*", t.status(403, "<html>Acesso bloqueado</html>")),
    ),
    "Trello redirects": Case(
        5, "302", "", disorder=refusing("GET", ".*", t.status(302, "", Location="https://example.org/1"))
    ),
    "Trello elsewhere": Case(
        7, "TRELLO_API_URL is neither", "unset", disorder=having("TRELLO_API_URL", "https://api.trello.com.example.org/1")
    ),
    "Ollama elsewhere": Case(7, "OLLAMA_HOST is 8.8.8.8", "--allow-remote", disorder=having("OLLAMA_HOST", "8.8.8.8")),
    "model in the cloud": Case(
        7, "runs in Ollama's cloud", "--allow-remote", ("--model", "gpt-oss:120b-cloud")
    ),
    "model that is elsewhere": Case(
        7, "at https://ollama.com:443", "--allow-remote",
        disorder=pulled(FakeModel(remote_host="https://ollama.com:443", remote_model="gpt-oss:120b")),
    ),
}  # fmt: skip


@pytest.fixture
def world(trello, ollama, monkeypatch) -> World:
    """Everything in order; nobody waits for long."""
    monkeypatch.setattr(client, "PATIENCE", QUICK)
    ollama(writer(), formats=lambda asked, nth: say(plan()))
    return World(trello, ollama, monkeypatch)


@pytest.mark.parametrize("name", CASES)
def test_an_error_is_told_in_two_lines_and_touches_nothing(run, world, name):
    case = CASES[name]
    case.disorder(world)
    result = run(case.phrase, *case.flags)
    assert (result.code, result.out) == (case.exit, ""), result.err
    lines = result.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "hint"][: len(lines)]
    assert 1 <= len(lines) <= 2
    assert case.error in lines[0]
    assert case.hint in lines[-1]
    assert world.trello.cards == []
    assert [call for call in world.trello.calls if not call.startswith("GET")] == (
        ["POST /cards"] if name == "read-only board" else []
    )


ONE_OF_EACH = {
    "phrase too long",
    "list not found",
    "token refused",
    "model not pulled",
    "Trello down",
    "Ollama elsewhere",
}


def some(names: Iterable[Any], core: Container[Any]) -> list[Any]:
    """Leave the full matrix to the slow tests."""
    return [pytest.param(name, marks=() if name in core else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", some(CASES, ONE_OF_EACH))
def test_the_same_error_as_json_is_the_last_line_of_standard_error(run, world, name):
    case = CASES[name]
    case.disorder(world)
    result = run(case.phrase, *case.flags, "--json")
    told = json.loads(result.err.splitlines()[-1])
    assert (result.code, result.out) == (case.exit, "")
    assert set(told) == {"exit", "error", "hint"}
    assert told["exit"] == case.exit
    assert case.error in told["error"]
    assert case.hint in told["hint"] or case.hint in told["error"]


WRONG: dict[int, list[str]] = {
    2: ["due not understood", "board missing", "list not found", "kind"],
    3: ["token refused"],
    4: ["Ollama not running", "model not pulled"],
    5: ["Trello not there"],
    7: ["Ollama elsewhere", "Trello elsewhere", "model in the cloud"],
}
PAIRS = [(low, high) for a in WRONG for b in WRONG if a < b for low in WRONG[a] for high in WRONG[b]]
# Two that cannot be at once: a Trello that is not there refuses no token and has no lists.
NEEDS_TRELLO = {"list not found", "token refused"}  # and a name that is refused is not asked for
IMPOSSIBLE = {(low, high) for low in NEEDS_TRELLO for high in ("Trello not there", "Trello elsewhere")} | {
    ("Trello not there", "Trello elsewhere"),
    ("list not found", "token refused"),
    ("Ollama not running", "Ollama elsewhere"),
    ("Ollama not running", "model in the cloud"),
    ("model not pulled", "Ollama elsewhere"),
    ("model not pulled", "model in the cloud"),
}


SAMPLE = {
    ("due not understood", "Trello elsewhere"),
    ("list not found", "Ollama not running"),
    ("list not found", "model in the cloud"),
    ("token refused", "model not pulled"),
    ("model not pulled", "Trello not there"),
    ("model not pulled", "Trello elsewhere"),
    ("Trello not there", "Ollama elsewhere"),
}


@pytest.mark.parametrize("pair", some([pair for pair in PAIRS if pair not in IMPOSSIBLE], SAMPLE))
def test_of_two_things_wrong_the_lower_code_is_told(run, world, pair):
    low, high = pair
    for name in (low, high):
        CASES[name].disorder(world)
    result = run(PHRASE, *CASES[low].flags, *CASES[high].flags)
    assert result.code == CASES[low].exit, result.err
    assert CASES[low].error in result.err
    assert world.trello.cards == []
