"""Scripted models: functions from what was asked to what the model says next."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.ollama_steps import Json, Step, call, say

PHRASE = "implementar pipeline CI/CD dockerizado para FastAPI"
TITLE = "Pipeline CI/CD para FastAPI"
DESC = (
    "## Objetivos\n\nAutomatizar a entrega da API.\n\n## Entregáveis\n\n- Dockerfile\n- Workflow de CI\n\n"
    "## Critérios de aceite\n\n- O build passa na main\n\n## Riscos\n\n- Segredos mal configurados"
)
CHECKLISTS: list[tuple[str, list[str]]] = [
    ("Preparação", ["Definir imagem base", "Listar segredos", "Criar repositório de imagens", "Combinar versões"]),
    ("Implementação", ["Escrever Dockerfile", "Escrever workflow", "Rodar testes no CI", "Publicar a imagem"]),
    ("Entrega", ["Documentar o fluxo", "Revisar com a equipe", "Ativar em produção", "Medir o tempo de build"]),
]


def results(asked: Json) -> list[Json]:
    """The results of the tools so far."""
    return [json.loads(m["content"]) for m in asked["messages"] if m["role"] == "tool"]


def latest(asked: Json, key: str, default: str = "") -> str:
    """The last value of a key in the tools' results: what a model copies."""
    return next((str(r[key]) for r in reversed(results(asked)) if key in r), default)


def writer(
    title: str = TITLE, desc: str = DESC, checklists: Sequence[tuple[str, list[str]]] = tuple(CHECKLISTS)
) -> Callable[[Json, int], Step]:
    """A model that does one thing at a time, in order, and copies ids from the results."""

    def next_step(asked: Json, nth: int) -> Step:
        done = results(asked)
        card = next((r for r in done if r["tool"] == "create_card" and r["ok"]), None)
        made = sum(r["tool"] == "add_checklist" and r["ok"] for r in done)
        if card is None:
            return call("create_card", {"list_id": latest(asked, "list_id"), "title": title, "desc": desc})
        if made < len(checklists):
            name, items = checklists[made]
            return call("add_checklist", {"card_id": card["card_id"], "title": name, "items": items})
        return say(card["url"])

    return next_step


def plan(
    title: str = TITLE, checklists: Sequence[tuple[str, list[str]]] = tuple(CHECKLISTS), due: str = ""
) -> dict[str, Any]:
    """A whole plan, as the planner's schema has it."""
    return {
        "title": title,
        "description": {
            "objectives": ["Automatizar a entrega da API."],
            "deliverables": ["Dockerfile", "Workflow de CI"],
            "acceptance_criteria": ["O build passa na main"],
            "risks": ["Segredos mal configurados"],
        },
        "checklists": [{"title": name, "items": items} for name, items in checklists],
        "due": due,
    }
