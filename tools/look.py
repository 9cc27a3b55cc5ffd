"""What is on the board: the card of a run, a card like it, and what they hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from tools.card import Checklist
from tools.changes import Place, same_text
from tools.errors import NotThere, TrelloUnavailable
from tools.ledger import Ledger
from tools.text import folded
from tools.trello import TrelloClient, created_at

Found = dict[str, Any]  # a card, a checklist or an item as Trello gives it

POS_STEP = 16384  # Trello gives its own objects positions of this step; 0 would mean the bottom
_CARD_FIELDS = "name,desc,due,closed,idList,idBoard,shortUrl,url,badges,dueComplete,idLabels,idMembers"


def read_card(client: TrelloClient, card_id: str) -> Found | None:
    """Return a card with its checklists, or None when there is none of that id."""
    try:
        return with_checklists(client, client.get(f"/cards/{card_id}", fields=_CARD_FIELDS, checklists="all"))
    except NotThere:
        return None


def with_checklists(client: TrelloClient, card: Found) -> Found:
    """Return a card with its checklists read apart, where the server does not nest them."""
    if not isinstance(card.get("checklists"), list):
        card["checklists"] = client.get_list(f"/cards/{card['id']}/checklists")
    return card


def cards_since(client: TrelloClient, board_id: str, since: float, which: str) -> list[Found]:
    """Return the cards of a board created since a time; the server may ignore the filter.

    Args:
        client: Trello.
        board_id: The board: all its lists, for automations move cards.
        since: Seconds by Trello's clock.
        which: ``open`` or ``all``.
    """
    text = datetime.fromtimestamp(max(0.0, since - 1), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    query = {"filter": which, "since": text, "limit": "1000", "fields": _CARD_FIELDS, "checklists": "all"}
    cards = client.get_list(f"/boards/{board_id}/cards", **query)
    return [card for card in cards if created_at(str(card.get("id"))) >= int(since) - 1]


def find_own(
    client: TrelloClient,
    ledger: Ledger,
    place: Place,
    sent: Mapping[str, Any],
    since: float,
    unwritten: Collection[str],
) -> Found | None:
    """Find the card that a write made whose answer was lost: same title, description and list, not older than it.

    Of a card on another list, Trello's own record of its creation tells whether it was made on this one. A card that
    another run of the ledger made is not this one's, nor is one that holds what this run has not written yet.

    Args:
        client: Trello.
        ledger: Knows the cards of other runs.
        place: Where it was made.
        sent: What was sent.
        since: When, by Trello's clock.
        unwritten: Titles of checklists that this run has not written yet: a card that has one is another machine's.
    """
    foreign = {folded(title) for title in unwritten}
    for card in sorted(cards_since(client, place.board_id, since, "all"), key=lambda card: created_at(card["id"])):
        if not (same_text(card.get("name"), sent["name"]) and same_text(card.get("desc"), sent["desc"])):
            continue
        if ledger.knows_card(card["id"]) or not _was_made_on(client, card, place.list_id):
            continue
        held = {folded(str(c.get("name"))) for c in with_checklists(client, card)["checklists"]} if foreign else set()
        if not held & foreign:
            return card
    return None


def _was_made_on(client: TrelloClient, card: Found, list_id: str) -> bool:
    """Return whether a card was created on a list; true when Trello does not say."""
    if card.get("idList") == list_id:
        return True
    try:
        actions = client.get_list(f"/cards/{card['id']}/actions", filter="createCard")
    except NotThere:
        return True
    lists = [action.get("data", {}).get("list", {}).get("id") for action in actions]
    return not lists or list_id in lists


def find_twin(client: TrelloClient, ledger: Ledger, place: Place, title: str, since: float) -> Found | None:
    """Return the best of the open cards of a title on a list that this ledger knows nothing of, or None."""
    twins = [
        with_checklists(client, card)
        for card in cards_since(client, place.board_id, since, "open")
        if folded(str(card.get("name"))) == folded(title)
        and card.get("idList") == place.list_id
        and not card.get("closed")
        and not ledger.knows_card(card["id"])
    ]
    return min(twins, key=lambda card: (not is_whole(card), created_at(card["id"])), default=None)


def double_parts(card: Found, own: Mapping[str, Collection[str]]) -> list[str]:
    """Return the paths of the checklists and items that stand on a card beside one of the run's of the same kind.

    Args:
        card: The card with its checklists.
        own: The ids of the run's checklists, with the ids of their items.
    """
    paths = []
    for checklist in card["checklists"]:
        items = checklist.get("checkItems") or []
        if checklist["id"] in own:
            mine = [item for item in items if item["id"] in own[checklist["id"]]]
            others = [item for item in items if item not in mine and any(is_at(item, one) for one in mine)]
            paths += [f"/cards/{card['id']}/checkItem/{item['id']}" for item in others]
        elif not items and any(is_at(checklist, one) for one in card["checklists"] if one["id"] in own):
            paths.append(f"/checklists/{checklist['id']}")
    return paths


def double_cards(client: TrelloClient, ledger: Ledger, place: Place, card: Found, since: float) -> list[Found]:
    """Return the empty cards of a run's own title and description that were made since beside its card."""
    return [
        found
        for found in cards_since(client, place.board_id, since, "open")
        if found["id"] != card["id"]
        and same_text(found.get("name"), card.get("name"))
        and same_text(found.get("desc"), card.get("desc"))
        and found.get("idList") == place.list_id
        and not ledger.knows_card(found["id"])
        and not with_checklists(client, found)["checklists"]
    ]


def is_whole(card: Mapping[str, Any]) -> bool:
    """Return whether a card looks finished: a description, and no checklist missing or empty."""
    checklists = card.get("checklists") or []
    described = bool(str(card.get("desc") or "").strip())
    return described and bool(checklists) and all(checklist.get("checkItems") for checklist in checklists)


def contents(card: Mapping[str, Any]) -> list[int]:
    """Return how many items each checklist holds: what changes while a card is being made."""
    return [len(checklist.get("checkItems") or []) for checklist in card.get("checklists") or []]


def url_of(card: Mapping[str, Any]) -> str:
    """Return the url Trello gives a card, the short one first."""
    for key in ("shortUrl", "url"):
        if isinstance(card.get(key), str) and card[key]:
            return str(card[key])
    if card.get("shortLink"):
        return f"https://trello.com/c/{card['shortLink']}"
    raise TrelloUnavailable("Trello's answer has no url of the card", "")


def at(name: str, index: int) -> dict[str, Any]:
    """Return the text and the position of the checklist, or the item, at an index."""
    return {"name": name, "pos": (index + 1) * POS_STEP}


def is_at(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether a checklist or an item is the one asked for: by its position too, for two may have one text."""
    return same_text(there.get("name"), wanted["name"]) and float(there.get("pos") or 0) == float(wanted["pos"])


def items_at(there: Mapping[str, Any], checklist: Checklist) -> dict[int, str]:
    """Return the ids of a checklist's items on the board, by their index in the checklist as it is to be."""
    items = there.get("checkItems") or []
    return {n: item["id"] for n, text in enumerate(checklist.items) for item in items if is_at(item, at(text, n))}
