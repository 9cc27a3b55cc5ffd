"""What the hostile tests share: an option for a real model, and no waiting."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--live", metavar="MODEL", default=None, help="ask this model of the Ollama at OLLAMA_HOST")
