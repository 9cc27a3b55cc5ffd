"""When a conversation goes nowhere, and when to remind: counting, nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tools.card import Lack
from tools.text import folded

MODEL_CALLS_MAX = 12  # of one conversation; plans and repeats after faults are counted apart
_STALLS_MAX = 4  # turns in a row that bring nothing: catches repetitions, and cycles of up to three calls
_FAILURES_MAX = 2
_NEW_ANSWERS_MAX = 3  # reads of one tool with ever new arguments
REMINDERS_EACH = 2


class ConversationOver(Exception):
    """The model is not asked again: it loops, or has used up its calls."""


class LoopGuard:
    """Sees every call of a conversation, by its canonical form, turn by turn."""

    def __init__(self) -> None:
        self._succeeded: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._called = self._progress = False
        self._stalls = self._turns = 0

    def next_turn(self) -> None:
        """Begin a turn of the model.

        Raises:
            ConversationOver: When too many turns brought nothing, or the calls are used up.
        """
        if self._called:
            self._stalls = 0 if self._progress else self._stalls + 1
        if self._stalls >= _STALLS_MAX:
            raise ConversationOver("the model repeats itself")
        if self._turns >= MODEL_CALLS_MAX:
            raise ConversationOver(f"the model was asked {MODEL_CALLS_MAX} times")
        self._turns += 1
        self._called = self._progress = False

    def refusal(self, tool: str, arguments: Mapping[str, Any], *, writes: bool) -> str:
        """Return why a call is not to be executed: ``repeated``, ``failed_twice``, or nothing.

        Args:
            tool: The tool's name.
            arguments: Its arguments, mended.
            writes: Whether it changes something: then it is done once; a read may be repeated.
        """
        self._called = True
        signature = canonical(tool, arguments)
        if writes and signature in self._succeeded:
            return "repeated"
        return "failed_twice" if self._failures[signature] >= _FAILURES_MAX else ""

    def note(self, tool: str, arguments: Mapping[str, Any], *, ok: bool, writes: bool) -> None:
        """Record how a call went. After a write that went well, what failed before may go well too."""
        signature = canonical(tool, arguments)
        if not ok:
            self._failures[signature] += 1
        elif signature not in self._succeeded:
            self._succeeded.add(signature)
            self._answers[tool] += 1
            self._progress |= writes or self._answers[tool] <= _NEW_ANSWERS_MAX
            if writes:
                self._failures.clear()


def canonical(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call in a form that is equal for calls that mean the same."""
    plain = {key: _plain(value) for key, value in sorted(arguments.items()) if value not in ("", [], None)}
    return f"{tool} {json.dumps(plain, ensure_ascii=False)}"


def _plain(value: Any) -> Any:
    return [folded(str(part)) for part in value] if isinstance(value, list) else folded(str(value))


class Reminders:
    """Counts reminders: of each thing that is missing, two."""

    def __init__(self) -> None:
        self._said: Counter[str] = Counter()

    def due(self, lacks: Iterable[Lack]) -> list[Lack]:
        """Return those of the lacks that may still be reminded of, and count them as said."""
        said = [lack for lack in lacks if self._said[lack.code] < REMINDERS_EACH]
        self._said.update(lack.code for lack in said)
        return said
