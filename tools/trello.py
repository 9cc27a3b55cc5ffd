"""Trello's REST API v1: what a request needs, and when it is repeated.

* A POST has no idempotency: sent twice, it makes two. So it is repeated here only when it cannot have been applied
  (no connection, 429); otherwise ``AnswerLost`` tells the publisher to look first.
* 100 requests in 10 s a token; an answer 429 may lack Retry-After; more than 200 of them block the key. The window is
  kept by ``pace``, across processes, and a 429 makes all threads but one wait.
"""

from __future__ import annotations

import email.utils
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import requests

from tools.clock import Clock
from tools.errors import AnswerLost, NotThere, OutOfTime, TrelloUnavailable
from tools.wire import Access, Answer, NotSent, meaning, not_sent, open_session, seconds_until

WORKERS = 8  # writes in flight: with two probes after a 429, at most fifteen writes meet a Trello that refuses for good


@dataclass(frozen=True)
class Patience:
    """How long Trello is waited for, in seconds.

    Args:
        connect_s: For a connection.
        read_s: For the answer to a read, which can be asked for again.
        write_s: For the answer to a write, which cannot.
        pauses_s: Before each repetition of a request that failed, or whose answer was lost.
        busy_pauses_s: After each 429: the first gives way to Retry-After, the last outlasts Trello's window of 10 s.
        late_s: How long after it was sent a write without an answer may still be applied.
        twin_s: For a card of the same title that is still being made.
        twin_pause_s: Between two looks at it.
    """

    connect_s: float = 5.0
    read_s: float = 8.0
    write_s: float = 15.0
    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0)
    busy_pauses_s: tuple[float, ...] = (3.0, 10.0)
    late_s: float = 8.0
    twin_s: float = 30.0
    twin_pause_s: float = 2.0


PATIENCE = Patience()


