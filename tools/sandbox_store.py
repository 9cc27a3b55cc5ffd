"""What the sandbox keeps: boards, lists, cards, checklists and actions in one SQLite file.

Several processes use the file at once: it is in WAL mode, and each request is one transaction that takes the writer's
place from its start, so that what a request reads is still so when it writes.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import sqlite3
import string
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Row = dict[str, Any]

POS_STEP = 16384
BUSY_TIMEOUT_S = 30.0
LISTS = ("A fazer", "Em progresso", "Concluído")

_BASE62 = string.digits + string.ascii_letters
# The columns bear the names of Trello's fields, so that a row is nearly the answer.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS boards (
    id TEXT PRIMARY KEY, shortLink TEXT NOT NULL UNIQUE, name TEXT NOT NULL, desc TEXT NOT NULL DEFAULT '',
    closed INTEGER NOT NULL DEFAULT 0, readOnly INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS lists (
    id TEXT PRIMARY KEY, idBoard TEXT NOT NULL REFERENCES boards, name TEXT NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0, pos REAL NOT NULL);
CREATE TABLE IF NOT EXISTS cards (
    id TEXT PRIMARY KEY, shortLink TEXT NOT NULL UNIQUE, idShort INTEGER NOT NULL,
    idBoard TEXT NOT NULL REFERENCES boards, idList TEXT NOT NULL REFERENCES lists, name TEXT NOT NULL,
    desc TEXT NOT NULL DEFAULT '', closed INTEGER NOT NULL DEFAULT 0, pos REAL NOT NULL, due TEXT,
    dueComplete INTEGER NOT NULL DEFAULT 0, dateLastActivity TEXT NOT NULL,
    idLabels TEXT NOT NULL DEFAULT '[]', idMembers TEXT NOT NULL DEFAULT '[]');
CREATE INDEX IF NOT EXISTS cards_by_board ON cards (idBoard, id);
CREATE INDEX IF NOT EXISTS cards_by_list ON cards (idList, pos);
CREATE TABLE IF NOT EXISTS checklists (
    id TEXT PRIMARY KEY, idCard TEXT NOT NULL REFERENCES cards ON DELETE CASCADE, name TEXT NOT NULL,
    pos REAL NOT NULL);
CREATE INDEX IF NOT EXISTS checklists_by_card ON checklists (idCard, pos);
CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY, idChecklist TEXT NOT NULL REFERENCES checklists ON DELETE CASCADE, name TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'incomplete', pos REAL NOT NULL);
CREATE INDEX IF NOT EXISTS items_by_checklist ON items (idChecklist, pos);
CREATE TABLE IF NOT EXISTS actions (
    id TEXT PRIMARY KEY, idCard TEXT NOT NULL REFERENCES cards ON DELETE CASCADE, type TEXT NOT NULL,
    date TEXT NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS actions_by_card ON actions (idCard, id);
CREATE TABLE IF NOT EXISTS hits (token TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS hits_by_token ON hits (token, at);
"""


