"""What must hold after any run, whatever the model did."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.conftest import KEY, TOKEN, Result
from tests.hostile.script import SAFE, P, Script
from tests.ollama_server import ScriptedOllama
from tests.trello_server import TrelloServer
from tools.card import split_parts
from tools.kinds import PROMPTS, load_kind

KIND = load_kind("task", [PROMPTS / "agents"])


def check_safe(result: Result, trello: TrelloServer, list_name: str, expect: str | int = P) -> None:
    """One whole card with its url and exit 0, or nothing at all and another exit."""
    assert "Traceback" not in result.err
    assert not re.search(r"pydantic|ValidationError|\b[A-Z]\w+Error\b", result.err), result.err
    assert KEY not in result.out + result.err
    assert TOKEN not in result.out + result.err
    if result.code == 0 and expect == "dry":
        assert trello.requests == []
        assert result.out.startswith("# ")
    elif result.code == 0:
        (card,) = trello.cards
        url = result.json["url"] + "\n" if expect == "json" else result.out
        assert url == f"https://trello.com/c/{card['shortLink']}\n"
        assert card["idList"] == trello.list_id(list_name, card["idBoard"])
        check_whole(card)
    else:
        assert trello.cards == []
        assert result.out == ""
        assert re.search(r"^error: .+", result.err, re.M)
        assert len(re.findall(r"^(?:error|hint): ", result.err, re.M)) <= 2


def check_whole(card: dict[str, Any]) -> None:
    """What a card must have."""
    assert 0 < len(card["name"]) <= 80
    assert set(split_parts(card["desc"], KIND)) == {part.id for part in KIND.parts}
    assert len(card["desc"]) <= 16384
    assert 1 <= len(card["checklists"]) <= 3
    for checklist in card["checklists"]:
        assert checklist["name"]
        assert 1 <= len(checklist["checkItems"]) <= 10
    text = json.dumps(card, ensure_ascii=False)
    assert not re.search(r"\\u00[01][0-8bcef]|[\x7f-\x9f\ud800-\udfff]", text)


def check_conversation(server: ScriptedOllama) -> None:
    """What was sent to the model: few requests, no secret, each result a line of JSON that says whose it is."""
    sent = json.dumps([[asked.body, asked.headers] for asked in server.requests])
    for secret in (KEY, TOKEN, "Authorization", "authorization", "oauth_"):
        assert secret not in sent
    assert sum("tools" in asked for asked in server.chats) <= 12 + 4
    for asked in server.chats:
        for message in asked["messages"]:
            if message["role"] == "tool":
                outcome = json.loads(message["content"])
                assert isinstance(outcome["tool"], str)
                assert "\n" not in message["content"]
                assert outcome["ok"] or (outcome["error"] and outcome["next"])


def check_expected(script: Script, result: Result, trello: TrelloServer, server: ScriptedOllama) -> None:
    """What this script is to come to."""
    if script.expect == P:
        assert result.code == 0, result.err
        (card,) = trello.cards
        assert script.shown(card), card
    elif script.expect in ("dry", "json"):
        assert result.code == 0, result.err
    elif script.expect != SAFE:
        assert result.code == script.expect, result.err
    assert len(server.chats) <= script.calls_max
    assert script.err in result.err
    for text in script.never:
        assert text not in result.out + result.err
