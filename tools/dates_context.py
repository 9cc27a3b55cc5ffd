"""What the words around a date say about it: whether it is the deadline, something else, or cannot be told.

Each rule sees one date and its neighbours and answers None (not its business), IGNORE (it is no deadline) or the code
of a refusal. They are tried in the order of `RULES`; the last one accepts by position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tools.dates_grammar import Clock, Elapsed, Later, Relative, Weekday
from tools.dates_lexicon import ORDINAL_WEEKDAYS, SHORT_WEEKDAYS, words
from tools.dates_read import Reading
from tools.dates_text import UNKNOWN, Token

IGNORE = "ignore"
ACCEPT = "accept"

_STRONG = frozenset({"until", "before", "label", "para"})
MARKS = ("COMMA", "COLON", "STOP", "DASH", "BRACKET", "QUOTE", "MARK")

# Words that may follow a deadline at the end of a phrase without moving it from there.
_POLITE = words(
    """por favor please pls pfv pf porfa urgente urgentemente obrigado obrigada valeu gracias thanks sem falta sin ok
    impreterivelmente maximo no na mais tardar o at the latest"""
)
# "cache expira em 24h", "job roda às 3h": what things do by themselves is no deadline.
_STATES = words(
    """expira expiram expirar expirou expire expires expired dura duram lasts demora demoram leva levam takes falha
    falham falhou fails failed falla fallan roda rodam rodou runs ran executa executam corre corren ocorre ocorrem
    ocorreu ocurre happens happened acontece aconteceu sucede cai caiu cae trava travou dispara disparam responde
    respondem responds carrega carregam loads processa termina terminam ends quebra quebrou breaks broke comeca comecam
    inicia starts started fecha fecham abre abrem closes opens timeout ttl"""
)
_REPORTED = re.compile(
    r"(?:relatad|reportad|encontrad|abert|criad|registrad|ocorrid|acontecid|recebid|identificad|detectad|introduzid|"
    r"lancad|publicad|gerad|coletad|feit|vist|abiert|cread|ocurrid|recibid)[oa]s?|"
    r"reported|found|opened|created|seen|filed|raised|logged|introduced|released"
)
RELATIVE_PRONOUNS = words("que q como onde quando which that who donde cuando")
_DUTY = words("tem temos tenho ter tenha preciso precisa precisamos tiene tenemos tengo hay ha garantir")
_INFINITIVE = re.compile(r"[a-z-]{2,}(?:[aei]r|por)")
# Nouns that end as infinitives do.
_NOT_INFINITIVE = words(
    """lugar par celular hangar bar radar dolar pilar titular familiar similar server docker layer user container folder
    header footer router parser driver buyer order number master super poder prazer dever mulher qualquer"""
)
# Portuguese nouns that an ordinal weekday may count, by their endings or by name.
_FEMININE = re.compile(
    r".*(?:a|as|ao|oes|ade|ades|agem|agens|ase|ases|ise|ises|ie|ies)|vez|vezes|parte|partes|ordem|sprint|release|classe|"
    r"mao|chance|build|issue|task|call|branch|feature|api|daily|review|demo|retro|planning|query|foto|leva|fonte|chave|"
    r"frente|sede|rede"
)
# "job diário às 3h" repeats.
_HABITS = words(
    "diario diaria diariamente semanal semanalmente mensal mensalmente daily weekly monthly nightly mensual"
)
# "reduzir o build em 5 minutos", "expirar a sessão em 30 minutos": the amount, not the deadline.
_SETTINGS = words(
    """expirar expire reduzir reduza aumentar aumente diminuir diminua cortar encurtar limitar acelerar reduce increase
    decrease cut limit reducir disminuir"""
)
_CHANGES = words(
    """mudar mude muda alterar altere trocar mover mova remarcar remarque adiar adie reagendar postergar prorrogar
    transferir antecipar passar change move reschedule postpone delay push shift cambiar reprogramar aplazar posponer
    adelantar"""
)
# Parts of a user interface, which days are names of: "aba Hoje".
_INTERFACE = words(
    """aba abas filtro filtros botao botoes menu menus tela telas campo campos coluna colunas label labels pagina
    paginas secao secoes card cards cartao tab tabs button buttons filter filters screen field column section page view
    widget opcao item etiqueta rotulo lista boton pestana pantalla columna seccion"""
)
# "funcionava até ontem" tells what was.
_WAS = re.compile(r".{3,}(?:ava|avam|aba|aban)|funcionou|worked|existia|era|eram|was|were")


@dataclass
class Candidate:
    """A date in a phrase, with all its tokens."""

    reading: Reading
    tokens: Sequence[Token]
    phrase: str

    @property
    def start(self) -> int:
        """Return the index of its first token."""
        return self.reading.start

    @property
    def end(self) -> int:
        """Return the index after its last token."""
        return self.reading.end

    def before(self, distance: int = 1) -> Token | None:
        """Return the token that stands so far before it, or None."""
        return self.at(self.start - distance)

    def after(self, distance: int = 0) -> Token | None:
        """Return the token that stands so far after its end, or None."""
        return self.at(self.end + distance)

    def at(self, index: int) -> Token | None:
        """Return a token of the phrase, or None beyond its ends."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    @cached_property
    def lead(self) -> str:
        """Return what opens it ("until", "before", "label", "para"), or ""."""
        return next((lead for lead in self.reading.leads if lead in _STRONG), "")

    @cached_property
    def slots(self) -> frozenset[str]:
        """Return what it says: date, weekday, clock, part, zone, elapsed."""
        return frozenset(self.reading.parts)

    @property
    def kind(self) -> tuple[object, ...]:
        """Return what two dates share that may be the ends of a range."""
        return tuple(sorted((slot, type(part)) for slot, part in self.reading.parts.items() if slot != "zone"))

    @cached_property
    def body(self) -> int:
        """Return the index of the first token of its first component, after what opens it."""
        return min(start for start, _ in self.reading.where.values())

    @property
    def first(self) -> Token:
        """Return the first token of its first component."""
        return self.tokens[self.body]

    @cached_property
    def opens_clause(self) -> bool:
        """Tell whether it begins the phrase or stands after a mark."""
        token = self.before()
        return token is None or token.is_a(*MARKS)

    @cached_property
    def closes_clause(self) -> bool:
        """Tell whether it ends the phrase, but for politeness, or stands before a mark or "and"."""
        for token in self.tokens[self.end :]:
            if token.is_a(*MARKS, "AND", "OR"):
                return True
            if token.word not in _POLITE:
                return False
        return True


