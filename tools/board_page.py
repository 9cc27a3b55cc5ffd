"""The page that shows the sandbox's board: lists as columns, cards with their description, checklists and due date.

The texts are a model's, so the page trusts none: all are escaped, Markdown makes no raw HTML, images or links but to
the web and to mail, and a content security policy forbids whatever would still slip through.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from tools.board_style import STYLE

Row = dict[str, Any]

BRACKETS_LIMIT = 2000
WEEKDAYS = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
_LINK = re.compile(r"(https?://|mailto:)\S+", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def render(board: Mapping[str, Sequence[Row]], zone: tzinfo) -> str:
    """Return the page.

    Args:
        board: `boards`, `lists` and `cards` with their `checklists`, as the store's snapshot has them.
        zone: The zone that due dates are shown in.
    """
    markdown = _markdown()
    shown = [item for item in board["boards"] if not item["closed"]]
    title = _text(shown[0]["name"]) if shown else "Sandbox"
    body = "\n".join(_board(item, board, markdown, zone) for item in shown)
    return _PAGE.format(policy=_POLICY, title=title, style=STYLE, body=body)


def replace(path: Path, text: str) -> None:
    """Write a file for its owner only, in one step: a reader sees the old text or the new, never a part."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# The policy names the one style there is by its digest; nothing else may load, run, frame or be sent.
_POLICY = f"default-src 'none'; style-src 'sha256-{_digest(STYLE)}'; base-uri 'none'; form-action 'none'"
_PAGE = """<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _board(board: Row, all_of: Mapping[str, Sequence[Row]], markdown: MarkdownIt, zone: tzinfo) -> str:
    columns = []
    for column in all_of["lists"]:
        if column["idBoard"] == board["id"] and not column["closed"]:
            cards = [card for card in all_of["cards"] if card["idList"] == column["id"] and not card["closed"]]
            columns.append(_column(column, cards, markdown, zone))
    return f'<header><h1 dir="auto">{_text(board["name"])}</h1></header>\n<main>\n{"".join(columns)}</main>'


def _column(column: Row, cards: Sequence[Row], markdown: MarkdownIt, zone: tzinfo) -> str:
    inner = "".join(_card(card, markdown, zone) for card in cards) or '<p class="none">—</p>\n'
    name = f'<span dir="auto">{_text(column["name"])}</span><span class="count">{len(cards)}</span>'
    return f'<section>\n<h2>{name}</h2>\n<div class="cards">\n{inner}</div>\n</section>\n'


def _card(card: Row, markdown: MarkdownIt, zone: tzinfo) -> str:
    link = escape(card["shortLink"])
    parts = [
        f'<h3 dir="auto"><a href="#{link}">{_text(card["name"]) or "—"}</a></h3>',
        _badges(card, zone),
        f'<div class="desc">{_markdown_html(markdown, card["desc"])}</div>' if card["desc"].strip() else "",
        *(_checklist(checklist) for checklist in card["checklists"]),
    ]
    return f'<article id="{link}">\n{"".join(part for part in parts if part)}</article>\n'


def _badges(card: Row, zone: tzinfo) -> str:
    badges = []
    if card["due"]:
        done = " done" if card["dueComplete"] else ""
        badges.append(f'<span class="due{done}">prazo {_due(card["due"], zone)}</span>')
    if total := card["badges"]["checkItems"]:
        checked = card["badges"]["checkItemsChecked"]
        badges.append(f'<span class="items{" done" if checked == total else ""}">{checked}/{total}</span>')
    return f'<p class="badges">{"".join(badges)}</p>\n' if badges else ""


def _due(due: str, zone: tzinfo) -> str:
    """Return a due date as the command says it: `ter 01/12/2026 18:00 -03:00`."""
    at = datetime.fromisoformat(due)
    # The first and the last day there are have no neighbour in another zone: UTC then.
    with suppress(OverflowError):
        at = at.astimezone(zone)
    said = f"{WEEKDAYS[at.weekday()]} {at:%d/%m}/{at.year:04} {at:%H:%M} {at.isoformat()[-6:]}"
    return f'<time datetime="{at.isoformat()}">{said}</time>'


def _checklist(checklist: Row) -> str:
    items = checklist["checkItems"]
    checked = sum(item["state"] == "complete" for item in items)
    rows = "".join(
        f'<li class="{"done" if item["state"] == "complete" else "open"}" dir="auto">{_text(item["name"])}</li>\n'
        for item in items
    )
    bar = f'<progress value="{checked}" max="{len(items) or 1}">{checked}/{len(items)}</progress>'
    name = (
        f'<h4><span dir="auto">{_text(checklist["name"])}</span><span class="count">{checked}/{len(items)}</span></h4>'
    )
    return f'<div class="checklist">\n{name}\n{bar}\n<ul>\n{rows}</ul>\n</div>\n'


def _clean(text: str) -> str:
    """Return a text without control characters, which a browser may take for anything."""
    return _CONTROLS.sub("", text)


def _text(text: str) -> str:
    return escape(_clean(text))


class _Renderer(RendererHTML):
    """Markdown's own, but for images, which are shown as they were written, and links, which tell nobody of us."""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return an image's source text: nothing is fetched, and what it would have fetched can be read."""
        return escape(f"![{tokens[idx].content}]({tokens[idx].attrGet('src')})")

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return the start of a link that gives its target no hold on the page."""
        tokens[idx].attrSet("rel", "noopener noreferrer nofollow")
        return self.renderToken(tokens, idx, options, env)


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": False, "linkify": False}, renderer_cls=_Renderer)
    parser.validateLink = _may_link  # type: ignore[method-assign]
    return parser


def _markdown_html(markdown: MarkdownIt, text: str) -> str:
    """Return a text's HTML, each outer block in its own direction, without the styles that the policy forbids."""
    # The parser's time grows with the square of the brackets; nobody writes as many.
    if text.count("[") > BRACKETS_LIMIT:
        return f'<p dir="auto">{_text(text)}</p>'
    tokens = markdown.parse(_clean(text))
    for token in tokens:
        if token.nesting == 1 and token.level == 0:
            token.attrSet("dir", "auto")
        if style := token.attrs.pop("style", None):
            token.attrSet("class", str(style).removeprefix("text-align:"))
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return html


def _may_link(url: str) -> bool:
    """Tell whether a link may be one: to the web or to mail, and never into this machine's files."""
    return _LINK.fullmatch(url) is not None
