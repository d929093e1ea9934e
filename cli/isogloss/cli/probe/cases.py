"""What a probe asks: every case in one place, as data. Models are not judged, so the questions are short and cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from isogloss.cli.probe import expectations

__all__ = ["AT_ONCE", "CASES", "Case"]

AT_ONCE = "at-once"
"""The case to which everything belongs that fails only beside other requests."""

_PNG = (  # one transparent pixel
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
_HELLO = {"role": "user", "content": "Say hello."}
_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
_FORCED = {"type": "function", "function": {"name": "get_weather"}}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
_SECOND_CALL = {"id": "call_2", "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}  # fmt: skip
_SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
_SHORT, _LONG = 16, 64
_STREAM = {"stream": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request, and what the answer to it must be.

    ``body`` is the request without its model, or the exact bytes to send. The status of the answer must be one of
    ``expected``. ``expects`` returns what the answered completion lacks (see ``expectations``), or ``None``. The
    request is sent ``times`` times, one after the other; with ``at_once``, alone and then as often at once as may be.
    """

    name: str
    what: str
    body: Mapping[str, Any] | bytes
    expected: tuple[int, ...] = (200,)
    expects: Callable[[expectations.Completion], str | None] | None = None
    times: int = 1
    model: str | None = None
    path: str | None = None
    wrong_key: bool = False
    at_once: bool = False

    @property
    def refusal(self) -> bool:
        """Whether the request is wrong on purpose."""
        return min(self.expected) >= 400

    def request(self, model: str) -> bytes:
        """The body to send."""
        if isinstance(self.body, bytes):
            return self.body
        return orjson.dumps({"model": self.model or model, **self.body})


def _ask(
    name: str, what: str, *messages: Mapping[str, Any], limit: int = _SHORT, expects: Any = None, **more: Any
) -> Case:
    times = more.pop("times", 1)
    body = {"messages": list(messages or (_HELLO,)), "max_completion_tokens": limit, **more}
    return Case(name=name, what=what, body=body, expects=expects, times=times)


def _bad(name: str, what: str, body: Mapping[str, Any] | bytes, status: int = 400, **more: Any) -> Case:
    return Case(name=f"refuses-{name}", what=what, body=body, expected=(status,), **more)


def _user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _format(name: str, **more: Any) -> dict[str, Any]:
    return {"type": name, **more}


_WEATHER = _user("What is the weather in Paris?")
_TWO_CITIES = _user("What is the weather in Paris and in Rome? Ask for both at once.")
_PROSE = _user("Describe the sea in one short sentence.")
_WORD = {"role": "system", "content": "Write plain prose without any markup. (JSON is asked for by a parameter alone.)"}
"""Has the word that ``json_object`` demands, and asks for the opposite: only the parameter can bring about JSON."""
_GOOD = {"messages": [_HELLO], "max_completion_tokens": _SHORT}

