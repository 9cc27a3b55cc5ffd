"""The client alone: what a request carries, when it is sent again, what an answer means."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest
import requests
import responses
from responses import matchers
from urllib3.exceptions import MaxRetryError, NewConnectionError, ProxyError, SSLError

from tools import errors
from tools.clock import Clock
from tools.errors import NotThere
from tools.trello import Patience, TrelloClient, created_at
from tools.wire import Access

KEY, TOKEN = "chave-de-teste-0001", "ATTAtoken-de-teste-0002"
BASE = "https://api.trello.com/1"
HEADER = {"Authorization": f'OAuth oauth_consumer_key="{KEY}", oauth_token="{TOKEN}"'}
ID = "5f" * 12
MADE = {"id": ID, "name": "Cartão"}
LIMIT = {"error": "API_TOKEN_LIMIT_EXCEEDED", "message": "Rate limit exceeded"}


class Waits(Clock):
    """A clock that notes how long it is asked to wait, and does not."""

    def __init__(self, limit_s: float = 60) -> None:
        super().__init__(limit_s)
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.check()


@pytest.fixture
def wire() -> Iterator[responses.RequestsMock]:
    """Nothing but what a test expects is answered, and all of it must be asked for."""
    with responses.RequestsMock() as wire:
        yield wire


@pytest.fixture
def clock() -> Waits:
    return Waits()


@pytest.fixture
def trello(clock: Waits) -> Iterator[TrelloClient]:
    client = TrelloClient(Access(BASE, KEY, TOKEN), clock, patience=Patience(1, 1, 1, (1.0, 2.0), (3.0, 10.0)))
    yield client
    client.close()


def answer(wire: responses.RequestsMock, method: str, path: str, *answers: Any, **more: Any) -> None:
    """Answer one request after the other: a status with its body, an object, or an error of the connection."""
    for given in answers:
        kwargs: dict[str, Any] = {"match": [matchers.header_matcher(HEADER)]} | more
        match given:
            case Exception():
                kwargs |= {"body": given}
            case (int(status), str(body)):
                kwargs |= {"status": status, "body": body}
            case (int(status), str(body), dict(headers)):
                kwargs |= {"status": status, "body": body, "headers": headers}
            case _:
                kwargs |= {"json": given}
        wire.add(method, BASE + path, **kwargs)


def refused() -> requests.ConnectionError:
    return requests.ConnectionError(MaxRetryError(None, "/", NewConnectionError(None, "refused")))  # type: ignore[arg-type]


def reset() -> requests.ConnectionError:
    return requests.ConnectionError(("Connection aborted.", ConnectionResetError(104, "reset by peer")))


# What a request carries.


def test_a_read_has_its_query_and_the_header_and_no_body(wire, trello):
    wire.get(
        f"{BASE}/boards/AbCd1234", json={"id": ID},
        match=[
            matchers.header_matcher(HEADER | {"Accept": "application/json"}),
            matchers.query_param_matcher({"fields": "name,closed", "lists": "open"}, strict_match=True),
        ],
    )  # fmt: skip
    assert trello.get("/boards/AbCd1234", fields="name,closed", lists="open") == {"id": ID}
    assert wire.calls[0].request.body is None


def test_text_goes_in_the_body(wire, trello):
    card = {"idList": ID, "name": "Cartão 🚀", "desc": "ção " * 4096, "pos": "top"}
    wire.post(
        f"{BASE}/cards", json=MADE,
        match=[
            matchers.header_matcher(HEADER),
            matchers.query_param_matcher({}, strict_match=True),
            matchers.json_params_matcher(card, strict_match=True),
        ],
    )  # fmt: skip
    assert trello.post("/cards", card) == MADE
    assert len(card["desc"]) == 16384
    assert wire.calls[0].request.url == f"{BASE}/cards"


def test_a_change_and_a_removal(wire, trello):
    match = [matchers.header_matcher(HEADER), matchers.json_params_matcher({"closed": True})]
    answer(wire, "PUT", f"/cards/{ID}", MADE, match=match)
    answer(wire, "DELETE", f"/cards/{ID}", {"limits": {}})
    trello.put(f"/cards/{ID}", {"closed": True})
    trello.delete(f"/cards/{ID}")


# When it is sent again.


@pytest.mark.parametrize(
    "fault", [(500, "oops"), (502, "<html>"), (408, ""), (200, '{"id": "5f'), reset(), refused()], ids=str
)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_what_can_be_repeated_is_repeated(wire, trello, clock, method, fault):
    answer(wire, method, "/cards/x", fault, fault, MADE)
    assert {"GET": trello.get, "PUT": lambda path: trello.put(path, {}), "DELETE": trello.delete}[method](
        "/cards/x"
    ) in (MADE, None)
    assert clock.slept == [1.0, 2.0]


@pytest.mark.parametrize(
    "fault", [(500, "oops"), (502, "<html>"), (200, '{"id": "5f'), (200, ""), (200, "[]"), reset()], ids=str
)
def test_a_write_that_may_have_been_applied_is_not_repeated(wire, trello, fault):
    answer(wire, "POST", "/cards", fault)
    with pytest.raises(errors.AnswerLost):
        trello.post("/cards", {})
    assert len(wire.calls) == 1


def proxy_error() -> requests.exceptions.ProxyError:
    return requests.exceptions.ProxyError(MaxRetryError(None, "/", ProxyError("no", OSError("403"))))  # type: ignore[arg-type]


def tls(cause: Exception) -> requests.exceptions.SSLError:
    return requests.exceptions.SSLError(MaxRetryError(None, "/", SSLError(cause)))  # type: ignore[arg-type]


NOT_SENT = {
    "refused": (refused(), "Trello cannot be reached", "network"),
    "no answer to the connection": (requests.ConnectTimeout(), "Trello cannot be reached", "network"),
    "proxy": (proxy_error(), "the proxy on the way to Trello", "HTTPS_PROXY"),
    "certificate": (
        tls(ssl.SSLCertVerificationError("self-signed")),
        "certificate is not trusted",
        "REQUESTS_CA_BUNDLE",
    ),
}


@pytest.mark.parametrize("name", NOT_SENT)
def test_a_write_that_was_never_sent_is_repeated(wire, trello, clock, name):
    answer(wire, "POST", "/cards", NOT_SENT[name][0], NOT_SENT[name][0], MADE)
    assert trello.post("/cards", {}) == MADE
    assert clock.slept == [1.0, 2.0]


@pytest.mark.parametrize("name", NOT_SENT)
def test_what_is_never_sent_says_why(wire, trello, name):
    fault, what, hint = NOT_SENT[name]
    answer(wire, "POST", "/cards", fault, fault, fault)
    with pytest.raises(errors.TrelloUnavailable, match=what) as caught:
        trello.post("/cards", {})
    assert hint in caught.value.hint
    assert not isinstance(caught.value, errors.AnswerLost)


def test_a_tls_connection_cut_in_the_answer_may_have_been_applied(wire, trello):
    answer(wire, "POST", "/cards", tls(ssl.SSLEOFError("EOF occurred in violation of protocol")))
    with pytest.raises(errors.AnswerLost):
        trello.post("/cards", {})
    assert len(wire.calls) == 1


@pytest.mark.parametrize(
    ("header", "waited"),
    [({}, [3.0]), ({"Retry-After": "7"}, [7.0]), ({"Retry-After": "0"}, [0.0]), ({"Retry-After": "9999"}, [60.0]),
     ({"Retry-After": "-5"}, [3.0]), ({"Retry-After": "logo"}, [3.0]), ({"Retry-After": "nan"}, [3.0])],
)  # fmt: skip
def test_a_429_is_waited_for_also_by_a_write(wire, trello, clock, header, waited):
    answer(wire, "POST", "/cards", (429, json.dumps(LIMIT), header), MADE)
    assert trello.post("/cards", {}) == MADE
    assert clock.slept == waited


def test_a_date_as_retry_after(wire, trello, clock):
    date = formatdate(trello.now() + 20, usegmt=True)
    answer(wire, "GET", "/x", (429, "", {"Retry-After": date}), MADE)
    trello.get("/x")
    assert 15 < clock.slept[0] <= 20


def test_429_for_ever_ends(wire, trello, clock):
    answer(wire, "GET", "/x", *[(429, json.dumps(LIMIT))] * 3)
    with pytest.raises(errors.TrelloUnavailable, match="429"):
        trello.get("/x")
    assert clock.slept == [3.0, 10.0]


def test_a_503_is_waited_for_as_long_as_it_says(wire, trello, clock):
    answer(wire, "GET", "/x", (503, "", {"Retry-After": "4"}), (503, ""), MADE)
    assert trello.get("/x") == MADE
    assert clock.slept == [4.0, 2.0]


def test_a_removal_whose_answer_is_lost_is_looked_for(wire, trello):
    answer(wire, "DELETE", "/cards/x", reset(), reset(), reset())
    answer(wire, "GET", "/cards/x", (404, "The requested resource was not found."))
    trello.delete("/cards/x")


def test_removing_what_is_gone_is_as_good(wire, trello):
    answer(wire, "DELETE", "/cards/x", (404, "model not found"))
    trello.delete("/cards/x")


def test_a_page_that_says_404_is_not_that_the_card_is_gone(wire, trello):
    answer(wire, "DELETE", "/cards/x", *[(404, "<html>404</html>")] * 3)
    answer(wire, "GET", "/cards/x", MADE)
    with pytest.raises(errors.TrelloUnavailable, match="answered 404 with a web page"):
        trello.delete("/cards/x")


# What an answer means.


MEANINGS: list[tuple[int, str, type[errors.Failure], str]] = [
    (400, "invalid id", errors.TrelloRejected, "does not find what is to be written to"),
    (404, "The requested resource was not found.", errors.TrelloRejected, "does not find what is to be written to"),
    (401, "invalid key", errors.CredentialsRefused, "TRELLO_KEY is not valid"),
    (401, "invalid token", errors.CredentialsRefused, "TRELLO_TOKEN is not valid"),
    (401, "invalid app token", errors.CredentialsRefused, "TRELLO_TOKEN is not valid"),
    (401, "unauthorized card permission requested", errors.CredentialsRefused, "may not do that on this board"),
    (403, "forbidden", errors.CredentialsRefused, "may not do that on this board"),
    (400, "invalid value for idList", errors.TrelloRejected, r"\(POST, 400\): invalid value for idList"),
    (400, '{"message":"invalid date","error":"ERROR"}', errors.TrelloRejected, r": invalid date$"),
    (400, "[1, 2]", errors.TrelloRejected, r"400"),
    (414, "", errors.TrelloRejected, "no reason given"),
    (302, "", errors.TrelloRejected, r"\(POST, 302\)"),
    (403, "<html>proxy</html>", errors.AnswerLost, "answered 403 with a web page"),
    (401, "<!DOCTYPE html>", errors.AnswerLost, "answered 401 with a web page"),
    (418, "\x1b[31mx\n" * 400, errors.TrelloRejected, "^[^\x1b\n]{1,260}$"),
    (400, f"bad key {KEY} and token {TOKEN}", errors.TrelloRejected, r"bad key \.\.\. and token \.\.\.$"),
]


@pytest.mark.parametrize(("status", "body", "kind", "what"), MEANINGS)
def test_an_error_has_one_meaning_a_hint_and_no_secret(wire, trello, status, body, kind, what):
    answer(wire, "POST", "/cards", (status, body))
    with pytest.raises(kind, match=what) as caught:
        trello.post("/cards", {})
    assert type(caught.value) is kind
    assert caught.value.hint
    assert not re.search(f"{KEY}|{TOKEN}", caught.value.what + caught.value.hint + repr(caught.value))


@pytest.mark.parametrize("body", ["invalid id", "The requested resource was not found.", "model not found"])
def test_what_is_read_and_not_found_is_not_there(wire, trello, body):
    answer(wire, "GET", "/cards/x", (400 if body == "invalid id" else 404, body))
    with pytest.raises(NotThere, match="does not find it"):
        trello.get("/cards/x")


@pytest.mark.parametrize("body", ["", "null", "[]", '"text"', "<html>"])
def test_an_object_that_is_none_is_asked_for_again(wire, trello, body):
    answer(wire, "GET", "/cards/x", (200, body), MADE)
    assert trello.get("/cards/x") == MADE


def test_the_limit_of_the_run_ends_every_wait(wire, clock):
    client = TrelloClient(Access(BASE, KEY, TOKEN), Clock(0.0))
    with pytest.raises(errors.TrelloUnavailable, match="out of time") as caught:
        client.get("/x")
    assert "--timeout" in caught.value.hint
    client.close()
    wire.assert_all_requests_are_fired = False


def test_each_request_is_paced_and_logged_without_its_query(wire, clock):
    paced: list[Clock] = []
    lines: list[str] = []
    client = TrelloClient(Access(BASE, KEY, TOKEN), clock, pace=paced.append, log=lines.append)
    answer(wire, "GET", "/x", MADE)
    assert client.get("/x", fields="id") == MADE
    client.close()
    assert (len(paced), lines) == (1, ["trello: GET /x -> 200"])


def test_trellos_own_clock_counts(wire, trello):
    answer(wire, "GET", "/x", (200, "{}", {"Date": "Tue, 01 Dec 2026 12:00:00 GMT"}))
    trello.get("/x")
    assert abs(trello.now() - 1796126400) < 60


def test_ids_tell_when_they_were_made():
    assert created_at("65a0b1c2" + "0" * 16) == 0x65A0B1C2
    assert created_at("AbCd1234") == created_at("") == created_at("z" * 24) == 0.0


@pytest.mark.parametrize(("url", "proxies"), [(BASE, {"https": "http://p:1"}), ("http://127.0.0.1:1/1", {})])
def test_the_proxy_is_for_trello_alone_and_the_environment_for_nobody(clock, url, proxies):
    client = TrelloClient(Access(url, KEY, TOKEN, proxy="http://p:1", ca_bundle="/ca.pem"), clock)
    session = client._session
    assert (session.trust_env, dict(session.proxies), session.verify) == (False, proxies, "/ca.pem")
    client.close()


def test_a_short_retry_after_does_not_cut_the_last_wait_short(wire, trello, clock):
    busy = (429, "", {"Retry-After": "1"})
    answer(wire, "POST", "/cards", busy, busy, MADE)
    assert trello.post("/cards", {}) == MADE
    assert clock.slept == [1.0, 10.0]
