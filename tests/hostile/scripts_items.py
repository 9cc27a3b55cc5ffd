"""Checklists that are not what a tool takes (rows 10, 11 and 30)."""

from __future__ import annotations

import json
from typing import Any

from tests.hostile.script import (
    CHECKLISTS,
    P,
    Script,
    add,
    answer,
    create,
    items_of,
    only,
    then_good,
    titles_of,
)
from tests.models import plan
from tests.ollama_steps import say

ITEMS = CHECKLISTS[0][1]
A, B, C, D = ITEMS
# One list, in every shape.
SHAPES: dict[str, Any] = {
    "json": json.dumps(ITEMS, ensure_ascii=False),
    "json escaped": json.dumps(ITEMS),
    "json fenced": f"```json\n{json.dumps(ITEMS, ensure_ascii=False)}\n```",
    "python": repr(ITEMS),
    "tuple": repr(tuple(ITEMS)),
    "json of objects": json.dumps([{"name": item} for item in ITEMS]),
    "json in a list": [json.dumps(ITEMS)],
    "bullets": "\n".join(f"- {item}" for item in ITEMS),
    "stars": "\n".join(f"* {item}" for item in ITEMS),
    "dots": "\n".join(f"• {item}" for item in ITEMS),
    "numbers": "\n".join(f"{n}. {item}" for n, item in enumerate(ITEMS, 1)),
    "numbers in brackets": "\n".join(f"{n}) {item}" for n, item in enumerate(ITEMS, 1)),
    "boxes": "\n".join(f"- [ ] {item}" for item in ITEMS),
    "ticked boxes": "\n".join(f"* [x] {item}" for item in ITEMS),
    "emoji boxes": "\n".join(f"☐ {item}" for item in ITEMS),
    "plain lines": "\n".join(ITEMS),
    "CRLF lines": "\r\n".join(ITEMS),
    "lines with an introduction": "Itens:\n" + "\n".join(f"- {item}" for item in ITEMS),
    "escaped newlines": "\\n".join(f"- {item}" for item in ITEMS),
    "lines in a list": ["\n".join(f"- {item}" for item in ITEMS)],
    "commas": ", ".join(ITEMS),
    "semicolons": "; ".join(ITEMS),
    "pipes": " | ".join(ITEMS),
    "numbers in a line": " ".join(f"{n}. {item}" for n, item in enumerate(ITEMS, 1)),
    "boxes in a line": " ".join(f"[ ] {item}" for item in ITEMS),
    "bullets in a line": " ".join(f"- {item}" for item in ITEMS),
    "xml": "".join(f"<item>{item}</item>" for item in ITEMS),
    "html": "<ul>" + "".join(f"<li>{item}</li>" for item in ITEMS) + "</ul>",
    "objects name": [{"name": item} for item in ITEMS],
    "objects text": [{"text": item, "checked": False} for item in ITEMS],
    "objects item": [{"item": item, "pos": n} for n, item in enumerate(ITEMS)],
    "objects other": [{"id": n, "acao": item} for n, item in enumerate(ITEMS)],
    "objects keyed": [{f"item{n}": item} for n, item in enumerate(ITEMS)],
    "objects nested": [{"item": {"name": item}} for item in ITEMS],
    "objects as text": [json.dumps({"name": item}) for item in ITEMS],
    "marked": [f"- [ ] {item}" for item in ITEMS],
    "numbered": [f"{n}. {item}" for n, item in enumerate(ITEMS, 1)],
    "with empty ones": ["", *ITEMS, "  ", None, False],
    "dict of numbers": {str(n): item for n, item in enumerate(ITEMS)},
    "dict of boxes": dict.fromkeys(ITEMS, False),
    "dict of items": {"items": ITEMS},
    "dict of lists": {"Antes": ITEMS[:2], "Depois": ITEMS[2:]},
    "nested lists": [[A, B], [C, D]],
    "list of one list": [ITEMS],
    "controls": [f"\x1b[31m{item}\x00\x1b[0m" for item in ITEMS],
    "surrogates": [f"{item}\ud800" for item in ITEMS],
}
LITERAL_ITEMS: dict[str, list[str]] = {
    "braces": ["{{1}}", "{a: 1}", "Tratar {} vazio"],
    "options": ["--force documentado", "-v mostra cada passo", "**Negrito** fica", "*.py formatados"],
    "numbers": ["1.5 s de latência no máximo", "3 réplicas", "2026 sem regressões", "404 tratado"],
    "commas": ["Revisar código, testes, docs e logs", "a, b", "c; d", "e | f"],
    "repeated": ["Testar", "Publicar", "Testar", "Medir", "Revisar"],
    "quotes": ['"Nome" é obrigatório', "'sub' e 'iss' no token", 'Campo "x"', "`make test`"],
}

