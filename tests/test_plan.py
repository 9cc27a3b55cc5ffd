"""Plans read from whatever a model answers, and what is asked for next."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models import CHECKLISTS, DESC, PHRASE, TITLE, plan
from tools.brief import Brief
from tools.card import Card, Checklist, lacks
from tools.errors import ModelUnavailable
from tools.kinds import PROMPTS, load_kind
from tools.plan import PLAN_CALLS, Planned, ask_title, complete, merge, read, schema
from tools.prompt import Words

KIND = load_kind("task", [PROMPTS / "agents"])
BRIEF = Brief(PHRASE, KIND, "pt", "pt", "", "0" * 24, "", "", False, datetime(2026, 12, 1), "-03:00")
WORDS = Words(KIND, "pt")
LISTS = tuple(Checklist(title, tuple(items)) for title, items in CHECKLISTS)
WHOLE = Card(TITLE, DESC, LISTS)
TEXT = json.dumps(plan(), ensure_ascii=False)


class Asked:
    """A planner: its replies, and the requests it got."""

    def __init__(self, *replies: Any) -> None:
        self.replies = [r if isinstance(r, str) else json.dumps(r) for r in replies]
        self.requests: list[tuple[list[dict[str, Any]], dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]], wanted: Any) -> str:
        self.requests.append(([*messages], dict(wanted)))
        return self.replies[min(len(self.requests), len(self.replies)) - 1]

    @property
    def keys(self) -> list[list[str]]:
        return [list(wanted["properties"]) for _, wanted in self.requests]


def finish(card: Card, asked: Callable[..., str], *, calls: int = PLAN_CALLS, may_replace: bool = True) -> Planned:
    return complete(card, BRIEF, WORDS, asked, calls=calls, may_replace=may_replace)


def test_a_whole_plan_is_asked_for_once_with_everything() -> None:
    asked = Asked(plan(due="sexta"))
    planned = finish(Card(), asked)
    assert asked.keys == [["title", "description", "checklists", "due"]]
    assert lacks(planned.card, KIND, PHRASE, "pt") == []
    assert planned.due_words == "sexta"


@pytest.mark.parametrize(
    ("card", "keys"),
    [
        (replace(WHOLE, title=""), ["title"]),
        (replace(WHOLE, title="x" * 81), ["title"]),
        (replace(WHOLE, title=PHRASE), ["title"]),
        (replace(WHOLE, desc="Texto."), ["description"]),
        (replace(WHOLE, checklists=()), ["checklists"]),
        (replace(WHOLE, checklists=(Checklist("A", ("x",)),)), ["checklists"]),
        (Card(TITLE), ["description", "checklists"]),
    ],
)
def test_only_what_is_missing_is_asked_for_and_taken(card: Card, keys: list[str]) -> None:
    other = plan(title="Outro título", checklists=[("Outra", ["Um", "Dois", "Três", "Quatro"])])
    asked = Asked(other)
    planned = finish(card, asked, calls=1).card
    assert asked.keys == [keys]
    assert "title" in keys or planned.title == card.title
    assert "description" in keys or planned.desc == card.desc
    assert "checklists" in keys or planned.checklists == card.checklists
    assert lacks(planned, KIND, PHRASE, "pt") == []


def test_only_the_missing_parts_of_a_description_are_asked_for() -> None:
    asked = Asked({"description": {"risks": ["Atraso"]}})
    planned = finish(replace(WHOLE, desc=DESC.partition("\n\n## Riscos")[0]), asked, calls=1).card
    assert asked.requests[0][1]["properties"]["description"]["required"] == ["risks"]
    assert planned.desc.startswith(DESC.partition("\n\n## Riscos")[0])
    assert planned.desc.endswith("## Riscos\n\n- Atraso")


def test_a_planner_that_never_answers_is_asked_three_times_and_the_conversation_only_grows() -> None:
    asked = Asked("Não sei.")
    assert finish(Card(), asked).card == Card()
    assert len(asked.requests) == PLAN_CALLS == 3
    for (before, _), (after, _) in zip(asked.requests, asked.requests[1:], strict=False):
        assert after[: len(before)] == before
        assert after[-1]["role"] == "user"


def test_a_card_on_a_board_is_only_added_to() -> None:
    short = Checklist("Preparação", ("Um",))
    planned = finish(replace(WHOLE, checklists=(short,)), Asked(plan()), calls=1, may_replace=False).card
    assert planned.checklists[0].items[0] == "Um"
    assert len(planned.checklists[0].items) == 5


def test_a_title_alone() -> None:
    asked = Asked({"title": "**Novo título**"})
    assert ask_title(BRIEF, WORDS, asked) == "Novo título"
    assert asked.keys == [["title"]]

    def fails(messages: Any, wanted: Any) -> str:
        raise ModelUnavailable("down")

    assert ask_title(BRIEF, WORDS, fails) == ""


@pytest.mark.parametrize("end", range(1, len(TEXT) - 1, 17))
def test_a_plan_that_is_cut_gives_only_what_is_whole(end: int) -> None:
    found = read(TEXT[:end])
    whole = plan()
    assert found.get("title") in (None, TITLE)
    for part, points in found.get("description", {}).items():
        assert points == whole["description"][part][: len(points)]
    for had, wanted in zip(found.get("checklists", []), whole["checklists"], strict=False):
        assert had["title"] == wanted["title"]
        assert had.get("items", []) == wanted["items"][: len(had.get("items", []))]
    merge(Planned(Card()), found, lacks(Card(), KIND, PHRASE, "pt"), BRIEF, may_replace=True)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
KEYS = st.sampled_from(["title", "description", "checklists", "due", "items", "name", "arguments", "riscos"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES)) | VALUES)
def test_any_answer_is_read_and_merged(value: Any) -> None:
    found = read(json.dumps(value))
    missing = lacks(Card(), KIND, PHRASE, "pt")
    card = merge(Planned(Card()), found, missing, BRIEF, may_replace=True).card
    assert all(isinstance(item, str) and item for checklist in card.checklists for item in checklist.items)
    assert len(card.checklists) <= 3


def test_the_schema_has_the_bounds_of_the_kind_and_nothing_that_ollama_does_not_know() -> None:
    made = schema(KIND, ["title", "description", "checklists", "due"])
    known = {"type", "properties", "required", "items", "minItems", "maxItems"}

    def keywords(node: dict[str, Any]) -> set[str]:
        inner = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
        return set(node) | {key for part in inner for key in keywords(part)}

    assert keywords(made) <= known
    checklists = made["properties"]["checklists"]
    assert (checklists["minItems"], checklists["maxItems"]) == (1, 3)
    items = checklists["items"]["properties"]["items"]
    assert (items["minItems"], items["maxItems"]) == (4, 10)
