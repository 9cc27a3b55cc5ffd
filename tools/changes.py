"""Whether a card is still as a run made it: what a person has changed is never deleted and never completed."""

from __future__ import annotations

import unicodedata
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
    """What the recorded writes of a run would make, as far as they went: a text may be any of those it sent.

    Its own checklists are known by their ids, and by title only where an answer never came.
    """

    title: str
    descs: tuple[str, ...]
    due: str
    checklist_ids: frozenset[str]
    checklist_titles: frozenset[str]
    items: frozenset[str]


def expected_from(steps: Iterable[Step]) -> Expected:
    """Return what a run's writes would make."""
    sent: dict[str, list[Step]] = {"card": [], "desc": [], "checklist": [], "item": [], "archive": []}
    for step in steps:
        sent[step.kind].append(step)
    card = sent["card"][0].payload
    return Expected(
        title=card["name"],
        descs=(card["desc"], *(step.payload["desc"] for step in sent["desc"])),
        due=card.get("due", ""),
        checklist_ids=frozenset(step.object_id for step in sent["checklist"] if step.object_id),
        checklist_titles=frozenset(plain(step.payload["name"]) for step in sent["checklist"] if not step.object_id),
        items=frozenset(plain(step.payload["name"]) for step in sent["item"]),
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
    if (
        checklist.get("id") not in expected.checklist_ids
        and plain(checklist.get("name")) not in expected.checklist_titles
    ):
        return False
    items = checklist.get("checkItems") or []
    return any(item.get("state") == "complete" or plain(item.get("name")) not in expected.items for item in items)


def same_text(there: Any, wanted: Any) -> bool:
    """Return whether a text is the one that was sent."""
    return plain(there) == plain(wanted)


def plain(text: Any) -> str:
    """Return a text for comparing with what was sent: servers trim white space, and compose or decompose accents."""
    return " ".join(unicodedata.normalize("NFC", str(text or "")).split())
