"""Ids and dates that come from nowhere, and an invented url (rows 17, 20, 26 and 27)."""

from __future__ import annotations

from typing import Any

from tests.hostile.script import (
    CHECKLISTS,
    DESC,
    SAFE,
    TITLE,
    Script,
    add,
    answer,
    create,
    latest,
    only,
    then_good,
)
from tests.ollama_steps import Json, call, say

ITEMS = CHECKLISTS[0][1]
A, B, C, D = ITEMS
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
