"""The command's flags."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from tools.console import put
from tools.errors import UsageFailure
from tools.settings import MODES
from tools.text import as_utf8


def build_parser(version: str) -> argparse.ArgumentParser:
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
    add("--runs", action="store_true", help="list the runs so far: done, interrupted at which step, removed")
    add("-v", "--verbose", action="store_true", help="every model turn and tool call on standard error")
    add("--version", action="version", version=f"agentic {version}")
    return parser


def command_line() -> list[str]:
    """Return the arguments of the process, read as UTF-8 whatever the locale."""
    return [as_utf8(argument) for argument in sys.argv[1:]]


class _Parser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or version; a pipe that is closed already, or no standard output at all, is no error."""
        if message and file is not None:
            put(file, message)

    def error(self, message: str) -> NoReturn:
        """Raise what ``main`` tells the user, instead of printing the whole usage."""
        loose = message.startswith("unrecognized arguments") and "--" not in message
        quoted = 'put the phrase, and what follows a flag, in quotes: agentic "corrigir o login" --due "amanhã 18:00"'
        hint = quoted if loose else "see agentic --help"
        raise UsageFailure(message, hint)


def read_stdin() -> bytes:
    """Read standard input to its end; only for the phrase ``-``."""
    try:
        return sys.stdin.buffer.read(1 << 20)
    except (AttributeError, OSError, ValueError) as error:
        raise UsageFailure("standard input cannot be read", "give the phrase as an argument") from error
