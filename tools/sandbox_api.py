"""The part of Trello's REST v1 that the product uses, as a table of routes over the sandbox's store.

Where Trello is awkward, so is this, for a client must cope with it: checklists and items do not come back in order, an
archived board's lists look open, `due` comes back in UTC, errors are bare text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tools.sandbox_call import (
    CARDS_LIMIT,
    OBJECT_ID,
    ApiError,
    Call,
    read_bound,
    read_date,
    read_flag,
    read_ids,
    read_limit,
    read_pos,
    read_text,
)
from tools.sandbox_store import Row, Session, new_short_link, rfc3339

MEMBER = {"id": "5a0000000000000000000001", "username": "sandbox", "fullName": "Sandbox", "memberType": "normal"}

_NAMED = re.compile(r"[0-9a-fA-F]{24}|[0-9A-Za-z]{8}")
_ABSENT = "The requested resource was not found."
_LISTED = {"open": "closed = 0", "closed": "closed = 1", "all": "1", "none": "0"}
_CARDS = _LISTED | {"visible": "closed = 0 AND idList IN (SELECT id FROM lists WHERE closed = 0)"}
_STATES = {"complete": "complete", "incomplete": "incomplete", "true": "complete", "false": "incomplete"}
_Item = TypeVar("_Item")


def dispatch(session: Session, method: str, path: str, params: Mapping[str, Any], url_for: Callable[[str], str]) -> Any:
    """Run one request and return what its answer's JSON holds.

    Args:
        session: The transaction it runs in.
        method: GET, POST, PUT or DELETE.
        path: What follows `/1`.
        params: Its parameters.
        url_for: Gives the address for a short link.

    Raises:
        ApiError: Trello would refuse it.
    """
    segments = path.strip("/").split("/")
    for verb, pattern, route in ROUTES:
        ids = _match(pattern.split("/"), segments) if verb == method else None
        if ids is not None:
            return route(Call(session, ids, params, url_for))
    raise ApiError(404, _ABSENT)


def _match(pattern: list[str], segments: list[str]) -> tuple[str, ...] | None:
    """Return the segments that stand for the pattern's ids, or None when it is another path."""
    if len(pattern) != len(segments):
        return None
    pairs = list(zip(pattern, segments, strict=True))
    if any(name not in ("*", segment) for name, segment in pairs):
        return None
    return tuple(segment for name, segment in pairs if name == "*")


# What is looked up, and whether it may be written to.


def _find(call: Call, table: str, key: str) -> Row:
    """Return a board's or a card's row by id or short link."""
    found = call.session.rows(f"SELECT * FROM {table} WHERE id = lower(?) OR shortLink = ?", key, key)
    if not found:
        raise ApiError(404, _ABSENT) if _NAMED.fullmatch(key) else ApiError(400, "invalid id")
    return found[0]


def _find_by_id(call: Call, table: str, key: object, parameter: str = "") -> Row:
    """Return a row by id, which stands in the path or in the parameter that is named."""
    if not isinstance(key, str) or not OBJECT_ID.fullmatch(key):
        raise ApiError(400, f"invalid value for {parameter}" if parameter else "invalid id")
    found = call.session.rows(f"SELECT * FROM {table} WHERE id = lower(?)", key)
    if not found:
        raise ApiError(404, "model not found" if parameter else _ABSENT)
    return found[0]


def _writable(call: Call, row: Row) -> Row:
    """Return a row of a board that the token may write to."""
    board = call.session.rows("SELECT readOnly FROM boards WHERE id = ?", row["idBoard"])[0]
    if board["readOnly"]:
        raise ApiError(401, "unauthorized permission requested")
    return row


def _card_to_write(call: Call) -> Row:
    return _writable(call, _find(call, "cards", call.ids[0]))


def _checklist_to_write(call: Call) -> tuple[Row, Row]:
    """Return the checklist of the path, and its card."""
    checklist = _find_by_id(call, "checklists", call.ids[0])
    return checklist, _writable(call, _find(call, "cards", checklist["idCard"]))


