"""What a model sends, made into what it meant, where that is certain.

One place for one message: which calls are in it, of which tools, with which arguments. The kinds of error are tables:
names in ``names``, calls printed as text in ``printed``, shapes of values in ``values``. What is not certain is left
as it is, for the tools to refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tools.names import canonical_name, parameter_of, snake
from tools.printed import calls_in_text, spelled
from tools.schema import Tool
from tools.values import as_items, as_line, as_text, sound, strict_json

_WRAPPERS = {"properties", "arguments", "parameters", "args", "kwargs", "params", "input", "function", "tool_input"}
_CALLS_MAX = 250  # of one message: a model that does not stop is not to keep the tools busy
# Calls of one message run in the order asked, but what others need goes first: a list or a date that is looked up, then
# the card.
_ORDER = {"resolve_list_id": 0, "to_rfc3339": 0, "create_card": 1}


def mend_message(message: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[dict[str, Any], list[str]]:
    """Return one assistant message with its calls made right, and the arguments that were dropped.

    Args:
        message: As Ollama sent it: ``content``, ``thinking``, ``tool_calls`` of any shape.
        tools: The tools there are, by name.

    Returns:
        A message whose ``tool_calls`` are all ``{"function": {"name": str, "arguments": dict}}``, and one entry
        ``"tool: argument"`` for each argument that no tool takes.
    """
    message = sound(message)
    content = plain_content(_as_content(message.get("content")))
    raw = list(islice(_calls(message.get("tool_calls")), _CALLS_MAX))
    if not raw and content:
        raw = list(islice(calls_in_text(content, tools), _CALLS_MAX))
        content = "" if raw else content
    dropped: list[str] = []
    calls = []
    for name, arguments in raw:
        name = canonical_name(name, tools)
        if name in tools:
            arguments, extra = mend_arguments(arguments, tools[name])
            dropped += [f"{name}: {key[:40]}" for key in extra]
        calls.append({"function": {"name": name, "arguments": arguments if isinstance(arguments, dict) else {}}})
    calls.sort(key=lambda call: _ORDER.get(str(call["function"]["name"]), 2))
    mended: dict[str, Any] = {"role": "assistant", "content": content}
    if message.get("thinking"):
        mended["thinking"] = _as_content(message["thinking"])
    return (mended | {"tool_calls": calls} if calls else mended), dropped


def _calls(tool_calls: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a message asks for natively, whatever it is wrapped in; a call without a name is none."""
    for call in tool_calls if isinstance(tool_calls, list) else [tool_calls]:
        if isinstance(call, list):
            yield from _calls(call)
        found = spelled(call)
        if found and found[0].strip():
            yield found


def _as_content(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def plain_content(text: str) -> str:
    """Return a reply without its thinking."""
    text = re.sub(r"<(think|thinking|reasoning)>.*?</\1>", "", text, flags=re.S | re.I)
    text = re.sub(r"^.*</(?:think|thinking|reasoning)>", "", text, flags=re.S | re.I)
    text = re.sub(r"<(?:think|thinking|reasoning)>.*$", "", text, flags=re.S | re.I)
    return text.strip()


def mend_arguments(arguments: Any, tool: Tool) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of one call in the tool's own names and types, and the names of those it does not take."""
    given = _opened(_as_object(sound(arguments)), tool)
    mended: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for key, value in given.items():
        name = snake(key)
        target = mended if name in tool.parameters and name not in mended else rest
        target[name] = value
    for name in [n for n in rest if n not in tool.parameters]:
        if parameter := parameter_of(name, tool, mended):
            mended[parameter] = rest.pop(name)
    typed = {key: _typed(key, _inner_value(value), tool) for key, value in mended.items()}
    return typed, [key for key in rest if key not in tool.parameters]


def _typed(name: str, value: Any, tool: Tool) -> Any:
    if tool.parameters[name].type == "array":
        return as_items(value)
    return as_text(value) if name == "desc" else as_line(value)


def _inner_value(value: Any) -> Any:
    """Return the value that was put into a piece of a schema: ``{"type": "string", "value": …}``."""
    return value["value"] if isinstance(value, dict) and "value" in value and len(value) <= 3 else value


def _as_object(arguments: Any) -> dict[str, Any]:
    """Return arguments as an object: they also come as JSON text, as a list of one object, or as null."""
    for _ in range(4):
        if isinstance(arguments, str):
            try:
                arguments = strict_json(arguments)
            except ValueError:
                return {}
        elif isinstance(arguments, list):
            arguments = arguments[0] if len(arguments) == 1 else None
        else:
            break
    return arguments if isinstance(arguments, dict) else {}


def _opened(given: dict[str, Any], tool: Tool, depth: int = 0) -> dict[str, Any]:
    """Take the arguments out of what a model wraps them in: any object that is no argument and holds some.

    Only what is called as a wrapper is read out of a text: any other text may be somebody's words.
    """
    inner: dict[str, Any] = {}
    wrappers = []
    names = {snake(key) for key in given}
    for key, value in given.items():
        name = snake(key)
        if name in tool.parameters:
            continue
        is_wrapper = name in _WRAPPERS or name == tool.name
        held = _as_object(value) if is_wrapper or isinstance(value, (dict, list)) else {}
        if not is_wrapper:
            held = {key: part for key, part in held.items() if snake(key) not in names}  # what is given already stays
        if depth < 4 and _holds(held, tool, strictly=bool(parameter_of(key, tool)) and not is_wrapper):
            inner.update(_opened(held, tool, depth + 1))
            wrappers.append(key)
    outer = {key: value for key, value in given.items() if key not in wrappers}
    if wrappers and not any(snake(key) in tool.parameters for key in outer):
        return inner
    return {**{key: value for key, value in inner.items() if key not in outer}, **outer}


def _holds(held: Mapping[str, Any], tool: Tool, *, strictly: bool) -> bool:
    """Return whether an object holds arguments, by the tool's own names or also by what models call them."""
    meant = {parameter_of(key, tool) for key in held} - {""}
    if len(meant) > 1 or any(snake(key) in tool.parameters for key in held):
        return True
    return not strictly and any(
        parameter_of(key, tool) or (isinstance(value, (dict, str)) and snake(key) in _WRAPPERS)
        for key, value in held.items()
    )
