"""The scripted Ollama, driven by the clients that the product uses."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import httpx
import ollama
import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_ollama import ChatOllama

from tests.ollama_server import (
    GPT_OSS,
    LLAMA,
    FakeModel,
    Reply,
    ScriptedOllama,
    call,
    calls,
    card_from_format,
    cut,
    drip,
    error_line,
    html,
    http,
    say,
    silent,
    slow,
)
from tests.ollama_steps import Step

ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
}
ASK = [{"role": "user", "content": "oi"}]


def client(server: ScriptedOllama, **settings: Any) -> ollama.Client:
    return ollama.Client(server.host, trust_env=False, **settings)


def chat(server: ScriptedOllama, model: str = "gpt-oss:20b", **more: Any) -> ollama.ChatResponse:
    with client(server) as found:
        answer: ollama.ChatResponse = found.chat(model, ASK, **more)
        return answer


def post(server: ScriptedOllama, path: str, **body: Any) -> httpx.Response:
    return httpx.post(server.host + path, json=body, trust_env=False, timeout=5)


def lines(server: ScriptedOllama, **more: Any) -> list[dict[str, Any]]:
    answer = post(server, "/api/chat", model="gpt-oss:20b", messages=ASK, **more)
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


# The wire, by the real clients.


def test_ollama_client_reads_calls_texts_and_counts() -> None:
    with ScriptedOllama([call("add", {"a": 1}, thinking="hm", content="Vou"), say("feito")]) as server:
        first, second = chat(server, tools=[ADD], stream=False), chat(server)
    assert first.message.tool_calls is not None
    assert [(asked.function.name, asked.function.arguments) for asked in first.message.tool_calls] == [
        ("add", {"a": 1})
    ]
    assert (first.message.content, first.message.thinking, first.done_reason) == ("Vou", "hm", "stop")
    assert (second.message.content, second.done, second.model) == ("feito", True, "gpt-oss:20b")
    assert second.prompt_eval_count
    assert second.eval_count
    assert [asked["messages"] for asked in server.chats] == [ASK, ASK]


def test_ollama_client_streams() -> None:
    with ScriptedOllama([say("olá mundo", chunks=3)]) as server, client(server) as found:
        parts = list(found.chat("gpt-oss:20b", ASK, stream=True))
    assert [part.message.content for part in parts] == ["olá", " mu", "ndo", ""]
    assert [part.done for part in parts] == [False, False, False, True]


def test_chat_ollama_goes_through_a_tool_and_back() -> None:
    with ScriptedOllama([call("add", {"a": 2}, thinking="somo"), say("três")]) as server:
        model = ChatOllama(
            model="gpt-oss:20b", base_url=server.host, reasoning="low", client_kwargs={"trust_env": False}
        )
        asked = model.bind_tools([ADD]).invoke([HumanMessage("quanto?")])
        [tool_call] = asked.tool_calls
        answered = model.invoke([HumanMessage("quanto?"), asked, ToolMessage("3", tool_call_id=tool_call["id"])])
        model._client.close()  # type: ignore[no-untyped-call]
    assert (tool_call["name"], tool_call["args"]) == ("add", {"a": 2})
    assert asked.additional_kwargs["reasoning_content"] == "somo"
    assert asked.response_metadata["done_reason"] == "stop"
    assert answered.content == "três"
    assert answered.usage_metadata is not None
    assert [message["role"] for message in server.chats[1]["messages"]] == ["user", "assistant", "tool"]
    assert (server.chats[0]["think"], server.chats[0]["tools"][0]["function"]["name"]) == ("low", "add")


def test_ollama_client_shows_lists_and_pulls() -> None:
    remote = FakeModel("kimi:cloud", ("completion",), remote_host="https://ollama.com:443", remote_model="kimi")
    with (
        ScriptedOllama(models=[GPT_OSS, remote], pullable=[LLAMA]) as server,
        client(server) as found,
    ):
        shown = found.show("gpt-oss:20b")
        assert shown.capabilities == ["completion", "tools", "thinking"]
        assert shown.modelinfo is not None
        assert shown.modelinfo["gptoss.context_length"] == 131072
        assert shown.details is not None
        assert shown.details.family == "gptoss"
        assert [(model.model, model.digest) for model in found.list().models][0] == ("gpt-oss:20b", GPT_OSS.digest)
        with pytest.raises(ollama.ResponseError, match="model 'llama3.1:8b' not found") as error:
            found.show("llama3.1:8b")
        assert error.value.status_code == 404
        progress = list(found.pull("llama3.1:8b", stream=True))
        assert (progress[0].status, progress[-1].status) == ("pulling manifest", "success")
        assert [part.completed for part in progress if part.total][-1] == 1000
        assert found.show("llama3.1:8b").capabilities == ["completion", "tools"]
        with pytest.raises(ollama.ResponseError, match="file does not exist"):
            list(found.pull("nada", stream=True))
    assert shown_of(remote)["remote_host"] == "https://ollama.com:443"


def shown_of(model: FakeModel) -> Any:
    with ScriptedOllama(models=[model]) as server:
        return post(server, "/api/show", model=model.name).json()


def test_loading_takes_no_step() -> None:
    with ScriptedOllama([say("um")]) as server, client(server) as found:
        assert found.generate("gpt-oss:20b").done_reason == "load"
        assert post(server, "/api/chat", model="gpt-oss:20b", messages=[]).json()["done_reason"] == "load"
        assert found.chat("gpt-oss:20b", ASK).message.content == "um"
    assert len(server.chats) == 1
    assert [asked.path for asked in server.requests] == ["/api/generate", "/api/chat", "/api/chat"]


def test_latest_is_meant_where_no_tag_is_said() -> None:
    with ScriptedOllama([say("um")], models=[FakeModel("llama3.1:latest")]) as server:
        assert chat(server, "llama3.1").message.content == "um"
    with (
        ScriptedOllama([say("um")], models=[LLAMA]) as server,
        pytest.raises(ollama.ResponseError, match="not found"),
    ):
        chat(server, "llama3.1")


def test_old_server_tells_no_capabilities() -> None:
    assert "capabilities" not in shown_of(FakeModel("velho", None))


@pytest.mark.parametrize(
    ("more", "status", "text"),
    [
        ({"tools": [ADD]}, 400, '"small:1b" does not support tools'),
        ({"think": "low"}, 400, '"small:1b" does not support thinking'),
        ({"format": 7}, 500, "invalid format: 7"),
    ],
)
def test_what_a_model_cannot_is_refused(more: dict[str, Any], status: int, text: str) -> None:
    with ScriptedOllama([say("um")], models=[FakeModel("small:1b", ("completion",))]) as server:
        answer = post(server, "/api/chat", model="small:1b", messages=ASK, **more)
    assert (answer.status_code, answer.json()) == (status, {"error": text})


def test_decision_model_answers_its_questions() -> None:
    with ScriptedOllama(models=[FakeModel("nimble", ("decision",))]) as server:
        assert post(server, "/v1/systemone", model="nimble").status_code == 404
        server.decide = lambda asked: {key: {"noul": 0.9} for key in asked["questions"]}
        answer = post(server, "/v1/systemone", model="nimble", state="x", questions={"task": {"type": "noul"}})
    assert answer.json() == {"answers": {"task": {"noul": 0.9}}}


# The script.


def test_last_step_repeats_unless_told() -> None:
    with ScriptedOllama([say("um"), say("dois")]) as server:
        assert [chat(server).message.content for _ in range(3)] == ["um", "dois", "dois"]
    with ScriptedOllama([say("um")], repeat=False) as server:
        chat(server)
        with pytest.raises(ollama.ResponseError, match="the script has ended"):
            chat(server)


def test_script_can_be_a_function_of_the_request() -> None:
    with ScriptedOllama(lambda asked, nth: say(f"{nth}: {asked['messages'][-1]['content']}")) as server:
        assert [chat(server).message.content for _ in range(2)] == ["1: oi", "2: oi"]


def test_failure_in_the_script_fails_the_test() -> None:
    def script(asked: dict[str, Any], nth: int) -> Reply:
        raise AssertionError("not this message")

    with (
        pytest.raises(AssertionError, match="not this message"),
        ScriptedOllama(script) as server,
        pytest.raises(ollama.ResponseError),
    ):
        chat(server)


def test_calls_come_together_or_in_the_last_line() -> None:
    steps = [calls(("a", {}), ("b", {"x": [1]})), call("a", in_last=True, done_reason="length")]
    with ScriptedOllama(steps) as server:
        first, second = lines(server), lines(server)
    assert [line["message"]["tool_calls"][0]["function"] for line in first[:-1]] == [
        {"index": 0, "name": "a", "arguments": {}},
        {"index": 1, "name": "b", "arguments": {"x": [1]}},
    ]
    assert len(second) == 1
    assert second[0]["message"]["tool_calls"][0]["function"]["name"] == "a"
    assert (second[0]["done"], second[0]["done_reason"]) == (True, "length")


@pytest.mark.parametrize("raw", ['{"a": 1', [1], None, 7])
def test_arguments_can_be_anything(raw: Any) -> None:
    with ScriptedOllama([call("add", raw_arguments=raw)]) as server:
        assert lines(server)[0]["message"]["tool_calls"][0]["function"]["arguments"] == raw


def test_end_and_counts_can_be_missing_or_chosen() -> None:
    steps = [say("x", done=False), say("x", counts=False), say("x", prompt_tokens=8192, tokens=3)]
    with ScriptedOllama(steps) as server:
        cut_short, uncounted, counted = lines(server), lines(server), lines(server)
    assert [line["done"] for line in cut_short] == [False]
    assert "eval_count" not in uncounted[-1]
    assert (counted[-1]["prompt_eval_count"], counted[-1]["eval_count"]) == (8192, 3)


# What a schema gets.

SCHEMA = {
    "$defs": {
        "Checklist": {
            "type": "object",
            "properties": {
                "title": {"type": "string", "maxLength": 20},
                "items": {"type": "array", "items": {"type": "string"}, "minItems": 5, "maxItems": 10},
            },
        }
    },
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 80},
        "parts": {"type": "array", "items": {"type": "string"}},
        "due": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "kind": {"enum": ["bug", "task"]},
        "urgent": {"type": ["null", "boolean"]},
        "size": {"type": "integer", "minimum": 3},
        "checklists": {"type": "array", "items": {"$ref": "#/$defs/Checklist"}, "minItems": 2},
    },
}


def test_request_with_a_format_gets_the_least_whole_json_and_takes_no_step() -> None:
    with ScriptedOllama([say("um")]) as server:
        found = json.loads(chat(server, format=SCHEMA).message.content or "")
        assert chat(server).message.content == "um"
    assert list(found) == list(SCHEMA["properties"])
    assert (found["due"], found["kind"], found["urgent"], found["size"]) == ("", "bug", False, 3)
    assert 0 < len(found["title"]) <= 80
    assert len(found["parts"]) == 4
    assert len(found["checklists"]) == 2
    items = [item for checklist in found["checklists"] for item in checklist["items"]]
    assert len(items) == len(set(items)) == 10
    assert all(len(checklist["title"]) <= 20 for checklist in found["checklists"])


def test_formats_can_have_a_script_of_their_own() -> None:
    with ScriptedOllama([say("um")], formats=[say("{"), say({"title": "é"})]) as server:
        assert [chat(server, format=SCHEMA).message.content for _ in range(2)] == ["{", '{"title": "é"}']


def test_least_text_has_the_length_that_is_asked_for() -> None:
    found = json.loads(card_from_format({"properties": {"due": {"type": "string", "minLength": 90}}}))
    assert len(found["due"]) == 90


# The faults.


def test_refusals_and_pages() -> None:
    steps: list[Step] = [http(503, "server busy", {"Retry-After": "1"}), http(500, {"odd": 1}), html()]
    with ScriptedOllama(steps) as server:
        answers = [post(server, "/api/chat", model="gpt-oss:20b", messages=ASK) for _ in steps]
    assert [answer.status_code for answer in answers] == [503, 500, 502]
    assert answers[0].json() == {"error": "server busy"}
    assert answers[0].headers["Retry-After"] == "1"
    assert answers[2].text.startswith("<html>")


def test_error_in_mid_stream_has_status_200() -> None:
    with ScriptedOllama([error_line("error parsing tool call: raw='{'")]) as server:
        assert lines(server)[-1] == {"error": "error parsing tool call: raw='{'"}
        with client(server) as found, pytest.raises(ollama.ResponseError, match="parsing") as error:
            list(found.chat("gpt-oss:20b", ASK, stream=True))
    assert error.value.status_code == -1


@pytest.mark.parametrize(("reset", "error"), [(True, httpx.ReadError), (False, httpx.RemoteProtocolError)])
def test_stream_that_breaks_off(reset: bool, error: type[Exception]) -> None:
    with (
        ScriptedOllama([cut(reset=reset)]) as server,
        httpx.Client(trust_env=False) as found,
        found.stream("POST", server.host + "/api/chat", json={"model": "gpt-oss:20b", "messages": ASK}) as answer,
    ):
        got: list[str] = []
        with pytest.raises(error):
            got.extend(answer.iter_lines())
    assert answer.status_code == 200


@pytest.mark.parametrize("headers", [False, True])
def test_silence_lasts_until_the_server_stops(headers: bool) -> None:
    failed: list[Exception] = []

    def ask(server: ScriptedOllama) -> None:
        try:
            lines(server)
        except httpx.HTTPError as error:
            failed.append(error)

    with ScriptedOllama([silent(headers=headers)]) as server:
        waiting = threading.Thread(target=ask, args=(server,))
        waiting.start()
        while not server.chats:
            time.sleep(0.001)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                server.host + "/api/chat",
                json={"model": "gpt-oss:20b", "messages": ASK},
                trust_env=False,
                timeout=0.05,
            )
    waiting.join(2)
    assert not waiting.is_alive()
    assert len(failed) == 1


def test_drip_and_delay_end_whole() -> None:
    with ScriptedOllama([drip(0.001, "abc"), slow(0.001, say("x"))]) as server:
        assert [line["message"]["content"] for line in lines(server)] == ["a", "b", "c", ""]
        assert lines(server)[0]["message"]["content"] == "x"


def test_endless_drip_ends_with_the_server() -> None:
    with (
        ScriptedOllama([drip(0.001)]) as server,
        httpx.Client(trust_env=False) as found,
        found.stream("POST", server.host + "/api/chat", json={"model": "gpt-oss:20b", "messages": ASK}) as answer,
    ):
        arrived = answer.iter_lines()
        assert json.loads(next(arrived))["message"]["content"] == "."


def test_other_paths_are_not_there() -> None:
    with ScriptedOllama() as server:
        assert post(server, "/api/embed").status_code == 404
        assert httpx.get(server.host, trust_env=False).text == "Ollama is running"
        assert httpx.get(server.host + "/api/version", trust_env=False).json() == {"version": server.version}
        assert post(server, "/api/chat", model="nada", messages=ASK).json() == {"error": "model 'nada' not found"}
