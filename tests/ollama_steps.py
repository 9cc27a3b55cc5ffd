"""What a scripted model says, and how its server fails: one step answers one chat request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.ollama_server import Wire

Json = dict[str, Any]
UNSET: Any = object()


class Step(Protocol):
    """One answer of the script to one chat request."""

    def serve(self, wire: Wire) -> None:
        """Put the answer on the wire."""


# What the model says.


@dataclass(frozen=True)
class Reply:
    """A whole reply, as NDJSON or as one object, whichever the request asks for.

    `calls` are (name, arguments) with the arguments as they go on the wire; `done=False` leaves the last line out;
    `in_last` puts the calls into it; `counts=False` leaves the tokens out; `prompt_tokens` says what was read.
    """

    content: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thinking: str = ""
    done_reason: str = "stop"
    done: bool = True
    in_last: bool = False
    counts: bool = True
    prompt_tokens: int | None = None
    tokens: int | None = None
    chunks: int = 1

    def serve(self, wire: Wire) -> None:
        wire.answer(list(self._lines(wire.asked)))

    def _lines(self, asked: Json) -> Iterable[Json]:
        for part in _split(self.thinking, self.chunks):
            yield {"message": {"role": "assistant", "content": "", "thinking": part}, "done": False}
        for part in _split(self.content, self.chunks):
            yield {"message": {"role": "assistant", "content": part}, "done": False}
        calls = [
            {"function": {"index": index, "name": name, "arguments": arguments}}
            for index, (name, arguments) in enumerate(self.calls)
        ]
        for tool_call in () if self.in_last else calls:
            yield {"message": {"role": "assistant", "content": "", "tool_calls": [tool_call]}, "done": False}
        if self.done:
            message: Json = {"role": "assistant", "content": ""}
            message |= {"tool_calls": calls} if self.in_last and calls else {}
            yield {"message": message, "done": True, "done_reason": self.done_reason} | self._counts(asked)

    def _counts(self, asked: Json) -> Json:
        if not self.counts:
            return {}
        said = len(self.content) + len(self.thinking) + len(json.dumps(self.calls))
        read = len(json.dumps([asked.get("messages"), asked.get("tools")], ensure_ascii=False)) // 4
        return {
            "total_duration": 2_000_000,
            "load_duration": 1_000_000,
            "prompt_eval_count": read if self.prompt_tokens is None else self.prompt_tokens,
            "prompt_eval_duration": 500_000,
            "eval_count": said // 4 + 1 if self.tokens is None else self.tokens,
            "eval_duration": 500_000,
        }


def say(content: str | Json, **more: Any) -> Reply:
    """Answer a text; a value that is no text is said as JSON. For the rest see Reply."""
    return Reply(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), **more)


def call(name: str, arguments: Json | None = None, *, raw_arguments: Any = UNSET, **more: Any) -> Reply:
    """Ask for a tool; `raw_arguments` goes on the wire as it is: a string, a list, null."""
    return Reply(calls=((name, (arguments or {}) if raw_arguments is UNSET else raw_arguments),), **more)


def calls(*asked: tuple[str, Any], **more: Any) -> Reply:
    """Ask for several tools in one message."""
    return Reply(calls=asked, **more)


# How the server fails.


@dataclass(frozen=True)
class http:
    """Answer a status; a text becomes Ollama's `{"error": text}`, an object is sent as it is."""

    status: int
    body: str | Json
    headers: Mapping[str, str] = field(default_factory=dict)

    def serve(self, wire: Wire) -> None:
        body = {"error": self.body} if isinstance(self.body, str) else self.body
        wire.whole(self.status, json.dumps(body).encode(), headers=self.headers)


@dataclass(frozen=True)
class html:
    """Answer what a proxy answers."""

    status: int = 502

    def serve(self, wire: Wire) -> None:
        wire.whole(self.status, b"<html><body><h1>502 Bad Gateway</h1></body></html>", "text/html")


@dataclass(frozen=True)
class error_line:
    """Start well, then send an error with the status still 200."""

    error: str
    before: str = "Vou"

    def serve(self, wire: Wire) -> None:
        lines = [{"message": {"role": "assistant", "content": self.before}, "done": False}] if self.before else []
        wire.stream([*lines, {"error": self.error}], plain=("error",))


@dataclass(frozen=True)
class cut:
    """Break off in the middle of a line: by a reset, or by an end that looks orderly."""

    before: str = "Vou criar o"
    reset: bool = True

    def serve(self, wire: Wire) -> None:
        wire.start()
        wire.line({"message": {"role": "assistant", "content": self.before}, "done": False})
        wire.chunk(b'{"model":"' + wire.model.encode() + b'","message":{"role":"assist')
        wire.drop(reset=self.reset)


@dataclass(frozen=True)
class silent:
    """Never answer, until the server stops; with `headers` the headers come, and then nothing."""

    headers: bool = False

    def serve(self, wire: Wire) -> None:
        if self.headers:
            wire.start()
        wire.wait(None)
        wire.close_connection = True


@dataclass(frozen=True)
class drip:
    """Say a text one character at a time; an empty one never ends."""

    interval_s: float
    text: str = ""

    def serve(self, wire: Wire) -> None:
        wire.start()
        for character in self.text or _endless():
            wire.line({"message": {"role": "assistant", "content": character}, "done": False})
            if wire.wait(self.interval_s):
                wire.close_connection = True
                return
        for line in say("")._lines(wire.asked):
            wire.line(line)
        wire.end()


@dataclass(frozen=True)
class slow:
    """Take a while, then answer."""

    seconds: float
    step: Step

    def serve(self, wire: Wire) -> None:
        if wire.wait(self.seconds):
            wire.close_connection = True
        else:
            self.step.serve(wire)


def _split(text: str, parts: int) -> list[str]:
    """Return a text in so many pieces, none for none."""
    size = max(1, -(-len(text) // max(parts, 1)))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _endless() -> Iterable[str]:
    while True:
        yield "."
