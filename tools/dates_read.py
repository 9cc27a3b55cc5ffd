"""From tokens to components: the rows of `tools.dates_grammar` compiled, and put together into one reading.

At each token the longest row wins, the first of equals. A reading takes one date, one weekday, one hour, one part of
the day, one zone; what does not fit ends it. Rows are compiled once, on first use, and only those that can begin with
a token are tried at it, so that a text is read in time proportional to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from tools import dates_grammar as grammar
from tools.dates_grammar import LEADS, PHRASES, ROWS, Component, Lead, Row, Values
from tools.dates_lexicon import entries
from tools.dates_text import UNKNOWN, Token

SLOTS: dict[type, str] = {
    grammar.Relative: "date",
    grammar.DayOfMonth: "date",
    grammar.Calendar: "date",
    grammar.Period: "date",
    grammar.NamedPeriod: "date",
    grammar.Later: "date",
    grammar.Weekday: "weekday",
    grammar.Clock: "clock",
    grammar.EndOfDay: "clock",
    grammar.Midnight: "clock",
    grammar.DayPart: "part",
    grammar.HalfDay: "half",
    grammar.Zone: "zone",
    grammar.Elapsed: "elapsed",
}

_ABSOLUTE = (grammar.Calendar, grammar.DayOfMonth)

# Slot -> what a second component of it, or one that excludes it, is called.
_CLASH = {
    "date": "two_dates",
    "relative": "two_dates",
    "weekday": "two_dates",
    "clock": "two_times",
    "part": "two_times",
    "half": "two_times",
    "zone": "two_zones",
    "elapsed": "two_times",
}

_CODES = "".join(map(chr, [*range(48, 58), *range(65, 91), *range(97, 123), *range(0xC0, 0x180)]))
_SHAPES = (
    {UNKNOWN},
    {"MARK"},
    *({name} for name in ("COMMA", "COLON", "BRACKET", "STOP", "DASH", "QUOTE")),
    *({name} for name in ("DATE", "DM", "CLOCK", "HM", "HOURS", "ZONE", "HALF_DAY", "RANGE", "DOTTED", "UNIT")),
    {"DATE", "DOTTED_DATE"},
    {"NUM", "DIGITS"},
    {"NUM", "DIGITS", "DAY"},
    {"NUM", "DIGITS", "DAY", "SHORT_YEAR"},
    {"NUM", "DIGITS", "YEAR"},
    {"NUM", "NUMWORD"},
    {"ORDINAL"},
    {"ORDINAL", "ORDINAL_DIGITS"},
    {"NUMBERED_WEEKDAY"},
)
_ELEMENT = re.compile(r"<(\w+)>|(\(\?[=!]|[()|?])|([A-Z_]+)(?::(\w+))?")
_MOST_LEADS = 2
_MOST_OPENINGS = 4


@cache
def _alphabet() -> tuple[dict[frozenset[str], str], dict[str, str]]:
    """Return the code of each set of classes, and for each class the codes of all sets it is in."""
    sets = {frozenset(entry.values) for entry in entries().values()} | {frozenset(shape) for shape in _SHAPES}
    codes = dict(zip(sorted(sets, key=sorted), _CODES, strict=False))
    members: dict[str, str] = {}
    for classes, code in codes.items():
        for name in classes:
            members[name] = members.get(name, "") + code
    return codes, members


def encode(tokens: Sequence[Token]) -> str:
    """Return the tokens as one character each."""
    codes, _ = _alphabet()
    unknown = codes[frozenset({UNKNOWN})]
    return "".join(codes.get(frozenset(token.values), unknown) for token in tokens)


class _Compiled(NamedTuple):
    row: Row
    order: int
    expression: str
    classes: dict[str, str]

    @property
    def regex(self) -> re.Pattern[str]:
        """Return the compiled expression; most rows are never needed in a run, and compiling them all takes 20 ms."""
        return _regex(self.expression)


@cache
def _regex(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


class _Part(NamedTuple):
    """A piece of a pattern: its expression, the codes that may open it, those of its first required token."""

    expression: str
    opening: frozenset[str]
    anchor: frozenset[str]
    may_be_empty: bool


_NONE: frozenset[str] = frozenset()


class _Compiler:
    """Turn one pattern into a regular expression over codes, and find which codes it needs."""

    def __init__(self, pattern: str) -> None:
        self.classes: dict[str, str] = {}
        self.members = _alphabet()[1]
        self.elements = self._expanded(pattern)
        self.at = 0
        self.whole = self._choice()

    def _expanded(self, pattern: str) -> list[re.Match[str]]:
        found: list[re.Match[str]] = []
        for element in _ELEMENT.finditer(pattern):
            found += self._expanded(f"({PHRASES[element[1]]})") if element[1] else [element]
        return found

    def _next(self) -> str:
        return self.elements[self.at][0] if self.at < len(self.elements) else ""

    def _choice(self) -> _Part:
        """Read sequences separated by "|" until ")" or the end."""
        parts = [self._sequence()]
        while self._next() == "|":
            self.at += 1
            parts.append(self._sequence())
        return _Part(
            "|".join(part.expression for part in parts),
            _NONE.union(*(part.opening for part in parts)),
            _NONE.union(*(part.anchor for part in parts)),
            any(part.may_be_empty for part in parts),
        )

    def _sequence(self) -> _Part:
        whole = _Part("", _NONE, _NONE, True)
        while self._next() not in ("|", ")", ""):
            item = self._item()
            if self._next() == "?":
                self.at += 1
                item = item._replace(expression=f"{item.expression}?", may_be_empty=True)
            whole = _Part(
                whole.expression + item.expression,
                whole.opening | item.opening if whole.may_be_empty else whole.opening,
                item.anchor if whole.may_be_empty and not item.may_be_empty else whole.anchor,
                whole.may_be_empty and item.may_be_empty,
            )
        return whole

    def _item(self) -> _Part:
        element = self.elements[self.at]
        self.at += 1
        if element[3]:
            codes = frozenset(self.members[element[3]])
            return _Part(self._token(element), codes, codes, False)
        part = self._choice()
        self.at += 1
        if element[0] == "(":
            return part._replace(expression=f"(?:{part.expression})")
        return _Part(f"{element[0]}{part.expression})", _NONE, _NONE, True)

    def _token(self, element: re.Match[str]) -> str:
        codes = f"[{self.members[element[3]]}]"
        if not element[4]:
            return codes
        group = f"{element[4]}_{len(self.classes)}"
        self.classes[group] = element[3]
        return f"(?P<{group}>{codes})"


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern as a regular expression over codes."""
    return re.compile(_Compiler(pattern).whole.expression)


