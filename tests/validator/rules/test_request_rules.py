"""Test the rules about requests in cases that no fixture can show."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.validator import rules
from isogloss.validator.rules import Hit
from isogloss.validator.views import Request


def hits_of(rule: str, request: dict[str, Any]) -> list[Hit]:
    return list(dict(rules.checks("request"))[rule](Request(request)))


NAMES = st.sampled_from(["city", "day", "type", "properties", "required", "items"])
OBJECTS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "boolean"])}),
    lambda inner: (
        st.builds(lambda properties: {"type": "object", "properties": properties}, st.dictionaries(NAMES, inner))
        | st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(lambda variants: {"anyOf": variants}, st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=8,
)
ROOTS = st.builds(
    lambda properties, defs: {"type": "object", "properties": properties, "$defs": defs},
    st.dictionaries(NAMES, OBJECTS),
    st.dictionaries(NAMES, OBJECTS),
)
STRICT = tuple(name for name in rules.names("request") if name.startswith("strict-"))


def make_strict_with_the_client(schema: dict[str, Any]) -> Any:
    from openai.lib import _pydantic  # this import takes a second

    return _pydantic._ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)


@pytest.mark.thorough
@given(ROOTS)
def test_schema_that_the_reference_client_made_strict_breaks_no_rule_about_strict_schemas(
    schema: dict[str, Any],
) -> None:
    strict = make_strict_with_the_client(schema)
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": strict}}
    response_format = {"type": "json_schema", "json_schema": {"name": "f", "strict": True, "schema": strict}}
    for name in STRICT:
        assert not hits_of(name, {"tools": [tool], "response_format": response_format})


@pytest.mark.thorough
@given(ROOTS)
def test_schema_that_the_reference_client_changes_to_be_strict_breaks_a_rule(schema: dict[str, Any]) -> None:
    strict = make_strict_with_the_client(schema)
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}
    assert strict != schema
    assert any(hits_of(name, {"tools": [tool]}) for name in STRICT)


def test_schema_of_many_levels_does_not_overflow_the_stack() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "array", "items": schema}
    response_format = {"type": "json_schema", "json_schema": {"strict": True, "schema": schema}}
    assert not hits_of("strict-object-open", {"response_format": response_format})


def test_every_deprecated_property_of_the_request_schema_is_reported() -> None:
    names = [name for name, part in schemas.load("request")["properties"].items() if part.get("deprecated")]
    assert {"max_tokens", "functions", "function_call", "seed", "user"} <= set(names)
    for name in names:
        assert [hit.pointer for hit in hits_of("deprecated-property", {name: "any value"})] == [(name,)]


def test_deprecated_property_is_reported_with_its_replacement() -> None:
    (hit,) = hits_of("deprecated-property", {"max_tokens": 5})
    assert hit.message == "`max_tokens` is deprecated, replaced by `max_completion_tokens`"


def test_two_token_limits_replace_the_finding_on_the_deprecated_one() -> None:
    assert rules.rule("token-limits-both").replaces == ("deprecated-property",)
    request = {"max_tokens": 5, "max_completion_tokens": 5}
    assert hits_of("token-limits-both", request)[0].pointer == hits_of("deprecated-property", request)[0].pointer


@pytest.mark.parametrize(
    "model", ["o1-preview", "o3-mini-2025-01-31", "o4-mini", "gpt-5-nano", "gpt-5.4-mini", "gpt-5.5", "gpt-5.6-sol"]
)
def test_reasoning_model_with_max_tokens_is_reported(model: str) -> None:
    assert [hit.pointer for hit in hits_of("option-unsupported-by-model", {"model": model, "max_tokens": 5})] == [
        ("max_tokens",)
    ]


@pytest.mark.parametrize(
    ("models", "accepted"),
    [
        ("o1 o3 o3-mini o4-mini", "low medium high"),
        ("gpt-5 gpt-5-mini gpt-5-nano", "minimal low medium high"),
        ("gpt-5.1 gpt-5.1-2025-11-13", "none low medium high"),
        ("gpt-5.2 gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.5", "none low medium high xhigh"),
        ("gpt-5.6 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra", "none low medium high xhigh"),
        ("gpt-6-astra gpt-6.1-sol", "low medium high xhigh"),
        ("gpt-6.1-terra", "none low medium high xhigh max"),
        ("gpt-6.2-astra gpt-6.2-sol", "low medium high xhigh max"),
        ("gpt-5.1-chat-latest gpt-5.2-chat-latest", "medium"),
        ("gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-nano", ""),
    ],
)
def test_effort_that_the_model_does_not_have_is_reported(models: str, accepted: str) -> None:
    for model in models.split():
        not_reported = [
            effort
            for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max")
            if not hits_of("option-unsupported-by-model", {"model": model, "reasoning_effort": effort})
        ]
        assert not_reported == accepted.split()


@pytest.mark.parametrize("model", ["o3-mini", "gpt-5", "gpt-5.5", "gpt-5.6", "gpt-6-astra"])
def test_usual_value_of_an_option_is_accepted_by_models_that_refuse_others(model: str) -> None:
    usual = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "logprobs": False}
    assert not hits_of("option-unsupported-by-model", {"model": model, **usual})
    assert hits_of("option-unsupported-by-model", {"model": model, "temperature": 2, "top_p": 2})


@pytest.mark.parametrize(
    ("model", "accepted"),
    [("gpt-4", {"text"}), ("gpt-4-turbo", {"text", "json_object"}), ("gpt-3.5-turbo-0125", {"text", "json_object"})],
)
def test_older_models_accept_json_at_most_without_a_schema(model: str, accepted: set[str]) -> None:
    for name in ("text", "json_object", "json_schema"):
        found = hits_of("option-unsupported-by-model", {"model": model, "response_format": {"type": name}})
        assert bool(found) is (name not in accepted)


@pytest.mark.parametrize(("model", "most"), [("gpt-3.5-turbo", 4_096), ("gpt-4o-mini", 16_384), ("gpt-4.1", 32_768)])
def test_more_tokens_than_the_model_writes_are_reported(model: str, most: int) -> None:
    found = [hits_of("option-unsupported-by-model", {"model": model, "max_tokens": most + more}) for more in (0, 1)]
    assert [len(hits) for hits in found] == [0, 1]


def test_options_of_the_prompt_cache_are_refused_by_models_before_gpt_5_6() -> None:
    names = [f"gpt-{one}" for one in ("4o", "4o-mini", "4.1", "4.1-mini", "4.1-nano")]
    names += [f"gpt-5{one}{size}" for one in ("", ".1", ".2", ".3", ".4", ".5") for size in ("", "-mini", "-nano")]
    for model in [*names, "o1", "o1-mini", "o3", "o3-mini", "o4-mini", "gpt-5.6", "gpt-6-astra"]:
        found = hits_of("option-unsupported-by-model", {"model": model, "prompt_cache_options": {"ttl": "30m"}})
        assert bool(found) is (model not in ("gpt-5.6", "gpt-6-astra")), model


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gpt-5-chat-latest", "gpt-5.9", "openai/gpt-5", "o3-local", "gpt-5-mini-2"]
)
def test_model_of_which_no_refusal_is_known_is_not_reported(model: str) -> None:
    request = {"model": model, "max_tokens": 5, "temperature": 0.5, "stop": ["x"], "parallel_tool_calls": False}
    assert not hits_of("option-unsupported-by-model", request)


WITH_TABLES = [name for name, check in rules.checks("request") if "is_one_of" in check.__globals__]
"""The rules that know what some models refuse."""
LATER_MODELS = st.from_regex(
    r"(gpt-(6\.[3-9]|[7-9](\.[0-9])?)|o[5-9])"
    r"(-(astra|audio-preview|chat-latest|codex|luna|mini|nano|preview|pro|search-preview|sol))?(-2027-0[1-9]-1[0-9])?",
    fullmatch=True,
)
REFUSED_OF_SOME = {
    "max_tokens": st.just(200_000), "temperature": st.just(0.5), "top_p": st.just(0.5), "logprobs": st.just(True),
    "presence_penalty": st.just(1), "frequency_penalty": st.just(1), "stop": st.just(["x"]),
    "parallel_tool_calls": st.booleans(), "prediction": st.just({"type": "content", "content": "x"}),
    "reasoning_effort": st.sampled_from([None, "none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    "prompt_cache_options": st.just({"ttl": "30m"}), "verbosity": st.sampled_from(["low", "high"]),
    "web_search_options": st.just({}), "response_format": st.sampled_from([{"type": "text"}, {"type": "json_object"}]),
    "tools": st.just([{"type": "function", "function": {"name": "f"}}]),
}  # fmt: skip
"""Options that some models refuse."""
MESSAGES_REFUSED_BY_SOME = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
                                 {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]},
]  # fmt: skip


@given(
    LATER_MODELS | st.from_regex(r"[a-n][a-z0-9./-]{0,12}", fullmatch=True).filter(lambda name: "gpt" not in name),
    st.fixed_dictionaries({}, optional=REFUSED_OF_SOME),
    st.lists(st.sampled_from(MESSAGES_REFUSED_BY_SOME), min_size=1, max_size=3),
)
def test_a_model_that_no_table_knows_is_not_said_to_refuse_anything(
    model: str, options: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    assert {
        name: hits for name in WITH_TABLES if (hits := hits_of(name, {"model": model, **options, "messages": messages}))
    } == {}


@pytest.mark.parametrize("name", WITH_TABLES)
def test_each_rule_with_a_table_finds_what_a_model_in_it_refuses(name: str) -> None:
    models = ["o1-mini", "o1-pro", "gpt-audio", "gpt-5-mini", "gpt-6-astra"]
    options = {"max_tokens": 5, "tools": [{"type": "function", "function": {"name": "f"}}]}
    assert any(hits_of(name, {"model": one, **options, "messages": MESSAGES_REFUSED_BY_SOME[:2]}) for one in models)


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ({"properties": {f"p{n}": {"type": "string"} for n in range(5001)}}, "5,001 properties"),
        ({"properties": {"a": {"type": "integer", "enum": list(range(1001))}}}, "1,001 values of enumerations"),
        ({"properties": {"a" * 120_001: {"type": "string"}}}, "120,001 characters of names and values"),
        ({"properties": {"a": {"enum": [f"{n:060}" for n in range(251)]}}}, "15,060 characters in an enumeration"),
    ],
)
def test_strict_schema_beyond_a_limit_is_reported(schema: dict[str, Any], what: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {"type": "object", **schema}}}
    (hit,) = hits_of("strict-schema-too-large", {"tools": [tool]})
    assert hit.message.startswith(what)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "As json, please"}]},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "to_json", "arguments": "{}"}}]},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": '"Json"'}}]},
    ],
)
def test_any_text_of_any_message_may_mention_json(message: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "user", "content": None}, {"role": "assistant"}]
    request = {"messages": messages, "response_format": {"type": "json_object"}}
    assert hits_of("json-mode-unmentioned", request)
    assert not hits_of("json-mode-unmentioned", request | {"messages": [*messages, message]})


@pytest.mark.parametrize(
    ("option", "allowed", "refused"),
    [("n", 1, 2), ("presence_penalty", 0, 0.5), ("frequency_penalty", -1, 1), ("logprobs", False, True)],
)
def test_a_prediction_allows_options_up_to_a_value(option: str, allowed: object, refused: object) -> None:
    request = {"model": "gpt-4.1", "prediction": {"type": "content", "content": "Ho"}}
    assert not hits_of("prediction-conflict", request | {option: allowed})
    assert [hit.pointer for hit in hits_of("prediction-conflict", request | {option: refused})] == [(option,)]


@pytest.mark.parametrize(
    "keyword",
    [
        "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "patternProperties",
        "unevaluatedProperties", "minProperties", "maxProperties", "unevaluatedItems", "contains", "minContains",
        "maxContains", "minItems", "maxItems",
    ],
)  # fmt: skip
def test_the_strict_mode_of_a_tuned_model_does_without_limits(keyword: str) -> None:
    value = {"pattern": "^a", "format": "date", "patternProperties": {}}.get(keyword, 1)
    schema = {"type": "object", "properties": {"a": {"type": "string", keyword: value}}}
    request = {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}
    assert not hits_of("strict-keyword-unsupported", request | {"model": "gpt-4.1"})
    (hit,) = hits_of("strict-keyword-unsupported", request | {"model": "ft:gpt-4.1:a::b"})
    assert hit.pointer[-2:] == ("a", keyword)


@pytest.mark.parametrize("keyword", ["title", "description", "required", "$schema", "$id", "$comment", "properties"])
def test_an_object_without_properties_may_say_anything_else(keyword: str) -> None:
    schema = {"type": "object", keyword: {"properties": {}, "required": []}.get(keyword, "x")}
    request = {"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]}
    assert bool(hits_of("tool-schema-refused", request)) is (keyword != "properties")


@pytest.mark.parametrize("properties", [{}, None, [], 5])
def test_a_strict_object_without_properties_requires_none(properties: object) -> None:
    schema = {"type": "object", "properties": properties, "required": [], "additionalProperties": False}
    request = {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}
    assert not hits_of("strict-property-optional", request)


@pytest.mark.parametrize(
    "keyword",
    [
        "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "uniqueItems",
        "propertyNames",
    ],
)  # fmt: skip
def test_no_strict_mode_has_keywords_that_combine_schemas(keyword: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", keyword: {}}}}
    request = {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}
    (hit,) = hits_of("strict-keyword-unsupported", request)
    assert hit.pointer[-2:] == ("a", keyword)


@pytest.mark.parametrize(
    "form", ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"]
)
def test_strict_mode_knows_some_formats(form: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": form}}}
    request = {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}
    assert bool(hits_of("strict-keyword-unsupported", request)) is (form == "uri")


@pytest.mark.parametrize("name", ["a", "items", "properties", "$defs"])
@pytest.mark.parametrize("in_arrays", [False, True])
def test_levels_of_a_strict_schema_are_counted_by_objects(name: str, *, in_arrays: bool) -> None:
    def nested(levels: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string"}
        for _ in range(levels):
            inner = {"type": "array", "items": schema} if in_arrays else schema
            schema = {"type": "object", "properties": {name: inner}}
        return {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}

    found = [[hit.message for hit in hits_of("strict-schema-too-large", nested(levels))] for levels in (11, 12)]
    assert found == [[], ["11 levels of nested objects, more than the 10 of strict mode"]]


@pytest.mark.parametrize(
    ("limits", "is_found"),
    [
        ({"max_tokens": 5, "max_completion_tokens": 5}, True),
        ({"max_tokens": 5, "max_completion_tokens": None}, False),
        ({"max_tokens": None, "max_completion_tokens": 5}, False),
        ({"max_tokens": 5}, False),
    ],
)
def test_a_limit_that_is_null_is_not_set(limits: dict[str, Any], *, is_found: bool) -> None:
    assert bool(hits_of("token-limits-both", limits)) is is_found


UNREAD = st.sampled_from([None, 5, ...])
"""What stands in place of an id that cannot be read; nothing stands in place of an ellipsis."""


def conversation(calls: list[int]) -> list[dict[str, Any]]:
    """Return the messages of turns with so many calls each, all answered."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Weather?"}]
    for turn, count in enumerate(calls):
        ids = [f"call_{turn}_{number}" for number in range(count)]
        function = {"name": "look_up", "arguments": "{}"}
        made = [{"id": one, "type": "function", "function": function} for one in ids]
        messages.append({"role": "assistant", "content": None, "tool_calls": made})
        messages += [{"role": "tool", "tool_call_id": one, "content": "Sunny."} for one in ids]
    return messages


