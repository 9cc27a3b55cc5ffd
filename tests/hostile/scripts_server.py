"""A server that fails, and messages that are not whole (rows 23, 24 and 32)."""

from __future__ import annotations

from tests.hostile.script import (
    DESC,
    SAFE,
    TITLE,
    Script,
    add,
    create,
    only,
    spoken,
    then_good,
)
from tests.hostile.scripts_flow import is_one, is_three
from tests.hostile.wire import SHAPES, encoded, in_bytes, line, message_of, raw, whole
from tests.models import writer
from tests.ollama_server import FakeModel
from tests.ollama_steps import Json, Step, call, cut, error_line, html, http, say

FAULTS: dict[str, Step] = {
    "500 parsing": http(500, 'error parsing tool call: raw=\'{"title": "x\' err=unexpected end'),
    "500": http(500, "llama runner process has terminated"),
    "503": http(503, "server busy, please try again."),
    "429": http(429, "too many requests"),
    "502 page": html(),
    "200 page": whole(200, b"<html><body>Welcome</body></html>"),
    "200 empty": whole(200, b"", "application/x-ndjson"),
    "200 null": whole(200, b"null\n", "application/x-ndjson"),
    "200 list": whole(200, b"[1, 2]\n", "application/x-ndjson"),
    "200 deep": whole(200, b"[" * 100_000, "application/x-ndjson"),
    "cut by reset": cut(),
    "cut by end": cut(reset=False),
    "error line": error_line("an error was encountered while running the model: CUDA out of memory"),
    "error first": error_line("unexpected EOF", before=""),
    "load": say("", done_reason="load"),
    "no done": say("Vou criar", done=False),
    "invalid utf-8": raw((b'{"message":{"content":"\xff\xfe"},"done":true}\n',)),
    "bad gzip": raw((b"\x1f\x8bnot gzip",), headers=(("Content-Encoding", "gzip"),)),
    "bad thinking": http(400, '"gpt-oss:20b" does not support thinking'),
}
FOR_EVER: dict[str, tuple[Step, str | int]] = {
    "401": (http(401, "unauthorized"), 4),
    "403": (http(403, "forbidden"), 4),
    "404": (http(404, "model 'gpt-oss:20b' not found"), 4),
    "302": (whole(302, b"", headers=(("Location", "http://127.0.0.1:9/"),)), 4),
    "400 tools": (http(400, "gpt-oss:20b does not support tools"), 4),
    "400": (http(400, "invalid options"), 4),
    "413": (whole(413, b"too large", "text/plain"), 4),
    "204": (whole(204, b""), 4),
}


# A whole call in a message that is not whole.
def cut_calls(name: str, args: Json) -> dict[str, Step]:
    body = line(message_of(name, args), done=False, done_reason=None)
    return {
        "length": call(name, args, done_reason="length"),
        "length in the last line": call(name, args, done_reason="length", in_last=True),
        "no done": call(name, args, done=False),
        "error after": raw((encoded(body, {"error": "unexpected EOF"}),)),
        "broken off": raw((encoded(body),), whole=False),
        "rubbish after": raw((encoded(body) + b"<html>",)),
    }


