"""Test that what follows from one fault is one finding, whichever property has the fault."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from finding_in_parts import find, find_rules
from good_exchanges import GOOD_EXCHANGES, good_exchange
from plant_faults import SECOND_FAULTS, move_out, put, remove, rename_property

from isogloss.validator.findings import Severity

LOST = {"tool_calls", "function_call", "function", "arguments", "content", "refusal"}
"""What is in these is lost, which is a second finding where another rule misses it and no name shows where it is."""
OF_MANY_OBJECTS = {"id", "index", "name", "type"}
"""Of these, nobody can tell whether they are about the object around."""


def _paths(value: Any, at: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the pointer of each property in a value at a pointer."""
    for step, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        if isinstance(step, str):
            yield (*at, step)
        yield from _paths(inner, (*at, step))


def _in_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return "".join([first, *map(str.title, others)])


ANSWERS = [name for name in GOOD_EXCHANGES if "response" in good_exchange(name)]
STREAMS = [name for name in GOOD_EXCHANGES if "chunks" in good_exchange(name)]
PROPERTIES = [
    *((name, at) for name in ANSWERS for at in _paths(good_exchange(name)["response"], ("response",))),
    *((name, at) for name in STREAMS for at in _paths(good_exchange(name)["chunks"], ("chunks",)) if at[1] in (0, 2)),
]


@pytest.mark.parametrize("name", GOOD_EXCHANGES)
def test_property_under_another_name_or_in_the_object_around_is_one_finding(name: str) -> None:
    for at in [at for one, at in PROPERTIES if one == name]:
        property_name = str(at[-1])
        if (spelt := _in_camel_case(property_name)) != property_name:
            parts = good_exchange(name)
            rename_property(property_name, spelt, *at[:-1])(parts)
            assert len(find_rules(parts)) == 1, (at, spelt)
        parts = good_exchange(name)
        is_inside = len([step for step in at[1:] if isinstance(step, str)]) > 1
        if is_inside and property_name not in OF_MANY_OBJECTS | LOST:
            move_out(*at)(parts)
            assert len(find_rules(parts)) == 1, at


