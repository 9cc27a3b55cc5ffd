"""Trello's REST API v1 over HTTP, and nothing else: what a request needs, when it is repeated, what an error means.

Facts this stands on (Trello REST v1 as documented and measured):

* Key and token go into the Authorization header only. In the query they would be in the text of every error that
  requests raises. ``~/.netrc`` would override the header, so the session trusts no environment.
* A POST has no idempotency: sent twice, it makes two. So it is repeated here only when it cannot have been applied
  (no connection, 429); otherwise ``AnswerLost`` tells the publisher to look first.
* 100 requests in 10 s a token; an answer 429 may lack Retry-After; more than 200 of them block the key. The window is
  kept by ``pace``, across processes, and a 429 makes all threads but one wait.
* A text in a url costs up to 6 characters a letter and 414 comes at 8 KB: text goes in a JSON body.
"""

from __future__ import annotations

import email.utils
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import NewConnectionError

from tools.addresses import is_loopback
from tools.clock import Clock
from tools.errors import (
    TRELLO_LATER,
    AnswerLost,
    CredentialsRefused,
    OutOfTime,
    TrelloRejected,
    TrelloUnavailable,
    UsageFailure,
)
from tools.text import one_line

WORKERS = 8  # writes in flight: with two probes after a 429, at most fifteen writes meet a Trello that refuses for good
_RETRY_AFTER_MAX_S = 60.0
_REFUSED_HINT = "see what it says of the board, or try again with -v for each request"


@dataclass(frozen=True)
class Access:
    """How Trello is reached.

    Args:
        base_url: Such as ``https://api.trello.com/1``.
        key: API key.
        token: API token.
        proxy: Proxy url for https, empty for none.
        ca_bundle: Path of a certificate bundle, empty for the default.
    """

    base_url: str
    key: str
    token: str
    proxy: str = ""
    ca_bundle: str = ""

    def __repr__(self) -> str:
        """Show where, and not with what: a repr ends up in logs."""
        return f"Access({self.base_url!r})"


@dataclass(frozen=True)
class Patience:
    """How long Trello is waited for, in seconds.

    Args:
        connect_s: For a connection.
        answer_s: For the next bytes of an answer.
        pauses_s: Before each repetition of a request that failed, or whose answer was lost.
        busy_pauses_s: After a 429 with no Retry-After: together longer than Trello's window of 10 s.
        twin_s: For a card of the same title that is still being made.
        twin_pause_s: Between two looks at it.
    """

    connect_s: float = 5.0
    answer_s: float = 8.0
    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0)
    busy_pauses_s: tuple[float, ...] = (3.0, 10.0)
    twin_s: float = 30.0
    twin_pause_s: float = 2.0


PATIENCE = Patience()


class _Header(requests.auth.AuthBase):
    """Puts the credentials where only Trello sees them."""

    def __init__(self, access: Access) -> None:
        self._value = f'OAuth oauth_consumer_key="{access.key}", oauth_token="{access.token}"'

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._value
        return request


class _Gate:
    """Lets requests pass together until one is told 429; then one at a time, until one passes."""

    def __init__(self, pauses_s: tuple[float, ...]) -> None:
        self._pauses_s = pauses_s
        self._turn = threading.Lock()
        self._closed = False
        self._refused = 0

    def pass_through(self, send: Callable[[], _Answer], clock: Clock) -> _Answer:
        if not self._closed:
            answer = send()
            if answer.status != 429:
                return answer
            self._closed = True
            wait = answer.retry_after_s
        else:
            wait = None
        with self._turn:
            while self._closed and self._refused < len(self._pauses_s):
                clock.sleep(self._pauses_s[self._refused] if wait is None else wait)
                answer = send()
                if answer.status != 429:
                    self._closed, self._refused = False, 0
                    return answer
                self._refused += 1
                wait = answer.retry_after_s
            if self._closed:
                raise TrelloUnavailable(
                    "Trello refuses more requests for now (429)", "try again in a minute: nothing is made twice"
                )
        return self.pass_through(send, clock)


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes
    content_type: str
    retry_after_s: float | None

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def is_page(self) -> bool:
        return "html" in self.content_type or self.text.lstrip().startswith("<")