CUT = cut_calls("create_card", {"title": "Metade", "desc": DESC, "list_id": ""})
MESSAGES: dict[str, Json] = {
    "no reason": {"done_reason": None},
    "reason null": {"done_reason": "null"},
    "unknown reason": {"done_reason": "tool_calls"},
    "unload": {"done_reason": "unload"},
    "load, but with a call": {"done_reason": "load"},
    "another model": {"model": "llama3.1:8b"},
    "no model": {"model": None},
    "no time": {"created_at": None},
    "bad time": {"created_at": 7},
    "bad counts": {"eval_count": "many", "prompt_eval_count": None, "total_duration": -1.5, "logprobs": "x"},
    "more keys": {"context": [1, 2], "images": None, "response": 3, "error": None},
    "empty error": {"error": ""},
}
SCRIPTS = [
    *(
        Script(f"23 fault, once: {name}", then_good(fault), calls_max=5, shown=is_three)
        for name, fault in FAULTS.items()
    ),
    *(
        Script(f"23 fault, twice: {name}", then_good(create(), fault, fault), calls_max=6, shown=is_three)
        for name, fault in FAULTS.items()
        if name != "bad thinking"
    ),
    *(
        Script(
            f"23 fault, for ever: {name}",
            only(fault),
            expect=1
            if name
            in (
                "200 page",
                "200 empty",
                "200 null",
                "200 list",
                "200 deep",
                "cut by reset",
                "cut by end",
                "load",
                "no done",
                "invalid utf-8",
                "bad gzip",
            )
            else 4,
            calls_max=3,
        )
        for name, fault in FAULTS.items()
    ),
    *(
        Script(f"23 fault after the card: {name}", only(create(), fault), SAFE, calls_max=9)
        for name, fault in FAULTS.items()
    ),
    *(Script(f"23 refusal: {name}", only(step), expect=code, calls_max=3) for name, (step, code) in FOR_EVER.items()),
    *(
        Script(f"23 refusal after the card: {name}", only(create(), step), expect=code, calls_max=4)
        for name, (step, code) in FOR_EVER.items()
    ),
    *(
        Script(
            f"23 refusal after a whole card: {name}", only(create(), add(0), step), err="whole by then", shown=is_one
        )
        for name, (step, code) in FOR_EVER.items()
    ),
    Script(
        "23 fault after a whole card: 500", only(create(), add(0), FAULTS["500"]), err="whole by then", shown=is_one
    ),
    Script(
        "23 fault after a whole card: strict", only(create(), add(0), FAULTS["500"]), flags=("--strict",), shown=is_one
    ),
    Script(
        "23 fault after a short card: strict",
        only(create(), add(0, items=["a"]), FAULTS["500"]),
        flags=("--strict",),
        expect=1,
    ),
    *(
        Script(f"24 not whole: {name}", then_good(step), calls_max=5, shown=lambda c: c["name"] == TITLE)
        for name, step in CUT.items()
    ),
    *(Script(f"24 not whole, for ever: {name}", only(step), SAFE, calls_max=3) for name, step in CUT.items()),
    *(
        Script(f"24 lines: {name}", spoken(lambda n, a, s=shape: in_bytes(n, a, s)), shown=is_three, calls_max=4)
        for name, shape in SHAPES.items()
    ),  # type: ignore[misc]
    *(
        Script(
            f"24 last line: {name}",
            spoken(lambda n, a, m=m: raw((encoded(line(message_of(n, a), **m)),))),
            shown=is_three,
            calls_max=4,
        )
        for name, m in MESSAGES.items()
    ),  # type: ignore[misc]
    *(
        Script(f"24 message: {name}", then_good(raw((encoded(line(message)),))), shown=is_three)
        for name, message in {
            "missing": None,
            "text": "create_card",
            "list": [],
            "content null": {"role": "assistant", "content": None},
            "content list": {"content": [{"type": "text", "text": "Oi"}]},
            "thinking object": {"content": "", "thinking": {"a": 1}},
            "role missing": {"content": "Oi"},
            "role tool": {"role": "tool", "content": "Oi"},
            "surrogates": {"content": "\ud800 Oi"},
        }.items()
    ),
    Script(
        "32 no tools: told by show",
        writer(),
        expect=4,
        pulled=FakeModel("gemma:2b", ("completion",), "gemma"),
        calls_max=0,
        err="--mode plan",
    ),
    Script(
        "32 no tools: old server",
        only(http(400, "registry.ollama.ai/library/gemma:2b does not support tools")),
        expect=4,
        pulled=FakeModel("gemma:2b", None, "gemma"),
        calls_max=1,
        err="--mode plan",
    ),
    Script("32 no thinking: old server", writer(), pulled=FakeModel("gpt-oss:20b", None, "gptoss"), shown=is_three),
    Script(
        "32 not pulled: another", writer(), flags=("--model", "llama3.1:8b"), expect=4, err="ollama pull llama3.1:8b"
    ),
]
