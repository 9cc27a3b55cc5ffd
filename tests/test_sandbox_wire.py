"""Who may come into the sandbox, and how its wire fails when a test wants it to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
import requests

from tests.sandbox_client import NOW, Clock, Wire, first_list
from tests.trello_server import (
    AUTH,
    HTML_502,
    HTML_502_AFTER,
    KEY,
    RESET_AFTER,
    RESET_BEFORE,
    SILENT,
    SILENT_AFTER,
    TOKEN,
    TRUNCATED,
    Fault,
    TrelloServer,
    either,
    on,
    slow,
    status,
)
from tools.sandbox import Sandbox


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(tmp_path: Path, clock: Clock) -> Iterator[TrelloServer]:
    with TrelloServer(tmp_path / "sandbox", clock=clock) as running:
        yield running


@pytest.fixture
def wire(server: TrelloServer) -> Iterator[Wire]:
    found = Wire(server)
    yield found
    found.session.close()


# Who may come in.


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (None, "invalid key"),
        ('OAuth oauth_consumer_key="", oauth_token="t"', "invalid key"),
        (f'OAuth oauth_consumer_key="{KEY}", oauth_token=""', "invalid token"),
        (f'OAuth oauth_consumer_key="{KEY}", oauth_token="outro"', "invalid token"),
        (f'OAuth oauth_consumer_key="outra", oauth_token="{TOKEN}"', "invalid key"),
        (f"Bearer {TOKEN}", "invalid key"),
    ],
)
def test_credentials_come_in_the_header_only(server: TrelloServer, header: str | None, text: str) -> None:
    server.credentials = (KEY, TOKEN)
    headers = {"Authorization": header} if header else {}
    answer = requests.get(f"{server.base_url}/members/me?key={KEY}&token={TOKEN}", headers=headers, timeout=5)
    assert (answer.status_code, answer.text) == (401, text)


def test_read_only_board_refuses_every_write(wire: Wire, server: TrelloServer) -> None:
    board = server.add_board("Alheio")
    column = server.add_list(board, "Lista")
    card = wire.card("x", idList=column)
    with server.store.transaction() as session:
        session.run("UPDATE boards SET readOnly = 1 WHERE id = ?", board)
    writes = [
        ("POST", "/cards", {"idList": column, "name": "y"}),
        ("PUT", f"/cards/{card['id']}", {"name": "y"}),
        ("DELETE", f"/cards/{card['id']}", {}),
        ("POST", "/checklists", {"idCard": card["id"], "name": "y"}),
        ("POST", f"/cards/{card['id']}/actions/comments", {"text": "y"}),
    ]
    for method, path, body in writes:
        answer = wire.ask(method, path, json=body)
        assert (answer.status_code, answer.text) == (401, "unauthorized permission requested")
    assert wire("GET", f"/cards/{card['id']}")["name"] == "x"


def test_closed_board_looks_open_but_for_its_flag(wire: Wire, server: TrelloServer) -> None:
    board = server.add_board("Velho", closed=True)
    server.add_list(board, "Aberta")
    server.add_list(board, "Fechada", closed=True)
    assert wire("GET", f"/boards/{board}", fields="closed")["closed"] is True
    assert [row["name"] for row in wire("GET", f"/boards/{board}/lists")] == ["Aberta"]
    assert [row["name"] for row in wire("GET", f"/boards/{board}/lists", filter="all")] == ["Aberta", "Fechada"]
    assert [row["id"] for row in wire("GET", "/members/me/boards", filter="closed", fields="name")] == [board]


def test_rate_is_counted_by_token_across_servers(tmp_path: Path, clock: Clock) -> None:
    with (
        TrelloServer(tmp_path, clock=clock, rate=True) as one,
        TrelloServer(tmp_path, clock=clock, rate=True) as two,
    ):
        wires = [Wire(one), Wire(two)]
        codes = [wires[nth % 2].ask("GET", "/members/me").status_code for nth in range(101)]
        assert codes == [200] * 100 + [429]
        refused = wires[0].ask("GET", "/members/me")
        assert refused.json() == {"error": "API_TOKEN_LIMIT_EXCEEDED", "message": "Rate limit exceeded"}
        wires[1].session.headers["Authorization"] = f'OAuth oauth_consumer_key="{KEY}", oauth_token="other"'
        assert wires[1].ask("GET", "/members/me").status_code == 200
        clock.now += 10
        assert wires[0].ask("GET", "/members/me").status_code == 200


def test_long_url_is_414_before_credentials_are_looked_at(server: TrelloServer) -> None:
    assert requests.get(f"{server.base_url}/members/me?x={'é' * 1400}", timeout=5).status_code == 414


def test_get_with_a_body_is_an_html_403(wire: Wire) -> None:
    answer = wire.ask("GET", "/members/me", json={"fields": "all"})
    assert (answer.status_code, answer.headers["Content-Type"][:9]) == (403, "text/html")


@pytest.mark.parametrize("body", [b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_body_that_is_no_object_is_400(wire: Wire, body: bytes) -> None:
    answer = wire.ask("POST", "/cards", data=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.text) == (400, "Error parsing body")


def test_another_name_for_the_machine_is_refused(wire: Wire) -> None:
    assert wire.ask("GET", "/members/me", headers={"Host": "evil.example"}).status_code == 403


def test_store_that_fails_is_a_500_and_no_traceback(
    wire: Wire, server: TrelloServer, capfd: pytest.CaptureFixture[str]
) -> None:
    with server.store.transaction() as session:
        session.run("ALTER TABLE cards RENAME TO gone")
    answer = wire.ask("GET", "/boards/sandbox/cards")
    assert (answer.status_code, answer.text) == (500, "the sandbox's store failed: no such table: cards")
    assert capfd.readouterr() == ("", "")


def test_date_header_is_the_servers_clock(wire: Wire) -> None:
    date = parsedate_to_datetime(wire.ask("GET", "/members/me").headers["Date"])
    assert date.timestamp() == int(NOW)


# The wire.


def test_clients_that_vanish_leave_no_trace(server: TrelloServer, capfd: pytest.CaptureFixture[str]) -> None:
    port = int(server.base_url.rpartition(":")[2].partition("/")[0])
    for said in (
        b"",
        b"GET /1/mem",
        b"GET //[x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /1/cards HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nshort",
    ):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.sendall(said)
    assert Wire(server).ask("GET", "/members/me").status_code == 200
    assert capfd.readouterr() == ("", "")


def test_half_a_form_is_not_applied(server: TrelloServer) -> None:
    port = int(server.base_url.rpartition(":")[2].partition("/")[0])
    head = f"POST /1/cards HTTP/1.1\r\nHost: localhost\r\nauthorization: {AUTH['Authorization']}\r\n"
    body = f"idList={first_list(server)}&name=metade"
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"{head}Content-Length: {len(body) + 1}\r\n\r\n{body}".encode())
        client.shutdown(socket.SHUT_WR)
        assert client.recv(100) == b""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    assert len(server.cards) == 1


def test_stopping_does_not_wait_for_idle_or_silent_connections(tmp_path: Path) -> None:
    with TrelloServer(tmp_path, fault=on("GET", "/members/me", None, SILENT)) as server:
        wire = Wire(server)
        wire.ask("GET", "/members/me")
        failed: list[Exception] = []

        def wait() -> None:
            try:
                Wire(server).ask("GET", "/members/me")
            except requests.ConnectionError as error:
                failed.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        while len(server.requests) < 2:
            time.sleep(0.001)
        start = time.monotonic()
    waiting.join()
    assert time.monotonic() - start < 1
    assert len(failed) == 1
    with pytest.raises(requests.ConnectionError):
        wire.ask("GET", "/members/me")


@pytest.mark.parametrize(
    ("fault", "error", "applied"),
    [
        (RESET_BEFORE, requests.ConnectionError, 0),
        (RESET_AFTER, requests.ConnectionError, 1),
        (TRUNCATED, requests.exceptions.ChunkedEncodingError, 1),
        (SILENT, requests.ReadTimeout, 0),
        (SILENT_AFTER, requests.ReadTimeout, 1),
    ],
)
def test_wire_fails_as_told(
    wire: Wire, server: TrelloServer, fault: Fault, error: type[Exception], applied: int
) -> None:
    server.fault = on("POST", "/cards", fault)
    body = {"idList": first_list(server), "name": "x"}
    with pytest.raises(error):
        wire.session.post(f"{server.base_url}/cards", json=body, timeout=0.2)
    assert len(server.cards) == applied
    assert wire.card("depois")["name"] == "depois"


def test_reset_is_a_reset_and_no_mere_end(wire: Wire, server: TrelloServer) -> None:
    server.fault = on("GET", "/members/me", RESET_AFTER)
    with pytest.raises(requests.ConnectionError, match="ConnectionResetError"):
        wire.ask("GET", "/members/me")


def test_answers_can_be_refused_or_late(wire: Wire, server: TrelloServer) -> None:
    server.fault = either(
        on("POST", "/cards", HTML_502, HTML_502_AFTER),
        on("GET", r"/cards/.*", status(503, "busy", Retry_After="1"), slow(0.001)),
    )
    body = {"idList": first_list(server), "name": "x"}
    assert "<html>" in wire.ask("POST", "/cards", json=body).text
    assert server.cards == []
    assert wire.ask("POST", "/cards", json=body).status_code == 502
    [card] = server.cards
    refused = wire.ask("GET", f"/cards/{card['id']}")
    assert (refused.status_code, refused.text, refused.headers["Retry-After"]) == (503, "busy", "1")
    assert wire.ask("GET", f"/cards/{card['id']}").json()["name"] == "x"
    assert [seen.status for seen in server.requests] == [502, 502, 503, 200]


def test_requests_are_recorded(wire: Wire, server: TrelloServer) -> None:
    wire.ask("PUT", "/cards/nada?name=q", json={"desc": "d"})
    [seen] = server.requests
    assert seen[:3] == ("PUT", "/cards/nada", {"name": "q"})
    assert (seen.body, seen.status) == ({"name": "q", "desc": "d"}, 400)
    assert seen.headers["Authorization"] == AUTH["Authorization"]
    assert server.calls == ["PUT /cards/nada"]


def test_a_person_can_act_past_the_wire(server: TrelloServer) -> None:
    card = server.request("POST", "/cards", idList=first_list(server), name="à mão")
    server.request("PUT", f"/cards/{card['id']}", name="mudado")
    assert [found["name"] for found in server.cards] == ["mudado"]
    assert server.requests == []
    with pytest.raises(AssertionError, match="404"):
        server.request("GET", "/cards/" + "0" * 24)


def test_a_request_takes_few_milliseconds(wire: Wire) -> None:
    card = wire.card()
    took = []
    for _ in range(30):
        start = time.perf_counter()
        wire("GET", f"/cards/{card['id']}")
        took.append(time.perf_counter() - start)
    assert sorted(took)[15] < 0.02  # 1.5 ms on a quiet machine; a busy one must not fail it


def test_by_itself_it_is_the_products_board(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "sandbox") as sandbox:
        card = Wire(sandbox).card("Na página")
        assert card["url"] == f"{(tmp_path / 'sandbox' / 'board.html').as_uri()}#{card['shortLink']}"
    page = sandbox.page_path.read_text()
    assert f'id="{card["shortLink"]}"' in page
    assert "Na página" in page
