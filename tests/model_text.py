"""What a scripted model answers to a JSON schema: the least that is whole, in Portuguese."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]

ITEMS_UNLESS_TOLD = 4
TITLE = "Publicar a API com integração e entrega contínuas"
# No two of these, with their number, are equal: a checklist's items must differ.
_SENTENCES = (
    "Conferir que a entrega {} está pronta para a revisão da equipe",
    "Escrever o teste {} e executar sem erros no ambiente local",
    "Registrar o resultado da etapa {} na documentação do projeto",
    "Validar com a equipe o critério {} antes da publicação",
)
_DATES = ("due", "prazo", "deadline", "date", "data")
_TITLES = ("title", "titulo", "título")


def card_from_format(schema: Schema) -> str:
    """Return a JSON text that a schema allows; a property named as a title or a due date gets one, or none."""
    return json.dumps(_Writer(schema).value(schema, ""), ensure_ascii=False)


class _Writer:
    def __init__(self, root: Schema) -> None:
        self.root = root
        self.numbers: Iterator[int] = itertools.count(1)

    def value(self, schema: Schema, key: str) -> Any:
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        kind = schema.get("type", "object" if "properties" in schema else "string")
        kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
        writers: dict[str, Callable[[Schema, str], Any]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": lambda at, _: at.get("minimum", 1),
            "number": lambda at, _: at.get("minimum", 1),
            "boolean": lambda at, _: False,
            "null": lambda at, _: None,
        }
        return writers[kind](schema, key)

    def _resolved(self, schema: Schema) -> Schema:
        """Follow references and take the first alternative that is not null."""
        while True:
            if "$ref" in schema:
                target: Any = self.root
                for name in schema["$ref"].removeprefix("#/").split("/"):
                    target = target[name]
                schema = {key: value for key, value in schema.items() if key != "$ref"} | target
            elif alternatives := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
                schema = next((one for one in alternatives if one.get("type") != "null"), alternatives[0])
            else:
                return schema

    def _object(self, schema: Schema, key: str) -> Any:
        return {name: self.value(part, name) for name, part in schema.get("properties", {}).items()}

    def _array(self, schema: Schema, key: str) -> Any:
        items = schema.get("items", {"type": "string"})
        is_text = self._resolved(items).get("type", "string") == "string"
        count = schema.get("minItems", min(ITEMS_UNLESS_TOLD if is_text else 1, schema.get("maxItems", 10)))
        return [self.value(items, key) for _ in range(count)]

    def _string(self, schema: Schema, key: str) -> str:
        if key.lower() in _DATES and not schema.get("minLength"):
            return ""
        number = next(self.numbers)
        text = TITLE if key.lower() in _TITLES else _SENTENCES[number % len(_SENTENCES)].format(number)
        text = text.ljust(schema.get("minLength", 0), ".")
        return text[: schema.get("maxLength", len(text))]
