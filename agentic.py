"""Trello Agentic: one phrase in a terminal becomes one complete Trello card, written by a model on your own machine.

    phrase -> Settings -> writer (react | plan | outline) -> Card -> Publisher -> Receipt -> url on standard output

The model writes and the code decides: ids, dates, urls, order, limits and whether it worked come from ``tools/``.
Nothing heavy is imported until it is known that there is work to do.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from tools import TOOLS, errors
from tools.console import Console
from tools.options import build_parser, command_line, read_stdin
from tools.settings import Settings, check_trello_url, forbid_tracing, process_environ, read_settings

if TYPE_CHECKING:
    from tools.card import Card, Receipt
    from tools.clock import Clock
    from tools.conversation import Conversation
    from tools.desk import Desk
    from tools.errand import Errand
    from tools.ledger import Ledger, Task
    from tools.model import Ollama
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
    errors.Unexpected: ExitStatus.UNUSABLE_CARD,
}


def status_of(failure: errors.Failure) -> ExitStatus:
    """Return the exit code of a failure."""
    return next(STATUS[cls] for cls in type(failure).__mro__ if cls in STATUS)


# The ways to write a card. Each is given a board; only the first uses it while it writes.


def write_react(errand: Errand, board: Board) -> Card:
    """Let the model write the card with the five tools, and complete as a plan what it leaves undone."""
    from tools.clock import spawn
    from tools.conversation import Conversation
    from tools.desk import Desk
    from tools.errand import asked
    from tools.guards import ConversationOver
    from tools.plan import ask_title
    from tools.schema import read_tool

    ollama = asked(errand)
    spawn(ollama.load)  # while the libraries are imported
    tools = [read_tool(function) for function in TOOLS]
    desk = Desk(
        errand.brief,
        board,
        errand.words,
        {tool.name: tool for tool in tools},
        errand.clock,
        plan_title=lambda: ask_title(errand.brief, errand.words, ollama.write, errand.console.log),
        warn=errand.console.warn,
    )
    conversation = Conversation(desk, ollama.model, errand.deadline.words)
    try:
        conversation.hold(build_agent(conversation, desk, ollama, errand.console))
    except (ConversationOver, errors.UnusableCard) as over:
        errand.console.log(f"conversation over: {over}")
        if desk.receipt is None:
            raise errors.UnusableCard(f"no card came of it: {over}", OTHER_MODEL) from over
    except errors.ModelUnavailable as failure:
        if any(lack.must for lack in desk.lacks()):
            raise
        errand.console.warn(f"{failure.what}; the card was whole by then")
        return desk.card
    return finish_by_plan(errand, desk, board)


def build_agent(conversation: Conversation, desk: Desk, ollama: Ollama, console: Console) -> Any:
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


def finish_by_plan(errand: Errand, desk: Desk, board: Board) -> Card:
    """Ask once, as a plan, for what a conversation left out, and put it on the board."""
    from dataclasses import replace

    from tools.card import Card
    from tools.errand import asked
    from tools.plan import card_in_text, complete, fitted

    missing = [lack for lack in desk.lacks() if lack.must or lack.code == "few_items"]
    if not missing:
        return desk.card
    errand.console.log(f"completing as a plan: {', '.join(lack.code for lack in missing)}")
    fresh = desk.receipt is None
    draft = desk.draft if desk.attempted else card_in_text(desk.said, errand.brief)
    if fresh and draft == Card():
        raise errors.UnusableCard("no card came of it: the model never called create_card", OTHER_MODEL)
    card = replace(draft, due=draft.due or errand.brief.due) if fresh else desk.card
    try:
        card = fitted(complete(card, errand.brief, errand.words, asked(errand).write, calls=1, may_replace=fresh).card)
    except (errors.ModelUnavailable, errors.UnusableCard) as failure:
        if any(lack.must for lack in missing):
            raise
        errand.console.warn(f"the card could not be completed: {failure.what}")
    check_card(errand, card, must_only=True)
    board.ensure(card)
    return card


def write_plan(errand: Errand, board: Board) -> Card:
    """Have the model write the card as one JSON object, and mend what did not pass."""
    from dataclasses import replace

    from tools.card import Card
    from tools.deadline import planned_due
    from tools.errand import asked
    from tools.plan import PLAN_CALLS, complete, fitted

    brief, console = errand.brief, errand.console
    planned = complete(Card(), brief, errand.words, asked(errand).write, calls=PLAN_CALLS, may_replace=True)
    due = brief.due
    if not brief.due_is_fixed:
        due = planned_due(planned.due_words, now=brief.now, tz=brief.tz, say=console.say, warn=console.warn)
    return replace(fitted(planned.card), due=due)


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


def write(errand: Errand, mode: str, board: Board) -> Card:
    """Write the card in a mode, and let it pass or not."""
    card = WRITERS[mode](errand, board)
    check_card(errand, card)
    return card


def check_card(errand: Errand, card: Card, *, must_only: bool = False) -> None:
    """Let a card pass that has what it must have; say what it should have, or refuse that too with ``--strict``.

    Raises:
        UnusableCard: When the card may not stay on a board.
    """
    from tools.card import lacks
    from tools.prompt import Words

    english = Words(errand.brief.kind, errand.brief.language, prompt="en")
    found = lacks(card, errand.brief.kind, errand.brief.phrase, errand.brief.phrase_language)
    bad = [lack for lack in found if lack.must or (errand.settings.strict and not must_only)]
    if bad:
        raise errors.UnusableCard(f"the model did not write a whole card: {english.lacks(bad)}", OTHER_MODEL)
    for lack in () if must_only else found:
        errand.console.warn(english.lacks([lack]))


OTHER_MODEL = "try again, try --mode plan, or another model with --model"


# A run, from what was asked for to a receipt.


class Outcome(NamedTuple):
    """What a run came to: a receipt of a card on a board, or only a card, of a dry run."""

    card: Card | None
    receipt: Receipt | None
    run_id: str | None
    due_line: str = ""
    due: str = ""
    archived: bool = False


def run(settings: Settings, console: Console, clock: Clock) -> Outcome:
    """Do what the command line asks for."""
    if settings.undo is not None:
        return undo_run(settings, console, clock)
    from tools.deadline import decide_deadline, local_now

    now, say, warn = local_now(settings.tz), console.say, console.warn
    deadline = decide_deadline(settings.phrase, settings.due, now=now, tz=settings.tz, say=say, warn=warn)
    from tools.errand import prepare  # not before: a deadline that is refused costs no more imports

    with prepare(settings, console, clock, deadline, now) as errand:
        lowest(errand, lambda: check_trello_url(settings))
        if settings.dry_run:
            from tools.publish import NoBoard

            card = with_fallback(errand, lambda mode: write(errand, mode, NoBoard()))
            return Outcome(card, None, None, errand.deadline.line)
        from tools.opening import open_trello

        with open_trello(settings, console, clock) as (client, ledger, board):
            target = lowest(errand, lambda: find_place(errand, client, board))
            return publish_once(errand, client, ledger, target)


def lowest(errand: Errand, check: Callable[[], T]) -> T:
    """Do something while the model is checked; when both fail, the lower exit code is told."""
    from tools.errand import asked

    try:
        return check()
    except errors.Failure as failure:
        if errand.model is None or errand.settings.fallback or status_of(failure) < ExitStatus.MODEL_UNAVAILABLE:
            raise
        try:
            asked(errand)
        except errors.Failure as other:
            raise min(failure, other, key=status_of) from None
        raise


def with_fallback(errand: Errand, make: Callable[[str], T]) -> T:
    """Make something in the mode asked for; where the model is not to be had, with ``--fallback``, without it."""
    try:
        return make(errand.settings.mode)
    except errors.ModelUnavailable as failure:
        if not errand.settings.fallback:
            raise
        errand.console.warn(f"{failure.what}: the outline is used instead")
        if not errand.clock.left_s():
            errand.clock = errand.clock.extended()
        return make(errand.settings.fallback)


def find_place(errand: Errand, client: TrelloClient, board: str) -> Target:
    """Find the list; on the sandbox, DEFAULT_LIST may be the name of one that only the user's own board has."""
    from dataclasses import replace

    from tools.target import find_target

    settings = errand.settings
    try:
        target = find_target(client, board, settings.list_name)
    except errors.UsageFailure:
        if settings.list_is_flag or not settings.is_sandbox:
            raise
        target = find_target(client, board, "")
    errand.brief = replace(errand.brief, list_id=target.place.list_id, list_name=target.list_name)
    return target


