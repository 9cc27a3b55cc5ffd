"""What a model sends, made into what it meant, where that is certain.

Each table below is a kind of error with its cure. Text that is an argument stays literal: what looks like JSON in a
title or a description is somebody's words, never parsed. What is not certain is left as it is, for the tools to refuse.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tools.schema import Tool

# What models write in the place of the names that the tools use.
_PARAMETER_NAMES: Mapping[str, tuple[str, ...]] = {
    "text": (
        "texto",
        "date",
        "data",
        "when",
        "quando",
        "due",
        "due_date",
        "deadline",
        "prazo",
        "phrase",
        "value",
        "input",
    ),
    "board": ("board_url", "board_id", "board_name", "id_board", "quadro"),
    "list_name": ("list", "lista", "name", "nome", "list_title", "nome_da_lista"),
    "list_id": ("id_list", "list", "lista", "id_da_lista", "listid", "idlist"),
    "title": ("name", "titulo", "nome", "card_title", "card_name", "checklist_title", "checklist_name", "checklist"),
    "desc": ("description", "descricao", "descripcion", "body", "content", "card_desc", "card_description", "text"),
    "due": ("due_date", "deadline", "prazo", "date", "data", "vencimento", "due_at", "plazo", "rfc3339"),
    "card_id": ("id_card", "card", "cartao", "id", "id_do_cartao", "cardid", "idcard"),
    "items": (
        "itens",
        "check_items",
        "checklist_items",
        "item",
        "tasks",
        "tarefas",
        "elements",
        "list",
        "values",
        "steps",
    ),
}
_WRAPPERS = ("properties", "arguments", "parameters", "args", "kwargs", "params", "input", "function", "tool_input")
_CALL_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_CALL_ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input", "kwargs")
_RESULT_KEYS = {"ok", "status", "error", "result"}  # an echoed tool result, not a call
_ITEM_TEXT = (
    "name",
    "text",
    "item",
    "title",
    "description",
    "task",
    "content",
    "label",
    "value",
    "nome",
    "texto",
    "tarefa",
)


def strict_json(text: str) -> Any:
    """Parse JSON or a Python literal; huge integers stay strings.

    Raises:
        ValueError: When it is neither, or is nested too deep to be anything a model meant.
    """
    try:
        return json.loads(text, parse_int=_integer, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("neither JSON nor a Python literal") from error


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < 16 else digits


def mend_message(message: Mapping[str, Any], tools: Mapping[str, Tool]) -> tuple[dict[str, Any], list[str]]:
    """Return one assistant message with its calls made right, and the arguments that were dropped.

    Args:
        message: As Ollama sent it: ``content``, ``thinking``, ``tool_calls`` of any shape.
        tools: The tools there are, by name.

    Returns:
        A message whose ``tool_calls`` are all ``{"function": {"name": str, "arguments": dict}}``, and one entry
        ``"tool: argument"`` for each argument that no tool takes.
    """
    content = plain_content(_as_text(message.get("content") or ""))
    raw = [call for call in _calls(message.get("tool_calls")) if call[0]]
    if not raw and content:
        raw = list(calls_in_text(content, tools))
        if raw:
            content = ""
    dropped: list[str] = []
    calls = []
    for name, arguments in raw:
        name = canonical_name(name, tools)
        if name in tools:
            arguments, extra = mend_arguments(arguments, tools[name])
            dropped += [f"{name}: {key}" for key in extra]
        calls.append({"function": {"name": name, "arguments": arguments if isinstance(arguments, dict) else {}}})
    mended: dict[str, Any] = {"role": "assistant", "content": content}
    if message.get("thinking"):
        mended["thinking"] = _as_text(message["thinking"])
    if calls:
        mended["tool_calls"] = calls
    return mended, dropped


def _calls(tool_calls: Any) -> Iterator[tuple[str, Any]]:
    for call in tool_calls if isinstance(tool_calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield _as_text(function.get("name") or ""), function.get("arguments")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def plain_content(text: str) -> str:
    """Return a reply without its thinking and without the marks of chat templates."""
    text = re.sub(r"<(think|thinking|reasoning)>.*?</\1>", "", text, flags=re.S | re.I)
    text = re.sub(r"^.*</(?:think|thinking|reasoning)>", "", text, flags=re.S | re.I)
    text = re.sub(r"<(?:think|thinking|reasoning)>.*$", "", text, flags=re.S | re.I)
    return text.strip()


def canonical_name(name: str, tools: Iterable[str]) -> str:
    """Return the tool a name stands for: cut at ``<|``, prefix and case dropped; an unknown name as it came."""
    cut = re.split(r"<\|", name, maxsplit=1)[0].strip().strip("`'\"()[]{} ")
    last = re.split(r"[.:/\s]+", cut)[-1] if cut else ""
    by_shape = {_bare(tool): tool for tool in tools}
    return by_shape.get(_bare(cut)) or by_shape.get(_bare(last)) or cut or name


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _snake(key: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key.strip())
    return re.sub(r"[\W_]+", "_", spaced).strip("_").casefold()


def mend_arguments(arguments: Any, tool: Tool) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of one call in the tool's own names and types, and the names of those it does not take."""
    given = _unwrap(_as_object(arguments), tool)
    mended: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for key, value in given.items():
        name = _snake(str(key))
        if name in tool.parameters and name not in mended:
            mended[name] = value
        else:
            rest[name] = value
    for name in [n for n in rest if n not in tool.parameters]:
        target = next((p for p in tool.parameters if p not in mended and name in _PARAMETER_NAMES.get(p, ())), None)
        if target:
            mended[target] = rest.pop(name)
    typed = {key: _TYPES[tool.parameters[key].type](value) for key, value in mended.items()}
    return typed, [key for key in rest if key not in tool.parameters]