def _respelt(value: Any, spell: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {spell(name): _respelt(inner, spell) for name, inner in value.items()}
    return [_respelt(item, spell) for item in value] if isinstance(value, list) else value


STYLES: dict[str, Callable[[str], str]] = {
    "camelCase": _in_camel_case, "kebab-case": lambda name: name.replace("_", "-"),
}  # fmt: skip
IN_STYLE = [(name, part) for name in GOOD_EXCHANGES for part in good_exchange(name) if part != "request"]
IN_STYLE += [("stream", "request"), ("turns", "request")]


@pytest.mark.parametrize(("name", "part"), IN_STYLE)
@pytest.mark.parametrize("style", STYLES)
def test_all_names_in_another_style_are_one_finding_that_says_so(name: str, part: str, style: str) -> None:
    parts = good_exchange(name)
    parts[part] = _respelt(parts[part], STYLES[style])
    (finding,) = find(parts)
    assert finding.rule in ("missing-property", "unknown-property")
    assert f" All names are in {style}" in finding.message


@pytest.mark.parametrize("name", GOOD_EXCHANGES)
def test_property_under_another_name_hides_no_other_fault(name: str) -> None:
    good = good_exchange(name)
    multiword = [at for one, at in PROPERTIES if one == name and "_" in str(at[-1])]
    for at, fault, rule in SECOND_FAULTS:
        for renamed in multiword if at[0] in good else ():
            parts = good_exchange(name)
            put(*at, value=fault)(parts)
            rename_property(str(renamed[-1]), _in_camel_case(str(renamed[-1])), *renamed[:-1])(parts)
            if renamed != at[: len(renamed)] and not (rule == "usage-total-mismatch" and renamed[:2] == at[:2]):
                assert rule in find_rules(parts), (at, renamed)
    for one, other in pairwise(multiword):
        parts = good_exchange(name)
        for renamed in (other, one):  # from the inside
            rename_property(str(renamed[-1]), _in_camel_case(str(renamed[-1])), *renamed[:-1])(parts)
        messages = " ".join(finding.message for finding in find(parts))
        assert other[: len(one)] == one or all(_in_camel_case(str(at[-1])) in messages for at in (one, other))


OF_ENVELOPE: dict[str, Iterable[Any]] = {
    "id": ["chatcmpl-Fake0000000000000000000000009", "gen-1760000000", "", None, 7],
    "object": ["chat.completion", "text_completion", None],
    "created": [1760000009, "1760000000", None],
    "model": ["another", "", None],
    "service_tier": ["flex", "fast", None, ["default"]],
    "system_fingerprint": ["fp_9876543210", None, 7],
}
"""The properties that all chunks have alike, with other values."""


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("property_name", OF_ENVELOPE)
def test_one_chunk_that_differs_from_all_others_is_one_finding(name: str, property_name: str) -> None:
    for position in range(len(good_exchange(name)["chunks"])):
        at = ("chunks", position, property_name)
        for plant in (remove(*at), *(put(*at, value=value) for value in OF_ENVELOPE[property_name])):
            parts = good_exchange(name)
            plant(parts)
            assert len(find_rules(parts)) == 1, parts["chunks"][position]


@pytest.mark.parametrize("name", STREAMS)
def test_property_that_no_chunk_has_is_one_finding(name: str) -> None:
    found = {}
    for path in {(*at[:1], *at[2:]) for at in _paths(good_exchange(name)["chunks"], ("chunks",))}:
        if path[-1] in LOST:
            continue
        parts = good_exchange(name)
        for position in range(len(parts["chunks"])):
            with contextlib.suppress(LookupError, TypeError):  # not every chunk has it
                remove("chunks", position, *path[1:])(parts)
        found[path] = find_rules(parts)
    assert {path: rules for path, rules in found.items() if len(rules) > 1} == {}


ASKED: list[tuple[str, dict[str, Any]]] = [
    ("stream", {}),
    ("turns", {}),
    ("json", {}),
    ("two", {}),
    ("call", {"tool_choice": "required", "parallel_tool_calls": False}),
    ("call", {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}}),
    ("logprobs", {"top_logprobs": 0}),
    ("text", {"store": True, "metadata": {}, "stop": ["x"], "max_completion_tokens": 20, "temperature": 1}),
    ("text", {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}}),
    ("json", {"response_format": {"type": "json_schema", "json_schema": {"name": "sky", "schema": {}}}}),
]
"""Good exchanges, with options that are added to their requests."""


def _misspellings(name: str) -> Iterator[str]:
    yield _in_camel_case(name) if "_" in name else name.title()
    if len(name) > 3 and name[-1] != name[-2]:
        yield name[:-2] + name[:-3:-1]


@pytest.mark.parametrize(("name", "options"), ASKED)
def test_misspelt_property_of_a_request_is_one_finding_whatever_follows(name: str, options: dict[str, Any]) -> None:
    good = good_exchange(name)
    good["request"] |= options
    assert find_rules(copy.deepcopy(good)) == set()
    for at in _paths(good["request"], ("request",)):
        if "parameters" in at[:-1]:
            continue  # a JSON Schema may have any property
        for misspelt in _misspellings(str(at[-1])):
            parts = copy.deepcopy(good)
            rename_property(str(at[-1]), misspelt, *at[:-1])(parts)
            assert len(find_rules(parts)) == 1, (at, misspelt)


def test_hit_about_a_misspelt_option_names_what_follows_and_is_as_severe() -> None:
    parts = good_exchange("stream")
    rename_property("stream", "straem", "request")(parts)
    [finding] = find(parts)
    assert (finding.rule, finding.severity, finding.pointer) == ("unknown-property", Severity.ERROR, "/straem")
    assert finding.message.endswith(
        "did you mean `stream`? From this follows `stream-options-without-stream`, `stream-unasked`"
    )


def test_misspelt_option_beside_the_known_one_hides_nothing() -> None:
    parts = good_exchange("text")
    parts["request"] |= {"straem": True, "stream": False, "stream_options": {"include_usage": True}}
    assert find_rules(parts) == {"unknown-property", "stream-options-without-stream"}


