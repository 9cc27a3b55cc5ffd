"""What the tests share: the command run in this process, a Trello and an Ollama on loopback, a home of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import agentic
from tests.ollama_server import FakeModel, ScriptedOllama
from tests.trello_server import TrelloServer
from tools.settings import VARIABLES
from tools.trello import Patience

KEY, TOKEN = "k3y0000000000000000000000000feed", "ATTAt0ken00000000000000000000000000000000000000000000beef"


QUICK = Patience(
    connect_s=0.5,
    read_s=0.3,
    write_s=0.3,
    pauses_s=(0.02, 0.02, 0.02),
    busy_pauses_s=(0.05, 0.1),
    late_s=0.3,
    twin_s=0.3,
    twin_pause_s=0.05,
)  # nothing is waited for longer than a test must


@dataclass
class Result:
    """One run of the command: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.out)
        return data


Agentic = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, an empty working directory, and none of the user's variables."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")  # nothing listens there
    return tmp_path


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Agentic:
    """Run the command in this process."""

    def command(*arguments: str) -> Result:
        capsys.readouterr()
        try:
            code = agentic.main(arguments)
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        captured = capsys.readouterr()
        return Result(int(code), captured.out, captured.err)

    return command


@pytest.fixture
def trello(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrelloServer]:
    """A Trello over HTTP, with credentials, board and list in the environment."""
    server = TrelloServer(home / "trello", credentials=(KEY, TOKEN))
    with server:
        board_id = server.add_board("Minha equipe", short_link="AbCd1234")
        for name in ("A fazer", "Em progresso", "Concluído"):
            server.add_list(board_id, name)
        monkeypatch.setenv("TRELLO_API_URL", server.base_url)
        monkeypatch.setenv("TRELLO_KEY", KEY)
        monkeypatch.setenv("TRELLO_TOKEN", TOKEN)
        monkeypatch.setenv("DEFAULT_BOARD", "https://trello.com/b/AbCd1234/minha-equipe")
        monkeypatch.setenv("DEFAULT_LIST", "Em progresso")
        server.clear()
        yield server


@pytest.fixture
def ollama(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedOllama]]:
    """Start an Ollama that follows a script."""
    running: list[ScriptedOllama] = []

    def start(script: Any, *, model: FakeModel | None = None, **more: Any) -> ScriptedOllama:
        model = model or FakeModel()
        server = ScriptedOllama(script, models=[model], **more)
        running.append(server.__enter__())
        monkeypatch.setenv("OLLAMA_HOST", server.host)
        monkeypatch.setenv("OLLAMA_MODEL", model.name)
        return server

    yield start
    for server in running:
        server.__exit__(None, None, None)
