"""Plant faults: each function changes the parts of a good exchange, or returns a function that does."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from good_exchanges import CALL, USAGE, Parts, events_of, make_answer, make_chunk, make_fragment

OTHER_CALL = {**CALL, "id": "call_Fake00000000000000000002"}


def _value_at(parts: Parts, *steps: str | int) -> Any:
    value: Any = parts
    for step in steps:
        value = value[step]
    return value


def put(*steps: str | int, value: Any) -> Callable[[Parts], None]:
    """Return the function that puts a value at the pointer."""

    def plant(parts: Parts) -> None:
        _value_at(parts, *steps[:-1])[steps[-1]] = value

    return plant


def remove(*steps: str | int) -> Callable[[Parts], None]:
    """Return the function that removes the value at the pointer."""

    def plant(parts: Parts) -> None:
        del _value_at(parts, *steps[:-1])[steps[-1]]

    return plant


def rename_property(old: str, new: str, *steps: str | int) -> Callable[[Parts], None]:
    """Return the function that gives a property of the object at the pointer another name."""

    def plant(parts: Parts) -> None:
        parent = _value_at(parts, *steps)
        parent[new] = parent.pop(old)

    return plant


def move(holder: dict[str, Any], name: str, into: str) -> None:
    """Move a property of an object into one of the objects that it holds."""
    holder[into][name] = holder.pop(name)


def move_out(*steps: str | int) -> Callable[[Parts], None]:
    """Return the function that moves the property at the pointer into the object around its own."""

    def plant(parts: Parts) -> None:
        inside = [position for position, step in enumerate(steps) if isinstance(step, str)][-2]
        holder = _value_at(parts, *steps[:inside])
        holder[steps[-1]] = _value_at(parts, *steps[:-1]).pop(steps[-1])

    return plant


def repeat_last(*steps: str | int) -> Callable[[Parts], None]:
    """Return the function that adds a copy of its last item to the array at the pointer."""

    def plant(parts: Parts) -> None:
        items = _value_at(parts, *steps)
        put(*steps, value=[*items, copy.deepcopy(items[-1])])(parts)

    return plant


def copy_choice(number: int) -> Callable[[Parts], None]:
    """Return the function that puts a copy of the choice of a chunk on the chunk with the usage."""
    return lambda parts: parts["chunks"][-1].update(choices=copy.deepcopy(parts["chunks"][number]["choices"]))


def replace_end(end: str) -> Callable[[Parts], None]:
    """Return the function that writes another event in place of the end of the stream."""
    return change_stream_text(lambda text: text.replace("data: [DONE]\n\n", end))


def change_each_chunk(change: Callable[[int, dict[str, Any]], None]) -> Callable[[Parts], None]:
    """Return the function that changes each chunk, with its number, as another function says."""

    def plant(parts: Parts) -> None:
        for number, chunk in enumerate(parts["chunks"]):
            change(number, chunk)

    return plant


def insert_chunk(position: int, chunk: Any) -> Callable[[Parts], None]:
    """Return the function that inserts a chunk before the one at a position."""
    return lambda parts: parts["chunks"].insert(position, chunk)


def change_stream_text(change: Callable[[str], str]) -> Callable[[Parts], None]:
    """Return the function that changes the text of the events."""

    def plant(parts: Parts) -> None:
        parts["sse"] = change(events_of(parts.pop("chunks")))

    return plant


def replace_text(old: str, new: str) -> Callable[[Parts], None]:
    """Return the function that has a part of the record's JSON text replaced."""
    return put("spelling", value=[(old, new)])


def add_to_later_fragments(name: str | None = None, **head: Any) -> Callable[[Parts], None]:
    """Return the function that repeats parts of the first fragment of a call, such as its type, in the others."""

    def add(number: int, chunk: dict[str, Any]) -> None:
        for choice in chunk["choices"] if number else ():
            for call in choice["delta"].get("tool_calls", ()):
                call |= head
                call["function"] |= {} if name is None else {"name": name}

    return change_each_chunk(add)


def number_calls(*indexes: int) -> Callable[[Parts], None]:
    """Return the function that adds a call, and gives the calls these indexes."""

    def plant(parts: Parts) -> None:
        parts["chunks"].insert(3, make_chunk({"tool_calls": [{"index": 1, **OTHER_CALL}]}))
        for chunk in parts["chunks"][:4]:
            [call] = chunk["choices"][0]["delta"]["tool_calls"]
            call["index"] = indexes[call["index"]]

    return plant