CHOICE_OF_TOOL = {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
OF_ANOTHER_VARIANT: list[tuple[str, dict[str, Any], tuple[str | int, ...], str | None, str]] = [
    ("turns", {}, ("messages", 2, "role"), "function", "tool_call_id"),
    ("turns", {}, ("messages", 2, "role"), "user", "tool_call_id"),
    ("turns", {}, ("messages", 1, "role"), "tool", "tool_calls"),
    ("turns", {}, ("messages", 1, "role"), "user", "tool_calls"),
    ("call", {}, ("tools", 0, "type"), "custom", "function"),
    ("call", CHOICE_OF_TOOL, ("tool_choice", "type"), "custom", "function"),
    ("text", {"messages": [{"role": "user", "content": [PICTURE]}]}, ("messages", 0, "content", 0, "type"), "text",
     "image_url"),
]  # fmt: skip
"""Good exchanges, options of their requests, where a role or a type is changed to what, and what is unknown then."""


@pytest.mark.parametrize(("name", "options", "at", "value", "unknown"), OF_ANOTHER_VARIANT)
def test_object_with_another_role_or_type_than_its_properties_show_is_one_finding(
    name: str, options: dict[str, Any], at: tuple[str | int, ...], value: str, unknown: str
) -> None:
    parts = good_exchange(name)
    parts["request"] |= copy.deepcopy(options)
    holder: Any = parts["request"]
    for step in at[:-1]:
        holder = holder[step]
    meant, holder[at[-1]] = holder[at[-1]], value
    (finding,) = find(parts)
    assert (finding.rule, finding.severity) == ("unknown-property", Severity.ERROR)
    assert finding.message.startswith(
        f'`{unknown}` is not part of the reference. It is where `{at[-1]}` is "{meant}". From this follows '
    )
    parts["request"]["temperature"] = "hot"
    assert find_rules(parts) == {"unknown-property", "wrong-type"}


def test_role_in_which_something_else_would_be_wrong_was_not_meant() -> None:
    parts = good_exchange("text")
    parts["request"]["messages"] = [{"role": "user", "content": [{**PICTURE, "text": None}], "tool_calls": None}]
    found = find(parts)
    assert [finding.path for finding in found] == ["messages[].content[].text", "messages[].tool_calls"]
    assert all(finding.message.endswith("is not part of the reference") for finding in found)


def test_property_that_fits_no_variant_with_all_others_leaves_all_findings() -> None:
    parts = good_exchange("turns")
    parts["request"]["messages"][2] |= {"role": "function", "name": "get_weather"}
    assert find_rules(parts) == {"deprecated-property", "tool-call-unanswered", "unknown-property"}


@pytest.mark.parametrize("lost", [None, []])
def test_calls_that_are_lost_where_one_is_demanded_are_one_finding(lost: object) -> None:
    parts = good_exchange("call")
    parts["request"]["tool_choice"] = "required"
    put("response", "choices", 0, "message", "tool_calls", value=lost)(parts)
    assert find_rules(parts) == {"finish-reason-without-calls"}


def test_call_in_the_old_form_beside_the_new_finish_reason_is_one_finding() -> None:
    parts = good_exchange("call")
    message = parts["response"]["choices"][0]["message"]
    message["function_call"] = message.pop("tool_calls")[0]["function"]
    assert find_rules(parts) == {"call-form-changed"}


def test_arguments_that_never_come_are_found_also_if_something_is_there_twice() -> None:
    parts = good_exchange("calls")
    for chunk in parts["chunks"]:
        for choice in chunk["choices"]:
            choice["delta"]["role"] = "assistant"
            for call in choice["delta"].get("tool_calls", ()):
                call["function"].pop("arguments", None)
    assert find_rules(parts) == {"role-repeated", "missing-property"}


@pytest.mark.parametrize(
    ("steps", "rule"),
    [
        (("id",), "tool-call-id-missing"),
        (("type",), "tool-call-type-missing"),
        (("function",), "tool-call-name-missing"),
        (("function", "name"), "tool-call-name-missing"),
        (("function", "arguments"), "tool-call-null-property"),
    ],
)
def test_property_that_is_null_in_each_fragment_of_a_call_is_one_finding(steps: tuple[str, ...], rule: str) -> None:
    parts = good_exchange("calls")
    for position in range(3):
        put("chunks", position, "choices", 0, "delta", "tool_calls", 0, *steps, value=None)(parts)
    (finding,) = find(parts)
    assert (finding.rule, finding.severity, finding.count) == (rule, Severity.ERROR, 3)


def test_null_behind_the_value_of_a_property_is_a_finding_of_its_own() -> None:
    parts = good_exchange("calls")
    fragments = [parts["chunks"][position]["choices"][0]["delta"]["tool_calls"][0] for position in range(3)]
    known = fragments[0]["id"]
    for fragment, value in zip(fragments, (None, known, None), strict=True):
        fragment["id"] = value
    assert find_rules(parts) == {"tool-call-id-missing", "tool-call-null-property"}


@pytest.mark.parametrize("positions", [[1], range(5)])
def test_arguments_that_never_come_are_found_beside_an_error_that_cannot_hide_them(positions: Iterable[int]) -> None:
    parts = good_exchange("calls")
    for position in range(3):
        remove("chunks", position, "choices", 0, "delta", "tool_calls", 0, "function", "arguments")(parts)
    for position in positions:
        parts["chunks"][position]["created"] = "1760000000"
    assert find_rules(parts) == {"wrong-type", "missing-property"}


def test_arguments_that_may_have_been_in_an_unreadable_event_are_not_missed() -> None:
    parts = good_exchange("calls")
    for position in range(3):
        remove("chunks", position, "choices", 0, "delta", "tool_calls", 0, "function", "arguments")(parts)
    parts["chunks"].insert(1, "no chunk")
    assert find_rules(parts) == {"event-not-json"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [('{"city": "Paris"}', "calls-with-stop"), ('{"city": "Pa', "length-masked"), ("", "length-masked")],
)
def test_stop_beside_a_call_at_the_limit_is_one_finding(arguments: str, expected: str) -> None:
    parts = good_exchange("call")
    parts["request"]["max_completion_tokens"] = 4
    choice = parts["response"]["choices"][0]
    choice["finish_reason"] = "stop"
    choice["message"]["tool_calls"][0]["function"]["arguments"] = arguments
    (finding,) = find(parts)
    assert (finding.rule, finding.severity) == (expected, Severity.ERROR)


CALLS_IN_TEXT = [
    ('{"name": "get_weather", "arguments": {"city": "Paris"}}', "call-as-text"),
    ('<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>', "markup-in-content"),
]


@pytest.mark.parametrize(("content", "expected"), CALLS_IN_TEXT)
@pytest.mark.parametrize("options", [{}, {"tool_choice": "required"}])
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_call_that_was_left_in_the_text_is_one_finding(
    content: str, expected: str, options: dict[str, Any], finish: str
) -> None:
    parts = good_exchange("call")
    parts["request"] |= options
    choice = parts["response"]["choices"][0]
    choice["finish_reason"] = finish
    choice["message"]["content"] = content
    del choice["message"]["tool_calls"]
    (finding,) = find(parts)
    is_certain = expected == "markup-in-content" or finish == "tool_calls" or options
    assert (finding.rule, finding.severity) == (expected, Severity.ERROR if is_certain else Severity.WARNING)


def test_call_left_in_the_text_of_an_answer_without_its_request_is_one_finding() -> None:
    parts = good_exchange("call")
    del parts["request"]
    message = parts["response"]["choices"][0]["message"]
    message["content"] = CALLS_IN_TEXT[1][0]
    del message["tool_calls"]
    (finding,) = find(parts)
    assert (finding.rule, finding.severity) == ("markup-in-content", Severity.ERROR)


OF_OTHER_APIS = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "message": "text"}


