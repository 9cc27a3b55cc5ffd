"""Trello Agentic: one phrase in a terminal becomes one complete Trello card, written by a model on your own machine.

    phrase -> Settings -> writer (react | plan | outline) -> Card -> Publisher -> Receipt -> url on standard output

The model writes and the code decides: ids, dates, urls, order, limits and whether it worked come from ``tools/``.
Nothing heavy is imported until it is known that there is work to do.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from tools import TOOLS, errors
from tools.card import Card, Receipt, as_json, as_markdown, lacks
from tools.clock import Clock, OutOfTime, spawn
from tools.console import Console
from tools.settings import MODES, SANDBOX, Settings, check_credentials, process_environ, read_settings

if TYPE_CHECKING:
    from tools.deadline import Deadline
    from tools.desk import Brief
    from tools.ledger import Ledger, Task
    from tools.model import Ollama
    from tools.prompt import Words
    from tools.publish import Board, Publisher
    from tools.target import Target
    from tools.trello import TrelloClient

__version__ = "0.1.0"

T = TypeVar("T")


class ExitStatus(IntEnum):
    """What the exit code says; the README has the table for users."""

    OK = 0
    UNUSABLE_CARD = 1
    USAGE = 2
    CREDENTIALS_REFUSED = 3
    MODEL_UNAVAILABLE = 4
    TRELLO_UNAVAILABLE = 5
    LEFT_BEHIND = 6
    FORBIDDEN = 7
    INTERRUPTED = 130


# The exit code of each leaf of the tree in tools/errors.py. When several things are wrong at once, the lowest wins.
STATUS: dict[type[errors.Failure], ExitStatus] = {
    errors.UnusableCard: ExitStatus.UNUSABLE_CARD,
    errors.UsageFailure: ExitStatus.USAGE,
    errors.CredentialsRefused: ExitStatus.CREDENTIALS_REFUSED,
    errors.ModelUnavailable: ExitStatus.MODEL_UNAVAILABLE,
    errors.TrelloUnavailable: ExitStatus.TRELLO_UNAVAILABLE,
    errors.LeftBehind: ExitStatus.LEFT_BEHIND,
    errors.Forbidden: ExitStatus.FORBIDDEN,
    errors.Interrupted: ExitStatus.INTERRUPTED,
}


def status_of(failure: errors.Failure) -> ExitStatus:
    """Return the exit code of a failure."""
    return next(STATUS[cls] for cls in type(failure).__mro__ if cls in STATUS)


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


# The ways to write a card. Each is given a board; only the first uses it while it writes.


def write_react(errand: Errand, board: Board) -> Card:
    """Let the model write the card with the five tools, and complete as a plan what it leaves undone."""
    from tools.conversation import Conversation
    from tools.desk import Desk
    from tools.guards import ConversationOver
    from tools.plan import ask_title
    from tools.schema import read_tool

    ollama = asked(errand)
    desk = Desk(
        errand.brief,
        board,
        errand.words,
        {tool.name: tool for tool in map(read_tool, TOOLS)},
        errand.clock,
        plan_title=partial(ask_title, errand.brief, errand.words, ollama.write),
        warn=errand.console.warn,
    )
    conversation = Conversation(desk, ollama.model, errand.deadline.words)
    try:
        conversation.hold(build_agent(conversation, desk, ollama, errand.console))
    except (ConversationOver, errors.UnusableCard) as over:
        errand.console.log(f"conversation over: {over}")
        if desk.receipt is None:
            raise errors.UnusableCard(f"no card came of it: {over}", _OTHER_MODEL) from over
    except errors.ModelUnavailable as failure:
        if any(lack.must for lack in desk.lacks()):
            raise
        errand.console.warn(f"{failure.what}; the card was whole by then")
        return desk.card
    return finish_by_plan(errand, desk, board)


def build_agent(conversation: Any, desk: Any, ollama: Ollama, console: Console) -> Any:
    """Build the graph: ``create_react_agent`` over ChatOllama, whose requests go through our own transport.

    The agent warns that it will move to another package; the pin in pyproject.toml keeps it, and the warning is not
    the user's business.
    """
    import warnings

    from langchain_ollama import ChatOllama
    from langgraph.prebuilt import ToolNode, create_react_agent
    from langgraph.warnings import LangGraphDeprecatedSinceV10

    from tools.model import ChatTransport

    def dropped(arguments: Sequence[str]) -> None:
        for argument in arguments:
            console.warn(f"the model gave an argument that no tool takes; it was dropped ({argument})")

    model = ChatOllama(
        model=ollama.name,
        base_url=ollama.host.url,
        reasoning=ollama.model.think,
        disable_streaming=True,
        client_kwargs={"transport": ChatTransport(ollama, desk.tools, dropped), "trust_env": False},
    )
    node = ToolNode(conversation.tools(), handle_tool_errors=False, wrap_tool_call=conversation.serve)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LangGraphDeprecatedSinceV10)
        return create_react_agent(model, node, prompt=conversation.system, pre_model_hook=conversation.before_model)


def finish_by_plan(errand: Errand, desk: Any, board: Board) -> Card:
    """Ask once, as a plan, for what a conversation left out, and put it on the board."""
    from tools.plan import complete, fitted

    missing = [lack for lack in desk.lacks() if lack.must or lack.code == "few_items"]
    if not missing:
        return desk.card  # type: ignore[no-any-return]
    errand.console.log(f"completing as a plan: {', '.join(lack.code for lack in missing)}")
    fresh = desk.receipt is None
    card: Card = replace(desk.card, due=errand.brief.due) if fresh else desk.card
    try:
        card = fitted(complete(card, errand.brief, errand.words, asked(errand).write, calls=1, may_replace=fresh).card)
    except errors.Failure as failure:
        if isinstance(failure, errors.Interrupted) or any(lack.must for lack in missing):
            raise
        errand.console.warn(f"the card could not be completed: {failure.what}")
    check_card(errand, card, must_only=True)
    board.ensure(card)
    return card


def write_plan(errand: Errand, board: Board) -> Card:
    """Have the model write the card as one JSON object, and mend what did not pass."""
    from tools.plan import PLAN_CALLS, complete, fitted

    planned = complete(Card(), errand.brief, errand.words, asked(errand).write, calls=PLAN_CALLS, may_replace=True)
    return replace(fitted(planned.card), due=errand.brief.due or planned_due(errand, planned.due_words))


def planned_due(errand: Errand, words: str) -> str:
    """Return the due date that a plan names in words, where the user named none."""
    from tools.dates import DueError, parse_due

    if errand.deadline.is_fixed or not words.strip():
        return ""
    try:
        due = parse_due(words, now=errand.brief.now, tz=errand.brief.tz)
    except DueError as error:
        errand.console.warn(f"the model named a deadline that is not one ({error}): no due date is set")
        return ""
    if "past" in due.flags:
        errand.console.warn(f"the model named a deadline that is past ({due.rfc3339}): no due date is set")
        return ""
    errand.console.say(due.echo())
    return due.rfc3339


def write_outline(errand: Errand, board: Board) -> Card:
    """Write the card from the outline of its kind."""
    from tools.outline import outline

    errand.console.say("no model wrote this card: it is the outline of its kind, to be refined (--mode outline)")
    return outline(errand.brief, span=errand.deadline.span)


WRITERS: Mapping[str, Callable[[Errand, Board], Card]] = {
    "react": write_react,
    "plan": write_plan,
    "outline": write_outline,
}


def check_card(errand: Errand, card: Card, *, must_only: bool = False) -> None:
    """Let a card pass that has what it must have; say what it should have, or refuse that too with ``--strict``.

    Raises:
        UnusableCard: When the card may not stay on a board.
    """
    from tools.prompt import Words

    english = Words(errand.brief.kind, "en")
    found = lacks(card, errand.brief.kind, errand.brief.phrase, errand.brief.phrase_language)
    bad = [lack for lack in found if lack.must or (errand.settings.strict and not must_only)]
    if bad:
        raise errors.UnusableCard(f"the model did not write a whole card: {english.lacks(bad)}", _OTHER_MODEL)
    for lack in () if must_only else found:
        errand.console.warn(english.lacks([lack]))


_OTHER_MODEL = "try again, try --mode plan, or another model with --model"


def asked(errand: Errand) -> Ollama:
    """Return the model, once it is known that it may and can be asked."""
    assert errand.model is not None, "only the modes that ask a model ask for one"
    return errand.clock.result_of(errand.model)


# A run, from what was asked for to a receipt.


@dataclass(frozen=True)
class Outcome:
    """What a run came to: a receipt of a card on a board, or only a card, of a dry run."""

    card: Card | None
    receipt: Receipt | None
    run_id: str | None
    due_line: str = ""


def run(settings: Settings, console: Console, clock: Clock, now: Callable[[str], datetime]) -> Outcome:
    """Do what the command line asks for."""
    if settings.undo is not None:
        return undo_run(settings, console, clock)
    errand = prepare(settings, console, clock, now(settings.tz))
    if settings.dry_run:
        return dry_run(errand)
    from tools.ledger import Ledger

    ledger = Ledger(settings.state_dir)
    with open_trello(settings, console, clock, ledger) as (client, board):
        target = find_place(errand, client, board)
        return publish_once(errand, client, ledger, target, board)


def prepare(settings: Settings, console: Console, clock: Clock, now: datetime) -> Errand:
    """Decide what can be decided without asking anybody, and begin what takes time."""
    from tools.deadline import decide_deadline
    from tools.desk import Brief
    from tools.kinds import load_kind
    from tools.language import guess
    from tools.prompt import Words

    say, warn = console.say, console.warn
    deadline = decide_deadline(settings.phrase, settings.due, now=now, tz=settings.tz, say=say, warn=warn)
    kind = load_kind(settings.agent, settings.kinds_dirs)
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
            spawn(load_libraries)
    return errand


def load_libraries() -> None:
    """Import what a conversation needs while other things are waited for."""
    import langchain_ollama  # noqa: F401
    import langgraph.prebuilt  # noqa: F401


def check_model(errand: Errand) -> Ollama:
    """Return the model, found to be local, there, and able to do what the mode needs."""
    from tools.hosts import ollama_host
    from tools.model import Ollama

    settings = errand.settings
    host = ollama_host(settings.ollama_host, allow_remote=settings.allow_remote)
    log = errand.console.log
    ollama = Ollama(host, settings.model, errand.clock, temperature=settings.temperature, log=log)
    ollama.check(tools=settings.mode == "react", allow_remote=settings.allow_remote)
    return ollama


def dry_run(errand: Errand) -> Outcome:
    """Write the card and touch nothing."""
    from tools.publish import NoBoard

    card = with_fallback(errand, lambda mode: write_and_check(errand, mode, NoBoard()))
    return Outcome(card, None, None, errand.deadline.line)


def write_and_check(errand: Errand, mode: str, board: Board) -> Card:
    """Write the card in a mode, and let it pass or not."""
    if mode != "outline":
        ollama = asked(errand)
        errand.console.progress(f"loading {ollama.name}")
        spawn(ollama.load)
        errand.console.progress(f"writing ({ollama.name})")
    card = WRITERS[mode](errand, board)
    check_card(errand, card)
    return card


def with_fallback(errand: Errand, make: Callable[[str], T]) -> T:
    """Make something in the mode asked for; where the model is not to be had, with ``--fallback``, without it."""
    try:
        return make(errand.settings.mode)
    except errors.ModelUnavailable as failure:
        if not errand.settings.fallback:
            raise
        errand.console.warn(f"{failure.what}: the outline is used instead")
        if not errand.clock.left_s():
            errand.clock = errand.clock.for_cleanup()
        return make(errand.settings.fallback)


@contextlib.contextmanager
def open_trello(
    settings: Settings, console: Console, clock: Clock, ledger: Ledger
) -> Iterator[tuple[TrelloClient, str]]:
    """Open Trello, or the sandbox, and say which board of it is meant."""
    from tools.trello import Access, TrelloClient, board_reference

    if settings.is_sandbox:
        from tools.sandbox import Sandbox

        with Sandbox(settings.state_dir / SANDBOX) as sandbox:
            access = Access(sandbox.base_url, SANDBOX, SANDBOX)
            yield TrelloClient(access, clock, pace=ledger.pace, log=console.log), sandbox.board_id
            sandbox.write_page()
        return
    check_credentials(settings)
    access = Access(settings.trello_url, settings.key, settings.token, settings.proxy, settings.ca_bundle)
    board = board_reference(settings.board)
    yield TrelloClient(access, clock, pace=ledger.pace, log=console.log), board


def find_place(errand: Errand, client: TrelloClient, board: str) -> Target:
    """Find the list, while the model is checked; when both fail, the lower exit code is told."""
    from tools.target import find_target

    try:
        target = find_target(client, board, errand.settings.list_name)
    except errors.Failure as failure:
        if errand.model is None or errand.settings.fallback or status_of(failure) < ExitStatus.MODEL_UNAVAILABLE:
            raise
        asked(errand)
        raise
    errand.brief = replace(errand.brief, list_id=target.place.list_id, list_name=target.list_name)
    return target


def publish_once(errand: Errand, client: TrelloClient, ledger: Ledger, target: Target, board: str) -> Outcome:
    """Put one card on the board, whatever earlier runs of the same task did or are doing."""
    from tools.ledger import Task
    from tools.once import just_made, settle_interrupted
    from tools.publish import Publisher

    settings, console = errand.settings, errand.console
    place = target.place
    task = Task(
        settings.phrase, settings.board, place.board_id, place.list_id, errand.deadline.words, errand.deadline.due
    )
    within_s = 0.0 if settings.force else settings.within_s

    def publisher_of(run_id: str) -> Publisher:
        return Publisher(
            client.with_clock(errand.clock),
            ledger,
            run_id,
            place,
            within_s=within_s,
            warn=console.warn,
            progress=lambda done, total: console.progress(f"publishing {done}/{total}"),
        )

    with exclusive(ledger, task, errand.clock):
        finished = settle_interrupted(
            ledger, publisher_of, task, within_s=settings.within_s, remove=settings.force, say=console.say
        )
        if finished:
            return Outcome(None, finished[1], finished[0])
        made = just_made(ledger, client, task, within_s)
        if made:
            console.say("the card is there already; --force makes another")
            return Outcome(None, made[1], made[0].id)
        return with_fallback(errand, lambda mode: publish(errand, mode, ledger, task, publisher_of))


@contextlib.contextmanager
def exclusive(ledger: Ledger, task: Task, clock: Clock) -> Iterator[None]:
    """Hold the task alone; a run that waits for another longer than it may says so."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(ledger.exclusive(task, clock))
        except OutOfTime as error:
            what = "another run of the same phrase is still at work"
            raise errors.ModelUnavailable(what, "wait for it, or give this one more with --timeout") from error
        yield


