"""One request to Trello: how it is sent, and what its answer means.

Facts this stands on (Trello REST v1 as documented and measured):

* Key and token go into the Authorization header only. In the query they would be in the text of every error that
  requests raises. ``~/.netrc`` would override the header, so the session trusts no environment.
* A text in a url costs up to 6 characters a letter and 414 comes at 8 KB: text goes in a JSON body.
* Trello's refusals are plain text or JSON; a web page comes from something on the way.
"""

from __future__ import annotations

import email.utils
import json
import ssl
from dataclasses import dataclass
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import NewConnectionError

from tools.addresses import is_loopback
from tools.errors import AnswerLost, CredentialsRefused, NotThere, TrelloRejected, TrelloUnavailable
from tools.text import one_line

_RETRY_AFTER_MAX_S = 60.0


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


class _Header(requests.auth.AuthBase):
    """Puts the credentials where only Trello sees them."""

    def __init__(self, access: Access) -> None:
        self._value = f'OAuth oauth_consumer_key="{access.key}", oauth_token="{access.token}"'

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._value
        return request


def open_session(access: Access, connections: int) -> requests.Session:
    """Return a session with one pool of connections, which nothing in the environment changes."""
    session = requests.Session()
    session.trust_env = False
    session.auth = _Header(access)
    session.headers.update({"User-Agent": "agentic", "Accept": "application/json"})
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=connections))
    if access.proxy and not is_loopback(access.base_url):
        session.proxies = {"https": access.proxy}
    if access.ca_bundle:
        session.verify = access.ca_bundle
    return session


@dataclass(frozen=True)
class Answer:
    """An answer, read to its end."""

    status: int
    body: bytes
    content_type: str
    retry_after_s: float | None

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def is_page(self) -> bool:
        """Whether it is a web page: not Trello's own."""
        return "html" in self.content_type or self.text.lstrip().startswith("<")


class NotSent(Exception):
    """No connection was made: the request cannot have been applied."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.hint = hint

    def failure(self) -> TrelloUnavailable:
        """Return what to tell when it stays so."""
        return TrelloUnavailable(str(self), self.hint)


def not_sent(error: requests.exceptions.ConnectionError) -> NotSent | None:
    """Return what to tell of a connection that failed before anything was sent; None when something may have been.

    A fault of TLS is the latter: a server that cuts an encrypted connection instead of answering shows as one. Only a
    certificate that is not trusted comes before the request for sure.
    """
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(error, requests.exceptions.ProxyError):
        return NotSent("the proxy on the way to Trello does not let it through", "check HTTPS_PROXY, or unset it")
    if isinstance(error, requests.exceptions.SSLError):
        cause = reason.args[0] if isinstance(reason, Exception) and reason.args else None
        if not isinstance(cause, ssl.SSLCertVerificationError):
            return None
        return NotSent("Trello's certificate is not trusted", "set REQUESTS_CA_BUNDLE to your network's certificates")
    if isinstance(error, requests.exceptions.ConnectTimeout) or isinstance(reason, NewConnectionError):
        return NotSent("Trello cannot be reached", "check the network, or try again later: nothing is made twice")
    return None


def seconds_until(value: str | None, now: float) -> float | None:
    """Return the seconds that a Retry-After asks to wait, a minute at most; None when it says nothing usable.

    Args:
        value: The header: seconds, or a date.
        now: By the server's clock.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        parsed = email.utils.parsedate_tz(value)
        seconds = email.utils.mktime_tz(parsed) - now if parsed else -1.0
    return min(seconds, _RETRY_AFTER_MAX_S) if seconds >= 0 else None


def meaning(answer: Answer, method: str, shape: type) -> Any:
    """Return the JSON of a good answer, or raise what the status means.

    Args:
        answer: As it came.
        method: What was asked for: a 404 means that a thing is not there, or that a write cannot be made.
        shape: What the JSON must be.
    """
    status = answer.status
    if 200 <= status < 300:
        return _json(answer, shape)
    if answer.is_page:
        hint = "check the network and HTTPS_PROXY; in a browser, https://api.trello.com/1 must open"
        raise AnswerLost(f"something on the way to Trello answered {status} with a web page", hint)
    if status in (401, 403):
        raise _refused(answer)
    if status == 404 or (status == 400 and "invalid id" in answer.text.lower()):
        if method in ("GET", "DELETE"):
            raise NotThere("Trello does not find it", "check the board's url, and that the token may see it")
        raise TrelloRejected("Trello does not find what is to be written to", "the list or the card is gone: try again")
    if status >= 500 or status in (408, 409, 423, 425, 429):
        raise AnswerLost(f"Trello answered {status}", wait_s=answer.retry_after_s if status == 503 else None)
    raise TrelloRejected(f"Trello refused a request ({method}, {status}): {_reason(answer)}", _REFUSED_HINT)


def _json(answer: Answer, shape: type) -> Any:
    try:
        data = json.loads(answer.body) if answer.body else None
    except ValueError as error:
        raise AnswerLost("Trello's answer was cut short", may_come_late=True) from error
    if not isinstance(data, shape):
        raise AnswerLost("Trello's answer was not readable")
    return data


def _refused(answer: Answer) -> CredentialsRefused:
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


def _reason(answer: Answer) -> str:
    """Return the reason an answer gives, short and clean."""
    try:
        data = json.loads(answer.body)
        text = data.get("message") or data.get("error") if isinstance(data, dict) else answer.text
    except ValueError:
        text = answer.text
    return one_line(str(text))[:200] or "no reason given"


_REFUSED_HINT = "see what it says of the board, or try again with -v for each request"