@pytest.mark.parametrize(("name", "other"), OF_OTHER_APIS.items())
def test_property_under_the_name_that_another_api_has_for_it_is_one_finding(name: str, other: str) -> None:
    parts = good_exchange("text")
    response = parts["response"]
    rename_property(name, other, *(["choices", 0] if name == "message" else ["usage"]))(response)
    (finding,) = find(parts)
    assert finding.message == f"`{name}` is missing; `{other}` stands in its place"


def test_function_of_a_call_as_text_in_each_fragment_is_one_finding() -> None:
    parts = good_exchange("calls")
    for position in range(3):
        put("chunks", position, "choices", 0, "delta", "tool_calls", 0, "function", value='{"name": "f"}')(parts)
    assert [(finding.rule, finding.count) for finding in find(parts)] == [("tool-call-name-missing", 3)]


def test_call_whose_first_fragment_is_lost_is_one_finding_also_with_nulls_in_the_others() -> None:
    parts = good_exchange("calls")
    first = parts["chunks"][0]["choices"][0]["delta"]
    del first["tool_calls"]
    for position in (1, 2):
        fragment = parts["chunks"][position]["choices"][0]["delta"]["tool_calls"][0]
        fragment["id"] = fragment["function"]["name"] = None
    assert find_rules(parts) == {"tool-call-name-missing"}


