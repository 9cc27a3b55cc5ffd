"""The desk of one conversation: what the five tools may touch, and where ids and dates come from.

The model gives text; the desk decides. A list id is taken only from ``resolve_list_id`` of this run, a due date only
from ``to_rfc3339`` of this run, a card id only from this run's card. Where the intention is certain it is mended: a
list's name in the place of its id, a card id left out.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tools.brief import Brief
from tools.card import (
    TITLE_MAX,
    Card,
    Lack,
    Receipt,
    is_full,
    lacks,
    same_instant,
    split_parts,
    tidy_checklist,
    tidy_desc,
    tidy_title,
    title_lacks,
    with_checklist,
)
from tools.clock import Clock
from tools.dates import DueError, parse_due
from tools.guards import LoopGuard
from tools.language import guess
from tools.prompt import Words
from tools.publish import Board
from tools.schema import Tool
from tools.text import cut_at_word, folded, one_line

_REFUSALS_MAX = 2  # of titles, and of due dates: then the code decides
_WRITES = {"create_card", "set_desc", "add_checklist"}
_NOTHING = {"", "none", "null", "nil", "undefined", "n/a", "na", "nenhum", "no", "false"}
_NO_DUE = _NOTHING | {"sem prazo", "nenhuma", "no deadline"}


class Refusal(Exception):
    """A tool's refusal: a class of error from ``prompts/*/messages.json`` and what it names."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass
