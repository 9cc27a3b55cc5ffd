"""The sandbox as the tests' Trello: it records what it is asked, and its wire can be made to fail."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

from tools.sandbox import Handler, Request, Response, Sandbox

KEY, TOKEN = "0123456789abcdef0123456789abcdef", "ATTA" + "7" * 60
AUTH = {"Authorization": f'OAuth oauth_consumer_key="{KEY}", oauth_token="{TOKEN}"'}


class Kind(Enum):
    """How the wire fails; AFTER means that the request was applied first."""

    STATUS = auto()
    STATUS_AFTER = auto()
    RESET_BEFORE = auto()
    RESET_AFTER = auto()
    TRUNCATED = auto()
    SILENT = auto()
    SILENT_AFTER = auto()
    SLOW = auto()


@dataclass(frozen=True)
class Fault:
    kind: Kind
    status: int = 0
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


_BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
RESET_BEFORE, RESET_AFTER = Fault(Kind.RESET_BEFORE), Fault(Kind.RESET_AFTER)
TRUNCATED = Fault(Kind.TRUNCATED)
SILENT, SILENT_AFTER = Fault(Kind.SILENT), Fault(Kind.SILENT_AFTER)
HTML_502, HTML_502_AFTER = Fault(Kind.STATUS, 502, _BAD_GATEWAY), Fault(Kind.STATUS_AFTER, 502, _BAD_GATEWAY)


def status(code: int, body: str = "", **headers: str) -> Fault:
    """Refuse without applying; `Retry_After="1"` becomes the header `Retry-After`."""
    return Fault(Kind.STATUS, code, body, {name.replace("_", "-"): value for name, value in headers.items()})


def slow(seconds: float) -> Fault:
    """Apply and answer after a while, or when the server stops."""
    return Fault(Kind.SLOW, seconds=seconds)


FaultPlan = Callable[[str, str, dict[str, Any], int], Fault | None]


def on(method: str, path: str, *faults: Fault | None, repeat: bool = False) -> FaultPlan:
    """Give the first requests that match one fault each (None: none), with `repeat` the last one for ever."""
    pending, lock = list(faults), threading.Lock()

    def plan(verb: str, target: str, body: dict[str, Any], nth: int) -> Fault | None:
        with lock:
            if not pending or verb != method or not re.fullmatch(path, target):
                return None
            return pending[0] if repeat and len(pending) == 1 else pending.pop(0)

    return plan


def either(*plans: FaultPlan) -> FaultPlan:
    """Ask several plans, the first that has a fault wins."""

    def plan(*request: Any) -> Fault | None:
        return next((fault for ask in plans if (fault := ask(*request))), None)

    return plan


class Seen(NamedTuple):
    """A request that came in; `body` holds all its parameters, `status` is 0 where no answer left."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: dict[str, Any]
    status: int


