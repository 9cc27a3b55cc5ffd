"""The nouns of the program, and what a card must and should have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tools.kinds import Kind, Part, local
from tools.language import Language, guess
from tools.text import clean, cut_at_word, folded, is_blank, one_line

TITLE_MAX = 80  # characters; what a board shows without wrapping, far below Trello's own limit
TEXT_MAX = 16384  # characters Trello takes in a description, a name or a check item (Trello REST v1)
_SECTION_MIN = 400  # characters that a part keeps when a description is cut
_CUT_NOTE: Mapping[Language, str] = {
    "pt": "\n\n[… cortado: o texto passava do limite do Trello]",
    "en": "\n\n[… cut: the text was longer than Trello allows]",
    "es": "\n\n[… cortado: el texto superaba el límite de Trello]",
}


@dataclass(frozen=True)
class Checklist:
    """A checklist: its title and its items, in order."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """A card as it is to be: also half written, with empty strings and no checklists for what is not there yet.

    Args:
        title: At most 80 characters when whole.
        desc: Markdown, at most 16384 characters.
        checklists: In order.
        due: RFC 3339 with an offset, or empty for none.
    """

    title: str = ""
    desc: str = ""
    checklists: tuple[Checklist, ...] = ()
    due: str = ""


@dataclass(frozen=True)
class Receipt:
    """Proof that a card is on the board: made only from Trello's own answer.

    Args:
        card_id: Trello's id of the card.
        url: Trello's short url of the card.
        title: The card's title.
        created: False when the card was there already.
    """

    card_id: str
    url: str
    title: str
    created: bool = True


@dataclass(frozen=True)
class Lack:
    """Something that a card has not got.

    Args:
        code: Which rule; names a text in ``prompts/*/lacks.json``.
        must: True when a card may not stay on a board without it.
        names: What exactly: parts of the description, titles of checklists.
    """

    code: str
    must: bool
    names: tuple[str, ...] = field(default=())


def tidy_title(title: str) -> str:
    """Return a title on one clean line, without Markdown marks around the whole of it; empty if nothing can be read."""
    title = re.sub(r"^#+\s+", "", one_line(title))
    wrapped = re.fullmatch(r"(\*\*|__)((?:(?!\1).)+)\1", title)
    title = (wrapped[2] if wrapped else title).strip()
    return "" if is_blank(title) else title


def tidy_desc(desc: str, language: Language, kind: Kind) -> str:
    """Return a description clean and within Trello's limit.

    What is too long is cut where it is longest, so that each part keeps some of its text; a cut is visible.
    Escaped newlines are newlines where that alone shows the parts.
    """
    desc = clean(desc).strip()
    if "\\n" in desc:
        plain = desc.replace("\\r", "").replace("\\n", "\n")
        desc = plain if len(split_parts(plain, kind)) > len(split_parts(desc, kind)) else desc
    if len(desc) <= TEXT_MAX:
        return desc
    sections = _sections(desc, kind)
    note = _CUT_NOTE[language] + "\n\n"
    while (excess := sum(map(len, sections)) - TEXT_MAX) > 0:
        longest = max(range(len(sections)), key=lambda n: len(sections[n]))
        text = sections[longest].removesuffix(note)
        kept = max(_SECTION_MIN, len(text) - excess - len(note))
        if kept >= len(text):
            return desc[: TEXT_MAX - len(note)].rstrip() + note.rstrip()
        sections[longest] = text[:kept].rstrip() + note
    return "".join(sections).strip()


def _sections(desc: str, kind: Kind) -> list[str]:
    """Split a description before each heading of a part; joined they are the description."""
    names = {alias: part.id for part in kind.parts for alias in _names(part)}
    sections = [""]
    for line in desc.splitlines(keepends=True):
        if _heading(line.rstrip("\n"), names)[0]:
            sections.append("")
        sections[-1] += line
    return sections


def tidy_checklist(title: str, items: Iterable[str], *, fallback: str, kind: Kind) -> tuple[Checklist, int]:
    """Return the checklist within its bounds, and how many items were too many for it."""
    kept = [text for item in items if not is_blank(text := one_line(item)[:TEXT_MAX])]
    name = cut_at_word(tidy_title(title), TITLE_MAX * 2) or fallback
    return Checklist(name, tuple(kept[: kind.items_max])), max(0, len(kept) - kind.items_max)


def title_lacks(title: str, phrase: str) -> list[Lack]:
    """Return what a title falls short of: it cannot be mended once the card exists."""
    if not title:
        return [Lack("title_missing", must=True)]
    if len(title) > TITLE_MAX:
        return [Lack("title_long", must=True)]
    if folded(title) == folded(phrase):
        return [Lack("title_is_phrase", must=False)]
    return []


def lacks(card: Card, kind: Kind, phrase: str, language: Language | None) -> list[Lack]:
    """Return everything a card has not got, what it must have first.

    Args:
        card: The card as it stands.
        kind: The kind it is to be.
        phrase: The user's phrase.
        language: The language of the phrase; None when that is not plain, and then nothing is said of it.
    """
    found = title_lacks(card.title, phrase)
    parts = split_parts(card.desc, kind)
    missing = tuple(part.id for part in kind.parts if not parts.get(part.id))
    if missing:
        found.append(Lack("desc_parts", must=True, names=missing))
    if len(card.checklists) < kind.checklists_min:
        found.append(Lack("checklists_missing", must=True))
    if empty := tuple(c.title for c in card.checklists if not c.items):
        found.append(Lack("checklist_empty", must=True, names=empty))
    if short := tuple(c.title for c in card.checklists if 0 < distinct(c.items) < kind.items_min):
        found.append(Lack("few_items", must=False, names=short))
    if language and guess(whole_text(card)) not in (None, language):
        found.append(Lack("language", must=False))
    return sorted(found, key=lambda lack: not lack.must)


def is_full(card: Card, kind: Kind, phrase: str, language: Language | None) -> bool:
    """Return whether nothing can be added: all the checklists a card may have, and nothing lacking."""
    return len(card.checklists) >= kind.checklists_max and not lacks(card, kind, phrase, language)


def distinct(items: Iterable[str]) -> int:
    """Return how many items differ by more than case, accents and punctuation."""
    return len({folded(item) for item in items})


def whole_text(card: Card) -> str:
    """Return all the words of a card."""
    return "\n".join([card.title, card.desc, *(item for c in card.checklists for item in (c.title, *c.items))])


def split_parts(desc: str, kind: Kind) -> dict[str, str]:
    """Find the parts of a description by their headings, however they are marked.

    A heading is a line that begins with one of a part's names: with Markdown's marks or numbering before it or not,
    with the text after a colon or on the lines that follow.

    Returns:
        Each part's id with its text; a part with a heading and no words is not there.
    """
    names = {alias: part.id for part in kind.parts for alias in _names(part)}
    inline = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in _lines(desc, inline):
        part_id, rest = _heading(line, names)
        if part_id:
            current = found.setdefault(part_id, [])
        if current is not None:
            current.append(rest)
    texts = {part_id: "\n".join(lines).strip() for part_id, lines in found.items()}
    return {part_id: text for part_id, text in texts.items() if re.search(r"\w", text)}


def _names(part: Part) -> set[str]:
    return {folded(heading) for heading in part.heading.values()} | {folded(alias) for alias in part.aliases}


def _lines(desc: str, inline: str) -> list[str]:
    """Split a description into lines, also where a heading follows a sentence on the same line."""
    lines = []
    for line in re.sub(r"(?<=.)(?=<h[1-6]>)|(?<=</h[1-6]>)(?=.)", "\n", desc).splitlines():
        plain = folded_keeping_length(line)
        starts = [0, *(m.end() for m in re.finditer(rf"[.;!?]\s+(?=(?:\W{{0,4}})(?:{inline})\W{{0,3}}:)", plain))]
        lines += [line[a:b] for a, b in zip(starts, [*starts[1:], len(line)], strict=True)]
    return lines


def folded_keeping_length(text: str) -> str:
    """Return the text folded character by character, so that positions in it are positions in the text."""
    return "".join((folded(char) or char) if char.isalpha() and len(folded(char)) <= 1 else char for char in text)


def part_of_heading(line: str, kind: Kind) -> tuple[str | None, str]:
    """Return the part of a kind that a line opens, if any, and the rest of the line."""
    return _heading(line, {alias: part.id for part in kind.parts for alias in _names(part)})


def _heading(line: str, names: Mapping[str, str]) -> tuple[str | None, str]:
    """Return the part a line opens, if any, and the rest of the line."""
    line = re.sub(r"</?h[1-6]>", "## ", line)
    bare = re.sub(r"^(?:[\W\d_]|[IVX]{1,4}[.)]\s)+", "", line)
    for mark in (r":", r"\s[-–—]\s"):
        head, *after = re.split(mark, bare, maxsplit=1)
        if (name := _name_in(head)) in names:
            return names[name], "".join(after).lstrip("*_ ")
    head, _, rest = bare.partition(":")
    name = _name_in(head)
    if len(name) <= 60:
        for alias in sorted(names, key=len, reverse=True):
            if any(re.search(pattern.format(re.escape(alias)), name) for mark, pattern in _MARKS if mark.match(line)):
                return names[alias], rest.lstrip("*_ ")
    return None, line


def _name_in(head: str) -> str:
    """Return the words of a heading, without what stands in brackets behind them."""
    return folded(re.sub(r"[\W_]+$", "", re.sub(r"\([^)]*\)", "", head)))


# Which lines are headings, and where in them the name of a part may stand, other words beside it.
_MARKS = (
    (re.compile(r"\s*(?:#{1,6}\s|\*\*|__|\d{1,2}[.)]\s*\*{0,2})"), r"^{} "),
    (re.compile(r"\s*#{1,6}\s|\s*\*\*[^*]*\*\*:?\s*$"), r"(?:^|\s){}(?:\s|$)"),
    (re.compile(r"\s*\w[^:]*:\s*$"), r"(?:^|\s){}(?:\s|$)"),
)


def join_parts(parts: Mapping[str, Iterable[str] | str], kind: Kind, language: Language) -> str:
    """Write a description from its parts, in the order of the kind.

    Args:
        parts: Each part's id with its text, or with its points.
        kind: Whose parts and headings.
        language: Of the headings.
    """
    sections = []
    for part in kind.parts:
        body = parts.get(part.id, "")
        text = body if isinstance(body, str) else "\n".join(f"- {one_line(point)}" for point in body)
        if text.strip():
            sections.append(f"## {local(part.heading, language)}\n\n{text.strip()}")
    return "\n\n".join(sections)


def with_checklist(card: Card, new: Checklist, kind: Kind) -> tuple[Card, int]:
    """Return the card with a checklist added, or its new items added to the one of that title.

    The number is that of the items there was no room for.
    """
    for index, old in enumerate(card.checklists):
        if folded(old.title) == folded(new.title):
            known = {folded(item) for item in old.items}
            items = (*old.items, *(item for item in new.items if folded(item) not in known))
            merged = replace(old, items=items[: kind.items_max])
            checklists = (*card.checklists[:index], merged, *card.checklists[index + 1 :])
            return replace(card, checklists=checklists), max(0, len(items) - kind.items_max)
    return replace(card, checklists=(*card.checklists, new)), 0


def as_markdown(card: Card, *, due_line: str = "") -> str:
    """Return the card as Markdown: title, due date, description, checklists with boxes."""
    blocks = [f"# {card.title}"]
    if due_line:
        blocks.append(f"**{due_line}**")
    blocks.append(card.desc)
    blocks += [f"### {c.title}\n\n" + "\n".join(f"- [ ] {item}" for item in c.items) for c in card.checklists]
    return "\n\n".join(block for block in blocks if block) + "\n"


def as_json(card: Card) -> dict[str, Any]:
    """Return the card as JSON values, for the ledger and for ``--json``."""
    return {
        "title": card.title,
        "desc": card.desc,
        "due": card.due,
        "checklists": [{"title": c.title, "items": list(c.items)} for c in card.checklists],
    }


def from_json(data: Mapping[str, Any]) -> Card:
    """Read back what ``as_json`` wrote."""
    checklists = tuple(Checklist(c["title"], tuple(c["items"])) for c in data["checklists"])
    return Card(data["title"], data["desc"], checklists, data["due"])


def same_instant(due: str, other: str) -> bool:
    """Return whether two RFC 3339 dates are one instant, whatever their offsets; two empty ones are not."""
    return bool(due and other) and datetime.fromisoformat(due) == datetime.fromisoformat(other)
