"""The loop: real ChatOllama, real graph, real HTTP; a scripted model and the sandbox's Trello."""

from __future__ import annotations

from tests.models import CHECKLISTS, DESC, PHRASE, TITLE, results, writer
from tests.ollama_server import LLAMA


def test_one_whole_card(run, trello, ollama):
    ollama(writer())
    result = run(PHRASE, "--due", "2030-12-01 18:00")
    assert result.code == 0, result.err
    (card,) = trello.cards
    assert result.out == f"https://trello.com/c/{card['shortLink']}\n"
    assert (card["name"], card["desc"], card["due"]) == (TITLE, DESC, "2030-12-01T21:00:00.000Z")
    assert card["idList"] == next(
        row["id"]
        for row in trello.snapshot()["lists"]
        if row["name"] == "Em progresso" and row["idBoard"] == card["idBoard"]
    )
    assert [c["name"] for c in card["checklists"]] == [title for title, _ in CHECKLISTS]
    assert [[i["name"] for i in c["checkItems"]] for c in card["checklists"]] == [items for _, items in CHECKLISTS]
    assert "prazo: dom 01/12/2030 18:00 -03:00" in result.err
    assert "Traceback" not in result.err
    assert "eprecat" not in result.err


def test_the_model_is_not_asked_what_the_code_knows_nor_again_when_the_card_is_full(run, trello, ollama):
    server = ollama(writer())
    assert run(PHRASE, "--due", "2030-12-01 18:00").code == 0
    first = server.chats[0]
    assert [r["tool"] for r in results(first)] == ["to_rfc3339", "resolve_list_id"]
    assert len(server.chats) == 1 + len(CHECKLISTS)
    assert len(trello.requests) == 1 + 3 + 12 + 2


def test_what_is_sent_to_the_model(run, trello, ollama):
    server = ollama(writer())
    assert run(PHRASE).code == 0
    for before, after in zip(server.chats, server.chats[1:], strict=False):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    for asked in server.chats:
        assert asked["options"]["num_ctx"] == 8192
        assert asked["keep_alive"] == "30m"
        assert asked["think"] == "low"
        assert [t["function"]["name"] for t in asked["tools"]] == [
            "to_rfc3339", "resolve_list_id", "create_card", "set_desc", "add_checklist"
        ]  # fmt: skip
    user = next(m["content"] for m in server.chats[0]["messages"] if m["role"] == "user")
    assert user == f"{PHRASE} | board: https://trello.com/b/AbCd1234/minha-equipe | lista: Em progresso"


def test_a_llama_always_has_the_user_speak_last_and_is_sent_no_think(run, trello, ollama):
    server = ollama(writer(), model=LLAMA)
    assert run(PHRASE).code == 0
    assert all(asked["messages"][-1]["role"] == "user" for asked in server.chats)
    assert all("think" not in asked for asked in server.chats)
