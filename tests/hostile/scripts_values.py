"""Values that are not what a tool takes: items, titles, descriptions, ids, dates (rows 10 to 13, 17, 26, 27, 30, 31)."""

from __future__ import annotations

import json
from typing import Any

from tests.hostile.script import (
    CHECKLISTS,
    DESC,
    PHRASE,
    SAFE,
    TITLE,
    P,
    Script,
    add,
    answer,
    create,
    items_of,
    latest,
    only,
    then_good,
    titles_of,
)
from tests.models import plan
from tests.ollama_steps import Json, call, say

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
    "repeated": [*ITEMS, *ITEMS, A.upper()],
    "controls": [f"\x1b[31m{item}\x00\x1b[0m" for item in ITEMS],
    "surrogates": [f"{item}\ud800" for item in ITEMS],
}
LITERAL_ITEMS: dict[str, list[str]] = {
    "braces": ["{{1}}", "{a: 1}", "Tratar {} vazio"],
    "options": ["--force documentado", "-v mostra cada passo", "**Negrito** fica", "*.py formatados"],
    "numbers": ["1.5 s de latência no máximo", "3 réplicas", "2026 sem regressões", "404 tratado"],
    "commas": ["Revisar código, testes, docs e logs", "a, b", "c; d", "e | f"],
    "quotes": ['"Nome" é obrigatório', "'sub' e 'iss' no token", 'Campo "x"', "`make test`"],
}
TITLES: dict[str, tuple[Any, str]] = {
    "braces": ("{{1}}", "{{1}}"),
    "brackets": ('["urgente"]', '["urgente"]'),
    "number": (2026, "2026"),
    "number as text": ("2026", "2026"),
    "json": ('{"a": 1}', '{"a": 1}'),
    "format": ("{title} %s {0}", "{title} %s {0}"),
    "dunder": ("__init__.py quebra a importação", "__init__.py quebra a importação"),
    "code": ("`make test` falha no CI", "`make test` falha no CI"),
    "markdown": ("## **Pipeline CI/CD**", "Pipeline CI/CD"),
    "lines": ("Pipeline\n\nCI/CD", "Pipeline CI/CD"),
    "controls": ("Pipe\x00line \x1b[31mCI\x1b[0m", "Pipeline CI"),
    "list of one": (["Pipeline CI/CD"], "Pipeline CI/CD"),
    "object": ({"text": "Pipeline CI/CD"}, "Pipeline CI/CD"),
    "null text": ("null", "null"),
}
BAD_TITLES: dict[str, Any] = {
    "the phrase": PHRASE,
    "the phrase shouted": PHRASE.upper() + "!",
    "300 characters": "Pipeline " * 34,
    "5000 digits": "9" * 5000,
    "a number of 5000 digits": int("9" * 4000),
    "3000 brackets": "[" * 3000,
    "empty": "",
    "blank": " \n ",
    "null": None,
    "true": True,
    "only controls": "\x00\x1b[2J\u202e",
}
HEADINGS: dict[str, str] = {
    "plain": "{}\n\n",
    "colon": "{}: ",
    "bold": "**{}**\n",
    "bold colon": "**{}:** ",
    "hash": "# {}\n",
    "six": "###### {}\n",
    "numbered": "{n}. {}\n",
    "numbered bold": "{n}. **{}**\n",
    "emoji": "## 🎯 {}\n",
    "upper": "## {upper}\n",
    "underlined": "{}\n======\n",
    "closed": "## {} ##\n",
    "html": "<h2>{}</h2>\n",
    "more words": "## {} do projeto\n",
    "words before": "## Principais {lower}\n",
    "bracket": "## {} (resumo)\n",
    "bullet": "- **{}**: ",
    "escaped": "## {}\\n\\n",
}
PORTUGUESE = ["Objetivos", "Entregáveis", "Critérios de aceite", "Riscos"]


def described(form: str, names: list[str], end: str = "\n\n") -> str:
    texts = ["Automatizar a entrega da API.", "Dockerfile e workflow.", "O build passa na main.", "Segredos expostos."]
    return end.join(
        form.format(name, n=n, upper=name.upper(), lower=name.lower()) + text
        for n, (name, text) in enumerate(zip(names, texts, strict=True), 1)
    )