def publish(errand: Errand, mode: str, ledger: Ledger, task: Task, publisher_of: Callable[[str], Publisher]) -> Outcome:
    """Write a card in a mode and put it on the board, under a recorded run: all of it, or nothing."""
    from tools.publish import AlreadyThere

    if mode != "outline":
        asked(errand)
    run_id = ledger.begin(task, mode, errand.settings.model if mode != "outline" else "")
    publisher = publisher_of(run_id)
    try:
        with publisher.all_or_nothing():
            card = write_and_check(errand, mode, publisher)
            if publisher.receipt is None:
                ledger.note_plan(run_id, as_json(card))
            receipt = publisher.ensure(card)
    except AlreadyThere as there:
        errand.console.say("a card of this title was just made on this list; --force makes another")
        return Outcome(None, there.receipt, run_id)
    return Outcome(card, receipt, run_id)


def undo_run(settings: Settings, console: Console, clock: Clock) -> Outcome:
    """Archive the card of the last run, or of the one named."""
    from tools.ledger import Ledger
    from tools.once import run_to_undo, undo

    ledger = Ledger(settings.state_dir)
    last = run_to_undo(ledger, settings.undo or "")
    with open_trello(replace(settings, board=last.board), console, clock, ledger) as (client, _):
        receipt = undo(ledger, client, last, force=settings.force)
    console.say("archived")
    return Outcome(None, receipt, last.id)


