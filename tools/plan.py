"""A card as one JSON answer: asked for, checked, and only what did not pass asked for again.

The same mechanism writes a whole card from nothing (``--mode plan``) and completes one that a conversation left
unfinished: both are a card, what it lacks, and a request for exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tools.brief import Brief
from tools.card import (
    TITLE_MAX,
    Card,
    Lack,
    join_parts,
    lacks,
    split_parts,
    tidy_checklist,
    tidy_desc,
    tidy_title,
    title_lacks,
    with_checklist,
)
from tools.errors import ModelUnavailable, UnusableCard
from tools.kinds import Kind
from tools.names import snake
from tools.printed import CALL_ARGUMENTS, values_in
from tools.prompt import Words
from tools.prose import plan_in_prose
from tools.repair import plain_content
from tools.text import cut_at_word, folded
from tools.values import as_items, as_line, as_text

Ask = Callable[[list[dict[str, Any]], Mapping[str, Any]], str]

PLAN_CALLS = 3  # one, and two to mend
_KEYS_OF = {  # which part of the plan mends what
    "title_missing": "title",
    "title_long": "title",
    "title_is_phrase": "title",
    "desc_parts": "description",
    "checklists_missing": "checklists",
    "checklist_empty": "checklists",
    "few_items": "checklists",
}
# What models call the parts of a plan when they do not keep to the schema.
_NAMES = {
    "title": ("title", "titulo", "card_title", "name", "nome"),
    "description": ("description", "descricao", "descripcion", "desc"),
    "checklists": ("checklists", "checklist", "lists", "listas"),
    "due": ("due", "prazo", "deadline", "plazo", "due_date", "duedate"),
}


@dataclass(frozen=True)
class Planned:
    """A card from a plan, and the words of the deadline that came with it."""

    card: Card
    due_words: str = ""


def schema(kind: Kind, keys: Iterable[str], parts: Iterable[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of a plan, with the given keys only.

    Only what Ollama's constrained decoding knows: types, required, minItems and maxItems.

    Args:
        kind: Gives the parts of the description and the bounds of the checklists.
        keys: Of title, description, checklists, due.
        parts: Ids of the parts of the description; empty for all.
    """
    texts = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    wanted = [part.id for part in kind.parts if not parts or part.id in set(parts)]
    items = {**texts, "minItems": kind.items_min, "maxItems": kind.items_max}
    all_keys: dict[str, Any] = {
        "title": {"type": "string"},
        "description": {"type": "object", "properties": dict.fromkeys(wanted, texts), "required": wanted},
        "checklists": {
            "type": "array",
            "minItems": kind.checklists_min,
            "maxItems": kind.checklists_max,
            "items": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "items": items},
                "required": ["title", "items"],
            },
        },
        "due": {"type": "string"},
    }
    chosen = {key: all_keys[key] for key in all_keys if key in set(keys)}
    return {"type": "object", "properties": chosen, "required": list(chosen)}


def complete(card: Card, brief: Brief, words: Words, ask: Ask, *, calls: int, may_replace: bool) -> Planned:
    """Ask for what a card lacks until it lacks nothing, at most ``calls`` times.

    Args:
        card: As far as it is written; an empty card to have all of it written.
        brief: The task.
        words: The texts of the requests.
        ask: Sends messages with a schema and returns the model's text.
        calls: How often the model may be asked.
        may_replace: Whether what is there may be replaced; False once it is on a board, where one can only add.

    Returns:
        The card with what came; it may still lack something.
    """
    messages = [{"role": "system", "content": words.plan()}, {"role": "user", "content": _task(brief, words)}]
    planned = Planned(card)
    for call in range(calls):
        missing = _mendable(planned.card, brief, may_replace=may_replace)
        if not missing:
            break
        keys, parts = _wanted(missing)
        if planned.card == Card():
            keys, parts = list(_NAMES), []
        if call or card != Card():
            messages.append({"role": "user", "content": words.plan_request(keys, missing, planned.card)})
        reply = ask(messages, schema(brief.kind, keys, parts))
        messages.append({"role": "assistant", "content": reply})
        plan = read(reply) or plan_in_prose(plain_content(reply), brief.kind)
        planned = merge(planned, plan, missing, brief, may_replace=may_replace)
    return planned


