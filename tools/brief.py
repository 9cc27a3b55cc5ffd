"""What a card is written from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tools.kinds import Kind
from tools.language import Language


@dataclass(frozen=True)
class Brief:
    """What a card is written from; all of it is the user's or the code's.

    Args:
        phrase: The user's phrase.
        kind: The kind of card.
        language: The language the card is written in.
        phrase_language: The language of the phrase; None when that is not plain.
        board: What the user calls the board; empty in a dry run without one.
        list_id: Trello's id of the list.
        list_name: Its name.
        due: RFC 3339, or empty.
        due_is_fixed: Whether the due date, or that there is none, is decided already.
        now: The naive local time deadlines are read at.
        tz: The zone they are read in.
    """

    phrase: str
    kind: Kind
    language: Language
    phrase_language: Language | None
    board: str
    list_id: str
    list_name: str
    due: str
    due_is_fixed: bool
    now: datetime
    tz: str