# The command line.


def build_parser() -> argparse.ArgumentParser:
    """Build the parser. Defaults are None: the environment and the .env files come after the flags."""
    parser = _Parser(
        prog="agentic",
        description="One phrase becomes one complete Trello card, written by a model on your own machine.",
        epilog="Credentials come from TRELLO_KEY and TRELLO_TOKEN in the environment or in .env, never from a flag.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("phrase", nargs="?", metavar="PHRASE", help="what is to be done, in quotes; - reads it from standard input")
    add("--board", help="board url or shortlink (DEFAULT_BOARD), or sandbox for a board on this machine")
    add("--list", help="visible name of an open list of the board (DEFAULT_LIST)")
    add("--due", help='deadline in words, such as "amanhã 18:00" or "sexta às 17h"')
    add("--mode", metavar="{" + ",".join(MODES) + "}", help="react: tools in a loop; plan: one JSON; outline: no model")
    add("--model", help="Ollama model (OLLAMA_MODEL; gpt-oss:20b)")
    add("--agent", default="task", metavar="KIND", help="kind of card: task, bug, or a file of your own (task)")
    add("--temperature", metavar="T", help="sampling temperature (LLM_TEMPERATURE; 0)")
    add("--dry-run", action="store_true", help="write the card and show it; touch nothing, no credentials needed")
    add("--json", action="store_true", help="one JSON object on standard output")
    add("--force", action="store_true", help="create even if the same card was just created")
    add("--within", metavar="TIME", help='how far back "just created" looks (AGENTIC_WITHIN; 15m)')
    add("--timeout", metavar="SECONDS", help="wall clock for the whole run (AGENTIC_TIMEOUT; 900)")
    add("--strict", action="store_true", help="what a card should have counts as what it must have (AGENTIC_STRICT)")
    add("--fallback", choices=["outline"], help="what to use where the model is not to be had")
    add("--allow-remote", action="store_true", help="let the phrase leave for a model that is not on your network")
    add("--demo", action="store_true", help="a board on this machine, and the model if one is ready")
    add("--undo", nargs="?", const="", metavar="RUN", help="archive the card of the last run, or of the one named")
    add("-v", "--verbose", action="store_true", help="every model turn and tool call on standard error")
    add("--version", action="version", version=f"agentic {__version__}")
    return parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise what ``main`` tells the user, instead of printing the whole usage."""
        loose = message.startswith("unrecognized arguments") and "--" not in message
        hint = 'put the phrase in quotes: agentic "corrigir o login"' if loose else "see agentic --help"
        raise errors.UsageFailure(message, hint)


def local_now(tz: str) -> datetime:
    """Return the naive local time in a zone: what today and now mean, whatever the machine's own zone."""
    from tools.dates import zone_of

    return datetime.now(UTC).astimezone(zone_of(tz)).replace(tzinfo=None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; the only place that maps errors to codes and prints them."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    console = Console(as_json="--json" in arguments, verbose=bool({"-v", "--verbose"} & set(arguments)))
    try:
        settings = read_settings(build_parser().parse_args(arguments), process_environ(), read_stdin)
        console.keep_secret(settings.key, settings.token)
        clock = Clock(settings.timeout_s)
        with stopped_by_signals(clock):
            outcome = run(settings, console, clock, local_now)
        show(outcome, settings, console)
    except errors.Failure as failure:
        if console.verbose:
            console.say(traceback.format_exc())
        console.fail(status_of(failure), failure.what, failure.hint)
        return status_of(failure)
    return ExitStatus.OK


def read_stdin() -> bytes:
    """Read standard input to its end; only for the phrase ``-``."""
    try:
        return sys.stdin.buffer.read(1 << 20)
    except (AttributeError, OSError, ValueError) as error:
        raise errors.UsageFailure("standard input cannot be read", "give the phrase as an argument") from error


@contextlib.contextmanager
def stopped_by_signals(clock: Clock) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP set the clock's stop flag; one that was ignored (nohup) stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in signals}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda *_: clock.stop.set())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(outcome: Outcome, settings: Settings, console: Console) -> None:
    """Write the result on standard output."""
    card, receipt = outcome.card, outcome.receipt
    data: dict[str, Any] = {
        "url": receipt.url if receipt else None,
        "id": receipt.card_id if receipt else None,
        "run": outcome.run_id,
        "title": receipt.title if receipt else card.title if card else None,
        "due": (card.due if card else "") or None,
        "created": bool(receipt and receipt.created),
        "warnings": console.warnings,
    }
    if receipt is None and card is not None:
        console.result(as_markdown(card, due_line=outcome.due_line), {**data, "card": as_json(card)}, markdown=True)
    elif receipt is not None:
        console.result(receipt.url + "\n", data)


def command() -> NoReturn:
    """Run as a program: the entry point ``agentic``."""
    sys.exit(main())


if __name__ == "__main__":
    command()
