"""A card without a model: the outline of its kind with the phrase's own words in their place.

The same phrase gives the same card, at once. It is a card to be refined, not a lost task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tools.brief import Brief
from tools.card import TITLE_MAX, Card, Checklist, join_parts, tidy_desc
from tools.kinds import local
from tools.text import cut_at_word, folded, one_line

# Verbs that only ask for something to be there, and the politeness before them; a verb that says what kind of work it
# is (fix, review, migrate) carries meaning and stays.
_REQUEST = re.compile(
    r"^(?:(?:por favor|favor|please|preciso(?: de)?|precisamos(?: de)?|quero|queremos|queria|gostaria de|"
    r"i need(?: to)?|i want(?: to)?|we need(?: to)?|necesito|quiero|hay que|tem que|temos que|vamos|"
    r"let's|need to)[\s,:]+)*"
    r"(?:(?:implementar|implemente|criar|crie|cria|fazer|faca|faz|construir|construa|montar|monte|desenvolver|desenvolva|"
    r"adicionar|adicione|colocar|create|make|build|implement|add|develop|do|write|set up|hacer|haz|crear|crea|"
    r"implementar|construir|desarrollar|anadir|agregar)\s+)?"
    r"(?:(?:um|uma|uns|umas|o|a|os|as|an|the|un|una|el|la|los|las)\s+)?",
    re.IGNORECASE,
)


_SUBJECT_MAX = 120


def outline(brief: Brief, *, span: str = "") -> Card:
    """Write the card of a phrase from the outline of its kind.

    Args:
        brief: The task.
        span: The words of the phrase that are its deadline; they are not part of the subject.
    """
    whole, language = subject_of(brief.phrase, span), brief.language
    subject = cut_at_word(whole, _SUBJECT_MAX)
    fill = {"{subject}": subject, "{Subject}": subject[:1].upper() + subject[1:]}
    parts = {part.id: [_filled(point, fill) for point in local(part.outline, language)] for part in brief.kind.parts}
    if subject != whole:  # the cut one is repeated all over the card; what was asked for is kept once, whole
        first = brief.kind.parts[0].id
        parts[first] = [one_line(brief.phrase), *parts[first]]
    checklists = tuple(
        Checklist(local(c["title"], language), tuple(_filled(item, fill) for item in local(c["items"], language)))
        for c in brief.kind.checklists_outline
    )
    desc = tidy_desc(join_parts(parts, brief.kind, language), language, brief.kind)
    return Card(_title(brief, fill["{Subject}"]), desc, checklists, brief.due)


def _filled(text: str, fill: Mapping[str, str]) -> str:
    for mark, value in fill.items():
        text = text.replace(mark, value)
    return text


def _title(brief: Brief, subject: str) -> str:
    """Return the subject as a title; where that would be the phrase itself, what kind of card it is comes first."""
    title = cut_at_word(subject, TITLE_MAX)
    if folded(title) == folded(brief.phrase):
        label: Any = local(brief.kind.label, brief.language)
        title = cut_at_word(f"{label}: {subject}", TITLE_MAX)
    return title


def subject_of(phrase: str, span: str) -> str:
    """Return what a phrase is about: without the request before it and the deadline in it."""
    text = one_line(phrase)
    if span and span in text:
        text = one_line(text.replace(span, " ", 1)).strip(" ,;:.-–—()")
    plain = "".join(folded(char) or char if char.isalpha() else char for char in text)
    request = _REQUEST.match(plain)
    rest = text[request.end() :] if request and len(plain) == len(text) else text
    return (rest if re.search(r"\w", rest) else text).strip(" ,;:.-–—") or one_line(phrase)
