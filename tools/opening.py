"""Trello or the sandbox, and the ledger: opened for one run, and closed whatever comes."""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections.abc import Iterator

from tools.addresses import board_reference
from tools.clock import Clock
from tools.console import Console
from tools.dates_resolve import zone_of
from tools.errors import UsageFailure
from tools.ledger import Ledger
from tools.sandbox import Sandbox
from tools.settings import SANDBOX, Settings, check_credentials
from tools.trello import TrelloClient
from tools.wire import Access


@contextlib.contextmanager
def open_trello(settings: Settings, console: Console, clock: Clock) -> Iterator[tuple[TrelloClient, Ledger, str]]:
    """Open the ledger, and Trello or the sandbox, and say which board of it is meant."""
    with contextlib.ExitStack() as stack:
        if settings.is_sandbox:
            credentials = (secrets.token_hex(16), secrets.token_hex(32))  # nobody else is to use the port
            sandbox = Sandbox(settings.state_dir / SANDBOX, zone=zone_of(settings.tz), credentials=credentials)
            stack.enter_context(opened(sandbox))
            access, board = Access(sandbox.base_url, *credentials), sandbox.board_id
        else:
            check_credentials(settings)
            access = Access(settings.trello_url, settings.key, settings.token, settings.proxy, settings.ca_bundle)
            board = "" if settings.undo is not None else board_reference(settings.board)
        ledger = stack.enter_context(contextlib.closing(Ledger(settings.state_dir)))
        client = TrelloClient(access, clock, pace=ledger.pace, log=console.log)
        yield stack.enter_context(contextlib.closing(client)), ledger, board


@contextlib.contextmanager
def opened(sandbox: Sandbox) -> Iterator[None]:
    """Serve the sandbox; what is wrong with its files is told as the user's to mend."""
    try:
        with sandbox:
            yield
    except (OSError, sqlite3.Error) as error:
        hint = "check its permissions and space, or move it away for a new one"
        raise UsageFailure(f"the sandbox in {sandbox.directory} cannot be used: {error}", hint) from error
