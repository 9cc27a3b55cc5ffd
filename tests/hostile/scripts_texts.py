"""Titles and descriptions that are not what a tool takes (rows 12, 13, 30 and 31)."""

from __future__ import annotations

from typing import Any

from tests.hostile.script import (
    CHECKLISTS,
    DESC,
    PHRASE,
    TITLE,
    P,
    Script,
    add,
    answer,
    create,
    latest,
    only,
    then_good,
)
from tests.models import plan
from tests.ollama_steps import call, say

ITEMS = CHECKLISTS[0][1]
A, B, C, D = ITEMS
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
    "square": "[{}]\n",
    "dash": "{} - ",
    "html and text": "<h2>{}</h2><p>",
    "words before, colon": "Principais {lower}:\n",
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

ENGLISH = (
    "## Objectives\n\nThe delivery of the API is automated.\n\n"
    "## Deliverables\n\nThe workflow and the image.\n\n"
    "## Acceptance criteria\n\nThe build passes on the main branch.\n\n"
    "## Risks\n\nThe secrets are not in the right place.\n\n"
)
SCRIPTS = [
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
    Script(
        "30 language: English",
        only(
            create(
                title="Pipeline for the API",
                desc=ENGLISH,
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
]