class Desk:
    """The state of one conversation, and the board behind it.

    Args:
        brief: The task.
        board: Where the card goes.
        words: The texts of refusals.
        tools: The five tools, by name.
        clock: Looked at before each call.
        plan_title: Asks for a title when the model's own were refused too often; returns empty when there is none.
        warn: Told what the user should know.

    Of the state, ``card`` is what is on the board, by ``receipt``; ``draft`` is the last card that was refused.
    """

    brief: Brief
    board: Board
    words: Words
    tools: Mapping[str, Tool]
    clock: Clock
    plan_title: Callable[[], str] = lambda: ""
    warn: Callable[[str], None] = lambda text: None
    card: Card = Card()
    said: str = ""  # the longest of the texts the model answered with instead of a call
    draft: Card = Card()
    attempted: bool = False
    receipt: Receipt | None = None
    short: list[Lack] = field(default_factory=list)
    guard: LoopGuard = field(default_factory=LoopGuard)
    _dues: dict[str, str] = field(default_factory=dict)  # what to_rfc3339 gave, and how it is echoed
    _refused_titles: list[str] = field(default_factory=list)
    _refused_dues: list[str] = field(default_factory=list)
    _refused_lists: list[str] = field(default_factory=list)
    _card_is_known: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Count the run's own due date among those with a source."""
        if self.brief.due:
            self._dues[self.brief.due] = ""

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Execute one call and return its result as one line of JSON; calls are made one at a time.

        Args:
            name: The tool's name, as the model gave it after mending.
            arguments: Its arguments, mended.

        Raises:
            Failure: When the run cannot go on. What the model can act on is returned, not raised.
        """
        with self._lock:
            self.clock.check()
            writes = name in _WRITES
            try:
                self._check_call(name, arguments, writes=writes)
                result = {"tool": name, "ok": True, **self.tools[name].run(self, arguments)}
            except Refusal as refusal:
                result = {"tool": name, "ok": False, **self.words.error(refusal.code, **refusal.values)}
            self.guard.note(name, arguments, ok=bool(result["ok"]), writes=writes)
            return json.dumps(result, ensure_ascii=False)

    def _check_call(self, name: str, arguments: Mapping[str, Any], *, writes: bool) -> None:
        verdict = self.guard.refusal(name, arguments, writes=writes)
        if verdict == "repeated":
            raise Refusal("repeated", then=self._then())
        if verdict == "failed_twice":
            raise Refusal("failed_twice", reason=self._then())
        if name not in self.tools:
            raise Refusal("unknown_tool", name=one_line(name)[:60], tools=", ".join(self.tools))

    def _then(self) -> str:
        """Return what the model should do next, as a clause."""
        step = next_call(self.lacks()) if self.receipt else "create_card"
        return self.words.then(step or "answer")

    def next_turn(self) -> None:
        """Begin a turn of the model: from now on it knows the card's id, if there is a card.

        In the message that makes the card nobody can know its id, and any that stands for it means this card.

        Raises:
            ConversationOver: When too many turns brought nothing, or the calls are used up.
        """
        self.guard.next_turn()
        self._card_is_known = self.receipt is not None

    def lacks(self) -> list[Lack]:
        """Return what the card has not got yet."""
        if self.receipt is None:
            return [Lack("card_missing", must=True)]
        return lacks(self.card, self.brief.kind, self.brief.phrase, self.brief.phrase_language)

    def is_full(self) -> bool:
        """Return whether the card exists and nothing can be added to it."""
        return self.receipt is not None and is_full(
            self.card, self.brief.kind, self.brief.phrase, self.brief.phrase_language
        )

    # The five tools; their docstrings, for the model, are in tools/__init__.py.

    def read_deadline(self, text: str) -> dict[str, Any]:
        """Answer ``to_rfc3339``: the run's own due date where it has one, else what the grammar reads."""
        if self.brief.due_is_fixed:
            note = self.words.note("due_fixed" if self.brief.due else "no_due")
            return {"due": self.brief.due, "note": note}
        try:
            due = parse_due(text, now=self.brief.now, tz=self.brief.tz)
        except DueError as error:
            raise Refusal("bad_deadline", reason=one_line(str(error))) from error
        if "past" in due.flags:
            raise Refusal("past_deadline", due=due.rfc3339)
        self._dues[due.rfc3339] = due.echo()
        return {"due": due.rfc3339}

    def resolve_list(self, board: str, list_name: str) -> dict[str, Any]:
        """Answer ``resolve_list_id``: the run's list, whatever was asked for."""
        answer = {"list_id": self.brief.list_id, "list_name": self.brief.list_name}
        if list_name and folded(list_name) != folded(self.brief.list_name) and list_name != self.brief.list_id:
            answer["note"] = self.words.note("list_fixed", list_name=self.brief.list_name)
        return answer

    def create(self, list_id: str = "", title: str = "", desc: str = "", due: str = "") -> dict[str, Any]:
        """Answer ``create_card``."""
        self.attempted = True
        if self.receipt is not None:
            raise Refusal("card_exists", url=self.receipt.url, then=self._then())
        self._check_list(list_id)
        due = self._checked_due(due)
        self.draft = Card(tidy_title(title), tidy_desc(desc, self.brief.language, self.brief.kind), (), due)
        if not self.draft.desc:
            raise Refusal("missing_argument", name="desc", tool="create_card")
        card = replace(self.draft, title=self._settled_title(self.draft.title, self.draft.desc))
        self.receipt = self.board.ensure(card)
        self.card = card
        if card.due and not self.brief.due_is_fixed:
            self.warn(f"the model named the due date, the phrase does not: {self._dues[card.due]}")
        return {"card_id": self.receipt.card_id, "url": self.receipt.url, **self._shortfall("desc_parts")}

    def describe(self, card_id: str, desc: str) -> dict[str, Any]:
        """Answer ``set_desc``: a description that has fewer of its parts than the old one is refused."""
        self._check_card(card_id)
        card = replace(self.card, desc=tidy_desc(desc, self.brief.language, self.brief.kind))
        if not card.desc:
            raise Refusal("missing_argument", name="desc", tool="set_desc")
        if card == self.card:
            raise Refusal("repeated", then=self._then())
        if len(split_parts(card.desc, self.brief.kind)) < len(split_parts(self.card.desc, self.brief.kind)):
            missing = [lack for lack in self._lacks_of(card) if lack.code == "desc_parts"]
            raise Refusal("bad_desc", lacks=self.words.lacks(missing))
        self.board.ensure(card)
        self.card = card
        return self._shortfall("desc_parts")

    def add_checklist(self, card_id: str = "", title: str = "", items: list[str] | None = None) -> dict[str, Any]:
        """Answer ``add_checklist``: a checklist more, or items more for one of the same title."""
        self._check_card(card_id)
        kind = self.brief.kind
        fallback = str(self.words.messages["no_checklist_title"]).format(number=len(self.card.checklists) + 1)
        checklist, too_many = tidy_checklist(title, items or [], fallback=fallback, kind=kind)
        if not checklist.items:
            raise Refusal("bad_items")
        card, no_room = with_checklist(self.card, checklist, kind)
        too_many += no_room
        if card == self.card:
            raise Refusal("repeated", then=self._then())
        if len(card.checklists) > kind.checklists_max:
            raise Refusal("enough_checklists", count=str(kind.checklists_max), then=self._then())
        self.board.ensure(card)
        self.card = card
        if too_many:
            self.warn(f"checklist {checklist.title!r}: {too_many} items more than {kind.items_max} were left out")
        note = {"note": self.words.note("items_cut")} if too_many else {}
        return {"checklist": checklist.title, "items": len(checklist.items), **note, **self._shortfall("few_items")}

    def _lacks_of(self, card: Card) -> list[Lack]:
        return lacks(card, self.brief.kind, self.brief.phrase, self.brief.phrase_language)

    def _shortfall(self, code: str) -> dict[str, str]:
        """Return what the call just made left wanting, for its result; it is reminded of before the next turn."""
        self.short = [lack for lack in self.lacks() if lack.code == code]
        if not self.short:
            return {}
        call = next_call(self.short)
        return {"missing": self.words.lacks(self.short), "next": str(self.words.messages["calls"][call])}

    def _check_list(self, list_id: str) -> None:
        text = list_id.strip()
        if text == self.brief.list_id or folded(text) in _NOTHING | {folded(self.brief.list_name)}:
            return
        if is_placeholder(text):
            return
        if self._is_refused(text, self._refused_lists):
            raise Refusal("unknown_list", list_id=one_line(text)[:60])
        self.warn(
            f"the model insists on another list ({one_line(text)[:60]}): the card goes to the one that was asked for"
        )

    def _check_card(self, card_id: str) -> None:
        if self.receipt is None:
            raise Refusal("no_card")
        text = card_id.strip()
        own = (self.receipt.card_id, self.receipt.url, self.receipt.url.rpartition("/")[2])
        if text in own or not looks_like_id(text) or not self._card_is_known:
            return
        raise Refusal("other_card", card_id=one_line(text)[:60], own=self.receipt.card_id)

    def _checked_due(self, due: str) -> str:
        """Return the due date the card gets: the run's where it is fixed, else one that ``to_rfc3339`` gave."""
        text = due.strip()
        if self.brief.due_is_fixed:
            return self.brief.due
        if folded(text) in _NO_DUE:
            return ""
        if is_placeholder(text):
            return next(iter(self._dues)) if len(self._dues) == 1 else ""
        known = next((d for d in self._dues if d == text or (_is_rfc3339(text) and same_instant(d, text))), "")
        if known:
            return known
        if self._is_refused(text, self._refused_dues):
            raise Refusal("unknown_due", due=one_line(text)[:60])
        self.warn(f"the model insists on a due date that nobody named ({one_line(text)[:60]}): no due date is set")
        return ""

    def _is_refused(self, text: str, refused: list[str]) -> bool:
        """Return whether to refuse a text once more: not one that was refused already, and not a third."""
        insists = folded(text) in refused or len(refused) >= _REFUSALS_MAX
        refused.append(folded(text))
        return not insists

    def _settled_title(self, title: str, desc: str) -> str:
        """Return the title of the card: it cannot be mended later, so one that falls short is refused, twice."""
        short = title_lacks(title, self.brief.phrase)
        if self.brief.phrase_language and guess(f"{title}\n{desc}") not in (None, self.brief.phrase_language):
            short.append(Lack("language", must=False))
        if not short:
            return title
        if self._is_refused(title, self._refused_titles):
            raise Refusal("bad_title", lacks=self.words.lacks(short))
        if any(lack.code != "language" for lack in short):
            title = tidy_title(self.plan_title()) or title
        if not title:
            raise Refusal("missing_argument", name="title", tool="create_card")
        return cut_at_word(title, TITLE_MAX)


def next_call(short: list[Lack]) -> str:
    """Return the tool that mends the first thing that is missing; empty when nothing is, or no tool can."""
    tools = {
        "card_missing": "create_card",
        "desc_parts": "set_desc",
        "checklists_missing": "add_checklist",
        "checklist_empty": "add_checklist",
        "few_items": "add_checklist",
    }
    return next((tools[lack.code] for lack in short if lack.code in tools), "")


def looks_like_id(text: str) -> bool:
    """Return whether a text is shaped like an id, a shortlink or a url of Trello's, and not like a placeholder."""
    if re.fullmatch(r"[0-9a-fA-F]{24}", text) or re.search(r"https?://|trello\.com", text):
        return True
    return bool(
        re.fullmatch(r"[0-9A-Za-z]{8}", text) and re.search(r"[A-Z]", text) and re.search(r"[0-9a-z]", text[1:])
    )


def is_placeholder(text: str) -> bool:
    """Return whether a text stands for an id that is to be filled in."""
    return bool(re.search(r"[<>{}$\[\]]", text) or re.search(r"\b(id|list_?id|card_?id|placeholder)\b", folded(text)))


def _is_rfc3339(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