class FaultyHandler(Handler):
    sandbox: TrelloServer

    def exchange(self, request: Request) -> None:
        entry = self.sandbox.note(request)
        refused = self.sandbox.refusal(request)
        fault = None if refused else self.sandbox.fault_for(request, entry)
        if fault is None:
            self._reply(entry, refused or self.sandbox.answer(request))
        else:
            _FAULTS[fault.kind](self, request, entry, fault)

    def _reply(self, entry: int, response: Response) -> None:
        self.sandbox.note_status(entry, response.status)
        self.send(response)

    def _status(self, request: Request, entry: int, fault: Fault) -> None:
        if fault.kind is Kind.STATUS_AFTER:
            self.sandbox.answer(request)
        kind = "text/html" if fault.body.startswith("<") else "text/plain"
        self._reply(entry, Response(fault.status, fault.body.encode(), kind, fault.headers))

    def _reset(self, request: Request, entry: int, fault: Fault) -> None:
        if fault.kind is Kind.RESET_AFTER:
            self.sandbox.answer(request)
        # Closing with a linger of zero sends RST in place of FIN; what is not closed here would still send FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for end in (self.wfile, self.rfile, self.connection):
            end.close()
        raise ConnectionAbortedError

    def _truncate(self, request: Request, entry: int, fault: Fault) -> None:
        response = self.sandbox.answer(request)
        self.sandbox.note_status(entry, response.status)
        self.send_response(response.status)
        self.send_header("Content-Type", response.kind)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body[: len(response.body) // 2])
        self.close_connection = True

    def _silence(self, request: Request, entry: int, fault: Fault) -> None:
        if fault.kind is Kind.SILENT_AFTER:
            self.sandbox.answer(request)
        self.server.closing.wait()
        self.close_connection = True

    def _delay(self, request: Request, entry: int, fault: Fault) -> None:
        if self.server.closing.wait(fault.seconds):
            self.close_connection = True
            return
        self._reply(entry, self.sandbox.answer(request))


_FAULTS: dict[Kind, Callable[[FaultyHandler, Request, int, Fault], None]] = {
    Kind.STATUS: FaultyHandler._status,
    Kind.STATUS_AFTER: FaultyHandler._status,
    Kind.RESET_BEFORE: FaultyHandler._reset,
    Kind.RESET_AFTER: FaultyHandler._reset,
    Kind.TRUNCATED: FaultyHandler._truncate,
    Kind.SILENT: FaultyHandler._silence,
    Kind.SILENT_AFTER: FaultyHandler._silence,
    Kind.SLOW: FaultyHandler._delay,
}


class TrelloServer(Sandbox):
    """The sandbox for tests: no page, no rate, addresses like Trello's, unless told otherwise.

    `fault` is asked for each request that was let in: (method, path after /1, parameters, how many came before and
    with it) -> Fault or None.
    """

    handler = FaultyHandler

    def __init__(self, directory: Path, *, fault: FaultPlan | None = None, **settings: Any) -> None:
        defaults: dict[str, Any] = {
            "rate": False,
            "page": False,
            "url_for": lambda short_link: f"https://trello.com/c/{short_link}",
        }
        super().__init__(directory, **(defaults | settings))
        self.fault = fault
        self._seen: list[Seen] = []
        self._seen_lock = threading.Lock()

    @property
    def requests(self) -> list[Seen]:
        """Every request this server saw, in order of arrival."""
        with self._seen_lock:
            return list(self._seen)

    @property
    def calls(self) -> list[str]:
        """The same, as `POST /cards`."""
        return [f"{seen.method} {seen.path}" for seen in self.requests]

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The cards as they are now, archived ones too."""
        return self.snapshot()["cards"]

    def note(self, request: Request) -> int:
        with self._seen_lock:
            seen = Seen(request.method, request.path, request.query, dict(request.headers), request.params, 0)
            self._seen.append(seen)
            return len(self._seen) - 1

    def note_status(self, entry: int, code: int) -> None:
        with self._seen_lock:
            self._seen[entry] = self._seen[entry]._replace(status=code)

    def fault_for(self, request: Request, entry: int) -> Fault | None:
        return self.fault(request.method, request.path, request.params, entry + 1) if self.fault else None

    def clear(self) -> None:
        """Forget the requests seen so far, and fail no more."""
        with self._seen_lock:
            self._seen.clear()
        self.fault = None

    def add_board(self, name: str, *, closed: bool = False, read_only: bool = False, short_link: str = "") -> str:
        with self.store.transaction() as session:
            return session.add_board(name, short_link=short_link, closed=closed, read_only=read_only)

    def add_list(self, board_id: str, name: str, *, closed: bool = False) -> str:
        with self.store.transaction() as session:
            return session.add_list(board_id, name, closed=closed)

    def close_list(self, list_id: str, *, closed: bool = True) -> None:
        with self.store.transaction() as session:
            session.run("UPDATE lists SET closed = ? WHERE id = ?", closed, list_id)

    def close_board(self, board_id: str, *, closed: bool = True) -> None:
        with self.store.transaction() as session:
            session.run("UPDATE boards SET closed = ? WHERE id = ?", closed, board_id)

    def list_id(self, name: str, board_id: str = "") -> str:
        """The id of a list by its name, on the board that every store has unless another is given."""
        board_id = board_id or self.board_id
        return next(
            str(row["id"]) for row in self.snapshot()["lists"] if row["name"] == name and row["idBoard"] == board_id
        )

    def request(self, method: str, path: str, **params: Any) -> Any:
        """Do what a person would, past the wire: nothing is recorded, nothing fails but by Trello's rules."""
        response = self.answer(Request(method, f"/1{path}", path, {}, {}, params))
        if response.status != 200:
            raise AssertionError(f"{method} {path}: {response.status} {response.body.decode()}")
        return json.loads(response.body)