SCRIPTS = [
    *(
        Script(
            f"10 items: {name}",
            then_good(create(), add(0, items=shape)),
            shown=lambda card: items_of(card)[0] == ITEMS,
            calls_max=4,
        )
        for name, shape in SHAPES.items()
    ),
    *(
        Script(
            f"10 literal items: {name}",
            then_good(create(), add(0, items=items)),
            shown=lambda card, items=items: items_of(card)[0] == items,  # type: ignore[misc]
        )
        for name, items in LITERAL_ITEMS.items()
    ),
    Script(
        "10 items of numbers: four",
        then_good(create(), add(0, items=[1, 2.5, 3, 4])),
        shown=lambda card: items_of(card)[0] == ["1", "2.5", "3", "4"],
    ),
    *(
        Script(
            f"11 no items: {name}",
            then_good(create(), add(0, items=items)),
            shown=lambda card: len(card["checklists"]) == 3,
        )
        for name, items in {
            "empty": [],
            "null": None,
            "text": "",
            "blanks": ["", " ", "\n"],
            "controls": ["\x00", "\u202e"],
            "bullets": "- \n- \n",
            "true": True,
            "objects": [{}, {}],
            "empty json": "[]",
            "left out": None,
            "deep": json.loads("[" * 300 + "]" * 300),
        }.items()
    ),  # fmt: skip
    *(
        Script(
            f"30 short lists: {name}",
            only(create(), *(add(n, items=ITEMS[:size]) for n in range(3)), answer),
            err="items",
            expect=expect,
            flags=flags,
        )
        for name, size, flags, expect in (
            ("one item", 1, (), P),
            ("three items", 3, (), P),
            ("strict", 1, ("--strict",), 1),
            ("two, strict", 2, ("--strict",), 1),
        )
    ),
    Script(
        "30 short lists: then more",
        only(create(), add(0, items=[A]), add(0, items=[B, C, D]), add(1), add(2), answer),
        shown=lambda card: items_of(card)[0] == ITEMS,
        flags=("--strict",),
    ),
    Script(
        "30 short lists: planned",
        only(create(), add(0, items=[A]), answer),
        formats=lambda asked, nth: say(plan(checklists=CHECKLISTS[:1])),
        flags=("--strict",),
        shown=lambda card: len(items_of(card)[0]) >= 4,
    ),
    Script(
        "30 long lists: 40",
        then_good(create(), add(0, items=[f"Passo {n}" for n in range(40)])),
        err="left out",
        shown=lambda card: len(items_of(card)[0]) == 10,
    ),
    Script(
        "30 long lists: 11",
        then_good(create(), add(0, items=[f"Passo {n}" for n in range(11)])),
        err="left out",
        shown=lambda card: len(items_of(card)[0]) == 10,
    ),
    Script(
        "30 long lists: grown past ten",
        then_good(
            create(), add(0, items=[f"Passo {n}" for n in range(8)]), add(0, items=[f"Etapa {n}" for n in range(8)])
        ),
        err="left out",
    ),
    Script(
        "30 five lists: one after the other",
        only(create(), *(add(n % 3, title=f"Lista {n}") for n in range(5)), answer),
        shown=lambda card: len(card["checklists"]) == 3,
    ),
    Script(
        "30 five lists: short ones",
        only(create(), *(add(0, title=f"Lista {n}", items=[f"{A} {n}"]) for n in range(5)), answer),
        shown=lambda card: len(card["checklists"]) == 3,
    ),
    Script(
        "30 lists of one title: two",
        then_good(create(), add(0), add(1, title=CHECKLISTS[0][0].upper())),
        shown=lambda card: len(set(titles_of(card))) == len(titles_of(card)),
    ),
    Script(
        "30 lists without a title: three",
        only(create(), *(add(n, title=None) for n in range(3)), answer),
        shown=lambda card: all(titles_of(card)) and len(set(titles_of(card))) == 3,
    ),
]
