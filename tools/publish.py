"""A card onto a board: whole, once, or not at all.

``Publisher.ensure`` is the only way to write: it knows what is there, creates what is missing, in order. A first try,
a retry, the completion of an interrupted run and a tool call in a conversation are all the same call. Each write is in
the ledger before it is sent; an answer that is lost is read back before anything is sent again.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from tools.card import Card, Checklist, Receipt
from tools.changes import Place, changed_since, expected_from
from tools.errors import AnswerLost, ChangedSince, Failure, Interrupted, LedgerUnusable, LeftBehind
from tools.ledger import Ledger, Step
from tools.look import (
    Found,
    at,
    contents,
    double_cards,
    double_parts,
    find_own,
    find_twin,
    is_at,
    is_whole,
    items_at,
    read_card,
    url_of,
)
from tools.trello import WORKERS, TrelloClient, created_at


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
        self._twin_url = ""
        # When the first write that no answer came to began, by Trello's clock, and until when one may still be applied.
        self._doubt: tuple[float, float] | None = None

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
        tick = _Counter(
            len(missing) + sum(len(self._missing(i, c)) for i, c in enumerate(card.checklists)), self.progress
        )
        card_id = receipt.card_id
        self._together([partial(self._make_checklist, card_id, i, card.checklists[i], tick) for i in missing])
        items = [(i, n, c.items[n]) for i, c in enumerate(card.checklists) for n in self._missing(i, c)]
        self._together([partial(self._make_item, card_id, i, n, text, tick) for i, n, text in items])
        return receipt

    def _missing(self, index: int, checklist: Checklist) -> list[int]:
        """Return the indexes of a checklist's items that are not on the board."""
        there = self._there[index].items if index in self._there else {}
        return [n for n in range(len(checklist.items)) if n not in there]

    def _together(self, jobs: Iterable[Callable[[], None]]) -> None:
        """Run writes in parallel; at the first failure none is begun any more, and the failure is raised."""
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            futures = [pool.submit(job) for job in jobs]
            _, waiting = wait(futures, return_when=FIRST_EXCEPTION)
            for future in waiting:
                future.cancel()
        failures = [error for f in futures if not f.cancelled() and (error := f.exception())]
        for failure in sorted(failures, key=lambda error: not isinstance(error, Interrupted)):
            raise failure

    def _create(self, card: Card) -> Receipt:
        self._refuse_twin(card.title)
        body = {"idList": self.place.list_id, "name": card.title, "desc": card.desc, "pos": "bottom"}
        if card.due:
            body["due"] = card.due
        since, titles = self.client.now(), [checklist.title for checklist in card.checklists]

        def find() -> Found | None:
            own = partial(find_own, self.client, self._ledger, self.place, body, since, titles)
            found = own()
            if found is None:
                self._refuse_twin(card.title)  # what another machine makes of the same task looks the same
                found = own()
            return found

        return self._adopt(self._write("card", "/cards", body, find), card)

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
        body = {"idCard": card_id, **at(checklist.title, index)}

        def find() -> Found | None:
            return next((c for c in self._checklists(card_id) if is_at(c, body)), None)

        self._there[index] = _There(self._write("checklist", "/checklists", body, find)["id"])
        tick()

    def _make_item(self, card_id: str, index: int, n: int, text: str, tick: _Counter) -> None:
        there, body = self._there[index], at(text, n)

        def find() -> Found | None:
            own = (c for c in self._checklists(card_id) if c["id"] == there.id)
            return next((i for c in own for i in c.get("checkItems") or [] if is_at(i, body)), None)

        there.items[n] = self._write("item", f"/checklists/{there.id}/checkItems", body, find)["id"]
        tick()

    def _checklists(self, card_id: str) -> list[Found]:
        return (read_card(self.client, card_id) or {}).get("checklists") or []

    def _write(self, kind: str, path: str, body: dict[str, Any], find: Callable[[], Found | None]) -> Found:
        """Send one POST, recorded before and after; when its answer is lost, look before sending it again.

        The record of a write that was certainly not applied is taken back: nobody need look for it.
        """
        began = self.client.now()
        step = self._ledger.before(self.run_id, kind, body, began)
        in_doubt = False
        pauses_s = list(self.client.patience.pauses_s)
        while True:
            try:
                answer: Found | None = self.client.post(path, body)
            except AnswerLost as lost:
                in_doubt = True
                if lost.silent:
                    del pauses_s[1:]  # a server that does not answer is not asked four times
                    late = time.monotonic() + self.client.patience.late_s
                    self._doubt = (self._doubt[0] if self._doubt else began, late)
                pause_s = pauses_s.pop(0) if pauses_s else None
                self.client.sleep(lost.wait_s if lost.wait_s is not None else pause_s or 0.0)
                answer = find()
                if answer is None:
                    in_doubt = lost.may_come_late
                    if pause_s is None:
                        self._forget(step, in_doubt)
                        raise
            except Failure:
                self._forget(step, in_doubt)
                raise
            if answer is not None:
                self._ledger.after(step, answer["id"])
                return answer

    def _forget(self, step: int, in_doubt: bool) -> None:
        if not in_doubt:
            self._ledger.drop(step)

    def _refuse_twin(self, title: str) -> None:
        """Raise AlreadyThere for a whole card of the same title, just made by somebody this ledger does not know.

        One that is young is looked at twice: while it grows it is not whole.
        """
        patience = self.client.patience
        seen: list[int] = []
        for _ in range(int(patience.twin_s / patience.twin_pause_s) if self._within_s > 0 else 0):
            since = self.client.now() - self._within_s
            twin = find_twin(self.client, self._ledger, self.place, title, since)
            if twin is None:
                return
            is_old = self.client.now() - created_at(twin["id"]) > patience.twin_s
            if is_whole(twin) and (is_old or contents(twin) == seen):
                raise AlreadyThere(Receipt(twin["id"], url_of(twin), str(twin.get("name")), created=False))
            seen = contents(twin)
            self._twin_url = url_of(twin)
            self.client.sleep(patience.twin_pause_s)
        if self._twin_url:
            self._warn(f"a card of the same title is being made, or was left half made: {self._twin_url}")

    def _remove_doubles(self) -> None:
        """Remove what was made twice because a server answered neither yes nor no, and did it after all."""
        if self._doubt is None or self._receipt is None:
            return
        since, until = self._doubt
        self.client.sleep(max(0.0, until - time.monotonic()))
        card = read_card(self.client, self._receipt.card_id)
        own = {there.id: set(there.items.values()) for there in self._there.values()}
        for path in double_parts(card, own) if card else []:
            self.client.delete(path)
        for double in double_cards(self.client, self._ledger, self.place, card, since) if card else []:
            self.client.delete(f"/cards/{double['id']}")

    # Interrupted runs, and the way back.

    def recover(self, *, to_complete: bool = False) -> Found | None:
        """Return the card of this run as it is on the board now, or None when there is none.

        A write that was under way when the run was killed may be applied a moment later: it is waited for.

        Args:
            to_complete: Whether what is on the card matters, and not only the card: it is not to be removed.
        """
        steps = self._ledger.steps(self.run_id)
        found = self._find(steps)
        pending = [step for step in steps if step.ended is None and not _is_applied(step, found)]
        if found is not None and not to_complete:
            pending = []
        late_s = max((step.began for step in pending), default=0.0) + self.client.patience.late_s - self.client.now()
        if pending and late_s > 0:
            self.client.sleep(late_s)
            found = self._find(steps)
        return found

    def _find(self, steps: Iterable[Step]) -> Found | None:
        made = next((step for step in steps if step.kind == "card"), None)
        if made is None:
            return None
        if made.object_id:
            return read_card(self.client, made.object_id)
        unwritten = [] if any(step.kind == "checklist" for step in steps) else self._ledger.planned_titles(self.run_id)
        found = find_own(self.client, self._ledger, self.place, made.payload, made.began, unwritten)
        return read_card(self.client, found["id"]) if found else None

    def resume(self, found: Mapping[str, Any], card: Card) -> Receipt:
        """Complete a card that an interrupted run had begun.

        Args:
            found: The card as it is on the board.
            card: The whole card as it was planned.
        """
        self._adopt(found, card)
        for index, checklist in enumerate(card.checklists):
            there = next((c for c in found["checklists"] if is_at(c, at(checklist.title, index))), None)
            if there:
                self._there[index] = _There(there["id"], items_at(there, checklist))
        return self.ensure(card)

    @contextlib.contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Remove what this run made if anything goes wrong inside, whatever it is, or if the run was to stop."""
        try:
            yield
            self._remove_doubles()
            self.client.clock.check_stop()
        except AlreadyThere:
            self._finish("failed", "the card was there already")
            raise
        except BaseException:
            self.roll_back()
            raise
        self._finish("done")

    def roll_back(self) -> None:
        """Delete what this run made; nothing else is ever deleted. It has its own time for that.

        Raises:
            LeftBehind: A person has changed the card since, or it could not be deleted or not be found.
        """
        self.client = self.client.with_clock(self.client.clock.for_cleanup())
        steps = self._ledger.steps(self.run_id)
        made = next((step for step in steps if step.kind == "card"), None)
        if made is None:
            self._finish("failed")
            return
        url = self._receipt.url if self._receipt else ""
        try:
            found = self.recover()
            if found is not None:
                url = url_of(found)
                self.refuse_if_changed(found)
                self.client.delete(f"/cards/{found['id']}")
        except LeftBehind:
            raise
        except Failure as error:
            self._finish("left", error.what)
            what = "the card could not be removed" if url else "a card may have been made, and could not be looked for"
            raise LeftBehind(f"{what} ({error.what}): {url or made.payload['name']}", _LEFT_HINT, url) from error
        self._finish("removed")

    def refuse_if_changed(self, found: Mapping[str, Any]) -> None:
        """Raise ChangedSince when a person has changed the card of this run since."""
        change = changed_since(found, expected_from(self._ledger.steps(self.run_id)))
        if change:
            self._finish("left", change)
            url = url_of(found)
            what = f"the card was begun here and changed since ({change}), so it stays: {url}"
            raise ChangedSince(what, _CHANGED_HINT, url)

    def _finish(self, state: str, note: str = "") -> None:
        """Record how the run ended; what is on the board counts, so a full disk does not change it."""
        try:
            self._ledger.finish(self.run_id, state, note)
        except LedgerUnusable as error:
            self._warn(error.what)


def _is_applied(step: Step, found: Mapping[str, Any] | None) -> bool:
    """Return whether a recorded write is on the board."""
    if step.kind == "card" or found is None:
        return found is not None
    checklists = found["checklists"]
    if step.kind == "checklist":
        return any(is_at(c, step.payload) for c in checklists)
    if step.kind == "item":
        return any(is_at(i, step.payload) for c in checklists for i in c.get("checkItems") or [])
    return True


@dataclass
class _Counter:
    total: int
    tell: Callable[[int, int], None]
    done: int = 0

    def __call__(self) -> None:
        self.done += 1
        self.tell(self.done, self.total)


_LEFT_HINT = "run the same command again to finish or remove it, or delete the card by hand"
_CHANGED_HINT = "keep it or delete it by hand; --force makes another card"