def test_other_ids_with_the_type_on_each_fragment_are_one_finding() -> None:
    parts = good_exchange("calls")
    for position in (1, 2):
        fragment = parts["chunks"][position]["choices"][0]["delta"]["tool_calls"][0]
        fragment |= {"id": f"call_Fake0000000000000000000000{position}", "type": "function"}
    assert find_rules(parts) == {"tool-call-id-changed"}


def test_deprecated_option_that_lacks_what_it_needs_is_one_finding() -> None:
    parts = good_exchange("text")
    parts["request"]["function_call"] = "auto"
    assert find_rules(parts) == {"tool-choice-without-tools"}
    parts["request"]["max_tokens"] = 9  # deprecated by itself
    assert find_rules(parts) == {"tool-choice-without-tools", "deprecated-property"}


@pytest.mark.parametrize("content", [None, [{"token": "Sunny.", "logprob": -0.1, "bytes": None, "top_logprobs": []}]])
def test_log_probabilities_of_the_old_api_are_one_finding_for_each_choice(content: object) -> None:
    parts = good_exchange("two")
    parts["request"]["logprobs"] = True
    old = {"tokens": ["Sunny."], "token_logprobs": [-0.1], "top_logprobs": [{"Sunny.": -0.1}], "text_offset": [0]}
    for choice in parts["response"]["choices"]:
        choice["logprobs"] = {"content": content, "refusal": None, **old}
    severity = Severity.NOTE if content else Severity.ERROR
    assert [(one.rule, one.severity) for one in find(parts)] == [("logprobs-legacy", severity)] * 2


@pytest.mark.parametrize("delta", [None, {}])
@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_stream_of_an_end_alone_is_one_finding(delta: object, finish: str) -> None:
    (chunk,) = (one for one in good_exchange("stream")["chunks"] if one["choices"] and not one["choices"][0]["delta"])
    chunk["choices"][0] |= {"delta": delta, "finish_reason": finish}
    assert find_rules({"chunks": [chunk]}) == {"delta-null" if delta is None else "role-missing"}


def test_role_that_is_null_on_every_chunk_is_one_finding_and_one_behind_the_role_is_another() -> None:
    parts = good_exchange("stream")
    for chunk in parts["chunks"][:4]:
        chunk["choices"][0]["delta"]["role"] = None
    assert find_rules(parts) == {"role-missing"}
    parts["chunks"][1]["choices"][0]["delta"]["role"] = "assistant"
    assert find_rules(parts) == {"role-missing", "null-value"}


@pytest.mark.parametrize("required", [None, "city", 5])
def test_strict_schema_whose_required_is_no_array_is_one_finding(required: object) -> None:
    parts = good_exchange("call")
    schema: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}, "day": {"type": "string"}}}
    function = parts["request"]["tools"][0]["function"]
    function |= {"strict": True, "parameters": {**schema, "additionalProperties": False, "required": required}}
    (finding,) = find({"request": parts["request"]})
    assert finding.pointer == "/tools/0/function/parameters/required"
    for none in ({}, {"required": []}):
        function["parameters"] = {**schema, "additionalProperties": False, **none}
        (finding,) = find({"request": parts["request"]})
        assert finding.rule == "strict-property-optional"


@pytest.mark.parametrize("asked", ["", 0, []])
def test_stream_that_was_asked_for_with_another_type_is_one_finding(asked: object) -> None:
    parts = good_exchange("stream")
    parts["request"]["stream"] = asked
    assert find_rules(parts) == {"wrong-type"}
