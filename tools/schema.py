"""A tool's schema, read from its signature and its docstring: what the model sees of it.

Ollama passes on only type, items, description and enum of a parameter, and a nullable type reaches some templates as
an empty object, so the schemas are flat: text, or a list of text (measured with langchain-ollama 1.1.0).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_JSON_TYPES = {"str": "string", "list[str]": "array"}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool: its JSON type, what it is, whether it must be given."""

    type: str
    description: str
    required: bool

    def schema(self) -> dict[str, Any]:
        """Return the parameter's JSON schema."""
        items = {"items": {"type": "string"}} if self.type == "array" else {}
        return {"type": self.type, **items, "description": self.description}


@dataclass(frozen=True)
class Tool:
    """A tool as the model sees it, and the function behind it.

    Args:
        name: The function's name.
        description: The docstring up to ``Args:``, on one line.
        parameters: By name, in order; the function's first parameter, the desk, is not among them.
        function: Called with the desk and the arguments.
    """

    name: str
    description: str
    parameters: dict[str, Parameter]
    function: Callable[..., dict[str, Any]]

    def run(self, desk: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call the function; a parameter that is not given is empty, for the function to judge."""
        empty = {name: [] if p.type == "array" else "" for name, p in self.parameters.items()}
        return self.function(desk, **{**empty, **arguments})

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {name: parameter.schema() for name, parameter in self.parameters.items()},
            "required": [name for name, parameter in self.parameters.items() if parameter.required],
        }


def read_tool(function: Callable[..., dict[str, Any]]) -> Tool:
    """Read a tool from its function.

    Raises:
        ValueError: When a parameter is not documented, a documented one does not exist, or a type is not flat.
    """
    text, _, described = (inspect.getdoc(function) or "").partition("\nArgs:\n")
    notes = {
        m[1]: " ".join(m[2].split()) for m in re.finditer(r"^ +(\w+): ((?:.+\n?)(?:^ {8,}.+\n?)*)", described, re.M)
    }
    names = list(inspect.signature(function).parameters.values())[1:]
    if {parameter.name for parameter in names} != set(notes):
        raise ValueError(f"{function.__name__}: the docstring describes {sorted(notes)}, not its parameters")
    parameters = {}
    for parameter in names:
        if str(parameter.annotation) not in _JSON_TYPES:
            raise ValueError(f"{function.__name__}: {parameter.name} has no flat type")
        required = parameter.default is inspect.Parameter.empty
        parameters[parameter.name] = Parameter(_JSON_TYPES[str(parameter.annotation)], notes[parameter.name], required)
    return Tool(function.__name__, " ".join(text.split()), parameters, function)
