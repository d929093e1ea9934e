"""Test where the schemas draw their lines: of two values that differ little, they accept one and refuse the other.

A row has what each of the two payloads has in place of what is usual, and the only fault of the second: the keyword,
the pointer and the severity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, chunk

from isogloss import schemas

Row = tuple[dict[str, Any], dict[str, Any], tuple[str, str, str]]

CALL = {"id": "call_Fake1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
FUNCTION = {"name": "f"}
TOOL = {"type": "function", "function": FUNCTION}
TEXT = {"type": "text", "text": "Hi"}
AT_LIMIT = 2**63 - 1


def _message(role: str, **properties: Any) -> dict[str, Any]:
    needed = {"tool": {"tool_call_id": "call_Fake1"}, "function": {"name": "f"}}.get(role, {})
    return {"messages": [{"role": role, "content": "Hi"} | needed | properties]}


def _calls(*changes: dict[str, Any]) -> dict[str, Any]:
    return _message("assistant", tool_calls=[CALL | change for change in changes])


def _called(name: str) -> dict[str, Any]:
    return _calls({"function": {"name": name, "arguments": "{}"}})


def _schema(name: str) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": {}}}}


def _tools(name: str) -> dict[str, Any]:
    return {"tools": [TOOL | {"function": {"name": name}}]}


def _moderation(**properties: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"categories": {}, "category_scores": {}, "category_applied_input_types": {}}
    result = {"type": "moderation_result", "model": "m", "flagged": False} | empty | properties
    outcome = {"type": "moderation_results", "model": "m", "results": [result]}
    return {"moderation": {"input": outcome, "output": {"type": "error", "code": "c", "message": "No"}}}


def _choice(base: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """Return the choices of an answer. The first one has these properties, but not those that are ``None``."""
    choice = base["choices"][0] | properties
    return {"choices": [{name: value for name, value in choice.items() if value is not None or name == "logprobs"}]}


def _tokens(*tokens: dict[str, Any], base: dict[str, Any] = COMPLETION) -> dict[str, Any]:
    return _choice(base, logprobs={"content": [*tokens], "refusal": None})


def _token(**properties: Any) -> dict[str, Any]:
    return {"token": "a", "logprob": -1.0, "bytes": [97], "top_logprobs": []} | properties


TOP = {"token": "a", "logprob": -1.0, "bytes": [97]}
RESULT = "/moderation/input/results/0"
REQUESTS: list[Row] = [
    # numbers
    ({"max_tokens": 1}, {"max_tokens": 0}, ("minimum", "/max_tokens", "error")),
    (
        {"max_completion_tokens": 1},
        {"max_completion_tokens": 0},
        ("minimum", "/max_completion_tokens", "error"),
    ),
    ({"seed": AT_LIMIT}, {"seed": AT_LIMIT + 1}, ("maximum", "/seed", "error")),
    ({"seed": -AT_LIMIT - 1}, {"seed": -AT_LIMIT - 2}, ("minimum", "/seed", "error")),
    # numbers of items
    ({"functions": [FUNCTION] * 128}, {"functions": [FUNCTION] * 129}, ("maxItems", "/functions", "error")),
    ({"tools": [TOOL] * 128}, {"tools": [TOOL] * 129}, ("maxItems", "/tools", "error")),
    (_calls(*[{}] * 128), _calls(*[{}] * 129), ("maxItems", "/messages/0/tool_calls", "error")),
    *(
        (_message(role, content=[TEXT]), _message(role, content=[]), ("minItems", "/messages/0/content", "error"))
        for role in ("developer", "system", "user", "assistant", "tool")
    ),
    (
        {"prediction": {"type": "content", "content": [TEXT]}},
        {"prediction": {"type": "content", "content": []}},
        ("minItems", "/prediction/content", "error"),
    ),
    # lengths and characters
    (
        {"prompt_cache_key": "k" * 64},
        {"prompt_cache_key": "k" * 65},
        ("maxLength", "/prompt_cache_key", "error"),
    ),
    ({"metadata": {"k" * 64: ""}}, {"metadata": {"k" * 65: ""}}, ("maxLength", "/metadata", "error")),
    *(
        (_message(role, name="a"), _message(role, name=name), (keyword, "/messages/0/name", "error"))
        for role in ("developer", "system", "user", "assistant")
        for name, keyword in (("", "minLength"), ("a b", "pattern"), (" a", "pattern"), ("a ", "pattern"))
    ),
    (_calls({"id": "i" * 40}), _calls({"id": "i" * 41}), ("maxLength", "/messages/0/tool_calls/0/id", "error")),
    *(
        (of(accepted), of(refused), (keyword, pointer, "error"))
        for of, pointer in (
            (_called, "/messages/0/tool_calls/0/function/name"),
            (_schema, "/response_format/json_schema/name"),
            (_tools, "/tools/0/function/name"),
            (lambda name: {"functions": [{"name": name}]}, "/functions/0/name"),
        )
        for accepted, refused, keyword in (
            ("a", "", "minLength"),
            ("a" * 64, "a" * 65, "maxLength"),
            ("a", ".a", "pattern"),
            ("a", "a.", "pattern"),
        )
    ),
    *(
        (
            _message("user", content=[of(before)]),
            _message("user", content=[of(f"x{before}")]),
            ("pattern", f"/messages/0/content/0/{pointer}", "warning"),
        )
        for of, before, pointer in (
            (
                lambda url: {"type": "image_url", "image_url": {"url": url}},
                "data:image/png;base64,AA==",
                "image_url/url",
            ),
            (
                lambda data: {"type": "file", "file": {"file_data": data}},
                "data:application/pdf;base64,AA==",
                "file/file_data",
            ),
        )
    ),
    # what takes the place of something else
    *(
        (
            {"messages": [{"role": "assistant", "content": content, name: value}]},
            {"messages": [{"role": "assistant", "content": content, name: None}]},
            (keyword, "/messages/0/content", "error"),
        )
        for name, value in (
            ("tool_calls", [CALL]),
            ("function_call", {"name": "f", "arguments": "{}"}),
            ("audio", {"id": "a"}),
            ("refusal", "No"),
        )
        for content, keyword in ((None, "type"), ([], "minItems"))
    ),
    (
        _message("assistant", content=[{"type": "refusal", "refusal": "No"}]),
        _message("assistant", content=[{"type": "refusal", "refusal": "No"}, TEXT]),
        ("maxItems", "/messages/0/content", "error"),
    ),
    # parts, words and unknown properties
    *(
        (
            _message(role, content=[TEXT]),
            _message(role, content=[{"type": "input_text", "text": "Hi"}]),
            ("enum", "/messages/0/content/0/type", severity),
        )
        for role, severity in (
            ("developer", "error"),
            ("system", "error"),
            ("user", "error"),
            ("assistant", "error"),
            ("tool", "warning"),
        )
    ),
    *(
        (
            {"prompt_cache_options": {"ttl": "30m"}} | _message("user", content=[part("12h")]),
            changes,
            ("enum", pointer, "warning"),
        )
        for part in [lambda ttl: TEXT | {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": ttl}}]
        for changes, pointer in (
            ({"prompt_cache_options": {"ttl": "1m"}}, "/prompt_cache_options/ttl"),
            (_message("user", content=[part("1m")]), "/messages/0/content/0/prompt_cache_breakpoint/ttl"),
        )
    ),
    (
        {"tools": [TOOL]},
        {"tools": [TOOL | {"function": FUNCTION | {"flag": 1}}]},
        ("additionalProperties", "/tools/0/function", "note"),
    ),
    (
        {"audio": {"format": "wav", "voice": {"id": "v"}}},
        {"audio": {"format": "wav", "voice": {"id": "v", "name": "v"}}},
        ("additionalProperties", "/audio/voice", "warning"),
    ),
    (
        {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{}]}}},
        {"tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": ["f"]}}},
        ("type", "/tool_choice/allowed_tools/tools/0", "error"),
    ),
]
COMPLETIONS: list[Row] = [
    ({"id": "chatcmpl-"}, {"id": "x-chatcmpl-"}, ("pattern", "/id", "note")),
    (
        _tokens(_token(top_logprobs=[TOP] * 20)),
        _tokens(_token(top_logprobs=[TOP] * 21)),
        ("maxItems", "/choices/0/logprobs/content/0/top_logprobs", "error"),
    ),
    *(
        (
            _tokens(_token(top_logprobs=[TOP | {"bytes": [accepted]}])),
            _tokens(_token(top_logprobs=[TOP | {"bytes": [refused]}])),
            (keyword, "/choices/0/logprobs/content/0/top_logprobs/0/bytes/0", "error"),
        )
        for accepted, refused, keyword in ((0, -1, "minimum"), (255, 256, "maximum"), (0, "a", "type"))
    ),
    (
        _tokens(_token(top_logprobs=[TOP])),
        _tokens(_token(top_logprobs=[{"token": "a", "logprob": -1.0}])),
        ("required", "/choices/0/logprobs/content/0/top_logprobs/0", "error"),
    ),
    (
        _choice(COMPLETION, finish_reason="stop"),
        _choice(COMPLETION, finish_reason=None),
        ("required", "/choices/0", "error"),
    ),
    *(
        (
            _moderation(**{name: {"a": accepted}}),
            _moderation(**{name: {"a": refused}}),
            (keyword, f"{RESULT}/{name}/a{inside}", severity),
        )
        for name, accepted, refused, keyword, inside, severity in (
            ("categories", True, 1, "type", "", "error"),
            ("category_scores", 0.5, "0.5", "type", "", "error"),
            ("category_applied_input_types", ["text"], "text", "type", "", "error"),
            ("category_applied_input_types", ["image"], [1], "type", "/0", "error"),
            ("category_applied_input_types", ["image"], ["video"], "enum", "/0", "warning"),
        )
    ),
]
SPOKEN = chunk({"audio": {"id": "audio_Fake", "expires_at": 1}})
CHUNKS: list[Row] = [
    ({"id": "chatcmpl-"}, {"id": "x-chatcmpl-"}, ("pattern", "/id", "note")),
    (
        _choice(SPOKEN, finish_reason=None),
        _choice(chunk({"audio": {"id": "audio_Fake"}}), finish_reason=None),
        ("required", "/choices/0", "error"),
    ),
    (_choice(SPOKEN, finish_reason=None), _choice(chunk({}), finish_reason=None), ("required", "/choices/0", "error")),
    *(
        (chunk(accepted), chunk(refused), ("type", f"/choices/0/delta/{pointer}", severity))
        for accepted, refused, pointer, severity in (
            ({"annotations": []}, {"annotations": None}, "annotations", "warning"),
            (
                {"tool_calls": [{"index": 0}]},
                {"tool_calls": [{"index": 0, "custom": None}]},
                "tool_calls/0/custom",
                "error",
            ),
            *(
                (
                    {"tool_calls": [{"index": 0, "custom": {name: ""}}]},
                    {"tool_calls": [{"index": 0, "custom": {name: None}}]},
                    f"tool_calls/0/custom/{name}",
                    "error",
                )
                for name in ("name", "input")
            ),
        )
    ),
    ({"choices": []}, {"choices": [], "usage": []}, ("type", "/usage", "error")),
]


def _telling(found: list[Any], pointer: str) -> list[Any]:
    """Return the faults without notes about another pointer."""
    return [fault for fault in found if fault.severity != "note" or fault.pointer == pointer]


@pytest.mark.parametrize(
    ("kind", "base", "rows"),
    [("request", REQUEST, REQUESTS), ("completion", COMPLETION, COMPLETIONS), ("chunk", chunk({}), CHUNKS)],
)
def test_one_of_two_values_that_differ_little_is_refused(
    kind: str, base: dict[str, Any], rows: list[Row], engine: str, faults: Callable[[str, str, Any], list[Any]]
) -> None:
    for accepted, refused, fault in rows:
        assert _telling(faults(engine, kind, base | accepted), fault[1]) == [], accepted
        assert _telling(faults(engine, kind, base | refused), fault[1]) == [fault], refused


@pytest.mark.parametrize(
    ("model", "is_required"),
    [("gpt-4o-audio-preview", False), ("a-gpt-4o-audio", True), ("gpt-4o", True), (None, True)],
)
def test_only_chunks_of_audio_models_need_no_choices(
    model: str | None, is_required: bool, engine: str, faults: Callable[[str, str, Any], list[Any]]
) -> None:
    payload = {name: value for name, value in chunk({}).items() if name not in ("choices", "model")}
    found = faults(engine, "chunk", payload if model is None else payload | {"model": model})
    missing = [*["choices"] * is_required, *["model"] * (model is None)]
    assert [fault.keyword for fault in found] == ["required"] * len(missing)


@pytest.mark.parametrize("kind", schemas.NAMES)
def test_a_payload_is_an_object(kind: str, engine: str, faults: Callable[[str, str, Any], list[Any]]) -> None:
    assert faults(engine, kind, []) == [("type", "", "error")]


@pytest.mark.parametrize("kind", ["completion", "chunk"])
def test_finish_details_that_are_an_object_take_the_place_of_the_finish_reason(
    kind: str, engine: str, faults: Callable[[str, str, Any], list[Any]]
) -> None:
    base = COMPLETION if kind == "completion" else chunk({})
    for details, keywords in (({"type": "stop"}, []), ("stop", ["required"]), (None, ["required"])):
        choice = {name: value for name, value in base["choices"][0].items() if name != "finish_reason"}
        found = faults(engine, kind, base | {"choices": [choice | {"finish_details": details}]})
        assert [fault.keyword for fault in found if fault.severity != "note"] == keywords, details
