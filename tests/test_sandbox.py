"""The sandbox by its own account: over HTTP, as the client sees it."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.sandbox_client import NOW, Clock, Wire, first_list
from tests.trello_server import (
    TOKEN,
    TrelloServer,
)


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


# What is kept, and how.


def test_fresh_store_has_one_board_with_three_lists(wire: Wire, server: TrelloServer) -> None:
    board = wire("GET", "/boards/sandbox", fields="closed,name", lists="open", list_fields="name")
    assert board == {
        "id": server.board_id,
        "closed": False,
        "name": "Sandbox",
        "lists": [{"id": server.list_id(name), "name": name} for name in ("A fazer", "Em progresso", "Concluído")],
    }
    assert wire("GET", f"/boards/{server.board_id}")["shortLink"] == "sandbox"


def test_store_is_for_its_owner_and_outlives_the_server(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "sandbox"
    with TrelloServer(directory) as first:
        card = Wire(first).card("fica")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    with TrelloServer(directory) as second:
        assert [found["id"] for found in second.cards] == [card["id"]]
        assert len(second.snapshot()["boards"]) == 1
    assert TOKEN.encode() not in b"".join(path.read_bytes() for path in directory.iterdir())


def test_two_servers_share_one_store(server: TrelloServer) -> None:
    with TrelloServer(server.directory) as other:
        card = Wire(other).card("de outro processo")
        assert Wire(server)("GET", f"/cards/{card['shortLink']}")["name"] == "de outro processo"
    assert server.base_url != other.url_for("x")


_CHILD = """
import sys, pathlib, requests
from tests.trello_server import AUTH, TrelloServer
with TrelloServer(pathlib.Path(sys.argv[1])) as server:
    session = requests.Session()
    session.trust_env = False
    session.headers.update(AUTH)
    board = session.get(server.base_url + "/boards/sandbox", params={"lists": "open"}).json()
    for n in range(15):
        body = {"idList": board["lists"][0]["id"], "name": str(n)}
        session.post(server.base_url + "/cards", json=body).raise_for_status()
