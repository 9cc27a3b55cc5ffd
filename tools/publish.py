"""A card onto a board: whole, once, or not at all.

``Publisher.ensure`` is the only way to write: it knows what is there, creates what is missing, in order. A first try,
a retry, the completion of an interrupted run and a tool call in a conversation are all the same call. Each write is in
the ledger before it is sent; an answer that is lost is read back before anything is sent again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from tools.card import Card, Checklist, Receipt
from tools.changes import Place, changed_since, expected_from, same_text
from tools.errors import AnswerLost, ChangedSince, Failure, Interrupted, LeftBehind, TrelloUnavailable
from tools.ledger import Ledger
from tools.text import folded
from tools.trello import WORKERS, NotThere, TrelloClient, created_at

POS_STEP = 16384  # Trello gives its own objects positions of this step; 0 would mean the bottom
_CARD_FIELDS = "name,desc,due,closed,idList,idBoard,shortUrl,url,badges,dueComplete,idLabels,idMembers"


class Board(Protocol):
    """What a writer needs of a board: it is Trello's, or none in a dry run."""

    def ensure(self, card: Card) -> Receipt:
        """Make the board have all of the card."""


class NoBoard:
    """The board of a dry run: nothing is sent anywhere."""

    def ensure(self, card: Card) -> Receipt:
        """Return a receipt that no board stands behind."""
        return Receipt("0" * 24, "dry-run", card.title, created=False)


class AlreadyThere(Exception):
    """The same card was just made elsewhere; nothing was written."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(receipt.url)
        self.receipt = receipt


@dataclass
class _There:
    """A checklist as it is on the board: its id, and its items' ids by position in the list."""

    id: str
    items: dict[int, str] = field(default_factory=dict)


