"""Addresses the user gives: a board of Trello's, and a Trello that is not Trello's own."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from tools.errors import UsageFailure
from tools.text import one_line

_LOOPBACK = re.compile(r"https?://(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::(\d{1,5}))?(?:/[^?#@\\\s]*)?", re.ASCII)
_BOARD_KINDS = re.compile(r"(?:^|/)(b|c|invite|w|u)/([^/]+)")
_NOT_BOARDS = {
    "c": "the url of a card",
    "invite": "an invitation to a board",
    "w": "the url of a workspace",
    "u": "the url of a person",
}


def is_loopback(url: str) -> bool:
    """Return whether a url is this machine's, by address or as ``localhost``, and nothing else can be meant by it."""
    match = _LOOPBACK.fullmatch(url)
    return match is not None and int(match[1] or 0) < 65536


def board_reference(text: str, name: str = "--board") -> str:
    """Return the shortlink or id of a board from what a user gives: a url, a shortlink, or an id.

    Args:
        text: What was given.
        name: The flag or variable it was given by, for the error.

    Raises:
        UsageFailure: When it is something else; a card's url or an invitation is named as such.
    """
    text = one_line(text)
    path = re.split(r"[?#]", text.partition("//")[2] or text)[0] if "/" in text else ""
    kind = _BOARD_KINDS.search(path)
    hint = "give the board's url, such as https://trello.com/b/AbCd1234/name, or its shortlink"
    what, reference = kind.groups() if kind else ("", text)
    if what in _NOT_BOARDS:
        raise UsageFailure(f"{name} is {_NOT_BOARDS[what]}, not a board", hint)
    host = urlsplit(text).hostname or ""
    if host and host != "trello.com" and not host.endswith(".trello.com"):
        raise UsageFailure(f"{name} is a url of {host[:60]}, not of Trello", hint)
    if re.fullmatch(r"[0-9A-Za-z]{8}|[0-9a-fA-F]{24}", reference):
        return reference
    raise UsageFailure(f"{name} {text[:80]!r} is not a board", hint)
