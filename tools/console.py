"""The terminal: the result on standard output, everything else on standard error, and no secret on either."""

from __future__ import annotations

import contextlib
import io
import json
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
            _write(self._err, self._redacted(text) + "\n")

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

    def result(self, text: str, data: dict[str, Any], *, markdown: bool = False) -> None:
        """Write the result: the text, or the JSON object."""
        self.progress("")
        if self.as_json:
            text = json.dumps(data, ensure_ascii=False) + "\n"
        elif markdown and _is_terminal(self._out):
            return self._rendered(text)
        _write(self._out, self._redacted(text))
        return None

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
            _write(self._err, json.dumps({"exit": status, "error": what, "hint": hint}, ensure_ascii=False) + "\n")

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


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty()