def card_in_text(text: str, brief: Brief) -> Card:
    """Return the card that a model wrote instead of calling a tool; an empty card when it is not one."""
    plan = read(text) or plan_in_prose(plain_content(text), brief.kind)
    if not plan.get("title") or not plan.get("description"):
        return Card()
    everything = lacks(Card(), brief.kind, brief.phrase, None)
    return merge(Planned(Card()), plan, everything, brief, may_replace=True).card


def ask_title(brief: Brief, words: Words, ask: Ask, log: Callable[[str], None] = lambda line: None) -> str:
    """Ask for a title alone and return it; empty when none came: there is a title to cut, or the run ends anyway."""
    missing = [Lack("title_missing", must=True)]
    request = f"{_task(brief, words)}\n\n{words.plan_request(['title'], missing, Card())}"
    messages = [{"role": "system", "content": words.plan()}, {"role": "user", "content": request}]
    try:
        return tidy_title(as_line(read(ask(messages, schema(brief.kind, ["title"]))).get("title", "")))
    except (ModelUnavailable, UnusableCard) as failure:
        log(f"no title: {failure.what}")
        return ""


def _task(brief: Brief, words: Words) -> str:
    return words.user(brief.phrase, words.fields(brief.board, brief.list_name, brief.due))


def _mendable(card: Card, brief: Brief, *, may_replace: bool) -> list[Lack]:
    found = lacks(card, brief.kind, brief.phrase, brief.phrase_language)
    return [lack for lack in found if lack.code in _KEYS_OF or (lack.code == "language" and may_replace)]


def _wanted(missing: Iterable[Lack]) -> tuple[list[str], list[str]]:
    """Return the keys to ask for, and the parts of the description where only some are missing."""
    missing = list(missing)
    if any(lack.code == "language" for lack in missing):
        return ["title", "description", "checklists"], []
    keys = list(dict.fromkeys(_KEYS_OF[lack.code] for lack in missing))
    return keys, [name for lack in missing if lack.code == "desc_parts" for name in lack.names]


def read(reply: str) -> dict[str, Any]:
    """Return the plan in a reply, under the names of the schema; empty when there is none.

    It is the first object that has any of a plan's keys, whatever stands around it or it is wrapped in.
    """
    return next((found for value in values_in(plain_content(reply)) if (found := _plan_in(value))), {})


