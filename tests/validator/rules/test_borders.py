"""Test where rules draw their lines: of two payloads that differ little, a rule reports one, once, and not the other.

A row has the name of the rule, and what each of the two payloads has in place of what is usual.
"""

from __future__ import annotations

from typing import Any

import pytest
from payloads import COMPLETION, ERROR, REQUEST, chunk
from rule_hits import CALL, hits_of, stream_of

from isogloss.validator.rules import group_of
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.views import Completion, Request

Row = tuple[str, dict[str, Any], dict[str, Any]]
CHOICE = COMPLETION["choices"][0]


def _completion(changes: dict[str, Any]) -> Completion:
    """Return a completion with changes: of a choice, of its message, of its usage, or of its own properties."""
    changes = dict(changes)
    request = changes.pop("request", None)
    choice = CHOICE | changes.pop("choice", {})
    message = CHOICE["message"] | changes.pop("message", {})
    if "message" in choice:
        choice["message"] = message
    value = COMPLETION | {"choices": changes.pop("choices", [choice])}
    if "usage" in changes:
        value = value | {"usage": COMPLETION["usage"] | changes.pop("usage")}
    return Completion(value | changes, request=None if request is None else Request(REQUEST | request))


def _says(content: str | None, **message: Any) -> dict[str, Any]:
    return {"message": {"content": content, **message}}


def _calls(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"content": None, "tool_calls": [CALL | call for call in calls]}}


def _arguments(text: str) -> dict[str, Any]:
    return _calls({"function": {"name": "f", "arguments": text}})


def _named(name: str) -> dict[str, Any]:
    return _calls({"function": {"name": name, "arguments": "{}"}})


def _counts(whole: int, name: str, **details: int) -> dict[str, Any]:
    return {"usage": {f"{name}_tokens": whole, f"{name}_tokens_details": details}}


def _custom(text: str) -> dict[str, Any]:
    call = {"type": "custom", "custom": {"name": "f", "input": text}}
    return _calls(call) | {"usage": {"completion_tokens": 2}}


def _asked(content: object, role: str = "user") -> dict[str, Any]:
    return {"request": {"messages": [{"role": role, "content": content}]}}


def _tokens(*tokens: dict[str, Any]) -> dict[str, Any]:
    return {"choice": {"logprobs": {"content": list(tokens)}}, "message": {"content": "a"}}


def _ranked(logprob: float, *alternatives: Any) -> dict[str, Any]:
    top = [{"token": one[0], "logprob": one[1]} if isinstance(one, tuple) else one for one in alternatives]
    return _tokens({"token": "a", "logprob": logprob, "top_logprobs": top})


