"""Kinds of card: one JSON file each, in ``prompts/agents/`` or in the user's configuration directory.

A definition says what a card of the kind needs: the parts of its description, the bounds of its checklists, what the
outline puts in their place. It cannot say who writes the card: a provider, a model or a credential in it is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import UsageFailure
from tools.language import Language

PROMPTS = Path(__file__).resolve().parent.parent / "prompts"
_KEYS = {"id", "purpose", "instructions", "label", "parts", "checklists"}
_OPTIONAL = {"budget", "timeout"}

Localised = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of the description: its id, its heading, and the words a model may use for that heading."""

    id: str
    heading: Localised
    aliases: frozenset[str]
    outline: Localised


@dataclass(frozen=True)
class Kind:
    """A kind of card, read from its definition."""

    id: str
    purpose: str
    instructions: Localised
    label: Localised
    parts: tuple[Part, ...]
    checklists_min: int
    checklists_max: int
    items_min: int
    items_max: int
    checklists_outline: tuple[Mapping[str, Localised], ...]


def local(text: Localised, language: Language) -> Any:
    """Return what a definition says in a language: that language, else Portuguese, else the first it has."""
    return text.get(language) or text.get("pt") or next(iter(text.values()))


def load_kind(kind_id: str, directories: Iterable[Path]) -> Kind:
    """Read the definition ``kind_id.json`` from the first directory that has one.

    Args:
        kind_id: Letters, digits, hyphens and underscores.
        directories: Where to look, the user's own first.

    Raises:
        UsageFailure: When there is no such definition, or it is not valid.
    """
    directories = list(directories)
    if not re.fullmatch(r"[\w-]{1,64}", kind_id):
        raise UsageFailure(
            f"--agent {kind_id!r} is not the name of a kind of card", "use the file's name, without .json"
        )
    for directory in directories:
        path = directory / f"{kind_id}.json"
        if path.is_file():
            return _read(path)
    known = sorted({path.stem for directory in directories for path in directory.glob("*.json")})
    raise UsageFailure(f"there is no kind of card called {kind_id!r}", f"--agent takes one of: {', '.join(known)}")


def _read(path: Path) -> Kind:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        unknown = set(data) - _KEYS - _OPTIONAL
        if unknown:
            raise ValueError(f"it may not contain {', '.join(sorted(unknown))}")
        return _kind(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageFailure(
            f"{path} is not a valid kind of card: {error}", "compare it with prompts/agents/task.json"
        ) from error


def _kind(data: dict[str, Any]) -> Kind:
    bounds = data["checklists"]
    kind = Kind(
        id=data["id"],
        purpose=data["purpose"],
        instructions=data["instructions"],
        label=data["label"],
        parts=tuple(Part(p["id"], p["heading"], frozenset(p["aliases"]), p["outline"]) for p in data["parts"]),
        checklists_min=int(bounds["min"]),
        checklists_max=int(bounds["max"]),
        items_min=int(bounds["items_min"]),
        items_max=int(bounds["items_max"]),
        checklists_outline=tuple(bounds["outline"]),
    )
    if not (1 <= kind.checklists_min <= kind.checklists_max <= 3 and 1 <= kind.items_min <= kind.items_max <= 10):
        raise ValueError("checklists must be 1 to 3, with 1 to 10 items")
    if not kind.parts:
        raise ValueError("the description has no parts")
    return kind
