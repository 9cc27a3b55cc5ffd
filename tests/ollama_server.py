"""A scripted server that speaks Ollama's HTTP API: what the model says is a list of steps, or a function.

with ScriptedOllama([call("add", {"a": 1}), say("done")]) as ollama:
    ... ollama.host, ollama.chats ...
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import NamedTuple, Self

from tests.model_text import card_from_format
from tests.ollama_steps import Json, Reply, Step, call, calls, cut, drip, error_line, html, http, say, silent, slow
from tools.loopback import LoopbackServer

VERSION = "0.40.4"


@dataclass(frozen=True)
class FakeModel:
    """A model that is pulled; `capabilities=None` is an old server that does not tell."""

    name: str = "gpt-oss:20b"
    capabilities: tuple[str, ...] | None = ("completion", "tools", "thinking")
    family: str = "gptoss"
    context_length: int = 131072
    template: str = ""
    remote_host: str = ""
    remote_model: str = ""
    digest: str = "aa4295ac10c3afb60e6d711289fc6896f5aef82258997b9efdaed6d0cc4cd8b8"
    size: int = 13_780_173_839

    def can(self, capability: str) -> bool:
        return self.capabilities is None or capability in self.capabilities

    @property
    def details(self) -> Json:
        return {"parent_model": "", "format": "gguf", "family": self.family, "families": [self.family]}

    @property
    def remote(self) -> Json:
        pairs = {"remote_host": self.remote_host, "remote_model": self.remote_model}
        return {key: value for key, value in pairs.items() if value}


GPT_OSS = FakeModel()
LLAMA = FakeModel("llama3.1:8b", ("completion", "tools"), "llama", digest="46e0c10c039e" + "0" * 52)


class Asked(NamedTuple):
    """A request that came in."""

    method: str
    path: str
    body: Json
    headers: dict[str, str]


Script = Sequence[Step] | Callable[[Json, int], Step]


class ScriptedOllama:
    """The server, for the length of a `with` block.

    Args:
        script: One step for each chat request, or a function of (request, how many came with it) that gives one. A
            failed assertion in it fails the `with` block.
        models: The models that are pulled.
        formats: The script of the requests with a `format`, which take no step of `script`; by default they get the
            least whole JSON of their schema.
        repeat: Whether the last step stands for all that follow; else they are answered with a 500.
        pullable: The models that can be pulled; None is any.
        decide: Answers `/v1/systemone`: request -> the object of answers. None is a server that has no such thing.
        version: What `/api/version` says.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        models: Sequence[FakeModel] = (GPT_OSS,),
        formats: Script | None = None,
        repeat: bool = True,
        pullable: Sequence[FakeModel] | None = None,
        decide: Callable[[Json], Json] | None = None,
        version: str = VERSION,
    ) -> None:
        self.script: Script = script
        self.formats: Script = formats or _least_whole
        self.models = {_full_name(model.name): model for model in models}
        self.repeat = repeat
        self.pullable = None if pullable is None else {_full_name(model.name): model for model in pullable}
        self.decide = decide
        self.version = version
        self._asked: list[Asked] = []
        self._counts = {"script": 0, "formats": 0}
        self._failures: list[Exception] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._server.start()
        self.host = self._server.address
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()
        if kind is None and self._failures:
            raise self._failures[0]

    @property
    def requests(self) -> list[Asked]:
        """Every request, in order of arrival."""
        with self._lock:
            return list(self._asked)

    @property
    def chats(self) -> list[Json]:
        """The requests that asked the model something: not those that only load it."""
        return [asked.body for asked in self.requests if asked.path == "/api/chat" and asked.body.get("messages")]

    def note(self, asked: Asked) -> None:
        with self._lock:
            self._asked.append(asked)

    def step_for(self, asked: Json) -> Step:
        """Return the next step for a chat request."""
        kind = "formats" if asked.get("format") else "script"
        script = self.formats if kind == "formats" else self.script
        with self._lock:
            self._counts[kind] += 1
            nth = self._counts[kind]
        if callable(script):
            return self._ask(script, asked, nth)
        if nth <= len(script) or (script and self.repeat):
            return script[min(nth, len(script)) - 1]
        return http(500, "the script has ended")

    def _ask(self, script: Callable[[Json, int], Step], asked: Json, nth: int) -> Step:
        try:
            return script(asked, nth)
        except Exception as error:  # a test's own function; its failure is raised where the test can see it
            self._failures.append(error)
            return http(500, f"the script failed: {error}")


