"""find."""

from __future__ import annotations

from datetime import datetime, tzinfo

from tools.dates_resolve import Resolved
from tools.dates_text import Token


def find(phrase: str, tokens: list[Token], now: datetime, zone: tzinfo) -> tuple[Resolved, str] | None:
    return None
