"""The sandbox's page: what it shows, and what no text can make it do."""

from __future__ import annotations

import base64
import hashlib
import re
import stat
import time
from collections.abc import Iterator
from datetime import timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.trello_server import TrelloServer
from tools import board_page

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "![x](http://evil.example/p.png)",
    '![x"><script>](http://evil.example/p.png "t")',
    "![x][p]\n\n[p]: http://evil.example/p.png",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](file:///etc/passwd)",
    "[x](/etc/passwd)",
    "[x](//evil.example)",
    "[x](#card)",
    "[x](vbscript:x)",
    "<javascript:alert(1)>",
    '[x](http://a.example "\\" onmouseover=\\"alert(1)")',
    "[x](http://a.example/\"onmouseover='alert(1)')",
    "<style>*{display:none}</style><link rel=stylesheet href=http://evil.example>",
    '<meta http-equiv="refresh" content="0;url=http://evil.example">',
    '```"><script>alert(1)</script>\ncode\n```',
    "</article></section></main><h1>fora</h1>",
    "&lt;script&gt;",
    "\x00<scr\x00ipt>\x1b]0;x\x07",
    "\u202egpj.exe",
    "|a|\n|:-:|\n|<b>x</b>|",
]
ELEMENTS = re.compile(
    "html|head|meta|title|style|body|header|main|section|article|h[1-6]|a|p|span|time|div|ul|ol|li|progress|"
    "strong|em|code|pre|blockquote|hr|br|s|table|thead|tbody|tr|th|td"
)
ATTRIBUTES = re.compile("lang|charset|http-equiv|content|name|class|id|dir|href|rel|datetime|value|max|title|start")