def in_utf8(value: Json) -> bytes:
    """Return JSON as bytes, its letters as they are; half a surrogate pair can only go as an escape."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


class Wire(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self.ollama = self.server.ollama
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.asked: Json = json.loads(body) if body else {}
        self.model = str(self.asked.get("model") or self.asked.get("name") or "")
        path = self.path.partition("?")[0]
        self.ollama.note(Asked(self.command, path, self.asked, dict(self.headers.items())))
        route = _ROUTES.get((self.command, path))
        if route:
            route(self)
        else:
            self.whole(404, b"404 page not found", "text/plain")

    do_POST = do_HEAD = do_DELETE = do_GET

    def wait(self, seconds: float | None) -> bool:
        """Wait, and tell whether the server stops meanwhile."""
        return self.server.closing.wait(seconds)

    def whole(
        self, status: int, body: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an answer in one piece."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, value: Json, status: int = 200) -> None:
        self.whole(status, in_utf8(value))

    def start(self) -> None:
        """Begin a stream of lines."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def line(self, value: Json) -> None:
        """Send one line, with the model and the time before what is given."""
        self.chunk(in_utf8(self._stamped(value)) + b"\n")

    def end(self) -> None:
        """End a stream as it should end."""
        self.wfile.write(b"0\r\n\r\n")

    def stream(self, lines: Sequence[Json], plain: Sequence[str] = ()) -> None:
        """Send a whole stream; lines with one of the `plain` keys go without model and time."""
        self.start()
        for value in lines:
            if any(key in value for key in plain):
                self.chunk(json.dumps(value).encode() + b"\n")
            else:
                self.line(value)
        self.end()

    def answer(self, lines: Sequence[Json]) -> None:
        """Send a chat's lines as the request asks: one by one, or put together."""
        if self.asked.get("stream", True):
            self.stream(lines)
            return
        whole: Json = dict(lines[-1]) if lines else {}
        whole["message"] = {"role": "assistant", "content": ""}
        for part in (value["message"] for value in lines):
            for key in ("content", "thinking", "tool_calls"):
                if part.get(key):
                    whole["message"][key] = whole["message"].get(key, type(part[key])()) + part[key]
        self.json(self._stamped(whole))

    def drop(self, *, reset: bool) -> None:
        """Close the connection here and now."""
        if reset:
            # A linger of zero sends RST in place of FIN, which may overtake what was sent: let that arrive.
            self.wait(0.02)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for end in (self.wfile, self.rfile, self.connection):
            end.close()
        raise ConnectionAbortedError

    def _stamped(self, value: Json) -> Json:
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        return {"model": self.model, "created_at": now} | value

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Server(LoopbackServer):
    def __init__(self, ollama: ScriptedOllama) -> None:
        self.ollama = ollama
        super().__init__(Wire)


def _least_whole(asked: Json, nth: int) -> Step:
    return say(card_from_format(asked["format"] if isinstance(asked["format"], dict) else {}))


# What Ollama answers beside the model.


def _version(wire: Wire) -> None:
    wire.json({"version": wire.ollama.version})


def _tags(wire: Wire) -> None:
    listed = [
        {"name": name, "model": name, "modified_at": "2026-11-30T12:00:00Z", "size": model.size}
        | {"digest": model.digest, "details": model.details}
        | model.remote
        for name, model in wire.ollama.models.items()
    ]
    wire.json({"models": listed})