def publish_once(errand: Errand, client: TrelloClient, ledger: Ledger, target: Target) -> Outcome:
    """Put one card on the board, whatever earlier runs of the same task did or are doing."""
    from tools.ledger import Task
    from tools.once import hold, just_made, settle_interrupted
    from tools.publish import Publisher

    settings, console, place = errand.settings, errand.console, target.place
    words, due = errand.deadline.words, errand.deadline.due
    task = Task(settings.phrase, settings.board, place.board_id, place.list_id, words, due)
    within_s = 0.0 if settings.force else settings.within_s

    def publisher_of(run_id: str) -> Publisher:
        own = client.with_clock(errand.clock)
        publisher = Publisher(own, ledger, run_id, place, within_s=within_s, warn=console.warn)
        publisher.progress = lambda done, total: console.progress(f"publishing {done}/{total}")
        return publisher

    with hold(ledger, task, errand.clock):
        earlier = settle_interrupted(
            ledger, publisher_of, task, within_s=settings.within_s, remove=settings.force, say=console.say
        ) or just_made(ledger, client, task, within_s)
        if earlier:
            run_id, receipt = earlier
            if not receipt.created:
                console.say("the card is there already; --force makes another")
            return Outcome(None, receipt, run_id, due=due)
        return with_fallback(errand, lambda mode: publish(errand, mode, ledger, task, publisher_of))


