"""Cases about answers in JSON. No message requests JSON or names a property: only the parameter can cause them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.cli.probe import answer_checks
from isogloss.cli.probe.cases.case import Case
from isogloss.cli.probe.cases.questions import LONG, PROSE, STREAM, ask

__all__ = ["cases"]

_PROSE_ONLY = {
    "role": "system",
    "content": "Write plain prose without any markup. (JSON is asked for by a parameter alone.)",
}
"""Has the word "JSON", which ``json_object`` requires, but requests prose: only the parameter can cause JSON."""

_FLAT = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
_NESTED = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["calm", "rough"]},
        "depth": {
            "type": "object",
            "properties": {"metres": {"type": "integer"}, "exact": {"type": "boolean"}},
            "required": ["metres", "exact"],
            "additionalProperties": False,
        },
    },
    "required": ["kind", "depth"],
    "additionalProperties": False,
}
_FROM_MODELS = {
    "$defs": {
        "Colour": {"enum": ["blue", "green"], "title": "Colour", "type": "string"},
        "Wave": {
            "properties": {"height": {"title": "Height", "type": "integer"}, "colour": {"$ref": "#/$defs/Colour"}},
            "required": ["height", "colour"],
            "title": "Wave",
            "type": "object",
            "additionalProperties": False,
        },
    },
    "properties": {"wave": {"$ref": "#/$defs/Wave"}, "salty": {"title": "Salty", "type": "boolean"}},
    "required": ["wave", "salty"],
    "title": "Sea",
    "type": "object",
    "additionalProperties": False,
}
"""The schema that ``client.chat.completions.parse`` of the openai package makes from nested models: with ``$defs`` and
titles, and strict.
"""


def _schema(name: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema, **more}}


def _case(name: str, what: str, tests: str, why: str, thread: str, *messages: Any, **more: Any) -> Case:
    body = ask(*(messages or (PROSE,)), limit=LONG, **more)
    return Case(name, what, tests, why, thread, body, group="formats", expects=answer_checks.expect_whole_answer)


def cases() -> Iterator[Case]:
    """Yield the cases of the group ``formats``."""
    yield _case(
        "json-object", "an answer in JSON that only the parameter asks for", "response_format json_object",
        "Programs parse the content; a Markdown fence around it is enough to break them.",
        "https://github.com/ROCm/FastFlowLM/issues/554",
        _PROSE_ONLY, PROSE, response_format={"type": "json_object"},
    )  # fmt: skip
    yield _case(
        "json-schema", "an answer by a schema that only the parameter asks for", "response_format json_schema, strict",
        "Where the parameter is dropped, frameworks get prose and fail to parse it.",
        "https://github.com/router-for-me/CLIProxyAPI/issues/5533",
        response_format=_schema("person", _FLAT, strict=True),
    )  # fmt: skip
    yield _case(
        "json-schema-stream", "the same as a stream", "response_format json_schema with stream",
        "Where the parameter is dropped, frameworks get prose and fail to parse it.",
        "https://github.com/router-for-me/CLIProxyAPI/issues/5533",
        response_format=_schema("person", _FLAT, strict=True), **STREAM,
    )  # fmt: skip
    yield _case(
        "json-schema-open", "an answer by a schema that is not strict", "response_format json_schema without strict",
        "Many clients do not set strict; the schema was then silently not enforced.",
        "https://github.com/ggml-org/llama.cpp/issues/24097",
        response_format=_schema("person", _FLAT),
    )  # fmt: skip
    yield _case(
        "json-schema-nested", "an answer by a schema with an object in an object", "response_format with nesting",
        "Servers accepted only a flat form of their own, and ignored this one.",
        "https://github.com/ggml-org/llama.cpp/issues/11988",
        response_format=_schema("sea", _NESTED, strict=True),
    )  # fmt: skip
    yield _case(
        "json-schema-parse", "a schema as parse() of the openai client makes it", "response_format with $defs and $ref",
        "Every nested model of Pydantic is a reference; servers that resolve no references answer with 500.",
        "https://github.com/shanevcantwell/langgraph-agentic-scaffold/issues/260",
        response_format=_schema("Sea", _FROM_MODELS, strict=True),
    )  # fmt: skip