"""


def test_processes_that_start_at_once_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(tmp_path / "sandbox")]
    children = [subprocess.Popen(command, stderr=subprocess.PIPE, cwd=Path(__file__).parents[1]) for _ in range(4)]
    assert [child.communicate()[1] for child in children] == [b""] * 4
    with TrelloServer(tmp_path / "sandbox") as server:
        found = server.snapshot()
    assert (len(found["boards"]), len(found["lists"]), len(found["cards"])) == (1, 3, 60)
    assert sorted(card["idShort"] for card in found["cards"]) == list(range(1, 61))


def test_killed_process_leaves_what_was_answered(tmp_path: Path) -> None:
    code = _CHILD + "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[1], check=False)
    with TrelloServer(tmp_path) as server:
        assert len(server.cards) == 15


# Cards.


def test_card_is_answered_as_trello_does(wire: Wire, server: TrelloServer) -> None:
    card = wire.card("Olá", desc="**x**", due="2026-12-01T18:00:00-03:00")
    assert int(card["id"][:8], 16) == int(NOW)
    assert len(card["id"]) == 24
    assert len(card["shortLink"]) == 8
    assert card["shortUrl"] == card["url"] == f"https://trello.com/c/{card['shortLink']}"
    expected = {
        "name": "Olá",
        "desc": "**x**",
        "due": "2026-12-01T21:00:00.000Z",
        "dueComplete": False,
        "closed": False,
        "pos": 16384,
        "idBoard": server.board_id,
        "idList": first_list(server),
        "idLabels": [],
        "idMembers": [],
        "idChecklists": [],
        "dateLastActivity": "2027-01-15T08:00:00.250Z",
    }
    assert {key: card[key] for key in expected} == expected
    assert {key: card["badges"][key] for key in ("checkItems", "checkItemsChecked", "comments", "attachments")} == {
        "checkItems": 0,
        "checkItemsChecked": 0,
        "comments": 0,
        "attachments": 0,
    }
    assert wire("GET", f"/cards/{card['id']}") == card


@pytest.mark.parametrize("how", ["params", "data", "json"])
def test_parameters_come_from_query_form_and_json(wire: Wire, server: TrelloServer, how: str) -> None:
    answer = wire.ask("POST", "/cards", **{how: {"idList": first_list(server), "name": "ação & reação"}})
    assert answer.json()["name"] == "ação & reação"


def test_pos_is_a_number_or_an_end(wire: Wire) -> None:
    for name, pos in (("b", 10), ("c", 0), ("a", "top"), ("d", "bottom"), ("e", 99999.5)):
        wire.card(name, pos=pos)
    wire.card("f")
    assert [(card["name"], card["pos"]) for card in wire.server.snapshot()["cards"]] == [
        ("a", 5),
        ("b", 10),
        ("c", 16394),
        ("d", 32778),
        ("e", 99999.5),
        ("f", 116383.5),
    ]


@pytest.mark.parametrize(
    ("due", "kept"),
    [
        ("2026-12-01", "2026-12-01T00:00:00.000Z"),
        ("2026-12-01T18:00:00Z", "2026-12-01T18:00:00.000Z"),
        ("2026-12-01T18:00:00.123456-03:00", "2026-12-01T21:00:00.123Z"),
        ("", None),
        (None, None),
    ],
)
def test_due_is_kept_as_utc(wire: Wire, due: str | None, kept: str | None) -> None:
    assert wire.card(due=due)["due"] == kept


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"idList": None}, "invalid value for idList"),
        ({"idList": "Em progresso"}, "invalid value for idList"),
        ({"name": "x" * 16385}, "invalid value for name"),
        ({"name": ["x"]}, "invalid value for name"),
        ({"name": "\ud800"}, "invalid value for name"),
        ({"desc": "x" * 16385}, "invalid value for desc"),
        ({"due": "amanhã"}, "invalid date"),
        ({"due": "0001-01-01T00:00:00+14:00"}, "invalid date"),
        ({"pos": -1}, "invalid value for pos"),
        ({"pos": "meio"}, "invalid value for pos"),
        ({"closed": "talvez"}, "invalid value for closed"),
        ({"idLabels": "azul"}, "invalid value for idLabels"),
    ],
)
def test_bad_values_are_400_and_nothing_is_made(wire: Wire, body: dict[str, Any], text: str) -> None:
    answer = wire.ask("POST", "/cards", json={"idList": first_list(wire.server), "name": "x"} | body)
    assert (answer.status_code, answer.text) == (400, text)
    assert wire.server.snapshot()["cards"] == []


def test_longest_texts_are_kept_whole(wire: Wire) -> None:
    card = wire.card("é" * 16384, desc="\x00🙂" * 8192)
    assert wire("GET", f"/cards/{card['id']}")["desc"] == "\x00🙂" * 8192


@pytest.mark.parametrize(
    ("method", "path", "code", "text"),
    [
        ("GET", "/boards/naoexiste-", 400, "invalid id"),
        ("GET", "/boards/AbCd1234", 404, "The requested resource was not found."),
        ("GET", "/cards/" + "0" * 24, 404, "The requested resource was not found."),
        ("GET", "/lists/xyz/cards", 400, "invalid id"),
        ("DELETE", "/cards/" + "0" * 24, 404, "The requested resource was not found."),
        ("POST", "/checklists/nada/checkItems", 400, "invalid id"),
        ("POST", "/cards?idList=" + "0" * 24, 404, "model not found"),
        ("GET", "/boards/sandbox?lists=some", 400, "invalid value for lists"),
        ("GET", "/boards/sandbox/cards?since=ontem", 400, "invalid date"),
        ("GET", "/boards/sandbox/cards?limit=1001", 400, "invalid value for limit"),
        ("GET", "/nowhere", 404, "The requested resource was not found."),
        ("PATCH", "/cards", 501, None),
    ],
)
def test_what_is_not_there(wire: Wire, method: str, path: str, code: int, text: str | None) -> None:
    answer = wire.ask(method, path)
    assert answer.status_code == code
    assert text in (None, answer.text)


def test_card_is_changed_moved_archived_and_deleted(wire: Wire, server: TrelloServer, clock: Clock) -> None:
    card = wire.card("antes")
    clock.now += 60
    target = server.list_id("Concluído")
    changed = wire("PUT", f"/cards/{card['id']}", name="depois", idList=target, closed=True, due=None)
    assert (changed["name"], changed["idList"], changed["closed"]) == ("depois", target, True)
    assert changed["dateLastActivity"] > card["dateLastActivity"]
    assert wire("GET", "/boards/sandbox/cards") == []
    assert [found["id"] for found in wire("GET", "/boards/sandbox/cards", filter="closed")] == [card["id"]]
    wire("DELETE", f"/cards/{card['id']}")
    assert server.cards == []
    assert wire.ask("DELETE", f"/cards/{card['id']}").status_code == 404


def test_putting_what_is_there_changes_nothing(wire: Wire, clock: Clock) -> None:
    card = wire.card("igual")
    clock.now += 60
    assert wire("PUT", f"/cards/{card['id']}", name="igual", desc="") == card


def test_actions_tell_what_happened_newest_first(wire: Wire, server: TrelloServer) -> None:
    card = wire.card("um")
    wire("PUT", f"/cards/{card['shortLink']}", name="dois")
    wire("PUT", f"/cards/{card['id']}", idList=server.list_id("Concluído"))
    wire("POST", f"/cards/{card['id']}/actions/comments", text="feito")
    actions = wire("GET", f"/cards/{card['id']}/actions", filter="all")
    assert [action["type"] for action in actions] == ["commentCard", "updateCard", "updateCard", "createCard"]
    assert actions[3]["data"]["list"]["name"] == "A fazer"
    assert actions[2]["data"]["old"] == {"name": "um"}
    assert actions[1]["data"]["listAfter"]["name"] == "Concluído"
    moved = wire("GET", f"/cards/{card['id']}/actions", filter="updateCard:idList,createCard")
    assert [action["type"] for action in moved] == ["updateCard", "createCard"]
    assert wire("GET", f"/cards/{card['id']}", fields="badges")["badges"]["comments"] == 1


def test_cards_of_a_board_can_be_bounded(wire: Wire, server: TrelloServer, clock: Clock) -> None:
    made = []
    for name in "abc":
        made.append(wire.card(name))
        clock.now += 10
    server.close_list(wire.card("d", idList=server.list_id("Concluído"))["idList"])

    def names(path: str = "/boards/sandbox/cards", **params: Any) -> str:
        return "".join(card["name"] for card in wire("GET", path, **params))

    assert names() == "dcba"
    assert names(filter="visible") == names("/boards/sandbox/cards/visible") == "cba"
    assert names(f"/lists/{first_list(server)}/cards", limit=2) == "cb"
    assert names(since="2027-01-15T08:00:10Z") == "dcb"
    assert names(since=made[1]["id"]) == "dc"
    assert names(before="2027-01-15T08:00:10Z") == "a"


def test_fields_choose_what_is_answered(wire: Wire) -> None:
    card = wire.card("x")
    assert wire("GET", f"/cards/{card['id']}", fields="name") == {"id": card["id"], "name": "x"}
    assert list(wire("GET", f"/cards/{card['id']}", fields="idList", checklists="all")) == [
        "id",
        "idList",
        "checklists",
    ]


# Checklists.


def test_checklists_are_out_of_order_but_have_their_pos(wire: Wire, server: TrelloServer) -> None:
    card = wire.card("x")
    for nth in (1, 2, 3):
        made = wire("POST", "/checklists", idCard=card["id"], name=f"lista {nth}", pos=nth * 16384)
        assert (made["checkItems"], made["idBoard"]) == ([], server.board_id)
        for item in (1, 2, 3, 4):
            wire("POST", f"/checklists/{made['id']}/checkItems", name=f"{nth}.{item}", pos=item * 16384)
    lists = wire("GET", f"/cards/{card['id']}", checklists="all")["checklists"]
    assert lists == wire("GET", f"/cards/{card['id']}/checklists")
    assert [row["pos"] for row in lists] != sorted(row["pos"] for row in lists)
    for row in lists:
        assert [item["pos"] for item in row["checkItems"]] != [16384, 32768, 49152, 65536]
    [kept] = server.cards
    assert [row["name"] for row in kept["checklists"]] == ["lista 1", "lista 2", "lista 3"]
    assert [item["name"] for item in kept["checklists"][1]["checkItems"]] == ["2.1", "2.2", "2.3", "2.4"]
    assert kept["badges"]["checkItems"] == 12


def test_items_are_checked_renamed_and_removed(wire: Wire, server: TrelloServer) -> None:
    card = wire.card("x")
    checklist = wire("POST", f"/cards/{card['id']}/checklists", name="feito?")
    items = [wire("POST", f"/checklists/{checklist['id']}/checkItems", name=name) for name in "ab"]
    path = f"/cards/{card['id']}/checkItem/{items[0]['id']}"
    assert wire("PUT", path, state="complete", name="A")["state"] == "complete"
    assert server.cards[0]["badges"]["checkItemsChecked"] == 1
    assert wire("GET", f"/cards/{card['id']}/actions", filter="all")[0]["type"] == "updateCheckItemStateOnCard"
    wire("DELETE", f"/cards/{card['id']}/checkItem/{items[1]['id']}")
    assert [item["name"] for item in server.cards[0]["checklists"][0]["checkItems"]] == ["A"]
    assert wire.ask("PUT", path, json={"state": "quase"}).text == "invalid value for state"
    other = wire.card("y")
    assert wire.ask("PUT", f"/cards/{other['id']}/checkItem/{items[0]['id']}", json={}).status_code == 404
    wire("DELETE", f"/checklists/{checklist['id']}")
    assert server.cards[0]["checklists"] == []


@pytest.mark.parametrize("name", ["", "x" * 16385])
def test_item_has_a_name_within_bounds(wire: Wire, name: str) -> None:
    checklist = wire("POST", "/checklists", idCard=wire.card()["id"], name="x")
    answer = wire.ask("POST", f"/checklists/{checklist['id']}/checkItems", json={"name": name})
    assert (answer.status_code, answer.text) == (400, "invalid value for name")


def test_many_at_once_are_all_made(wire: Wire, server: TrelloServer) -> None:
    checklist = wire("POST", "/checklists", idCard=wire.card()["id"], name="x")
    adapter = requests.adapters.HTTPAdapter(pool_maxsize=18)
    wire.session.mount("http://", adapter)
    with ThreadPoolExecutor(18) as pool:
        path = f"/checklists/{checklist['id']}/checkItems"
        list(pool.map(lambda nth: wire("POST", path, name=str(nth), pos=(nth + 1) * 16384), range(30)))
    [kept] = server.cards[0]["checklists"]
    assert [item["name"] for item in kept["checkItems"]] == [str(nth) for nth in range(30)]
