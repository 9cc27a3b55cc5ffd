"""One conversation with the model about one card: how it opens, what reminds, when it is over.

Facts (langgraph 1.2.24, langgraph-prebuilt 1.1.3, langchain-ollama 1.1.0):

* Calls of one message run in threads: ``max_concurrency`` 1 keeps their order, the desk's lock makes sure of it.
* The tool node swallows exceptions by default; with ``handle_tool_errors=False`` and a wrapper around each call the
  desk alone decides what the model is told, of names that no tool has too.
* An even recursion limit ends a run as if all were well: the limit here is far above the desk's own.
* ``llm_input_messages`` of the hook before the model adds reminders that never enter the history, so that what was
  sent stays the beginning of what is sent next, and Ollama's prefix cache holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphRecursionError

from tools.card import Lack
from tools.desk import Desk, next_call
from tools.guards import ConversationOver, Reminders
from tools.model import Model, call_arguments
from tools.schema import Tool

_RECURSION_LIMIT = 199


class _CardIsFull(Exception):
    """Nothing can be added to the card: the model is not asked again."""


class Conversation:
    """One conversation with the model about one card.

    Args:
        desk: What the tools may touch.
        model: The model, as Ollama describes it.
        due_words: The words of the run's due date, if it has one.
    """

    def __init__(self, desk: Desk, model: Model, due_words: str) -> None:
        self._desk, self._model, self._due_words = desk, model, due_words
        self._reminders = Reminders()
        self._pending = ""
        self._fields = desk.words.fields(desk.brief.board, desk.brief.list_name, desk.brief.due)

    @property
    def system(self) -> str:
        """The system prompt."""
        return self._desk.words.system(self._fields)

    def tools(self) -> list[BaseTool]:
        """Return the tools for the graph: the schema for the model, the desk behind each."""
        return [self._structured(tool) for tool in self._desk.tools.values()]

    def _structured(self, tool: Tool) -> StructuredTool:
        def answer(**arguments: Any) -> str:
            return self._desk.call(tool.name, call_arguments(arguments))

        return StructuredTool(name=tool.name, description=tool.description, args_schema=tool.schema(), func=answer)

    def hold(self, graph: Any) -> None:
        """Talk until the card is full, or the model is done with it, or reminding it does not help any more.

        Args:
            graph: The compiled agent.

        Raises:
            ConversationOver: When the model loops or has used up its calls.
            Failure: When the model or Trello fails for good.
        """
        messages = self._opening()
        while True:
            try:
                state = graph.invoke(
                    {"messages": messages}, {"max_concurrency": 1, "recursion_limit": _RECURSION_LIMIT}
                )
            except _CardIsFull:
                return
            except GraphRecursionError as error:
                raise ConversationOver("the conversation does not end") from error
            messages = state["messages"]
            self._desk.said = max(self._desk.said, str(messages[-1].content), key=len)
            missing = self._reminders.due(lack for lack in self._desk.lacks() if next_call([lack]))
            if not missing:
                return
            self._pending = self._reminder(missing)

    def _reminder(self, missing: list[Lack]) -> str:
        return self._desk.words.reminder(missing, next_call(missing))

    def _opening(self) -> list[AnyMessage]:
        """Return the first messages: the phrase, and what the code knows already as the tools' own results."""
        brief, words = self._desk.brief, self._desk.words
        messages: list[AnyMessage] = [HumanMessage(words.user(brief.phrase, self._fields))]
        known: list[tuple[str, dict[str, str], dict[str, Any]]] = [
            ("resolve_list_id", {}, {"list_id": brief.list_id, "list_name": brief.list_name})
        ]
        if brief.due:
            known.insert(0, ("to_rfc3339", {"text": self._due_words}, {"due": brief.due}))
        for name, arguments, answer in known:
            call = {"name": name, "args": arguments, "id": f"known_{name}"}
            result = json.dumps({"tool": name, "ok": True, **answer}, ensure_ascii=False)
            messages += [AIMessage("", tool_calls=[call]), ToolMessage(result, tool_call_id=call["id"], name=name)]
        return messages

    def before_model(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Stop when the card is full; else give the model the history, with a reminder at its end if one is due."""
        if self._desk.is_full():
            raise _CardIsFull
        self._desk.next_turn()
        messages = list(state["messages"])
        nudge = self._nudge(messages[-1])
        return {"llm_input_messages": [*messages, HumanMessage(nudge)] if nudge else messages}

    def _nudge(self, last: AnyMessage) -> str:
        """Return the user's message to end the prompt with: what is missing, or to go on where that is needed."""
        nudge, self._pending = self._pending, ""
        short, self._desk.short = self._desk.short, []
        if not nudge and (missing := self._reminders.due(short)):
            nudge = self._reminder(missing)
        if not nudge and self._model.tools_need_user and isinstance(last, ToolMessage):
            nudge = str(self._desk.words.messages["go_on"])
        return nudge

    def serve(self, request: Any, execute: Callable[[Any], Any]) -> Any:
        """Let the graph execute one call; a name that no tool has is answered by the desk."""
        if request.tool is not None:
            return execute(request)
        call = request.tool_call
        return ToolMessage(
            self._desk.call(call["name"], call_arguments(call["args"])), tool_call_id=call["id"], name=call["name"]
        )
