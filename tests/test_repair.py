"""Repair never raises, leaves literal text alone, and does nothing the second time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tools import TOOLS
from tools.names import canonical_name, snake
from tools.printed import calls_in_text, values_in
from tools.repair import mend_arguments, mend_message, plain_content
from tools.schema import read_tool
from tools.values import as_items, as_line, as_text, sound, strict_json, unmarked

TABLE = {tool.name: tool for tool in map(read_tool, TOOLS)}
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    [
        '{"a": 1}',
        "[1, 2]",
        "- [ ] x",
        "create_card(",
        "<tool_call>",
        "items",
        "title",
        "arguments",
        "{{1}}",
        "1. a 2. b",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(VALUES)
@example(json.loads("[" * 300 + "]" * 300))
def test_any_value_becomes_what_json_and_utf8_take(value: Any) -> None:
    mended = sound(value)
    json.dumps(mended, ensure_ascii=False, allow_nan=False).encode()
    assert sound(mended) == mended


@quick
@given(VALUES)
def test_any_message_is_mended_into_calls_of_text_and_lists(value: Any) -> None:
    for message in ({"content": value, "tool_calls": value}, {"tool_calls": [{"function": value}], "thinking": value}):
        mended, dropped = mend_message(message, TABLE)
        assert all(isinstance(entry, str) for entry in dropped)
        json.dumps(mended, ensure_ascii=False, allow_nan=False).encode()
        for call in mended.get("tool_calls", []):
            assert call["function"]["name"].strip()
            assert isinstance(call["function"]["arguments"], dict)


@quick
@given(st.sampled_from(sorted(TABLE)), VALUES)
def test_any_arguments_become_the_tools_own_and_stay_so(name: str, value: Any) -> None:
    tool = TABLE[name]
    mended, _ = mend_arguments(value, tool)
    for key, argument in mended.items():
        is_list = tool.parameters[key].type == "array"
        assert isinstance(argument, list if is_list else str)
        assert not is_list or all(isinstance(item, str) and item.strip() for item in argument)
    again, dropped = mend_arguments(mended, tool)
    assert dropped == []
    for key, argument in mended.items():
        if not (isinstance(argument, list) and len(argument) < 2):
            assert again[key] == argument


@quick
@given(st.text(max_size=200))
@example("[" * 3000)
@example('{"a":' * 3000)
@example("create_card(" * 500)
@example("<create_card>" * 200)
def test_any_text_can_be_searched_for_calls_and_plans(text: str) -> None:
    for name, _ in calls_in_text(text, TABLE):
        assert isinstance(name, str)
    list(values_in(text))
    assert plain_content(plain_content(text)) == plain_content(text)
    assert isinstance(canonical_name(text, TABLE), str)
    assert snake(snake(text)) == snake(text)


@quick
@given(st.text(st.characters(exclude_categories=("Cs",))))
@example('["urgente"]')
@example("{{1}}")
@example('{"a": [1]}')
@example("null")
@example("- item; outro, mais")
def test_a_text_that_is_a_title_or_a_description_is_left_alone(text: str) -> None:
    assert as_line(text) == text
    assert as_text(text) == text
    mended, dropped = mend_arguments({"title": text, "desc": text}, TABLE["create_card"])
    assert (mended, dropped) == ({"title": text, "desc": text}, [])


@quick
@given(
    st.lists(
        st.text("abc çã{}[]\"'.:%$", min_size=2).filter(lambda text: text == " ".join(text.split())),
        min_size=2,
        max_size=12,
    )
)
def test_items_that_are_texts_already_are_left_alone(items: list[str]) -> None:
    items = [item for item in items if unmarked(item) == item and item[:1] != "{"]
    if len(items) > 1:
        assert as_items(items) == items


@pytest.mark.parametrize(
    ("given_", "items"),
    [
        ("a;b", ["a", "b"]),
        ("Um, dois (três, quatro), cinco", ["Um", "dois (três, quatro)", "cinco"]),
        (["Revisar código, testes e docs"], ["Revisar código, testes e docs"]),
        ("Suportar Python 3. Testar tudo", ["Suportar Python 3. Testar tudo"]),
        ("Latência de 1,5 s", ["Latência de 1,5 s"]),
        ([{"title": "Fase", "items": ["a", "b"]}, {"title": "Outra", "items": ["c"]}], ["a", "b", "c"]),
        ([{"nome": "a", "feito": True}, {"nome": "b", "feito": False}], ["a", "b"]),
        (7, ["7"]),
        (True, []),
        (None, []),
        ({}, []),
        ("[]", []),
        ('["a", "b"', ["a", "b"]),
        ('"a",\n"b",\n"c"', ["a", "b", "c"]),
        ("C:\\novo", ["C:\\novo"]),
    ],
)
def test_shapes_of_items(given_: Any, items: list[str]) -> None:
    assert as_items(given_) == items


@pytest.mark.parametrize(
    "name", ["createTrelloCard", "trello_create_card", "create_cards", "delete_card", "", "<|channel|>"]
)
def test_a_name_that_no_tool_has_stays_unknown(name: str) -> None:
    assert canonical_name(name, TABLE) not in TABLE


@pytest.mark.parametrize(
    "text", ["", "x", "{", "{1", "[" * 5000, "9" * 5001 + "x", "lambda: 1", "__import__('os')", "a" * 300_000]
)
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="literal"):
        strict_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "Vou usar create_card e depois add_checklist.",
        'create_card: {"ok": true, "card_id": "x"}',
        '{"tool": "create_card", "ok": true, "url": "x"}',
        '{"title": "Pipeline", "url": "x"}',
        "create_card(titulo, desc)",
        "<create_card></create_card>",
        'usei create_card para abrir o cartão, e o resultado que veio foi {"title": "x"}',
    ],
)
def test_prose_and_results_are_no_calls(text: str) -> None:
    assert list(calls_in_text(text, TABLE)) == []


def test_a_whole_checklist_in_the_place_of_its_title_is_opened():
    nested = {"card_id": "x", "checklist": {"name": "Preparação", "checkItems": ["Medir", "Publicar"]}}
    mended, dropped = mend_arguments(nested, read_tool(TOOLS[-1]))
    assert (mended, dropped) == ({"card_id": "x", "title": "Preparação", "items": ["Medir", "Publicar"]}, [])