Rule = Callable[[Candidate], str | None]


def is_infinitive(token: Token | None) -> bool:
    """Tell whether a word is likely a Portuguese or Spanish infinitive: what a task phrase goes on with."""
    return bool(token and _INFINITIVE.fullmatch(token.word) and token.word not in _NOT_INFINITIVE)


def _is(token: Token | None, *classes: str) -> bool:
    return token is not None and token.is_a(*classes)


def _recurring(c: Candidate) -> str | None:
    back = 2 if _is(c.before(), "ARTICLE") else 1
    if _is(c.before(back), "EVERY"):
        return IGNORE if _is(c.before(back + 1), "OF") else "recurrence"
    before = c.before()
    if before is not None and before.word in _HABITS and not c.lead and "clock" in c.slots:
        return "recurrence"
    if _is(c.after(), "OF") and _is(c.after(1), "EVERY"):
        return "recurrence"
    return "recurrence" if _is(c.before(), "LOS") and "weekday" in c.slots else None


def _between(c: Candidate) -> str | None:
    back = 2 if _is(c.before(), "ARTICLE", "IN") else 1
    return "range" if _is(c.before(back), "BETWEEN") else None


def _numbers_before(c: Candidate) -> str | None:
    """Refuse "de 10 a 15/12": the first end of the range is a bare number."""
    link = c.body if _is(c.first, "A", "AT") else c.body - 1
    if "date" not in c.slots or not _is(c.at(link), "A", "AT", "DASH", "UNTIL") or not _is(c.at(link - 1), "DAY"):
        return None
    # "corrigir a issue 15 até 15/07" is no range; "de 10 até 15/07" is.
    return None if c.lead and not _is(c.at(link - 2), "OF") else "range"