def faults_of_turns(messages: list[Any]) -> list[str]:
    names = ("tool-call-unanswered", "tool-message-unmatched", "tool-call-answered-twice")
    return [name for name in names for _ in hits_of(name, {"messages": messages})]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data())
def test_calls_and_results_whose_ids_cannot_be_read_may_belong_together(calls: list[int], data: st.DataObject) -> None:
    messages = conversation(calls)
    sides = [(call, "id") for one in messages for call in one.get("tool_calls", ())]
    sides += [(one, "tool_call_id") for one in messages if one["role"] == "tool"]
    for side, name in data.draw(st.lists(st.sampled_from(sides), unique_by=lambda one: id(one[0]))):
        value = data.draw(UNREAD)
        side[name] = value
        if value is ...:
            del side[name]
    assert not faults_of_turns(messages)


def test_as_many_calls_are_unanswered_as_there_are_no_results_for() -> None:
    messages = conversation([2])
    del messages[2]["tool_call_id"]
    assert faults_of_turns(messages[:3]) == ["tool-call-unanswered"]
    assert faults_of_turns(messages[:2]) == ["tool-call-unanswered"] * 2


@pytest.mark.parametrize("role", ["ai", "model", "Tool", None, 5])
@pytest.mark.parametrize("position", [1, 2, 3])
def test_a_message_of_an_unknown_role_may_hold_calls_or_results(role: object, position: int) -> None:
    messages = conversation([2, 1])
    messages[position]["role"] = role
    assert not faults_of_turns(messages)
    assert not faults_of_turns([*messages[:position], role, *messages[position + 1 :]])


