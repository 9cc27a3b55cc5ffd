"""A card that was written as text: found in Markdown, in JSON, and not where there is none."""

from __future__ import annotations

import json

import pytest

from tests.models import CHECKLISTS, DESC, PHRASE, TITLE, plan
from tests.ollama_steps import say
from tools.kinds import PROMPTS, load_kind
from tools.prose import plan_in_prose

KIND = load_kind("task", [PROMPTS / "agents"])
BOXES = "\n\n".join(f"### {title}\n" + "\n".join(f"- [ ] {item}" for item in items) for title, items in CHECKLISTS)
BOLD = "\n\n".join(
    f"**Checklist: {title}**\n" + "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    for title, items in CHECKLISTS
)
MARKDOWN = {
    "headings": f"# {TITLE}\n\n{DESC}\n\n## Checklists\n\n{BOXES}",
    "named title": f"Aqui está o cartão:\n\n**Título:** {TITLE}\n\n{DESC}\n\n{BOXES}",
    "bold lists": f"Título: {TITLE}\n\n{DESC}\n\n{BOLD}",
}


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_the_parts_of_a_card_are_found_in_markdown(text):
    found = plan_in_prose(text, KIND)
    assert found["title"] == TITLE
    assert len(found["description"]) >= 3
    assert [(c["title"], c["items"]) for c in found["checklists"]] == CHECKLISTS


@pytest.mark.parametrize("text", ['{"title": "Pipe', '```json\n{"title": "Pipeline", "description": {', "[{"])
def test_json_that_is_cut_is_no_prose(text):
    assert plan_in_prose(text, KIND) == {}


@pytest.mark.parametrize("text", ["Pronto! https://trello.com/c/abc", "Qual é o token?", "", "- um\n- dois"])
def test_what_is_no_card_has_no_title_and_no_description(text):
    found = plan_in_prose(text, KIND)
    assert "description" not in found


@pytest.mark.parametrize("text", [*MARKDOWN.values(), json.dumps(plan()), f"```json\n{json.dumps(plan())}\n```"])
@pytest.mark.parametrize("mode", ["react", "plan"])
def test_a_card_that_is_only_told_is_put_on_the_board_all_the_same(run, trello, ollama, mode, text):
    ollama([say(text)], formats=[say(text)])
    result = run(PHRASE, "--mode", mode)
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert card["name"] == TITLE
    assert [(c["name"], [i["name"] for i in c["checkItems"]]) for c in card["checklists"]] == CHECKLISTS


@pytest.mark.parametrize("text", ["Pronto! https://trello.com/c/abcdefgh", "Qual é o token?"])
def test_what_is_only_said_is_no_card(run, trello, ollama, text):
    ollama([say(text)], formats=[say(json.dumps(plan()))])
    result = run(PHRASE)
    assert (result.code, result.out, trello.cards) == (1, "", [])
