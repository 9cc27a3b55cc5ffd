"""Which due date a card gets: decided here, before the model is asked, wherever the user named one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from tools.dates import Due, DueError, find_due, parse_due, zone_of
from tools.errors import UsageFailure
from tools.text import one_line

Say = Callable[[str], None]


@dataclass(frozen=True)
class Deadline:
    """The decided due date.

    Args:
        due: RFC 3339, or empty for none.
        words: The words it was read from.
        span: Those words as they stand in the phrase; empty when it came from ``--due``.
        is_fixed: Whether it, or that there is none, is decided; if not, the model may name one.
        line: What is echoed; empty when there is no due date.
    """

    due: str = ""
    words: str = ""
    span: str = ""
    is_fixed: bool = False
    line: str = ""


def local_now(tz: str) -> datetime:
    """Return the naive local time in a zone: what today and now mean, whatever the machine's own zone."""
    return datetime.now(UTC).astimezone(zone_of(tz)).replace(tzinfo=None)


def decide_deadline(phrase: str, given: str | None, *, now: datetime, tz: str, say: Say, warn: Say) -> Deadline:
    """Decide the due date from ``--due``, or else from the phrase, and tell the user what was understood.

    Args:
        phrase: The user's phrase.
        given: What ``--due`` says; None when it is not given.
        now: Naive local time in ``tz``.
        tz: Offset or IANA name.
        say: Told the date as understood.
        warn: Told when the phrase and ``--due`` differ, and when the phrase's deadline cannot be used.

    Raises:
        UsageFailure: When ``--due`` is not understood, or is past.
    """
    due = _given(given, now, tz) if given is not None else None  # first: one that cannot be read costs nothing more
    in_phrase, problem = _in_phrase(phrase, now, tz)
    if given is not None and due is not None:
        say(due.echo())
        if in_phrase and in_phrase.instant != due.instant:
            warn(f"the phrase says {one_line(in_phrase.span)!r} ({in_phrase.rfc3339}); --due stands")
        return Deadline(due.rfc3339, given, in_phrase.span if in_phrase else "", True, due.echo())
    if problem is not None:
        warn(f"{one_line(str(problem))} No due date is set (--due sets one).")
        return Deadline(is_fixed=True)
    if in_phrase is None:
        return Deadline()
    if "past" in in_phrase.flags:
        warn(f"{in_phrase.echo()} is past: no due date is set (--due sets one)")
        return Deadline(is_fixed=True)
    say(in_phrase.echo())
    return Deadline(in_phrase.rfc3339, in_phrase.span, in_phrase.span, True, in_phrase.echo())


def planned_due(words: str, *, now: datetime, tz: str, say: Say, warn: Say) -> str:
    """Return the due date that a plan names in words, RFC 3339, or empty when they name none that can be used."""
    if not words.strip():
        return ""
    try:
        due = parse_due(words, now=now, tz=tz)
    except DueError as error:
        warn(f"the model named a deadline that is not one ({error}): no due date is set")
        return ""
    if "past" in due.flags:
        warn(f"the model named a deadline that is past ({due.rfc3339}): no due date is set")
        return ""
    say(due.echo())
    return due.rfc3339


def _in_phrase(phrase: str, now: datetime, tz: str) -> tuple[Due | None, DueError | None]:
    try:
        return find_due(phrase, now=now, tz=tz), None
    except DueError as error:
        return None, error


def _given(text: str, now: datetime, tz: str) -> Due:
    try:
        due = parse_due(text, now=now, tz=tz)
    except DueError as error:
        raise UsageFailure(f"--due: {one_line(str(error))}") from error
    if "past" in due.flags:
        raise UsageFailure(f"--due: {due.echo()}", _PAST[due.language])
    return due


_PAST = {
    "pt": "essa data já passou: dê uma que esteja por vir",
    "en": "that date is past: give one that is still to come",
    "es": "esa fecha ya pasó: indique una por venir",
}
