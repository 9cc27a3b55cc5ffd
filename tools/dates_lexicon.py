"""The words of deadlines in Portuguese, English and Spanish: one table, from a class to its words.

A word may be in several classes ("dez" is ten and December, "mañana" is tomorrow and morning): the patterns of
`tools.dates_grammar` choose by what stands around it. Words are written as `tools.dates_text.fold` leaves them: lower
case, without accents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

Language = Literal["pt", "en", "es"]
LANGUAGES: tuple[Language, ...] = ("pt", "en", "es")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set: how lists of words are written in these modules."""
    return frozenset(text.split())


# Class -> the words of pt, en, es.
_PLAIN: dict[str, tuple[str, str, str]] = {
    "TODAY": ("hoje hj", "today", "hoy"),
    "TOMORROW": ("amanha amnh amn", "tomorrow", "manana"),
    "YESTERDAY": ("ontem", "yesterday", "ayer"),
    "ANTEONTEM": ("anteontem antontem", "", "anteayer antier"),
    "PASADO": ("", "", "pasado"),
    "TONIGHT": ("", "tonight", ""),
    "STILL": ("ainda", "", ""),
    "SAME": ("mesmo", "", "mismo"),
    "FEIRA": ("feira", "", ""),
    "DIA": ("dia", "day", "dia"),
    "DIAS": ("dias", "days", "dias"),
    "WEEK": ("semana", "week", "semana"),
    "MES": ("mes", "month", "mes"),
    "ANO": ("ano", "year", "ano"),
    "HOUR": ("hora horas h hs hr hrs", "hour hours h hr hrs", "hora horas h hs hr hrs"),
    "HOURS_OF_CLOCK": ("hora horas h hs hr hrs", "h hr hrs", "hora horas h hs hr hrs"),
    "H": ("h hs hr hrs", "h hr hrs", "h hs hr hrs"),
    "MINUTE": ("minuto minutos min mins", "minute minutes min mins", "minuto minutos min mins"),
    "SECOND": ("segundo segundos seg", "second seconds sec secs", "segundo segundos seg"),
    "THIS": (
        "este esta esse essa neste nesta nesse nessa deste desta desse dessa",
        "this",
        "este esta esse essa",
    ),
    "NEXT": ("proximo proxima prox", "next coming", "proximo proxima prox"),
    "QUE": ("que q", "", "que"),
    "VEM": ("vem", "", "viene"),
    "LAST": ("ultimo ultima", "last", "ultimo ultima"),
    "FIRST": ("primeiro primeira", "first", "primero primer primera"),
    "START": ("inicio comeco principio", "start beginning", "inicio comienzo principio principios inicios comienzos"),
    "END": ("fim final fins finais", "end", "fin final finales fines"),
    "EOD": ("", "eod", ""),
    "EOW": ("", "eow", ""),
    "EOM": ("", "eom", ""),
    "EOY": ("", "eoy", ""),
    "COB": ("", "cob eob", ""),
    "CLOSE": ("", "close", ""),
    "WORKDAY": ("expediente", "business workday", "jornada"),
    "MEIO": ("meio", "", "medio"),
    "HALF": ("meia", "half", "media"),
    "NOITE": ("noite", "", "noche"),
    "NOON": ("meiodia", "noon midday", "mediodia"),
    "MIDNIGHT": ("meianoite", "midnight", "medianoche"),
    "QUARTER": ("", "quarter", "cuarto"),
    "SHARP": ("", "sharp", ""),
    "PONTO": ("ponto", "", "punto"),
    "OCLOCK": ("", "oclock", ""),
    "MANANA": ("", "", "manana"),
    "AND": ("e", "and", "y"),
    "OR": ("ou", "or", "u"),
    "OF": ("de do da dos das", "of", "de del"),
    "DE": ("de", "", "de"),
    "OF_THE": ("da do", "", "del"),
    "OF_ENGLISH": ("", "of", ""),
    "ARTICLE": ("o a os as", "the", "el la las"),
    "EL": ("", "", "el"),
    "AN": ("", "a an", ""),
    "A": ("a ao", "", "a al"),
    "AT": ("as a @", "at @", "a las la @"),
    "NOON_PREPOSITION": ("ao", "", "al"),
    "IN": ("em no na", "in on", "en"),
    "PELA": ("pela", "", ""),
    "DAQUI": ("daqui", "", ""),
    "AQUI": ("", "", "aqui"),
    "DENTRO": ("dentro", "", "dentro"),
    "WITHIN": ("", "within", ""),
    "UNTIL": ("ate", "until till by", "hasta"),
    "PARA": ("para pra pro p/", "for", "para"),
    "PRAS": ("pras", "", ""),
    "PRO": ("pro", "", ""),
    "POR": ("por", "", "por"),
    "BEFORE": ("antes", "before", "antes"),
    "LABEL": ("prazo vence vencimento entrega", "deadline due", "plazo vence vencimiento entrega"),
    "DATA": ("data", "date", "fecha"),
    "LIMIT": ("limite final", "", "limite final"),
    "IS": ("e", "is", "es"),
    "NO": ("no", "no", "no"),
    "LATER": ("", "later", ""),
    "THAN": ("", "than", ""),
    "MAXIMUM": ("maximo", "", "maximo"),
    "TO": ("", "to", ""),
    "PAST": ("", "past", ""),
    "MENOS": ("", "", "menos"),
    "FROM": ("", "from", ""),
    "NOW": ("", "now today", ""),
    "RUNNING": ("corridos", "", "corridos"),
    "CLOCK_OF": ("horario hora", "", "horario hora"),
    "TIME": ("", "time", ""),
    # What a due date cannot be: these never belong to a component and say why a text is refused.
    "EVERY": ("todo toda todos todas cada", "every each", "todo toda todos todas cada"),
    "LOS": ("", "", "los"),
    "WEEKDAYS": (
        "segundas tercas quartas quintas sextas sabados domingos",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "sabados domingos",
    ),
    "BUSINESS": ("util uteis", "business working", "habil habiles laborable laborables"),
    "BETWEEN": ("entre", "between", "entre"),
    "AFTER": ("depois apos", "after", "despues tras"),
    "PARTIR": ("partir", "starting from", "partir"),
    "SINCE": ("desde", "since", "desde"),
    "HA": ("ha", "", ""),
    "AGO": ("ha atras passado passada", "ago last", "hace atras pasado pasada"),
    "NOT": ("nao nunca jamais", "not never don't dont", "nunca jamas"),
    "WEEKEND": ("", "weekend", "finde"),
    "VAGUE": (
        "breve logo talvez cedo tarde algum alguns algumas pouco quando quanto possivel urgente sem",
        "soon later maybe asap someday early urgent few couple without",
        "pronto quizas algun algunos algunas poco cuando cuanto posible urgente sin",
    ),
    # What names a day that this grammar does not know, or part of a month: "até o natal", "meados de maio".
    "FEAST": (
        "natal carnaval pascoa reveillon almoco feriado feriados feriadao",
        "christmas xmas easter thanksgiving halloween lunch holiday holidays",
        "navidad carnaval pascua almuerzo feriado feriados",
    ),
    "MIDDLE": ("meados", "mid middle", "mediados"),
    "NEW": ("novo", "new", "nuevo"),
    # Before an English weekday these make the name of an event in every language: "black friday".
    "EVENT": ("black cyber casual", "black cyber casual giving ash good", "black cyber casual"),
    "SEASON": (
        "sprint trimestre semestre bimestre quinzena iteracao",
        "sprint quarter iteration",
        "sprint trimestre semestre quincena iteracion",
    ),
}

