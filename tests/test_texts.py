"""The small pure parts: text, language, kinds of card, outline, hosts, board references, the choice of a list."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from tools.addresses import board_reference, is_loopback
from tools.brief import Brief
from tools.card import as_markdown, lacks, tidy_checklist, tidy_title
from tools.deadline import decide_deadline, planned_due
from tools.errors import Forbidden, ModelUnavailable, UsageFailure
from tools.hosts import is_cloud_name, is_private, ollama_host
from tools.kinds import PROMPTS, load_kind
from tools.language import guess
from tools.outline import outline, subject_of
from tools.target import choose_list
from tools.text import clean, cut_at_word, folded, one_line

NOW = datetime(2026, 12, 1, 10, 0)
KIND = load_kind("task", [PROMPTS / "agents"])


# Text.


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("ação 🚀\tfim\n", "ação 🚀\tfim\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mvermelho\x1b[0m", "vermelho"),
        ("\x1b]0;título\x07texto", "texto"),
        ("\x1b]8;;http://x\x1b\\elo\x1b]8;;\x1b\\", "elo"),
        ("a\x00b\x7fc\x9bd\u202ee\u2066f\ufeffg\ud800h", "abcdefgh"),
        ("👩\u200d💻", "👩\u200d💻"),  # the joiner of an emoji stays
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == cleaned


def test_one_line_and_folded():
    assert one_line("  a\n\tb \x1b[2J c ") == "a b c"
    assert folded("  «Em  PROGRESSO!» ") == folded("«em progresso!»")
    assert folded("Concluído") == folded("Conclui\u0301do") == folded("CONCLUIDO") == "concluido"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [("curto", 80, "curto"), ("um dois três", 9, "um dois"), ("um dois, três", 9, "um dois"), ("a" * 20, 8, "a" * 8),
     ("um dois", 7, "um dois"), ("a " + "b" * 30, 12, "a " + "b" * 10)],
)  # fmt: skip
def test_cut_at_word(text, limit, cut):
    assert cut_at_word(text, limit) == cut


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("implementar o pipeline de entrega da API", "pt"),
        ("corrigir a tela de login até amanhã", "pt"),
        ("fix the login screen by tomorrow", "en"),
        ("corregir la pantalla de inicio para el lunes", "es"),
        ("pipeline CI/CD FastAPI", None),
        ("", None),
        ("🚀 https://example.org/a?b=c", None),
    ],
)
def test_language_is_said_only_when_it_is_plain(text, language):
    assert guess(text) == language


# Kinds of card.


def definition(**changes: Any) -> str:
    data = json.loads((PROMPTS / "agents" / "task.json").read_text(encoding="utf-8"))
    return json.dumps(data | changes)


@pytest.mark.parametrize("kind", ["task", "bug"])
@pytest.mark.parametrize("language", ["pt", "en", "es"])
def test_every_kind_has_an_outline_that_is_whole_in_every_language(kind, language):
    kind = load_kind(kind, [PROMPTS / "agents"])
    phrase = {"pt": "revisar o contrato da API", "en": "review the contract of the API", "es": "revisar el contrato"}
    brief = brief_of(phrase[language], language=language, kind=kind)
    card = outline(brief)
    assert lacks(card, kind, brief.phrase, language) == []
    assert "{" not in as_markdown(card)


@pytest.mark.parametrize("key", ["provider", "model", "api_key", "token", "temperature", "url"])
def test_a_kind_may_not_say_who_writes(tmp_path, key):
    (tmp_path / "meu.json").write_text(definition(**{key: "x"}))
    with pytest.raises(UsageFailure, match=f"may not contain {key}"):
        load_kind("meu", [tmp_path])


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"id": "meu"}', definition(parts=[]), definition(checklists={})]
)
def test_a_kind_that_is_not_valid_names_its_file(tmp_path, text):
    (tmp_path / "meu.json").write_text(text)
    with pytest.raises(UsageFailure, match=r"meu\.json is not a valid kind of card"):
        load_kind("meu", [tmp_path])


def test_the_users_own_kind_comes_first_and_no_path_is_a_name(tmp_path):
    (tmp_path / "task.json").write_text(definition(purpose="a minha"))
    assert load_kind("task", [tmp_path, PROMPTS / "agents"]).purpose == "a minha"
    for name in ("../task", "task.json", "", "a/b", "a" * 65):
        with pytest.raises(UsageFailure, match="--agent"):
            load_kind(name, [tmp_path])


# The outline.


def brief_of(phrase: str, *, language: Any = "pt", kind: Any = KIND, due: str = "") -> Brief:
    return Brief(phrase, kind, language, language, "", "0" * 24, "", due, bool(due), NOW, "-03:00")


@pytest.mark.parametrize(
    ("phrase", "span", "subject"),
    [
        ("implementar pipeline CI/CD", "", "pipeline CI/CD"),
        ("Por favor, crie uma tela de login", "", "tela de login"),
        ("preciso de fazer o backup do banco até sexta", "até sexta", "backup do banco"),
        ("até sexta, revisar o contrato", "até sexta", "revisar o contrato"),
        ("we need to build a dashboard", "", "dashboard"),
        ("hay que crear la pantalla", "", "pantalla"),
        ("corrigir o login", "", "corrigir o login"),
        ("criar", "", "criar"),
        ("FAZER", "", "FAZER"),
        ("İmplementar ﬁltros", "", "İmplementar ﬁltros"),
        ("fazer o que?", "", "que?"),
    ],
)
def test_subject(phrase, span, subject):
    assert subject_of(phrase, span) == subject


def test_a_long_phrase_is_kept_whole_once_and_the_card_stays_within_limits():
    phrase = "criar " + "uma integração muito bem descrita com o serviço de pagamento " * 60
    card = outline(brief_of(phrase))
    assert len(card.title) <= 80
    assert card.desc.count(one_line(phrase)) == 1
    assert len(card.desc) < 16384
    assert all(len(item) < 300 for checklist in card.checklists for item in checklist.items)


@pytest.mark.parametrize(
    "phrase", ["# título", "[x](http://y)", "{subject}", "{Subject} {0}", "%s", "<b>oi</b>", "a" * 500]
)
def test_a_phrase_that_looks_like_something_else_is_a_phrase(phrase):
    card = outline(brief_of(phrase))
    assert lacks(card, KIND, phrase, None) == []


# The deadline.


def decide(phrase: str, given: str | None) -> tuple[Any, list[str], list[str]]:
    said: list[str] = []
    warned: list[str] = []
    return decide_deadline(phrase, given, now=NOW, tz="-03:00", say=said.append, warn=warned.append), said, warned


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the phrase name what the test says."""
    from tools.dates import parse_due

    def name(words: str) -> None:
        def find(phrase: str, *, now: datetime, tz: str) -> Any:
            return replace(parse_due(words, now=now, tz=tz), span=words)

        monkeypatch.setattr("tools.deadline.find_due", find)

    return name


