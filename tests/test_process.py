"""The command as a process: start-up, cron, locales, closed and broken streams, terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import trello_server as t
from tests.conftest import KEY, TOKEN
from tests.models import PHRASE, writer
from tests.ollama_steps import slow

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = [sys.executable, str(ROOT / "agentic.py")]
HEAVY = {
    "requests", "urllib3", "httpx", "filelock", "langchain_core", "langchain_ollama", "langgraph", "langsmith",
    "ollama", "pydantic", "rich", "sqlite3", "dotenv", "markdown_it", "asyncio", "ssl",
}  # fmt: skip
INSTANT = [
    ["--help"],
    ["--version"],
    [],
    ["--lista"],
    ["corrigir", "o", "login"],
    [PHRASE],
    [PHRASE, "--board", "AbCd1234"],
    [PHRASE, "--board", "https://trello.com/c/AbCd1234", "--list", "x"],
    [PHRASE, "--board", "AbCd1234", "--list", "x"],
    [PHRASE, "--mode", "x"],
    [PHRASE, "--demo", "--due", "qualquer dia"],
    [PHRASE, "--demo", "--due", "ontem"],
    [PHRASE, "--demo", "--agent", "x"],
    [PHRASE, "--undo", "--within", "x"],
]
CORE = ([], ["--help"], [PHRASE, "--demo", "--due", "qualquer dia"])


def environment(home: Path, **more: str) -> dict[str, str]:
    """What cron gives: a home, a path, and nothing else."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", **more}


def start(arguments: Sequence[str], home: Path, *, cwd: str | Path = "/", **more: Any) -> Any:
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=cwd, capture_output=True, timeout=60, **{"env": environment(home)} | more
    )


@pytest.fixture
def configured(home: Path) -> Path:
    """The user's configuration directory, with a .env that has what the sandbox and the outline need."""
    folder = home / ".config" / "agentic"
    folder.mkdir(parents=True)
    (folder / ".env").write_text("DEFAULT_BOARD=sandbox\nAGENTIC_MODE=outline\n")
    return folder


# Start-up.


