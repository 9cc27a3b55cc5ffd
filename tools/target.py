"""Which board and which list the user means."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.changes import Place
from tools.errors import Failure, NotThere, UsageFailure
from tools.text import folded, one_line
from tools.trello import TrelloClient


@dataclass(frozen=True)
class Target:
    """A list on a board, found: Trello's ids, and the name the list has there."""

    place: Place
    list_name: str


def find_target(client: TrelloClient, board: str, list_name: str) -> Target:
    """Find an open list of an open board, in one request.

    Args:
        client: Trello.
        board: Shortlink or id.
        list_name: The list's name as the user gives it; empty for the first list.

    Raises:
        UsageFailure: When the board is not found or closed, or the list is not found, archived, or not the only one.
    """
    try:
        found = client.get(f"/boards/{board}", fields="name,closed,shortLink", lists="open")
        if not isinstance(found.get("id"), str):
            raise NotThere("", "")
        nested = found.get("lists")
        lists = nested if isinstance(nested, list) else client.get_list(f"/boards/{found['id']}/lists")
    except NotThere as error:
        hint = "check --board (or DEFAULT_BOARD), and that the token's owner may see it"
        raise UsageFailure(f"there is no board {board}", hint) from error
    if found.get("closed"):
        raise UsageFailure(f"the board {board} is closed", "reopen it in Trello, or give another with --board")
    chosen = choose_list([item for item in lists if isinstance(item, dict) and not item.get("closed")], list_name)
    if chosen is None:
        raise _no_list(client, found["id"], lists, list_name)
    return Target(Place(found["id"], chosen["id"]), one_line(str(chosen["name"])))


def choose_list(lists: Sequence[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """Choose a list by name: the same, then the same but for case and accents, then the only one that contains it.

    Raises:
        UsageFailure: When several fit equally well.
    """
    if not name:
        return min(lists, key=lambda item: float(item.get("pos") or 0), default=None)
    plain = folded(name)  # empty for a name of punctuation alone, which is a part of every other
    tests = (
        lambda item: item["name"] == name or item["id"] == name,
        lambda item: plain and folded(item["name"]) == plain,
        lambda item: plain and plain in folded(item["name"]),
    )
    for test in tests:
        fitting = [item for item in lists if test(item)]
        if len(fitting) > 1:
            names = ", ".join(f'"{one_line(item["name"])}"' for item in fitting)
            raise UsageFailure(
                f'--list "{one_line(name)}" fits {len(fitting)} lists: {names}', "give the whole name of one of them"
            )
        if fitting:
            return fitting[0]
    return None


def _no_list(client: TrelloClient, board_id: str, lists: Sequence[dict[str, Any]], name: str) -> UsageFailure:
    """Return the error that names the open lists, the nearest first, and says when the list is an archived one."""
    names = sorted({one_line(str(item.get("name"))) for item in lists if not item.get("closed")})
    names.sort(key=lambda known: -difflib.SequenceMatcher(None, folded(known), folded(name)).ratio())
    archived: list[dict[str, Any]] = []
    with contextlib.suppress(Failure):  # only for a better message
        archived = client.get_list(f"/boards/{board_id}/lists", filter="closed")
    hint = f"its open lists are: {', '.join(names)}" if names else "it has no open list: make one in Trello"
    if any(item.get("closed", True) and folded(str(item.get("name"))) == folded(name) for item in archived):
        return UsageFailure(f'the list "{one_line(name)}" is archived', hint)
    return UsageFailure(f'the board has no open list "{one_line(name)}"', hint)