def test_the_phrases_deadline_is_the_cards(found):
    found("amanhã 18h")
    deadline, said, warned = decide("revisar amanhã 18h", None)
    assert (deadline.due, deadline.span, deadline.is_fixed) == ("2026-12-02T18:00:00-03:00", "amanhã 18h", True)
    assert (said, warned) == (["prazo: qua 02/12/2026 18:00 -03:00"], [])


def test_the_flag_wins_over_the_phrase_and_the_difference_is_said(found):
    found("amanhã 18h")
    deadline, said, warned = decide("revisar amanhã 18h", "quinta 18h")
    assert deadline.due == "2026-12-03T18:00:00-03:00"
    assert said == ["prazo: qui 03/12/2026 18:00 -03:00"]
    assert warned == ["the phrase says 'amanhã 18h' (2026-12-02T18:00:00-03:00); --due stands"]
    assert decide("revisar amanhã 18h", "02/12/2026 21:00Z")[2] == []  # the same instant


def test_a_phrase_whose_deadline_is_past_or_undecidable_sets_none_and_says_so(found):
    found("01/11/2026 18h")
    deadline, said, warned = decide("revisar 01/11/2026 18h", None)
    assert (deadline.due, deadline.is_fixed, said) == ("", True, [])
    assert "is past: no due date is set (--due sets one)" in warned[0]
    found("31/02/2027")
    deadline, said, warned = decide("revisar 31/02/2027", None)
    assert (deadline.due, deadline.is_fixed, said) == ("", True, [])
    assert "No due date is set (--due sets one)" in warned[0]