CASES: tuple[Case, ...] = (
    _ask("plain", "one question, one answer"),
    _ask("stream", "the answer as a stream", **_STREAM),
    _ask("stream-usage", "a stream that ends with its usage", **_STREAM, stream_options={"include_usage": True}),
    _ask("tool", "a named function that has to be called", _WEATHER, limit=_LONG, tools=[_TOOL], tool_choice=_FORCED,
         expects=expectations.a_tool_call),
    _ask("tool-stream", "the same as a stream", _WEATHER, limit=_LONG, tools=[_TOOL], tool_choice=_FORCED, **_STREAM,
         expects=expectations.a_tool_call),
    _ask("tools-parallel", "two calls in one answer", _TWO_CITIES, limit=_LONG, tools=[_TOOL],
         tool_choice="required", parallel_tool_calls=True, expects=expectations.two_tool_calls),
    _ask("tool-result", "the turn after a tool call", _WEATHER,
         {"role": "assistant", "content": None, "tool_calls": [_CALL]},
         {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}, tools=[_TOOL]),
    _ask("tool-auto-stream", "a function that may be called, streamed", _WEATHER, limit=_LONG, tools=[_TOOL],
         tool_choice="auto", **_STREAM),
    _ask("tool-required-stream", "any function that has to be called, streamed", _WEATHER, limit=_LONG, tools=[_TOOL],
         tool_choice="required", **_STREAM, expects=expectations.a_tool_call),
    _ask("tool-none", "a function that must not be called", _WEATHER, tools=[_TOOL], tool_choice="none"),
    _ask("tool-none-stream", "the same as a stream", _WEATHER, tools=[_TOOL], tool_choice="none", **_STREAM),
    _ask("tool-unneeded", "a function that the question has no use for", tools=[_TOOL]),
    _ask("tools-parallel-stream", "two calls in one stream", _TWO_CITIES, limit=_LONG, tools=[_TOOL],
         tool_choice="required", parallel_tool_calls=True, **_STREAM, expects=expectations.two_tool_calls),
    _ask("tool-results-stream", "the turn after two calls, streamed", _TWO_CITIES,
         {"role": "assistant", "content": None, "tool_calls": [_CALL, _SECOND_CALL]},
         {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
         {"role": "tool", "tool_call_id": "call_2", "content": "rainy"}, tools=[_TOOL], **_STREAM),
    _ask("n", "two choices", n=2, expects=expectations.two_choices),
    _ask("n-stream", "two choices as a stream", n=2, **_STREAM, expects=expectations.two_choices),
    _ask("logprobs", "log probabilities", logprobs=True, top_logprobs=2, limit=4, expects=expectations.logprobs),
    _ask("logprobs-stream", "log probabilities in a stream", logprobs=True, top_logprobs=2, limit=4, **_STREAM,
         expects=expectations.logprobs),
    _ask("json-object", "an answer that is JSON, which no word asks for", _WORD, _PROSE, limit=_LONG,
         response_format=_format("json_object"), expects=expectations.a_whole_answer),
    _ask("json-schema", "an answer by a schema, which no word asks for", _PROSE, limit=_LONG,
         response_format=_format("json_schema", json_schema={"name": "person", "strict": True, "schema": _SCHEMA}),
         expects=expectations.a_whole_answer),
    _ask("json-schema-stream", "the same as a stream", _PROSE, limit=_LONG, **_STREAM,
         response_format=_format("json_schema", json_schema={"name": "person", "strict": True, "schema": _SCHEMA}),
         expects=expectations.a_whole_answer),
    _ask("stop", "a stop sequence", stop=["o"]),
    _ask("stop-text", "a stop sequence that is no list", stop="o"),
    _ask("stop-stream", "a stop sequence in a stream", stop=["o"], **_STREAM),
    _ask("limit", "an answer of one token", limit=1, expects=expectations.the_limit),
    _ask("limit-stream", "a stream of one token", limit=1, **_STREAM, expects=expectations.the_limit),
    Case(name="limit-older", what="an answer of one token, by the older max_tokens",
         body={"messages": [_HELLO], "max_tokens": 1}, expects=expectations.the_limit),
    _ask("emoji-stream", "characters of several bytes in a stream", _user("Answer with these emoji: 🌊🌍🔥🌱🌙"),
         limit=_LONG, **_STREAM),
    _ask("reasoning-effort", "how much to think", reasoning_effort="low", limit=_LONG),
    _ask("developer-role", "instructions of a developer", {"role": "developer", "content": "Be brief."}, _HELLO),
    _ask("system-role", "instructions of the system", {"role": "system", "content": "Be brief."}, _HELLO),
    _ask("content-parts", "a message in parts",
         _user([{"type": "text", "text": "Say"}, {"type": "text", "text": "hello."}])),
    _ask("image", "an image of one pixel", _user([{"type": "text", "text": "What colour is this?"},
         {"type": "image_url", "image_url": {"url": _PNG}}])),
    _ask("seed", "the same seed twice", seed=7, temperature=1, times=2),
    _bad("missing-messages", "no messages", {"max_completion_tokens": _SHORT}),
    _bad("missing-messages-stream", "no messages, and a stream that must not begin",
         {"max_completion_tokens": _SHORT, **_STREAM}),
    _bad("invalid-json", "a body that is no JSON", b'{"model": "x", "messages": [}'),
    _bad("wrong-type", "messages that are a string", {**_GOOD, "messages": "Say hello."}),
    _bad("out-of-range", "a temperature of 99", {**_GOOD, "temperature": 99}),
    _bad("unknown-model", "a model that does not exist", _GOOD, 404, model="isogloss-no-such-model"),
    _bad("unknown-path", "a path that does not exist", _GOOD, 404, path="isogloss-no-such-path"),
    Case(name=AT_ONCE, what="the same question several times at once", body=_GOOD, at_once=True),
    Case(name="refuses-wrong-key", what="a key that is wrong, tried once and last", body=_GOOD, expected=(200, 401),
         wrong_key=True),
)  # fmt: skip
"""All cases, in the order in which they are sent and reported."""
