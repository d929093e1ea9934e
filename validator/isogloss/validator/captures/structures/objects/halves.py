"""Find the requests and the answers in an object by the content of its values, and what shows that they were recorded.

The names of the properties do not count. :mod:`isogloss.validator.captures.structures.search` says which objects are
read.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Set
from typing import Any, Literal, TypeAlias

import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.bodies.encoded import is_base64_of_body
from isogloss.validator.captures.bodies.wrapped import BETWEEN_LINES, holds_stream, stream_in_lines
from isogloss.validator.captures.document import BODIES_IN_BASE64, Node, decoded
from isogloss.validator.captures.names import WORDS_OF_ORIGINALS, normalised_name, normalised_names, words_of
from isogloss.validator.exchange import Kind
from isogloss.validator.kinds import kind_of, marks
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES, TELLING_PROPERTIES
from isogloss.validator.nesting import are_same
from isogloss.validator.text import Text

__all__ = [
    "IDS_IN_BATCHES", "Half", "Halves", "Role", "Roles", "body_name", "halves_in", "is_json_with", "is_of_log",
    "is_part", "is_recorded", "payload_kind", "request_in", "role_of",
]  # fmt: skip

_BESIDE_CHOICES = frozenset({"id", "object", "created", "model", "usage"})
_ENVELOPED = frozenset({"data", "result"})
_BESIDE_BODIES = frozenset({"headers", "observedcontenttype", "statuscode", "statustext"})
_NAMES_OF_BODIES = frozenset({"body", "content", "data", "json", "payload", "raw", "response", "text"})
_TIME_NAMES = frozenset({
    "time", "timestamp", "ts", "date", "datetime", "@timestamp", "@t", "asctime", "eventTime", "_time",
    "__REALTIME_TIMESTAMP", "timeUnixNano",
})  # fmt: skip
"""Names under which the records of logs have their time."""
_LEVEL_NAMES = frozenset({"level", "levelname", "lvl", "loglevel", "log_level", "severity"})
_WORD_NAMES = frozenset({"event", "message", "msg"})
"""Names under which the records of logs say what happened. Beside a level, none needs a time: the line may have it."""
IDS_IN_BATCHES = frozenset({"custom_id", "customId", "batch_request_id"})
"""Names under which the result of a batch has the id of its request (https://docs.x.ai/docs/guides/batch-api, 2026-11,
and the pages on batches of OpenAI, Anthropic and others)."""
_NUMBERS = frozenset({"index", "idx", "row_idx", "row_index", "row_id"})
"""Names under which lines of results have the number of their request."""
_ATTRIBUTE = frozenset({"key", "value"})
_ADDS_TO_BODIES = "run_type"
"""A property of the runs of LangSmith, which adds properties of its own to the bodies that it keeps."""
_EVENTS = ("data:", "event:", "id:", "retry:", ":")
_BEFORE_EVENTS = "\ufeff \t\r\n"
_FIRST_IN_BASE64 = frozenset(beginning[:1].decode() for beginning in BODIES_IN_BASE64)
_FINISHED = rb'finish_reason\\*"\s*:\s*\\*"\w'
_SHORTEST_QUOTE = 2
"""A text beside an answer is taken for what the answer says only if it has at least this length."""

Role: TypeAlias = Literal["request", "answer"]
Roles: TypeAlias = dict[str | int, Role]
"""The roles of what an object or array holds, by name or position. What has none is left out."""


class Half(Struct, frozen=True):
    """A half of a pair: a request or an answer in an object, the name of the property that holds it, and its path.

    ``at`` is the path with the positions of attributes in place of their names. ``value`` is the payload, or its text,
    decoded from Base64. ``within`` is the object that holds the property, and ``prefix`` is the path of that object
    with a dot behind it, empty for the outermost object.
    """

    name: str
    path: str
    at: str
    value: Any
    within: dict[str, Any]
    prefix: str


class Halves(Struct, frozen=True):
    """The requests and the answers in an object. ``roles`` has those of what its objects and arrays hold, by name."""

    requests: list[Half]
    answers: list[Half]
    roles: dict[str, Roles]


def halves_in(value: dict[str, Any], roles: Roles | None = None) -> Halves:
    """Return the requests and answers in an object: its properties, or what is in the objects and arrays that it holds.

    ``roles`` are the roles of its properties, if they are known. In an array, each request or answer may be the only
    property of an object, or the value of an attribute, as OTLP and Jaeger write them. The only item may also be an
    object with one beside numbers and words, as AIPerf writes an answer that is no stream. An inner object that holds a
    request and an answer does not count, nor does an envelope in which a server sent an answer.
    """
    roles = _roles_in(value) if roles is None else roles
    found: dict[Role, list[Half]] = {"request": [], "answer": []}
    inner_roles: dict[str, Roles] = {}
    for name, inner in value.items():
        if (role := roles.get(name)) is not None:
            found[role].append(Half(name, name, name, _without_base64(inner), value, ""))
        elif isinstance(inner, dict):
            held = inner_roles[name] = _roles_in(inner)
            if len(set(held.values())) == 1 and not _is_in_envelope(held, inner):
                for key, role in held.items():
                    path = f"{name}.{key}"
                    found[role].append(Half(name, path, path, _without_base64(inner[key]), inner, f"{name}."))
        elif isinstance(inner, list):
            held = inner_roles[name] = _roles_in(inner)
            for key, at, one, role in _in_list(inner, held):
                found[role].append(Half(name, f"{name}.{key}", f"{name}.{at}", _without_base64(one), value, ""))
    return Halves(found["request"], found["answer"], inner_roles)


def _in_list(items: list[Any], roles: Roles) -> Iterator[tuple[str, str, Any, Role]]:
    """Yield each request and answer in an array, with its path in the array by names and by positions, and its role."""
    for position, one in enumerate(items):
        if (role := roles.get(position)) is not None:
            yield str(position), str(position), one, role
        elif isinstance(one, dict) and one.keys() >= _ATTRIBUTE and isinstance(one["key"], str):
            inner, at = one["value"], f"{position}.value"
            if isinstance(inner, dict) and "stringValue" in inner:
                inner, at = inner["stringValue"], f"{at}.stringValue"
            if (role := role_of(inner)) is not None:
                yield one["key"], at, inner, role
        elif isinstance(one, dict) and (len(one) == 1 or _describes_half(items)):
            for key, role in _roles_in(one).items():
                yield f"{position}.{key}", f"{position}.{key}", one[key], role


def _describes_half(items: list[Any]) -> bool:
    """Return whether the only item of an array holds one request or answer, and nothing else but numbers and words."""
    if len(items) > 1 or any(isinstance(inner, dict | list) for inner in items[0].values()):
        return False
    return len(_roles_in(items[0])) == 1


def _roles_in(value: dict[str, Any] | list[Any]) -> Roles:
    named = value.items() if isinstance(value, dict) else enumerate(value)
    return {name: role for name, inner in named if inner and (role := role_of(inner)) is not None}


def body_name(value: object, role: Role) -> str | None:
    """Return the name under which an object holds a body, by its content, or ``None`` unless there is just one."""
    if not isinstance(value, dict) or kind_of(value) is not None:
        return None
    roles = _roles_in(value)
    found = [name for name in value if roles.get(name) == role]
    is_one = len(found) == 1 and not _is_in_envelope(roles, value) and not _is_cause(found[0], value)
    return found[0] if is_one else None


def request_in(part: Node) -> Node | None:
    """Return the request that a record holds property by property, among those of the recorder, or ``None``.

    A null says that the request had no such property.
    """
    found = {name: one for name, one in part.value.items() if name in REQUEST_PROPERTIES and one is not None}
    return replace(part, value=found) if kind_of(found) == "request" else None


def _is_cause(name: str, value: dict[str, Any]) -> bool:
    """Return whether an object is an error in words, and the error object in a property of it says more of that.

    A recorder may have words of its own beside a body, too, but then the body has the name of one.
    """
    is_error = isinstance(value.get("error"), str) and value["error"] != ""
    return is_error and normalised_name(name) not in _NAMES_OF_BODIES and not _has_choices(_without_base64(value[name]))


def _is_in_envelope(roles: Roles, value: dict[str, Any]) -> bool:
    """Return whether an object holds answers beside ``data`` or ``result``, and nothing that a recorder adds to a body.

    Servers send such envelopes. Nobody sends a request in one to an API of Chat Completions.
    """
    if "answer" not in roles.values():
        return False
    names = normalised_names(value).keys()
    return not names.isdisjoint(_ENVELOPED) and names.isdisjoint(_BESIDE_BODIES)


def role_of(value: object) -> Role | None:
    """Return whether a value is a request, or an answer: an object, JSON text of one, chunks, or text of events.

    Text may be in Base64.
    """
    value = _without_base64(value)
    if isinstance(value, str):
        text = value.lstrip(_BEFORE_EVENTS)
        if text.startswith(_EVENTS):
            return "answer" if '"choices"' in text else None
        if not is_json_with(text, "choices", "messages", "error"):
            return None
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            may_be_lines = BETWEEN_LINES in text
            is_stream = may_be_lines and stream_in_lines(Text(text.encode("utf-8", "surrogatepass"))) is not None
            return "answer" if is_stream else None
    if isinstance(value, list):
        return "answer" if holds_stream(value) else None
    if not isinstance(value, dict):
        return None
    kind = payload_kind(value)
    if kind == "request":
        return "request"
    return "answer" if kind in ("completion", "error") else None


def _without_base64(value: Any) -> Any:
    """Return the text of a body that is in Base64, although nothing says so, and any other value as it is."""
    if not isinstance(value, str) or value[:1] not in _FIRST_IN_BASE64 or not value.isascii():
        return value
    data = value.encode()
    return base64.b64decode(data).decode("utf-8", "replace") if is_base64_of_body(data) else value


def payload_kind(value: dict[str, Any]) -> Kind | None:
    """Return the kind of the payload that an object is, or ``None``. For most objects here, this is found at once."""
    return None if value.keys().isdisjoint(TELLING_PROPERTIES) else kind_of(value)


def is_recorded(value: dict[str, Any], halves: Halves, *, alone: bool, in_batch: bool) -> bool:
    """Return whether an object that may hold answers, and requests, was recorded, and keeps them as they were.

    What it holds decides, and none of its other names: logs, traces and benchmarks have names that other APIs have, too
    (``trace_id`` beside ``span_id``, ``prompt`` beside ``model``, ``status`` beside ``path``). ``alone`` says that an
    object of nothing but answers counts, too: one answer by itself may be in an envelope that a server sent.
    ``in_batch`` says that it is the result of a batch, or in one. Beside the list of the events of a whole stream,
    nothing is needed.
    """
    answers = halves.answers
    if not answers or _ADDS_TO_BODIES in value:
        return False
    is_only_answers = alone and len(answers) == len(value) > 1 and all(not answer.prefix for answer in answers)
    return (
        bool(halves.requests)
        or is_only_answers
        or (in_batch and _has_choices(answers[0].value))
        or any(_is_list_of_whole_stream(answer.value) for answer in answers)
        or _is_recorded_with(value, answers)
    )


def _is_recorded_with(value: dict[str, Any], answers: list[Half]) -> bool:
    """Return whether an object with answers, and without a request, shows that one of the answers was recorded.

    Any of these shows it: a name that says so (``raw_response``); what a record of a log has; the number of a request
    in a batch; the text or the calls of the answer once more; a conversation without a model, which the answer
    continues. An example in documentation has none of them. An envelope of a server may have a time, too, and an error
    beside a time may come from any service. Choices alone are only a part of an answer: Opik keeps everything else
    under another name (``RESPONSE_KEYS_TO_LOG_AS_OUTPUT`` in opik/integrations/openai, read 2026-11).
    """
    with_choices = [one for one in answers if _has_choices(one.value)] or answers
    answer = next((one for one in with_choices if not is_part(one.value)), None)
    if answer is None:
        return False
    if not words_of(answer.path).isdisjoint(WORDS_OF_ORIGINALS) and _has_choices(answer.value):
        return True
    names = value.keys()
    is_logged = is_of_log(names) and answer.path not in _ENVELOPED
    if (is_logged or not names.isdisjoint(_NUMBERS)) and _has_choices(answer.value):
        return True
    siblings = [inner for name, inner in value.items() if name != answer.name]
    return _is_quoted(_decoded(answer.value), siblings) or any(_is_conversation(_decoded(one)) for one in siblings)


def is_of_log(names: Set[str]) -> bool:
    """Return whether an object with these names is a record of a log: it has a time, or a level beside a message."""
    return not names.isdisjoint(_TIME_NAMES) or not (names.isdisjoint(_LEVEL_NAMES) or names.isdisjoint(_WORD_NAMES))


def _is_list_of_whole_stream(answer: Any) -> bool:
    """Return whether an answer is a list of events, and has the end of the stream: a program kept them one by one.

    Documentation and examples have the text of events.
    """
    if not isinstance(answer, list) or len(answer) < 2:
        return False
    text = b",".join(map(_written, answer))
    return text.count(b"choices") > 1 and (b"[DONE]" in text or re.search(_FINISHED, text) is not None)


def _written(event: Any) -> bytes:
    """Return an event as JSON text, or nothing if it is nested too deep, or has a number that is too large."""
    try:
        return orjson.dumps(event)
    except orjson.JSONEncodeError:
        return b""


def is_part(answer: Any) -> bool:
    """Return whether an answer has choices, and nothing that every completion has besides."""
    answer = _decoded(answer)
    return isinstance(answer, dict) and "choices" in answer and answer.keys().isdisjoint(_BESIDE_CHOICES)


def _has_choices(answer: Any) -> bool:
    """Return whether an answer is a completion or a stream, and neither an error nor a line of a stream."""
    if isinstance(answer, str):
        text = answer.strip()
        return '"choices"' in text and ("\n" in text or not text.startswith(_EVENTS))
    return isinstance(answer, list) or "choices" in answer


def _decoded(value: Any) -> Any:
    """Return the value of JSON text that may hold a payload, and any other value as it is."""
    return decoded(value) if isinstance(value, str) and is_json_with(value, "choices", "messages") else value


def _is_quoted(answer: Any, siblings: list[Any]) -> bool:
    """Return whether a value beside an answer is the text, the calls, or the id of a call of its first message.

    The id may also stand in a list of calls in another form, as in the logs of the tool ``llm``.
    """
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    said = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(said, dict):
        return False
    text, calls = said.get("content"), said.get("tool_calls")
    text = text.strip() if isinstance(text, str) else ""
    if len(text) >= _SHORTEST_QUOTE and any(isinstance(one, str) and one.strip() == text for one in siblings):
        return True
    if not isinstance(calls, list) or not calls:
        return False
    ids = {call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str) and call["id"]}
    return any(
        one in ids if isinstance(one, str) else _names_call(one, ids) or are_same(one, calls) for one in siblings
    )


def _names_call(value: Any, ids: set[str]) -> bool:
    """Return whether the first item of a list is an object with one of the ids of calls."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and any(isinstance(one, str) and one in ids for one in first.values())


def _is_conversation(value: Any) -> bool:
    """Return whether a value is a list of messages, or an object with ``messages``."""
    return marks.holds_messages(value.get("messages") if isinstance(value, dict) else value)


def is_json_with(text: str, *names: str) -> bool:
    """Return whether a string looks like JSON text, and one of the names of properties is in it."""
    return text.lstrip()[:1] in ("{", "[") and any(name in text for name in names)
