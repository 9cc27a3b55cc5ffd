"""A client that says to a sandbox what it is told, and a clock that stands still."""

from __future__ import annotations

from typing import Any

import requests

from tests.trello_server import AUTH
from tools.sandbox import Sandbox

NOW = 1_800_000_000.25


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


class Wire:
    """A session on a server: what is said by it is what a client would say."""

    def __init__(self, server: Sandbox) -> None:
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers.update(AUTH)

    def ask(self, method: str, path: str, **kwargs: Any) -> requests.Response:
        return self.session.request(method, self.server.base_url + path, timeout=5, **kwargs)

    def __call__(self, method: str, path: str, **body: Any) -> Any:
        answer = self.ask(method, path, **({"params": body} if method == "GET" else {"json": body}))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def card(self, name: str = "Cartão", **more: Any) -> dict[str, Any]:
        made: dict[str, Any] = self("POST", "/cards", **({"idList": first_list(self.server), "name": name} | more))
        return made


def first_list(server: Sandbox) -> str:
    return str(server.snapshot()["lists"][0]["id"])
