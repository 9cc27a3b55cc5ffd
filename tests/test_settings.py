"""What a run is told: which place wins, what is read from .env, and that each value is checked."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from tools.errors import UsageFailure
from tools.options import build_parser
from tools.settings import Settings, process_environ, read_settings

PHRASE = "corrigir o login"

pytestmark = pytest.mark.usefixtures("home")


def settings(*arguments: str, environ: dict[str, str] | None = None, stdin: bytes | None = None) -> Settings:
    def read() -> bytes:
        assert stdin is not None, "standard input was read"
        return stdin

    return read_settings(build_parser("0").parse_args([PHRASE, "--dry-run", *arguments]), environ or {}, read)


def write_env(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".env").write_text(text)


@pytest.fixture
def config(home: Path) -> Path:
    return home / "config" / "agentic"


VALUES: list[tuple[str, str, str, str]] = [  # field, flag, variable, and a value for it
    ("board", "--board", "DEFAULT_BOARD", "AbCd{}"),
    ("list_name", "--list", "DEFAULT_LIST", "Lista {}"),
    ("model", "--model", "OLLAMA_MODEL", "modelo:{}"),
    ("temperature", "--temperature", "LLM_TEMPERATURE", "0.{}"),
    ("timeout_s", "--timeout", "AGENTIC_TIMEOUT", "10{}"),
    ("within_s", "--within", "AGENTIC_WITHIN", "{}m"),
    ("ollama_host", "", "OLLAMA_HOST", "127.0.0.{}"),
    ("key", "", "TRELLO_KEY", "chave{}"),
    ("token", "", "TRELLO_TOKEN", "token{}"),
    ("trello_url", "", "TRELLO_API_URL", "http://127.0.0.{}/1"),
]


@pytest.mark.parametrize(("field", "flag", "variable", "value"), VALUES, ids=[row[0] for row in VALUES])
def test_flag_then_environment_then_here_then_the_users_directory(config, field, flag, variable, value):
    def is_now(nth: int, *arguments: str, **environ: str) -> None:
        expected = getattr(settings(environ={variable: value.format(nth)}), field)
        assert getattr(settings(*arguments, environ=environ), field) == expected

    unset = getattr(settings(), field)
    write_env(config, f"{variable}={value.format(1)}\n")
    assert getattr(settings(), field) != unset
    is_now(1)
    write_env(Path.cwd(), f"{variable}={value.format(2)}\n")
    is_now(2)
    is_now(3, **{variable: value.format(3)})
    is_now(2, **{variable: ""})  # set to nothing is not set
    if flag:
        is_now(4, flag, value.format(4), **{variable: value.format(3)})


@pytest.mark.parametrize(
    ("variable", "field", "default"),
    [
        ("LLM_TEMPERATURE", "temperature", 0.0),
        ("AGENTIC_TIMEOUT", "timeout_s", 900.0),
        ("AGENTIC_MODE", "mode", "react"),
    ],
)
def test_a_flag_that_equals_the_default_is_a_flag_all_the_same(variable, field, default):
    flag = {"temperature": "--temperature", "timeout_s": "--timeout", "mode": "--mode"}[field]
    other = {"mode": "plan"}.get(field, "1.5")
    given = settings(flag, str(default), environ={variable: other})
    assert getattr(given, field) == default


def test_the_environment_enters_as_the_variables_say(config):
    given = settings(environ={"AGENTIC_STRICT": "1", "AGENTIC_MODE": "plan", "AGENTIC_TZ": "-0300"})
    assert (given.strict, given.mode, given.tz) == (True, "plan", "-03:00")


PLANTED = {
    "HTTPS_PROXY": "http://10.0.0.1:3128", "https_proxy": "http://10.0.0.1:3128", "ALL_PROXY": "http://10.0.0.1",
    "REQUESTS_CA_BUNDLE": "/tmp/ca.pem", "SSL_CERT_FILE": "/tmp/ca.pem", "LANGSMITH_TRACING": "true", "HOME": "/tmp",
    "OLLAMA_API_KEY": "x", "PYTHONPATH": "/tmp", "AGENTIC_ALLOW_REMOTE": "1", "XDG_STATE_HOME": "/tmp", "PATH": "/tmp",
}  # fmt: skip


def test_a_planted_env_file_sets_nothing_but_the_programs_own_variables(config, home):
    before = dict(os.environ)
    write_env(Path.cwd(), "".join(f"{name}={value}\n" for name, value in PLANTED.items()) + "DEFAULT_LIST=Da pasta\n")
    given = settings()
    assert given.list_name == "Da pasta"
    assert (given.proxy, given.ca_bundle, given.allow_remote) == ("", "", False)
    assert given.state_dir == home / "state" / "agentic"
    assert dict(os.environ) == before


def test_nothing_in_an_env_file_is_expanded(monkeypatch):
    monkeypatch.setenv("SEGREDO", "do ambiente")
    write_env(Path.cwd(), "DEFAULT_LIST=${SEGREDO}\nDEFAULT_BOARD=$(id)\n")
    assert (settings().list_name, settings().board) == ("${SEGREDO}", "$(id)")


@pytest.mark.parametrize(
    "text",
    ["\ufeffDEFAULT_LIST=Concluído\r\n", "export DEFAULT_LIST='Concluído'  # nota\n", 'DEFAULT_LIST = "Concluído"\n'],
)
def test_an_env_file_as_people_write_it(text):
    write_env(Path.cwd(), text)
    assert settings().list_name == "Concluído"


def test_an_env_file_in_another_encoding_is_told(config):
    config.mkdir(parents=True)
    (config / ".env").write_bytes("DEFAULT_LIST=Concluído\n".encode("latin-1"))
    with pytest.raises(UsageFailure, match=r"\.env cannot be read"):
        settings()


def test_an_env_that_is_a_directory_or_a_pipe_is_not_read(config):
    (Path.cwd() / ".env").mkdir()
    config.mkdir(parents=True)
    os.mkfifo(config / ".env")
    assert settings().list_name == ""


def test_standard_input_is_read_for_a_hyphen_alone():
    assert settings().phrase == PHRASE
    flags = build_parser("0").parse_args(["-", "--dry-run"])
    assert (
        read_settings(flags, {}, lambda: "\ufeffcorrigir\r\no login\x1b[31m \x00".encode()).phrase
        == "corrigir\no login"
    )


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0), ("90s", 90), ("15m", 900), ("2h", 7200), ("7d", 604800), (" 1.5h ", 5400)]
)
def test_lengths_of_time(text, seconds):
    assert settings("--within", text).within_s == seconds


@pytest.mark.parametrize("text", ["15", "-1m", "m", "1 semana", "1h30m", "", "٣m", "9999999999s"])
def test_what_is_no_length_of_time(text):
    with pytest.raises(UsageFailure, match="--within"):
        settings(f"--within={text}")


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--timeout", "0"), ("--timeout", "inf"), ("--timeout", "-5"), ("--timeout", "15m"), ("--temperature", "2.1"),
     ("--temperature", "-0.1"), ("--temperature", "quente"), ("--model", ""), ("--model", "a" * 201),
     ("--model", "a\nb"), ("--mode", "React"), ("--mode", "")],
)  # fmt: skip
def test_a_value_that_cannot_be_names_its_flag(flag, value):
    with pytest.raises(UsageFailure, match=flag) as caught:
        settings(f"{flag}={value}")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "zone"),
    [("-03:00", "-03:00"), ("-0300", "-03:00"), ("+05:30", "+05:30"), (" UTC ", "UTC"),
     ("America/Sao_Paulo", "America/Sao_Paulo")],
)  # fmt: skip
def test_zones(text, zone):
    assert settings(environ={"AGENTIC_TZ": text}).tz == zone


@pytest.mark.parametrize(
    "text",
    ["-3", "GMT-3:00", "-15:00", "-03:60", "../../etc/passwd", "/etc/passwd", "America", "Brasília", "\x00", " "],
)
def test_what_is_no_zone(text):
    with pytest.raises(UsageFailure, match="AGENTIC_TZ") as caught:
        settings(environ={"AGENTIC_TZ": text})
    assert "America/Sao_Paulo" in caught.value.hint


@pytest.mark.parametrize(("text", "on"), [("1", True), ("sim", True), ("TRUE", True), ("0", False), ("não", False)])
def test_switches(text, on):
    assert settings(environ={"AGENTIC_STRICT": text}).strict is on


def test_the_longest_phrase_is_taken_and_one_byte_more_is_not():
    flags = build_parser("0").parse_args(["é" * 4000, "--dry-run"])
    assert len(read_settings(flags, {}, lambda: b"").phrase) == 4000
    flags = build_parser("0").parse_args(["é" * 4000 + "a", "--dry-run"])
    with pytest.raises(UsageFailure, match="8001 bytes, and 8000 are the most"):
        read_settings(flags, {}, lambda: b"")


@pytest.mark.parametrize("value", ["a b", "a\tb", 'a"b', "a\\b", "ação", "a\x00b", "a\x7f"])
def test_credentials_that_no_header_can_hold_are_refused_and_not_shown(value):
    flags = build_parser("0").parse_args([PHRASE])
    environ = {"TRELLO_KEY": value, "TRELLO_TOKEN": "x", "DEFAULT_BOARD": "AbCd1234", "DEFAULT_LIST": "A"}
    with pytest.raises(UsageFailure, match="TRELLO_KEY has characters") as caught:
        read_settings(flags, environ, lambda: b"")
    assert value not in caught.value.what + caught.value.hint


def test_without_a_home_nothing_is_put_into_a_directory_called_tilde(monkeypatch):
    def nobody(user: int) -> Any:
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageFailure, match="no home directory") as caught:
        settings()
    assert "HOME" in caught.value.hint


def test_a_variable_is_read_as_utf_8_whatever_the_locale(monkeypatch):
    monkeypatch.setattr(os, "fsencode", lambda text: text.encode("latin-1"))  # as in a locale in Latin-1
    monkeypatch.setenv("DEFAULT_LIST", "Concluído".encode().decode("latin-1"))
    monkeypatch.setenv("DEFAULT_BOARD", "Concluído")
    environ = process_environ()
    assert (environ["DEFAULT_LIST"], environ["DEFAULT_BOARD"]) == ("Concluído", "Concluído")
