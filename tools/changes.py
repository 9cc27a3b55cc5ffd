"""Whether a card is still as a run made it: what a person has changed is never deleted and never completed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.card import same_instant
from tools.ledger import Step


@dataclass(frozen=True)
class Place:
    """Where the card goes: the ids of a board and of an open list on it."""

    board_id: str
    list_id: str


@dataclass(frozen=True)
class Expected:
    """What the recorded writes of a run would make, as far as they went: a text may be any of those it sent."""

    title: str
    descs: tuple[str, ...]
    due: str
    checklists: frozenset[str]
    items: frozenset[str]


def expected_from(steps: Iterable[Step]) -> Expected:
    """Return what a run's writes would make."""
    sent: dict[str, list[dict[str, Any]]] = {"card": [], "desc": [], "checklist": [], "item": []}
    for step in steps:
        sent.setdefault(step.kind, []).append(step.payload)
    card = sent["card"][0]
    return Expected(
        title=card["name"],
        descs=(card["desc"], *(payload["desc"] for payload in sent["desc"])),
        due=card.get("due", ""),
        checklists=frozenset(payload["name"].strip() for payload in sent["checklist"]),
        items=frozenset(payload["name"].strip() for payload in sent["item"]),
    )


def changed_since(found: Mapping[str, Any], expected: Expected, *, place: Place | None = None) -> str:
    """Say what a person has changed on a card, or nothing.

    Checklists that are not the run's, a move and labels may be an automation's and do not count, unless ``place`` is
    given: then the card must still be where it was made, and nobody's.

    Args:
        found: The card as it is on the board, with its checklists.
        expected: The card as the run made it.
        place: Where it must be.
    """
    badges = found.get("badges") or {}
    tests = [
        ("its title", not same_text(found.get("name"), expected.title)),
        ("its description", not any(same_text(found.get("desc"), desc) for desc in expected.descs)),
        ("its due date", not _same_due(found.get("due"), expected.due) or bool(found.get("dueComplete"))),
        ("a comment", bool(badges.get("comments"))),
        ("an attachment", bool(badges.get("attachments"))),
        ("its checklists", any(_touched(c, expected) for c in found.get("checklists") or [])),
        ("its list", place is not None and found.get("idList") not in (None, place.list_id)),
        ("its members or labels", place is not None and bool(found.get("idMembers") or found.get("idLabels"))),
        ("it was archived", place is not None and bool(found.get("closed"))),
    ]
    return next((what for what, changed in tests if changed), "")


def _same_due(there: Any, wanted: str) -> bool:
    return same_instant(str(there), wanted) if there and wanted else not there and not wanted


def _touched(checklist: Mapping[str, Any], expected: Expected) -> bool:
    """Return whether an item of one of the run's own checklists was ticked, added or reworded."""
    if str(checklist.get("name")).strip() not in expected.checklists:
        return False
    items = checklist.get("checkItems") or []
    return any(i.get("state") == "complete" or str(i.get("name")).strip() not in expected.items for i in items)


def same_text(there: Any, wanted: Any) -> bool:
    """Return whether a text is the one that was sent; Trello trims white space at the ends."""
    return str(there or "").strip() == str(wanted or "").strip()
