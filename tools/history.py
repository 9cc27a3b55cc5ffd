"""What the ledger tells of each run: done, interrupted at which step, removed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from tools.console import Console
from tools.dates_resolve import zone_of
from tools.ledger import Ledger, Run
from tools.settings import Settings


def list_runs(settings: Settings, console: Console) -> None:
    """Write a line for each run in the ledger."""
    with contextlib.closing(Ledger(settings.state_dir)) as ledger:
        for record in records(ledger):
            if not console.result(line(record, zone_of(settings.tz)) + "\n", record):
                break  # nobody reads on


def records(ledger: Ledger) -> Iterator[dict[str, Any]]:
    """Yield each run as JSON values, the oldest first.

    ``state`` is ``at work``, ``interrupted`` or one of the ledger's own; ``step`` is the write a run that is not over
    was at: card, desc, checklist, item or delete, and its name.
    """
    for run in ledger.all_runs():
        yield {
            "id": run.id,
            "started": datetime.fromtimestamp(run.started, UTC).isoformat(timespec="seconds"),
            "state": state_of(ledger, run),
            "step": step_of(ledger, run),
            "mode": run.mode,
            "model": run.model or None,
            "phrase": run.phrase,
            "title": run.title or None,
            "due": run.due or None,
            "url": run.url or None,
            "note": run.note or None,
        }


def state_of(ledger: Ledger, run: Run) -> str:
    """Return the state of a run; an open one is at work, or was interrupted."""
    if run.state != "open":
        return run.state
    return "at work" if ledger.is_at_work(run) else "interrupted"


def step_of(ledger: Ledger, run: Run) -> str | None:
    """Return the write that a run which is not over was at, or None."""
    steps = ledger.steps(run.id) if run.state in ("open", "left") else []
    if not steps:
        return None
    last = next((step for step in steps if step.ended is None), steps[-1])
    name = last.payload.get("name") or last.payload.get("id") or ""
    done = "" if last.ended is None else " (applied)"
    return f"{last.kind} {name}{done}".strip()


def line(record: dict[str, Any], zone: tzinfo) -> str:
    """Return a record as one line for a terminal."""
    when = datetime.fromisoformat(record["started"]).astimezone(zone).strftime("%d/%m/%Y %H:%M")
    state = f"{record['state']} at {record['step']}" if record["step"] else record["state"]
    return "  ".join([record["id"], when, state, record["title"] or record["phrase"], record["url"] or ""]).rstrip()