# Class -> its values' words by language, "|" between values, and the first value.
_COUNTED: dict[str, tuple[int, str, str, str]] = {
    "WEEKDAY": (
        0,
        "segunda seg|terca ter|quarta qua|quinta qui|sexta sex|sabado sab|domingo dom",
        "monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday sat|sunday sun",
        "lunes lun|martes|miercoles mie|jueves jue|viernes vie|sabado sab|domingo dom",
    ),
    "MONTH": (
        1,
        "janeiro jan|fevereiro fev|marco mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|"
        "outubro out|novembro nov|dezembro dez",
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|"
        "october oct|november nov|december dec",
        "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre setiembre sep|"
        "octubre oct|noviembre nov|diciembre dic",
    ),
    "NUM": (
        1,
        "um uma|dois duas|tres|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|quatorze catorze|quinze|"
        "dezesseis dezasseis|dezessete dezassete|dezoito|dezenove dezanove|vinte",
        "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
        "eighteen|nineteen|twenty",
        "un una uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieciseis|"
        "diecisiete|dieciocho|diecinueve|veinte|veintiuno veintiun veintiuna|veintidos|veintitres|veinticuatro|"
        "veinticinco|veintiseis|veintisiete|veintiocho|veintinueve|treinta",
    ),
    "ORDINAL": (
        1,
        "primeiro",
        "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|"
        "fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth",
        "primero",
    ),
}