COMPLETIONS: list[Row] = [
    # calls
    ("arguments-concatenated", _arguments('{"a": "}{"}{"a": 1}'), _arguments('{"a": "}{')),
    ("arguments-html-escaped", _arguments('{"a": "&lt;", "b": "&lt;"}'), _arguments('{"a": "&lt; & b"}')),
    ("arguments-html-escaped", _arguments('{"a": "&#228;&quot;"}'), _arguments('{"a": "&#228;"}')),
    *(
        ("arguments-html-escaped", _arguments(f'{{"a": "{one}"}}'), _arguments(f'{{"a": "& {one}"}}'))
        for one in ("&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&#39;", "&#34;", "&#x27;", "&#x22;")
    ),
    ("arguments-empty", _arguments(" \n"), _arguments("{}")),
    ("arguments-not-object", _arguments("[]"), _arguments("{}")),
    ("arguments-html-escaped", _arguments('{"a": "&lt;"}'), _arguments('{"a": "&lt;"}') | _asked("Write &lt; for <.")),
    (
        "markup-in-content",
        _arguments('{"a": "</s>", "b": "</s>"}'),
        _arguments('{"a": "</s>"}') | _asked("What is </s>?"),
    ),
    ("markup-in-content", _arguments('{"a": 1}</s>'), _arguments('{"</s>": 1}')),
    ("tool-call-id-duplicate", _calls({"id": "a"}, {"id": "a"}), _calls({"id": ""}, {"id": ""})),
    ("tool-call-name-malformed", _named("a" * 65), _named("a" * 64)),
    ("finish-reason-without-calls", {"choice": {"finish_reason": "tool_calls"}}, {"choice": {"finish_reason": "stop"}}),
    # choices
    ("choice-index-gap", {"choices": [{"index": 2}, {"index": 3}]}, {"choices": [{"index": 1}, {"index": 0}]}),
    ("choice-index-order", {"choices": [{"index": n} for n in (2, 1, 0)]}, {"choices": [{"index": 0}, {"index": 0}]}),
    ("delta-in-completion", {"choices": [{"delta": {}}]}, {"choices": [{"delta": {}, "message": {}}]}),
    # texts
    ("answer-missing", _says("\n"), _says("\n", images=[{}])),
    ("answer-missing", _says("\n"), _says("Ho")),
    ("answer-missing", _says(None), _calls({})),
    ("answer-missing", _says(None), _says(None, function_call={"name": "f", "arguments": "{}"})),
    ("content-repeats-reasoning", _says("Ho\n", reasoning=" Ho"), _says(" ", reasoning="")),
    ("replacement-character", _says("Ho \ufffd"), _says("Ho \ufffd, written as \\ufffd")),
    ("replacement-character", _says("A character: \ufffd"), _says("The replacement character: \ufffd")),
    (
        "text-encoded-twice",
        _says("it\xe2\u20ac\u2122s"),
        _says("it\xe2\u20ac\u2122s") | _asked("Why \xe2\u20ac\u2122?"),
    ),
    ("thoughts-in-content", _says("\n<think>So\n</think>\nHo"), _says("Ho <think>So</think>\nHo")),
    (
        "thoughts-in-content",
        _says("<think> so I greet.\n</think>\nHo"),
        _says("<think> begins and </think> ends them."),
    ),
    ("thoughts-in-content", _says("So.</think>\nHo"), _says("So it ends with </think>\nHo")),
    ("thoughts-in-content", _says("So.</think>\nHo"), _says("So.</think>, it ends.")),
    ("thoughts-in-content", _says("So.</think>\nHo"), _says("So.</think>\nHo") | _asked("Begin with <think>.")),
    # markup
    ("markup-in-content", _says("I look.\n</tool_call>\nHo"), _says("<tool_call> begins.\n</tool_call>\nends it.")),
    ("markup-in-content", _says("I look.\n</tool_call>\nHo"), _says("I look:\n</tool_call> ends it.")),
    ("markup-in-content", _says("I look.\n</tool_call>\nHo"), _says("I look:\n<tool_call>\nbegins it.")),
    ("markup-in-content", _says("Ho<|im_end|>\nHe"), _says("Ho<|im_end|> is one.")),
    ("markup-in-content", _says("Ho<|im_end|>\nHe"), _says('The "<|im_end|>\n" is one.')),
    ("markup-in-content", _says("Ho<｜end▁of▁sentence｜>\nHe"), _says("Ho</tool_call>\nHe")),
    ("markup-in-content", _says("Ho[/INST]\nHe"), _says("Ho [/INST]\nHe")),
    (
        "markup-in-content",
        _says("I do <|tool_call_begin|>functions.f:0 so."),
        _says('It ends so:\n</tool_call> {"a": 1} so.'),
    ),
    ("markup-in-content", _says("<tool_call>\nHo"), _says("<tool_call> begins a call.")),
    ("markup-in-content", _says("<tool_call>\nHo"), _says("<tool_call> (a tag) begins a call.")),
    ("markup-in-content", _says("<tool_call>\nHo"), _says("<tool_call>, a tag, begins a call.")),
    ("markup-in-content", _arguments('{"a": "Ho</｜DSML｜parameter> so"}'), _arguments('{"a": "Ho</tool_call> so"}')),
    ("markup-in-content", _arguments('{"a": "\\n<tool_call>f"}'), _arguments('{"a": "<tool_call>f</tool_call>"}')),
    ("markup-in-content", _arguments('{"a": "<|CALL_BEGIN|>f"}'), _arguments('{"a": "<|CALL_BEGIN|>f<|CALL_END|>"}')),
    ("markup-in-content", _says("So:\n```\n```\n</s>"), _says("So:\n```\n</s>")),
    ("markup-in-content", _says("So:\n~~~\n~~~\n</s>"), _says("So:\n~~~\n</s>\n~~~")),
    ("markup-in-content", _says("So: ``a``</s>"), _says("So: ``a ` </s>``")),
    (
        "markup-in-content",
        _arguments('{"a": [["</s>"]]}'),
        _calls({"type": "custom", "custom": {"name": "f", "input": "</s>"}}),
    ),
    *(
        (
            "replacement-character",
            _says("\ufffd") | _asked("\ufffd", "assistant"),
            _says("\ufffd") | _asked("\ufffd", role),
        )
        for role in ("system", "developer", "user", "tool", "function")
    ),
    (
        "replacement-character",
        _says("\ufffd") | _asked([{"text": "Ho"}, "\ufffd"]),
        _says("\ufffd") | _asked([{"text": "\ufffd"}]),
    ),
    # numbers
    ("created-in-milliseconds", {"created": 10**11}, {"created": 10**11 - 1}),
    ("created-in-milliseconds", {"created": 2**63 - 1}, {"created": 2**63}),
    (
        "usage-detail-above-total",
        _counts(9, "prompt", text_tokens=10, audio_tokens=9),
        _counts(9, "prompt", cached_tokens=9, text_tokens=9),
    ),
    (
        "reasoning-tokens-zero",
        _says("Ho", reasoning="So") | _counts(9, "completion", reasoning_tokens=0),
        _counts(9, "completion", reasoning_tokens=0),
    ),
    (
        "usage-zero",
        _says("", refusal="No") | {"usage": {"completion_tokens": 0}},
        _says("") | {"usage": {"completion_tokens": 0}},
    ),
    (
        "usage-zero",
        _calls({}) | {"usage": {"prompt_tokens": 0}},
        {"usage": {"prompt_tokens": None, "completion_tokens": 0}},
    ),
    ("usage-zero", _custom("a" * 513), _custom("a" * 512)),
    # probabilities
    ("logprob-positive", _tokens({"logprob": 0.0002}, {"logprob": 0.5}), _tokens({"logprob": 0.00005})),
    ("logprobs-text-mismatch", _tokens({"token": "b"}), _tokens({"token": "b"}, {"logprob": -1.0})),
    ("top-logprobs-sampled-missing", _ranked(-1.0, ("b", -1.0011)), _ranked(-1.0, ("b", -1.0009))),
    ("top-logprobs-sampled-missing", _ranked(-1.0, ("a", -1.011), ("b", -3)), _ranked(-1.0, ("a", -1.009), ("b", -3))),
    ("top-logprobs-sampled-missing", _ranked(-1.0, ("b", -3)), _ranked(-1.0, ("b", -3), {"logprob": -3})),
    ("top-logprobs-sampled-missing", _ranked(-1.0, ("b", -3)), _ranked(-1.0, ("b", -3), {"token": "c"})),
    ("top-logprobs-sampled-missing", _ranked(-1.0, ("b", -3)), _ranked(-1.0, "b")),
    # bodies
    ("model-is-path", {"model": "~/models/a"}, {"model": "models/a"}),
    ("model-is-path", {"model": "models/a.bin"}, {"model": "models/a.binary"}),
]