def _item_to_write(call: Call) -> tuple[Row, Row]:
    """Return the item of the path, and its card."""
    card = _card_to_write(call)
    item = _find_by_id(call, "items", call.ids[1])
    if _find_by_id(call, "checklists", item["idChecklist"])["idCard"] != card["id"]:
        raise ApiError(404, _ABSENT)
    return item, card


# What is answered.


def _fields(row: Row, wanted: object) -> Row:
    """Return the fields that are asked for; the id always is."""
    if not isinstance(wanted, str) or wanted == "all":
        return row
    return {key: value for key, value in row.items() if key in {"id", *wanted.split(",")}}


def _shuffled(rows: list[_Item]) -> list[_Item]:
    """Return rows out of their order, always in the same way: Trello promises none."""
    return rows[1::2] + rows[::2]


def _checklist_view(checklist: Row) -> Row:
    return checklist | {"checkItems": _shuffled(checklist["checkItems"])}


def _card_view(call: Call, card: Row) -> Row:
    """Return a card with what of it the request asks for."""
    address = call.url_for(card["shortLink"])
    shown = card | {"shortUrl": address, "url": address, "idChecklists": _shuffled(card["idChecklists"])}
    checklists = [_checklist_view(checklist) for checklist in _shuffled(shown.pop("checklists"))]
    shown = _fields(shown, call.params.get("fields", "all"))
    return shown | {"checklists": checklists} if call.params.get("checklists") == "all" else shown


def _card_by_id(call: Call, card_id: str) -> Row:
    return _card_view(call, call.session.cards("WHERE id = ?", card_id)[0])


def _lists_of(call: Call, board_id: str, condition: str) -> list[Row]:
    rows = call.session.rows(f"SELECT * FROM lists WHERE idBoard = ? AND {condition} ORDER BY pos, id", board_id)
    return [row | {"closed": bool(row["closed"]), "subscribed": False} for row in rows]


def _action_view(action: Row) -> Row:
    shown = {key: action[key] for key in ("id", "type", "date")}
    return shown | {"idMemberCreator": MEMBER["id"], "memberCreator": MEMBER, "data": json.loads(action["data"])}


# The routes.


def _get_member(call: Call) -> Row:
    return _fields(dict(MEMBER), call.params.get("fields"))


def _get_member_boards(call: Call) -> list[Row]:
    condition = call.one_of("filter", _LISTED, "all")
    rows = call.session.rows(f"SELECT * FROM boards WHERE {condition} ORDER BY rowid")
    return [_fields(_board_view(call, row), call.params.get("fields")) for row in rows]


def _board_view(call: Call, board: Row) -> Row:
    address = call.url_for(board["shortLink"])
    shown = {key: board[key] for key in ("id", "name", "desc", "shortLink")}
    return shown | {"closed": bool(board["closed"]), "url": address, "shortUrl": address}


def _get_board(call: Call) -> Row:
    board = _find(call, "boards", call.ids[0])
    shown = _fields(_board_view(call, board), call.params.get("fields"))
    if "lists" not in call.params:
        return shown
    lists = _lists_of(call, board["id"], call.one_of("lists", _LISTED, "open"))
    return shown | {"lists": [_fields(row, call.params.get("list_fields")) for row in lists]}


def _get_board_lists(call: Call) -> list[Row]:
    board = _find(call, "boards", call.ids[0])
    lists = _lists_of(call, board["id"], call.one_of("filter", _LISTED, "open"))
    return [_fields(row, call.params.get("fields")) for row in lists]


def _get_board_cards(call: Call) -> list[Row]:
    return _cards_of(call, "idBoard", _find(call, "boards", call.ids[0])["id"])


def _get_list_cards(call: Call) -> list[Row]:
    return _cards_of(call, "idList", _find_by_id(call, "lists", call.ids[0])["id"])


