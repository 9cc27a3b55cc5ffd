"""What an argument is, made what it is to be: a line, a text, a list of items.

A text that is an argument stays literal: what looks like JSON in a title or a description is somebody's words, never
parsed. A list is taken apart from whatever shape it comes in, because a list of one text is never what was meant.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

_DEPTH_MAX = 40  # nothing that a model means is nested deeper; Python's own stack ends at a thousand
_LITERAL_MAX = 200_000  # characters of a Python literal that is worth reading
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
    "step",
    "action",
    "nome",
    "texto",
    "titulo",
    "tarefa",
    "descricao",
    "acao",
)
_LISTS = ("items", "itens", "checkItems", "check_items", "checklist_items", "tasks", "tarefas")
_PART_NAME = ("heading", "title", "name", "section", "part", "titulo", "nome", "secao", "parte")
_PART_TEXT = ("text", "content", "body", "value", "items", "texto", "conteudo", "description", "descricao")


def sound(value: Any, depth: int = 0) -> Any:
    """Return a value that any JSON writer takes.

    Half surrogate pairs are dropped, numbers that JSON has not and what is nested too deep to be meant become
    nothing.
    """
    if isinstance(value, str):
        return _sound_text(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= _DEPTH_MAX:
        return None
    if isinstance(value, Mapping):
        return {_sound_text(str(key)): sound(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [sound(part, depth + 1) for part in value]
    return value.decode(errors="ignore") if isinstance(value, bytes) else str(value)


def _sound_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return text


def integer(digits: str) -> int | str:
    """Read an integer of JSON; one that no field can mean stays its digits: thousands of them do not convert."""
    return int(digits) if len(digits) < 16 else digits


def strict_json(text: str) -> Any:
    """Parse JSON or a Python literal.

    Raises:
        ValueError: When it is neither, or is nested too deep to be anything a model meant.
    """
    try:
        return sound(json.loads(text, parse_int=integer, strict=False))
    except (ValueError, RecursionError):
        pass
    if len(text) > _LITERAL_MAX:
        raise ValueError("too long for a Python literal")
    return sound(literal(text))


def literal(text: str) -> Any:
    """Evaluate a Python literal.

    Raises:
        ValueError: When it is none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("not a Python literal") from error


