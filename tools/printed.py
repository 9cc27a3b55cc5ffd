"""Calls that a model printed instead of made, in whatever syntax it learnt them: found, never shown to the user."""

from __future__ import annotations

import ast
import itertools
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from tools.names import canonical_name, parameter_of
from tools.schema import Tool
from tools.values import integer, literal, sound

_CALL_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
CALL_ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input", "kwargs")
_CALL_LISTS = ("tool_calls", "function_calls", "calls", "tool_uses", "actions")
_ENVELOPE = {"id", "type", "index", "role", "call_id"}  # what stands beside a call and is no argument
_RESULT_KEYS = {"ok", "status", "error", "result"}  # an echoed tool result, not a call
_GLUE_WORDS = 3  # between a tool's name and the object of its arguments
_LITERAL_MAX = 200_000  # characters of an object that is worth mending
_CUTS_MAX = 40  # commas before the end at which a cut object may be closed
_TRIES_MAX = 2000  # brackets at which an object may begin

Call = tuple[str, Any]


def calls_in_text(text: str, tools: Mapping[str, Tool]) -> Iterator[Call]:
    """Find the calls printed in a text: as JSON, as XML, or as a line of Python."""
    for find in (_json_calls, _xml_calls, _python_calls):
        found = list(find(text, tools))
        if found:
            yield from found
            return


def spelled(candidate: Any) -> Call | None:
    """Return the name and the arguments that an object spells out, or None."""
    if not isinstance(candidate, dict):
        return None
    for wrapper in ("function", "function_call", "tool_call"):
        if isinstance(candidate.get(wrapper), dict):
            return spelled(candidate[wrapper])
    key = next((k for k in _CALL_NAMES if isinstance(candidate.get(k), str)), None)
    if key is None:
        return None
    for arguments in CALL_ARGUMENTS:
        if arguments in candidate:
            return candidate[key], candidate[arguments]
    return candidate[key], {k: v for k, v in candidate.items() if k != key and k not in _ENVELOPE}


def _json_calls(text: str, tools: Mapping[str, Tool]) -> Iterator[Call]:
    """``{"name": …, "arguments": {…}}`` in any wrapping, or a tool's name and then the object of its arguments.

    The second is how most templates print a call: ``[TOOL_CALLS]create_card{…}``, ``to=functions.create_card … {…}``,
    ``<function=create_card>{…}``, ``Action: create_card`` and ``Action Input: {…}``, ``create_card({…})``.
    """
    end = 0
    for start, stop, value in _json_spans(text):
        before, end = text[end:start], stop
        found = list(_calls_of(value, tools))
        if not found and isinstance(value, dict):
            name = _name_before(before, tools)
            if name and _is_arguments(value, tools[name]):
                found = [(name, value)]
        yield from found


def _calls_of(value: Any, tools: Mapping[str, Tool]) -> Iterator[Call]:
    """Yield the calls a JSON value spells out."""
    if isinstance(value, list):
        for part in value[:50]:
            yield from _calls_of(part, tools)
    if not isinstance(value, dict):
        return
    wrapped = next((key for key in _CALL_LISTS if isinstance(value.get(key), list)), None)
    if wrapped:
        yield from _calls_of(value[wrapped], tools)
        return
    lone = next(iter(value)) if len(value) == 1 else ""
    call = (
        (lone, value[lone])
        if isinstance(value.get(lone), dict) and canonical_name(lone, tools) in tools
        else spelled(value)
    )
    if call is None or canonical_name(call[0], tools) not in tools:
        return
    if isinstance(call[1], dict) and _RESULT_KEYS & set(call[1]):
        return
    yield call


def _name_before(text: str, tools: Mapping[str, Tool]) -> str:
    """Return the tool named right before an object, with no more than a few words between."""
    names = list(_names(tools).finditer(text[-200:]))
    if not names:
        return ""
    between = text[-200:][names[-1].end() :]
    return canonical_name(names[-1][1], tools) if len(re.findall(r"\w+", between)) <= _GLUE_WORDS else ""


def _names(tools: Mapping[str, Tool]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, tools))})(?![A-Za-z0-9])", re.I)


def _is_arguments(value: Mapping[str, Any], tool: Tool) -> bool:
    return not _RESULT_KEYS & set(value) and any(parameter_of(key, tool) for key in value)


def values_in(text: str) -> Iterator[Any]:
    """Yield the outermost JSON values in a text, in order, whatever stands around them.

    The last may be cut: then it is what of it is whole. A text that is JSON's is one value.
    """
    try:
        whole = json.loads(text, parse_int=integer, strict=False)
    except (ValueError, RecursionError):
        whole = None
    if whole is not None:
        yield sound(whole)
        return
    for _, _, value in _json_spans(text, may_be_cut=True):
        yield value