WORDS = {"content": "a " * 41}
"""More words than ten tokens can have."""
TOOLS = {"tools": [{"type": "function", "function": {"name": name}} for name in ("f", "g")]}
ONLY_G = TOOLS | {
    "tool_choice": {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "g"}}]},
    }
}
FLAT = {"name": "f", "arguments": "{}"}
VOWELS = {"request": {"stop": ["a", "e", "i", "o"]}}
ALONE = {"request": {"parallel_tool_calls": False}}
JSON = {"request": {"response_format": {"type": "json_object"}}}
SILENT = {"request": {"reasoning_effort": "none"}}


def _limit(name: str, limit: int = 10) -> dict[str, Any]:
    return {"request": {name: limit}}


def _offered(content: str) -> dict[str, Any]:
    return {"request": TOOLS} | _says(content)


PAIRS: list[Row] = [
    (
        "token-limit-exceeded",
        _limit("max_tokens") | _counts(13, "completion", reasoning_tokens=2) | {"message": WORDS},
        _limit("max_tokens") | _counts(12, "completion", reasoning_tokens=2),
    ),
    (
        "token-limit-exceeded",
        _limit("max_completion_tokens") | _counts(12, "completion", reasoning_tokens=2),
        _limit("max_tokens"),
    ),
    (
        "token-limit-exceeded",
        _limit("max_tokens") | {"message": WORDS},
        _limit("max_tokens") | {"message": {"content": "abc " * 40}},
    ),
    ("stop-sequence-cut-out", VOWELS | _says("th rn n spn flls mnly"), VOWELS | _says("th rn n spn flls mnl")),
    ("stop-sequence-cut-out", VOWELS | _says("th rn n spn flls mnly"), VOWELS | _says("the rn n spn flls mnly")),
    (
        "reasoning-despite-none",
        SILENT | _says("Ho", reasoning="So") | _counts(9, "completion", reasoning_tokens=3),
        _says("Ho", reasoning="So"),
    ),
    ("reasoning-despite-none", SILENT | _counts(9, "completion", reasoning_tokens=3), SILENT),
    *(
        ("content-not-json", JSON | _says('{"a": 1'), JSON | _says(one))
        for one in (
            '{"a": 1, "a": 2}',
            '{"a": 1e999}',
            '{"a": "\\ud83d"}',
            '{"a": "\ud83d"}',
            "[" * 5_000 + "]" * 5_000,
        )
    ),
    ("call-as-text", _offered('{"tool": "f", "input": {}}'), _offered('{"tool": "f", "input": 5}')),
    (
        "call-as-text",
        _offered('{"name": "f", "args": "{}", "id": 1, "type": 1}'),
        _offered('{"name": "f", "args": "{}", "id": 1, "type": 1, "a": 1}'),
    ),
    (
        "call-as-text",
        _offered('[{"name": "h", "args": {}}, {"name": "f", "args": {}}]'),
        _offered('[{"name": "f", "args": {}}, 5]'),
    ),
    ("call-as-text", _offered("```\nf()\n```"), _offered("```\nf()\n")),
    ("call-as-text", _offered("<a><b><c>f()</c></b></a>"), _offered("<a><b><c><d>f()</d></c></b></a>")),
    ("choice-count-mismatch", {"request": {"n": 2}}, {"request": {"n": 0}}),
    ("parallel-calls-despite-false", ALONE | _calls({"id": None}, {"id": None}), ALONE | _calls({"id": None})),
    (
        "parallel-calls-despite-false",
        ALONE | _calls({"function": {}}, {"function": {}}),
        ALONE | _calls({"function": {}}),
    ),
    ("calls-with-stop", _says("", function_call=FLAT), {"choice": {"finish_reason": "tool_calls"}} | _calls({})),
    ("tool-not-allowed", {"request": ONLY_G} | _named("f"), {"request": ONLY_G} | _named("h")),
    (
        "call-form-changed",
        {"request": TOOLS} | _says("", function_call=FLAT),
        {"request": TOOLS, "message": {"function_call": FLAT} | _named("f")["message"]},
    ),
    (
        "parallel-calls-despite-false",
        ALONE | _calls({}, {}, {}),
        ALONE | _calls({}, {"id": None, "function": {"arguments": "}"}}),
    ),
    (
        "forced-call-missing",
        {"request": {"tool_choice": "required"}},
        {"request": {"tool_choice": "required"}, "choices": [{"finish_reason": "stop"}]},
    ),
]