@pytest.mark.parametrize(
    "arguments", [pytest.param(a, marks=() if a in CORE else pytest.mark.slow, id=" ".join(a)) for a in INSTANT]
)
def test_what_needs_no_work_imports_nothing_heavy_and_is_instant(home, arguments):
    probe = (
        "import sys, agentic\n"
        "try: code = agentic.main(sys.argv[1:])\n"
        "except SystemExit as leaving: code = leaving.code\n"
        f"print('heavy:', sorted({HEAVY!r} & set(sys.modules)), code)"
    )
    told = subprocess.run(
        [sys.executable, "-c", probe, *arguments],
        cwd=home, env=environment(home) | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    expected = 0 if arguments in (["--help"], ["--version"]) else 2
    assert told.stdout.splitlines()[-1] == f"heavy: [] {expected}", told.stdout + told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", INSTANT, ids=" ".join)
def test_what_needs_no_work_takes_no_time(home, arguments):
    def seconds() -> float:
        """Of the processor: whatever else the machine does meanwhile."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start(arguments, home)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 0.4  # 0.06 s, and with a due date to refuse 0.2


def test_version_and_help_are_on_standard_output(home):
    assert re.fullmatch(rb"agentic \d+\.\d+\.\d+\n", start(["--version"], home).stdout)
    told = start(["--help"], home, text=True).stdout
    for flag in (
        "board",
        "list",
        "due",
        "mode",
        "model",
        "temperature",
        "dry-run",
        "json",
        "force",
        "within",
        "timeout",
    ):
        assert f"--{flag}" in told
    others = {"--strict", "--verbose", "--version", "--fallback", "--demo", "--allow-remote"}
    assert others <= set(re.findall(r"--[a-z-]+", told))


# Cron.


def test_from_the_root_with_an_empty_environment(configured, home):
    told = start([PHRASE, "--due", "01/12/2030 18:00"], home)
    assert told.returncode == 0, told.stderr
    assert re.fullmatch(rb"file:///.*/board\.html#\S+\n", told.stdout)
    assert (home / ".local/state/agentic/sandbox/board.html").is_file()


@pytest.mark.slow
def test_the_credentials_of_the_configuration_directory_are_enough_for_cron(trello, ollama, home):
    server = ollama(writer())
    folder = home / ".config" / "agentic"
    folder.mkdir(parents=True)
    (folder / ".env").write_text(
        f"TRELLO_KEY={KEY}\nexport TRELLO_TOKEN='{TOKEN}'\nTRELLO_API_URL={trello.base_url}\nDEFAULT_BOARD=AbCd1234\n"
        f'DEFAULT_LIST="em progresso"\nOLLAMA_HOST={server.host}\n'
    )
    told = start([PHRASE], home, stdin=subprocess.DEVNULL)
    (card,) = trello.cards
    assert (told.returncode, told.stderr) == (0, b"")
    assert told.stdout.decode() == f"https://trello.com/c/{card['shortLink']}\n"


# Locales and odd text.

ROCKET = "lançar a versão 🚀 com ação e coração"


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "pt_BR.UTF-8"}, {}], ids=str)
def test_a_phrase_with_accents_and_an_emoji_in_any_locale(configured, home, variables):
    told = start([ROCKET, "--dry-run", "--json"], home, env=environment(home, **variables))
    assert told.returncode == 0, told.stderr
    assert "lançar a versão 🚀" in json.loads(told.stdout.decode())["card"]["desc"].lower()


@pytest.fixture(scope="session")
def latin_locale(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A real locale in Latin-1."""
    folder = tmp_path_factory.mktemp("locale")
    try:
        made = subprocess.run(
            ["localedef", "-i", "pt_BR", "-f", "ISO-8859-1", "--no-archive", str(folder / "pt_BR.ISO-8859-1")],
            capture_output=True, timeout=60,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("no localedef here")
    if not (folder / "pt_BR.ISO-8859-1").is_dir():
        pytest.skip(f"no Latin-1 locale can be made here: {made.stderr.decode()[:200]}")
    return {"LOCPATH": str(folder), "LC_ALL": "pt_BR.ISO-8859-1"}


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_phrase_in_a_latin_1_locale_from_either_kind_of_terminal(configured, home, latin_locale, encoding):
    phrase = ROCKET if encoding == "utf-8" else ROCKET.replace("🚀 ", "")
    told = start([phrase.encode(encoding), "--dry-run", "--json"], home, env=environment(home, **latin_locale))
    assert told.returncode == 0, told.stderr
    card = json.loads(told.stdout.decode("ascii"))["card"]  # JSON is not written in Latin-1
    assert phrase.lower() in card["desc"].lower()


@pytest.mark.slow
def test_a_terminal_that_cannot_show_a_letter_is_no_crash(configured, home, latin_locale):
    told = start([ROCKET.encode(), "--dry-run", "-v"], home, env=environment(home, **latin_locale))
    assert told.returncode == 0, told.stderr
    assert "versão \\U0001f680" in told.stdout.decode("latin-1")
    told = start(["--help"], home, env=environment(home, PYTHONIOENCODING="ascii"))
    assert (told.returncode, told.stderr) == (0, b"")


def test_a_phrase_that_is_not_utf_8_is_told(configured, home):
    told = start(["corrigir ação".encode("latin-1"), "--dry-run"], home, env=environment(home, LC_ALL="C.UTF-8"))
    assert (told.returncode, told.stdout) == (2, b"")
    assert b"error: the phrase is not valid UTF-8" in told.stderr


# Standard streams.


@pytest.mark.parametrize(
    "closed", [*(pytest.param(c, marks=pytest.mark.slow) for c in ("<&-", ">&-", "2>&-")), "<&- >&- 2>&-"]
)
def test_with_closed_streams_the_card_is_made(configured, home, closed):
    command = " ".join([f"exec '{PROGRAM[0]}' '{PROGRAM[1]}' '{PHRASE}' --due '2030-12-01 18:00'", closed])
    told = subprocess.run(["bash", "-c", command], cwd="/", env=environment(home), capture_output=True, timeout=60)
    assert told.returncode == 0, told.stderr
    assert "pipeline CI/CD" in (home / ".local/state/agentic/sandbox/board.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        [PHRASE],
        *(pytest.param(a, marks=pytest.mark.slow) for a in (["--help"], [PHRASE, "--dry-run"], [PHRASE, "--json"])),
    ],
)
def test_a_pipe_that_nobody_reads_is_no_crash(configured, home, arguments):
    reader, pipe = os.pipe()
    os.close(reader)
    try:
        told = subprocess.run(
            [*PROGRAM, *arguments], cwd="/", env=environment(home), stdout=pipe, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(pipe)
    assert told.returncode == (2 if "--dry-run" in arguments else 0)  # of a dry run nothing is left but what was lost
    assert b"Traceback" not in told.stderr
    assert b"Exception" not in told.stderr
    if arguments[-1] in (PHRASE, "--json"):  # the card is there: its url must not be lost
        assert re.search(rb"warning: standard output cannot be written; the card is file://\S+board\.html", told.stderr)


@pytest.mark.slow
def test_a_full_disk_is_no_crash(configured, home):
    with open("/dev/full", "wb") as full:
        told = subprocess.run(
            [*PROGRAM, PHRASE], cwd="/", env=environment(home), stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert told.returncode == 0
    assert b"the card is file://" in told.stderr
    assert b"Exception" not in told.stderr


def test_standard_input_is_not_read(configured, home):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"outra tarefa\n")  # and it stays open
        told = start([PHRASE], home, stdin=theirs)
        assert told.returncode == 0
        assert theirs.recv(100) == b"outra tarefa\n"


def test_the_phrase_can_come_from_standard_input(configured, home):
    told = start(["-", "--dry-run", "--json"], home, input="\ufeffcorrigir o login 🚀\r\n".encode())
    assert told.returncode == 0, told.stderr
    assert "corrigir o login 🚀" in json.loads(told.stdout)["card"]["desc"].lower()


@pytest.mark.slow
@pytest.mark.parametrize("given", ["<&-", "< /dev/null"])
def test_a_phrase_from_a_standard_input_that_has_none(configured, home, given):
    command = f"exec '{PROGRAM[0]}' '{PROGRAM[1]}' - {given}"
    told = subprocess.run(["bash", "-c", command], cwd="/", env=environment(home), capture_output=True, timeout=60)
    assert (told.returncode, told.stdout) == (2, b"")
    assert told.stderr.count(b"\n") == 2


# Terminals.


def on_a_terminal(arguments: Sequence[str], env: dict[str, str], *, stdout: bool = False) -> tuple[int, str, str]:
    """Run with standard error (or output too) on a terminal; return the code, what came on it, and the rest."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments], cwd="/", env=env, stdin=subprocess.DEVNULL,
        stdout=theirs if stdout else subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # how Linux says that nobody has the other end any more
            break
    os.close(ours)
    out = process.communicate(timeout=60)[0] or b""
    return process.returncode, shown.decode(), out.decode()


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_and_only_there(trello, ollama, home):
    scripted = writer()
    server = ollama(lambda asked, nth: slow(0.4, scripted(asked, nth)))
    trello.fault = lambda method, path, body, nth: t.slow(0.1) if method == "POST" else None
    env = environment(
        home, TRELLO_KEY=KEY, TRELLO_TOKEN=TOKEN, TRELLO_API_URL=trello.base_url, DEFAULT_BOARD="AbCd1234",
        DEFAULT_LIST="Em progresso", OLLAMA_HOST=server.host, TERM="xterm-256color", COLUMNS="100",
    )  # fmt: skip
    code, shown, out = on_a_terminal([PHRASE], env)
    assert code == 0, shown
    assert shown.index("loading gpt-oss:20b") < shown.index("writing (gpt-oss:20b)")
    assert re.search(r"publishing \d+/\d+", shown)
    assert out == f"https://trello.com/c/{trello.cards[0]['shortLink']}\n"
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back
    told = subprocess.run([*PROGRAM, PHRASE, "--force"], cwd="/", env=env, capture_output=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, b"")


@pytest.mark.slow
def test_a_dry_run_on_a_terminal_is_rendered_and_in_a_pipe_is_markdown(configured, home):
    env = environment(home, TERM="xterm-256color", COLUMNS="100")
    code, shown, _ = on_a_terminal([PHRASE, "--dry-run", "--due", "01/12/2030 18:00"], env, stdout=True)
    assert code == 0
    assert "Critérios de aceite" in shown
    assert "## " not in shown
    told = start([PHRASE, "--dry-run"], home, text=True)
    assert told.stdout.startswith("# ")
    assert "## Critérios de aceite" in told.stdout


@pytest.mark.slow
def test_an_interrupt_before_there_is_anything_to_remove(configured, home):
    process = subprocess.Popen(
        [*PROGRAM, "-"], cwd="/", env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    with process:
        status = Path(f"/proc/{process.pid}/wchan")
        deadline = time.monotonic() + 20
        while "pipe" not in (status.read_text() if status.exists() else "pipe") and time.monotonic() < deadline:
            select.select([], [], [], 0.02)
        process.send_signal(2)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted\n")