def _json_spans(text: str, *, may_be_cut: bool = False) -> Iterator[tuple[int, int, Any]]:
    """Yield the objects and arrays with where each begins and ends; a Python object is one too.

    What is nested too deep for Python is nothing that a model meant, nor is what follows it.
    """
    decoder = json.JSONDecoder(parse_int=integer, strict=False)
    opening = re.compile(r"[{\[]")
    position = 0
    cuts_left = 5 if may_be_cut else 0
    for _ in range(_TRIES_MAX):
        match = opening.search(text, position)
        if match is None:
            return
        start = match.start()
        try:
            value, position = decoder.raw_decode(text, start)
        except RecursionError:
            return
        except ValueError:
            found = _python_object(text, start) or _without_commas(text, start)
            found = found or (_whole_part(text, start) if cuts_left else None)
            cuts_left -= cuts_left > 0
            if found is None:
                position = match.end()
                continue
            value, position = found
        if value:
            yield start, position, sound(value)


def _python_object(text: str, start: int) -> tuple[Any, int] | None:
    """Return the Python literal of an object that begins at a place, and where it ends."""
    if not re.match(r"[{\[]\s*(?:\{\s*)?'", text[start : start + 40]):
        return None
    source = balanced(text, start)
    try:
        return literal(source), start + len(source)
    except ValueError:
        return None


def _without_commas(text: str, start: int) -> tuple[Any, int] | None:
    """Return an object that has commas before its closing brackets, and where it ends."""
    if not re.search(r",\s*[}\]]", text[start : start + _LITERAL_MAX]):
        return None
    commas, end = _open_ends(text, start)
    needless = {at for at, _ in commas if re.match(r",\s*[}\]]", text[at : at + 40])}
    source = "".join(char for at, char in enumerate(text[start:end], start) if at not in needless)
    try:
        return json.loads(source, parse_int=integer, strict=False), end
    except (ValueError, RecursionError):
        return None


def _whole_part(text: str, start: int) -> tuple[Any, int] | None:
    """Return what is whole of an object that is cut, or has a comma too many, and where it ends."""
    commas, end = _open_ends(text, start)
    for comma, closing in reversed(commas[-_CUTS_MAX:]):
        try:
            return json.loads(text[start:comma] + closing, parse_int=integer, strict=False), end
        except (ValueError, RecursionError):
            continue
    return None


def _open_ends(text: str, start: int) -> tuple[list[tuple[int, str]], int]:
    """Return the commas outside strings with what would close everything there, and where the object ends."""
    commas: list[tuple[int, str]] = []
    closing = ""
    for match in re.finditer(r'"(?:[^"\\]|\\.)*(?:"|$)|[\[\]{},]', text[start:], re.S):
        mark = match[0]
        if mark in ("{", "["):
            closing = ("}" if mark == "{" else "]") + closing
        elif mark in ("}", "]"):
            closing = closing[1:]
            if not closing:
                return commas, start + match.end()
        elif mark == ",":
            commas.append((start + match.start(), closing))
    return commas, len(text)


_TAG = r"<(?:\w+(?:\s+name)?\s*=\s*[\"']?)?({names})[\"']?((?:\s+\w+=\"[^\"]*\")*)\s*/?>"
_CHILD = re.compile(
    r"<(?:parameter|param|argument|arg)(?:\s+name)?\s*=\s*[\"']?(\w+)[\"']?[^>]*>(.*?)</(?:parameter|param|argument|arg)>"
    r"|<(\w+)>(.*?)</\3>",
    re.S,
)


def _xml_calls(text: str, tools: Mapping[str, Tool]) -> Iterator[Call]:
    """``<invoke name="create_card"><parameter name="title">…`` and ``<create_card><title>…``."""
    tags = list(re.finditer(_TAG.replace("{names}", "|".join(map(re.escape, tools))), text))
    for tag, following in itertools.zip_longest(tags, tags[1:]):
        end = following.start() if following else len(text)
        arguments: dict[str, Any] = dict(re.findall(r"(\w+)=\"([^\"]*)\"", tag[2]))
        for child in _CHILD.finditer(text[tag.end() : end]):
            arguments.setdefault(child[1] or child[3], (child[2] or child[4] or "").strip())
        if any(parameter_of(key, tools[tag[1]]) for key in arguments):
            yield tag[1], arguments


def _python_calls(text: str, tools: Mapping[str, Tool]) -> Iterator[Call]:
    """``create_card(title="…", desc="…")`` with literal arguments."""
    for match in re.finditer(rf"\b({'|'.join(map(re.escape, tools))})\(", text):
        source = balanced(text, match.end() - 1)
        if not source.endswith(")"):
            return  # it does not end, and what follows is inside it
        arguments = _keywords(match[1] + source)
        if arguments:
            yield match[1], arguments


def _keywords(source: str) -> dict[str, Any]:
    """Return the keyword arguments of a line of Python, if all of them are literals."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval").body
        keywords = tree.keywords if isinstance(tree, ast.Call) else []
        found = {keyword.arg: ast.literal_eval(keyword.value) for keyword in keywords if keyword.arg}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return {}
    return {str(key): sound(value) for key, value in found.items()}


def balanced(text: str, start: int) -> str:
    """Return the text from an opening bracket to the one that closes it, strings respected."""
    depth, quote, index = 0, "", start
    while index < len(text):
        char = text[index]
        if quote:
            index += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char in "([{") - (char in ")]}")
            if depth == 0:
                return text[start : index + 1]
        index += 1
    return text[start:]
