from __future__ import annotations

import json

from tests.conftest import CHECKLISTS, DESC, PHRASE
from tests.ollama_steps import call, say


def last_results(asked):
    return [json.loads(m["content"]) for m in asked["messages"] if m["role"] == "tool"]


def from_results(key):
    """The last value of a key in the tools' results: what a model that copies ids does."""

    def find(asked):
        return next(r[key] for r in reversed(last_results(asked)) if key in r)

    return find


def well_behaved(asked, nth):
    results = last_results(asked)
    card = next((r for r in results if r["tool"] == "create_card" and r["ok"]), None)
    done = sum(r["tool"] == "add_checklist" and r["ok"] for r in results)
    if card is None:
        list_id = next(r["list_id"] for r in results if r["tool"] == "resolve_list_id")
        return call("create_card", {"list_id": list_id, "title": "Pipeline CI/CD", "desc": DESC})
    if done < 3:
        title, items = CHECKLISTS[done]
        return call("add_checklist", {"card_id": card["card_id"], "title": title, "items": items})
    return say(card["url"])


def test_one_whole_card(run, trello, ollama):
    server = ollama(well_behaved)
    result = run(PHRASE, "--due", "amanhã 18:00")
    assert (result.code, result.err.count("Traceback")) == (0, 0), result.err
    (card,) = trello.cards
    assert result.out == f"https://trello.com/c/{card['shortLink']}\n"
    assert [c["name"] for c in card["checklists"]] == [title for title, _ in CHECKLISTS]
    assert [[i["name"] for i in c["checkItems"]] for c in card["checklists"]] == [items for _, items in CHECKLISTS]
    assert len(server.chats) == 4
    assert len(trello.requests) == 1 + 3 + 12 + 2