_TENS: tuple[str, str, str] = (
    "vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem",
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred",
    "veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien",
)

# Class -> value -> words of pt, en, es.
_NAMED: dict[str, dict[str, tuple[str, str, str]]] = {
    "UNIT": {
        "day": ("dia dias", "day days", "dia dias"),
        "week": ("semana semanas", "week weeks", "semana semanas"),
        "month": ("mes meses", "month months", "mes meses"),
        "year": ("ano anos", "year years", "ano anos"),
    },
    "DAYPART": {
        "morning": ("manha", "morning", ""),
        "afternoon": ("tarde", "afternoon", "tarde"),
        "evening": ("", "evening", ""),
        "night": ("noite", "night", "noche"),
        "dawn": ("madrugada", "", "madrugada"),
    },
    "HALF_DAY": {"am": ("", "am", ""), "pm": ("", "pm", "")},
    "TUESDAY_OR_MARCH": {"1": ("", "", "mar")},
    "CITY": {
        "America/Sao_Paulo": ("brasilia", "brasilia", "brasilia"),
        "Europe/Lisbon": ("lisboa", "lisbon", "lisboa"),
    },
}

# Weekdays that are ordinals too ("segunda via", "quarta versão"), and abbreviations that are words of their own.
ORDINAL_WEEKDAYS = frozenset({"segunda", "terca", "quarta", "quinta", "sexta"})
SHORT_WEEKDAYS = words("seg ter qua qui sex sab dom mon tue tues wed thu thur thurs fri sat sun lun mie jue vie")


@dataclass(slots=True)
class Entry:
    """What a word can be: its classes with the value in each, and the languages it is a word of."""

    values: dict[str, Any]
    languages: set[Language]


@cache
def entries() -> dict[str, Entry]:
    """Return the whole lexicon, from a folded word to what it can be."""
    lexicon: dict[str, Entry] = {}
    for name, words in _PLAIN.items():
        _add_all(lexicon, name, True, words)
    for name, (first, *columns) in _COUNTED.items():
        for language, column in zip(LANGUAGES, columns, strict=True):
            for value, words_of_value in enumerate(column.split("|"), start=first):
                _add(lexicon, name, value, language, words_of_value)
                if name == "NUM":
                    _add(lexicon, "NUMWORD", value, language, words_of_value)
                if name == "MONTH" and language == "en":
                    _add(lexicon, "MONTH_ENGLISH", value, language, words_of_value)
    for language, column in zip(LANGUAGES, _TENS, strict=True):
        for tens, word in enumerate(column.split("|"), start=2):
            for name in ("NUM", "NUMWORD", "TENS"):
                _add(lexicon, name, tens * 10, language, word)
    for name, values in _NAMED.items():
        for value_name, words in values.items():
            _add_all(lexicon, name, value_name, words)
    return lexicon


def _add_all(lexicon: dict[str, Entry], name: str, value: Any, words: tuple[str, str, str]) -> None:
    for language, column in zip(LANGUAGES, words, strict=True):
        _add(lexicon, name, value, language, column)


def _add(lexicon: dict[str, Entry], name: str, value: Any, language: Language, words: str) -> None:
    for word in words.split():
        entry = lexicon.setdefault(word, Entry({}, set()))
        entry.values[name] = value
        entry.languages.add(language)
