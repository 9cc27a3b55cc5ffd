"""The five tools: all that a model can do to the world.

Each docstring is the model's interface, written for a model of eight billion parameters. Each function gets the desk
of the run first, which the model does not see, checks what it was given, and answers with a dictionary or refuses; the
desk makes one line of JSON of either. There is no tool to delete, move, archive or read cards: the reach of a bad
prompt is this list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.desk import Desk


def to_rfc3339(desk: Desk, text: str) -> dict[str, Any]:
    """Turn a deadline in words into a date. Call it only if the task has a deadline, before create_card.

    Never write a date yourself. The answer has "due": copy it into create_card. An error says which word was not
    understood: call again with the words of the task.

    Args:
        text: The words of the deadline, as in the task. For example "amanhã 18:00" or "sexta às 17h".
    """
    return desk.read_deadline(text)


def resolve_list_id(desk: Desk, board: str = "", list_name: str = "") -> dict[str, Any]:
    """Get the id of the list for the card. Call it before create_card.

    With no arguments it gives the list of this task. The answer has "list_id": copy it into create_card. An error says
    which lists exist.

    Args:
        board: Board url or short link. Leave it out to use the board of this task.
        list_name: Visible name of the list. Leave it out to use the list of this task.
    """
    return desk.resolve_list(board, list_name)


def create_card(desk: Desk, list_id: str, title: str, desc: str, due: str = "") -> dict[str, Any]:
    """Create the card. Call it once, after resolve_list_id. There is only one card: do not call it again.

    The answer has "card_id" and "url". An error says what to correct: correct it and call create_card again.

    Args:
        list_id: The "list_id" that resolve_list_id gave. Not the name of the list.
        title: Short title, at most 80 characters. Not the same text as the task.
        desc: Description in Markdown with the four headings of the instructions, each followed by its text.
        due: The "due" that to_rfc3339 gave. Leave it out if there is no deadline.
    """
    return desk.create(list_id, title, desc, due)


def set_desc(desk: Desk, card_id: str, desc: str) -> dict[str, Any]:
    """Replace the description of the card. Call it only if an answer says that the description is incomplete.

    Args:
        card_id: The "card_id" that create_card gave.
        desc: The whole new description in Markdown, with the four headings.
    """
    return desk.describe(card_id, desc)


def add_checklist(desk: Desk, card_id: str, title: str, items: list[str]) -> dict[str, Any]:
    """Add one checklist with its items. Call it one to three times, after create_card.

    To add more items to a checklist, call it again with the same title and only the new items.

    Args:
        card_id: The "card_id" that create_card gave.
        title: Title of the checklist.
        items: List of 4 to 10 short texts, each something that can be verified.
    """
    return desk.add_checklist(card_id, title, items)


TOOLS = (to_rfc3339, resolve_list_id, create_card, set_desc, add_checklist)