def _numbers_after(c: Candidate) -> str | None:
    """Refuse "dia 20 ou 21", "dia 10 a 15", "às 18h e 20h", "sexta 26", where a second date or hour follows."""
    link, second = c.after(), c.after(1)
    if _is(link, "RANGE", "BUSINESS"):
        return "range" if _is(link, "RANGE") else "business_days"
    if _is(link, "OR", "AND", "COMMA") and _is(second, "HOURS", "CLOCK", "HM") and "clock" in c.slots:
        return "two_times"
    if _is(link, "OR", "AND", "COMMA") and _is(second, "DM", "DATE") and "date" in c.slots:
        return "two_dates"
    named = c.after(2) if _is(second, "IN", "ARTICLE", "PARA", "UNTIL") else second
    if _is(link, "OR", "AND") and {"date", "weekday"} & c.slots and _is(named, "WEEKDAY"):
        return "two_dates"
    if _is(link, "OR") and _is(second, "NUM", "HOURS"):
        return "two_times" if "clock" in c.slots else "two_dates"
    if not {"date", "weekday"} & c.slots or "clock" in c.slots:
        return None
    if _is(link, "COMMA") and _is(second, "DAY") and (c.after(2) is None or _is(c.after(2), "AND", "OR", "COMMA")):
        return "two_dates"
    if _is(link, "DIGITS"):
        counts = second is not None and (second.word.endswith("s") or second.is_a("BRACKET"))
        return None if counts else "bare_number"
    if _is(second, "DAY") and not _is(c.after(2), UNKNOWN):
        return "two_dates" if _is(link, "AND") else "range" if _is(link, "A", "DASH", "UNTIL") else None
    return None


def _starting(c: Candidate) -> str | None:
    back = 2 if _is(c.before(), "OF", "ARTICLE", "AT") else 1
    token = c.before(back)
    if _is(token, "SINCE") or _is(c.before(), "SINCE"):
        return IGNORE
    return "start" if _is(token, "PARTIR", "AFTER", "FROM") or _is(c.before(), "PARTIR", "AFTER", "FROM") else None


def _gone(c: Candidate) -> str | None:
    """Ignore "sexta passada", "last friday", "última sexta" and yesterday, unless it is due then ("pra ontem")."""
    date = c.reading.parts.get("date")
    if isinstance(date, Relative) and date.days < 0:
        return None if c.lead and c.closes_clause and not _was(c) else IGNORE
    if _is(c.after(), "AGO", "PASADO") and not _is(c.after(), "HA"):
        return IGNORE
    if _is(c.before(), "AGO", "LAST", "FIRST", "ORDINAL") and not c.lead and not _is(c.before(), "HA"):
        article = 3 if _is(c.before(2), "ARTICLE") else 2
        return "leftover" if _is(c.before(article), "UNTIL", "BEFORE", "LABEL") else IGNORE
    return None


def _was(c: Candidate) -> bool:
    """Tell whether "até ontem" says until when something was so: "o login funcionava até ontem"."""
    before = c.before()
    return c.lead == "until" and (before is None or bool(_WAS.fullmatch(before.word)))


def _belongs(c: Candidate) -> str | None:
    """Ignore what belongs to a thing: "ata de 10/06", "reunião das 14h", "turno da manhã"."""
    if c.lead:
        return None
    owned = _is(c.before(), "OF") or (_is(c.before(), "ARTICLE") and _is(c.before(2), "OF"))
    part_of = c.slots == {"part"} and _is(c.first, "OF_THE")
    return IGNORE if owned or part_of or _shares_owner(c) else None


def _shares_owner(c: Candidate) -> bool:
    """Tell whether "e" joins it to a day that belongs to a thing: "eventos de hoje e amanhã"."""
    if not _is(c.before(), "AND") or not {"date", "weekday"} & c.slots or is_infinitive(c.after()):
        return False
    day = 3 if _is(c.before(2), "FEIRA") else 2
    owner = day + (2 if _is(c.before(day + 1), "ARTICLE") else 1)
    return _is(c.before(day), "TODAY", "TOMORROW", "YESTERDAY", "WEEKDAY", "DM", "DATE") and _is(c.before(owner), "OF")


