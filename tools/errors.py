"""Every way a run can fail: one small tree, each leaf with one exit code (see ``ExitStatus`` in ``agentic.py``).

Failure
├── UnusableCard         the model did not produce a usable card
├── UsageFailure         flags, a due date, credentials missing, list or board not found
│   ├── NotThere         Trello knows no such thing
│   └── LedgerUnusable   the ledger cannot be read or written
├── CredentialsRefused   Trello refused the key, the token or the permission
├── ModelUnavailable     Ollama down, model not pulled, busy
│   └── OutOfTime        the wall clock of the run, or the patience for one answer, is used up
├── TrelloUnavailable    Trello not to be had
│   ├── TrelloRejected   Trello answered that it will not do this
│   └── AnswerLost       a write was sent and its answer never came: it may have been applied
├── LeftBehind           something of this run stays on the board
│   └── ChangedSince     because a person has changed it
├── Forbidden            a rule of the program says no
├── Interrupted          SIGINT, SIGTERM or SIGHUP
└── Unexpected           a fault of the program itself
"""

from __future__ import annotations


class Failure(Exception):
    """A failure the user is told about: what failed, and the flag, variable or command that mends it.

    Args:
        what: What failed, in one line.
        hint: What to do about it, in one line; may be empty.
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class UnusableCard(Failure):
    """The model did not produce a card that may stay on a board."""


class UsageFailure(Failure):
    """What the user gave cannot be used."""


class NotThere(UsageFailure):
    """Trello knows no such thing: 404, or an id that cannot be one."""


class LedgerUnusable(UsageFailure):
    """The ledger cannot be read or written."""


class CredentialsRefused(Failure):
    """Trello does not accept the key, the token, or what they are to do."""


class ModelUnavailable(Failure):
    """The model cannot be asked, or does not answer in time."""


class OutOfTime(ModelUnavailable):
    """The wall clock of the run, or the patience for one answer, is used up."""

    def __init__(self, what: str = "out of time while waiting for the model") -> None:
        super().__init__(what, "give it more with --timeout, or use a smaller model")


class TrelloUnavailable(Failure):
    """Trello cannot be reached, or does not answer in time."""


class TrelloRejected(TrelloUnavailable):
    """Trello answered a request with a refusal that repeating it would not change."""


class AnswerLost(TrelloUnavailable):
    """A request was sent and no usable answer came back: a write may or may not have been applied.

    Args:
        what: What failed, in one line.
        hint: What to do about it, when repeating does not help.
        wait_s: Seconds the server asked to wait before the next request; None when it did not say.
        silent: Whether nothing came at all: such a server is not asked as often.
        may_come_late: Whether a write may still be applied: the server had not finished with it.
    """

    def __init__(
        self,
        what: str,
        hint: str = "",
        *,
        wait_s: float | None = None,
        silent: bool = False,
        may_come_late: bool = False,
    ) -> None:
        super().__init__(what, hint or TRELLO_LATER)
        self.wait_s = wait_s
        self.silent = silent
        self.may_come_late = silent or may_come_late


class LeftBehind(Failure):
    """Something of this run is on the board and stays there.

    Args:
        what: What failed, in one line.
        hint: What to do about it.
        url: The url of what is left; empty when not even that is known.
    """

    def __init__(self, what: str, hint: str, url: str = "") -> None:
        super().__init__(what, hint)
        self.url = url


class ChangedSince(LeftBehind):
    """The card that was begun is a person's by now: it stays."""


class Forbidden(Failure):
    """A rule of the program refuses this."""


class Interrupted(Failure):
    """The user, or the system, asked the run to stop."""

    def __init__(self) -> None:
        super().__init__("interrupted", "")


class Unexpected(Failure):
    """Something the program did not foresee; what the run made is removed as after any other failure."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(
            f"unexpected {type(error).__name__}: {error}", "run it again with -v to see where, and report it"
        )


TRELLO_LATER = "try again later: nothing is made twice (status: https://trello.status.atlassian.com)"
