"""Test that a fault planted in a conforming exchange is found by the rules about it, and by no other rule."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from payloads import as_events
from reading import all_exchanges

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

JUDGE = Judge(engines.load())

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL = {
    "id": "call_Fake00000000000000000001",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
USAGE = {
    "prompt_tokens": 8,
    "completion_tokens": 4,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
}
ENVELOPE = {
    "created": 1760000000,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}


def _request(**properties: Any) -> dict[str, Any]:
    return {
        "model": "gpt-4.1-mini",
        "messages": [{"role": "user", "content": "Weather in Paris? As JSON."}],
        **properties,
    }


def _answer(finish: str, **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, "refusal": None, "annotations": []} | message,
        "logprobs": None,
        "finish_reason": finish,
    }
    return {
        "id": "chatcmpl-Fake0000000000000000000000001",
        "object": "chat.completion",
        "choices": [choice],
        "usage": copy.deepcopy(USAGE),
        **ENVELOPE,
    }


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-Fake0000000000000000000000002",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
        **ENVELOPE,
    }


def _fragment(**properties: Any) -> dict[str, Any]:
    return _chunk({"tool_calls": [{"index": 0, **properties}]})


def _text_stream() -> list[dict[str, Any]]:
    first = {"role": "assistant", "content": "", "refusal": None}
    body = [_chunk(first), _chunk({"content": "Sun"}), _chunk({"content": "ny."}), _chunk({}, "stop")]
    return [*body, _chunk({}) | {"choices": [], "usage": copy.deepcopy(USAGE)}]


def _call_stream() -> list[dict[str, Any]]:
    first = {"role": "assistant", "content": None, "refusal": None}
    first_fragment = {**CALL, "function": {"name": "get_weather", "arguments": ""}}
    return [
        _chunk({**first, "tool_calls": [{"index": 0, **first_fragment}]}),
        _fragment(function={"arguments": '{"city": '}),
        _fragment(function={"arguments": '"Paris"}'}),
        _chunk({}, "tool_calls"),
        _chunk({}) | {"choices": [], "usage": copy.deepcopy(USAGE)},
    ]


def _function_stream() -> list[dict[str, Any]]:
    """Return a stream that calls a function in the form that OpenAI used before there were tool calls."""
    chunks = _call_stream()
    for chunk in chunks[:3]:
        delta = chunk["choices"][0]["delta"]
        delta["function_call"] = delta.pop("tool_calls")[0]["function"]
    chunks[3]["choices"][0]["finish_reason"] = "function_call"
    return chunks


def _streaming(**properties: Any) -> dict[str, Any]:
    return _request(stream=True, stream_options={"include_usage": True}, **properties)


def _sse(chunks: list[Any]) -> str:
    return as_events(*chunks, "[DONE]")


def _answer_with_two_choices() -> dict[str, Any]:
    answer = _answer("stop", content="Sunny.")
    answer["choices"].append({**copy.deepcopy(answer["choices"][0]), "index": 1})
    return answer


Parts = dict[str, Any]
GOOD_EXCHANGES: dict[str, Callable[[], Parts]] = {
    "text": lambda: {"request": _request(), "response": _answer("stop", content="Sunny.")},
    "call": lambda: {"request": _request(tools=[TOOL]), "response": _answer("tool_calls", tool_calls=[CALL])},
    "two": lambda: {"request": _request(n=2), "response": _answer_with_two_choices()},
    "json": lambda: {
        "request": _request(response_format={"type": "json_object"}),
        "response": _answer("stop", content='{"sky": "sunny"}'),
    },
    "logprobs": lambda: {
        "request": _request(logprobs=True),
        "response": _answer("stop", content="Sunny."),
    },
    "stream": lambda: {"request": _streaming(), "chunks": _text_stream()},
    "calls": lambda: {"request": _streaming(tools=[TOOL]), "chunks": _call_stream()},
    "function": lambda: {"chunks": _function_stream()},
    "turns": lambda: {
        "request": _request(tools=[TOOL])
        | {
            "messages": [
                {"role": "user", "content": "Weather in Paris?"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": CALL["id"], "content": "Sunny"},
            ]
        },
        "response": _answer("stop", content="Sunny."),
    },
}


def _good_exchange(name: str) -> Parts:
    parts = copy.deepcopy(GOOD_EXCHANGES[name]())
    if name == "logprobs":
        token = {"token": "Sunny.", "logprob": -0.1, "bytes": [*b"Sunny."], "top_logprobs": []}
        parts["response"]["choices"][0]["logprobs"] = {"content": [token], "refusal": None}
    return parts


def _find_rules(parts: Parts) -> set[str]:
    """Return the names of the rules that find something in an exchange."""
    record = {"status": 200, **parts}
    if "chunks" in record:
        record["sse"] = _sse(record.pop("chunks"))
    text = json.dumps(record)
    for old, new in record.pop("spelling", ()):
        assert old in text
        text = text.replace(old, new, 1)
    [exchange] = all_exchanges(f"{text}\n", "planted.jsonl")
    return {finding.rule for finding in JUDGE.judge(exchange).findings}


def _put(*steps: Any) -> Callable[[Any], Callable[[Parts], None]]:
    """Return a function that takes a value, and returns the function that puts this value at the pointer."""

    def plant_value(value: Any) -> Callable[[Parts], None]:
        def plant(parts: Parts) -> None:
            parent = parts
            for step in steps[:-1]:
                parent = parent[step]
            parent[steps[-1]] = value

        return plant

    return plant_value


def _remove(*steps: Any) -> Callable[[Parts], None]:
    """Return the function that removes the value at the pointer."""

    def plant(parts: Parts) -> None:
        parent = parts
        for step in steps[:-1]:
            parent = parent[step]
        del parent[steps[-1]]

    return plant


def _rename_property(old: str, new: str, *steps: Any) -> Callable[[Parts], None]:
    def plant(parts: Parts) -> None:
        parent = parts
        for step in steps:
            parent = parent[step]
        parent[new] = parent.pop(old)

    return plant


def _change_each_chunk(change: Callable[[int, dict[str, Any]], None]) -> Callable[[Parts], None]:
    def plant(parts: Parts) -> None:
        for number, chunk in enumerate(parts["chunks"]):
            change(number, chunk)

    return plant


def _insert_chunk(position: int, chunk: Any) -> Callable[[Parts], None]:
    return lambda parts: parts["chunks"].insert(position, chunk)


def _change_stream_text(change: Callable[[str], str]) -> Callable[[Parts], None]:
    def plant(parts: Parts) -> None:
        parts["sse"] = change(_sse(parts.pop("chunks")))

    return plant


def _replace_text(old: str, new: str) -> Callable[[Parts], None]:
    return _put("spelling")([(old, new)])


def _repeat_name(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        for call in choice["delta"].get("tool_calls", ()):
            call["function"]["name"] = "get_weather"


def _repeat_type(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        for call in choice["delta"].get("tool_calls", ()):
            call["type"] = "function"


def _add_to_later_fragments(name: str | None = None, **head: Any) -> Callable[[Parts], None]:
    """Return a function that adds parts of a head, as a beginning has it, to the other fragments of a call."""

    def add(number: int, chunk: dict[str, Any]) -> None:
        for choice in chunk["choices"] if number else ():
            for call in choice["delta"].get("tool_calls", ()):
                call |= head
                call["function"] |= {} if name is None else {"name": name}

    return _change_each_chunk(add)


def _number_calls(*indexes: int) -> Callable[[Parts], None]:
    """Return a function that adds a call, and gives the calls these indexes."""

    def number(parts: Parts) -> None:
        parts["chunks"].insert(3, _chunk({"tool_calls": [{"index": 1, **OTHER_CALL}]}))
        for chunk in parts["chunks"][:4]:
            [call] = chunk["choices"][0]["delta"]["tool_calls"]
            call["index"] = indexes[call["index"]]

    return number


def _repeat_old_name(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        if "function_call" in choice["delta"]:
            choice["delta"]["function_call"]["name"] = "get_weather"


def _remove_index(number: int, chunk: dict[str, Any]) -> None:
    for choice in chunk["choices"]:
        for call in choice["delta"].get("tool_calls", ()):
            del call["index"]


def _repeat_arguments(parts: Parts) -> None:
    _, *fragments = (call for chunk in parts["chunks"][:3] for call in chunk["choices"][0]["delta"]["tool_calls"])
    parts["chunks"].insert(3, _fragment(function={"arguments": '{"city": "Paris"}'}))
    for fragment, arguments in zip(fragments, ('{"city', '{"city": "Pa'), strict=True):
        fragment["function"]["arguments"] = arguments


def _repeat_old_arguments(parts: Parts) -> None:
    for number, arguments in ((1, '{"city": '), (2, '{"city": "Par'), (3, '{"city": "Paris"}')):
        if number == 3:
            parts["chunks"].insert(3, _chunk({"function_call": {}}))
        parts["chunks"][number]["choices"][0]["delta"]["function_call"]["arguments"] = arguments


def _send_a_completion(parts: Parts) -> None:
    parts["chunks"] = [_answer("stop", content="Sunny.")]


def _wrap(*path: str | int) -> Callable[[Parts], None]:
    def wrap(parts: Parts) -> None:
        value: Any = parts
        for step in path:
            value = value[step]
        _put(*path)({"success": True, "data": value})(parts)

    return wrap


def _set_counts_to_zero(parts: Parts) -> None:
    parts["response"]["usage"].update(prompt_tokens=0, completion_tokens=0, total_tokens=0)


def _set_prompt_count_to_zero(parts: Parts) -> None:
    parts["response"]["usage"].update(prompt_tokens=0, total_tokens=4)


def _put_usage_on_each_chunk(parts: Parts) -> None:
    parts["chunks"].pop()
    for chunk in parts["chunks"]:
        chunk["usage"] = copy.deepcopy(USAGE)


def _number_choices_by_kind_of_chunk(parts: Parts) -> None:
    parts["chunks"].pop()
    del parts["request"]["stream_options"]
    for chunk, index in zip(parts["chunks"], (0, 1, 1, 2), strict=True):
        del chunk["usage"]
        chunk["choices"][0]["index"] = index


def _repeat_choice_in_a_chunk(parts: Parts) -> None:
    choices = parts["chunks"][1]["choices"]
    choices.append({**choices[0], "delta": {"content": "ny."}})


def _end_with_an_error_event(text: str) -> str:
    return text[: text.index("data", 10)] + 'event: error\ndata: {"code": 500, "text": "overloaded"}\n\n'


def _move_usage_behind_the_end(text: str) -> str:
    done = "data: [DONE]\n\n"
    *events, usage = text.removesuffix(done).split("\n\n")[:-1]
    return "\n\n".join([*events, done.strip(), usage]) + "\n\n"


def _make_tool_strict(parts: Parts) -> None:
    parts["request"]["tools"][0]["function"]["strict"] = True


CHOICE = ("response", "choices", 0)
MESSAGE = (*CHOICE, "message")
FIRST_CALL = ("response", "choices", 0, "message", "tool_calls", 0)
NULLS: dict[str, Any] = dict.fromkeys(["id", "object", "created", "model", "choices", "usage"])
EMPTY_START = {
    "id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]
}  # fmt: skip
OTHER_CALL = {**CALL, "id": "call_Fake00000000000000000002"}

FAULTS: list[tuple[str, str, Callable[[Parts], None], set[str]]] = [
    # faults of a completion
    ("finish reason of another engine", "text", _put(*CHOICE, "finish_reason")("eos"), {"unknown-value"}),
    (
        "finish reason misspelt",
        "text",
        _rename_property("finish_reason", "finish_reson", *CHOICE),
        {"missing-property", "unknown-property"},
    ),
    ("no id", "text", _remove("response", "id"), {"missing-property"}),
    ("created as a string", "text", _put("response", "created")("1760000000"), {"wrong-type"}),
    ("created in milliseconds", "text", _put("response", "created")(1760000000000), {"created-in-milliseconds"}),
    ("created beyond 64 bits", "text", _put("response", "created")(10**20), {"out-of-range"}),
    ("model is null", "text", _put("response", "model")(None), {"null-value"}),
    ("no choices", "text", _put("response", "choices")([]), {"wrong-length"}),
    ("two choices of one index", "two", _put("response", "choices", 1, "index")(0), {"choice-index-duplicate"}),
    ("choices in another order", "two", lambda parts: parts["response"]["choices"].reverse(), {"choice-index-order"}),
    ("delta for message", "text", _rename_property("message", "delta", *CHOICE), {"delta-in-completion"}),
    ("content in parts", "text", _put(*MESSAGE, "content")([{"type": "text", "text": "Sunny."}]), {"wrong-type"}),
    ("role of another API", "text", _put(*MESSAGE, "role")("model"), {"unknown-value"}),
    ("total is off", "text", _put("response", "usage", "total_tokens")(13), {"usage-total-mismatch"}),
    ("usage all zero", "text", _set_counts_to_zero, {"usage-zero"}),
    ("no tokens in the prompt", "text", _set_prompt_count_to_zero, {"usage-zero"}),
    ("negative count", "text", _put("response", "usage", "completion_tokens")(-1), {"out-of-range"}),
    (
        "more reasoning than answer",
        "text",
        _put("response", "usage", "completion_tokens_details", "reasoning_tokens")(99),
        {"usage-detail-above-total"},
    ),
    ("call without a name", "call", _put(*FIRST_CALL, "function", "name")(""), {"tool-call-name-empty"}),
    ("arguments as an object", "call", _put(*FIRST_CALL, "function", "arguments")({"city": "Paris"}), {"wrong-type"}),
    ("arguments cut", "call", _put(*FIRST_CALL, "function", "arguments")('{"city": "Pa'), {"arguments-not-json"}),
    ("one id for two calls", "call", _put(*MESSAGE, "tool_calls")([CALL, CALL]), {"tool-call-id-duplicate"}),
    ("call of no tool", "call", _put(*FIRST_CALL, "function", "name")("get_time"), {"tool-undeclared"}),
    ("stop beside a call", "call", _put(*CHOICE, "finish_reason")("stop"), {"calls-with-stop"}),
    ("message null where calls are announced", "call", _put(*MESSAGE)(None), {"null-value"}),
    ("call null", "call", _put(*FIRST_CALL)(None), {"null-value"}),
    ("delta for message of a call", "call", _rename_property("message", "delta", *CHOICE), {"delta-in-completion"}),
    ("tool calls null", "text", _put(*MESSAGE, "tool_calls")(None), {"null-value"}),
    (
        "a probability above one",
        "logprobs",
        _put(*CHOICE, "logprobs", "content", 0, "logprob")(0.5),
        {"logprob-positive"},
    ),
    ("wrong object", "text", _put("response", "object")("chat.completions"), {"unknown-value"}),
    (
        "error in the envelope of an answer",
        "text",
        _put("response")({**NULLS, "error": {"message": "No credit.", "type": "quota", "param": None, "code": None}}),
        {"error-with-success-status"},
    ),
    ("array for an object", "json", _put(*MESSAGE, "content")('["sunny"]'), {"content-not-object"}),
    ("document twice", "json", _put(*MESSAGE, "content")('{"sky": "sunny"}\n{"sky": "sunny"}'), {"content-not-json"}),
    # faults of a stream
    ("another id", "stream", _put("chunks", 2, "id")("chatcmpl-Fake0000000000000000000000003"), {"stream-id-changed"}),
    ("role again", "stream", _put("chunks", 1, "choices", 0, "delta", "role")("assistant"), {"role-repeated"}),
    ("no role", "stream", _remove("chunks", 0, "choices", 0, "delta", "role"), {"role-missing"}),
    ("role null", "stream", _put("chunks", 0, "choices", 0, "delta", "role")(None), {"role-missing"}),
    ("time as a string on one chunk", "stream", _put("chunks", 1, "created")("1760000000"), {"wrong-type"}),
    ("never finished", "stream", _put("chunks", 3, "choices", 0, "finish_reason")(None), {"finish-reason-missing"}),
    ("finished twice", "stream", _insert_chunk(4, _chunk({}, "stop")), {"finish-reason-repeated"}),
    (
        "text after the finish",
        "stream",
        _insert_chunk(4, _chunk({"content": " Warm."}, None)),
        {"content-after-finish"},
    ),
    ("unfinished after the finish", "stream", _insert_chunk(4, _chunk({}, None)), {"delta-after-finish"}),
    (
        "usage in the middle",
        "stream",
        lambda parts: parts["chunks"].insert(2, parts["chunks"].pop()),
        {"usage-before-content"},
    ),
    ("usage on each chunk", "stream", _put_usage_on_each_chunk, {"usage-repeated", "usage-on-choice-chunk"}),
    ("index counts kinds of chunks", "stream", _number_choices_by_kind_of_chunk, {"choice-index-changed"}),
    ("one index twice in a chunk", "stream", _repeat_choice_in_a_chunk, {"chunk-index-duplicate"}),
    ("one index twice in a chunk of a call", "calls", _repeat_choice_in_a_chunk, {"chunk-index-duplicate"}),
    ("name on each fragment", "calls", _change_each_chunk(_repeat_name), {"tool-call-name-repeated"}),
    ("fragments without index", "calls", _change_each_chunk(_remove_index), {"tool-call-index-missing"}),
    (
        "one index for two calls",
        "calls",
        _insert_chunk(3, _chunk({"tool_calls": [{"index": 0, **OTHER_CALL}]})),
        {"tool-call-index-reused"},
    ),
    ("empty role", "stream", _put("chunks", 0, "choices", 0, "delta", "role")(""), {"role-empty"}),
    ("choices null", "stream", _put("chunks", 4, "choices")(None), {"null-value"}),
    ("object of an answer", "stream", _put("chunks", 1, "object")("chat.completion"), {"unknown-value"}),
    ("end of another protocol", "stream", _insert_chunk(5, {"done": True}), {"event-not-chunk"}),
    (
        "empty start",
        "stream",
        _insert_chunk(
            0, EMPTY_START | {"usage": None, "service_tier": "default", "system_fingerprint": "fp_0123456789"}
        ),
        {"envelope-empty", "unknown-property"},
    ),
    ("usage missing", "stream", _remove("chunks", 4), {"asked-usage-missing"}),
    # faults of the text, the status or the content type
    ("no [DONE]", "stream", _change_stream_text(lambda text: text.removesuffix("data: [DONE]\n\n")), {"done-missing"}),
    ("cut in an event", "stream", _change_stream_text(lambda text: text[: text.index("ny.")]), {"event-truncated"}),
    ("error event", "stream", _change_stream_text(_end_with_an_error_event), {"error-in-stream", "sse-extra-field"}),
    (
        "data over two lines",
        "stream",
        _change_stream_text(lambda text: text.replace('"choices"', '\ndata: "choices"', 1)),
        {"sse-multiline-data"},
    ),
    ("lines of Windows", "stream", _change_stream_text(lambda text: text.replace("\n", "\r\n")), {"sse-line-endings"}),
    ("heartbeat", "stream", _change_stream_text(lambda text: ": ping\n\n" + text), {"sse-comment"}),
    ("no number", "text", _replace_text('"completion_tokens": 4', '"completion_tokens": NaN'), {"json-not-a-number"}),
    (
        "a key twice",
        "text",
        _replace_text('"total_tokens": 12', '"total_tokens": 12, "total_tokens": 12'),
        {"json-duplicate-key"},
    ),
    (
        "comma before a bracket",
        "text",
        _replace_text('"audio_tokens": 0}', '"audio_tokens": 0,}'),
        {"json-trailing-comma"},
    ),
    ("answer with status 201", "text", _put("status")(201), {"completion-with-error-status"}),
    ("answer with status 302", "text", _put("status")(302), {"completion-with-error-status"}),
    ("answer with status 500", "text", _put("status")(500), {"completion-with-error-status"}),
    (
        "page of a gateway",
        "text",
        lambda parts: parts.update(response_text="<html>Sorry.</html>", response=None),
        {"body-not-json"},
    ),
    ("stream sent as JSON", "stream", _put("content_type")("application/json"), {"stream-content-type"}),
    ("arguments repeated in each fragment", "calls", _repeat_arguments, {"content-cumulative"}),
    ("type on each fragment", "calls", _change_each_chunk(_repeat_type), {"tool-call-type-repeated"}),
    (
        "head on each fragment",
        "calls",
        _add_to_later_fragments("get_weather", id=CALL["id"], type="function"),
        {"tool-call-name-repeated"},
    ),
    (
        "id and type on each fragment",
        "calls",
        _add_to_later_fragments(id=CALL["id"], type="function"),
        {"tool-call-id-repeated"},
    ),
    (
        "empty head on each fragment",
        "calls",
        _add_to_later_fragments("", id="", type="function"),
        {"tool-call-fragment-id-empty"},
    ),
    (
        "empty name and type on each fragment",
        "calls",
        _add_to_later_fragments("", type="function"),
        {"tool-call-fragment-name-empty"},
    ),
    (
        "null for the id beside the type on each fragment",
        "calls",
        _add_to_later_fragments(id=None, type="function"),
        {"tool-call-null-property"},
    ),
    ("one index for all calls, that of none", "calls", _number_calls(7, 7), {"tool-call-index-reused"}),
    ("calls counted from 1", "calls", _number_calls(1, 2), {"tool-call-index-jump"}),
    (
        "end left out",
        "stream",
        _change_stream_text(lambda text: text[: text.index("ny.")].rpartition("data:")[0]),
        {"finish-reason-missing"},
    ),
    ("unknown tier on one chunk", "stream", _put("chunks", 2, "service_tier")("fast"), {"stream-tier-changed"}),
    (
        "function call of no function",
        "text",
        _put("response", "choices", 0, "message", "function_call")({"name": "", "arguments": ""}),
        {"tool-call-name-empty"},
    ),
    ("arguments repeated in the old form of calls", "function", _repeat_old_arguments, {"content-cumulative"}),
    (
        "name repeated in the old form of calls",
        "function",
        _change_each_chunk(_repeat_old_name),
        {"tool-call-name-repeated"},
    ),
    ("completion in an envelope", "call", _wrap("response"), {"completion-wrapped"}),
    ("failure in another form", "text", _put("response")({"code": 500, "msg": "no"}), {"body-not-completion"}),
    ("chunk in an envelope", "stream", _wrap("chunks", 2), {"event-not-chunk"}),
    ("completion in place of chunks", "stream", _send_a_completion, {"event-not-chunk"}),
    (
        "completion behind the chunks",
        "stream",
        _insert_chunk(5, _answer("stop", content="Sunny.")),
        {"event-not-chunk"},
    ),
    ("usage of nothing", "stream", _put("chunks", 4, "usage")({}), {"missing-property"}),
    ("data after the end", "stream", _change_stream_text(_move_usage_behind_the_end), {"data-after-done"}),
    # faults of a request
    ("option misspelt", "text", _put("request", "temprature")(0.5), {"unknown-property"}),
    ("too hot", "text", _put("request", "temperature")(3), {"out-of-range"}),
    (
        "answer to no call",
        "turns",
        _put("request", "messages", 2, "tool_call_id")("call_Fake00000000000000000009"),
        {"tool-message-unmatched", "tool-call-unanswered"},
    ),
    ("five stops", "text", _put("request", "stop")(["a", "b", "c", "d", "e"]), {"wrong-length"}),
    ("open strict schema", "call", _make_tool_strict, {"strict-object-open"}),
    (
        "two limits",
        "text",
        lambda parts: parts["request"].update(max_tokens=9, max_completion_tokens=9),
        {"token-limits-both"},
    ),
    (
        "name with a space",
        "call",
        lambda parts: parts["request"]["tools"].append({"type": "function", "function": {"name": "get time"}}),
        {"wrong-format"},
    ),
    ("role of nobody", "text", _put("request", "messages", 0, "role")("bot"), {"unknown-value"}),
]


@pytest.mark.parametrize("name", GOOD_EXCHANGES)
def test_good_exchange_has_no_finding(name: str) -> None:
    assert _find_rules(_good_exchange(name)) == set()


@pytest.mark.parametrize(
    ("exchange", "plant", "expected"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_planted_fault_is_found_and_no_other(exchange: str, plant: Callable[[Parts], None], expected: set[str]) -> None:
    parts = _good_exchange(exchange)
    plant(parts)
    assert _find_rules(parts) == expected


def test_there_are_at_least_sixty_faults_with_unique_names() -> None:
    assert len(FAULTS) >= 60
    assert len({name for name, *_ in FAULTS}) == len(FAULTS)