def _interface(c: Candidate) -> str | None:
    """Ignore what a part of a user interface is called: "aba Hoje", "botão amanhã não funciona".

    In lower case at the end of a phrase ("entregar a tela amanhã") it is when the thing is due.
    """
    before, after, first = c.before(), c.after(), c.first
    day = isinstance(c.reading.parts.get("date"), Relative) or "weekday" in c.slots
    if c.lead or not day or len(c.slots) > 1 or c.body != c.start or not before or before.word not in _INTERFACE:
        return None
    written = c.phrase[first.start : first.end]
    # English writes all weekdays with a capital.
    usual = "weekday" in c.slots and "en" in first.languages
    if written[:1].isupper() and not written.isupper() and not usual:
        return IGNORE
    return IGNORE if _is(after, "OF") or (_is(after, "NOT") and not is_infinitive(c.after(1))) else None


def _instant(c: Candidate) -> str | None:
    """Ignore an instant as machines write it ("2026-12-01T18:00Z") amid a phrase: it is what the task handles."""
    glued = c.phrase[c.first.end : c.first.end + 1] in ("T", "t")
    amid = not c.lead and c.body == c.start and not c.opens_clause and not c.closes_clause
    return IGNORE if glued and c.first.is_a("DATE") and amid else None


def _idiom(c: Candidate) -> str | None:
    """Ignore "hoje em dia", and "hoje não funciona"."""
    if c.reading.parts.get("date") != Relative(0) or c.lead:
        return None
    in_day = _is(c.after(), "IN") and _is(c.after(1), "DIA") and not _is(c.after(2), "NUM")
    state = _is(c.after(), "NOT") and not is_infinitive(c.after(1))
    return IGNORE if in_day or state else None


def _bare_shape(c: Candidate) -> str | None:
    """Ignore bare numbers: 10/10 may be a ratio, 16:30 a format, 24h a duration, 1.10.2026 a version; and zones."""
    if c.slots == {"zone"}:
        return IGNORE
    if c.lead or c.tokens[c.start] is not c.first:
        return None
    if c.first.is_a("DOTTED_DATE") or (c.first.is_a("DM") and c.slots <= {"date", "zone"}):
        return IGNORE
    elapsed = c.reading.parts.get("elapsed")
    if isinstance(elapsed, Elapsed) and elapsed.seconds < 60:
        return IGNORE
    if c.slots <= {"clock", "part", "half", "zone"} and (c.first.is_a("CLOCK", "HM", "HOURS", "DIGITS") or _is_bare(c)):
        return IGNORE
    return None


def _is_bare(c: Candidate) -> bool:
    clock = c.reading.parts.get("clock")
    return isinstance(clock, Clock) and clock.bare


def _ordinal(c: Candidate) -> str | None:
    """Ignore "segunda via", "na quarta versão", "até segunda ordem": an ordinal before what it counts.

    The names of weekdays are feminine: in "sexta deploy do backend" no ordinal stands before "deploy".
    """
    last = c.tokens[c.end - 1]
    numbered = last.is_a("NUMBERED_WEEKDAY")
    if "weekday" not in c.slots or not (last.word in ORDINAL_WEEKDAYS or numbered):
        return None
    if numbered and not c.lead and not c.tokens[c.start].is_a("IN"):
        return IGNORE
    noun = c.after()
    if noun is None or not noun.is_a(UNKNOWN) or is_infinitive(noun):
        return None
    if last.word == "terca" and noun.word not in ("parte", "partes"):
        return None
    return IGNORE if _FEMININE.fullmatch(noun.word) or not (c.lead or c.opens_clause) else None


def _short(c: Candidate) -> str | None:
    """Ignore "ter", "sun", "sex" and the like alone: they are words of their own."""
    last = c.tokens[c.end - 1]
    if c.slots != {"weekday"} or last.word not in SHORT_WEEKDAYS:
        return None
    if c.lead or c.tokens[c.start] is not last:
        return IGNORE if last.word == "ter" and not c.closes_clause else None
    return IGNORE