@pytest.mark.parametrize("calls", [{}, "[]", [None], ["call_0_0"]])
def test_a_result_may_be_that_of_a_call_that_is_none(calls: object) -> None:
    messages = conversation([1])
    messages[1]["tool_calls"] = calls
    assert not faults_of_turns(messages)
    messages[1]["tool_calls"] = None
    assert faults_of_turns(messages) == ["tool-message-unmatched"]


@pytest.mark.parametrize(
    ("tools", "is_reported"),
    [
        ([{"type": "function", "function": {"name": "other"}}], True),
        ([{"type": "function", "name": "now"}], False),
        ([{"name": "now", "input_schema": {}}], False),
        ([{"type": "function", "function": {"name": "other"}}, None], False),
        ([{"type": "Function", "function": {"name": "now"}}], False),
        ([{"type": "custom", "custom": {"name": "now"}}], True),
    ],
)
def test_a_chosen_tool_may_be_one_whose_name_cannot_be_read(tools: list[Any], *, is_reported: bool) -> None:
    choice = {"type": "function", "function": {"name": "now"}}
    assert bool(hits_of("tool-choice-unknown-tool", {"tools": tools, "tool_choice": choice})) is is_reported


@pytest.mark.parametrize(
    ("rule", "options", "off", "on"),
    [
        (
            "stream-options-without-stream",
            {"stream_options": {"include_usage": True}},
            {"stream": False},
            {"stream": 1},
        ),
        ("top-logprobs-without-logprobs", {"top_logprobs": 2}, {"logprobs": None}, {"logprobs": "true"}),
        ("metadata-without-store", {"metadata": {"a": "b"}}, {}, {"store": "yes"}),
        ("audio-model-without-audio", {"model": "gpt-audio"}, {"modalities": ["text"]}, {"modalities": "audio"}),
        ("prediction-conflict", {"model": "gpt-4o", "n": 2}, {"prediction": {"type": "content"}}, {"prediction": "Ho"}),
    ],
)
def test_an_option_in_a_form_that_the_reference_does_not_know_is_not_missing(
    rule: str, options: dict[str, Any], off: dict[str, Any], on: dict[str, Any]
) -> None:
    request = {"messages": [{"role": "user", "content": "Hi"}]} | options
    assert hits_of(rule, request | off)
    assert not hits_of(rule, request | on)


