"""What was done, on disk, before and after it is done.

One SQLite file in the user's state directory, for several processes at once. A run is recorded before its first write
to Trello, and each write before and after: so whatever kills a run, the next one knows what may be on the board. The
window of requests that Trello allows is kept here too, because processes share it.

The file holds phrases and cards and is for the user only (0600); it never holds a key or a token.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from tools.card import same_instant
from tools.clock import Clock
from tools.errors import LedgerUnusable
from tools.text import folded

_SCHEMA = 1
_TABLES = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, started REAL NOT NULL, ended REAL, task TEXT NOT NULL, phrase TEXT NOT NULL,
    board TEXT NOT NULL, board_id TEXT NOT NULL, list_id TEXT NOT NULL, due_words TEXT NOT NULL, due TEXT NOT NULL,
    mode TEXT NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL, card_id TEXT NOT NULL DEFAULT '',
    url TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', plan TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '');
CREATE INDEX runs_task ON runs (task, started);
CREATE INDEX runs_card ON runs (card_id);
CREATE TABLE steps (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id), kind TEXT NOT NULL, payload TEXT NOT NULL,
    began REAL NOT NULL, ended REAL, object_id TEXT NOT NULL DEFAULT '');
CREATE INDEX steps_run ON steps (run);
CREATE TABLE pace (sent REAL NOT NULL);
CREATE INDEX pace_sent ON pace (sent);
"""

# Trello allows a token 100 requests in 10 s, counted when they arrive; the margin is for those on their way.
_WINDOW_S, _WINDOW_REQUESTS = 10.5, 90


@dataclass(frozen=True)
class Task:
    """What makes two runs the same: phrase, board, list, and the due date in the same words or at the same instant.

    ``board`` is what the user called the board (``sandbox``, or its shortlink); the ids are Trello's.
    """

    phrase: str
    board: str
    board_id: str
    list_id: str
    due_words: str
    due: str

    @property
    def digest(self) -> str:
        """The digest of phrase, board and list; the due date is compared apart."""
        text = "\0".join([" ".join(self.phrase.split()), self.board_id, self.list_id])
        return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Run:
    """A run as the ledger has it.

    ``state`` is open (writing, or interrupted when no process holds the task's lock), done, removed, failed (nothing
    was on the board), left (something is on the board that could not be removed), kept (a person has made it theirs) or
    archived.
    """

    id: str
    started: float
    ended: float | None
    task: str
    phrase: str
    board: str
    board_id: str
    list_id: str
    due_words: str
    due: str
    mode: str
    model: str
    state: str
    card_id: str
    url: str
    title: str
    plan: str
    note: str


@dataclass(frozen=True)
class Step:
    """One write: what it was to make, when it began by Trello's clock, and the id it got."""

    id: int
    kind: str
    payload: dict[str, Any]
    began: float
    ended: float | None
    object_id: str