class _Table(NamedTuple):
    """Rows by the code of their first required token, and the codes that may stand before it."""

    rows: dict[str, list[_Compiled]]
    openings: frozenset[str]


@cache
def _table(leads: bool) -> _Table:
    rows: dict[str, list[_Compiled]] = {}
    openings: frozenset[str] = _NONE
    for order, row in enumerate(LEADS if leads else ROWS):
        compiler = _Compiler(row.pattern)
        compiled = _Compiled(row, order, compiler.whole.expression, compiler.classes)
        for code in compiler.whole.anchor:
            rows.setdefault(code, []).append(compiled)
        openings |= compiler.whole.opening - compiler.whole.anchor
    return _Table(rows, openings)


def _rows_at(codes: str, at: int, table: _Table) -> Iterator[_Compiled]:
    """Yield, once each, the rows whose first required token stands here, or behind words that may open them ("às")."""
    seen = ""
    for code in codes[at : at + _MOST_OPENINGS + 1]:
        if code not in seen:
            yield from table.rows.get(code, ())
            seen += code
        if code not in table.openings:
            break


def _longest(codes: str, tokens: Sequence[Token], at: int, leads: bool = False) -> tuple[list[Component], int] | None:
    """Return what the longest row that matches at a token emits, and where it ends; the first row of equals."""
    best: tuple[list[Component], int] | None = None
    rank = (at, 0)
    for compiled in _rows_at(codes, at, _table(leads)):
        match = compiled.regex.match(codes, at)
        if match is None or (match.end(), -compiled.order) <= rank:
            continue
        emitted = compiled.row.emit(_values(match, compiled.classes, tokens))
        if emitted is not None:
            best = (emitted if isinstance(emitted, list) else [emitted]), match.end()
            rank = (match.end(), -compiled.order)
    return best