def _cards_of(call: Call, parent: str, parent_id: str) -> list[Row]:
    """Return the cards of a board or a list, the newest first."""
    if len(call.ids) > 1:
        call = Call(call.session, call.ids[:1], {**call.params, "filter": call.ids[1]}, call.url_for)
    condition = call.one_of("filter", _CARDS, "open")
    since, before = read_bound(call, "since"), read_bound(call, "before") or "g"
    limit = read_limit(call, CARDS_LIMIT)
    where = f"WHERE {parent} = ? AND {condition} AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"
    return [_card_view(call, card) for card in call.session.cards(where, parent_id, since, before, limit)]


def _get_card(call: Call) -> Row:
    return _card_by_id(call, _find(call, "cards", call.ids[0])["id"])


def _get_card_checklists(call: Call) -> list[Row]:
    card_id = _find(call, "cards", call.ids[0])["id"]
    return [_checklist_view(row) for row in _shuffled(call.session.checklists([card_id])[card_id])]


def _get_card_actions(call: Call) -> list[Row]:
    """Return a card's actions, the newest first; `updateCard:idList` means changes of that field only."""
    card = _find(call, "cards", call.ids[0])
    wanted = str(call.params.get("filter") or "commentCard,updateCard:idList").split(",")
    rows = call.session.rows("SELECT * FROM actions WHERE idCard = ? ORDER BY rowid DESC", card["id"])
    actions = [action for action in map(_action_view, rows) if any(_is_kind(action, kind) for kind in wanted)]
    return actions[: read_limit(call, 50)]


def _is_kind(action: Row, kind: str) -> bool:
    name, _, field = kind.partition(":")
    return name == "all" or (name == action["type"] and (not field or field in action["data"].get("old", {})))


def _post_card(call: Call) -> Row:
    column = _find_by_id(call, "lists", call.params.get("idList"), "idList")
    _writable(call, column)
    short = call.session.rows("SELECT max(idShort) AS n FROM cards WHERE idBoard = ?", column["idBoard"])[0]["n"] or 0
    written = {"name": ""} | {
        key: parse(key, call.params[key]) for key, parse in _WRITTEN.items() if key in call.params
    }
    row = {"idBoard": column["idBoard"], "idList": column["id"], "idShort": short + 1, "shortLink": new_short_link()}
    row |= {"pos": read_pos(call, "cards", "idList", column["id"]), "dateLastActivity": rfc3339(call.session.now)}
    card_id = call.session.insert("cards", **row, **written)
    card = _find(call, "cards", card_id)
    call.session.record(card, "createCard", {"list": {"id": column["id"], "name": column["name"]}})
    return _card_by_id(call, card_id)


_WRITTEN: dict[str, Callable[[str, object], Any]] = {
    "name": read_text,
    "desc": read_text,
    "due": read_date,
    "dueComplete": read_flag,
    "closed": read_flag,
    "idLabels": read_ids,
    "idMembers": read_ids,
}


def _put_card(call: Call) -> Row:
    card = _card_to_write(call)
    changes = {key: parse(key, call.params[key]) for key, parse in _WRITTEN.items() if key in call.params}
    if "idList" in call.params:
        column = _writable(call, _find_by_id(call, "lists", call.params["idList"], "idList"))
        changes |= {"idList": column["id"], "idBoard": column["idBoard"]}
    if "pos" in call.params or changes.get("idList", card["idList"]) != card["idList"]:
        changes["pos"] = read_pos(call, "cards", "idList", str(changes.get("idList", card["idList"])))
    for key, value in changes.items():
        if card[key] != value:
            _change(call, card, key, value)
    return _card_by_id(call, card["id"])


def _change(call: Call, card: Row, key: str, value: object) -> None:
    """Set one field of a card and record it as Trello does, with what was there before."""
    data: Row = {"old": {key: card[key]}}
    if key == "idList":
        for end, list_id in (("listBefore", card["idList"]), ("listAfter", value)):
            data[end] = call.session.rows("SELECT id, name FROM lists WHERE id = ?", list_id)[0]
    call.session.run(f"UPDATE cards SET {key} = ? WHERE id = ?", value, card["id"])
    call.session.record(card, "updateCard", data, **{key: value})


