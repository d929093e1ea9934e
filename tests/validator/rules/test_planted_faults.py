"""Test that a fault planted in a conforming exchange is found by the rules about it, and by no other rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from finding_in_parts import find, find_rules
from good_exchanges import CALL, GOOD_EXCHANGES, Parts, good_exchange, make_answer, make_chunk, make_fragment
from plant_faults import (
    MIXTURES,
    OTHER_CALL,
    add_to_later_fragments,
    change_each_chunk,
    change_stream_text,
    copy_choice,
    end_with_an_error_event,
    flatten,
    insert_chunk,
    make_tool_strict,
    move,
    move_out,
    move_usage_behind_the_end,
    number_calls,
    number_choices_by_kind_of_chunk,
    number_fragment,
    put,
    put_usage_on_each_chunk,
    remove,
    remove_index,
    rename_property,
    repeat_arguments,
    repeat_choice_in_a_chunk,
    repeat_last,
    repeat_old_arguments,
    repeat_old_name,
    replace_end,
    replace_text,
    second_answer,
    send_a_completion,
    set_counts_to_zero,
    set_prompt_count_to_zero,
    wrap,
)

CHOICE = ("response", "choices", 0)
MESSAGE = (*CHOICE, "message")
FIRST_CALL = ("response", "choices", 0, "message", "tool_calls", 0)
NULLS: dict[str, Any] = dict.fromkeys(["id", "object", "created", "model", "choices", "usage"])
EMPTY_START = {
    "id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]
}  # fmt: skip

FAULTS: list[tuple[str, str, Callable[[Parts], None], set[str]]] = [
    # faults of a completion
    ("finish reason of another engine", "text", put(*CHOICE, "finish_reason", value="eos"), {"unknown-value"}),
    (
        "finish reason misspelt",
        "text",
        rename_property("finish_reason", "finish_reson", *CHOICE),
        {"missing-property"},
    ),
    ("no id", "text", remove("response", "id"), {"missing-property"}),
    ("created as a string", "text", put("response", "created", value="1760000000"), {"wrong-type"}),
    ("created in milliseconds", "text", put("response", "created", value=1760000000000), {"created-in-milliseconds"}),
    ("created beyond 64 bits", "text", put("response", "created", value=10**20), {"out-of-range"}),
    ("model is null", "text", put("response", "model", value=None), {"null-value"}),
    ("no choices", "text", put("response", "choices", value=[]), {"wrong-length"}),
    ("two choices of one index", "two", put("response", "choices", 1, "index", value=0), {"choice-index-duplicate"}),
    ("choices in another order", "two", lambda parts: parts["response"]["choices"].reverse(), {"choice-index-order"}),
    ("delta for message", "text", rename_property("message", "delta", *CHOICE), {"delta-in-completion"}),
    ("content in parts", "text", put(*MESSAGE, "content", value=[{"type": "text", "text": "Sunny."}]), {"wrong-type"}),
    ("role of another API", "text", put(*MESSAGE, "role", value="model"), {"unknown-value"}),
    ("total is off", "text", put("response", "usage", "total_tokens", value=13), {"usage-total-mismatch"}),
    ("usage all zero", "text", set_counts_to_zero, {"usage-zero"}),
    ("no tokens in the prompt", "text", set_prompt_count_to_zero, {"usage-zero"}),
    ("negative count", "text", put("response", "usage", "completion_tokens", value=-1), {"out-of-range"}),
    (
        "more reasoning than answer",
        "text",
        put("response", "usage", "completion_tokens_details", "reasoning_tokens", value=99),
        {"usage-detail-above-total"},
    ),
    ("call without a name", "call", put(*FIRST_CALL, "function", "name", value=""), {"tool-call-name-empty"}),
    (
        "arguments as an object",
        "call",
        put(*FIRST_CALL, "function", "arguments", value={"city": "Paris"}),
        {"wrong-type"},
    ),
    ("arguments cut", "call", put(*FIRST_CALL, "function", "arguments", value='{"city": "Pa'), {"arguments-not-json"}),
    ("one id for two calls", "call", put(*MESSAGE, "tool_calls", value=[CALL, CALL]), {"tool-call-id-duplicate"}),
    ("call of no tool", "call", put(*FIRST_CALL, "function", "name", value="get_time"), {"tool-undeclared"}),
    ("stop beside a call", "call", put(*CHOICE, "finish_reason", value="stop"), {"calls-with-stop"}),
    ("message null where calls are announced", "call", put(*MESSAGE, value=None), {"null-value"}),
    ("call null", "call", put(*FIRST_CALL, value=None), {"null-value"}),
    ("delta for message of a call", "call", rename_property("message", "delta", *CHOICE), {"delta-in-completion"}),
    ("tool calls null", "text", put(*MESSAGE, "tool_calls", value=None), {"null-value"}),
    (
        "a probability above one",
        "logprobs",
        put(*CHOICE, "logprobs", "content", 0, "logprob", value=0.5),
        {"logprob-positive"},
    ),
    ("wrong object", "text", put("response", "object", value="chat.completions"), {"unknown-value"}),
    (
        "error in the envelope of an answer",
        "text",
        put(
            "response",
            value={**NULLS, "error": {"message": "No credit.", "type": "quota", "param": None, "code": None}},
        ),
        {"error-with-success-status"},
    ),
    ("array for an object", "json", put(*MESSAGE, "content", value='["sunny"]'), {"content-not-object"}),
    (
        "document twice",
        "json",
        put(*MESSAGE, "content", value='{"sky": "sunny"}\n{"sky": "sunny"}'),
        {"content-not-json"},
    ),
    # faults of a stream
    (
        "another id",
        "stream",
        put("chunks", 2, "id", value="chatcmpl-Fake0000000000000000000000003"),
        {"stream-id-changed"},
    ),
    ("role again", "stream", put("chunks", 1, "choices", 0, "delta", "role", value="assistant"), {"role-repeated"}),
    ("no role", "stream", remove("chunks", 0, "choices", 0, "delta", "role"), {"role-missing"}),
    ("role null", "stream", put("chunks", 0, "choices", 0, "delta", "role", value=None), {"role-missing"}),
    ("time as a string on one chunk", "stream", put("chunks", 1, "created", value="1760000000"), {"wrong-type"}),
    (
        "never finished",
        "stream",
        put("chunks", 3, "choices", 0, "finish_reason", value=None),
        {"finish-reason-missing"},
    ),
    ("finished twice", "stream", insert_chunk(4, make_chunk({}, "stop")), {"finish-reason-repeated"}),
    (
        "text after the finish",
        "stream",
        insert_chunk(4, make_chunk({"content": " Warm."}, None)),
        {"content-after-finish"},
    ),
    ("unfinished after the finish", "stream", insert_chunk(4, make_chunk({}, None)), {"delta-after-finish"}),
    (
        "usage in the middle",
        "stream",
        lambda parts: parts["chunks"].insert(2, parts["chunks"].pop()),
        {"usage-before-content"},
    ),
    ("usage on each chunk", "stream", put_usage_on_each_chunk, {"usage-repeated"}),
    ("index counts kinds of chunks", "stream", number_choices_by_kind_of_chunk, {"choice-index-changed"}),
    ("one index twice in a chunk", "stream", repeat_choice_in_a_chunk, {"chunk-index-duplicate"}),
    ("one index twice in a chunk of a call", "calls", repeat_choice_in_a_chunk, {"chunk-index-duplicate"}),
    ("name on each fragment", "calls", add_to_later_fragments("get_weather"), {"tool-call-name-repeated"}),
    ("fragments without index", "calls", change_each_chunk(remove_index), {"tool-call-index-missing"}),
    (
        "one index for two calls",
        "calls",
        insert_chunk(3, make_chunk({"tool_calls": [{"index": 0, **OTHER_CALL}]})),
        {"tool-call-index-reused"},
    ),
    ("empty role", "stream", put("chunks", 0, "choices", 0, "delta", "role", value=""), {"role-empty"}),
    ("choices null", "stream", put("chunks", 4, "choices", value=None), {"null-value"}),
    ("object of an answer", "stream", put("chunks", 1, "object", value="chat.completion"), {"unknown-value"}),
    ("end of another protocol", "stream", insert_chunk(5, {"done": True}), {"event-not-chunk"}),
    (
        "empty start",
        "stream",
        insert_chunk(
            0, EMPTY_START | {"usage": None, "service_tier": "default", "system_fingerprint": "fp_0123456789"}
        ),
        {"envelope-empty", "unknown-property"},
    ),
    ("usage missing", "stream", remove("chunks", 4), {"asked-usage-missing"}),
    # faults of the text, the status or the content type
    ("no [DONE]", "stream", change_stream_text(lambda text: text.removesuffix("data: [DONE]\n\n")), {"done-missing"}),
    ("cut in an event", "stream", change_stream_text(lambda text: text[: text.index("ny.")]), {"event-truncated"}),
    ("error event", "stream", change_stream_text(end_with_an_error_event), {"error-in-stream", "sse-extra-field"}),
    (
        "data over two lines",
        "stream",
        change_stream_text(lambda text: text.replace('"choices"', '\ndata: "choices"', 1)),
        {"sse-multiline-data"},
    ),
    ("lines of Windows", "stream", change_stream_text(lambda text: text.replace("\n", "\r\n")), {"sse-line-endings"}),
    ("heartbeat", "stream", change_stream_text(lambda text: ": ping\n\n" + text), {"sse-comment"}),
    ("no number", "text", replace_text('"completion_tokens": 4', '"completion_tokens": NaN'), {"json-not-a-number"}),
    (
        "a key twice",
        "text",
        replace_text('"total_tokens": 12', '"total_tokens": 12, "total_tokens": 12'),
        {"json-duplicate-key"},
    ),
    (
        "comma before a bracket",
        "text",
        replace_text('"audio_tokens": 0}', '"audio_tokens": 0,}'),
        {"json-trailing-comma"},
    ),
    ("answer with status 201", "text", put("status", value=201), {"completion-with-error-status"}),
    ("answer with status 302", "text", put("status", value=302), {"completion-with-error-status"}),
    ("answer with status 500", "text", put("status", value=500), {"completion-with-error-status"}),
    (
        "page of a gateway",
        "text",
        lambda parts: parts.update(response_text="<html>Sorry.</html>", response=None),
        {"body-not-json"},
    ),
    ("stream sent as JSON", "stream", put("content_type", value="application/json"), {"stream-content-type"}),
    ("arguments repeated in each fragment", "calls", repeat_arguments, {"content-cumulative"}),
    ("type on each fragment", "calls", add_to_later_fragments(type="function"), {"tool-call-type-repeated"}),
    (
        "head on each fragment",
        "calls",
        add_to_later_fragments("get_weather", id=CALL["id"], type="function"),
        {"tool-call-name-repeated"},
    ),
    (
        "id and type on each fragment",
        "calls",
        add_to_later_fragments(id=CALL["id"], type="function"),
        {"tool-call-id-repeated"},
    ),
    (
        "empty head on each fragment",
        "calls",
        add_to_later_fragments("", id="", type="function"),
        {"tool-call-fragment-id-empty"},
    ),
    (
        "name and type on each fragment",
        "calls",
        add_to_later_fragments("get_weather", type="function"),
        {"tool-call-name-repeated"},
    ),
    (
        "empty id and type on each fragment",
        "calls",
        add_to_later_fragments(id="", type="function"),
        {"tool-call-fragment-id-empty"},
    ),
    (
        "empty name and type on each fragment",
        "calls",
        add_to_later_fragments("", type="function"),
        {"tool-call-fragment-name-empty"},
    ),
    (
        "null for the id beside the type on each fragment",
        "calls",
        add_to_later_fragments(id=None, type="function"),
        {"tool-call-null-property"},
    ),
    ("one index for all calls, that of none", "calls", number_calls(7, 7), {"tool-call-index-reused"}),
    ("calls counted from 1", "calls", number_calls(1, 2), {"tool-call-index-jump"}),
    ("index counts fragments", "calls", change_each_chunk(number_fragment), {"tool-call-index-jump"}),
    (
        "end left out",
        "stream",
        change_stream_text(lambda text: text[: text.index("ny.")].rpartition("data:")[0]),
        {"finish-reason-missing"},
    ),
    ("unknown tier on one chunk", "stream", put("chunks", 2, "service_tier", value="fast"), {"stream-tier-changed"}),
    (
        "function call of no function",
        "text",
        put("response", "choices", 0, "message", "function_call", value={"name": "", "arguments": ""}),
        {"tool-call-name-empty"},
    ),
    ("arguments repeated in the old form of calls", "function", repeat_old_arguments, {"content-cumulative"}),
    (
        "name repeated in the old form of calls",
        "function",
        change_each_chunk(repeat_old_name),
        {"tool-call-name-repeated"},
    ),
    ("completion in an envelope", "call", wrap("response"), {"completion-wrapped"}),
    ("failure in another form", "text", put("response", value={"code": 500, "msg": "no"}), {"body-not-completion"}),
    ("chunk in an envelope", "stream", wrap("chunks", 2), {"event-not-chunk"}),
    ("completion in place of chunks", "stream", send_a_completion, {"event-not-chunk"}),
    (
        "completion behind the chunks",
        "stream",
        insert_chunk(5, make_answer("stop", content="Sunny.")),
        {"event-not-chunk"},
    ),
    ("usage of nothing", "stream", put("chunks", 4, "usage", value={}), {"missing-property"}),
    ("data after the end", "stream", change_stream_text(move_usage_behind_the_end), {"data-after-done"}),
    # a part that stands elsewhere, or is there once more: one cause, whatever follows
    ("role beside the delta", "stream", move_out("chunks", 0, "choices", 0, "delta", "role"), {"role-missing"}),
    ("finish reason beside the choices", "text", move_out(*CHOICE, "finish_reason"), {"missing-property"}),
    ("count beside the usage", "text", move_out("response", "usage", "total_tokens"), {"missing-property"}),
    ("message beside the choices", "text", move_out(*CHOICE, "message"), {"missing-property"}),
    ("arguments beside the function", "call", move_out(*FIRST_CALL, "function", "arguments"), {"missing-property"}),
    (
        "id inside the function",
        "calls",
        lambda parts: move(parts["chunks"][0]["choices"][0]["delta"]["tool_calls"][0], "id", into="function"),
        {"tool-call-id-missing"},
    ),
    ("usage in camel case", "text", rename_property("usage", "Usage", "response"), {"usage-absent"}),
    (
        "role misspelt in a stream",
        "stream",
        rename_property("role", "rolle", "chunks", 0, "choices", 0, "delta"),
        {"role-missing"},
    ),
    (
        "index misspelt in a fragment",
        "calls",
        rename_property("index", "Index", "chunks", 1, "choices", 0, "delta", "tool_calls", 0),
        {"tool-call-index-missing"},
    ),
    (
        "tier in camel case on one chunk",
        "stream",
        rename_property("service_tier", "serviceTier", "chunks", 2),
        {"stream-property-partial"},
    ),
    (
        "message for delta",
        "stream",
        rename_property("delta", "message", "chunks", 1, "choices", 0),
        {"missing-property"},
    ),
    ("empty choice", "text", put("response", "choices", 0, value={}), {"missing-property"}),
    ("empty message of a call", "json", put(*MESSAGE, value={}), {"missing-property"}),
    ("choice null beside another", "two", put("response", "choices", 0, value=None), {"null-value"}),
    ("negative index behind another", "two", put("response", "choices", 1, "index", value=-1), {"out-of-range"}),
    ("choice twice", "text", repeat_last("response", "choices"), {"choice-index-duplicate"}),
    (
        "call twice where one is allowed",
        "call",
        lambda parts: (
            repeat_last(*MESSAGE, "tool_calls")(parts),
            parts["request"].update(parallel_tool_calls=False),
        ),
        {"tool-call-id-duplicate"},
    ),
    ("no calls in place of calls", "call", put(*MESSAGE, "tool_calls", value=[]), {"finish-reason-without-calls"}),
    ("null in place of calls", "call", put(*MESSAGE, "tool_calls", value=None), {"finish-reason-without-calls"}),
    ("no tokens in the answer", "text", put("response", "usage", "completion_tokens", value=0), {"usage-zero"}),
    ("log probabilities left out", "logprobs", remove(*CHOICE, "logprobs"), {"logprobs-missing"}),
    ("tier as an array on one chunk", "stream", put("chunks", 2, "service_tier", value=["default"]), {"wrong-type"}),
    ("usage chunk with the last choice", "stream", copy_choice(3), {"finish-reason-repeated"}),
    ("usage chunk with a choice of text", "stream", copy_choice(2), {"content-after-finish"}),
    ("usage chunk with the first choice", "stream", copy_choice(0), {"usage-on-choice-chunk"}),
    (
        "another call in the fragments of the first",
        "calls",
        insert_chunk(3, make_fragment(function={"name": "get_weather", "arguments": '{"city": "Rome"}'})),
        {"tool-call-name-repeated"},
    ),
    # ends of another spelling, and lines that are none of the stream
    *(
        (f"end spelt {end}", "stream", replace_end(f"data: {end}\n\n"), {"event-not-json"})
        for end in ('"[DONE]"', '"DONE"', "[done]", "DONE", '["DONE"]', "[DONE].", r"[DONE]\n\n")
    ),
    ("end as an object", "stream", replace_end('data: {"done": true}\n\n'), {"event-not-chunk"}),
    ("end without field", "stream", replace_end("[DONE]\n\n"), {"sse-unknown-line"}),
    ("end twice", "stream", change_stream_text(lambda text: text + "data: [DONE]\n\n"), {"done-repeated"}),
    ("stream twice", "stream", change_stream_text(lambda text: text + text), {"data-after-done"}),
    ("only the end", "stream", change_stream_text(lambda text: "data: [DONE]\n\n"), {"stream-empty"}),
    ("CR in the JSON", "stream", change_stream_text(lambda text: text.replace("Su", "S\ru")), {"sse-unknown-line"}),
    (
        "sizes of chunks",
        "stream",
        change_stream_text(
            lambda text: "".join(f"6a\r\n{one}\n\n\r\n" for one in text.split("\n\n")[:-1]) + "0\r\n\r\n"
        ),
        {"sse-unknown-line"},
    ),
    (
        "blanks between events",
        "stream",
        change_stream_text(lambda text: text.replace("\n\n", "\n \n")),
        {"events-not-separated"},
    ),
    (
        "tab in arguments",
        "calls",
        change_stream_text(lambda text: text.replace("Par", "P\tar")),
        {"json-control-character"},
    ),
    (
        "error as text",
        "calls",
        change_stream_text(lambda text: f"{text[: text.index('data', 10)]}event: error\ndata: No\n\ndata: [DONE]\n\n"),
        {"error-in-stream", "sse-extra-field"},
    ),
    # faults of a request
    (
        "answers to no call, two of them",
        "turns",
        lambda parts: (
            repeat_last("request", "messages", 1, "tool_calls")(parts),
            parts["request"]["messages"][1]["tool_calls"][1].update(id=OTHER_CALL["id"]),
            parts["request"]["messages"][2].update(tool_call_id="a"),
            parts["request"]["messages"].append(parts["request"]["messages"][2] | {"tool_call_id": "b"}),
        ),
        {"tool-message-unmatched"},
    ),
    ("content as a number in JSON mode", "json", put("request", "messages", 0, "content", value=7), {"wrong-type"}),
    (
        "type of parameters that is none",
        "call",
        put("request", "tools", 0, "function", "parameters", "type", value="objekt"),
        {"tool-schema-refused"},
    ),
    # faults of a request
    ("option misspelt", "text", put("request", "temprature", value=0.5), {"unknown-property"}),
    ("too hot", "text", put("request", "temperature", value=3), {"out-of-range"}),
    (
        "answer to no call",
        "turns",
        put("request", "messages", 2, "tool_call_id", value="call_Fake00000000000000000009"),
        {"tool-message-unmatched"},
    ),
    ("five stops", "text", put("request", "stop", value=["a", "b", "c", "d", "e"]), {"wrong-length"}),
    ("open strict schema", "call", make_tool_strict, {"strict-object-open"}),
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
    ("role of nobody", "text", put("request", "messages", 0, "role", value="bot"), {"unknown-value"}),
]


@pytest.mark.parametrize("name", GOOD_EXCHANGES)
def test_good_exchange_has_no_finding(name: str) -> None:
    assert find_rules(good_exchange(name)) == set()


@pytest.mark.parametrize(
    ("exchange", "plant", "expected"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_planted_fault_is_found_and_no_other(exchange: str, plant: Callable[[Parts], None], expected: set[str]) -> None:
    parts = good_exchange(exchange)
    plant(parts)
    assert find_rules(parts) == expected


def test_faults_have_unique_names() -> None:
    assert len({name for name, *_ in FAULTS}) == len(FAULTS)


IN_STREAMS = [(label, name, plant) for label, name, plant, _ in FAULTS if "chunks" in good_exchange(name)]


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize(("label", "name", "plant"), IN_STREAMS)
def test_fault_in_one_of_two_answers_in_a_stream_is_not_hidden_by_the_other(
    label: str, name: str, plant: Callable[[Parts], None], mixture: str
) -> None:
    parts = good_exchange(name)
    other = second_answer(parts)
    plant(parts)
    if len(parts.get("chunks", ())) > 1:  # it is still an answer in chunks
        parts["chunks"] = MIXTURES[mixture](other, parts["chunks"])
        assert len(find(parts)) > 1, label


IN_ANSWERS = [
    (label, name, plant)
    for label, name, plant, _ in FAULTS
    if good_exchange(name).get("response", {}).get("usage") and "the usage" not in label
]


@pytest.mark.parametrize(("label", "name", "plant"), IN_ANSWERS)
def test_fault_is_not_hidden_by_properties_of_the_usage_in_the_object_around(
    label: str, name: str, plant: Callable[[Parts], None]
) -> None:
    parts = good_exchange(name)
    plant(parts)
    if isinstance(parts["response"], dict) and parts["response"].get("usage"):
        flatten(parts, "response", "usage")
        assert len(find(parts)) > 1, label