class TrelloClient:
    """The requests the program makes, with their repetitions and errors.

    Args:
        access: Where Trello is, and the credentials.
        clock: The run's limit; no request outlives it.
        pace: Called before each request; waits until one more is allowed in the window.
        log: Gets one line a request, without secrets.
        patience: How long to wait for what.
    """

    def __init__(
        self,
        access: Access,
        clock: Clock,
        *,
        pace: Callable[[Clock], None] = lambda clock: None,
        log: Callable[[str], None] = lambda line: None,
        patience: Patience | None = None,
    ) -> None:
        self.access = access
        self.clock = clock
        self._pace, self._log, self.patience = pace, log, patience or PATIENCE
        self._gate = _Gate(self.patience.busy_pauses_s)
        self._clock_offset_s = 0.0
        self._session = _session(access)

    def with_clock(self, clock: Clock) -> TrelloClient:
        """Return the same client under another limit: for removing what was made after time or patience ran out."""
        other = TrelloClient(self.access, clock, pace=self._pace, log=self._log, patience=self.patience)
        other._session, other._clock_offset_s = self._session, self._clock_offset_s
        return other

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def now(self) -> float:
        """Return the time by Trello's clock, in seconds since 1970: what the ids it gives are made of."""
        return time.time() + self._clock_offset_s

    def sleep(self, seconds: float) -> None:
        """Wait between two requests; that the run's time ends meanwhile is Trello's failure."""
        try:
            self.clock.sleep(seconds)
        except OutOfTime as error:
            raise _out_of_time() from error

    def get(self, path: str, **query: str) -> Any:
        """Read; repeated while that can help."""
        return self._repeat("GET", path, query=query)

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        """Set values: to do so twice is the same as once, so it is repeated while that can help."""
        return self._repeat("PUT", path, body=body)

    def delete(self, path: str) -> None:
        """Delete; that it is gone already, or turns out to be gone when no answer comes, is as good."""
        try:
            self._repeat("DELETE", path)
        except NotThere:
            return
        except TrelloUnavailable:
            try:
                self.get(path, fields="id")
            except NotThere:
                return
            raise

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make something, once.

        Raises:
            AnswerLost: It may have been applied: look before sending it again.
            TrelloUnavailable: It was not applied, and Trello cannot be reached.
            TrelloRejected, CredentialsRefused: Trello will not do it.
        """
        for pause_s in (*self.patience.pauses_s, None):
            try:
                answer = self._once("POST", path, body=body)
            except _NotSent as error:
                if pause_s is None:
                    raise error.failure() from error
                self.sleep(pause_s)
                continue
            if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
                raise AnswerLost("Trello's answer to a write was not readable")
            return answer
        raise AssertionError("unreachable")

    def _repeat(self, method: str, path: str, **kwargs: Any) -> Any:
        for pause_s in (*self.patience.pauses_s, None):
            try:
                return self._once(method, path, **kwargs)
            except (_NotSent, AnswerLost) as error:
                if pause_s is None:
                    raise (
                        error.failure() if isinstance(error, _NotSent) else TrelloUnavailable(error.what, TRELLO_LATER)
                    ) from error
                wait_s = error.wait_s if isinstance(error, AnswerLost) and error.wait_s is not None else pause_s
                self.sleep(wait_s)
        raise AssertionError("unreachable")

    def _once(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
    ) -> Any:
        """Send one request, wait through 429, and return the JSON of a good answer."""

        def send() -> _Answer:
            self._pace(self.clock)
            self.clock.check()
            answer = self._exchange(method, path, query or {}, body)
            self._log(f"trello: {method} {path} -> {answer.status}")
            return answer

        try:
            return _read(self._gate.pass_through(send, self.clock), method)
        except OutOfTime as error:
            raise _out_of_time() from error

    def _exchange(self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None) -> _Answer:
        """Send one request and read its whole answer within the limits."""

        def talk() -> _Answer:
            with self._session.request(
                method,
                self.access.base_url + path,
                params=dict(query),
                json=dict(body) if body is not None else None,
                timeout=(self.patience.connect_s, self.patience.answer_s),
                allow_redirects=False,
                stream=True,
            ) as response:
                self._note_date(response.headers.get("Date"))
                return _Answer(
                    response.status_code,
                    self._without_secrets(response.content),
                    response.headers.get("Content-Type", ""),
                    _retry_after_s(response.headers.get("Retry-After")),
                )

        try:
            at_most_s = self.patience.connect_s + self.patience.answer_s
            return self.clock.wait_for(talk, at_most_s=at_most_s, heed_stop=method == "GET")
        except OutOfTime as error:
            if method == "GET" and self.clock.left_s() <= 0:
                raise
            raise AnswerLost("Trello does not answer") from error
        except requests.exceptions.ConnectionError as error:
            raise _not_sent(error) or AnswerLost("the connection to Trello broke") from error
        except requests.exceptions.RequestException as error:
            raise AnswerLost("Trello's answer broke off") from error

    def _without_secrets(self, body: bytes) -> bytes:
        """Return an answer without the credentials: one that repeats them is not to carry them into errors."""
        for secret in (self.access.key, self.access.token):
            body = body.replace(secret.encode(), b"...") if len(secret) >= 8 else body
        return body

    def _note_date(self, date: str | None) -> None:
        parsed = email.utils.parsedate_tz(date) if date else None
        if parsed:
            self._clock_offset_s = email.utils.mktime_tz(parsed) - time.time()


def _out_of_time() -> TrelloUnavailable:
    return TrelloUnavailable("out of time while waiting for Trello", "give it more with --timeout")


class NotThere(UsageFailure):
    """Trello knows no such thing (404, or an id that cannot be one)."""


class _NotSent(Exception):
    """No connection was made: the request cannot have been applied."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.hint = hint

    def failure(self) -> TrelloUnavailable:
        return TrelloUnavailable(str(self), self.hint)


