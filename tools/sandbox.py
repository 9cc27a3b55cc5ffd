"""A Trello of one's own on this machine: the REST API that the product uses, served on loopback, kept in a directory.

The client drives it over HTTP like the other one. Several processes may serve one directory at once; each has its own
port for the length of its run, and what it keeps is the same for all.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta, timezone, tzinfo
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

from tools.loopback import LoopbackServer
from tools.sandbox_api import dispatch
from tools.sandbox_call import ApiError
from tools.sandbox_store import Row, Store

URL_LIMIT = 8192
BODY_LIMIT = 1 << 20
RATE_REQUESTS, RATE_WINDOW_S = 100, 10.0
BRASILIA = timezone(timedelta(hours=-3))

_OAUTH = re.compile(r'OAuth\s+oauth_consumer_key="([^"]*)"\s*,\s*oauth_token="([^"]*)"')
_RATE_BODY = '{"error":"API_TOKEN_LIMIT_EXCEEDED","message":"Rate limit exceeded"}'
_PLAIN, _JSON, _HTML = "text/plain; charset=utf-8", "application/json; charset=utf-8", "text/html; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """One request as it came in: `path` is what follows `/1`, `headers` are named `Like-This`."""

    method: str
    target: str
    path: str
    headers: Mapping[str, str]
    query: dict[str, str] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Response:
    """One answer, whole."""

    status: int
    body: bytes
    kind: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)


class Handler(BaseHTTPRequestHandler):
    """One connection of a client; `exchange` is one request on it."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # the header and the body leave in one write
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        """Read one request, whatever its method, and answer it."""
        self.sandbox = self.server.sandbox
        try:
            request = self._read()
        except ApiError as error:
            self.close_connection = True
            self.send(_plain(error.status, str(error)))
            return
        try:
            self.exchange(request)
        except sqlite3.Error as error:
            if not self.server.closing.is_set():  # a full disk, a file that is no store
                self.send(_plain(500, f"the sandbox's store failed: {error}"))

    do_POST = do_PUT = do_DELETE = do_GET

    def exchange(self, request: Request) -> None:
        """Answer one request: what tests override to make the wire fail."""
        self.send(self.sandbox.refusal(request) or self.sandbox.answer(request))

    def send(self, response: Response) -> None:
        """Put an answer on the wire."""
        self.send_response(response.status)
        headers = {"Content-Type": response.kind, "Content-Length": str(len(response.body)), **response.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(response.body)

    def _read(self) -> Request:
        """Return the request on the wire, its body read to the end so that the next one can follow."""
        # A page in a browser that has its own name point at 127.0.0.1 is no client of ours.
        if self.headers.get("Host", "").partition(":")[0] not in ("127.0.0.1", "localhost"):
            raise ApiError(403, "not a name of this server")
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch(r"[0-9]{1,12}", length) or "Transfer-Encoding" in self.headers:
            raise ApiError(411, "length required")
        if int(length) > BODY_LIMIT:
            raise ApiError(413, "request entity too large")
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # half a form would still be a form
            raise ConnectionAbortedError
        target, _, asked = self.path.partition("?")
        if not target.startswith("/1/"):
            raise ApiError(404, f"Cannot {self.command} {target}")
        query = dict(parse_qsl(asked, keep_blank_values=True))
        params = query | _body_params(self.headers.get("Content-Type", ""), body)
        path = unquote(target.removeprefix("/1"))
        headers = {name.title(): value for name, value in self.headers.items()}
        return Request(self.command, self.path, path, headers, query, params, body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the `Date` header by the sandbox's clock."""
        return formatdate(self.server.sandbox.clock() if timestamp is None else timestamp, usegmt=True)

    def version_string(self) -> str:
        """Return the `Server` header."""
        return "sandbox"

    def log_message(self, *args: object) -> None:
        """Say nothing: standard error is the command's."""


class _Server(LoopbackServer):
    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        super().__init__(sandbox.handler)


class Sandbox:
    """The server and its store, for the length of a `with` block.

    Args:
        directory: Where the store and the page are kept; for its owner only.
        clock: The time in seconds since 1970, which ids, dates and the `Date` header show.
        rate: Whether Trello's limit of 100 requests in 10 s for a token holds.
        page: Whether the page is written at the end of the block.
        url_for: Gives the address of a card for its short link; by default its place in the page.
        credentials: The key and token that are let in; by default any that are not empty.
        zone: The zone that the page shows due dates in.
    """

    handler: type[Handler] = Handler

    def __init__(
        self,
        directory: Path,
        *,
        clock: Callable[[], float] = time.time,
        rate: bool = True,
        page: bool = True,
        url_for: Callable[[str], str] | None = None,
        credentials: tuple[str, str] | None = None,
        zone: tzinfo = BRASILIA,
    ) -> None:
        """Keep what was given; nothing is opened before the block is entered."""
        self.directory = directory.absolute()
        self.clock = clock
        self.rate = rate
        self.page = page
        self.url_for = url_for or self.card_url
        self.credentials = credentials
        self.zone = zone
        self.page_path = self.directory / "board.html"

    def __enter__(self) -> Self:
        """Open the store and serve it."""
        self.store = Store(self.directory, self.clock)
        self._server = _Server(self)
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving, write the page and close the store."""
        self._server.stop()
        try:
            if self.page:
                self.write_page()
        finally:
            self.store.close()

    @property
    def base_url(self) -> str:
        """What the client takes for `https://api.trello.com/1`."""
        return f"{self._server.address}/1"

    @property
    def board_id(self) -> str:
        """The id of the board that every store has."""
        with self.store.transaction() as session:
            return str(session.rows("SELECT id FROM boards WHERE shortLink = 'sandbox'")[0]["id"])

    def card_url(self, short_link: str) -> str:
        """Return the place in the page of a card."""
        return f"{self.page_path.as_uri()}#{short_link}"

    def snapshot(self) -> dict[str, list[Row]]:
        """Return all that is kept: `boards`, `lists`, and `cards` with `checklists` and `checkItems`, each in order."""
        with self.store.transaction() as session:
            return session.snapshot()

    def write_page(self) -> Path:
        """Write the page that shows the board, in one step, and return its path."""
        from tools.board_page import render, replace  # the Markdown parser is slow to import, and most need no page

        # Inside the transaction, so that of two processes the one that saw less cannot write last.
        with self.store.transaction() as session:
            replace(self.page_path, render(session.snapshot(), self.zone))
        return self.page_path

    def refusal(self, request: Request) -> Response | None:
        """Return the answer to a request that may not come in, or None."""
        if len(request.target) > URL_LIMIT:
            return Response(414, b"<html><h1>414 Request-URI Too Large</h1></html>", _HTML)
        if request.method == "GET" and request.body:
            return Response(403, b"<html><h1>403 ERROR</h1>The request could not be satisfied.</html>", _HTML)
        key, token = _credentials(request.headers.get("Authorization", ""))
        wanted_key, wanted_token = self.credentials or (key, token)
        if not key or key != wanted_key:
            return _plain(401, "invalid key")
        if not token or token != wanted_token:
            return _plain(401, "invalid token")
        if self.rate and not self._admitted(token):
            return Response(429, _RATE_BODY.encode())
        return None

    def answer(self, request: Request) -> Response:
        """Apply a request that was let in and return the answer."""
        try:
            with self.store.transaction() as session:
                found = dispatch(session, request.method, request.path, request.params, self.url_for)
        except ApiError as error:
            return _plain(error.status, str(error))
        return Response(200, json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode())

    def _admitted(self, token: str) -> bool:
        """Count a request of a token, unless it is one too many; the token itself is not kept."""
        owner = hashlib.sha256(token.encode()).hexdigest()[:16]
        with self.store.transaction() as session:
            session.run("DELETE FROM hits WHERE at <= ?", session.now - RATE_WINDOW_S)
            count = session.rows("SELECT count(*) AS n FROM hits WHERE token = ?", owner)[0]["n"]
            if count < RATE_REQUESTS:
                session.run("INSERT INTO hits VALUES (?, ?)", owner, session.now)
            return bool(count < RATE_REQUESTS)


def _credentials(header: str) -> tuple[str, str]:
    """Return the key and the token of an Authorization header, empty where there is none."""
    found = _OAUTH.fullmatch(header.strip())
    return (found[1], found[2]) if found else ("", "")


def _body_params(kind: str, body: bytes) -> dict[str, Any]:
    """Return the parameters in a body: a JSON object, or a form."""
    if not body:
        return {}
    try:
        if "json" not in kind:
            return dict(parse_qsl(body.decode(), keep_blank_values=True))
        params = json.loads(body)
    except (ValueError, RecursionError):
        raise ApiError(400, "Error parsing body") from None
    if not isinstance(params, dict):
        raise ApiError(400, "Error parsing body")
    return params


def _plain(status: int, text: str) -> Response:
    return Response(status, text.encode(), _PLAIN)