@pytest.mark.parametrize(
    ("words", "due"), [("", ""), ("sexta às 17h", "2026-12-04T17:00:00-03:00"), ("logo", ""), ("ontem", "")]
)
def test_a_plans_deadline_is_read_by_the_code(words, due):
    warned: list[str] = []
    assert planned_due(words, now=NOW, tz="-03:00", say=lambda line: None, warn=warned.append) == due
    assert bool(warned) == (words in ("logo", "ontem"))


# Hosts.


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":11434", "http://127.0.0.1:11434"),
        ("::", "http://[::1]:11434"),
        ("[::]:11434", "http://[::1]:11434"),
        ("localhost", "http://127.0.0.1:11434"),
        ("LOCALHOST:1234/", "http://127.0.0.1:1234"),
        (' "127.0.0.1:11434" ', "http://127.0.0.1:11434"),
        ("http://127.0.0.1", "http://127.0.0.1:80"),
        ("https://127.0.0.1", "https://127.0.0.1:443"),
        ("HTTP://127.1.2.3:99", "http://127.1.2.3:99"),
        ("10.0.0.5", "http://10.0.0.5:11434"),
        ("172.31.255.255", "http://172.31.255.255:11434"),
        ("192.168.0.9:1", "http://192.168.0.9:1"),
        ("100.64.0.1", "http://100.64.0.1:11434"),
        ("169.254.1.1", "http://169.254.1.1:11434"),
        ("fd00::1", "http://[fd00::1]:11434"),
        ("[fe80::1%eth0]:1", "http://[fe80::1%eth0]:1"),
        ("::ffff:127.0.0.1", "http://[::ffff:127.0.0.1]:11434"),
    ],
)
def test_hosts_of_ones_own(text, url):
    assert ollama_host(text).url == url


def test_a_name_is_resolved_once_and_all_its_addresses_must_be_ones_own():
    def resolve(name: str) -> list[str]:
        return {"gpu.local": ["fd00::2", "192.168.0.7"], "meio.local": ["192.168.0.7", "8.8.8.8"], "nada.local": []}[
            name
        ]

    host = ollama_host("gpu.local", resolve=resolve)
    assert (host.url, host.name) == ("http://192.168.0.7:11434", "gpu.local:11434")
    assert ollama_host("https://gpu.local", resolve=resolve).url == "https://gpu.local:443"  # for its certificate
    with pytest.raises(Forbidden):
        ollama_host("meio.local", resolve=resolve)
    assert ollama_host("meio.local", allow_remote=True, resolve=resolve).url == "http://192.168.0.7:11434"
    with pytest.raises(ModelUnavailable, match="no address"):
        ollama_host("nada.local", resolve=resolve)


@pytest.mark.parametrize("error", [OSError("no such name"), UnicodeError("label too long")])
def test_a_name_that_does_not_resolve_is_a_model_that_is_not_to_be_had(error):
    def resolve(name: str) -> list[str]:
        raise error

    with pytest.raises(ModelUnavailable, match=r"gpu\.local does not resolve"):
        ollama_host("gpu.local", resolve=resolve)


@pytest.mark.parametrize("text", ["ftp://x", "a b", "user:pw@host", "http://user@host", "host:99999", "[::1"])
def test_what_is_no_host(text):
    with pytest.raises(UsageFailure) as caught:
        ollama_host(text, resolve=lambda name: ["127.0.0.1"])
    assert "pw" not in caught.value.what


@pytest.mark.parametrize(
    ("address", "private"),
    [("127.255.0.1", True), ("128.0.0.1", False), ("::1", True), ("::2", False), ("fc00::", True), ("fe00::", False),
     ("febf::1", True), ("100.127.255.255", True), ("100.128.0.0", False), ("172.15.0.1", False), ("0.0.0.0", False),
     ("::ffff:10.0.0.1", True), ("::ffff:8.8.8.8", False)],
)  # fmt: skip
def test_private_addresses(address, private):
    assert is_private(address) is private


@pytest.mark.parametrize(
    ("name", "cloud"),
    [("gpt-oss:20b", False), ("gpt-oss:120b-cloud", True), ("glm:cloud", True), ("GLM:Cloud", True), ("a-cloud", True),
     ("host:5000/a/b:cloud", True), ("host:5000/a/b", False), ("cloudy:7b", False), ("soundcloud", False)],
)  # fmt: skip
def test_cloud_names(name, cloud):
    assert is_cloud_name(name) is cloud