def publish(errand: Errand, mode: str, ledger: Ledger, task: Task, publisher_of: Callable[[str], Publisher]) -> Outcome:
    """Write a card in a mode and put it on the board, under a recorded run: all of it, or nothing."""
    from tools.card import as_json
    from tools.errand import asked
    from tools.publish import AlreadyThere

    model = asked(errand).name if mode != "outline" else ""
    publisher = publisher_of(ledger.begin(task, mode, model))
    try:
        with publisher.all_or_nothing():
            card = write(errand, mode, publisher)
            if publisher.receipt is None:
                ledger.note_plan(publisher.run_id, as_json(card))
            receipt = publisher.ensure(card)
    except AlreadyThere as there:
        errand.console.say("a card of this title was just made on this list; --force makes another")
        return Outcome(None, there.receipt, publisher.run_id, due=task.due)
    return Outcome(card, receipt, publisher.run_id)


def undo_run(settings: Settings, console: Console, clock: Clock) -> Outcome:
    """Archive the card of the last run, or of the one named."""
    from tools.ledger import Ledger
    from tools.once import run_to_undo, undo
    from tools.opening import open_trello

    check_trello_url(settings)
    with contextlib.closing(Ledger(settings.state_dir)) as ledger:
        last = run_to_undo(ledger, settings.undo or "")
    with open_trello(settings._replace(board=last.board), console, clock) as (client, ledger, _):
        receipt = undo(ledger, client, last, force=settings.force)
    console.say("archived")
    return Outcome(None, receipt, last.id, due=last.due, archived=True)


# The command line.


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; the only place that maps errors to codes and prints them."""
    arguments = command_line() if argv is None else list(argv)
    console = Console(as_json="--json" in arguments, verbose=bool({"-v", "--verbose"} & set(arguments)))
    try:
        flags = build_parser(__version__).parse_args(arguments)
        settings = read_settings(flags, process_environ(), read_stdin, console.keep_secret)
        forbid_tracing()
        from tools.clock import Clock, stopped_by_signals

        clock = Clock(settings.timeout_s)
        with stopped_by_signals(clock):
            if settings.runs:
                from tools.history import list_runs

                list_runs(settings, console)
            else:
                show(run(settings, console, clock), console)
    except (Exception, KeyboardInterrupt) as error:
        failure = failure_of(error)
        if console.verbose:
            import traceback

            console.say("".join(traceback.format_exception(error)))
        console.fail(status_of(failure), failure.what, failure.hint)
        return status_of(failure)
    return ExitStatus.OK


def failure_of(error: BaseException) -> errors.Failure:
    """Return an error as one the user is told about: a traceback is no answer, whatever happened."""
    if isinstance(error, errors.Failure):
        return error
    return errors.Interrupted() if isinstance(error, KeyboardInterrupt) else errors.Unexpected(error)


def show(outcome: Outcome, console: Console) -> None:
    """Write the result on standard output."""
    from tools.card import as_json, as_markdown

    card, receipt = outcome.card, outcome.receipt
    named = receipt or card
    data: dict[str, Any] = {
        "url": receipt.url if receipt else None,
        "id": receipt.card_id if receipt else None,
        "run": outcome.run_id,
        "title": named.title if named else None,
        "due": (card.due if card else outcome.due) or None,
        "created": bool(receipt and receipt.created),
        "warnings": console.warnings,
    } | ({"archived": True} if outcome.archived else {})
    if receipt is not None:
        if not console.result(receipt.url + "\n", data):
            console.say(f"warning: standard output cannot be written; the card is {receipt.url}")
    elif card is not None:
        text = as_markdown(card, due_line=outcome.due_line)
        if not console.result(text, {**data, "card": as_json(card)}, markdown=True):
            raise errors.UsageFailure(
                "standard output cannot be written", "see where it goes: a full disk, a closed pipe"
            )


def command() -> NoReturn:
    """Run as a program: the entry point ``agentic``."""
    sys.exit(main())


if __name__ == "__main__":
    command()