def _session(access: Access) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.auth = _Header(access)
    session.headers.update({"User-Agent": "agentic", "Accept": "application/json"})
    session.mount("http://", HTTPAdapter(pool_connections=1, pool_maxsize=WORKERS + 2))
    session.mount("https://", HTTPAdapter(pool_connections=1, pool_maxsize=WORKERS + 2))
    if access.proxy and not is_loopback(access.base_url):
        session.proxies = {"https": access.proxy}
    if access.ca_bundle:
        session.verify = access.ca_bundle
    return session


def _not_sent(error: requests.exceptions.ConnectionError) -> _NotSent | None:
    """Return what to tell of a connection that failed before anything was sent; None when something may have been.

    A fault of TLS is the latter: a server that cuts an encrypted connection instead of answering shows as one. Only a
    certificate that is not trusted comes before the request for sure.
    """
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(error, requests.exceptions.ProxyError):
        return _NotSent("the proxy on the way to Trello does not let it through", "check HTTPS_PROXY, or unset it")
    if isinstance(error, requests.exceptions.SSLError):
        cause = reason.args[0] if isinstance(reason, Exception) and reason.args else None
        if not isinstance(cause, ssl.SSLCertVerificationError):
            return None
        return _NotSent("Trello's certificate is not trusted", "set REQUESTS_CA_BUNDLE to your network's certificates")
    if isinstance(error, requests.exceptions.ConnectTimeout) or isinstance(reason, NewConnectionError):
        return _NotSent("Trello cannot be reached", "check the network, or try again later: nothing is made twice")
    return None


def _retry_after_s(value: str | None) -> float | None:
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        parsed = email.utils.parsedate_tz(value)
        seconds = email.utils.mktime_tz(parsed) - time.time() if parsed else -1.0
    return min(seconds, _RETRY_AFTER_MAX_S) if seconds >= 0 else None


def _read(answer: _Answer, method: str) -> Any:
    """Return the JSON of a good answer, or raise what the status means."""
    status = answer.status
    if 200 <= status < 300:
        try:
            return json.loads(answer.body) if answer.body else None
        except ValueError as error:
            raise AnswerLost("Trello's answer was cut short") from error
    if status in (401, 403) and not answer.is_page:
        raise _refused(answer)
    if (status == 404 and not answer.is_page) or (status == 400 and "invalid id" in answer.text.lower()):
        raise NotThere("Trello does not find it", "check the board's url, and that the token may see it")
    if status >= 500 or status in (408, 429):
        raise AnswerLost(f"Trello answered {status}", answer.retry_after_s if status == 503 else None)
    if answer.is_page:  # Trello's refusals are texts: this is a proxy's, a firewall's or a hotel's
        hint = "check the network and HTTPS_PROXY; in a browser, https://api.trello.com/1 must open"
        raise TrelloRejected(f"something on the way to Trello answered {status} with a web page", hint)
    raise TrelloRejected(f"Trello refused a request ({method}, {status}): {_message(answer)}", _REFUSED_HINT)


def _refused(answer: _Answer) -> CredentialsRefused:
    if "permission" in answer.text.lower() or answer.status == 403:
        return CredentialsRefused(
            "Trello: this token may not do that on this board",
            "use a board you can edit, or a token with the scope read,write (https://trello.com/app-key)",
        )
    which = "TRELLO_KEY" if "key" in answer.text.lower() else "TRELLO_TOKEN"
    return CredentialsRefused(
        f"Trello refused the credentials: {which} is not valid",
        "get key and token at https://trello.com/app-key and set TRELLO_KEY and TRELLO_TOKEN",
    )


def _message(answer: _Answer) -> str:
    """Return the reason an answer gives, short and clean."""
    try:
        data = json.loads(answer.body)
        text = data.get("message") or data.get("error") if isinstance(data, dict) else answer.text
    except ValueError:
        text = answer.text
    return one_line(str(text))[:200] or "no reason given"


def created_at(object_id: str) -> float:
    """Return when Trello made an object, in seconds since 1970: the first eight hex digits of its id."""
    return float(int(object_id[:8], 16)) if re.fullmatch(r"[0-9a-f]{24}", object_id) else 0.0