PICTURE = "A" * 24


def _part(kind: str, name: str, *texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": kind, kind: {name: text}} for text in texts]}]}


def _image(*urls: str) -> dict[str, Any]:
    return _part("image_url", "url", *urls)


def _spoken(**properties: Any) -> dict[str, Any]:
    return {"stream": True, "modalities": ["text", "audio"], "audio": {"format": "mp3", "voice": "a"}} | properties


def _strict(*parts: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": {f"p{number}": part for number, part in enumerate(parts)}}
    return {"tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}]}


def _predicted(**options: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "prediction": {"type": "content", "content": "Ho"}} | options


def _chosen(choice: dict[str, Any]) -> dict[str, Any]:
    return TOOLS | {"tool_choice": choice}


def _allowed(tool: dict[str, Any]) -> dict[str, Any]:
    return _chosen({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [tool]}})


def _demanding(functions: list[Any]) -> dict[str, Any]:
    return {"functions": functions, "function_call": {"name": "h"}}


REQUESTS: list[Row] = [
    ("tool-choice-unknown-tool", _allowed({"type": "function"}), _chosen({"type": "function"})),
    (
        "tool-choice-unknown-tool",
        _chosen({"type": "mcp", "function": {"name": "h"}}),
        _chosen({"type": "mcp", "function": {"name": "f"}}),
    ),
    ("tool-choice-unknown-tool", _demanding([FLAT]), _demanding([])),
    ("tool-choice-unknown-tool", _demanding([FLAT]), _demanding([FLAT, {"name": 1}])),
    ("prediction-conflict", _predicted(audio={"format": "mp3"}), _predicted(model="o1", audio={"format": "mp3"})),
    ("prediction-conflict", _predicted(functions=[FLAT]), _predicted(functions=[])),
    ("prediction-conflict", _predicted(modalities=["text", "audio"]), _predicted(modalities=["text"])),
    ("model-not-for-chat", {"model": "gpt-3.5-turbo-instruct-0914"}, {"model": "gpt-3.5-turbo-0914"}),
    ("model-not-for-chat", {"model": "o1-pro"}, {"model": "o1"}),
    ("model-not-for-chat", {"model": "o3-pro-2025-06-10"}, {"model": "o3"}),
    ("strict-keyword-unsupported", _strict({"format": "uri"}), _strict({"format": "uri", "type": "integer"})),
    ("strict-keyword-unsupported", _strict({"pattern": "(?=a)"}), _strict({"pattern": r"\(?=a"})),
    ("strict-keyword-unsupported", _strict({"pattern": "(?=a)"}), _strict({"pattern": "[(?=]"})),
    (
        "strict-keyword-unsupported",
        _strict({"pattern": "(?=a)"}) | {"model": "ft:gpt-4o:a::b"},
        _strict({"pattern": "(a)"}),
    ),
    ("strict-schema-too-large", _strict(*[{}] * 5_001), _strict(*[{}] * 5_000)),
    ("strict-schema-too-large", _strict({"enum": [1] * 1_001}), _strict({"enum": [1] * 1_000})),
    ("strict-schema-too-large", _strict({"const": "a" * 119_999}), _strict({"const": "a" * 119_998})),
    ("strict-schema-too-large", _strict({"enum": ["a" * 119_999]}), _strict({"enum": ["a" * 119_998]})),
    ("strict-schema-too-large", _strict({"$defs": {"a" * 119_999: {}}}), _strict({"$defs": {"a" * 119_998: {}}})),
    ("strict-schema-too-large", _strict({"enum": ["a" * 60] * 251}), _strict({"enum": ["a" * 60] * 250})),
    (
        "strict-schema-too-large",
        _strict({"enum": [*["a" * 60] * 250, "a"]}),
        _strict({"enum": [*["a" * 60] * 250, ""]}),
    ),
    (
        "strict-part-untyped",
        _strict({}),
        _strict(
            {"type": "string"},
            {"$dynamicRef": "#a"},
            {"not": {}},
            {"if": {}},
            {"const": 1},
            {"enum": [1]},
            {"allOf": []},
            {"properties": {}},
            {"items": {"type": "string"}},
        ),
    ),
    (
        "media-type-unsupported",
        _image("data:Image/BMP;base64,Qk0="),
        _image("data:;base64,Qk0=", "data:image/png,Qk0" + PICTURE),
    ),
    (
        "media-type-unsupported",
        _image(f"data:image/png;base64,{PICTURE}"),
        _image(
            f"data:Image/PNG;base64,iVBORw0KGgo{PICTURE}",
            f"data:image/jpeg;base64,/9j/{PICTURE}",
            f"data:image/jpg;base64,_9j_{PICTURE}",
            f"data:image/gif;base64,R0lGOD{PICTURE}",
            f"data:image/webp;base64,UklGR{PICTURE}",
            "data:image/png;base64,Li4u",
        ),
    ),
    (
        "media-type-unsupported",
        _part("file", "file_data", "data:text/plain;base64,QQ=="),
        _part("file", "file_data", f"data:application/pdf;base64,{PICTURE}"),
    ),
    ("audio-format-not-streamable", _spoken(), _spoken(modalities=["text"])),
    ("audio-format-not-streamable", _spoken(), _spoken(audio={"format": None})),
    ("audio-options-missing", _spoken(audio=None), {"modalities": ["text"]}),
    ("file-part-empty", _part("file", "file_data", ""), _part("image_url", "file_data", "")),
    (
        "json-mode-unmentioned",
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_object"}, "messages": []},
    ),
]


FIRST = chunk({"role": "assistant", "content": ""})
WORD = chunk({"content": "Ho"})
LAST = chunk({}, "stop")
NO_DELTA = LAST | {"choices": [{"index": 0, "delta": None, "finish_reason": None}]}
USAGE = {"usage": COMPLETION["usage"]}
ASKED = {"stream_options": {"include_usage": True}}
OWN_USAGE = chunk({}) | {"choices": []} | USAGE


def _stream(*chunks: dict[str, Any], **request: Any) -> dict[str, Any]:
    return {"chunks": chunks, "request": request}


def _deltas(name: str, *texts: str) -> dict[str, Any]:
    return _stream(FIRST, *(chunk({name: text}) for text in texts), LAST)


def _fragments(*texts: str) -> dict[str, Any]:
    begin = chunk(
        {"role": "assistant", "tool_calls": [{"index": 0, **CALL, "function": {"name": "f", "arguments": ""}}]}
    )
    rest = (chunk({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}) for text in texts)
    return _stream(begin, *rest, chunk({}, "tool_calls"))


def _identified(*ids: str) -> dict[str, Any]:
    begin = chunk({"tool_calls": [{"index": 0, **CALL, "id": ids[0]}]})
    rest = (chunk({"tool_calls": [{"index": 0, "id": one, "function": {"arguments": " "}}]}) for one in ids[1:])
    return _stream(FIRST, begin, *rest, chunk({}, "tool_calls"))


def _numbered(*indexes: int) -> dict[str, Any]:
    return FIRST | {"choices": [FIRST["choices"][0] | {"index": index} for index in indexes]}


def _padded(*chunks: tuple[dict[str, Any], str]) -> dict[str, Any]:
    return _stream(*(one | {"obfuscation": text} for one, text in chunks))


def _marked(*fingerprints: str | None, name: str = "system_fingerprint") -> dict[str, Any]:
    return _stream(FIRST, *(WORD | {name: one} for one in fingerprints), LAST)


TWICE = [chunk({"content": text}) for text in ("Hello, ", "you!", "Hello, you!")]
THOUGHT_TWICE = [chunk({"reasoning": text}) for text in ("I think ", "so.", "I think so.")]
GROWING = [chunk({"content": text}) for text in ("Ho", "Ho he", "Ho he hi")]

STREAMS: list[Row] = [
    ("content-cumulative", _deltas("content", "Ho", "Ho he", "Ho he hi"), _deltas("content", "Ho", "Ho he")),
    ("content-cumulative", _deltas("content", "Hel", "lo!", "Hello!"), _deltas("content", "Hel", "lo", "Hello")),
    (
        "content-cumulative",
        _deltas("reasoning", "Hello, ", "you!", "Hello, you! So"),
        _deltas("reasoning", "Hello, ", "Hello, Hello"),
    ),
    ("content-cumulative", _fragments('{"a"', ":1}", '{"a":1}'), _fragments("[", "1,", "[1,2]]")),
    ("content-cumulative", _fragments("{", '{"a"', '{"a":1}'), _fragments("1", "2", "12")),
    (
        "content-cumulative",
        _stream(FIRST, *TWICE, *[chunk({"tool_calls": [{"index": 0, **CALL}]})] * 9, LAST),
        _stream(FIRST, *TWICE[:2], *[chunk({"tool_calls": [{"index": 0, **CALL}]})] * 9, LAST),
    ),
    (
        "content-cumulative",
        _stream(FIRST, *THOUGHT_TWICE, *[WORD] * 9),
        _stream(FIRST, *THOUGHT_TWICE[:2], *[WORD] * 9),
    ),
    ("content-cumulative", _stream(FIRST, *GROWING, *[chunk({})] * 9), _stream(FIRST, *GROWING[:2], *[chunk({})] * 9)),
    (
        "chunk-repeated",
        _padded((FIRST, "a" * 9), (WORD, "b" * 6), (WORD, "b" * 6)),
        _padded((FIRST, "a" * 9), (WORD, "b" * 5), (WORD, "b" * 5)),
    ),
    (
        "chunk-repeated",
        _padded((FIRST, "a" * 9), (WORD, "b" * 9), (WORD, "b" * 9)),
        _padded((FIRST, "a" * 9), (WORD, "b" * 9), (LAST, "b" * 9)),
    ),
    ("finish-reason-repeated", _stream(FIRST, LAST, LAST), _stream(FIRST, LAST, WORD, chunk({}), LAST)),
    ("role-missing", _stream(WORD, LAST), _stream(NO_DELTA, FIRST, LAST)),
    ("choice-out-of-order", _stream(_numbered(1), _numbered(0)), _stream(_numbered(1, 0))),
    ("chunk-index-duplicate", _stream(_numbered(0, 1, 0), _numbered(0)), _stream(_numbered(0, 1), _numbered(0, 1))),
    ("delta-after-finish", _stream(FIRST, LAST, chunk({})), _stream(FIRST, LAST, chunk({}) | USAGE)),
    ("content-after-finish", _stream(FIRST, LAST, WORD), _stream(FIRST, LAST, chunk({"content": "Ho"}, "stop"))),
    ("envelope-empty", _stream(FIRST | {"id": ""}, LAST), _stream(FIRST | {"id": ""}, LAST | {"id": ""})),
    ("envelope-empty", _stream(FIRST | {"created": 0}, LAST), _stream(FIRST | {"created": False}, LAST)),
    ("finish-reason-missing", _stream(FIRST, WORD), _stream(FIRST, chunk({}, 5))),
    ("finish-reason-missing", _stream(FIRST, WORD), _stream(FIRST, ERROR)),
    (
        "finish-reason-with-content",
        _stream(FIRST, chunk({"content": "Ho"}, "stop")),
        _stream(FIRST, chunk({"content": "Ho"}, "stop"), WORD),
    ),
    (
        "role-repeated",
        _stream(FIRST, FIRST, FIRST, LAST),
        _stream(FIRST, chunk({"role": "assistant", "audio": {"data": ""}}), LAST),
    ),
    ("stream-property-partial", _marked("fp", None), _marked(None, None)),
    (
        "stream-property-partial",
        _stream(FIRST | {"system_fingerprint": ""}, LAST | {"system_fingerprint": "fp"}),
        _stream(FIRST | {"system_fingerprint": "fp"}, LAST | {"system_fingerprint": "fq"}),
    ),
    (
        "stream-property-partial",
        _marked("default", name="service_tier"),
        _stream(FIRST | {"service_tier": ""}, LAST | {"service_tier": "default"}),
    ),
    (
        "usage-before-content",
        _stream(FIRST, OWN_USAGE, LAST),
        _stream(FIRST, WORD, OWN_USAGE, chunk({"audio": {"expires_at": 5}})),
    ),
    ("usage-before-content", _stream(FIRST, OWN_USAGE, LAST), _stream(FIRST | USAGE, LAST)),
    ("usage-before-content", _stream(FIRST, OWN_USAGE, LAST), _stream(FIRST, OWN_USAGE, LAST, OWN_USAGE)),
    ("usage-before-content", _stream(FIRST, OWN_USAGE, WORD), _stream(FIRST, WORD, OWN_USAGE)),
    ("usage-repeated", _stream(FIRST | USAGE, LAST | USAGE), _stream(FIRST, LAST, OWN_USAGE)),
    ("usage-on-choice-chunk", _stream(FIRST | USAGE, LAST | USAGE), _stream(FIRST | USAGE, LAST, OWN_USAGE)),
    # calls
    ("tool-call-id-changed", _identified("call_a", "call_b"), _identified("", "call_a")),
    # with the request
    ("asked-usage-missing", _stream(FIRST, LAST, **ASKED), _stream(FIRST, LAST, ERROR, **ASKED)),
    ("asked-usage-missing", _stream(FIRST, LAST, **ASKED), _stream(FIRST, WORD, **ASKED)),
    (
        "model-not-asked-for",
        _stream(FIRST, LAST, model="other"),
        _stream(FIRST | {"model": "other"}, LAST, model="other"),
    ),
    ("choice-count-mismatch", _stream(FIRST, LAST, n=2), _stream(FIRST, LAST, ERROR, n=2)),
    ("choice-count-mismatch", _stream(FIRST, LAST, n=2), _stream(FIRST, WORD, n=2)),
    ("usage-null-missing", _stream(FIRST, LAST, OWN_USAGE, **ASKED), _stream(FIRST, LAST, **ASKED)),
]


def _view(rule: str, changes: dict[str, Any]) -> Request | Completion | Pair | Trace:
    group = group_of(rule)
    if group == "request":
        return Request(REQUEST | changes)
    if "chunks" in changes:
        trace = stream_of(*changes["chunks"])
        folded = fold(trace)
        completion = None if folded is None else Completion(folded.value, folded=True)
        return trace if group == "stream" else Pair(Request(REQUEST | changes["request"]), completion, trace)
    completion = _completion(changes)
    return completion if group == "completion" else Pair(completion.request or Request(REQUEST), completion, None)


ROWS = [*COMPLETIONS, *PAIRS, *REQUESTS, *STREAMS]


@pytest.mark.parametrize(("rule", "reported", "other"), ROWS, ids=[row[0] for row in ROWS])
def test_one_of_two_payloads_that_differ_little_is_reported(
    rule: str, reported: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (len(hits_of(rule, _view(rule, reported))), hits_of(rule, _view(rule, other))) == (1, [])
