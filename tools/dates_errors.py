"""Why a text is not one due date, and how that is said in Portuguese, English and Spanish."""

from __future__ import annotations

from tools.dates_lexicon import Language

# Code -> what is wrong, in pt, en, es. {word} is the part of the text that is meant.
_WRONG: dict[str, tuple[str, str, str]] = {
    "empty": ("O prazo está vazio.", "The due date is empty.", "El plazo está vacío."),
    "too_long": (
        "O texto é longo demais para ler um prazo nele.",
        "The text is too long to read a due date in it.",
        "El texto es demasiado largo para leer un plazo en él.",
    ),
    "bad_character": (
        "Há um caractere que não cabe num prazo: {word}.",
        "There is a character that no due date has: {word}.",
        "Hay un carácter que no cabe en un plazo: {word}.",
    ),
    "leftover": (
        "Não entendi «{word}» no prazo.",
        "I did not understand “{word}”.",
        "No entendí «{word}» en el plazo.",
    ),
    "dangling": (
        "Falta a data depois de «{word}».",
        "The date after “{word}” is missing.",
        "Falta la fecha tras «{word}».",
    ),
    "no_date": (
        "Não há data nem hora em «{word}».",
        "There is no date or time in “{word}”.",
        "No hay fecha ni hora en «{word}».",
    ),
    "vague": ("«{word}» não diz um dia.", "“{word}” does not name a day.", "«{word}» no dice un día."),
    "two_dates": (
        "Há mais de uma data: «{word}».",
        "There is more than one date: “{word}”.",
        "Hay más de una fecha: «{word}».",
    ),
    "two_times": (
        "Há mais de uma hora: «{word}».",
        "There is more than one time: “{word}”.",
        "Hay más de una hora: «{word}».",
    ),
    "two_zones": (
        "Há mais de um fuso: «{word}».",
        "There is more than one zone: “{word}”.",
        "Hay más de un huso: «{word}».",
    ),
    "range": (
        "«{word}» é um intervalo, não um prazo.",
        "“{word}” is a range, not one due date.",
        "«{word}» es un intervalo, no un plazo.",
    ),
    "recurrence": (
        "«{word}» se repete; um cartão tem um prazo só.",
        "“{word}” repeats; a card has one due date.",
        "«{word}» se repite; una tarjeta tiene un solo plazo.",
    ),
    "business_days": (
        "Dias úteis não são contados («{word}»).",
        "Business days are not counted (“{word}”).",
        "Los días hábiles no se cuentan («{word}»).",
    ),
    "start": (
        "«{word}» diz quando começa, não o prazo.",
        "“{word}” says when it starts, not when it is due.",
        "«{word}» dice cuándo empieza, no el plazo.",
    ),
    "ago": ("«{word}» já passou.", "“{word}” is in the past.", "«{word}» ya pasó."),
    "negation": (
        "Com «{word}» não sei se é um prazo.",
        "With “{word}” I cannot tell whether it is a due date.",
        "Con «{word}» no sé si es un plazo.",
    ),
    "duration": (
        "«{word}» é uma duração, não um prazo.",
        "“{word}” is a duration, not a due date.",
        "«{word}» es una duración, no un plazo.",
    ),
    "bare_number": ("O que é «{word}»: dia ou hora?", "Is “{word}” a day or an hour?", "¿Qué es «{word}»: día u hora?"),
    "month_only": ("Falta o dia em «{word}».", "The day is missing in “{word}”.", "Falta el día en «{word}»."),
    "dotted": (
        "«{word}» pode ser uma versão.",
        "“{word}” may be a version.",
        "«{word}» puede ser una versión.",
    ),
    "weekend": (
        "O fim de semana tem dois dias («{word}»).",
        "A weekend has two days (“{word}”).",
        "El fin de semana tiene dos días («{word}»).",
    ),
    "midnight": (
        "«{word}» pode ser o começo ou o fim do dia.",
        "“{word}” may be the beginning or the end of the day.",
        "«{word}» puede ser el comienzo o el final del día.",
    ),
    "invalid_date": (
        "A data «{word}» não existe.",
        "The date “{word}” does not exist.",
        "La fecha «{word}» no existe.",
    ),
    "invalid_time": ("A hora «{word}» não existe.", "The time “{word}” does not exist.", "La hora «{word}» no existe."),
    "invalid_zone": (
        "Não conheço o fuso «{word}».",
        "I do not know the zone “{word}”.",
        "No conozco el huso «{word}».",
    ),
    "contradiction": (
        "O dia da semana não é o da data: «{word}».",
        "The weekday is not that of the date: “{word}”.",
        "El día de la semana no es el de la fecha: «{word}».",
    ),
    "dst_gap": (
        "Nesse dia os relógios pulam «{word}».",
        "On that day the clocks skip “{word}”.",
        "Ese día los relojes se saltan «{word}».",
    ),
    "out_of_range": ("«{word}» está longe demais.", "“{word}” is too far away.", "«{word}» está demasiado lejos."),
    "target": (
        "«{word}» é o prazo ou a data nova?",
        "Is “{word}” the due date or the new date?",
        "¿«{word}» es el plazo o la fecha nueva?",
    ),
    "injection": (
        "«{word}» dá ordens à ferramenta; a data não foi usada.",
        "“{word}” gives orders to the tool; the date was not used.",
        "«{word}» da órdenes a la herramienta; la fecha no se usó.",
    ),
}

