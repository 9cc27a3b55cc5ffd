"""Calls that are malformed, text-shaped, or named otherwise (rows 1 to 9 and 14)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.hostile.script import (
    CHECKLISTS,
    DESC,
    TITLE,
    P,
    Script,
    add,
    answer,
    card,
    checklist,
    create,
    items_of,
    latest,
    only,
    spoken,
    then_good,
    titles_of,
)
from tests.hostile.wire import encoded, line, raw
from tests.models import writer
from tests.ollama_server import LLAMA
from tests.ollama_steps import Json, Step, call, calls, say


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_exact(card: Json) -> bool:
    """Nothing of what was meant is lost or changed."""
    return (
        (card["name"], card["desc"]) == (TITLE, DESC)
        and titles_of(card) == [title for title, _ in CHECKLISTS]
        and items_of(card) == [items for _, items in CHECKLISTS]
    )


NAMES: dict[str, Callable[[str], str]] = {
    "channel": lambda name: f"{name}<|channel|>commentary",
    "channel json": lambda name: f"{name}<|channel|>json",
    "constrain": lambda name: f"{name}<|constrain|>json",
    "harmony header": lambda name: f"<|channel|>commentary to=functions.{name}",
    "harmony start": lambda name: f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json",
    "commentary to": lambda name: f"assistantcommentary to=functions.{name}",
    "functions": lambda name: f"functions.{name}",
    "function colon": lambda name: f"functions:{name}",
    "tools slash": lambda name: f"tools/{name}",
    "default_api": lambda name: f"default_api.{name}",
    "mcp": lambda name: f"mcp__trello__{name}",
    "camel": lambda name: name.split("_")[0] + "".join(word.title() for word in name.split("_")[1:]),
    "kebab": lambda name: name.replace("_", "-"),
    "upper": str.upper,
    "spaced": lambda name: f" {name}\n",
    "quoted": lambda name: f'"{name}"',
    "brackets": lambda name: f"{name}()",
    "two prefixes": lambda name: f"tool.functions.{name}<|message|>",
}

# What a model prints in the place of a call.
PRINTED: dict[str, Callable[[str, Json], str]] = {
    "json": lambda name, args: as_json({"name": name, "arguments": args}),
    "json parameters": lambda name, args: as_json({"name": name, "parameters": args}),
    "json indented": lambda name, args: json.dumps({"name": name, "arguments": args}, indent=2, ensure_ascii=False),
    "openai": lambda name, args: as_json(
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": as_json(args)}}
    ),
    "function_call": lambda name, args: as_json({"function_call": {"name": name, "arguments": as_json(args)}}),
    "comma too many": lambda name, args: as_json({"name": name, "arguments": args})[:-2] + ",},}",
    "openai list": lambda name, args: as_json(
        {"tool_calls": [{"type": "function", "function": {"name": name, "arguments": args}}]}
    ),
    "list": lambda name, args: as_json([{"name": name, "arguments": args}]),
    "fenced": lambda name, args: f"Vou chamar:\n\n```json\n{as_json({'name': name, 'arguments': args})}\n```\n",
    "tool key": lambda name, args: as_json({"tool": name, "args": args}),
    "action key": lambda name, args: as_json({"action": name, "action_input": args}),
    "flat": lambda name, args: as_json({"tool": name, **args}),
    "keyed": lambda name, args: as_json({name: args}),
    "python_tag": lambda name, args: f"<|python_tag|>{as_json({'name': name, 'parameters': args})}",
    "python_tag call": lambda name, args: f"<|python_tag|>{name}({', '.join(f'{k}={v!r}' for k, v in args.items())})",
    "llama function": lambda name, args: f"<function={name}>{as_json(args)}</function>",
    "hermes": lambda name, args: f"<tool_call>\n{as_json({'name': name, 'arguments': args})}\n</tool_call>",
    "mistral": lambda name, args: f"[TOOL_CALLS][{as_json({'name': name, 'arguments': args})}]",
    "mistral new": lambda name, args: f"[TOOL_CALLS]{name}[ARGS]{as_json(args)}",
    "mistral bare": lambda name, args: f"[TOOL_CALLS]{name}{as_json(args)}",
    "harmony": lambda name, args: (
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{as_json(args)}<|call|>"
    ),
    "functions object": lambda name, args: f"functions.{name}({as_json(args)})",
    "named object": lambda name, args: f"{name}({as_json(args)})",
    "name colon": lambda name, args: f"{name}: {as_json(args)}",
    "name then line": lambda name, args: f"{name}\n{as_json(args)}",
    "react": lambda name, args: f"Thought: agora crio.\nAction: {name}\nAction Input: {as_json(args)}",
    "qwen": lambda name, args: f"✿FUNCTION✿: {name}\n✿ARGS✿: {as_json(args)}",
    "deepseek": lambda name, args: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{as_json(args)}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "python": lambda name, args: f"```python\n{name}({', '.join(f'{k}={v!r}' for k, v in args.items())})\n```",
    "python printed": lambda name, args: f"print({name}({', '.join(f'{k}={v!r}' for k, v in args.items())}))",
    "invoke": lambda name, args: (
        f'<function_calls><invoke name="{name}">'
        + "".join(
            f'<parameter name="{k}">{v if isinstance(v, str) else as_json(v)}</parameter>' for k, v in args.items()
        )
        + "</invoke></function_calls>"
    ),
    "qwen coder": lambda name, args: (
        f"<tool_call>\n<function={name}>\n"
        + "".join(
            f"<parameter={k}>\n{v if isinstance(v, str) else as_json(v)}\n</parameter>\n" for k, v in args.items()
        )
        + "</function>\n</tool_call>"
    ),
    "xml": lambda name, args: (
        f"<{name}>"
        + "".join(f"<{k}>{v if isinstance(v, str) else as_json(v)}</{k}>" for k, v in args.items())
        + f"</{name}>"
    ),
    "thought before": lambda name, args: f"<think>Vou criar.</think>{as_json({'name': name, 'arguments': args})}",
    "python dict": lambda name, args: repr({"name": name, "arguments": args}),
}

# Arguments in another form than an object of the right keys.
ARGUMENTS: dict[str, Callable[[Json], Any]] = {
    "string": as_json,
    "string twice": lambda args: as_json(as_json(args)),
    "python string": repr,
    "list of one": lambda args: [args],
    "camel": lambda args: {_camel(key): value for key, value in args.items()},
    "title case": lambda args: {key.replace("_", " ").title(): value for key, value in args.items()},
    "kebab": lambda args: {key.replace("_", "-"): value for key, value in args.items()},
    "upper": lambda args: {key.upper(): value for key, value in args.items()},
    "properties": lambda args: {"properties": args},
    "schema": lambda args: {"type": "object", "properties": args},
    "arguments": lambda args: {"arguments": args},
    "arguments string": lambda args: {"arguments": as_json(args)},
    "twice wrapped": lambda args: {"parameters": {"arguments": args}},
    "values": lambda args: {key: {"type": "string", "value": value} for key, value in args.items()},
    "the call again": lambda args: {"name": "create_card", "arguments": args},
    "in a card": lambda args: {"list_id": args.get("list_id", ""), "card": args},
    "unknown wrap": lambda args: {"payload": args},
    "portuguese": lambda args: {_PORTUGUESE.get(key, key): value for key, value in args.items()},
    "portuguese accents": lambda args: {_ACCENTED.get(key, key): value for key, value in args.items()},
    "spaces": lambda args: {f" {key} ": value for key, value in args.items()},
}
_PORTUGUESE = {"title": "titulo", "desc": "descricao", "list_id": "lista", "items": "itens", "card_id": "cartao"}
_ACCENTED = {"title": "título", "desc": "descrição", "list_id": "id da lista", "items": "Itens", "card_id": "cartão"}


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join("ID" if word == "id" else word.title() for word in rest)


def shaped(shape: Callable[[Json], Any]) -> Callable[[str, Json], Step]:
    return lambda name, args: call(name, raw_arguments=shape(args))


def as_tool_call(shape: Callable[[str, Json], Any]) -> Callable[[str, Json], Step]:
    """A message whose `tool_calls` are of another shape."""

    def render(name: str, args: Json) -> Step:
        message = {"role": "assistant", "content": "", "tool_calls": shape(name, args)}
        return raw((encoded(line(message)),))

    return render


# Arguments of add_checklist alone.
LISTS: dict[str, Callable[[Json], Any]] = {
    "in a checklist": lambda args: {
        "card_id": args["card_id"],
        "checklist": {"name": args["title"], "items": args["items"]},
    },
    "in a list of checklists": lambda args: {"checklists": [{"title": args["title"], "items": args["items"]}]},
    "keyed items": lambda args: {**args, "items": {"item": args["items"]}},
    "objects of one key": lambda args: {**args, "items": [{"checklist_item": item} for item in args["items"]]},
    "called so": lambda args: {"idCard": args["card_id"], "checklistName": args["title"], "checkItems": args["items"]},
    "its title a key": lambda args: {"checklist": args["title"], "tasks": [{"task": item} for item in args["items"]]},
    "state beside": lambda args: {
        **args,
        "items": [{"name": i, "state": "incomplete", "pos": 1} for i in args["items"]],
    },
}

CALLS: dict[str, Callable[[str, Json], Any]] = {
    "no function": lambda name, args: [{"name": name, "arguments": args}],
    "function a name": lambda name, args: [{"type": "function", "function": name, "arguments": args}],
    "parameters": lambda name, args: [{"function": {"name": name, "parameters": args}}],
    "beside the name": lambda name, args: [{"function": {"name": name, **args}}],
    "not in a list": lambda name, args: {"function": {"name": name, "arguments": args}},
    "ids": lambda name, args: [{"id": 7, "index": "x", "function": {"name": name, "arguments": args, "index": "0"}}],
    "junk beside": lambda name, args: [
        None,
        3,
        "x",
        {"function": None},
        {"function": {"name": name, "arguments": args}},
    ],
}

SCRIPTS = [
    Script("1 well behaved: gpt-oss", writer(), calls_max=4, shown=is_exact),
    Script("1 well behaved: llama", writer(), pulled=LLAMA, calls_max=4, shown=is_exact),
    Script(
        "1 well behaved: PRE",
        then_good(call("resolve_list_id", {}), call("to_rfc3339", {"text": "2030-12-01"})),
        flags=("--due", "2030-12-01 18:00"),
        shown=is_exact,
    ),
    *(
        Script(
            f"2 names: {name}",
            spoken(lambda n, args, put=put: call(put(n), args)),  # type: ignore[misc]
            calls_max=4,
            shown=is_exact,
        )
        for name, put in NAMES.items()
    ),
    *(
        Script(f"4 unknown: {name[:30]!r}", then_good(lambda asked, name=name: call(name, card(asked))), calls_max=5)  # type: ignore[misc]
        for name in ("createTrelloCard", "trello.cards.create", "delete_card", "", "⚙️", "x" * 5000, "{title}", "{0}")
    ),
    Script("4 unknown: for ever", only(call("createTrelloCard", {"title": "x"})), expect=1, calls_max=12),
    Script("4 unknown: drifting", lambda asked, nth: call(f"tool_{nth}", {}), expect=1, calls_max=12),
    *(
        Script(f"5 printed: {name}", spoken(lambda n, args, put=put: say(put(n, args))), calls_max=4, shown=is_exact)  # type: ignore[misc]
        for name, put in PRINTED.items()
    ),
    Script("5 printed, once: yaml", then_good(say("create_card:\n  title: X\n  desc: |\n    Y\n"))),
    Script(
        "5 printed, once: cut json", then_good(say('{"name": "create_card", "arguments": {"title": "Pipe')), calls_max=5
    ),
    Script("5 printed, once: prose", then_good(say("Vou chamar a ferramenta create_card agora.")), calls_max=5),
    Script("5 printed, once: unknown", then_good(say('{"name": "createTrelloCard", "arguments": {"title": "x"}}'))),
    Script(
        "5 printed, once: in a chunk each",
        then_good(lambda asked: say(PRINTED["json"]("create_card", card(asked)), chunks=40)),
    ),
    Script(
        "5 printed, once: only thought",
        then_good(lambda asked: say("", thinking=PRINTED["json"]("create_card", card(asked)))),
    ),
    Script(
        "5 printed, once: in a thinking tag",
        then_good(lambda asked: say(f"<think>{PRINTED['json']('create_card', card(asked, title='Nunca'))}</think>")),
        shown=lambda card: card["name"] == TITLE,
    ),
    *(
        Script(
            f"6 printed, then native: {name}",
            only(
                lambda asked, put=put: say(put("create_card", card(asked))),
                create(),
                add(0),
                add(1),
                answer,  # type: ignore[misc]
            ),
            shown=lambda card: len(card["checklists"]) == 2,
        )
        for name, put in list(PRINTED.items())[:8]
    ),
    Script(
        "7 native and printed: a checklist beside the card",
        then_good(
            lambda asked: call(
                "create_card",
                card(asked),
                content=PRINTED["json"]("add_checklist", checklist(asked, card_id="<card_id>")),
            )
        ),
        shown=is_exact,
    ),
    Script(
        "7 native and printed: the same call",
        then_good(lambda asked: call("create_card", card(asked), content=PRINTED["json"]("create_card", card(asked)))),
        shown=is_exact,
    ),
    Script(
        "7 native and printed: prose beside each",
        spoken(lambda name, args: call(name, args, content=f"Vou chamar {name}.", thinking="Hm.")),
        shown=is_exact,
    ),
    *(
        Script(f"8 echoed result: {name}", then_good(create(), call("create_card", echo)), shown=is_exact)
        for name, echo in {
            "status": {"status": "ok", "tool": "create_card"},
            "ok": {"tool": "create_card", "ok": True, "card_id": "abc", "url": "https://trello.com/c/abc"},
            "empty": {},
        }.items()
    ),
    Script(
        "8 echoed result: printed",
        then_good(create(), lambda asked: say({"tool": "create_card", "ok": True, "url": latest(asked, "url")})),
        shown=is_exact,
    ),
    *(
        Script(f"9 arguments: {name}", spoken(shaped(shape)), calls_max=4, shown=is_exact)
        for name, shape in ARGUMENTS.items()
    ),
    *(
        Script(
            f"9 no arguments: {name}", then_good(call("create_card", raw_arguments=value)), calls_max=5, shown=is_exact
        )
        for name, value in {
            "null": None,
            "empty list": [],
            "number": 7,
            "true": True,
            "text": "crie o cartão",
            "empty text": "",
            "two objects": [{}, {}],
            "cut string": '{"title": "Pipe',
            "deep": json.loads("[" * 400 + "]" * 400),
            "deep object": json.loads('{"a":' * 300 + "1" + "}" * 300),
        }.items()
    ),
    *(
        Script(
            f"9 list's arguments: {name}",
            spoken(lambda n, args, put=put: call(n, put(args) if n == "add_checklist" else args)),  # type: ignore[misc]
            calls_max=4,
            shown=is_exact,
        )
        for name, put in LISTS.items()
    ),
    *(
        Script(f"9 calls: {name}", spoken(as_tool_call(shape)), calls_max=4, shown=is_exact)
        for name, shape in CALLS.items()
    ),
    *(
        Script(
            f"9 broken calls: {name}",
            then_good(lambda asked, shape=shape: as_tool_call(lambda n, a: shape)("", {})),
            shown=is_exact,
        )  # type: ignore[misc]
        for name, shape in {
            "function null": [{"function": None}],
            "text": "create_card",
            "list of text": ["create_card"],
            "no arguments": [{"function": {"name": "create_card"}}],
            "name a number": [{"function": {"name": 12, "arguments": {}}}],
            "name an object": [{"function": {"name": {"a": 1}, "arguments": {}}}],
            "nested lists": [[{"function": {"name": "create_card", "arguments": {}}}]],
        }.items()
    ),
    Script(
        "14 more arguments: labels",
        spoken(lambda name, args: call(name, {**args, "labels": ["x"], "idMembers": ["y"], "pos": "top"})),
        shown=is_exact,
        err="labels",
    ),
    Script(
        "14 more arguments: a secret's name",
        spoken(
            lambda name, args: call(
                name, {**args, "key": "{key}", "token": "{token}", "__class__": "x", "desk": 1, "self": 2}
            )
        ),
        shown=is_exact,
    ),
    Script(
        "14 more arguments: checklists in the card",
        then_good(create(checklists=[{"title": "X", "items": ["a", "b"]}])),
        shown=is_exact,
        err="checklists",
    ),
    Script(
        "14 more arguments: list to resolve",
        then_good(call("resolve_list_id", {"board": 1, "list_name": ["Concluído"], "x": None})),
    ),
    Script(
        "15 in one message: a huge call list",
        then_good(lambda asked: calls(*[("to_rfc3339", {"text": f"dia {n}"}) for n in range(200)])),
        P,
    ),
]