def _hours_as_value(c: Candidate) -> str | None:
    """Ignore "timeout para 24h", "cache por até 48h": so many hours, not an hour."""
    clock = c.reading.parts.get("clock")
    if not isinstance(clock, Clock) or c.slots != {"clock"} or not c.first.is_a("HOURS", "HM", "NUM"):
        return None
    allowance = _is(c.before(), "POR", "PARA") or clock.hour > 23
    only_para = set(c.reading.leads) <= {"para", "por"}
    return IGNORE if c.reading.leads and (only_para or allowance) else None


def _change(c: Candidate) -> str | None:
    """Refuse "remarcar a reunião para sexta": the new date, or the deadline? A bare hour is a setting."""
    towards = "para" in c.reading.leads or _is(c.before(), "TO") or c.tokens[c.start].word in ("al", "ao")
    if not towards or not any(token.word in _CHANGES for token in c.tokens[: min(c.start, 4)]):
        return None
    return "target" if {"date", "weekday"} & c.slots else IGNORE


def _happens(c: Candidate) -> str | None:
    """Ignore what happens then: "cache expira em 24h", "bug relatado na sexta", "teste que falha em 29/02"."""
    if c.lead:
        return None
    before = c.before()
    if before is not None and (before.word in _STATES or _REPORTED.fullmatch(before.word)):
        return IGNORE
    if c.tokens[0].word in _SETTINGS and _is_amount(c):
        return IGNORE
    for distance in (2, 3):
        pronoun = c.before(distance)
        between = c.tokens[max(c.start - distance + 1, 0) : c.start]
        if pronoun and pronoun.word in RELATIVE_PRONOUNS and not any(map(is_infinitive, between)):
            owner = c.before(distance + 1)
            return None if owner and owner.word in _DUTY else IGNORE
    return None


def _is_amount(c: Candidate) -> bool:
    """Tell whether "em 5 minutos" is how much; "de 20 para 5 minutos em 2 dias" has said that, and says when."""
    parts = c.reading.parts.values()
    if not any(isinstance(part, Later | Elapsed) for part in parts):
        return False
    pairs = zip(c.tokens[: c.start], c.tokens[1 : c.start], strict=False)
    said = any(a.is_a("PARA", "TO", "IN", "A") and (b.is_a("NUM") or b.word[:1].isdigit()) for a, b in pairs)
    return not (said and any(isinstance(part, Later) for part in parts))


def _placed(c: Candidate) -> str | None:
    """Accept what opens as a deadline, stands at the start or end of a clause, or is a day counted from today."""
    if c.lead or c.opens_clause or c.closes_clause or isinstance(c.reading.parts.get("date"), Relative):
        return ACCEPT
    prepositional = c.tokens[c.start].is_a("IN", "EL") and bool({"weekday", "date"} & c.slots)
    function_word = _is(c.after(), "ARTICLE", "PARA", "IN", "POR") or (c.after() or c.first).word in (
        "com",
        "con",
        "with",
    )
    weekday = c.reading.parts.get("weekday")
    plain = isinstance(weekday, Weekday) and c.tokens[c.end - 1].word not in ORDINAL_WEEKDAYS - {"terca"}
    named = bool({"weekday", "date"} & c.slots) and "clock" in c.slots
    accepted = named or (prepositional and (function_word or plain))
    return ACCEPT if accepted and not _is(c.after(), "OF") else IGNORE


RULES: tuple[Rule, ...] = (
    _recurring,
    _between,
    _gone,
    _starting,
    _belongs,
    _interface,
    _instant,
    _numbers_before,
    _numbers_after,
    _idiom,
    _bare_shape,
    _ordinal,
    _short,
    _hours_as_value,
    _change,
    _happens,
    _placed,
)


def verdict(candidate: Candidate) -> str:
    """Return ACCEPT, IGNORE or the code of a refusal for a date in a phrase."""
    return next((answer for rule in RULES if (answer := rule(candidate))), IGNORE)