def with_desc(desc: Any) -> Any:
    return only(create(desc=desc), add(0), add(1), add(2), answer)


PARTS = {
    "objetivos": "Automatizar a entrega.",
    "entregaveis": ["Dockerfile", "Workflow"],
    "criterios_de_aceite": ["Passa"],
}
DESCS: dict[str, Any] = {
    **{f"headings {name}": described(form, PORTUGUESE) for name, form in HEADINGS.items()},
    "escaped newlines": DESC.replace("\n", "\\n"),
    "in one line": described("{}: ", PORTUGUESE, " "),
    "English headings": described("## {}\n", ["Objectives", "Deliverables", "Acceptance criteria", "Risks"]),
    "Spanish headings": described("## {}\n", ["Objetivos", "Entregables", "Criterios de aceptación", "Riesgos"]),
    "synonyms": described("## {}\n", ["Metas", "Entregas", "Definição de pronto", "Riscos e mitigações"]),
    "object": PARTS | {"riscos": "Segredos"},
    "object, ids": {"objectives": "a b", "deliverables": ["c"], "acceptance_criteria": "d", "risks": ["e"]},
    "list of lines": DESC.split("\n\n"),
    "list of objects": [{"heading": name, "text": "Texto da parte."} for name in PORTUGUESE],
    "CRLF": DESC.replace("\n", "\r\n"),
    "controls": DESC.replace("\n\n", "\n\x00\x1b[31m\n"),
    "surrogates": DESC + "\udc00\ud800",
}
LITERAL_DESCS = ['["urgente"]', "{{1}}", "2026", '{"a": [1, {"b": 2}]}', "null", "${TOKEN} %s {title}", "[" * 3000]
LONG: dict[str, str] = {
    "3000": DESC + "\n\n" + "Texto." * 420,
    "16384": DESC + "\n\n" + "x" * (16384 - len(DESC) - 2),
    "40000 at the end": DESC + "\n\n" + "Texto corrido. " * 2600,
    "40000 in the middle": DESC.replace("## Entregáveis", "Texto corrido. " * 2600 + "\n\n## Entregáveis"),
    "40000 at the start": "Texto corrido. " * 2600 + "\n\n" + DESC,
    "40000 in each part": DESC.replace("\n\n## ", "Texto corrido. " * 900 + "\n\n## "),
    "emoji": DESC + "\n\n" + "🚀" * 2000,
    "CJK": DESC + "\n\n" + "漢字" * 500,
}
DUES: dict[str, str] = {
    "own ISO": "2023-10-05T18:00:00Z",
    "own ISO, other year": "2031-12-01T18:00:00-03:00",
    "words": "sexta 18:00",
    "date": "2030-12-01",
    "nonsense": "{{due}}",
    "placeholder": "<due>",
    "epoch": "1911772800",
}
OTHER = "5f" * 12


def id_script(name: str, **over: Any) -> Script:
    return Script(
        f"17 ids: {name}",
        only(
            create(**{k: v for k, v in over.items() if k == "list_id"}),
            *(add(n, **{k: v for k, v in over.items() if k == "card_id"}) for n in range(3)),
            answer,
        ),
        calls_max=5,
    )


