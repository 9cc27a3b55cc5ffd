"""Every word that is said to the model, from ``prompts/``: one Markdown file a section, Portuguese and English.

The parts that are the same for every task come first and in a fixed order, so that Ollama's prefix cache keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tools.card import Card, Lack, as_markdown
from tools.kinds import PROMPTS, Kind, local
from tools.language import Language

_SECTIONS = ("10-role.md", "20-steps.md", "30-card.md", "90-task.md")  # stable first


@dataclass(frozen=True)
class Words:
    """The texts in one language.

    Args:
        kind: The kind of card that is written.
        language: The language of the card.
        prompt: The language of the texts; by default English for English, else Portuguese.
    """

    kind: Kind
    language: Language
    prompt: Language | None = None

    @cached_property
    def messages(self) -> Mapping[str, Any]:
        """The short texts: reminders, errors, names."""
        data: Mapping[str, Any] = json.loads((self._folder / "messages.json").read_text(encoding="utf-8"))
        return data

    @property
    def _folder(self) -> Any:
        return PROMPTS / ("en" if (self.prompt or self.language) == "en" else "pt")

    def _file(self, name: str, values: Mapping[str, str]) -> str:
        text: str = (self._folder / name).read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        return text.strip()

    def _common(self) -> dict[str, str]:
        return {
            "headings": "\n".join(f"- ## {local(part.heading, self.language)}" for part in self.kind.parts),
            "part_ids": ", ".join(f"`{part.id}`" for part in self.kind.parts),
            "instructions": str(local(self.kind.instructions, self.language)),
            "language_name": self.language_name,
        }

    @property
    def language_name(self) -> str:
        """The card's language, called by its name in the prompt's language."""
        return str(self.messages["language_names"][self.language])

    def fields(self, board: str, list_name: str, due: str) -> list[str]:
        """Return ``name: value`` for each of board, list and due that is given."""
        names = self.messages["fields"]
        given = {"board": board, "list": list_name, "due": due}
        return [f"{names[key]}: {value}" for key, value in given.items() if value]

    def system(self, fields: Iterable[str]) -> str:
        """Return the system prompt of the conversation with tools."""
        values = {**self._common(), "fields": "\n".join(f"- {field}" for field in fields)}
        return "\n\n".join(self._file(name, values) for name in _SECTIONS if fields or name != "90-task.md")

    def plan(self) -> str:
        """Return the system prompt of a plan."""
        return self._file("plan.md", self._common())

    def user(self, phrase: str, fields: Iterable[str]) -> str:
        """Return the user's message: the phrase with the task's fields behind it, for models that read only this."""
        return " | ".join([phrase, *fields])

    def lacks(self, lacks: Iterable[Lack]) -> str:
        """Say what is missing, in one line."""
        texts = self.messages["lacks"]
        said = []
        for lack in lacks:
            names = ", ".join(self._part_name(name) for name in lack.names)
            said.append(str(texts[lack.code]).format(names=names, language_name=self.language_name))
        return "; ".join(said)

    def _part_name(self, name: str) -> str:
        return next((str(local(part.heading, self.language)) for part in self.kind.parts if part.id == name), name)

    def reminder(self, lacks: Iterable[Lack], call: str) -> str:
        """Return the message that tells the model what is missing and which tool to call.

        Args:
            lacks: What is missing.
            call: A tool's name, or ``plan``.
        """
        return str(self.messages["reminder"]).format(lacks=self.lacks(lacks), call=self.messages["calls"][call])

    def plan_request(self, keys: Iterable[str], lacks: Iterable[Lack], card: Card) -> str:
        """Return the message that asks for the missing parts of a card as a plan."""
        keys = ", ".join(f"`{key}`" for key in keys)
        request = str(self.messages["plan_request"]).format(keys=keys, lacks=self.lacks(lacks))
        if not (card.title or card.desc):
            return request
        return f"{self.messages['plan_card']}\n{request}".replace("{card}", as_markdown(card))

    def error(self, code: str, **values: str) -> dict[str, str]:
        """Return ``error`` and ``next`` of a refusal."""
        texts = self.messages["errors"][code]
        return {"error": texts["error"].format(**values), "next": texts["next"].format(**values)}

    def note(self, code: str, **values: str) -> str:
        """Return a remark that goes with a good answer."""
        return str(self.messages["notes"][code]).format(**values)

    def then(self, step: str) -> str:
        """Return what to do next, as a clause."""
        return str(self.messages["then"][step])