def _show(wire: Wire) -> None:
    model = _pulled(wire)
    if model:
        info = {"general.architecture": model.family, f"{model.family}.context_length": model.context_length}
        shown = {"template": model.template, "details": model.details, "model_info": info} | model.remote
        wire.json(shown if model.capabilities is None else shown | {"capabilities": list(model.capabilities)})


def _pulled(wire: Wire) -> FakeModel | None:
    """Return the model of the request; one that is not there is answered."""
    model = wire.ollama.models.get(_full_name(wire.model))
    if model is None:
        http(404, f"model '{wire.model}' not found").serve(wire)
    return model


def _generate(wire: Wire) -> None:
    if _pulled(wire):
        wire.json(wire._stamped({"response": "", "done": True, "done_reason": "load"}))


def _chat(wire: Wire) -> None:
    model = _pulled(wire)
    if model is None:
        return
    asked = wire.asked
    wanted = {"tools": bool(asked.get("tools")), "thinking": asked.get("think") is not None}
    for capability, is_wanted in wanted.items():
        if is_wanted and not model.can(capability):
            http(400, f'"{wire.model}" does not support {capability}').serve(wire)
            return
    if not isinstance(asked.get("format") or {}, dict) and asked["format"] != "json":
        http(500, f"invalid format: {json.dumps(asked['format'])}").serve(wire)
    elif not asked.get("messages"):
        message = {"role": "assistant", "content": ""}
        wire.json(wire._stamped({"message": message, "done": True, "done_reason": "load"}))
    else:
        wire.ollama.step_for(asked).serve(wire)


def _pull(wire: Wire) -> None:
    """Pull a model: it is there once the last line is sent."""
    name, pullable = _full_name(wire.model), wire.ollama.pullable
    if pullable is not None and name not in pullable:
        error = {"error": "pull model manifest: file does not exist"}
        wire.stream([error], plain=("error",)) if wire.asked.get("stream", True) else wire.json(error, 500)
        return
    model = pullable[name] if pullable else FakeModel(name)
    layer: Json = {"status": "pulling 46e0c10c039e", "digest": f"sha256:{model.digest}", "total": 1000}
    parts = [layer] + [layer | {"completed": done} for done in (250, 500, 1000)]
    lines: list[Json] = [
        {"status": "pulling manifest"},
        *parts,
        {"status": "verifying sha256 digest"},
        {"status": "success"},
    ]
    wire.ollama.models[name] = model
    wire.stream(lines, plain=("status",)) if wire.asked.get("stream", True) else wire.json(lines[-1])


def _system_one(wire: Wire) -> None:
    if wire.ollama.decide is None:
        wire.whole(404, b"404 page not found", "text/plain")
    elif _pulled(wire):
        wire.json({"answers": wire.ollama.decide(wire.asked)})


_ROUTES: dict[tuple[str, str], Callable[[Wire], None]] = {
    ("GET", "/"): lambda wire: wire.whole(200, b"Ollama is running", "text/plain"),
    ("HEAD", "/"): lambda wire: wire.whole(200, b"Ollama is running", "text/plain"),
    ("GET", "/api/version"): _version,
    ("GET", "/api/tags"): _tags,
    ("GET", "/api/ps"): lambda wire: wire.json({"models": []}),
    ("POST", "/api/show"): _show,
    ("POST", "/api/generate"): _generate,
    ("POST", "/api/chat"): _chat,
    ("POST", "/api/pull"): _pull,
    ("POST", "/v1/systemone"): _system_one,
}


def _full_name(name: str) -> str:
    """Return a model's name with its tag, which is `latest` when not said."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


__all__ = [
    "GPT_OSS",
    "LLAMA",
    "FakeModel",
    "Reply",
    "ScriptedOllama",
    "call",
    "calls",
    "card_from_format",
    "cut",
    "drip",
    "error_line",
    "html",
    "http",
    "say",
    "silent",
    "slow",
]
