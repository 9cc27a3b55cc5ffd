"""The command as a process of its own: for signals, and for several at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.trello_server import Fault, FaultPlan

ROOT = Path(__file__).resolve().parent.parent


def start(*arguments: str, **environ: str) -> subprocess.Popen[str]:
    """Start the command with this process's environment."""
    command = [sys.executable, str(ROOT / "agentic.py"), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=os.environ | environ
    )


def finish(process: subprocess.Popen[str], timeout_s: float = 60.0) -> tuple[int, str, str]:
    """Wait for the end and return exit code, standard output and standard error."""
    out, err = process.communicate(timeout=timeout_s)
    return process.returncode, out, err


class Signaller:
    """Sends a signal to a process at one of its writes to Trello; a plan of faults that has none of its own.

    Args:
        nth: The write, counted from 1.
        number: The signal.
        fault: What happens to that write besides.
        late_s: How long after it the write is applied.
    """

    def __init__(self, nth: int, number: signal.Signals, fault: Fault | None = None, late_s: float = 0.0) -> None:
        self._nth, self._number, self._fault, self._late_s = nth, number, fault, late_s
        self._writes = 0
        self.sent_at = 0.0  # by the monotonic clock
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, method: str, path: str, body: dict[str, Any], nth: int) -> Fault | None:
        self._writes += method != "GET"
        if self._writes != self._nth or method == "GET" or self.process is None:
            return None
        self._nth = 0
        self.sent_at = time.monotonic()
        os.kill(self.process.pid, self._number)
        if self._number is signal.SIGKILL:
            self.process.wait()
        time.sleep(self._late_s)
        return self._fault


Plan = FaultPlan