def _as_object(arguments: Any) -> dict[str, Any]:
    """Return arguments as an object: they also come as JSON text, as a list of one object, or as null."""
    for _ in range(3):
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


def _unwrap(given: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Take the arguments out of what a model wraps them in."""
    for _ in range(3):
        inner = next((key for key in (*_WRAPPERS, tool.name) if key in given and key not in tool.parameters), None)
        if inner is None:
            break
        value = _as_object(given[inner])
        if not value:
            break
        given = value
    return {
        key: value["value"] if isinstance(value, dict) and "value" in value else value for key, value in given.items()
    }


def as_string(value: Any) -> str:
    """Return an argument that is to be text: text stays as it is, the rest becomes text a person would write."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(as_string(part) for part in value)
    if isinstance(value, dict):
        return "\n\n".join(f"## {key}\n\n{_bullets(part)}" for key, part in value.items())
    return str(value)


def _bullets(value: Any) -> str:
    return "\n".join(f"- {as_string(part)}" for part in value) if isinstance(value, list) else as_string(value)


def as_items(value: Any) -> list[str]:
    """Return the items of a checklist from whatever shape a list can take.

    A list of texts, of objects or of numbers; an object of items; JSON or a Python literal in a text; lines with
    bullets, boxes or numbers; a line with semicolons or commas.
    """
    return [item for item in (_bare_item(item) for item in _flat(value)) if item]


def _flat(value: Any) -> list[str]:
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, str):
        return _items_in_text(value)
    if isinstance(value, dict):
        return _items_in_object(value)
    if isinstance(value, (list, tuple, set)):
        parts = list(value)
        if len(parts) == 1:
            return _flat(parts[0])
        return [text for part in parts for text in ([part] if isinstance(part, str) else _flat(part))]
    return [str(value)]


def _items_in_object(value: dict[Any, Any]) -> list[str]:
    for key in ("items", "itens", "checkItems", "check_items", "tasks"):
        if key in value:
            return _flat(value[key])
    for key in _ITEM_TEXT:
        if isinstance(value.get(key), (str, int, float)) and not isinstance(value[key], bool):
            return [str(value[key])]
    if value and all(isinstance(part, bool) or part is None for part in value.values()):
        return [str(key) for key in value]
    return [text for part in value.values() for text in ([part] if isinstance(part, str) else _flat(part))]


_LINE_MARK = re.compile(r"^\s*(?:[-*+•–—·▪◦‣]\s*|\(?\d{1,3}[.)]\s+|[a-z][.)]\s+)*(?:\[[ xX✓✔]?\]\s*|[☐☑☒✅✓✔]\s*)?")


def _bare_item(item: str) -> str:
    """Return an item without bullet, box, number, or the quotes and commas of a list it was torn from."""
    text = " ".join(_LINE_MARK.sub("", item, count=1).split())
    return text.rstrip(",;").strip("\"'").strip() if text[:1] in "\"'" or text[-1:] in ",;" else text