def rfc3339(at: float) -> str:
    """Return a time in seconds as Trello writes it: UTC with milliseconds and a Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Store:
    """The sandbox's file, shared by the threads of a process and by processes.

    Args:
        directory: Where the file is kept; made when missing, for its owner only.
        clock: The time in seconds since 1970.
    """

    def __init__(self, directory: Path, clock: Callable[[], float] = time.time) -> None:
        """Open the file, and fill a fresh one with one board."""
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        self._clock = clock
        self._lock = threading.RLock()
        self._ids = _object_ids()
        self._db = _connect(directory / "sandbox.db")
        with self.transaction() as session:
            for statement in _SCHEMA.split(";"):
                session.run(statement)
            if not session.rows("SELECT id FROM boards WHERE shortLink = 'sandbox'"):
                board = session.add_board("Sandbox", short_link="sandbox")
                for name in LISTS:
                    session.add_list(board, name)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Run a block as one transaction, alone among all processes; an exception undoes it."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield Session(self._db, self._clock(), self._ids)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


@dataclass(frozen=True)
class Session:
    """One transaction on the store: the rows as they are now, at one time."""

    db: sqlite3.Connection
    now: float
    ids: Iterator[str]

    def run(self, sql: str, *values: object) -> None:
        """Execute one statement."""
        self.db.execute(sql, values)

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return what a query finds."""
        return [dict(row) for row in self.db.execute(sql, values)]

    def insert(self, table: str, **values: object) -> str:
        """Add a row under a new ObjectId and return the id."""
        row = {"id": f"{int(self.now):08x}{next(self.ids)}", **values}
        marks = ", ".join("?" * len(row))
        self.db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        return str(row["id"])

    def next_pos(self, table: str, parent: str, parent_id: str) -> float:
        """Return the place below all others of a list, a card or a checklist."""
        found = self.rows(f"SELECT max(pos) AS pos FROM {table} WHERE {parent} = ?", parent_id)
        return float(found[0]["pos"] or 0) + POS_STEP

    def add_board(self, name: str, *, short_link: str = "", closed: bool = False, read_only: bool = False) -> str:
        """Add a board and return its id.

        Args:
            name: The visible name.
            short_link: The short name in its address; a random one when empty.
            closed: Whether it is archived.
            read_only: Whether the token may look but not write.
        """
        short_link = short_link or new_short_link()
        return self.insert("boards", shortLink=short_link, name=name, closed=closed, readOnly=read_only)

    def add_list(self, board_id: str, name: str, *, closed: bool = False) -> str:
        """Add a list to the right of a board's others and return its id."""
        pos = self.next_pos("lists", "idBoard", board_id)
        return self.insert("lists", idBoard=board_id, name=name, closed=closed, pos=pos)

    def record(self, card: Row, kind: str, data: Row, **with_card: object) -> Row:
        """Record an action on a card, which is also its last activity, and return it.

        Args:
            card: The card's row.
            kind: Trello's type of the action, such as `updateCard`.
            data: What happened; the card and its board are added.
            **with_card: What is said of the card beside its name and ids.
        """
        board = self.rows("SELECT id, name, shortLink FROM boards WHERE id = ?", card["idBoard"])[0]
        named = {key: card[key] for key in ("id", "name", "idShort", "shortLink")}
        whole = {"card": named | with_card, "board": board, **data}
        date = rfc3339(self.now)
        found = self.insert("actions", idCard=card["id"], type=kind, date=date, data=json.dumps(whole))
        self.run("UPDATE cards SET dateLastActivity = ? WHERE id = ?", date, card["id"])
        return self.rows("SELECT * FROM actions WHERE id = ?", found)[0]

    def checklists(self, card_ids: list[str]) -> dict[str, list[Row]]:
        """Return each card's checklists with their items, both in their order."""
        wanted = json.dumps(card_ids)
        found = self.rows(
            "SELECT c.id, c.name, c.idCard, k.idBoard, c.pos FROM checklists c JOIN cards k ON k.id = c.idCard "
            "WHERE c.idCard IN (SELECT value FROM json_each(?)) ORDER BY c.pos, c.id",
            wanted,
        )
        by_id: dict[str, Row] = {checklist["id"]: checklist | {"checkItems": []} for checklist in found}
        for item in self.rows(
            "SELECT i.* FROM items i JOIN checklists c ON c.id = i.idChecklist "
            "WHERE c.idCard IN (SELECT value FROM json_each(?)) ORDER BY i.pos, i.id",
            wanted,
        ):
            by_id[item["idChecklist"]]["checkItems"].append(item | {"pos": _number(item["pos"]), "due": None})
        cards: dict[str, list[Row]] = {card_id: [] for card_id in card_ids}
        for checklist in by_id.values():
            cards[checklist["idCard"]].append(checklist | {"pos": _number(checklist["pos"])})
        return cards

    def cards(self, where: str, *values: object) -> list[Row]:
        """Return whole cards, with their checklists in order.

        Args:
            where: What follows `SELECT * FROM cards`: a condition, an order.
            *values: The values of its marks.
        """
        found = self.rows(f"SELECT * FROM cards {where}", *values)
        ids = [card["id"] for card in found]
        checklists = self.checklists(ids)
        comments = self.rows(
            "SELECT idCard, count(*) AS n FROM actions WHERE type = 'commentCard' "
            "AND idCard IN (SELECT value FROM json_each(?)) GROUP BY idCard",
            json.dumps(ids),
        )
        counts = {row["idCard"]: row["n"] for row in comments}
        return [_card(card, checklists[card["id"]], counts.get(card["id"], 0)) for card in found]

    def snapshot(self) -> dict[str, list[Row]]:
        """Return every board, list and card, archived ones too, each in order of its place."""
        lists = self.rows("SELECT * FROM lists ORDER BY idBoard, pos, id")
        return {
            "boards": [_flags(board) for board in self.rows("SELECT * FROM boards ORDER BY rowid")],
            "lists": [_flags(row) | {"pos": _number(row["pos"])} for row in lists],
            "cards": self.cards("ORDER BY idBoard, idList, pos, id"),
        }


def new_short_link() -> str:
    """Return eight letters and digits that name a card or a board in its address."""
    return "".join(secrets.choice(_BASE62) for _ in range(8))


def _card(row: Row, checklists: list[Row], comments: int) -> Row:
    """Return a row of the table of cards as Trello's card."""
    items = [item for checklist in checklists for item in checklist["checkItems"]]
    checked = sum(item["state"] == "complete" for item in items)
    card = _flags(row) | {"pos": _number(row["pos"]), "start": None, "subscribed": False, "idAttachmentCover": None}
    card |= {key: json.loads(row[key]) for key in ("idLabels", "idMembers")}
    card["labels"] = [{"id": label, "name": "", "color": None} for label in card["idLabels"]]
    card["idChecklists"] = [checklist["id"] for checklist in checklists]
    card["checklists"] = checklists
    card["badges"] = {
        "attachments": 0,
        "checkItems": len(items),
        "checkItemsChecked": checked,
        "comments": comments,
        "description": bool(row["desc"]),
        "due": row["due"],
        "dueComplete": card["dueComplete"],
    }
    return card


def _flags(row: Row) -> Row:
    """Return a row with its yes and no as such; SQLite keeps them as numbers."""
    return row | {key: bool(row[key]) for key in ("closed", "dueComplete", "readOnly") if key in row}


def _number(pos: float) -> float:
    """Return a place as JSON should show it: whole where it is."""
    return int(pos) if pos.is_integer() else pos


def _object_ids() -> Iterator[str]:
    """Yield what follows the time in an ObjectId: five bytes of this process, three that count."""
    own, start = secrets.token_hex(5), secrets.randbelow(1 << 16)
    return (f"{own}{count % (1 << 24):06x}" for count in itertools.count(start))


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file in WAL mode, readable by its owner only (what SQLite puts beside it inherits that)."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    db = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    _enter_wal(db)
    # A power cut may lose the last requests, never the file; a killed process loses nothing that was answered.
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _enter_wal(db: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait by itself where another process is switching at this moment."""
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.005)