def as_line(value: Any) -> str:
    """Return an argument that is to be one line: a text as it is; of an object the text in it, if it is plain which."""
    if isinstance(value, dict):
        found = [part for key, part in value.items() if str(key).casefold() in (*_ITEM_TEXT, "id") and _is_plain(part)]
        return as_line(found[0]) if len(found) == 1 else ""
    if isinstance(value, list):
        return "\n".join(filter(None, (as_line(part) for part in value)))
    return "" if value is None or isinstance(value, bool) else str(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def as_text(value: Any) -> str:
    """Return an argument that is to be a text in Markdown: a text as it is, the rest as a person would write it."""
    if isinstance(value, dict):
        return _as_sections(value)
    if isinstance(value, list):
        joint = "\n\n" if any(isinstance(part, dict) for part in value) else "\n"
        return joint.join(as_text(part) for part in value)
    return as_line(value)


def _as_sections(value: dict[str, Any]) -> str:
    """Write an object as sections: its keys are headings, or it names one heading and its text."""
    names = [key for key in value if key.casefold() in _PART_NAME and isinstance(value[key], str)]
    texts = [key for key in value if key.casefold() in _PART_TEXT and key not in names[:1]]
    if texts and len(value) == 1:
        return as_text(value[texts[0]])
    if names and texts:
        value = {value[names[0]]: value[texts[0]]}
    return "\n\n".join(f"## {_as_heading(key)}\n\n{_as_points(part)}" for key, part in value.items())


def _as_heading(key: str) -> str:
    words = " ".join(key.replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _as_points(value: Any) -> str:
    return "\n".join(f"- {as_line(part)}" for part in value) if isinstance(value, list) else as_line(value)


def as_items(value: Any) -> list[str]:
    """Return the items of a checklist from whatever shape a list can take.

    A list of texts, of objects or of numbers; an object of items; JSON or a Python literal in a text; lines with
    bullets, boxes or numbers; a line with semicolons or commas.
    """
    return [item for item in (unmarked(item) for item in _flat(value)) if item]


def _flat(value: Any) -> list[str]:
    if isinstance(value, str):
        return _items_in_text(value, least=2)
    if isinstance(value, dict):
        return _items_in_object(value)
    if isinstance(value, (list, tuple, set)):
        return _items_in_list(list(value))
    return [str(value)] if _is_plain(value) else []


def _items_in_list(parts: list[Any]) -> list[str]:
    if len(parts) == 1:
        return _items_in_text(parts[0], least=4) if isinstance(parts[0], str) else _flat(parts[0])
    objects = [_object_in(part) for part in parts]
    if all(objects) or not any(isinstance(part, str) for part in parts):
        parts = [found or part for found, part in zip(objects, parts, strict=True)]
    return [text for part in parts for text in ([part] if isinstance(part, str) else _one_or_more(part))]


def _object_in(part: Any) -> Any:
    """Return the object that a text spells out, if it is one of an item."""
    if not (isinstance(part, str) and part.strip().startswith("{")):
        return None
    try:
        found = strict_json(part)
    except ValueError:
        return None
    return found if isinstance(found, dict) and any(key in found for key in _ITEM_TEXT) else None


def _one_or_more(part: Any) -> list[str]:
    """Return what one entry of a list stands for: of an object of several texts, the first that is one."""
    if not isinstance(part, dict) or any(isinstance(inner, (list, dict)) for inner in part.values()):
        return _flat(part)
    found = _items_in_object(part)
    return found if all(isinstance(inner, bool) for inner in part.values()) else found[:1]


def _items_in_object(value: dict[Any, Any]) -> list[str]:
    for key in _LISTS:
        if key in value:
            return _flat(value[key])
    for key in _ITEM_TEXT:
        if _is_plain(value.get(key)):
            return [str(value[key])]
    if value and all(isinstance(part, bool) or part is None for part in value.values()):
        return [str(key) for key in value]
    parts = list(value.values())
    if any(isinstance(part, (str, list, dict)) for part in parts):
        parts = [part for part in parts if isinstance(part, (str, list, dict))]  # the numbers beside them are positions
    return [text for part in parts for text in ([part] if isinstance(part, str) else _flat(part))]


_MARK = re.compile(
    r"(?:[-*+]\s+|[-*+]$|[•–—·▪◦‣●○]\s*|\(?\d{1,3}[.)-]\s+|[a-z]\)\s+|\[[ xX✓✔]\]\s*|\[\]\s+|[☐☑☒✅✓✔]\ufe0f?\s*)+"
)


def unmarked(item: str) -> str:
    """Return an item on one line, without bullet, box, number, or the comma of a list it was torn from."""
    text = " ".join(item.split())
    while True:
        bare = _MARK.sub("", text, count=1) if _MARK.match(text) else text
        bare = bare.rstrip(",;").strip()
        if bare == text:
            return text
        text = bare


def _items_in_text(text: str, *, least: int) -> list[str]:
    """Split a text into its items.

    Args:
        text: The text.
        least: How many parts commas or semicolons must give to count as a list.
    """
    text = re.sub(r"^```\w*\s*\n(.*?)\n?\s*```$", r"\1", text.strip(), flags=re.S)
    if text[:1] in ("[", "{", "("):
        try:
            parsed = strict_json(text)
        except ValueError:
            parsed = None
        if isinstance(parsed, (list, dict)):
            return _flat(parsed)
    if "\n" not in text and (text.count("\\n") > 1 or re.search(r"\\n\s*[-*•\d\[]", text)):
        text = text.replace("\\n", "\n")
    for split, enough in _SPLITS:
        parts = [_unquoted(part) for part in split(text) if part.strip()]
        if len(parts) >= max(2, least if enough else 2):
            return parts
    return [text]


def _unquoted(part: str) -> str:
    """Return a part without the quotes and the comma of a list it was torn from."""
    text = part.strip().rstrip(",;").strip()
    quoted = re.fullmatch(r"\[?\s*([\"'])((?:(?!\1).)*)\1\s*\]?", text)
    return quoted[2] if quoted else text


def _on_lines(text: str) -> list[str]:
    """Split at lines; one that introduces the marked ones below it is no item."""
    lines = [line for line in text.splitlines() if line.strip()]
    marked = [bool(_MARK.match(line.strip())) for line in lines]
    if len(lines) > 2 and not marked[0] and all(marked[1:]) and lines[0].rstrip().endswith(":"):
        return lines[1:]
    return lines


def _on_commas(text: str) -> list[str]:
    """Split at commas outside brackets; not at those inside a number."""
    separator = r",\s+" if re.search(r",\s", text) else r",(?!\d)"
    return re.split(separator + r"(?![^(\[]{0,200}[)\]])", text)


def _where(begins: str, split: str) -> Callable[[str], list[str]]:
    """Split at a pattern, if the text begins as such a list does."""
    return lambda text: re.split(split, text) if re.match(begins, text) else [text]


# How a text is taken apart, the surest first; those that are not sure need several parts in a list of one text.
_SPLITS: tuple[tuple[Callable[[str], list[str]], bool], ...] = (
    (lambda text: re.findall(r"<(?:item|li|task)>\s*(.*?)\s*</(?:item|li|task)>", text, re.S | re.I), False),
    (_on_lines, False),
    (_where(r"\(?\d{1,2}[.)]\s", r"(?:^|\s)(?=\(?\d{1,2}[.)]\s)"), False),
    (_where(r"(?:[-*•]\s*)?\[[ xX]?\]\s", r"(?:^|\s)(?=(?:[-*•]\s*)?\[[ xX]?\]\s)"), False),
    (_where(r"[-•*]\s", r"(?:^|\s)[•*-]\s+(?=\S)"), False),
    (lambda text: text.split(";"), True),
    (lambda text: re.split(r"\s\|\s", text), True),
    (_on_commas, True),
)
