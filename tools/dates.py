"""Text to due date: a grammar that is right or refuses.

`parse_due` reads a whole text ("amanhã 18h", "by friday 5pm", "el viernes a las 17h"); `find_due` finds the deadline
that a task's phrase names, if it names one. Both are pure functions of the text, `now` and a zone. A text is consumed
whole or refused with the word that was not understood and a form that works: nothing ever silently becomes today.

The parts: `dates_lexicon` (words), `dates_text` (tokens), `dates_grammar` (patterns), `dates_read` (components),
`dates_resolve` (rules), `dates_refuse` (why not), `dates_find`, `dates_context` and `dates_clause` (phrases),
`dates_errors` and `dates_notes` (what is said).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from tools import language as languages
from tools.dates_errors import DueError, Refused
from tools.dates_find import find
from tools.dates_lexicon import LANGUAGES, Language
from tools.dates_notes import echo_of
from tools.dates_read import Reading, encode, read
from tools.dates_refuse import why_not
from tools.dates_resolve import Note, resolve, zone_of
from tools.dates_text import Token, foreign, tokens_of

__all__ = ["Due", "DueError", "Language", "find_due", "parse_due", "zone_of"]

MAX_TEXT = 200
MAX_PHRASE = 8192
MAX_TOKENS = 4096


@dataclass(frozen=True)
class Due:
    """A due date that was understood.

    Attributes:
        rfc3339: The instant, to the second, with the offset of the zone it was said in: "2026-12-01T18:00:00-03:00".
        flags: Any of "past" (before `now`), "rolled" (the nearest one had passed, or was not in the calendar, so a
            later one was taken) and "assumed" (another reading is defensible; `echo` says which).
        language: The language of the text, "pt" when it is not plain.
        span: The words that were read: the whole text, or their part of a phrase.
    """

    rfc3339: str
    flags: frozenset[str] = frozenset()
    language: Language = "pt"
    span: str = ""
    notes: tuple[Note, ...] = field(default=(), repr=False, compare=False)

    @property
    def instant(self) -> datetime:
        """Return the due date with its offset."""
        return datetime.fromisoformat(self.rfc3339)

    def echo(self) -> str:
        """Return one line that says what was understood: "prazo: ter 01/12/2026 18:00 -03:00"."""
        return echo_of(self.instant, self.notes, self.language)


def parse_due(text: str, *, now: datetime, tz: str = "-03:00") -> Due:
    """Read a text that is a due date and nothing else.

    Day before month, weeks from Monday, nine in the morning when no hour is given, the 24-hour clock, and of two
    defensible readings the earlier one.

    Args:
        text: At most 200 characters, in Portuguese, English or Spanish.
        now: Local date and time in `tz`, naive.
        tz: The user's zone: an offset ("-03:00") or an IANA name.

    Returns:
        The due date; one in the past has the flag "past".

    Raises:
        DueError: if the text is not one due date; `code` says why.
        ValueError: if `tz` is no zone or `now` is not naive.
    """
    zone = _zone_for(now, tz)
    if len(text) > MAX_TEXT:
        raise DueError("too_long", text, language=_language(text[:MAX_TEXT], ()))
    stripped = text.strip().rstrip(".!").rstrip()
    if character := foreign(stripped):
        raise DueError("bad_character", text, character, _language(stripped, ()))
    tokens = tokens_of(stripped)
    try:
        if not tokens:
            raise Refused("empty")
        codes = encode(tokens)
        reading = read(tokens, codes)
        if reading is None or not _is_whole(reading, tokens):
            raise why_not(stripped, tokens, codes, reading)
        resolved = resolve(reading.parts, now, zone, _words(stripped, tokens, reading))
    except Refused as refused:
        raise DueError(refused.code, text, refused.word, _language(stripped, tokens)) from None
    return _due(resolved.instant, resolved.flags, resolved.notes, _language(stripped, tokens), text.strip())


def find_due(phrase: str, *, now: datetime, tz: str = "-03:00") -> Due | None:
    """Find the deadline that the phrase of a task names.

    Words that open one count ("até", "para", "prazo", "by", "due", …), and dates at the start or the end of the
    phrase; what a thing is called or belongs to does not ("ata de 10/06", "segunda via", "release 1.10.2026").

    Args:
        phrase: The task, at most 8192 characters.
        now: Local date and time in `tz`, naive.
        tz: The user's zone: an offset ("-03:00") or an IANA name.

    Returns:
        The due date with `span`, its words in the phrase; None if the phrase names none. One in the past has the flag
        "past".

    Raises:
        DueError: if a deadline is named but not decidable: two dates, a range, a recurrence, an impossible date, …
        ValueError: if `tz` is no zone or `now` is not naive.
    """
    zone = _zone_for(now, tz)
    if len(phrase) > MAX_PHRASE:
        raise DueError("too_long", phrase, language=_language(phrase[:MAX_TEXT], ()))
    tokens = tokens_of(phrase)
    if len(tokens) > MAX_TOKENS:
        raise DueError("too_long", phrase, language=_language(phrase[:MAX_TEXT], ()))
    language = _language(phrase, tokens)
    try:
        found = find(phrase, tokens, now, zone)
    except Refused as refused:
        raise DueError(refused.code, phrase, refused.word, language) from None
    if found is None:
        return None
    resolved, span = found
    return _due(resolved.instant, resolved.flags, resolved.notes, language, span)


def _zone_for(now: datetime, tz: str) -> tzinfo:
    if now.tzinfo is not None:
        raise ValueError("now must be naive: local time in tz")
    return zone_of(tz)


def _is_whole(reading: Reading, tokens: list[Token]) -> bool:
    """Tell whether a reading took every token; a bracket that closes one may be left."""
    rest = tokens[reading.end :]
    return not rest or (len(rest) == 1 and rest[0].word == ")" and any(t.word == "(" for t in tokens))


def _words(text: str, tokens: list[Token], reading: Reading) -> Mapping[str, str]:
    return {slot: text[tokens[a].start : tokens[b - 1].end] for slot, (a, b) in reading.where.items()}


def _due(instant: datetime, flags: Iterable[str], notes: Iterable[Note], language: Language, span: str) -> Due:
    return Due(instant.isoformat(timespec="seconds"), frozenset(flags), language, span, tuple(notes))


def _language(text: str, tokens: Iterable[Token]) -> Language:
    """Return the language of most words that were understood, else of the text; Portuguese when it is not plain."""
    words = [token.languages for token in tokens if token.languages]
    votes = {name: sum(1 / len(homes) for homes in words if name in homes) for name in LANGUAGES}
    most = max(votes.values())
    if not most:
        return languages.guess(text) or "pt"
    return next(name for name in LANGUAGES if votes[name] == most)
