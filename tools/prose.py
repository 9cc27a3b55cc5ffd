"""A card that a model wrote as Markdown, where it should have called a tool or answered with JSON."""

from __future__ import annotations

import re
from typing import Any

from tools.card import part_of_heading
from tools.kinds import Kind
from tools.text import one_line
from tools.values import as_items

_TITLE = re.compile(r"^\W*(?:t[ií]tulo|title)\W*[:：]\s*(?:\*\*)?\s*(\S.*)$", re.IGNORECASE)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(.+?)\s*#*|(?:\d+[.)]\s*)?(?:\*\*|__)(.+?)(?:\*\*|__)\s*:?)\s*$")
_JSON = re.compile(r"\s*(?:```\w*\s*)?[{\[]")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|☐|\[ ?\])\s+\S")


def plan_in_prose(text: str, kind: Kind) -> dict[str, Any]:
    """Return the plan that a Markdown text spells out, under the names of a plan's schema; empty when it is none.

    The first heading, or what follows "Title:", is the title; a heading that names a part of the description opens that
    part; any other heading with a list below it is a checklist.

    Args:
        text: What the model wrote.
        kind: Gives the parts.
    """
    if _JSON.match(text):  # cut short: what is whole in it is not known
        return {}
    title = ""
    parts: dict[str, list[str]] = {}
    checklists: list[dict[str, Any]] = []
    lines: list[str] = []
    for line in text.splitlines():
        part_id, rest = part_of_heading(line, kind)
        part_id = None if part_id in parts else part_id  # a checklist may be called like a part: "Entrega"
        heading = _HEADING.match(line)
        if part_id:
            lines = parts.setdefault(part_id, [])
            lines.append(rest)
        elif named := _TITLE.match(line):
            title, lines = title or one_line(named[1]), []
        elif heading:
            name = re.sub(r"^checklists?\s*(?:\d+)?\s*[:–—-]\s*", "", heading[1] or heading[2], flags=re.IGNORECASE)
            title, lines = title or one_line(name), []
            checklists.append({"title": name, "items": lines})
        else:
            lines.append(line)
    found = [{**c, "items": as_items([x for x in c["items"] if _ITEM.match(x)])} for c in checklists]
    return {
        key: value
        for key, value in {
            "title": title,
            "description": {part_id: "\n".join(body).strip() for part_id, body in parts.items()},
            "checklists": [checklist for checklist in found if checklist["items"]],
        }.items()
        if value
    }
