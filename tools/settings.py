"""What a run is told: flags, then the environment, then two ``.env`` files; read once, typed and checked here."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.addresses import board_reference, is_loopback
from tools.errors import Forbidden, UsageFailure
from tools.text import as_utf8, clean

if TYPE_CHECKING:
    import argparse

SANDBOX = "sandbox"
TRELLO_URL = "https://api.trello.com/1"
MODES = ("react", "plan", "outline")
PHRASE_MAX_BYTES = 8000  # about 2,700 tokens: with prompt, tools and a whole card it fills the context of 8192

# The only names that are read from a .env file. One that somebody planted can then not set a proxy or a tracer.
VARIABLES = (
    "TRELLO_KEY", "TRELLO_TOKEN", "TRELLO_API_URL", "DEFAULT_BOARD", "DEFAULT_LIST", "OLLAMA_HOST", "OLLAMA_MODEL",
    "LLM_TEMPERATURE", "AGENTIC_MODE", "AGENTIC_WITHIN", "AGENTIC_TIMEOUT", "AGENTIC_STRICT", "AGENTIC_TZ",
)  # fmt: skip


class Settings(NamedTuple):
    """Everything a run is told. Secrets are not in its repr.

    A named tuple and no dataclass: it is made before it is known whether there is work to do, and dataclasses take
    10 ms to import.
    """

    phrase: str
    board: str
    list_name: str
    list_is_flag: bool
    due: str | None
    mode: str
    model: str
    agent: str
    temperature: float
    dry_run: bool
    as_json: bool
    force: bool
    within_s: float
    timeout_s: float
    strict: bool
    verbose: bool
    fallback: str
    allow_remote: bool
    demo: bool
    undo: str | None
    runs: bool
    ollama_host: str
    tz: str
    trello_url: str
    key: str
    token: str
    proxy: str
    ca_bundle: str
    config_dir: Path
    state_dir: Path

    def __repr__(self) -> str:
        """Leave everything out: a repr ends up in logs."""
        return "Settings(…)"

    @property
    def is_sandbox(self) -> bool:
        """Whether the board is the one on this machine."""
        return self.board == SANDBOX


def read_settings(
    flags: argparse.Namespace,
    environ: Mapping[str, str],
    read_stdin: Callable[[], bytes],
    keep_secret: Callable[..., None] = lambda *secrets: None,
) -> Settings:
    """Put the settings together and check each.

    Args:
        flags: Parsed flags; None where one was not given.
        environ: The process's environment.
        read_stdin: Reads standard input to its end; called only for the phrase ``-``.
        keep_secret: Told key and token before anything can fail, so that no error shows them.

    Raises:
        UsageFailure: When a value is missing or cannot be what it should be.
    """
    from platformdirs import user_config_path, user_state_path

    config_dir = _user_directory(user_config_path, "XDG_CONFIG_HOME")
    values = _layered(environ, (Path(".env"), config_dir / ".env"))
    key, token = values.get("TRELLO_KEY", "").strip(), values.get("TRELLO_TOKEN", "").strip()
    keep_secret(key, token)

    def pick(flag: str, variable: str, default: str) -> tuple[str, str]:
        given = getattr(flags, flag, None)
        return (
            (f"--{flag.replace('_', '-')}", str(given))
            if given is not None
            else (variable, values.get(variable, default))
        )

    demo = bool(flags.demo)
    settings = Settings(
        phrase="" if flags.undo is not None or flags.runs else _phrase(flags.phrase, read_stdin),
        board=SANDBOX if demo else _clean_value(pick("board", "DEFAULT_BOARD", "")[1]),
        list_is_flag=flags.list is not None,
        list_name=_clean_value(pick("list", "DEFAULT_LIST", "")[1]),
        due=flags.due,
        mode=_one_of(pick("mode", "AGENTIC_MODE", "react"), MODES),
        model=_model(pick("model", "OLLAMA_MODEL", "gpt-oss:20b")),
        agent=flags.agent,
        temperature=_number(pick("temperature", "LLM_TEMPERATURE", "0"), 0.0, 2.0),
        dry_run=flags.dry_run,
        as_json=flags.json,
        force=flags.force,
        within_s=_duration(pick("within", "AGENTIC_WITHIN", "15m")),
        timeout_s=_number(pick("timeout", "AGENTIC_TIMEOUT", "900"), 0.1, 86400.0),
        strict=flags.strict or _switch("AGENTIC_STRICT", values.get("AGENTIC_STRICT", "0")),
        verbose=flags.verbose,
        fallback=flags.fallback or ("outline" if demo else ""),
        allow_remote=flags.allow_remote,
        demo=demo,
        undo=flags.undo,
        runs=flags.runs,
        ollama_host=values.get("OLLAMA_HOST", ""),
        tz=_zone(values.get("AGENTIC_TZ", "-03:00")),
        trello_url=values.get("TRELLO_API_URL", TRELLO_URL).rstrip("/"),
        key=key,
        token=token,
        proxy=environ.get("HTTPS_PROXY") or environ.get("https_proxy") or "",
        ca_bundle=environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE") or "",
        config_dir=config_dir,
        state_dir=_user_directory(user_state_path, "XDG_STATE_HOME"),
    )
    _refuse_secrets(settings)
    _check_place(settings, pick("board", "DEFAULT_BOARD", "")[0])
    return settings


def _refuse_secrets(settings: Settings) -> None:
    """Refuse a text with a credential in it: it would reach the model, the card and the ledger."""
    texts = {"the phrase": settings.phrase, "--board": settings.board, "--list": settings.list_name}
    for where, text in (*texts.items(), ("--due", settings.due or "")):
        for name, secret in (("TRELLO_KEY", settings.key), ("TRELLO_TOKEN", settings.token)):
            if len(secret) >= 16 and secret in text:
                raise UsageFailure(f"{where} contains {name}", "take it out: it goes to Trello only, as a header")


def _check_place(settings: Settings, board_name: str) -> None:
    """Check what a real board needs; a dry run and the sandbox need nothing."""
    if settings.dry_run or settings.is_sandbox or settings.undo is not None or settings.runs:
        return
    if not settings.board:
        raise UsageFailure("no board is given", "pass --board or set DEFAULT_BOARD (to try without Trello: --demo)")
    if not settings.list_name:
        raise UsageFailure("no list is given", "pass --list or set DEFAULT_LIST")
    board_reference(settings.board, board_name)
    check_credentials(settings)


def check_credentials(settings: Settings) -> None:
    """Check that key and token are given and can be in a header.

    Raises:
        UsageFailure: When one is missing or malformed.
    """
    for name, value in (("TRELLO_KEY", settings.key), ("TRELLO_TOKEN", settings.token)):
        if not value:
            hint = "get both at https://trello.com/app-key and set them in the environment or in .env"
            raise UsageFailure(f"{name} is not set", hint)
        if not re.fullmatch(r"[!#-\[\]-~]+", value):
            raise UsageFailure(
                f"{name} has characters that no key or token has", "copy it again, without quotes or spaces"
            )


def check_trello_url(settings: Settings) -> None:
    """Check that what goes to Trello goes to Trello only.

    Raises:
        Forbidden: When ``TRELLO_API_URL`` is neither Trello nor this machine.
    """
    if settings.trello_url != TRELLO_URL and not is_loopback(settings.trello_url):
        raise Forbidden("TRELLO_API_URL is neither Trello nor this machine", f"unset it, or use {TRELLO_URL}")


def _layered(environ: Mapping[str, str], files: tuple[Path, ...]) -> dict[str, str]:
    """Return each variable from the first place that gives it a value; the files do not enter the environment."""
    values = {name: environ[name] for name in VARIABLES if environ.get(name)}
    for path in files:
        for name, value in _dotenv(path).items():
            if name in VARIABLES and value:
                values.setdefault(name, value)
    return values


def _dotenv(path: Path) -> Mapping[str, str | None]:
    try:
        if not path.is_file():
            return {}
        from dotenv import dotenv_values

        return dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageFailure(f"{path} cannot be read: {error}", "mend or remove it") from error


def _phrase(given: str | None, read_stdin: Callable[[], bytes]) -> str:
    if given is None:
        raise UsageFailure(
            "no phrase is given", 'write what is to be done, in quotes: agentic "corrigir o login" (see --help)'
        )
    if given == "-":
        given = read_stdin().decode("utf-8", "surrogateescape")
    if any("\ud800" <= char <= "\udfff" for char in given):
        raise UsageFailure("the phrase is not valid UTF-8", "check the terminal's or the file's encoding")
    phrase = clean(given).strip()
    if not re.search(r"\w", phrase):
        raise UsageFailure("the phrase is empty", 'write what is to be done, in quotes: agentic "corrigir o login"')
    size = len(phrase.encode())
    if size > PHRASE_MAX_BYTES:
        raise UsageFailure(
            f"the phrase is too long for the model's context: {size} bytes, and {PHRASE_MAX_BYTES} are the most",
            "shorten it, or make it several cards",
        )
    return phrase


def _user_directory(find: Callable[..., Path], variable: str) -> Path:
    """Return a directory of the user's. Without a home, as in some containers, platformdirs refuses or names ``~``."""
    with contextlib.suppress(RuntimeError):
        directory = find("agentic", appauthor=False)
        if directory.is_absolute():
            return directory
    raise UsageFailure("there is no home directory to keep anything in", f"set HOME or {variable}")