_REFUSED_VALUES: dict[str, dict[str, Any]] = {
    "max_tokens": {"max_tokens": 5}, "temperature": {"temperature": 0.2}, "top_p": {"top_p": 0.5},
    "penalties": {"presence_penalty": 1, "frequency_penalty": 1}, "presence_penalty": {"presence_penalty": 1},
    "frequency_penalty": {"frequency_penalty": 1}, "logprobs": {"logprobs": True}, "stop": {"stop": "a"},
    "parallel_tool_calls": {"parallel_tool_calls": True}, "prediction": {"prediction": {"type": "content"}},
    "verbosity": {"verbosity": "low"}, "web_search_options": {"web_search_options": {}},
    "tools": {"tools": [{"type": "function"}]}, "json_schema": {"response_format": {"type": "json_schema"}},
    "JSON": {"response_format": {"type": "json_object"}}, "reasoning_effort": {"reasoning_effort": "max"},
    "minimal": {"reasoning_effort": "minimal"}, "high": {"reasoning_effort": "high"},
    "none": {"reasoning_effort": "none"}, "max": {"reasoning_effort": "max"},
    "sampling": {"temperature": 0.2, "top_p": 0.5, "presence_penalty": 1, "frequency_penalty": 1},
}  # fmt: skip
"""What is sent of an option that a source names, by the word that the source has for it."""


def _refusals() -> Iterator[tuple[str, str, str, Any]]:
    """Yield each refusal that a source names, as "stop, of o3 and o4-mini": the source, a model, an option, a value."""
    for source in rules.rule("option-unsupported-by-model").sources:
        for clause in re.split(r": |; ", source.where):
            what, _, models = clause.partition(", of ")
            if "before" in models or "Responses API" in models:
                continue  # other models, and another API
            options = [_REFUSED_VALUES[word] for word in re.findall(r"\w+", what) if word in _REFUSED_VALUES]
            options += [{"max_tokens": int(number)} for number in re.findall(r"(\d+) tokens", what)]
            for model in re.findall(r"\b(?:gpt-|o\d)(?:[\w.-]*\w)?", models):
                yield from ((clause, model, name, value) for option in options for name, value in option.items())


def test_an_option_is_refused_by_each_model_of_which_a_source_says_so() -> None:
    refusals = list(_refusals())
    assert len(refusals) > 80
    for clause, model, option, value in refusals:
        found = hits_of("option-unsupported-by-model", {"model": model, option: value})
        assert (option,) in [hit.pointer for hit in found], (clause, model, option)
