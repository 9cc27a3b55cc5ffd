"""A model on Ollama, made safe to ask: who runs it, what it can do, and replies that are whole or not there.

All requests for text go through ``Ollama.chat``: it reads the stream with the run's own deadline at each chunk, repeats
what can pass, and gives back one whole message or raises. ``ChatTransport`` puts it under ChatOllama, so that what
LangChain sees is always one clean line.

Facts (langchain-ollama 1.1.0, ollama 0.6.3, Ollama's source of August 2026):

* The context is 4096 below 24 GiB of memory unless ``num_ctx`` is sent, and a change of it reloads the model: always
  the same value, also when loading. Overflow cuts the front of the conversation, silently.
* A load can take minutes and sends no header until it is done; httpx's read timeout is per chunk.
* A stream that ends without ``done: true``, an error line with status 200 and ``done_reason: length`` are accepted by
  the client libraries, half a tool call included.
* Text arguments are parsed again as JSON by langchain-ollama, one level deep: ``["urgente"]`` becomes a list. One level
  further down they are left alone.
* ``think`` is refused with 400 by models that cannot; gpt-oss takes a level, not a boolean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from tools.clock import Clock
from tools.errors import Forbidden, ModelUnavailable, OutOfTime, UnusableCard
from tools.hosts import Host, is_cloud_name
from tools.repair import mend_message
from tools.schema import Tool
from tools.text import one_line
from tools.values import sound

NUM_CTX = 8192
KEEP_ALIVE = "30m"
_FIRST_BYTE_S = 300.0
_CHECK_S = 10.0
_REPEATS_A_REQUEST, _REPEATS_A_RUN = 2, 4
_REPLY_MAX_BYTES = 4_000_000
_COUNTS = (
    "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
)  # fmt: skip
_WRAP = "call"  # what arguments are wrapped in on their way through langchain-ollama


@dataclass(frozen=True)
class Patience:
    """How long to wait before a request is repeated, in seconds; the second time twice as long.

    Args:
        fault_s: After a reply that broke off or an error of the server.
        connect_s: After no connection.
        busy_s: After 429 and 503.
    """

    fault_s: float
    connect_s: float
    busy_s: float


PATIENCE = Patience(fault_s=0.2, connect_s=0.5, busy_s=2.0)  # a run reads it when it waits; the tests shorten it


@dataclass(frozen=True)
class Model:
    """What Ollama says of a model.

    Args:
        name: As it was asked for.
        digest: Of the model's manifest; empty when the server does not say.
        thinks: Whether it can be told how much to think.
        num_ctx: The context that is asked for, in tokens.
        family: Such as ``gptoss`` or ``llama``.
        tools_need_user: Whether its template shows the tools only below a last message of the user.
    """

    name: str
    digest: str = ""
    thinks: bool = False
    num_ctx: int = NUM_CTX
    family: str = ""
    tools_need_user: bool = False

    @property
    def think(self) -> str | bool | None:
        """What to send as ``think``: gpt-oss takes a level, others a boolean, the rest nothing."""
        if not self.thinks:
            return None
        return "low" if "gptoss" in self.family or "gpt-oss" in self.name else False


class Ollama:
    """One model on one server, for one run.

    Args:
        host: Where it is; already found to be local, or allowed.
        model: The model's name.
        clock: The limit of the run.
        temperature: Of the sampling.
        log: Gets one line for each request and reply.
        progress: Told what the model is at: loading until its first words, then writing.
    """

    def __init__(
        self,
        host: Host,
        model: str,
        clock: Clock,
        *,
        temperature: float = 0.0,
        log: Callable[[str], None] = lambda line: None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.host, self.name, self._clock, self._temperature, self._log = host, model, clock, temperature, log
        self.model = Model(model)
        self._progress, self._doing = progress, f"loading {model}"
        self._no_think = False
        self._repeats_left = _REPEATS_A_RUN
        timeout = httpx.Timeout(None, connect=_CHECK_S)
        self._http = httpx.Client(base_url=host.url, timeout=timeout, trust_env=False)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def check(self, *, tools: bool, allow_remote: bool = False) -> Model:
        """Ask the server for the model: that it is there, runs here, and can do what is needed.

        Args:
            tools: Whether it must be able to call tools.
            allow_remote: Whether it may run in Ollama's cloud.

        Raises:
            Forbidden: When Ollama would run it in its cloud.
            ModelUnavailable: When the server or the model is not there, or the model cannot call tools.
        """
        status, shown = self._show()
        if is_cloud_name(self.name) and not allow_remote:
            raise Forbidden(f"{self.name} runs in Ollama's cloud, not on this machine", _LOCAL_HINT)
        if status == 404 and "model" in str(shown.get("error", "")):
            raise ModelUnavailable(f"the model {self.name} is not on this machine", f"ollama pull {self.name}")
        if status != 200:  # it is not known where the model runs, so nothing is sent to it
            what = f"Ollama at {self.host.name} does not say what {self.name} is ({status})"
            raise ModelUnavailable(what, "check that OLLAMA_HOST is an Ollama, or restart it")
        if not allow_remote and (shown.get("remote_host") or shown.get("remote_model")):
            where = one_line(str(shown.get("remote_host") or shown.get("remote_model")))
            raise Forbidden(f"{self.name} does not run on this machine but at {where}", _LOCAL_HINT)
        self.model = _described(self.name, shown)
        capabilities = shown.get("capabilities")
        if tools and isinstance(capabilities, list) and capabilities and "tools" not in capabilities:
            raise _no_tools(self.name)
        return self.model

    def _show(self) -> tuple[int, dict[str, Any]]:
        """Ask what the model is, again while the server fails, and return the status with the object of the answer."""
        for _ in range(_REPEATS_A_REQUEST + 1):
            ask = partial(self._http.post, "/api/show", json={"model": self.name})
            try:
                response = self._clock.wait_for(ask, at_most_s=_CHECK_S)
            except (httpx.HTTPError, OutOfTime) as error:
                raise self._not_there() from error
            if response.status_code < 500:
                break
            self._clock.sleep(PATIENCE.fault_s)
        if response.status_code == 503:
            raise ModelUnavailable("Ollama is busy (503)", "try again in a minute")
        try:
            data = response.json()
        except ValueError:
            data = {}
        return response.status_code, data if isinstance(data, dict) else {}

    def _not_there(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"Ollama does not answer at {self.host.name}", "start it with: ollama serve (or set OLLAMA_HOST)"
        )

    def load(self) -> None:
        """Let the server load the model, while other things are done; that it fails is told by the first chat."""
        body = {"model": self.name, "keep_alive": KEEP_ALIVE, "stream": False, "options": self._options()}
        try:
            self._clock.wait_for(lambda: self._http.post("/api/generate", json=body), at_most_s=_FIRST_BYTE_S)
        except (httpx.HTTPError, OutOfTime) as error:
            self._log(f"ollama: loading {self.name}: {type(error).__name__}")

    def _options(self) -> dict[str, Any]:
        return {"num_ctx": self.model.num_ctx, "num_predict": self.model.num_ctx, "temperature": self._temperature}

    def write(self, messages: list[dict[str, Any]], schema: Mapping[str, Any]) -> str:
        """Ask for text that follows a JSON schema, without tools, and return the text."""
        payload = {"messages": messages, "format": dict(schema)}
        return str(self.chat(payload).get("message", {}).get("content") or "")

    def chat(self, payload: Mapping[str, Any], tools: Mapping[str, Tool] | None = None) -> dict[str, Any]:
        """Ask the model once, and again for what can pass; return the last line of its reply, message included.

        Args:
            payload: Messages, tools, format; model, options and the like are set here.
            tools: The tools, when calls are to be mended by them.

        Returns:
            Ollama's last line, its ``message`` whole. With ``tools`` the calls are mended, and ``dropped`` names the
            arguments that no tool takes.

        Raises:
            ModelUnavailable: When the server fails for good, or the time is used up.
            UnusableCard: When replies keep coming cut.
        """
        request = {
            **payload, "model": self.name, "stream": True, "keep_alive": KEEP_ALIVE, "options": self._options(),
        }  # fmt: skip
        for repeat in range(_REPEATS_A_REQUEST + 1):
            request.pop("think", None)
            if self.model.think is not None and not self._no_think:
                request["think"] = self.model.think
            try:
                reply = self._reply(request)
                break
            except _Passing as error:
                self._log(f"ollama: {error}")
                self._repeats_left -= 1
                if repeat == _REPEATS_A_REQUEST or self._repeats_left < 0:
                    raise error.for_good from error
                self._clock.sleep(error.wait_s * (repeat + 1))
        if tools is not None:
            reply["message"], reply["dropped"] = mend_message(reply["message"], tools)
        self._log(f"model: {json.dumps(reply['message'], ensure_ascii=False)}")
        return reply

    def _reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Read one reply to its end and put it together; raise _Passing when it is not whole."""
        merged: dict[str, Any] = {"role": "assistant", "content": "", "thinking": "", "tool_calls": []}
        self._progress(self._doing)
        for line in self._lines(request):
            if self._doing.startswith("loading"):
                self._doing = f"writing ({self.name})"
                self._progress(self._doing)
            if line.get("error"):
                raise _Passing(
                    f"an error in the reply: {one_line(str(line['error']))[:200]}", self._failed(line["error"])
                )
            message = line.get("message")
            if isinstance(message, dict):
                merged["content"] += _text(message.get("content"))
                merged["thinking"] += _text(message.get("thinking"))
                merged["tool_calls"] += _list(message.get("tool_calls"))
            if line.get("done") is True:
                return self._finished(line, merged)
        raise _Passing("the reply ended in the middle", _cut())

    def _finished(self, line: dict[str, Any], merged: dict[str, Any]) -> dict[str, Any]:
        reason = line.get("done_reason")
        if reason == "length":
            raise _Passing("the reply was cut at the context's end", _cut())
        if reason == "load" and not merged["content"] and not merged["tool_calls"]:
            raise _Passing("the model was only loaded", _cut())
        message = {key: value for key, value in merged.items() if value or key in ("role", "content")}
        counts = {key: line[key] for key in _COUNTS if isinstance(line.get(key), int)}
        at = line.get("created_at")
        created_at = at if isinstance(at, str) else ""
        return {
            "model": self.name, "created_at": created_at, "message": sound(message), "done": True,
            "done_reason": "stop", **counts,
        }  # fmt: skip

    def _lines(self, request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the objects of the stream; each chunk is waited for no longer than the run has."""
        buffer, size = b"", 0
        try:
            for chunk in self._clock.each(lambda: self._chunks(request), at_most_s=_FIRST_BYTE_S):
                size += len(chunk)
                if size > _REPLY_MAX_BYTES:
                    raise _Passing("the reply does not end", _cut())
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    yield from _objects(line)
        except httpx.ConnectError as error:
            raise _Passing("no connection", self._not_there(), PATIENCE.connect_s) from error
        except httpx.HTTPError as error:
            raise _Passing(f"the connection broke ({type(error).__name__})", _cut()) from error
        yield from _objects(buffer)

    def _chunks(self, request: Mapping[str, Any]) -> Iterator[bytes]:
        with self._http.stream("POST", "/api/chat", json=dict(request)) as response:
            if response.status_code != 200:
                response.read()
                raise self._refusal(response)
            yield from response.iter_bytes()

    def _refusal(self, response: httpx.Response) -> Exception:
        """Return what a status means: most pass, some are for good."""
        try:
            data = response.json()
            text = str(data.get("error", "")) if isinstance(data, dict) else ""
        except ValueError:
            text = "an HTML page" if response.text.lstrip().startswith("<") else response.text
        text = one_line(text)[:200]
        status = response.status_code
        if status == 404:
            return ModelUnavailable(f"the model {self.name} is not on this machine", f"ollama pull {self.name}")
        if status == 400 and "support tools" in text:
            return _no_tools(self.name)
        if status == 400 and "think" in text and not self._no_think:
            self._no_think = True
            return _Passing(text, self._failed(text))
        if status >= 500 or status == 429:
            busy = ModelUnavailable("Ollama is busy (503)", "try again in a minute")
            return _Passing(
                f"{status} {text}",
                busy if status == 503 else self._failed(text),
                PATIENCE.busy_s if status in (429, 503) else None,
            )
        return ModelUnavailable(
            f"Ollama answered {status}: {text}", "see the server's log, or try another model with --model"
        )

    def _failed(self, text: Any) -> ModelUnavailable:
        return ModelUnavailable(
            f"Ollama failed with {self.name}: {one_line(str(text))[:160]}",
            "try --mode plan, another model with --model, or a newer Ollama",
        )


class _Passing(Exception):
    """A failure that may pass: what happened, and what to raise when it does not."""

    def __init__(self, what: str, for_good: Exception, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.for_good = for_good
        self.wait_s = PATIENCE.fault_s if wait_s is None else wait_s


def _objects(line: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of one line, which are one but for servers that leave the newline out."""
    decoder = json.JSONDecoder(parse_int=_integer)
    try:
        text = line.decode("utf-8-sig").strip()
        while text:
            data, end = decoder.raw_decode(text)
            if not isinstance(data, dict):
                raise ValueError("not an object")
            yield data
            text = text[end:].lstrip()
    except (ValueError, RecursionError) as error:
        raise _Passing("the reply is not Ollama's JSON", _cut()) from error


def _integer(digits: str) -> int | str:
    """Keep integers that no field of Ollama's can be as their digits: thousands of them do not convert."""
    return int(digits) if len(digits) < 19 else digits


def _text(value: Any) -> str:
    """Return a part of a message; one that is no text is kept as JSON, where a printed call may be found in it."""
    return value if isinstance(value, str) else json.dumps(sound(value), ensure_ascii=False) if value else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []


def _described(name: str, shown: Mapping[str, Any]) -> Model:
    details = shown.get("details")
    family = str((details if isinstance(details, dict) else {}).get("family") or "").lower()
    info = shown.get("model_info")
    lengths = [v for k, v in (info if isinstance(info, dict) else {}).items() if str(k).endswith(".context_length")]
    longest = next((value for value in lengths if isinstance(value, int) and value >= 1024), NUM_CTX)
    capabilities = shown.get("capabilities")
    return Model(
        name=name,
        digest=str(shown.get("digest") or ""),
        thinks=isinstance(capabilities, list) and "thinking" in capabilities,
        num_ctx=min(NUM_CTX, longest),
        family=family,
        tools_need_user=_tools_need_user(name, family, str(shown.get("template") or "")),
    )


def _tools_need_user(name: str, family: str, template: str) -> bool:
    """Return whether the template lists the tools only at a last message of the user, as llama3.1's does.

    See https://github.com/ollama/ollama/issues/6477: after a tool result such a model sees no tools any more.
    """
    if ".Tools" in template:
        return re.search(r"and \$\.Tools (\$last|\(le )|and \$last \$\.Tools", template) is not None
    return family == "llama" or name.rpartition("/")[2].startswith("llama3")


def _no_tools(name: str) -> ModelUnavailable:
    return ModelUnavailable(f"the model {name} cannot call tools", "use --mode plan, or another model with --model")


def _cut() -> UnusableCard:
    return UnusableCard("the model's replies keep breaking off", "try --mode plan, or another model with --model")


_LOCAL_HINT = "use a local model such as gpt-oss:20b or llama3.1:8b, or pass --allow-remote to send the phrase there"


class ChatTransport(httpx.BaseTransport):
    """Answers the requests of ChatOllama with whole, mended replies of an ``Ollama``.

    Args:
        ollama: Asks the model.
        tools: The tools, by name.
        dropped: Told the arguments that were dropped because no tool takes them.
    """

    def __init__(self, ollama: Ollama, tools: Mapping[str, Tool], dropped: Callable[[list[str]], None]) -> None:
        self._ollama, self._tools, self._dropped = ollama, tools, dropped

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request to ``/api/chat`` with a single line of JSON."""
        sent = json.loads(request.read())
        payload = {"messages": [_unwrapped(m) for m in sent["messages"]], "tools": sent.get("tools", [])}
        reply = self._ollama.chat(payload, self._tools)
        self._dropped(reply.pop("dropped"))
        for call in reply["message"].get("tool_calls", []):
            call["function"]["arguments"] = {_WRAP: call["function"]["arguments"]}
        return httpx.Response(200, content=json.dumps(reply).encode() + b"\n")


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the history as the model wrote it: the calls' arguments without their wrapping."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    return {
        **message,
        "tool_calls": [
            {"function": {**c["function"], "arguments": call_arguments(c["function"]["arguments"])}} for c in calls
        ],
    }


def call_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's own arguments: those inside the wrapping that carried them through langchain-ollama."""
    inner = arguments.get(_WRAP)
    return dict(inner) if isinstance(inner, dict) and len(arguments) == 1 else dict(arguments)