# Code -> forms that work, in pt, en, es; "" is for every other code.
_FORMS: dict[str, tuple[str, str, str]] = {
    "": (
        "amanhã 18h, sexta às 17h, 15/12/2026",
        "tomorrow 6pm, friday at 17:00, 15/12/2026",
        "mañana 18h, el viernes a las 17h, 15/12/2026",
    ),
    "two_times": ("sexta 18h", "friday 6pm", "el viernes a las 18h"),
    "two_zones": ("amanhã 18h -03:00", "tomorrow 18:00 UTC", "mañana 18h -03:00"),
    "range": ("o último dia: até sexta 18h", "the last day: by friday 6pm", "el último día: hasta el viernes 18h"),
    "recurrence": ("o próximo dia: sexta 22h", "the next one: friday 10pm", "el próximo: el viernes 22h"),
    "business_days": ("em 7 dias, até sexta", "in 7 days, by friday", "en 7 días, hasta el viernes"),
    "start": ("até sexta", "by friday", "hasta el viernes"),
    "negation": ("até sexta", "by friday", "hasta el viernes"),
    "duration": ("em 3 dias, em 2 horas", "in 3 days, in 2 hours", "en 3 días, en 2 horas"),
    "bare_number": ("dia 15, às 15h", "the 15th, at 15:00", "el 15, a las 15h"),
    "month_only": (
        "15 de dezembro, fim de dezembro",
        "december 15, end of december",
        "15 de diciembre, fin de diciembre",
    ),
    "dotted": ("15/12, 15.12.2026", "15/12, 15.12.2026", "15/12, 15.12.2026"),
    "weekend": ("sábado, domingo 18h", "saturday, sunday 6pm", "el sábado, el domingo 18h"),
    "midnight": ("sexta 00:00 ou sexta 23:59", "friday 00:00 or friday 23:59", "el viernes 00:00 o el viernes 23:59"),
    "invalid_date": ("dia/mês/ano: 31/12/2026", "day/month/year: 31/12/2026", "día/mes/año: 31/12/2026"),
    "invalid_time": (
        "de 00:00 a 23:59: 18h30, 8 da noite",
        "from 00:00 to 23:59: 18:30, 8pm",
        "de 00:00 a 23:59: 18h30, 8 de la noche",
    ),
    "invalid_zone": (
        "18h -03:00, 18h America/Sao_Paulo",
        "18:00 -03:00, 18:00 Europe/Lisbon",
        "18h -03:00, 18h America/Bogota",
    ),
    "dst_gap": ("uma hora mais tarde", "an hour later", "una hora más tarde"),
    "contradiction": ("só a data: 19/06/2026", "the date alone: 19/06/2026", "solo la fecha: 19/06/2026"),
    "target": ("diga o prazo com --due", "give the due date with --due", "dé el plazo con --due"),
    "injection": ("diga o prazo com --due", "give the due date with --due", "dé el plazo con --due"),
}

_TRY: dict[Language, str] = {
    "pt": "Escreva por exemplo: {}",
    "en": "Write for example: {}",
    "es": "Escriba por ejemplo: {}",
}
_COLUMN: dict[Language, int] = {"pt": 0, "en": 1, "es": 2}
_LONGEST_WORD = 60


class Refused(Exception):
    """Carry a code and the words it is about from within the grammar to the public functions."""

    def __init__(self, code: str, word: str = "") -> None:
        """Keep the code and the words."""
        super().__init__(code)
        self.code = code
        self.word = word


class DueError(ValueError):
    """A text that is not one due date; its string says why, in the language of the text, and what works.

    Attributes:
        code: The kind of refusal, one of the keys of the table above ("leftover", "two_dates", "range", …).
        text: The text that was refused.
        word: The part of it that was not understood or not accepted; may be empty.
        language: The language of the text: "pt", "en" or "es".
    """

    def __init__(self, code: str, text: str = "", word: str = "", language: Language = "pt") -> None:
        """Compose the message from the code, the word and the language."""
        self.code = code
        self.text = text
        self.word = shown(word)
        self.language = language
        super().__init__(_message(code, self.word, language))


def shown(text: str) -> str:
    """Return a text as it may be shown on a terminal: no controls or unprintable characters, and not too long."""
    clean = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in " ".join(text.split()))
    return clean if len(clean) <= _LONGEST_WORD else clean[: _LONGEST_WORD - 1] + "…"


def _message(code: str, word: str, language: Language) -> str:
    column = _COLUMN[language]
    wrong = _WRONG[code if word or code in ("empty", "too_long") else "no_date"][column]
    forms = _FORMS.get(code, _FORMS[""])[column]
    return f"{wrong.format(word=word)} {_TRY[language].format(forms)}."
