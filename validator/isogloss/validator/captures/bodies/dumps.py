"""Read answers that were recorded as objects of a client library.

The recorder of Llama Stack keeps ``{"__type__": "openai.types.chat…", "__data__": {…}}``. This is the ``model_dump`` of
the object that the ``openai`` package returned; for a stream, there is a list of such objects. As the request, it keeps
the arguments of the call (``_serialize_response`` and ``_patched_inference_method`` in
src/llama_stack/testing/api_recorder.py of llamastack/llama-stack, read 2026-11). The library fills in null for
everything that the server did not send. So rules about what was sent find nothing in such an exchange.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures.bodies.wrapped import stream_of_list
from isogloss.validator.captures.document import Node
from isogloss.validator.exchange import Stream

__all__ = [
    "NOT_SENT", "STORED", "are_arguments", "is_dump", "is_dump_or_list", "is_of_library", "is_stored", "may_be_dump",
    "names_call", "payload_in", "sent_arguments",
]  # fmt: skip

_TYPE, _DATA = "__type__", "__data__"
_CHAT_TYPES = "openai.types.chat."
_EXTRA = frozenset({"extra_body", "extra_headers", "extra_query"})
NOT_SENT = _EXTRA | {"self", "timeout"}
"""Arguments of a call that are no properties of the request (openai-python, README, read 2026-11). Tracers that keep
all arguments of a method have the object as well (``call.inputs["self"]`` in integrations of Weave, read 2026-11)."""
STORED = ("input_user", "request_id")
"""Properties that OpenAI's store of completions adds to each of them, beside options of the request (recordings
ChatStoreTests of openai/openai-dotnet, of 2025-09, read 2026-11)."""

_METHODS = "chat.completions."
_CALL = r"(?:\w+\.)*chat\.completions\.(?:create|parse|stream)"


def is_dump(value: Any) -> bool:
    """Return whether a JSON value is a dumped object of Chat Completions, written from the ``openai`` package."""
    if not isinstance(value, dict) or _DATA not in value or not isinstance(value[_DATA], dict):
        return False
    kind = value.get(_TYPE)
    return isinstance(kind, str) and kind.startswith(_CHAT_TYPES)


def may_be_dump(names: tuple[str, ...]) -> bool:
    """Return whether an object with these names can be a dumped object."""
    return _DATA in names


def is_of_library(value: Any) -> bool:
    """Return whether a JSON value is a dumped object of any library, or a list that begins with one."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and _TYPE in first and _DATA in first


def is_dump_or_list(value: Any) -> bool:
    """Return whether a JSON value is a dumped object, or a list of them that is not empty."""
    if isinstance(value, list):
        return bool(value) and all(is_dump(item) for item in value)
    return is_dump(value)


def is_stored(value: object) -> bool:
    """Return whether a completion comes from OpenAI's store of completions."""
    return isinstance(value, dict) and "input_user" in value and "request_id" in value


def payload_in(node: Node) -> Node | Stream | None:
    """Return the payload that a dumped object holds, or the stream that a list of them makes, else ``None``."""
    if is_dump(node.value):
        return node.get(_DATA)
    return _chunks(node) if is_dump_or_list(node.value) else None


def _chunks(node: Node) -> Stream:
    """Return the stream whose chunks are in these dumped objects."""
    return stream_of_list(replace(node, value=[item[_DATA] for item in node.value]), within=(_DATA,))


def sent_arguments(arguments: Any) -> Any:
    """Return the arguments of a call that the library sends: these are the request. Any other value stays as it is."""
    if not isinstance(arguments, dict):
        return arguments
    return {name: value for name, value in arguments.items() if name not in NOT_SENT}


def are_arguments(request: object) -> bool:
    """Return whether a request that stands by itself is the arguments of a call, to which a program adds the model.

    With a model, it may be what was sent: some servers have a property ``extra_body``.
    """
    return isinstance(request, dict) and "model" not in request and not _EXTRA.isdisjoint(request)


def names_call(value: object) -> bool:
    """Return whether a value is the name of the method that a program called for an answer.

    Recorders of calls keep it among the arguments: ``method: chat.completions.create`` (tapes/example.yaml of
    agentape 0.1.0, PyPI, read 2026-11).
    """
    return isinstance(value, str) and _METHODS in value and re.fullmatch(_CALL, value) is not None
