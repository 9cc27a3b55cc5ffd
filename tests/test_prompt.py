"""Every word that is said to the model: the tools' schema, the sections, the reminders."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools import TOOLS, desk
from tools.card import Card, Lack
from tools.desk import next_call
from tools.kinds import PROMPTS, load_kind
from tools.prompt import Words
from tools.schema import read_tool

KIND = load_kind("task", [PROMPTS / "agents"])
LANGUAGES = ("pt", "en")
SOURCE = Path(desk.__file__).read_text(encoding="utf-8")
ERRORS = sorted({*re.findall(r'Refusal\(\s*"(\w+)"', SOURCE)})
LACKS = sorted({*re.findall(r'Lack\("(\w+)"', SOURCE + (PROMPTS.parent / "tools/card.py").read_text(encoding="utf-8"))})


def words(language: Any) -> Words:
    return Words(KIND, language)


def test_the_schema_of_the_five_tools_is_this() -> None:
    tools = [read_tool(function) for function in TOOLS]
    said = {tool.name: {"description": tool.description, "parameters": tool.schema()} for tool in tools}
    assert {name: list(tool["parameters"]["properties"]) for name, tool in said.items()} == {
        "to_rfc3339": ["text"],
        "resolve_list_id": ["board", "list_name"],
        "create_card": ["list_id", "title", "desc", "due"],
        "set_desc": ["card_id", "desc"],
        "add_checklist": ["card_id", "title", "items"],
    }
    assert {name: tool["parameters"]["required"] for name, tool in said.items()} == {
        "to_rfc3339": ["text"],
        "resolve_list_id": [],
        "create_card": ["list_id", "title", "desc"],
        "set_desc": ["card_id", "desc"],
        "add_checklist": ["card_id", "title", "items"],
    }
    for tool in said.values():
        for parameter in tool["parameters"]["properties"].values():
            assert set(parameter) - {"items"} == {"type", "description"}
            assert parameter["type"] in ("string", "array")
    digest = hashlib.sha256(json.dumps(said, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    # A change of what the model reads is meant: look at the new text, then put its digest here.
    assert digest[:16] == "48dd086e7559f115"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_system_prompt_has_all_sections_in_order_and_no_hole(language: str) -> None:
    text = words(language).system(["board: x", "list: y"])
    starts = [text.index(start) for start in ("1. ", "7. ", "## ", "- board: x", "- list: y")]
    assert starts == sorted(starts)
    assert not re.search(r"\{\w+\}", text)
    for tool in ("to_rfc3339", "resolve_list_id", "create_card", "add_checklist"):
        assert f"`{tool}`" in text
    for part in KIND.parts:
        assert f"## {part.heading[language]}" in text
    assert words(language).system(["board: z"]).startswith(text[: text.index("- board")].rstrip()[:-1])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["{headings}", "{fields}", "{{1}}", "%s", "{", "\\1"])
def test_what_a_task_says_is_not_filled_in(language: str, text: str) -> None:
    said = words(language)
    assert text in said.system([f"list: {text}"])
    assert said.user(text, [f"list: {text}"]) == f"{text} | list: {text}"
    assert text in said.error("unknown_tool", name=text, tools=text)["error"]
    assert text in said.reminder([Lack("few_items", must=False, names=(text,))], "add_checklist")
    assert text in said.plan_request(["title"], [Lack("few_items", must=False, names=(text,))], Card(text, text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", LACKS)
def test_each_lack_has_a_text_and_a_reminder_that_names_the_call(language: str, code: str) -> None:
    lack = Lack(code, must=True, names=("risks",))
    call = next_call([lack]) or "plan"
    reminder = words(language).reminder([lack], call)
    assert "{" not in reminder
    assert call == "plan" or call in reminder
    assert words(language).lacks([lack]) in reminder


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", ERRORS)
def test_each_refusal_says_what_is_wrong_and_what_to_do(language: str, code: str) -> None:
    text = words(language).messages["errors"][code]
    names = set(re.findall(r"\{(\w+)\}", text["error"] + text["next"]))
    said = words(language).error(code, **dict.fromkeys(names, "X"))
    assert said["error"]
    assert said["next"]
    assert "{" not in said["error"] + said["next"]


def test_each_refusal_gives_the_values_its_text_names() -> None:
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
            code = node.args[0]
            if isinstance(code, ast.Constant):
                given = {keyword.arg for keyword in node.keywords}
                for language in LANGUAGES:
                    text = words(language).messages["errors"][str(code.value)]
                    assert set(re.findall(r"\{(\w+)\}", text["error"] + text["next"])) <= given, code.value


def test_the_languages_have_the_same_texts_and_none_is_left_over() -> None:
    shapes = [_shape(words(language).messages) for language in LANGUAGES]
    assert shapes[0] == shapes[1]
    assert set(words("pt").messages["errors"]) == set(ERRORS)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shape(part) for key, part in value.items()}
    return sorted(re.findall(r"\{\w+\}", value))
