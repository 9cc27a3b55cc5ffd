"""Text from outside, made safe: control characters, comparison, cutting at a word."""

from __future__ import annotations

import os
import re
import unicodedata

# C0 and C1 controls except newline and tab, the bidirectional overrides and isolates, what has no width and no ink, and
# lone surrogates: nothing of it can be meant in a card, and on a terminal it can hide or fake text. The joiner and the
# selectors that emoji are made with stay.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ud800-\udfff]"
)
_ANSI = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")


def clean(text: str) -> str:
    """Return the text composed (NFC), without control characters and terminal sequences; newlines and tabs stay."""
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return unicodedata.normalize("NFC", _CONTROLS.sub("", text))


def as_utf8(text: str) -> str:
    """Return an argument or variable of the process read as UTF-8, whatever the locale says that it is.

    Cron and old systems name a locale that the terminal or the crontab was not written in. Bytes that are not UTF-8
    stay as the locale reads them: text in Latin-1 is hardly ever valid UTF-8 by chance.
    """
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:
        return text


def one_line(text: str) -> str:
    """Return the text clean, on one line, with single spaces."""
    return " ".join(clean(text).split())


def is_blank(text: str) -> bool:
    """Return whether a text has no letter, digit or symbol: nothing that somebody could read."""
    return not any(unicodedata.category(char)[0] in "LNS" for char in text)


def folded(text: str) -> str:
    """Return the text for comparing: without case, accents, punctuation at its ends, or extra spaces."""
    plain = unicodedata.normalize("NFD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(plain.split()).strip(" .,;:!?\"'`*_#-–—")


def cut_at_word(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of a line, cut between words where there is a word to cut at."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    space = head.rfind(" ")
    return head[: space if space > limit // 3 else limit].rstrip(" ,;:-–—(")
