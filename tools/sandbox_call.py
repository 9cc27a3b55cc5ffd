"""One request to the sandbox, and what its parameters may hold by Trello's rules."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tools.sandbox_store import Session, rfc3339

TEXT_LIMIT = 16384
CARDS_LIMIT = 1000
OBJECT_ID = re.compile(r"[0-9a-fA-F]{24}")


class ApiError(Exception):
    """What Trello answers instead of a result.

    Args:
        status: The HTTP status.
        text: The whole body.
    """

    def __init__(self, status: int, text: str) -> None:
        """Keep the status beside the text."""
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Call:
    """One request as the routes see it.

    Args:
        session: The transaction it runs in.
        ids: The ids in its path, in order.
        params: Its parameters, from query and body alike.
        url_for: Gives the address of a card, or of a board, for its short link.
    """

    session: Session
    ids: tuple[str, ...]
    params: Mapping[str, Any]
    url_for: Callable[[str], str]

    def text(self, key: str, *, least: int = 0) -> str:
        """Return a text parameter, empty when missing."""
        return read_text(key, self.params.get(key), least)

    def one_of(self, key: str, table: Mapping[str, str], default: str) -> str:
        """Return what a table has for a parameter."""
        value = self.params.get(key, default)
        if not isinstance(value, str) or value not in table:
            raise ApiError(400, f"invalid value for {key}")
        return table[value]


def read_text(key: str, value: object, least: int = 0) -> str:
    """Return a text that Trello would keep."""
    text = "" if value is None else value
    if not isinstance(text, str) or not least <= len(text) <= TEXT_LIMIT or re.search("[\ud800-\udfff]", text):
        raise ApiError(400, f"invalid value for {key}")
    return text


def read_flag(key: str, value: object) -> bool:
    """Return a yes or no."""
    known = {"true": True, "1": True, "false": False, "0": False, "": False, "none": False}
    text = str(value).lower()
    if text not in known:
        raise ApiError(400, f"invalid value for {key}")
    return known[text]


def read_date(key: str, value: object) -> str | None:
    """Return a date as Trello keeps it; a time without an offset is UTC."""
    if value in (None, "", "null"):
        return None
    try:
        at = datetime.fromisoformat(str(value))
        return rfc3339(at.replace(tzinfo=at.tzinfo or UTC).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ApiError(400, "invalid date") from None


def read_ids(key: str, value: object) -> str:
    """Return a list of ids, given as such or with commas, as the store keeps it."""
    ids = [part for part in value.split(",") if part] if isinstance(value, str) else value
    if not isinstance(ids, list) or not all(isinstance(part, str) and OBJECT_ID.fullmatch(part) for part in ids):
        raise ApiError(400, f"invalid value for {key}")
    return json.dumps(ids)


def read_pos(call: Call, table: str, parent: str, parent_id: str) -> float:
    """Return the place that the request asks for; zero and nothing are the bottom, as in Trello."""
    value = call.params.get("pos", "bottom")
    bottom = call.session.next_pos(table, parent, parent_id)
    if value == "top":
        first = call.session.rows(f"SELECT min(pos) AS pos FROM {table} WHERE {parent} = ?", parent_id)[0]["pos"]
        return float(first) / 2 if first else bottom
    if value in ("bottom", "", None):
        return bottom
    try:
        pos = float(value)
    except (TypeError, ValueError):
        raise ApiError(400, "invalid value for pos") from None
    if not 0 <= pos < math.inf:
        raise ApiError(400, "invalid value for pos")
    return pos or bottom


def read_bound(call: Call, key: str) -> str:
    """Return the id that a date or an id stands for as a bound; empty when there is none."""
    value = str(call.params.get(key) or "")
    if not value or OBJECT_ID.fullmatch(value):
        return value.lower()
    date = read_date(key, value) or ""
    return f"{max(0, int(datetime.fromisoformat(date).timestamp())):08x}" + "0" * 16


def read_limit(call: Call, default: int) -> int:
    """Return how many are asked for at most."""
    value = str(call.params.get("limit") or default)
    if not re.fullmatch("[0-9]{1,4}", value) or not 1 <= int(value) <= CARDS_LIMIT:
        raise ApiError(400, "invalid value for limit")
    return int(value)