class Ledger:
    """The ledger in a directory.

    Args:
        directory: The state directory; made, for the user only, when it is not there.

    Raises:
        LedgerUnusable: When the directory cannot be written, or the file is not a ledger of this version.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._mutex = threading.RLock()
        self._sent: list[float] = []
        self._path = directory / "ledger.sqlite"
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            (directory / "locks").mkdir(exist_ok=True, mode=0o700)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            self._path.chmod(0o600)
            with FileLock(directory / "ledger.lock", timeout=30, mode=0o600):
                self._db = self._open()
        except (OSError, sqlite3.Error, Timeout) as error:
            raise LedgerUnusable(f"the ledger {self._path} cannot be used: {error}", _LEDGER_HINT) from error

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")  # a killed process loses nothing; only a power cut may
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            db.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={_SCHEMA};COMMIT;")
        elif version != _SCHEMA:
            raise LedgerUnusable(f"{self._path} is of another version ({version}) of this program", _LEDGER_HINT)
        return db

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            self._db.close()

    def _execute(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        try:
            with self._mutex:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise LedgerUnusable(f"the ledger {self._path} cannot be used: {error}", _LEDGER_HINT) from error

    @contextlib.contextmanager
    def exclusive(self, task: Task, clock: Clock) -> Iterator[None]:
        """Hold a task alone among all processes of this machine; released also when this one is killed.

        Raises:
            OutOfTime, Interrupted: While waiting for another process.
        """
        lock = self._lock(task.digest)
        while True:
            clock.check()
            with contextlib.suppress(Timeout):
                lock.acquire(timeout=0)
                break
            clock.sleep(0.1)
        try:
            yield
        finally:
            lock.release()

    def _lock(self, digest: str) -> FileLock:
        return FileLock(self._directory / "locks" / f"{digest[7:39]}.lock", mode=0o600)

    def is_at_work(self, run: Run) -> bool:
        """Return whether an open run is the one a process is at; if not, it was interrupted."""
        latest = self._execute("SELECT id FROM runs WHERE task = ? ORDER BY started DESC LIMIT 1", run.task)[0]["id"]
        try:
            with self._lock(run.task).acquire(timeout=0):
                return False
        except Timeout:
            return run.state == "open" and run.id == latest

    def pace(self, clock: Clock) -> None:
        """Wait until one more request fits into Trello's window, and count it; processes share the window.

        What must be removed from a board is removed also when the disk is full: then this process counts alone.
        """
        while True:
            with self._mutex:
                try:
                    wait_s = self._reserve()
                except LedgerUnusable:
                    wait_s = self._reserve_alone()
            if wait_s <= 0:
                return
            clock.sleep(wait_s)

    def _reserve(self) -> float:
        """Count a request now and return 0, or return the seconds until there is room."""
        now = time.time()
        self._execute("BEGIN IMMEDIATE")
        try:
            self._execute("DELETE FROM pace WHERE sent < ? OR sent > ?", now - _WINDOW_S, now + _WINDOW_S)
            count, oldest = self._execute("SELECT COUNT(*), MIN(sent) FROM pace")[0]
            if count < _WINDOW_REQUESTS:
                self._execute("INSERT INTO pace VALUES (?)", now)
            self._execute("COMMIT")
        except LedgerUnusable:
            with contextlib.suppress(LedgerUnusable):
                self._execute("ROLLBACK")
            raise
        return 0.0 if count < _WINDOW_REQUESTS else max(0.05, float(oldest) + _WINDOW_S - now)

    def _reserve_alone(self) -> float:
        now = time.time()
        self._sent = [sent for sent in self._sent if sent > now - _WINDOW_S]
        if len(self._sent) >= _WINDOW_REQUESTS:
            return max(0.05, self._sent[0] + _WINDOW_S - now)
        self._sent.append(now)
        return 0.0

    def begin(self, task: Task, mode: str, model: str) -> str:
        """Record a run before its first write and return its id, which sorts by time."""
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + "-" + secrets.token_hex(3)
        self._execute(
            "INSERT INTO runs (id, started, task, phrase, board, board_id, list_id, due_words, due, mode, model, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')",
            run_id, time.time(), task.digest, task.phrase, task.board, task.board_id, task.list_id,
            task.due_words, task.due, mode, model,
        )  # fmt: skip
        return run_id

    def note_plan(self, run_id: str, plan: dict[str, Any]) -> None:
        """Record the whole card a run is about to publish, so that it can be finished by another."""
        self._execute("UPDATE runs SET plan = ? WHERE id = ?", json.dumps(plan, ensure_ascii=False), run_id)

    def note_card(self, run_id: str, card_id: str, url: str, title: str) -> None:
        """Record the card of a run as soon as Trello gave its id."""
        self._execute("UPDATE runs SET card_id = ?, url = ?, title = ? WHERE id = ?", card_id, url, title, run_id)

    def finish(self, run_id: str, state: str, note: str = "") -> None:
        """Record how a run ended."""
        self._execute("UPDATE runs SET state = ?, note = ?, ended = ? WHERE id = ?", state, note, time.time(), run_id)

    def before(self, run_id: str, kind: str, payload: dict[str, Any], began: float) -> int:
        """Record a write that is about to be sent, and return the step's id.

        Args:
            run_id: The run.
            kind: card, desc, checklist, item or archive.
            payload: What is sent.
            began: Now, by Trello's clock.
        """
        sql = "INSERT INTO steps (run, kind, payload, began) VALUES (?, ?, ?, ?) RETURNING id"
        return int(self._execute(sql, run_id, kind, json.dumps(payload, ensure_ascii=False), began)[0][0])

    def after(self, step_id: int, object_id: str) -> None:
        """Record that a write was applied, and the id that Trello gave."""
        self._execute("UPDATE steps SET ended = ?, object_id = ? WHERE id = ?", time.time(), object_id, step_id)

    def drop(self, step_id: int) -> None:
        """Take back the record of a write that was certainly not applied."""
        self._execute("DELETE FROM steps WHERE id = ?", step_id)

    def planned_titles(self, run_id: str) -> list[str]:
        """Return the titles of the checklists that a run had planned; none when it had no plan."""
        run = self.run(run_id)
        plan = json.loads(run.plan) if run and run.plan else {}
        return [checklist["title"] for checklist in plan.get("checklists", [])]

    def steps(self, run_id: str) -> list[Step]:
        """Return the writes of a run, in order."""
        rows = self._execute(
            "SELECT id, kind, payload, began, ended, object_id FROM steps WHERE run = ? ORDER BY id", run_id
        )
        return [
            Step(r["id"], r["kind"], json.loads(r["payload"]), r["began"], r["ended"], r["object_id"]) for r in rows
        ]

    def runs(self, task: Task) -> list[Run]:
        """Return the runs of the same task, the latest first: same phrase, board and list, and the same due date."""
        rows = self._execute("SELECT * FROM runs WHERE task = ? ORDER BY started DESC", task.digest)
        same_words = folded(task.due_words)
        return [
            run for run in map(_run, rows) if folded(run.due_words) == same_words or same_instant(run.due, task.due)
        ]

    def all_runs(self) -> list[Run]:
        """Return every run, the oldest first."""
        return [_run(row) for row in self._execute("SELECT * FROM runs ORDER BY started")]

    def run(self, run_id: str) -> Run | None:
        """Return a run by its id, or by the beginning of its id when that names one only."""
        rows = self._execute("SELECT * FROM runs WHERE substr(id, 1, ?) = ? LIMIT 2", len(run_id), run_id)
        return _run(rows[0]) if len(rows) == 1 else None

    def last_with_card(self) -> Run | None:
        """Return the latest run that put a card on a board, also when that card was archived again."""
        rows = self._execute("SELECT * FROM runs WHERE state IN ('done', 'archived') ORDER BY started DESC LIMIT 1")
        return _run(rows[0]) if rows else None

    def knows_card(self, card_id: str) -> bool:
        """Return whether any run of this ledger made, or is making, a card."""
        return bool(self._execute("SELECT 1 FROM runs WHERE card_id = ? LIMIT 1", card_id))


def _run(row: sqlite3.Row) -> Run:
    return Run(**{key: row[key] for key in row.keys()})  # noqa: SIM118  # a Row iterates over its values


_LEDGER_HINT = "check the directory's permissions and space; XDG_STATE_HOME sets another place"