def _values(match: re.Match[str], classes: dict[str, str], tokens: Sequence[Token]) -> Values:
    return {
        group.rsplit("_", 1)[0]: tokens[match.start(group)].values[name]
        for group, name in classes.items()
        if match.start(group) >= 0
    }


@dataclass(slots=True)
class Reading:
    """What was read from tokens `start` to `end`: components by slot, the tokens of each, and what opened it."""

    start: int
    end: int
    parts: dict[str, Component] = field(default_factory=dict)
    where: dict[str, tuple[int, int]] = field(default_factory=dict)
    leads: list[str] = field(default_factory=list)
    clash: str = ""

    def take(self, components: list[Component], start: int, end: int) -> bool:
        """Add the components of one row; if one does not fit, say why in `clash` and add none."""
        slots = [self._slot(component) for component in components]
        for slot, component in zip(slots, components, strict=True):
            said_twice = slot == "part" and self.parts.get(slot) == component
            if self._excludes(slot) and not said_twice:
                self.clash = _CLASH[slot]
                return False
        for slot, component in zip(slots, components, strict=True):
            self.parts[slot] = component
            self.where[slot] = (start, end)
        self.end = end
        return True

    def _slot(self, component: Component) -> str:
        """Return the slot of a component; a day counted from today may stand beside its date ("amanhã, 18/06")."""
        slot = SLOTS[type(component)]
        named = self.parts.get("date")
        if slot != "date" or named is None or "relative" in self.parts:
            return slot
        if isinstance(component, grammar.Relative) and isinstance(named, _ABSOLUTE):
            return "relative"
        if isinstance(named, grammar.Relative) and isinstance(component, _ABSOLUTE):
            self.parts["relative"] = self.parts.pop("date")
            self.where["relative"] = self.where.pop("date")
        return slot

    def _excludes(self, slot: str) -> bool:
        if slot in self.parts:
            return True
        others = set(self.parts) - {"zone"}
        return bool(others) if slot == "elapsed" else "elapsed" in self.parts and slot != "zone"


def _is_another_day(reading: Reading, component: Component, tokens: Sequence[Token]) -> bool:
    """Tell whether a day that "até" or "para" opens is one more: "ontem até sexta", "das 22h até amanhã"."""
    owned = reading.start > 0 and tokens[reading.start - 1].is_a("OF")
    has_day = "date" in reading.parts or "weekday" in reading.parts
    return SLOTS[type(component)] in ("date", "weekday") and (has_day or (owned and bool(reading.parts)))


def _opens(components: list[Component], opened: list[str]) -> bool:
    """Add what opens a component to what already does ("prazo até"); twice the same, or three, open nothing."""
    kind = components[0].kind if isinstance(components[0], Lead) else ""
    if kind in opened or len(opened) >= _MOST_LEADS:
        return False
    opened.append(kind)
    return True


def read(tokens: Sequence[Token], codes: str, start: int = 0) -> Reading | None:
    """Read as much as fits into one due date from a token on, or None if nothing begins there.

    Between components a comma, a bracket or "de" may stand, and before each its own "até" or "para".
    """
    reading = Reading(start, start)
    at = start
    opened: list[str] = []
    while at < len(tokens):
        found = _longest(codes, tokens, at)
        if found:
            if opened and _is_another_day(reading, found[0][0], tokens):
                reading.clash = "two_dates"
                break
            if not reading.take(found[0], at, found[1]):
                break
            at, opened = found[1], []
        elif (lead := _longest(codes, tokens, at, leads=True)) and _opens(lead[0], opened):
            at = lead[1]
            if not reading.parts:
                reading.leads = opened
        elif reading.end == at and reading.parts and tokens[at].is_a("COMMA", "BRACKET", "OF"):
            at += 1
        else:
            break
    return reading if reading.parts else None