def _delete_card(call: Call) -> Row:
    call.session.run("DELETE FROM cards WHERE id = ?", _card_to_write(call)["id"])
    return {"limits": {}}


def _post_comment(call: Call) -> Row:
    return _action_view(call.session.record(_card_to_write(call), "commentCard", {"text": call.text("text", least=1)}))


def _post_checklist(call: Call) -> Row:
    """Add a checklist to the card that is named in the body, or in the path."""
    if call.ids:
        card = _card_to_write(call)
    else:
        card = _writable(call, _find_by_id(call, "cards", call.params.get("idCard"), "idCard"))
    name = call.text("name") or "Checklist"
    pos = read_pos(call, "checklists", "idCard", card["id"])
    found = call.session.insert("checklists", idCard=card["id"], name=name, pos=pos)
    call.session.record(card, "addChecklistToCard", {"checklist": {"id": found, "name": name}})
    return next(row for row in call.session.checklists([card["id"]])[card["id"]] if row["id"] == found)


def _delete_checklist(call: Call) -> Row:
    checklist, card = _checklist_to_write(call)
    call.session.run("DELETE FROM checklists WHERE id = ?", checklist["id"])
    named = {"id": checklist["id"], "name": checklist["name"]}
    call.session.record(card, "removeChecklistFromCard", {"checklist": named})
    return {"limits": {}}


def _post_item(call: Call) -> Row:
    checklist, card = _checklist_to_write(call)
    state = "complete" if read_flag("checked", call.params.get("checked", False)) else "incomplete"
    pos = read_pos(call, "items", "idChecklist", checklist["id"])
    name = call.text("name", least=1)
    found = call.session.insert("items", idChecklist=checklist["id"], name=name, state=state, pos=pos)
    call.session.run("UPDATE cards SET dateLastActivity = ? WHERE id = ?", rfc3339(call.session.now), card["id"])
    return {"id": found, "idChecklist": checklist["id"], "name": name, "state": state, "pos": pos, "due": None}


def _put_item(call: Call) -> Row:
    item, card = _item_to_write(call)
    state = call.one_of("state", _STATES, item["state"])
    name = call.text("name", least=1) if "name" in call.params else item["name"]
    call.session.run("UPDATE items SET state = ?, name = ? WHERE id = ?", state, name, item["id"])
    changed = {"id": item["id"], "name": name, "state": state}
    kind = "updateCheckItem" if state == item["state"] else "updateCheckItemStateOnCard"
    call.session.record(card, kind, {"checkItem": changed})
    return item | changed


def _delete_item(call: Call) -> Row:
    item, card = _item_to_write(call)
    call.session.run("DELETE FROM items WHERE id = ?", item["id"])
    call.session.record(card, "deleteCheckItem", {"checkItem": {"id": item["id"], "name": item["name"]}})
    return {"limits": {}}


ROUTES: tuple[tuple[str, str, Callable[[Call], Any]], ...] = (
    ("GET", "members/me", _get_member),
    ("GET", "members/me/boards", _get_member_boards),
    ("GET", "boards/*", _get_board),
    ("GET", "boards/*/lists", _get_board_lists),
    ("GET", "boards/*/cards", _get_board_cards),
    ("GET", "boards/*/cards/*", _get_board_cards),
    ("GET", "lists/*/cards", _get_list_cards),
    ("GET", "cards/*", _get_card),
    ("GET", "cards/*/checklists", _get_card_checklists),
    ("GET", "cards/*/actions", _get_card_actions),
    ("POST", "cards", _post_card),
    ("PUT", "cards/*", _put_card),
    ("DELETE", "cards/*", _delete_card),
    ("POST", "cards/*/checklists", _post_checklist),
    ("POST", "cards/*/actions/comments", _post_comment),
    ("PUT", "cards/*/checkItem/*", _put_item),
    ("DELETE", "cards/*/checkItem/*", _delete_item),
    ("POST", "checklists", _post_checklist),
    ("DELETE", "checklists/*", _delete_checklist),
    ("POST", "checklists/*/checkItems", _post_item),
)