class _Gate:
    """Lets requests pass together until one is told 429; then one at a time, until one passes or all are given up."""

    def __init__(self, pauses_s: tuple[float, ...]) -> None:
        self._pauses_s = pauses_s
        self._turn = threading.Lock()
        self._is_open = True
        self._given_up = False

    def pass_through(self, send: Callable[[], Answer], clock: Clock) -> Answer:
        asked_s = None
        if self._is_open:
            answer = send()
            if answer.status != 429:
                return answer
            self._is_open = False
            asked_s = answer.retry_after_s
        with self._turn:
            if not self._is_open:
                return self._probe(send, clock, asked_s)
        return self.pass_through(send, clock)

    def _probe(self, send: Callable[[], Answer], clock: Clock, asked_s: float | None) -> Answer:
        """Wait and try, alone; the last wait is never shorter than the window, whatever the server asks for."""
        for pause_s in () if self._given_up else self._pauses_s:
            last = pause_s == self._pauses_s[-1]
            clock.sleep(pause_s if asked_s is None else max(asked_s, pause_s) if last else asked_s)
            answer = send()
            if answer.status != 429:
                self._is_open = True
                return answer
            asked_s = answer.retry_after_s
        self._given_up = True
        raise TrelloUnavailable("Trello refuses more requests for now (429)", "try again in a minute")


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
        self._clock_offset_s: float | None = None
        self._session = open_session(access, WORKERS + 2)

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
        return time.time() + (self._clock_offset_s or 0.0)

    def sleep(self, seconds: float) -> None:
        """Wait between two requests; that the run's time ends meanwhile is Trello's failure."""
        try:
            self.clock.sleep(seconds)
        except OutOfTime as error:
            raise _out_of_time() from error

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """Read an object; repeated while that can help."""
        found: dict[str, Any] = self._repeat("GET", path, dict, query=query)
        return found

    def get_list(self, path: str, **query: str) -> list[dict[str, Any]]:
        """Read a list of objects; repeated while that can help."""
        return [item for item in self._repeat("GET", path, list, query=query) if isinstance(item, dict)]

    def put(self, path: str, body: Mapping[str, Any]) -> None:
        """Set values: to do so twice is the same as once, so it is repeated while that can help."""
        self._repeat("PUT", path, object, body=body)

    def delete(self, path: str) -> None:
        """Delete; that it is gone already, or turns out to be gone when no answer comes, is as good."""
        try:
            self._repeat("DELETE", path, object)
        except NotThere:
            return
        except TrelloUnavailable:
            try:
                self.get(path, fields="name")
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
                answer: dict[str, Any] = self._once("POST", path, dict, body=body)
            except NotSent as error:
                if pause_s is None:
                    raise error.failure() from error
                self.sleep(pause_s)
                continue
            if not isinstance(answer.get("id"), str):
                raise AnswerLost("Trello's answer to a write was not readable")
            return answer
        raise AssertionError("unreachable")

    def _repeat(self, method: str, path: str, shape: type, **sent: Any) -> Any:
        pauses_s = list(self.patience.pauses_s)
        while True:
            try:
                return self._once(method, path, shape, **sent)
            except NotSent as error:
                if not pauses_s:
                    raise error.failure() from error
                wait_s = None
            except AnswerLost as lost:
                if lost.silent:
                    del pauses_s[1:]
                if not pauses_s:
                    raise TrelloUnavailable(lost.what, lost.hint) from lost
                wait_s = lost.wait_s
            pause_s = pauses_s.pop(0)
            self.sleep(pause_s if wait_s is None else wait_s)

    def _once(self, method: str, path: str, shape: type, *, query: Any = None, body: Any = None) -> Any:
        """Send one request, wait through 429, and return the JSON of a good answer."""

        def send() -> Answer:
            self._pace(self.clock)
            self.clock.check()
            answer = self._exchange(method, path, query or {}, body)
            self._log(f"trello: {method} {path} -> {answer.status}")
            return answer

        try:
            return meaning(self._gate.pass_through(send, self.clock), method, shape)
        except OutOfTime as error:
            raise _out_of_time() from error

    def _exchange(self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None) -> Answer:
        """Send one request and read its whole answer within the limits."""
        is_read = method == "GET"
        answer_s = self.patience.read_s if is_read else self.patience.write_s

        def talk() -> Answer:
            with self._session.request(
                method,
                self.access.base_url + path,
                params=dict(query),
                json=dict(body) if body is not None else None,
                timeout=(self.patience.connect_s, answer_s),
                allow_redirects=False,
                stream=True,
            ) as response:
                self._note_date(response.headers.get("Date"))
                wait_s = seconds_until(response.headers.get("Retry-After"), self.now())
                body_read = self._without_secrets(response.content)
                return Answer(response.status_code, body_read, response.headers.get("Content-Type", ""), wait_s)

        try:
            return self.clock.wait_for(talk, at_most_s=self.patience.connect_s + answer_s, heed_stop=is_read)
        except OutOfTime as error:
            if is_read and self.clock.left_s() <= 0:
                raise
            raise AnswerLost("Trello does not answer", silent=True) from error
        except requests.exceptions.ReadTimeout as error:
            raise AnswerLost("Trello does not answer", silent=True) from error
        except requests.exceptions.ConnectionError as error:
            silent = "timed out" in str(error).lower()
            broken = AnswerLost("the connection to Trello broke", silent=silent, may_come_late=True)
            raise not_sent(error) or broken from error
        except requests.exceptions.RequestException as error:
            raise AnswerLost("Trello's answer broke off", may_come_late=True) from error

    def _without_secrets(self, body: bytes) -> bytes:
        """Return an answer without the credentials: one that repeats them is not to carry them into errors."""
        for secret in (self.access.key, self.access.token):
            body = body.replace(secret.encode(), b"...") if len(secret) >= 8 else body
        return body

    def _note_date(self, date: str | None) -> None:
        """Learn Trello's clock: a Date is cut to the second, so of several the latest is the nearest."""
        parsed = email.utils.parsedate_tz(date) if date else None
        if parsed:
            offset_s = email.utils.mktime_tz(parsed) - time.time()
            self._clock_offset_s = offset_s if self._clock_offset_s is None else max(self._clock_offset_s, offset_s)


def _out_of_time() -> TrelloUnavailable:
    return TrelloUnavailable("out of time while waiting for Trello", "give it more with --timeout")


def created_at(object_id: str) -> float:
    """Return when Trello made an object, in seconds since 1970: the first eight hex digits of its id."""
    return float(int(object_id[:8], 16)) if re.fullmatch(r"[0-9a-f]{24}", object_id) else 0.0
