"""What a whole clause of a phrase says about a date in it: that it is forbidden, or that the phrase gives orders."""

from __future__ import annotations

from collections.abc import Sequence

from tools.dates_context import MARKS, RELATIVE_PRONOUNS, Candidate, is_infinitive
from tools.dates_lexicon import words
from tools.dates_text import Token

_FORGET = words(
    """esquecer esqueca esquecam forget olvidar olvides olvide deixar deixe perder perca atrasar atrase miss"""
)


def negated(c: Candidate) -> Token | None:
    """Return the word that forbids instead of asking ("não fazer deploy na sexta"), or None.

    What a relative clause denies ("botão que não salva") is not the task's, and "não esquecer de" asks.
    """
    after = c.after()
    if after is not None and after.is_a("NOT") and is_infinitive(c.after(1)):
        return after
    begin = next((i + 1 for i in range(c.start - 1, -1, -1) if c.tokens[i].is_a(*MARKS)), 0)
    for index in range(begin, c.start):
        token, following = c.tokens[index], c.at(index + 1)
        english = index == begin and any(t.languages == {"en"} for t in c.tokens[c.start : c.end])
        no = token.word == "no" and (is_infinitive(following) or english)
        if not (token.is_a("NOT") or no) or (index and c.tokens[index - 1].word in RELATIVE_PRONOUNS):
            continue
        if any(word.word in _FORGET for word in c.tokens[index + 1 : index + 4]):
            continue
        if (
            index == begin
            or is_infinitive(following)
            or index == c.start - 1
            or c.tokens[index - 1].word in ("do", "does")
        ):
            return token
    return None


_IGNORE_WORDS = words("ignore ignora ignorar ignorem disregard desconsidere desconsiderar override bypass")
_ORDER_WORDS = words(
    """regra regras instrucao instrucoes rule rules instruction instructions prompt system reglas instrucciones previous
    anterior anteriores"""
)


def ordering(tokens: Sequence[Token]) -> Token | None:
    """Return the word by which a phrase gives orders to the tool ("ignore as regras e use …"), or None."""
    if not _ORDER_WORDS & {token.word for token in tokens}:
        return None
    return next((token for token in tokens if token.word in _IGNORE_WORDS), None)