def repeat_old_name(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        if "function_call" in choice["delta"]:
            choice["delta"]["function_call"]["name"] = "get_weather"


def remove_index(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        for call in choice["delta"].get("tool_calls", ()):
            del call["index"]


def number_fragment(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        for call in choice["delta"].get("tool_calls", ()):
            call["index"] = number


def repeat_arguments(parts: Parts) -> None:
    _, *fragments = (call for chunk in parts["chunks"][:3] for call in chunk["choices"][0]["delta"]["tool_calls"])
    parts["chunks"].insert(3, make_fragment(function={"arguments": '{"city": "Paris"}'}))
    for fragment, arguments in zip(fragments, ('{"city', '{"city": "Pa'), strict=True):
        fragment["function"]["arguments"] = arguments


def repeat_old_arguments(parts: Parts) -> None:
    for number, arguments in ((1, '{"city": '), (2, '{"city": "Par'), (3, '{"city": "Paris"}')):
        if number == 3:
            parts["chunks"].insert(3, make_chunk({"function_call": {}}))
        parts["chunks"][number]["choices"][0]["delta"]["function_call"]["arguments"] = arguments


def send_a_completion(parts: Parts) -> None:
    parts["chunks"] = [make_answer("stop", content="Sunny.")]


def wrap(*steps: str | int) -> Callable[[Parts], None]:
    """Return the function that puts the value at the pointer into an envelope."""

    def plant(parts: Parts) -> None:
        put(*steps, value={"success": True, "data": _value_at(parts, *steps)})(parts)

    return plant


def set_counts_to_zero(parts: Parts) -> None:
    parts["response"]["usage"].update(prompt_tokens=0, completion_tokens=0, total_tokens=0)


def set_prompt_count_to_zero(parts: Parts) -> None:
    parts["response"]["usage"].update(prompt_tokens=0, total_tokens=4)


def put_usage_on_each_chunk(parts: Parts) -> None:
    parts["chunks"].pop()
    for chunk in parts["chunks"]:
        chunk["usage"] = copy.deepcopy(USAGE)


def number_choices_by_kind_of_chunk(parts: Parts) -> None:
    parts["chunks"].pop()
    del parts["request"]["stream_options"]
    for chunk, index in zip(parts["chunks"], (0, 1, 1, 2), strict=True):
        del chunk["usage"]
        chunk["choices"][0]["index"] = index


def repeat_choice_in_a_chunk(parts: Parts) -> None:
    choices = parts["chunks"][1]["choices"]
    choices.append({**choices[0], "delta": {"content": "ny."}})


def end_with_an_error_event(text: str) -> str:
    return text[: text.index("data", 10)] + 'event: error\ndata: {"code": 500, "text": "overloaded"}\n\n'


def move_usage_behind_the_end(text: str) -> str:
    done = "data: [DONE]\n\n"
    *events, usage = text.removesuffix(done).split("\n\n")[:-1]
    return "\n\n".join([*events, done.strip(), usage]) + "\n\n"


def make_tool_strict(parts: Parts) -> None:
    parts["request"]["tools"][0]["function"]["strict"] = True


def flatten(parts: Parts, *steps: str | int) -> dict[str, Any]:
    """Put the properties of the object at the pointer into the object around, and return them."""
    inner: dict[str, Any] = _value_at(parts, *steps[:-1]).pop(steps[-1])
    _value_at(parts, *steps[:-1]).update(inner)
    return inner


MIXTURES: dict[str, Callable[[list[Any], list[Any]], list[Any]]] = {
    "one by one": lambda one, other: [chunk for pair in zip_longest(one, other) for chunk in pair if chunk is not None],
    "one behind the other": lambda one, other: [*one, *other],
    "one inside the other": lambda one, other: [*one[:2], *other, *one[2:]],
}
"""How the chunks of two answers may stand in one stream."""

SECOND_FAULTS: list[tuple[tuple[str | int, ...], object, str]] = [
    (("request", "temperature"), "hot", "wrong-type"),
    (("response", "created"), "1760000000", "wrong-type"),
    (("response", "usage", "total_tokens"), 13, "usage-total-mismatch"),
    (("response", "choices", 0, "message", "role"), "model", "unknown-value"),
    (("chunks", 1, "created"), 1760000009, "stream-created-changed"),
    (("chunks", 1, "choices", 0, "delta", "role"), "assistant", "role-repeated"),
]
"""Where another fault is planted, with which value, and what is found."""


def second_answer(parts: Parts) -> list[dict[str, Any]]:
    """Return chunks like those of an exchange, of another answer."""
    other = {"id": "chatcmpl-Fake0000000000000000000000099", "created": 1760000009}
    return [{**chunk, **other} for chunk in copy.deepcopy(parts["chunks"])]
