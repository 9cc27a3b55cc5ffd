"""Which language a text is in, when it is plain; otherwise nothing.

Portuguese, English and Spanish only: the languages the prompt, the deadlines and the kinds of card exist in.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Language = Literal["pt", "en", "es"]

# Words that are frequent in one of the three languages and absent, or rare, in the other two.
_LISTS: dict[Language, str] = {
    "pt": (
        "o os um uma do da dos das no na nos nas ao aos pelo pela e ou em com não para pra que até às à são está ser "
        "fazer criar novo nova após também já deve devem há sem mais cada quando então amanhã hoje você isso essa esse "
        "sexta segunda quinta terça quarta semana mês ano dia prazo reunião cartão lista próxima próximo depois ontem "
        "fim corrigir implementar revisar publicar escrever atualizar adicionar subir configurar testar enviar "
        "preparar objetivos entregáveis entregas critérios riscos"
    ),
    "en": (
        "the of and to with for on at by from is are be was were this that these those it its an or not will should "
        "must can when then before after next friday monday tuesday wednesday thursday saturday sunday tomorrow today "
        "tonight week month year noon midnight fix add write update create implement new "
        "objectives deliverables criteria risks each every all as in has have into which"
    ),
    "es": (
        "el los las una unos unas del al y en con por para que hasta es son está hacer crear nuevo nueva también ya "
        "debe deben hay sin más cada cuando mañana hoy viernes lunes martes miércoles jueves sábado semana mes año "
        "día próximo próxima después ayer fin la corregir implementar revisar publicar escribir actualizar "
        "reunión tarjeta objetivos entregables criterios riesgos pasado mediodía medianoche tarde noche"
    ),
}
_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", text).casefold())


def guess(text: str) -> Language | None:
    """Return the language of a text, or None when it is not plain which.

    The words that belong to one language only are counted; the first must lead the second clearly.

    Args:
        text: Any text; code, urls and names in it count for nothing.
    """
    words = _words(text)
    scores = {language: sum(_weight(word, language) for word in words) for language in _WORDS}
    ranked: list[Language] = sorted(scores, key=lambda language: -scores[language])
    best, second = scores[ranked[0]], scores[ranked[1]]
    return ranked[0] if best >= 1 and best >= 1.5 * second else None


def _weight(word: str, language: Language) -> float:
    """Return how much a word speaks for a language: one, shared among the languages that have it, or nothing."""
    homes = sum(word in vocabulary for vocabulary in _WORDS.values())
    return 1 / homes if word in _WORDS[language] and homes < len(_WORDS) else 0.0