def due_of(card: Json) -> Any:
    return card["due"]


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
            f"12 titles: {name}",
            then_good(create(title=title)),
            shown=lambda card, wanted=wanted: card["name"] == wanted,
            calls_max=4,
        )  # type: ignore[misc]
        for name, (title, wanted) in TITLES.items()
    ),
    *(
        Script(
            f"12 bad titles, once: {name}",
            then_good(create(title=title)),
            shown=lambda card: card["name"] == TITLE,
            calls_max=5,
        )
        for name, title in BAD_TITLES.items()
    ),
    *(
        Script(
            f"12 bad titles, for ever: {name}",
            only(create(title=title), create(title=title), create(title=title), add(0), add(1), answer),
            P,
            formats=lambda asked, nth: say(plan()),
            shown=lambda card: card["name"] == TITLE,
        )
        for name, title in BAD_TITLES.items()
        if name not in ("empty", "blank", "null", "true", "only controls")
    ),  # fmt: skip
    *(
        Script(
            f"12 bad titles, no other try: {name}",
            only(create(title=title), say("Pronto!")),
            P,
            formats=lambda asked, nth: say(plan()),
        )
        for name, title in BAD_TITLES.items()
    ),
    Script(
        "12 bad titles, no plan: 300 characters",
        only(
            create(title="Pipeline " * 34),
            create(title="Pipeline " * 35),
            create(title="Pipeline " * 36),
            add(0),
            answer,
        ),
        shown=lambda card: card["name"].startswith("Pipeline Pipeline") and len(card["name"]) <= 80,
    ),
    *(
        Script(
            f"13 literal descriptions: {desc[:20]}",
            then_good(create(desc=desc)),
            formats=lambda asked, nth: say(plan()),
            shown=lambda card, desc=desc: desc in card["desc"],
        )  # type: ignore[misc]
        for desc in LITERAL_DESCS
    ),
    *(Script(f"30 descriptions: {name}", with_desc(desc), calls_max=4) for name, desc in DESCS.items()),
    *(
        Script(
            f"30 no parts, mended: {name}",
            only(
                create(desc=desc),
                lambda asked: call("set_desc", {"card_id": latest(asked, "card_id"), "desc": DESC}),
                add(0),
                add(1),
                add(2),
                answer,
            ),
            calls_max=5,
            shown=lambda card: card["desc"] == DESC,
        )
        for name, desc in {
            "prose": "Fazer o pipeline.",
            "one part": "## Riscos\n\nAlgum.",
            "empty headings": "## Objetivos\n\n## Entregáveis\n\n## Critérios de aceite\n\n## Riscos\n",
        }.items()
    ),
    Script(
        "30 no parts, planned: prose",
        with_desc("Fazer o pipeline."),
        formats=lambda asked, nth: say(plan()),
        shown=lambda card: card["desc"].startswith("Fazer o pipeline."),
    ),
    Script("30 no parts, never mended: prose", with_desc("Fazer o pipeline."), expect=1),
    Script(
        "30 no parts, never mended: no description",
        then_good(create(desc=None)),
        shown=lambda card: card["desc"] == DESC,
    ),
    Script(
        "30 no parts, worse: set_desc",
        only(
            create(),
            lambda asked: call("set_desc", {"desc": "Nada."}),
            lambda asked: call("set_desc", {"desc": ""}),
            add(0),
            add(1),
            add(2),
            answer,
        ),
        shown=lambda card: card["desc"] == DESC,
    ),
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
    Script(
        "30 language: English",
        only(
            create(
                title="Pipeline for the API",
                desc="## Objectives\n\nThe delivery of the API is automated.\n\n## Deliverables\n\nThe workflow and the image.\n\n## Acceptance criteria\n\nThe build passes on the main branch.\n\n## Risks\n\nThe secrets are not in the right place.",
            ),
            create(),
            add(0),
            add(1),
            add(2),
            answer,
        ),
        phrase="criar o pipeline para a API com a equipe de entrega",
        shown=lambda card: card["name"] == TITLE,
    ),
    *(
        Script(
            f"31 long: {name}",
            with_desc(desc),
            calls_max=4,
            shown=lambda card, desc=desc: (card["desc"] == desc) if len(desc) <= 16384 else "cortado" in card["desc"],
        )  # type: ignore[misc]
        for name, desc in LONG.items()
    ),
    Script("31 long: no parts", with_desc("Texto corrido. " * 2600), formats=lambda asked, nth: say(plan())),
    *(
        id_script(f"list {name}", list_id=value)
        for name, value in {
            "left out": None,
            "name": "Em progresso",
            "name folded": "EM PROGRESSO",
            "placeholder": "<list_id>",
            "braces": "{{list_id}}",
            "dollar": "$list_id",
            "words": "id da lista",
            "null": "null",
            "object": {"id": "<list_id>"},
        }.items()
    ),
    *(
        id_script(f"card {name}", card_id=value)
        for name, value in {
            "left out": None,
            "placeholder": "<card_id>",
            "words": "the id of the card",
            "name": TITLE,
            "number": 1,
            "previous": "${create_card.card_id}",
            "null": "null",
            "uuid": "123e4567-e89b-12d3-a456-426614174000",
        }.items()
    ),
    Script(
        "17 ids refused: invented list, then resolved",
        then_good(create(list_id=OTHER), call("resolve_list_id", {})),
        shown=lambda card: len(card["checklists"]) == 3,
    ),
    Script("17 ids refused: another list's name", then_good(create(list_id="Concluído"), create(list_id="A fazer"))),
    Script(
        "17 ids refused: another card",
        then_good(create(), add(0, card_id=OTHER), add(0, card_id="https://trello.com/c/XyZ98765")),
        shown=lambda card: len(card["checklists"]) == 3,
    ),
    Script(
        "17 ids refused: another card's description",
        then_good(create(), lambda asked: call("set_desc", {"card_id": OTHER, "desc": "Apagado"})),
        shown=lambda card: card["desc"] == DESC,
    ),
    Script("17 ids refused: another list for ever", only(create(list_id=OTHER)), expect=1),
    Script(
        "17 ids: its url for the card",
        only(
            create(),
            lambda asked: call("add_checklist", {"card_id": latest(asked, "url"), "title": "T", "items": ITEMS}),
            add(1),
            add(2),
            answer,
        ),
        calls_max=5,
    ),
    Script(
        "17 lists of other boards: asked for",
        then_good(call("resolve_list_id", {"board": "https://trello.com/b/ZZZZ9999/outro", "list_name": "Concluído"})),
    ),
    *(
        Script(
            f"26 due with --due: {name}",
            only(create(due=due), add(0), add(1), add(2), answer),
            flags=("--due", "2030-12-01 18:00"),
            calls_max=4,
            shown=lambda card: due_of(card) == "2030-12-01T21:00:00.000Z",
        )
        for name, due in DUES.items()
    ),
    *(
        Script(
            f"26 due from nowhere: {name}",
            only(create(due=due), create(due=due), create(), add(0), add(1), add(2), answer),
            shown=lambda card: due_of(card) is None,
        )
        for name, due in DUES.items()
    ),
    Script(
        "26 due from nowhere: insists",
        only(create(due=DUES["own ISO"]), create(due=DUES["own ISO"]), add(0), add(1), add(2), answer),
        shown=lambda card: due_of(card) is None,
    ),
    Script(
        "26 due with a source: resolved",
        only(
            call("to_rfc3339", {"text": "2030-12-05 10:00"}),
            lambda asked: create(due=latest(asked, "due"))(asked),
            add(0),
            add(1),
            add(2),
            answer,
        ),
        shown=lambda card: due_of(card) == "2030-12-05T13:00:00.000Z",
    ),  # type: ignore[operator]
    Script(
        "26 due with a source: same instant",
        only(
            call("to_rfc3339", {"text": "2030-12-05 10:00"}),
            create(due="2030-12-05T13:00:00Z"),
            add(0),
            add(1),
            add(2),
            answer,
        ),
        shown=lambda card: due_of(card) == "2030-12-05T13:00:00.000Z",
    ),
    Script(
        "26 due with a source: not understood",
        then_good(
            call("to_rfc3339", {"text": "quando der"}),
            call("to_rfc3339", {"text": "2001-01-01"}),
            call("to_rfc3339", {"text": "x" * 5000}),
        ),
        shown=lambda card: due_of(card) is None,
    ),
    *(
        Script(
            f"27 due of the phrase: {name}",
            only(call("to_rfc3339", {"text": "2030-12-04"}), create(due=due), add(0), add(1), add(2), answer),
            phrase="publicar a API até 01/12/2030 18:00",
            shown=lambda card: due_of(card) == "2030-12-01T21:00:00.000Z",
        )
        for name, due in {"other": "2030-12-04", "none": "", "Z": "2030-12-04T00:00:00Z"}.items()
    ),
    Script(
        "20 url: invented, after the card",
        only(create(), add(0), add(1), say("https://trello.com/c/AAAA1111")),
        SAFE,
        never=("AAAA1111",),
    ),
]