def _clean_value(value: str) -> str:
    return clean(value).strip()


def _one_of(given: tuple[str, str], options: tuple[str, ...]) -> str:
    name, value = given
    if value not in options:
        raise UsageFailure(f"{name} {value!r} is not a mode", f"use one of: {', '.join(options)}")
    return value


def _model(given: tuple[str, str]) -> str:
    name, value = given
    value = value.strip()
    if not re.fullmatch(r"[\w./:@-]{1,200}", value):
        raise UsageFailure(f"{name} {value[:80]!r} is not a model's name", "use a name that `ollama list` shows")
    return value


def _number(given: tuple[str, str], least: float, most: float) -> float:
    name, text = given
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise UsageFailure(f"{name} {text!r} is not a number it can be", f"use a number from {least:g} to {most:g}")
    return value


def _duration(given: tuple[str, str]) -> float:
    """Return seconds from ``90s``, ``15m``, ``2h``, ``7d`` or ``0``."""
    name, text = given
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*([smhd]?)\s*", text, re.ASCII)
    if not match or (not match[2] and float(match[1]) != 0):
        raise UsageFailure(f"{name} {text!r} is not a length of time", "use something like 90s, 15m, 2h or 7d")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]


def _switch(name: str, text: str) -> bool:
    on, off = {"1", "true", "yes", "on", "sim"}, {"0", "false", "no", "off", "nao", "não", ""}
    if text.strip().casefold() not in on | off:
        raise UsageFailure(f"{name} {text!r} is neither on nor off", "use 1 or 0")
    return text.strip().casefold() in on


def _zone(text: str) -> str:
    text = text.strip()
    if re.fullmatch(r"[+-](?:0\d|1[0-4]):?[0-5]\d", text):
        return text if ":" in text else f"{text[:3]}:{text[3:]}"
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(text)
    except (ValueError, OSError, LookupError) as error:
        raise UsageFailure(
            f"AGENTIC_TZ {text[:60]!r} is not a zone",
            "use an offset such as -03:00 or a name such as America/Sao_Paulo",
        ) from error
    return text


def process_environ() -> Mapping[str, str]:
    """Return the process's environment, read as UTF-8 whatever the locale: the one place where it is read."""
    return {name: as_utf8(value) for name, value in os.environ.items()}


def forbid_tracing() -> None:
    """Keep the libraries from sending the conversation to a third party, whatever the environment asks of them.

    LangSmith's tracing is switched on by variables alone (langsmith, read in its source); they are read on import and
    later, so they are taken out of the process's environment.
    """
    for name in [name for name in os.environ if name.startswith(("LANGSMITH_", "LANGCHAIN_"))]:
        del os.environ[name]
    os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"
