"""Once: what earlier runs of the same task left, and what to do about it before anything is written."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator

from tools.card import Receipt, from_json
from tools.changes import Place, changed_since, expected_from
from tools.clock import Clock
from tools.errors import ChangedSince, Forbidden, ModelUnavailable, NotThere, OutOfTime, UsageFailure
from tools.ledger import Ledger, Run, Task
from tools.look import read_card, url_of
from tools.publish import Publisher
from tools.trello import TrelloClient

PublisherOf = Callable[[str], Publisher]


@contextlib.contextmanager
def hold(ledger: Ledger, task: Task, clock: Clock) -> Iterator[None]:
    """Hold a task alone; a run that waits for another longer than it may says so."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(ledger.exclusive(task, clock))
        except OutOfTime as error:
            what = "another run of the same phrase is still at work"
            raise ModelUnavailable(what, "wait for it, or give this one more with --timeout") from error
        yield


def just_made(ledger: Ledger, client: TrelloClient, task: Task, within_s: float) -> tuple[str, Receipt] | None:
    """Return the card that a run of the same task made within the time, if it is still on the board.

    Args:
        ledger: Where the runs are.
        client: Trello, asked whether the card is still there.
        task: What makes two runs the same.
        within_s: How far back to look.
    """
    since = time.time() - within_s
    for run in ledger.runs(task):
        if run.state == "done" and (run.ended or run.started) >= since and is_on_board(client, run.card_id):
            return run.id, Receipt(run.card_id, run.url, run.title, created=False)
    return None


def is_on_board(client: TrelloClient, card_id: str) -> bool:
    """Return whether a card exists and is not archived."""
    try:
        card = client.get(f"/cards/{card_id}", fields="closed,shortUrl")
    except NotThere:
        return False
    return not card.get("closed")


def settle_interrupted(
    ledger: Ledger, publisher_of: PublisherOf, task: Task, *, within_s: float, remove: bool, say: Callable[[str], None]
) -> tuple[str, Receipt] | None:
    """Finish or remove what interrupted runs of a task left on the board; called while the task is held alone.

    A run that had planned its whole card is finished with that plan, if it is recent; any other is removed.

    Args:
        ledger: Where the runs are.
        publisher_of: Makes the publisher of a run, by its id.
        task: Whose runs.
        within_s: How recent a run must be to be finished; its due date may be past otherwise.
        remove: Whether to remove also what could be finished, and to let be what a person has changed.
        say: Told what was done.

    Returns:
        The id of the run that was finished and its receipt, or None.

    Raises:
        LeftBehind: When a person has changed what is there, or it cannot be removed.
    """
    for run in ledger.runs(task):
        if run.state not in ("open", "left"):
            continue
        publisher = publisher_of(run.id)
        is_recent = run.started >= time.time() - max(within_s, 3600.0)
        if run.plan and is_recent and not remove:
            if receipt := _finished(ledger, publisher, run, say):
                return run.id, receipt
        else:
            _removed(ledger, publisher, run, let_be=remove, say=say)
    return None


def _finished(ledger: Ledger, publisher: Publisher, run: Run, say: Callable[[str], None]) -> Receipt | None:
    """Complete the card of an interrupted run; None when there is nothing to complete, or a person archived it."""
    found = publisher.recover(to_complete=True)
    if found is None:
        ledger.finish(run.id, "removed", "its card is not on the board")
        return None
    if found.get("closed"):
        ledger.finish(run.id, "kept", "its card was archived")
        return None
    publisher.refuse_if_changed(found)
    say(f"an earlier run of this phrase was interrupted ({run.id}): its card is completed")
    with publisher.all_or_nothing():
        return publisher.resume(found, from_json(json.loads(run.plan)))


def _removed(ledger: Ledger, publisher: Publisher, run: Run, *, let_be: bool, say: Callable[[str], None]) -> None:
    """Remove what an interrupted run left; what a person has changed is let be, if that is wanted."""
    if ledger.steps(run.id):
        say(f"an earlier run of this phrase was interrupted ({run.id}): what it left is removed")
    try:
        publisher.roll_back()
    except ChangedSince as changed:
        if not let_be:
            raise
        say(changed.what)
        ledger.finish(run.id, "kept", changed.what)


def run_to_undo(ledger: Ledger, run_id: str) -> Run:
    """Return the run whose card is to be archived: the named one, or the last that made a card.

    Raises:
        UsageFailure: When there is none, or its card is archived already.
    """
    run = ledger.run(run_id) if run_id else ledger.last_with_card()
    if run is None:
        hint = "--runs lists them" if run_id else "no run here made a card"
        raise UsageFailure("there is nothing to undo" + (f": no run {run_id}" if run_id else ""), hint)
    if run.state == "archived":
        raise UsageFailure(f"there is nothing to undo: run {run.id} was undone already", "give another run: --undo RUN")
    if run.state not in ("done", "left") or not run.card_id:
        raise UsageFailure(f"there is nothing to undo: run {run.id} left no card", "give another run: --undo RUN")
    return run


def undo(ledger: Ledger, client: TrelloClient, run: Run, *, force: bool) -> Receipt:
    """Archive the card of a run.

    Raises:
        UsageFailure: When the card is not there any more.
        Forbidden: When somebody has changed it since, and ``force`` is not given.
    """
    steps = ledger.steps(run.id)
    found = read_card(client, run.card_id)
    if found is None or (found.get("closed") and not any(step.kind == "archive" for step in steps)):
        raise UsageFailure(f"there is nothing to undo: the card is not on the board any more ({run.url})", "")
    change = changed_since(found, expected_from(steps), place=Place(run.board_id, run.list_id))
    if change and not force and not found.get("closed"):
        raise Forbidden(f"the card was changed since ({change}): {url_of(found)}", "--force archives it all the same")
    step = ledger.before(run.id, "archive", {"id": run.card_id}, client.now())
    client.put(f"/cards/{run.card_id}", {"closed": True})
    ledger.after(step, run.card_id)
    ledger.finish(run.id, "archived")
    return Receipt(run.card_id, run.url, run.title, created=False)
