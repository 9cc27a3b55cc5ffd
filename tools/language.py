"""Which language a text is in, when it is plain; otherwise nothing.

Portuguese, English and Spanish only: the languages the prompt, the deadlines and the kinds of card exist in.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Language = Literal["pt", "en", "es"]

# Words that are frequent in the language. One that another language has too is in both lists, also where it is another
# word there ("as", "do", "por", "la"), and then it speaks for neither alone.
_LISTS: dict[Language, str] = {
    "pt": (
        "o os a as um uma uns umas do da dos das no na nos nas ao aos pelo pela pelos pelas e ou em com não por "
        "para pra pro que de la me se até às à são está ser foi tem sem fazer criar novo nova após também já deve "
        "devem há mais cada quando então como sobre entre amanhã hoje hj você isso isto essa esse esta este sexta "
        "segunda quinta terça quarta semana mês mes ano dia tarde noite manhã prazo reunião cartão lista próxima "
        "próximo depois ontem fim final corrigir consertar ajustar arrumar implementar revisar publicar escrever "
        "atualizar adicionar remover trocar otimizar subir configurar testar enviar preparar listar filtrar "
        "ordenar buscar validar exportar autenticar tela botão senha arquivo tabela dados banco erro erros fatura "
        "faturas pedido pedidos cliente usuário usuários relatório relatórios servidor página data datas do teste "
        "testes tarefa equipe time objetivos entregáveis entregas critérios riscos"
    ),
    "en": (
        "the of and to with for on at by from is are be was were this that these those it its an a as in no do me "
        "or not will should must can when then before after next friday monday tuesday wednesday thursday "
        "saturday sunday tomorrow today tonight week month year noon midnight fix add write update create "
        "implement new remove make use support handle rename user users page button data error errors file files "
        "test tests time final pro objectives deliverables criteria risks each every all has have into which we "
        "our when how about so"
    ),
    "es": (
        "el los la las a un una unos unas del al y e o en con no por para que de se me hasta es son está ser "
        "tiene sin hacer crear nuevo nueva también ya debe deben hay más cada cuando como sobre entre mañana hoy "
        "viernes lunes martes miércoles jueves sábado semana mes año día tarde noche próximo próxima después ayer "
        "fin final corregir arreglar ajustar implementar revisar publicar escribir actualizar agregar remover "
        "subir configurar probar enviar preparar listar filtrar ordenar buscar validar exportar autenticar "
        "pantalla botón contraseña archivo tabla datos error errores factura facturas pedido pedidos cliente "
        "usuario usuarios informe servidor página fecha prueba pruebas tarea equipo esta este reunión tarjeta "
        "objetivos entregables criterios riesgos pasado mediodía medianoche"
    ),
}
_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
_SPELLING: dict[Language, re.Pattern[str]] = {
    "pt": re.compile(r"[ãõç]|ões$|lh|nh|ê|ô"),
    "en": re.compile(r"wh|[a-z]th$|ing$|ght"),
    "es": re.compile(r"ñ|ción$|ciones$"),
}


def guess(text: str) -> Language | None:
    """Return the language of a text, or None when it is not plain which.

    The words that belong to one language only are counted, and the spellings; the first must lead the second clearly.
    Most users write Portuguese, so a single word decides for another language only when none speaks for Portuguese.

    Args:
        text: Any text; code, urls and names in it count for nothing.
    """
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", text).casefold())
    scores = {language: sum(_weight(word, language) for word in words) for language in _WORDS}
    ranked: list[Language] = sorted(scores, key=lambda language: -scores[language])
    first, best, second = ranked[0], scores[ranked[0]], scores[ranked[1]]
    if first != "pt" and best < 2 and scores["pt"] >= 0.5:
        return None
    return first if best >= 1 and best >= 1.5 * second else None


def _weight(word: str, language: Language) -> float:
    """Return how much a word speaks for a language: all of it, or a third where another language has it too."""
    if word in _WORDS[language]:
        homes = sum(word in vocabulary for vocabulary in _WORDS.values())
        return {1: 1.0, 2: 0.34}.get(homes, 0.0)
    known = any(word in vocabulary for vocabulary in _WORDS.values())
    return 0.5 if not known and len(word) > 3 and _SPELLING[language].search(word) else 0.0
