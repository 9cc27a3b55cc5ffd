"""One run before anybody is asked anything: what is decided already, and what is begun because it takes time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from tools.brief import Brief
from tools.clock import Clock, spawn
from tools.console import Console
from tools.deadline import Deadline
from tools.errors import Failure
from tools.kinds import PROMPTS, load_kind
from tools.language import guess
from tools.prompt import Words
from tools.settings import Settings

if TYPE_CHECKING:
    from tools.model import Ollama


@dataclass
class Errand:
    """One run: what was asked for, how long it may take, where it speaks."""

    settings: Settings
    console: Console
    clock: Clock
    deadline: Deadline
    brief: Brief
    words: Words
    model: Future[Ollama] | None = None


@contextlib.contextmanager
def prepare(settings: Settings, console: Console, clock: Clock, deadline: Deadline, now: datetime) -> Iterator[Errand]:
    """Put together what is decided, and begin what takes time."""
    kind = load_kind(settings.agent, (settings.config_dir / "agents", PROMPTS / "agents"))
    plain = guess(settings.phrase)
    brief = Brief(
        phrase=settings.phrase,
        kind=kind,
        language=plain or "pt",
        phrase_language=plain,
        board=settings.board,
        list_id="0" * 24,
        list_name=settings.list_name,
        due=deadline.due,
        due_is_fixed=deadline.is_fixed,
        now=now,
        tz=settings.tz,
    )
    errand = Errand(settings, console, clock, deadline, brief, Words(kind, brief.language))
    if settings.mode != "outline":
        errand.model = spawn(partial(check_model, errand))
        if settings.mode == "react":
            spawn(partial(load_libraries, errand.model))
    try:
        yield errand
    finally:
        if errand.model is not None:
            errand.model.add_done_callback(close_model)


def close_model(model: Future[Ollama]) -> None:
    """Close the connections of a model that was found, also when the run was over before it was."""
    if model.exception() is None:
        model.result().close()


def load_libraries(model: Future[Ollama]) -> None:
    """Import what a conversation needs while other things are waited for, if there is a model to talk to."""
    if model.exception() is not None:
        return
    import langchain_ollama  # noqa: F401
    import langgraph.prebuilt  # noqa: F401


def check_model(errand: Errand) -> Ollama:
    """Return the model, found to be local, there, and able to do what the mode needs."""
    from tools.hosts import ollama_host
    from tools.model import Ollama

    settings = errand.settings
    host = ollama_host(settings.ollama_host, allow_remote=settings.allow_remote)
    log = errand.console.log
    progress = errand.console.progress
    ollama = Ollama(host, settings.model, errand.clock, temperature=settings.temperature, log=log, progress=progress)
    try:
        ollama.check(tools=settings.mode == "react", allow_remote=settings.allow_remote)
    except Failure:
        ollama.close()
        raise
    return ollama


def asked(errand: Errand) -> Ollama:
    """Return the model, once it is known that it may and can be asked.

    Raises:
        ModelUnavailable: When the time is up before that is known, or the model is not to be had.
    """
    assert errand.model is not None, "only the modes that ask a model ask for one"
    return errand.clock.result_of(errand.model)