class Page(HTMLParser):
    """The page as a browser takes it: its elements, its text, its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def links(self) -> list[str | None]:
        return [attrs.get("href") for tag, attrs in self.elements if tag == "a"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TrelloServer]:
    with TrelloServer(tmp_path / "sandbox", url_for=None) as running:
        yield running


def add_card(server: TrelloServer, name: str = "Título", *checklists: tuple[str, list[str]], **more: Any) -> Any:
    column = server.list_id("A fazer")
    card = server.request("POST", "/cards", **({"idList": column, "name": name} | more))
    for title, items in checklists:
        checklist = server.request("POST", "/checklists", idCard=card["id"], name=title)
        for item in items:
            server.request("POST", f"/checklists/{checklist['id']}/checkItems", name=item)
    return card


def page_of(server: TrelloServer) -> Page:
    return Page(server.write_page().read_text(encoding="utf-8"))


def test_page_shows_lists_and_whole_cards_in_order(server: TrelloServer) -> None:
    card = add_card(
        server,
        "Pipeline",
        ("Primeiro", ["um", "dois", "três"]),
        ("Segundo", ["quatro"]),
        desc="**Objetivos**\n\n- publicar `main`\n",
        due="2026-12-01T18:00:00-03:00",
    )
    add_card(server, "Arquivado", closed=True)
    item = server.cards[0]["checklists"][0]["checkItems"][1]
    server.request("PUT", f"/cards/{card['id']}/checkItem/{item['id']}", state="complete")
    page = page_of(server)
    assert page.text == (
        "Sandbox Sandbox A fazer 1 Pipeline prazo ter 01/12/2026 18:00 -03:00 1/4 Objetivos publicar main "
        "Primeiro 1/3 1/3 um dois três Segundo 0/1 0/1 quatro Em progresso 0 — Concluído 0 —"
    )
    assert [attrs["class"] for tag, attrs in page.elements if tag == "li" and "class" in attrs] == [
        "open",
        "done",
        "open",
        "open",
    ]
    assert ("strong", {}) in page.elements


def test_fragment_of_the_cards_url_is_the_cards_id(server: TrelloServer) -> None:
    card = add_card(server)
    address, _, fragment = card["url"].partition("#")
    page = page_of(server)
    assert address == server.page_path.as_uri()
    assert [attrs for tag, attrs in page.elements if tag == "article"] == [{"id": fragment}]
    assert ":target" in server.page_path.read_text()


def test_page_is_for_its_owner_and_leaves_nothing_beside_it(server: TrelloServer) -> None:
    path = server.write_page()
    server.write_page()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {found.name for found in path.parent.iterdir()} <= {
        "board.html",
        "sandbox.db",
        "sandbox.db-wal",
        "sandbox.db-shm",
    }


def test_page_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "sandbox" / "board.html"
    path.parent.mkdir()
    board_page.replace(path, "antes")
    with pytest.raises(UnicodeEncodeError):
        board_page.replace(path, "depois \ud800")
    assert path.read_text() == "antes"
    assert list(path.parent.iterdir()) == [path]


def test_policy_allows_the_one_style_and_nothing_else(server: TrelloServer) -> None:
    html = server.write_page().read_text(encoding="utf-8")
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [attrs["content"] for _, attrs in Page(html).elements if "http-equiv" in attrs]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_wherever_it_stands(server: TrelloServer, text: str) -> None:
    with server.store.transaction() as session:
        session.run("UPDATE lists SET name = ?", text)
        session.run("UPDATE boards SET name = ?", text)
    server.list_id = lambda name, board_id="": server.snapshot()["lists"][0]["id"]  # type: ignore[method-assign]
    add_card(server, text, (text, [text]), desc=text)
    page = page_of(server)
    assert page.open == []
    assert all(ELEMENTS.fullmatch(tag) for tag, _ in page.elements)
    assert all(ATTRIBUTES.fullmatch(name) for _, attrs in page.elements for name in attrs)
    for tag, attrs in page.elements:
        if href := attrs.get("href"):
            assert tag == "a"
            assert href.startswith(("http://a.example", f"#{server.cards[0]['shortLink']}"))
            assert href.startswith("#") or attrs["rel"] == "noopener noreferrer nofollow"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", server.page_path.read_text(encoding="utf-8"))


def test_links_to_web_and_mail_are_links_and_images_are_their_text(server: TrelloServer) -> None:
    add_card(server, desc="[a](https://a.example/?q=1&r=2) <mailto:x@y.example> ![alt](http://evil.example/p.png)")
    page = page_of(server)
    assert page.links[1:] == ["https://a.example/?q=1&r=2", "mailto:x@y.example"]
    assert "![alt](http://evil.example/p.png)" in page.text


def test_text_of_any_direction_keeps_its_own(server: TrelloServer) -> None:
    add_card(server, "مراجعة", desc="- نشر\n")
    elements = page_of(server).elements
    assert ("ul", {"dir": "auto"}) in elements
    assert ("h3", {"dir": "auto"}) in elements


@pytest.mark.parametrize(
    ("due", "zone", "said"),
    [
        ("2026-12-01T21:00:00.000Z", ZoneInfo("America/Sao_Paulo"), "ter 01/12/2026 18:00 -03:00"),
        ("2026-07-01T21:00:00.000Z", ZoneInfo("Europe/Lisbon"), "qua 01/07/2026 22:00 +01:00"),
        ("0001-01-01T00:00:00.000Z", timezone(timedelta(hours=-3)), "seg 01/01/0001 00:00 +00:00"),
    ],
)
def test_due_is_said_in_the_zone_that_was_asked_for(server: TrelloServer, due: str, zone: Any, said: str) -> None:
    server.zone = zone
    add_card(server, due=due)
    assert f"prazo {said}" in page_of(server).text


@pytest.mark.parametrize("text", ["[" * 16384, "![" * 8192, "- " * 8192, "*a" * 8192, "> " * 8192, "x" * 16384])
def test_longest_texts_are_rendered_soon(server: TrelloServer, text: str) -> None:
    add_card(server, desc=text)
    start = time.monotonic()
    server.write_page()
    assert time.monotonic() - start < 2  # 0.2 s on a quiet machine