def _plan_in(value: Any, depth: int = 0) -> dict[str, Any]:
    """Return the plan that a value is, or that it holds."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return read(value) if depth < 2 else {}
    if isinstance(value, list):
        return next((found for part in value[:3] if (found := _plan_in(part, depth + 1))), {}) if depth < 4 else {}
    if not isinstance(value, dict):
        return {}
    given = {snake(key): part for key, part in value.items()}
    found = {key: given[name] for key, names in _NAMES.items() for name in names if name in given}
    is_call = len(found) < 2 and any(isinstance(given.get(key), (dict, str)) for key in CALL_ARGUMENTS)
    if (found and not is_call) or depth >= 4:
        return found
    inner = (part for part in value.values() if isinstance(part, (dict, list)) or is_call)
    return next((plan for part in inner if (plan := _plan_in(part, depth + 1))), {})


def merge(
    planned: Planned, plan: Mapping[str, Any], missing: Iterable[Lack], brief: Brief, *, may_replace: bool
) -> Planned:
    """Take from a plan what was missing, and nothing else."""
    codes = {lack.code for lack in missing}
    anew = "language" in codes
    card = planned.card
    if "title" in plan and (anew or any(_KEYS_OF.get(code) == "title" for code in codes)):
        card = replace(card, title=_better_title(card.title, as_line(plan["title"]), brief.phrase))
    if "description" in plan and (anew or "desc_parts" in codes):
        card = replace(card, desc=_description("" if anew else card.desc, plan["description"], brief))
    if "checklists" in plan and (anew or any(_KEYS_OF.get(code) == "checklists" for code in codes)):
        card = _with_checklists(card, plan["checklists"], brief.kind, may_replace=may_replace)
    return Planned(card, planned.due_words or as_line(plan.get("due", "")))


def _better_title(old: str, new: str, phrase: str) -> str:
    """Return the title that lacks less; the last one there is is cut at a word rather than given up."""
    new = tidy_title(new)
    if not new:
        return old
    return new if not old or len(title_lacks(new, phrase)) <= len(title_lacks(old, phrase)) else old


def fitted(card: Card) -> Card:
    """Return the card with its title cut at a word, when nothing else is left to do about it."""
    return replace(card, title=cut_at_word(card.title, TITLE_MAX))


def _description(old: str, new: Any, brief: Brief) -> str:
    """Return a description with the parts that were missing added, in the order of the kind."""
    found = _parts(new, brief.kind)
    if not split_parts(old, brief.kind) and not old:
        return tidy_desc(join_parts(found, brief.kind, brief.language), brief.language, brief.kind)
    have = split_parts(old, brief.kind)
    added = {part: text for part, text in found.items() if part not in have}
    both = "\n\n".join(filter(None, [old, join_parts(added, brief.kind, brief.language)]))
    return tidy_desc(both, brief.language, brief.kind)


def _parts(value: Any, kind: Kind) -> dict[str, list[str] | str]:
    """Return the parts of a planned description: an object of texts or of lists, or one text with headings."""
    if not isinstance(value, dict):
        return dict(split_parts(as_text(value), kind))
    names = {
        folded(alias): part.id for part in kind.parts for alias in (part.id, *part.heading.values(), *part.aliases)
    }
    found: dict[str, list[str] | str] = {}
    for key, text in value.items():
        part_id = names.get(snake(key)) or names.get(snake(key).replace("_", " "))
        body = as_items(text) if isinstance(text, (list, dict)) else as_text(text).strip()
        if part_id and body:
            found[part_id] = body
    lone = next(iter(value.values())) if len(value) == 1 else None
    return _parts(lone, kind) if not found and isinstance(lone, (dict, list, str)) else found


def _with_checklists(card: Card, value: Any, kind: Kind, *, may_replace: bool) -> Card:
    """Return the card with planned checklists: in the place of the old ones, or added to them."""
    planned = []
    for number, entry in enumerate(_checklist_entries(value), start=1):
        title, items = entry
        checklist, _ = tidy_checklist(title, as_items(items), fallback=f"Checklist {number}", kind=kind)
        if checklist.items:
            planned.append(checklist)
    old = tuple(c for c in card.checklists if c.items)
    if may_replace and planned and len(planned) >= len(old):
        old = ()
    new = replace(card, checklists=old)
    for checklist in planned:
        grown, _ = with_checklist(new, checklist, kind)
        new = grown if len(grown.checklists) <= kind.checklists_max else new
    return new


def _checklist_entries(value: Any) -> list[tuple[str, Any]]:
    """Return title and items of each checklist: from a list of objects, an object of lists, or one list of texts."""
    if isinstance(value, dict):
        return [_entry(value)] if _entry(value)[1] else [(str(title), items) for title, items in value.items()]
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(part, str) for part in value)):
        return [("", value)]
    return [_entry(part) for part in value] if isinstance(value, list) else []


def _entry(value: Any) -> tuple[str, Any]:
    """Return title and items of one checklist; the items are None where there are none."""
    if not isinstance(value, dict):
        return "", value if isinstance(value, (list, str)) else None
    given = {snake(key): part for key, part in value.items()}
    title = next((as_line(given[key]) for key in ("title", "titulo", "name", "nome") if key in given), "")
    items = next((given[key] for key in ("items", "itens", "check_items", "tasks", "tarefas") if key in given), None)
    if items is None and not title and len(value) == 1 and isinstance(lone := next(iter(value.values())), list):
        return str(next(iter(value))), lone
    return title, items