def _items_in_text(text: str) -> list[str]:
    text = text.strip()
    if text[:1] in "[{(":
        try:
            parsed = strict_json(text)
        except ValueError:
            parsed = None
        if isinstance(parsed, (list, tuple, dict, set)):
            return _flat(list(parsed) if isinstance(parsed, (tuple, set)) else parsed)
    for split in _SPLITS:
        parts = [part for part in split(text) if part.strip()]
        if len(parts) > 1:
            return parts
    return [text]


def _on_commas(text: str) -> list[str]:
    """Split at commas outside brackets; not at those inside a number."""
    separator = r",\s+" if re.search(r",\s", text) else r",(?!\d)"
    return re.split(separator + r"(?![^(\[]*[)\]])", text)


_SPLITS: tuple[Callable[[str], list[str]], ...] = (
    lambda text: text.splitlines(),
    lambda text: re.split(r"(?:^|\s)(?=\d{1,2}[.)]\s)", text),
    lambda text: re.split(r"(?:^|\s)(?=(?:[-*•]\s*)?\[[ xX]?\]\s)", text),
    lambda text: (
        re.split(r"(?:^|\s)[•*]\s+|(?:^\s*|\s)-\s+(?=\S)", text) if text.startswith(("-", "•", "*")) else [text]
    ),
    lambda text: text.split(";"),
    lambda text: re.split(r"\s\|\s", text),
    _on_commas,
)

_TYPES: Mapping[str, Callable[[Any], Any]] = {"string": as_string, "array": as_items}


def calls_in_text(text: str, tools: Mapping[str, Tool]) -> Iterator[tuple[str, Any]]:
    """Find calls that were printed instead of made: as JSON, fenced or tagged, or as a line of Python."""
    found = False
    for name, arguments in _tagged_calls(text):
        if canonical_name(name, tools) in tools:
            found = True
            yield name, arguments
    if found:
        return
    for value in json_values(text):
        for candidate in value if isinstance(value, list) else [value]:
            call = _call_of(candidate, tools)
            if call:
                found = True
                yield call
    if not found:
        yield from _python_calls(text, tools)


def _tagged_calls(text: str) -> Iterator[tuple[str, Any]]:
    """``<function=create_card>{…}</function>`` and ``to=functions.create_card … {…}``: the name is outside the JSON."""
    for match in re.finditer(
        r"<function=([\w.]+)>\s*(\{)|to=([\w.]+)[^{]*?(\{)|<\|channel\|>[^{]*?([\w.]+)\s*(\{)", text
    ):
        name = match.group(1) or match.group(3) or match.group(5)
        start = match.end() - 1
        value = next(json_values(text[start:]), None)
        if name and isinstance(value, dict):
            yield name, value


def json_values(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and arrays in a text, in order, whatever stands around them."""
    decoder = json.JSONDecoder(parse_int=_integer, strict=False)
    position = 0
    while (match := re.compile(r"[{\[]").search(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
            continue
        if isinstance(value, (dict, list)) and value:
            yield value


def _call_of(candidate: Any, tools: Mapping[str, Tool]) -> tuple[str, Any] | None:
    """Return the call an object spells out, or None."""
    if not isinstance(candidate, dict):
        return None
    if isinstance(candidate.get("function"), dict):
        return _call_of(candidate["function"], tools)
    key = next((k for k in _CALL_NAMES if isinstance(candidate.get(k), str)), None)
    if key is None:
        lone = next(iter(candidate)) if len(candidate) == 1 else ""
        return (lone, candidate[lone]) if lone in tools and isinstance(candidate[lone], dict) else None
    name = canonical_name(candidate[key], tools)
    if name not in tools:
        return None
    for arguments in _CALL_ARGUMENTS:
        if arguments in candidate:
            return name, candidate[arguments]
    rest = {k: v for k, v in candidate.items() if k != key}
    return None if _RESULT_KEYS & set(rest) else (name, rest)


def _python_calls(text: str, tools: Mapping[str, Tool]) -> Iterator[tuple[str, Any]]:
    """``create_card(title="…", desc="…")`` with literal arguments."""
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, tools)) + r")\(")
    for match in pattern.finditer(text):
        source = _balanced(text, match.end() - 1)
        try:
            tree = ast.parse(match.group(1) + source, mode="eval").body
            keywords = tree.keywords if isinstance(tree, ast.Call) else []
            arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in keywords if keyword.arg}
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if arguments:
            yield match.group(1), arguments


def _balanced(text: str, start: int) -> str:
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
