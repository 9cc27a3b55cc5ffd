"""A hostile script: what a model says, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.models import CHECKLISTS, DESC, PHRASE, TITLE, latest, results, writer
from tests.ollama_server import GPT_OSS, FakeModel
from tests.ollama_steps import Json, Reply, Step, call, calls, say

P, SAFE = "P", "safe"  # a whole card and exit 0; or that, or nothing left and another exit
Turn = Step | Callable[[Json], Step]
Model = Callable[[Json, int], Step]


@dataclass(frozen=True)
class Script:
    """One script.

    Args:
        name: The kind, a colon, the variant.
        model: What it says, a function of the request and its number.
        expect: P, SAFE, or an exit code other than 0; "dry" and "json" are P with another output.
        flags: More of the command line.
        formats: What it says to requests with a schema; nothing of use unless told.
        pulled: The model Ollama has.
        calls_max: How often it may be asked at most.
        shown: A predicate of the card on the board, for P.
        err: A text that standard error must have.
        never: Texts that must be neither on standard output nor on standard error.
        list_name: The name of the list, where it matters.
    """

    name: str
    model: Model
    expect: str | int = P
    flags: tuple[str, ...] = ()
    phrase: str = PHRASE
    formats: Model | None = None
    pulled: FakeModel = GPT_OSS
    calls_max: int = 19
    shown: Callable[[Json], bool] = lambda card: True
    err: str = ""
    never: tuple[str, ...] = ()
    list_name: str = ""


def then_good(*turns: Turn) -> Model:
    """Say these things first, and go on as a model that errs no more."""
    good = writer()
    return lambda asked, nth: _said(turns[nth - 1], asked) if nth <= len(turns) else good(asked, nth)


def only(*turns: Turn) -> Model:
    """Say these things, the last for ever."""
    return lambda asked, nth: _said(turns[min(nth, len(turns)) - 1], asked)


def _said(turn: Turn, asked: Json) -> Step:
    return turn(asked) if callable(turn) else turn


def spoken(render: Callable[[str, Json], Step], good: Model | None = None) -> Model:
    """Do everything right, but put each call in another way."""
    good = good or writer()

    def speak(asked: Json, nth: int) -> Step:
        step = good(asked, nth)
        return render(*step.calls[0]) if isinstance(step, Reply) and step.calls else step

    return speak


def card(asked: Json, **over: Any) -> Json:
    """Good arguments of create_card, but for what is given; None leaves one out."""
    given = {"list_id": latest(asked, "list_id"), "title": TITLE, "desc": DESC} | over
    return {key: value for key, value in given.items() if value is not None}


def checklist(asked: Json, nth: int = 0, **over: Any) -> Json:
    """Good arguments of add_checklist, but for what is given; None leaves one out."""
    given = {"card_id": latest(asked, "card_id"), "title": CHECKLISTS[nth][0], "items": CHECKLISTS[nth][1]} | over
    return {key: value for key, value in given.items() if value is not None}


def create(**over: Any) -> Turn:
    return lambda asked: call("create_card", card(asked, **over))


def add(nth: int = 0, **over: Any) -> Turn:
    return lambda asked: call("add_checklist", checklist(asked, nth, **over))


def answer(asked: Json) -> Step:
    """Answer with the url, as asked."""
    return say(latest(asked, "url", "Pronto!"))


def together(*parts: Callable[[Json], tuple[str, Json]]) -> Turn:
    """Several calls in one message."""
    return lambda asked: calls(*(part(asked) for part in parts))


def items_of(card: Json) -> list[list[str]]:
    return [[item["name"] for item in c["checkItems"]] for c in card["checklists"]]


def titles_of(card: Json) -> list[str]:
    return [c["name"] for c in card["checklists"]]


__all__ = [
    "CHECKLISTS",
    "DESC",
    "PHRASE",
    "SAFE",
    "TITLE",
    "P",
    "Script",
    "add",
    "answer",
    "card",
    "checklist",
    "create",
    "items_of",
    "latest",
    "only",
    "results",
    "spoken",
    "then_good",
    "titles_of",
    "together",
]
