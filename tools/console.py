"""The terminal: the result on standard output, everything else on standard error, and no secret on either."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from tools.text import clean


class Console:
    """Where a run speaks.

    Args:
        as_json: Whether the result is one JSON object.
        verbose: Whether each turn and request is told.
    """

    def __init__(self, *, as_json: bool = False, verbose: bool = False) -> None:
        self.as_json, self.verbose = as_json, verbose
        self.warnings: list[str] = []
        self._secrets: tuple[str, ...] = ()
        self._status: Any = None
        self._out, self._err = _writable(sys.stdout), _writable(sys.stderr)

    def keep_secret(self, *secrets: str) -> None:
        """Never write these, wherever they come from."""
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 4)

    def _redacted(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "•••")
        return clean(text)

    def say(self, text: str) -> None:
        """Tell the user something, on standard error."""
        with self._without_status():
            put(self._err, self._redacted(text) + "\n")

    def warn(self, text: str) -> None:
        """Tell the user something that may want mending; it is in the JSON result too."""
        text = self._redacted(" ".join(text.split()))
        if text not in self.warnings:
            self.warnings.append(text)
            self.say(f"warning: {text}")

    def log(self, text: str) -> None:
        """Tell what happens inside, with ``--verbose``."""
        if self.verbose:
            self.say(text)

    def result(self, text: str, data: dict[str, Any], *, markdown: bool = False) -> bool:
        """Write the result: the text, or the JSON object; return whether it could be written."""
        self.progress("")
        if markdown and not self.as_json and _is_terminal(self._out):
            self._rendered(text)
            return True
        return put(self._out, _json_line(data, self._out) if self.as_json else self._redacted(text))

    def _rendered(self, text: str) -> None:
        from rich.console import Console as Terminal
        from rich.markdown import Markdown

        Terminal(file=self._out).print(Markdown(self._redacted(text), hyperlinks=False))

    def fail(self, status: int, what: str, hint: str) -> None:
        """Write an error in one or two lines, and as the last line of JSON where that is asked for."""
        self.progress("")
        what, hint = self._redacted(" ".join(what.split())), self._redacted(" ".join(hint.split()))
        self.say(f"error: {what}" + (f"\nhint: {hint}" if hint else ""))
        if self.as_json:
            put(self._err, _json_line({"exit": status, "error": what, "hint": hint}, self._err))

    def progress(self, text: str) -> None:
        """Show what is being done, on a terminal only; an empty text ends it."""
        if self._status is not None and not text:
            self._status.stop()
            self._status = None
        elif text and _is_terminal(self._err) and not self.verbose:
            if self._status is None:
                from rich.console import Console as Terminal

                self._status = Terminal(file=self._err).status("", spinner="dots")
                self._status.start()
            self._status.update(self._redacted(text).replace("[", "\\["))

    @contextlib.contextmanager
    def _without_status(self) -> Iterator[None]:
        if self._status is not None:
            self._status.stop()
        yield
        if self._status is not None:
            self._status.start()


def _writable(stream: TextIO | None) -> TextIO:
    """Return a stream that any text can be written to, also where there is none or its encoding is narrow."""
    if stream is None:
        return io.StringIO()
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def put(stream: TextIO, text: str) -> bool:
    """Write at once and return whether that worked: a pipe may be closed by its reader, a disk full."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        _give_up(stream)
        return False
    return True


def _give_up(stream: TextIO) -> None:
    """Point a stream that cannot be written at nothing, or what is left in its buffer fails once more at the exit."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _json_line(data: dict[str, Any], stream: TextIO) -> str:
    """Return one line of JSON; in ASCII where the stream's encoding could not hold it, as JSON is UTF-8 or that."""
    wide = (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(data, ensure_ascii=not wide) + "\n"


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty()
