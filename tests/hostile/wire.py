"""Ways for a server to answer that are not a model's fault: bytes, as they go on the wire."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.ollama_server import Wire, in_utf8
from tests.ollama_steps import Json, Reply, Step


@dataclass(frozen=True)
class raw:
    """Send bytes, in these chunks, as a whole stream; without `whole` the connection breaks after them."""

    chunks: tuple[bytes, ...]
    whole: bool = True
    headers: tuple[tuple[str, str], ...] = ()

    def serve(self, wire: Wire) -> None:
        wire.send_response(200)
        for name, value in (("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked"), *self.headers):
            wire.send_header(name, value)
        wire.end_headers()
        for chunk in self.chunks:
            wire.chunk(chunk)
        if self.whole:
            wire.end()
        else:
            wire.drop(reset=False)


@dataclass(frozen=True)
class whole:
    """Answer one body with a status."""

    status: int
    body: bytes
    kind: str = "text/html"
    headers: tuple[tuple[str, str], ...] = ()

    def serve(self, wire: Wire) -> None:
        wire.whole(self.status, self.body, self.kind, dict(self.headers))


def line(message: Any, **more: Any) -> Json:
    """One line of a stream; a value of None leaves its key out."""
    given: Json = {"model": "gpt-oss:20b", "created_at": "2026-11-30T12:00:00Z", "message": message}
    given |= {"done": True, "done_reason": "stop"} | more
    return {key: value for key, value in given.items() if value is not None}


def message_of(name: str, arguments: Any, **more: Any) -> Json:
    call: Json = {"function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]} | more


def encoded(*lines: Json, end: bytes = b"\n") -> bytes:
    return b"".join(in_utf8(one) + end for one in lines)


def in_bytes(name: str, arguments: Json, shape: Callable[[bytes], raw]) -> raw:
    """A good call, sent in a shape."""
    return shape(encoded(line(message_of(name, arguments))))


SHAPES: dict[str, Callable[[bytes], raw]] = {
    "byte by byte": lambda body: raw(tuple(body[i : i + 1] for i in range(len(body)))),
    "in threes, inside a letter": lambda body: raw(tuple(body[i : i + 3] for i in range(0, len(body), 3))),
    "CRLF": lambda body: raw((body.replace(b"\n", b"\r\n"),)),
    "BOM": lambda body: raw((b"\xef\xbb\xbf" + body,)),
    "empty lines": lambda body: raw((b"\n\n  \n" + body + b"\n\n",)),
    "no newline at the end": lambda body: raw((body.rstrip(b"\n"),)),
    "two objects on a line": lambda body: raw(
        (encoded(line({"role": "assistant", "content": ""}, done=False, done_reason=None), end=b"") + body,)
    ),
    "gzip": lambda body: raw((gzip.compress(body),), headers=(("Content-Encoding", "gzip"),)),
    "after the end": lambda body: raw((body + body,)),
}


def lines_of(step: Step, asked: Json) -> list[Json]:
    """The lines of a reply, stamped."""
    assert isinstance(step, Reply)
    stamp = {"model": "gpt-oss:20b", "created_at": "2026-11-30T12:00:00Z"}
    return [stamp | one for one in step._lines(asked)]
