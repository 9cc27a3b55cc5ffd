"""What models write in the place of the names that the tools use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from tools.schema import Tool

_ALIASES: Mapping[str, str] = {
    "text": "texto date data when quando due due_date deadline prazo phrase value input",
    "board": "board_url board_id board_name id_board quadro",
    "list_name": "list lista name nome list_title nome_da_lista",
    "list_id": "id_list list lista id_da_lista listid idlist",
    "title": "name titulo nome card_title card_name checklist_title checklist_name checklist",
    "desc": "description descricao descripcion body content card_desc card_description text",
    "due": "due_date deadline prazo date data vencimento due_at plazo rfc3339",
    "card_id": "id_card card cartao id id_do_cartao cardid idcard",
    "items": (
        "itens check_items checkitems checklist_items item tasks tarefas elements list values steps checklist_itens"
    ),
}
_BY_PARAMETER = {parameter: frozenset(names.split()) for parameter, names in _ALIASES.items()}


def canonical_name(name: str, tools: Iterable[str]) -> str:
    """Return the tool a name stands for: template marks, prefix and case dropped; an unknown name as it came."""
    by_shape = {_bare(tool): tool for tool in tools}
    for piece in re.split(r"<\|[^|>]*\|?>?|\|>", name[:500]):
        piece = piece.strip().strip("`'\"()[]{} ")
        for part in (piece, *reversed(re.split(r"[.:/=\s]+|__", piece))):
            if _bare(part) in by_shape:
                return by_shape[_bare(part)]
    return name.strip()


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def snake(key: str) -> str:
    """Return a key in the form of the parameters' names: ``listId``, ``List ID`` and ``list-id`` are ``list_id``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key.strip())
    plain = "".join(c for c in unicodedata.normalize("NFD", spaced.casefold()) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "_", plain).strip("_")


def parameter_of(key: str, tool: Tool, taken: Iterable[str] = ()) -> str:
    """Return the parameter that a key means: its own name, or the first that is called so and not taken; else empty."""
    name = snake(key)
    if name in tool.parameters:
        return name
    taken = set(taken)
    return next((p for p in tool.parameters if p not in taken and name in _BY_PARAMETER.get(p, ())), "")