# Boards and lists.


@pytest.mark.parametrize(
    "text",
    ["AbCd1234", "https://trello.com/b/AbCd1234", "https://trello.com/b/AbCd1234/", "trello.com/b/AbCd1234/c/x",
     "https://trello.com/b/AbCd1234/minha-equipe?filter=due:week#x", " HTTPS://trello.com/b/AbCd1234/ação "],
)  # fmt: skip
def test_boards(text):
    assert board_reference(text) == "AbCd1234"
    assert board_reference("5f" * 12) == "5f" * 12


@pytest.mark.parametrize(
    ("text", "what"),
    [("https://trello.com/c/AbCd1234/1-x", "the url of a card"), ("trello.com/c/AbCd1234", "the url of a card"),
     ("https://trello.com/invite/b/AbCd1234/ATTI/x", "an invitation"), ("https://trello.com/w/equipe", "a workspace"),
     ("https://trello.com/u/fulano/boards", "a person"), ("minha equipe", "is not a board"),
     ("AbCd123", "is not a board"),
     ("https://trello.com/", "is not a board"), ("../AbCd1234", "is not a board"), ("AbCd1234?x", "is not a board")],
)  # fmt: skip
def test_what_is_no_board_is_called_what_it_is(text, what):
    with pytest.raises(UsageFailure, match=what) as caught:
        board_reference(text, "DEFAULT_BOARD")
    assert caught.value.what.startswith("DEFAULT_BOARD ")
    assert "https://trello.com/b/" in caught.value.hint


def test_loopback_urls():
    assert all(
        map(is_loopback, ["http://127.0.0.1:1/1", "https://localhost/1", "http://[::1]:80/1", "http://127.9.9.9"])
    )
    assert not any(
        map(is_loopback, ["http://127.0.0.1.nip.io/1", "http://127.0.0.1:1@x/", "http://localhost:65536/1", ""])
    )


LISTS = [{"id": f"{n:024x}", "name": name, "pos": pos} for n, (name, pos) in enumerate(
    [("Feito", 3), ("Em progresso", 1), ("Em Produção", 2), ("Produção", 4), ("Conclui\u0301do", 5)]
)]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("Em progresso", "Em progresso"), ("em PRODUCAO", "Em Produção"), ("produção", "Produção"),
     ("Concluído", "Conclui\u0301do"),
     ("progre", "Em progresso"), ("", "Em progresso"), ("Feito ", "Feito"), (f"{0:024x}", "Feito")],
)  # fmt: skip
def test_a_list_is_chosen_exactly_then_roughly_then_by_a_part(name, chosen):
    found = choose_list(LISTS, name)
    assert found is not None
    assert found["name"] == chosen


@pytest.mark.parametrize("name", ["Em pro", "prod", "EM"])
def test_a_list_that_could_be_two_is_an_error_that_names_them(name):
    with pytest.raises(UsageFailure, match=r"fits 2 lists: .*Em Produção"):
        choose_list(LISTS, name)


@pytest.mark.parametrize("name", ["Nada", "!!!", "—", "🚀"])
def test_no_list_is_chosen_by_a_name_that_none_has(name):
    assert choose_list(LISTS, name) is None


PORTUGUESE = """filtrar pedidos por cliente
ordenar a tabela de vendas por data|autenticação por token|buscar cliente por CPF
otimizar query que lista as vendas por mes|revisar as permissões|listar as faturas|remover as feature flags|subir hotfix
bug no checkout|fazer code review|implementar cache por usuario|exportar relatorio por periodo|validar as entradas"""


@pytest.mark.parametrize("phrase", re.split(r"[|\n]", PORTUGUESE))
def test_everyday_portuguese_is_never_taken_for_another_language(phrase):
    assert guess(phrase) in ("pt", None)


@pytest.mark.parametrize("text", ["\u200b" * 5, "\u00ad\u2060", "\u3164", "...", "--", "\u200d"])
def test_a_text_without_ink_is_no_title_and_no_item(text):
    assert tidy_title(text) == ""
    kind = load_kind("task", [PROMPTS / "agents"])
    assert tidy_checklist("Lista", [text, "Medir"], fallback="", kind=kind)[0].items == ("Medir",)