class Publisher:
    """The card of one run on Trello.

    Args:
        client: Trello.
        ledger: Where each write is recorded.
        run_id: The run, already in the ledger.
        place: Board and list.
        within_s: How far back a card of the same title counts as the same; 0 looks for none.
        warn: Told what the user should know.
        progress: Told how many of how many writes are done.
    """

    def __init__(
        self,
        client: TrelloClient,
        ledger: Ledger,
        run_id: str,
        place: Place,
        *,
        within_s: float = 0.0,
        warn: Callable[[str], None] = lambda text: None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self.client, self._ledger, self.run_id, self.place = client, ledger, run_id, place
        self._within_s, self._warn, self.progress = within_s, warn, progress
        self._receipt: Receipt | None = None
        self._desc = ""
        self._there: dict[int, _There] = {}

    @property
    def receipt(self) -> Receipt | None:
        """The card's receipt, once it exists."""
        return self._receipt

    def ensure(self, card: Card) -> Receipt:
        """Make the board have all of the card: create what is missing, leave what is there.

        Args:
            card: The whole of it; a later call gives the same card with more in it, or with another description.

        Raises:
            AlreadyThere: The same card was just made on another machine.
            TrelloUnavailable, CredentialsRefused: A write failed for good; the caller rolls back.
        """
        receipt = self._receipt or self._create(card)
        if self._desc != card.desc:
            self._describe(receipt, card.desc)
        missing = [i for i, _ in enumerate(card.checklists) if i not in self._there]
        total = len(missing) + sum(len(self._missing_items(i, c)) for i, c in enumerate(card.checklists))
        tick = _Counter(total, self.progress)
        card_id = receipt.card_id
        self._together([partial(self._make_checklist, card_id, i, card.checklists[i], tick) for i in missing])
        items = [(i, n, c.items[n]) for i, c in enumerate(card.checklists) for n in self._missing_items(i, c)]
        self._together([partial(self._make_item, card_id, i, n, text, tick) for i, n, text in items])
        return receipt

    def _missing_items(self, index: int, checklist: Checklist) -> list[int]:
        there = self._there[index].items if index in self._there else {}
        return [n for n in range(len(checklist.items)) if n not in there]

    def _together(self, jobs: Iterable[Callable[[], None]]) -> None:
        """Run writes in parallel; at the first failure none is begun any more, and the failure is raised."""
        jobs = list(jobs)
        if len(jobs) < 2:
            for job in jobs:
                job()
            return
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            futures = [pool.submit(job) for job in jobs]
            _, waiting = wait(futures, return_when=FIRST_EXCEPTION)
            for future in waiting:
                future.cancel()
        failures = [error for f in futures if not f.cancelled() and (error := f.exception())]
        for failure in sorted(failures, key=lambda error: not isinstance(error, Interrupted)):
            raise failure

    def _create(self, card: Card) -> Receipt:
        if self._within_s > 0:
            self._look_for_twin(card.title)
        body = {"idList": self.place.list_id, "name": card.title, "desc": card.desc, "pos": "bottom"}
        if card.due:
            body["due"] = card.due
        since = self.client.now()
        answer = self._write("card", "/cards", body, find=lambda: self.find_card(body, since))
        return self._adopt(answer, card)

    def _adopt(self, found: Mapping[str, Any], card: Card) -> Receipt:
        """Take a card on the board as this run's."""
        self._receipt = Receipt(found["id"], url_of(found), card.title)
        self._desc = card.desc
        self._ledger.note_card(self.run_id, found["id"], self._receipt.url, card.title)
        return self._receipt

    def _describe(self, receipt: Receipt, desc: str) -> None:
        step = self._ledger.before(self.run_id, "desc", {"desc": desc}, self.client.now())
        self.client.put(f"/cards/{receipt.card_id}", {"desc": desc})
        self._ledger.after(step, receipt.card_id)
        self._desc = desc

    def _make_checklist(self, card_id: str, index: int, checklist: Checklist, tick: _Counter) -> None:
        body = {"idCard": card_id, "name": checklist.title, "pos": (index + 1) * POS_STEP}

        def find() -> dict[str, Any] | None:
            return next((c for c in self._read_checklists(card_id) if _is_at(c, body)), None)

        self._there[index] = _There(self._write("checklist", "/checklists", body, find)["id"])
        tick()

    def _make_item(self, card_id: str, index: int, n: int, text: str, tick: _Counter) -> None:
        there = self._there[index]
        body = {"name": text, "pos": (n + 1) * POS_STEP}

        def find() -> dict[str, Any] | None:
            checklist = next((c for c in self._read_checklists(card_id) if c["id"] == there.id), {})
            return next((i for i in checklist.get("checkItems", []) if _is_at(i, body)), None)

        step = {**body, "idChecklist": there.id}
        there.items[n] = self._write("item", f"/checklists/{there.id}/checkItems", body, find, step)["id"]
        tick()

    def _write(
        self,
        kind: str,
        path: str,
        body: dict[str, Any],
        find: Callable[[], dict[str, Any] | None],
        payload: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Send one POST, recorded before and after; when its answer is lost, look before sending it again."""
        step = self._ledger.before(self.run_id, kind, payload or body, self.client.now())
        answer: dict[str, Any] | None = None
        for pause_s in (*self.client.patience.pauses_s, None):
            try:
                answer = self.client.post(path, body)
            except AnswerLost as lost:
                self.client.sleep(lost.wait_s if lost.wait_s is not None else pause_s or 0.0)
                answer = find()
                if answer is None and pause_s is None:
                    raise
            if answer is not None:
                break
        assert answer is not None
        self._ledger.after(step, answer["id"])
        return answer

    # What is on the board already.

    def _look_for_twin(self, title: str) -> None:
        """Raise AlreadyThere for a whole card of the same title, just made by somebody this ledger does not know."""
        patience_s = self.client.patience.twin_s
        while twin := self._twin(title):
            if _is_whole(twin):
                raise AlreadyThere(Receipt(twin["id"], url_of(twin), str(twin.get("name")), created=False))
            if patience_s <= 0:
                self._warn(f"a card of the same title is being made, or was left half made: {url_of(twin)}")
                return
            self.client.sleep(self.client.patience.twin_pause_s)
            patience_s -= self.client.patience.twin_pause_s

    def _twin(self, title: str) -> dict[str, Any] | None:
        since = self.client.now() - self._within_s
        twins = [
            card
            for card in self._cards_since(since, "open", checklists="all")
            if folded(str(card.get("name"))) == folded(title)
            and card.get("idList") == self.place.list_id
            and not card.get("closed")
            and not self._ledger.knows_card(card["id"])
        ]
        for card in twins:
            if "checklists" not in card:
                card["checklists"] = self._read_checklists(card["id"])
        return min(twins, key=lambda card: (not _is_whole(card), created_at(card["id"])), default=None)

    def _cards_since(self, since: float, which: str, **query: str) -> list[dict[str, Any]]:
        """Return the board's cards created since a time (Trello's clock, seconds); the board may ignore the filter."""
        text = datetime.fromtimestamp(max(0.0, since - 1), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        path = f"/boards/{self.place.board_id}/cards"
        cards = self.client.get(path, filter=which, since=text, limit="1000", fields=_CARD_FIELDS, **query)
        return [c for c in cards if isinstance(c, dict) and created_at(str(c.get("id"))) >= int(since) - 1]

    def find_card(self, body: Mapping[str, Any], since: float) -> dict[str, Any] | None:
        """Find the card that a write made whose answer was lost: same title, description and list, not older than it.

        Automations move cards, so the whole board is looked at; of a card on another list, Trello's own record of its
        creation tells whether it was made on this one.
        """
        for card in self._cards_since(since, "all"):
            if same_text(card.get("name"), body["name"]) and same_text(card.get("desc"), body["desc"]):
                if self._ledger.knows_card(card["id"]):
                    continue
                if card.get("idList") == body["idList"] or self._was_made_on(card["id"], body["idList"]):
                    return card
        return None

    def _was_made_on(self, card_id: str, list_id: str) -> bool:
        """Return whether a card was created on a list; true when Trello does not say."""
        try:
            actions = self.client.get(f"/cards/{card_id}/actions", filter="createCard")
        except NotThere:
            return True
        lists = [action.get("data", {}).get("list", {}).get("id") for action in actions or []]
        return not lists or list_id in lists

    def _read_checklists(self, card_id: str) -> list[dict[str, Any]]:
        card = self.client.get(f"/cards/{card_id}", fields="name", checklists="all")
        checklists = card.get("checklists")
        if not isinstance(checklists, list):  # not every server nests them
            checklists = self.client.get(f"/cards/{card_id}/checklists") or []
        return [c for c in checklists if isinstance(c, dict)]

    # Interrupted runs, and the way back.

    def recover(self, card_id: str, body: Mapping[str, Any], since: float) -> dict[str, Any] | None:
        """Return the card of an interrupted run as it is on the board now, or None when there is none.

        Args:
            card_id: Trello's id of it, if the run got to know it.
            body: What the run sent, or was about to send.
            since: When, by Trello's clock.
        """
        if not card_id:
            found = self.find_card(body, since)
            if found is None:
                return None
            card_id = found["id"]
        try:
            card: dict[str, Any] = self.client.get(f"/cards/{card_id}", fields=_CARD_FIELDS, checklists="all")
        except NotThere:
            return None
        if "checklists" not in card:
            card["checklists"] = self._read_checklists(card_id)
        return card

    def resume(self, found: Mapping[str, Any], card: Card) -> Receipt:
        """Complete a card that an interrupted run had begun.

        Args:
            found: The card as it is on the board.
            card: The whole card as it was planned.
        """
        self._adopt(found, card)
        self._desc = str(found.get("desc", ""))
        if same_text(self._desc, card.desc):
            self._desc = card.desc
        for index, checklist in enumerate(card.checklists):
            wanted = {"name": checklist.title, "pos": (index + 1) * POS_STEP}
            there = next((c for c in found["checklists"] if _is_at(c, wanted)), None)
            if there:
                self._there[index] = _There(there["id"], _items_at(there, checklist))
        return self.ensure(card)

    @contextlib.contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Remove what this run made if anything goes wrong inside, whatever it is."""
        try:
            yield
        except AlreadyThere:
            self._ledger.finish(self.run_id, "failed", "the card was there already")
            raise
        except BaseException:
            self.client = self.client.with_clock(self.client.clock.for_cleanup())
            self.roll_back()
            raise
        self._ledger.finish(self.run_id, "done")

    def roll_back(self) -> None:
        """Delete what this run made; nothing else is ever deleted.

        Raises:
            LeftBehind: A person has changed the card since, or it could not be deleted or not be found.
        """
        made = next((step for step in self._ledger.steps(self.run_id) if step.kind == "card"), None)
        if made is None:
            self._ledger.finish(self.run_id, "failed")
            return
        run = self._ledger.run(self.run_id)
        card_id, url = (run.card_id, run.url) if run else ("", "")
        try:
            found = self.recover(card_id, made.payload, made.began)
            if found is not None:
                url = url_of(found)
                self.refuse_if_changed(found)
                step = self._ledger.before(self.run_id, "delete", {"id": found["id"]}, self.client.now())
                self.client.delete(f"/cards/{found['id']}")
                self._ledger.after(step, found["id"])
        except LeftBehind:
            raise
        except Failure as error:
            self._ledger.finish(self.run_id, "left", error.what)
            what = "the card could not be removed" if url else "a card may have been made, and could not be looked for"
            raise LeftBehind(f"{what} ({error.what}): {url or made.payload['name']}", _LEFT_HINT, url) from error
        self._ledger.finish(self.run_id, "removed")

    def refuse_if_changed(self, found: Mapping[str, Any]) -> None:
        """Raise ChangedSince when a person has changed the card of this run since."""
        change = changed_since(found, expected_from(self._ledger.steps(self.run_id)))
        if change:
            self._ledger.finish(self.run_id, "left", change)
            url = url_of(found)
            what = f"the card was begun here and changed since ({change}), so it stays: {url}"
            raise ChangedSince(what, _CHANGED_HINT, url)


@dataclass
class _Counter:
    total: int
    tell: Callable[[int, int], None]
    done: int = 0

    def __call__(self) -> None:
        self.done += 1
        self.tell(self.done, self.total)


def url_of(card: Mapping[str, Any]) -> str:
    """Return the url Trello gives a card, the short one first."""
    for key in ("shortUrl", "url"):
        if isinstance(card.get(key), str) and card[key]:
            return str(card[key])
    if card.get("shortLink"):
        return f"https://trello.com/c/{card['shortLink']}"
    raise TrelloUnavailable("Trello's answer has no url of the card", "")


def _is_at(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether a checklist or an item is the one asked for: by its position too, for two may have one text."""
    return same_text(there.get("name"), wanted["name"]) and float(there.get("pos") or 0) == float(wanted["pos"])


def _items_at(there: Mapping[str, Any], checklist: Checklist) -> dict[int, str]:
    wanted = [{"name": text, "pos": (n + 1) * POS_STEP} for n, text in enumerate(checklist.items)]
    items = there.get("checkItems", [])
    return {n: item["id"] for n, want in enumerate(wanted) for item in items if _is_at(item, want)}


def _is_whole(card: Mapping[str, Any]) -> bool:
    """Return whether a card on the board looks finished: a description, and no checklist missing or empty."""
    checklists = card.get("checklists") or []
    return (
        bool(str(card.get("desc") or "").strip()) and bool(checklists) and all(c.get("checkItems") for c in checklists)
    )


_LEFT_HINT = "run the same command again to finish or remove it, or delete the card by hand"
_CHANGED_HINT = "keep it or delete it by hand; --force makes another card"
